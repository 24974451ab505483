#!/usr/bin/env bats
# SPDX-License-Identifier: MIT
# No change of a host without a record of it on the disk: every kind of change, with a disk that becomes full at every moment.
# lane: host

load helper
load tiers
load tree

setup() {
  need_root
  scratch_setup
  mkdir host
  mount -t tmpfs -o size=512k,mode=700 tmpfs host || skip 'a tmpfs cannot be mounted here'
  ZRAM=$(zram_list)
}

teardown() {
  [[ -n ${SCRATCH-} ]] || return 0
  local swap
  while read -r swap _; do [[ $swap != "$SCRATCH"/* ]] || swapoff "$swap"; done </proc/swaps
  # Should a test fail, nothing of it may stay.
  rmdir /sys/fs/cgroup/tierbench-record /sys/fs/cgroup/memory/tierbench-record 2>/dev/null || :
  # A watchdog that is about to end may have its script open.
  umount host 2>/dev/null || umount -l host 2>/dev/null || :
  scratch_teardown
}

zram_list() { find /sys/block -maxdepth 1 -name 'zram*' | sort; }

# Leave space for PAGES more pages on the disk of REMOTE_DIR.
# Usage: disk_leave PAGES
disk_leave() {
  find host -mindepth 1 -delete
  mkdir -p host
  dd if=/dev/zero of=host/filler bs=4096 count=$((128 - $1)) status=none 2>/dev/null || :
}

# Run a script of the tier on this machine.
# Usage: tiers TIER VERB   Globals: HOST_CODE
tiers() {
  local HOST_CODE="host_tiers_undo() { host_tier_undo; }; ${HOST_CODE-}"
  on_host RUN_ID=record "RUN_OWNER=$(printf '%q' $'record\tnobody\tnowhere\t0\t0\t-\t-\t1970-01-01T00:00:00Z\t10')" "LOCK_DIR=$SCRATCH/locks" \
    TIER="$1" "TIER_SWAP=$SCRATCH" TIER_LIMIT=$((64 << 20)) TIER_SPACE=$((1 << 20)) "$2"
}

# Print what of a tier of this test is on the machine.
tier_left() {
  local root
  awk -v own="$SCRATCH/" 'index($1, own) == 1 || $1 ~ /^\/dev\/zram/ { print $1 }' /proc/swaps
  comm -13 <(printf '%s\n' "$ZRAM") <(zram_list)
  for root in /sys/fs/cgroup /sys/fs/cgroup/memory; do find "$root" -maxdepth 1 -name tierbench-record 2>/dev/null; done
  find . -maxdepth 1 -name '*.swap'
}

need_tiers() {
  need_swap
  # A machine's own swap on zram is not this test's.
  ! grep -q '^/dev/zram' /proc/swaps || skip 'this machine swaps to zram'
}

@test "swap, zram and a cgroup: if the disk fills up at any moment, everything is made and recorded, or nothing is made" {
  need_tiers
  made=0 refused=0
  for tier in swap zram; do
    [[ $tier != zram || -e /sys/class/zram-control/hot_add ]] || continue
    for ((pages = 0; pages <= 9; pages++)); do
      disk_leave "$pages"
      if tiers "$tier" up 2>said; then
        made=$((made + 1))
        # Only what is on record is undone.
        tiers "$tier" undo || fail "with room for $pages pages: $(<said)"
      else
        refused=$((refused + 1))
        grep -qE 'cannot be (written|made)' said || fail "with room for $pages pages: $(<said)"
      fi
      assert_equal "$(tier_left)" ''
    done
  done
  ((made > 0 && refused > 0)) || fail "$made made, $refused refused"
}

@test "swap, zram and a cgroup: a record that does not get to the disk is none" {
  need_tiers
  # The sync of each record in turn fails, and every later one works. (That of the run's own record, with `--`, may fail.)
  HOST_CODE='sync() { [[ $1 != -- ]] || return 0; local n; n=$(($(<"'"$SCRATCH"'/calls") - 1)); echo "$n" >"'"$SCRATCH"'/calls"; ((n != 0)); }'
  for tier in swap zram; do
    [[ $tier != zram || -e /sys/class/zram-control/hot_add ]] || continue
    for ((call = 1; call <= 6; call++)); do
      disk_leave 120
      echo "$call" >calls
      if tiers "$tier" up 2>said; then
        (($(<calls) > 0)) || fail "call $call of sync failed, and nobody saw it"
        tiers "$tier" undo
        break
      fi
      grep -q 'nothing is changed without a record' said || fail "$(<said)"
      assert_equal "$(tier_left)" ''
    done
    ((call > 3)) || fail "only $call records"
  done
}

@test "a swap file that the kernel refuses at first is not made again when its record was undone meanwhile" {
  need_command mkswap
  HOST_CODE='swapon() { rm -rf -- "$TIER_FOLDER" "$SCRATCH"/*.swap; return 1; }'
  disk_leave 120
  fails 1 run tiers swap up
  assert_contains 'nothing is changed without a record'
  assert_equal "$(tier_left)" ''
}

@test "a tier is undone on a disk that is full by then" {
  need_tiers
  disk_leave 120
  tiers swap up
  head -c 1M /dev/zero >>host/filler 2>/dev/null || :
  succeeds run "$REPO/do_it.sh" stop --force
  assert_contains 'tier: removed swap'
  assert_equal "$(tier_left)" ''
}

@test "sysctls, interrupts, services and the rest: what is changed is on record, and is put back on a full disk" {
  changed=0 refused=0
  tree_make
  tree_defaults
  TUNE_ROWS=$(tune_table 10.0.0.1 KERNEL.swappiness=10 | grep -E '^(IRQBALANCE|IRQ|OVERCOMMIT|THP|SWAPPINESS|VSMP)'$'\t')
  original=$(tree_state)
  # The script of the watchdog takes some twenty of them.
  for pages in 0 2 8 24 32 100; do
    disk_leave "$pages"
    remote_script tune apply >said 2>&1 || {
      refused=$((refused + 1))
      grep -qE 'cannot be (written|made)|No space left' said || fail "with room for $pages pages: $(<said)"
    }
    head -c 1M /dev/zero >>host/filler 2>/dev/null || :
    while read -r file value; do
      [[ $file != /units/* ]] || file=${file#/units/}
      grep -qF $'\t'"$file"$'\t' host/tune-test-1/journal || fail "with room for $pages pages: $file is $value, and not on record"
      changed=$((changed + 1))
    done < <(comm -13 <(sort <<<"$original") <(tree_state | sort))
    remote_script tune restore >said 2>&1 || fail "with room for $pages pages: $(<said)"
    assert_equal "$(tree_state)" "$original"
  done
  ((changed > 0 && refused > 0)) || fail "$changed changed, $refused refused"
}

@test "sysctls, interrupts, services: with no room for one more line of the journal, nothing more is changed" {
  tree_make
  tree_defaults
  original=$(tree_state)
  disk_leave 120
  TUNE_ROWS=$(tune_table 10.0.0.1 KERNEL.swappiness=10 | grep ^SWAPPINESS)
  remote_script tune apply >said 2>&1 || fail "$(<said)"
  during=$(tree_state)
  [[ $during != "$original" ]]
  # A line that says nothing fills the journal's last page.
  size=$(stat -c %s host/tune-test-1/journal)
  printf '%*s\n' $((4096 - size % 4096 - 1)) '' >>host/tune-test-1/journal
  head -c 1M /dev/zero >>host/filler 2>/dev/null || :
  TUNE_ROWS=$(tune_table 10.0.0.1 KERNEL.swappiness=10 | grep -E '^(IRQBALANCE|OVERCOMMIT|SWAPPINESS)'$'\t')
  ! remote_script tune apply >said 2>&1 || fail "$(<said)"
  grep -q 'nothing is changed without a record' said || fail "$(<said)"
  assert_equal "$(tree_state)" "$during"
  remote_script tune restore >said 2>&1 || fail "$(<said)"
  assert_equal "$(tree_state)" "$original"
}
