#!/usr/bin/env bats
# SPDX-License-Identifier: MIT
# What the undo of a tier leaves to other programs.

load helper

# Print what is written to the root cgroup when FILE of a child of another program has VALUE.
# Usage: written FILE VALUE
written() {
  rm -rf root
  mkdir -p root/{mine,other}
  : >root/cgroup.subtree_control
  printf '0\n' | tee root/mine/memory.{min,low} >root/other/memory.min
  printf 'max\n' | tee root/{mine,other}/memory.{high,max} >root/other/memory.swap.max
  printf '%s\n' "$2" >"root/other/$1"
  bash -c 'set -Eeuo pipefail; . "$REPO/lib/host/tier_undo.sh" && . "$REPO/lib/host/tier_cgroup.sh" && _host_tier_undo_control root'
  cat root/cgroup.subtree_control
}

@test "the memory controller of cgroup v2 is disabled again, unless another program has limited a cgroup meanwhile" {
  assert_equal "$(written memory.max max)" -memory
  assert_equal "$(written memory.low 0)" -memory
  assert_equal "$(written memory.max 1073741824)" ''
  assert_equal "$(written memory.swap.max 0)" ''
  assert_equal "$(written memory.min 4096)" ''
}

# Run a command with the functions of a tier and the simulated /proc/swaps of one target, where swapoff only prints its argument.
# Usage: with_swap NAME_IN_SWAPS COMMAND
with_swap() {
  mkdir -p proc
  printf 'Filename Type Size Used Priority\n%s file 2048 512 32767\n' "$1" >proc/swaps
  TIERBENCH_ROOT=$SCRATCH WORK=$SCRATCH bash -c 'set -Eeuo pipefail
    for part in shared/owner host/tier host/tier_{undo,lost,swap} tier/swap; do . "$REPO/lib/$part.sh"; done
    swapoff() { echo "off $1"; }
    host_tier_cgroup_find() { return 1; }
    '"$2"
}

@test "swap with blanks or a backslash in its path is disabled, and found after the directory of its run was removed; its directory is used without its symbolic links" {
  path=$SCRATCH/'my disk\1'/tierbench-demo-1-0badcafe.swap
  name=$SCRATCH/'my\040disk\1341/tierbench-demo-1-0badcafe.swap'
  mkdir 'my disk\1'
  touch "$path" tier-demo-1-0badcafe
  assert_equal "$(with_swap "$name" "_host_tier_undo_swap '$path'")" "off $path"
  assert_equal "$(with_swap "$name" "_host_tier_undo_swap '$SCRATCH/my'")" ''
  # For the usage of the swap, which is compared with the name in /proc/swaps.
  with_swap "$name" "TIER_FOLDER=. _host_tier_swap_note '$path'"
  assert_equal "$(<swap)" "$name"$'\t524288'
  assert_equal "$(with_swap "$name" host_tier_lost)" "swap"$'\t'"demo-1-0badcafe"$'\t'"$path"$'\n'"file"$'\t'"demo-1-0badcafe"$'\t'"$path"
  rm -r 'my disk\1'
  mkdir 'my disk'
  ln -s 'my disk' link
  assert_equal "$(with_swap none 'stat() { echo ext2; }; TIER_SWAP=link host_tier_swap_place && echo "$SWAP_FOLDER"')" "$(pwd -P)/my disk"
  ln -s $'my\tdisk' tab
  mkdir $'my\tdisk'
  assert_equal "$(with_swap none 'TIER_SWAP=tab host_tier_swap_place || echo "$WHY"')" 'tab: a path with tabs or line feeds is not supported'
}

@test "a process that has just been stopped does not keep the cgroup of a run whose directory was removed; one that stays is waited for once" {
  folder=$SCRATCH/cgroup/tierbench-demo-1-0badcafe swap=$SCRATCH/tierbench-demo-1-0badcafe.swap
  ((EUID == 0)) || skip 'only root makes cgroups'
  # Undo what is left, where SLEEP is done in each wait.
  # Usage: undo NAME_IN_SWAPS SLEEP
  undo() {
    echo 1 >"$folder/cgroup.procs"
    touch tier-demo-1-0badcafe
    with_swap "$1" 'LOCKS=locks
      host_tier_cgroup_find() { CGROUP_ROOT=$SCRATCH/cgroup; }
      _host_tier_undo_cgroup() { echo "rmdir $1"; }
      sleep() { '"$2"'; }
      host_tier_lost_undo force'
  }
  mkdir -p "$folder" locks
  # The kernel removes the process while the undo waits.
  assert_equal "$(undo none ': >"$SCRATCH/cgroup/tierbench-demo-1-0badcafe/cgroup.procs"')" "rmdir $folder
tier: removed cgroup $folder of demo-1-0badcafe, whose directory had been removed"
  # A process that stays is not ours to stop: nothing of its run is touched.
  touch "$swap"
  assert_equal "$(undo "$swap" 'echo waits && SECONDS=$((SECONDS + 6))')" waits
  assert_exists "$swap"
}
