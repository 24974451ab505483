#!/usr/bin/env bats
# SPDX-License-Identifier: MIT
# DRAM_RATIO=search on nodes: how pages are divided between near and far nodes, and what doctor asks for. tests/qemu moves real pages.

load helper
load tiers

# Run the tier's script for a run `test` of this machine, or of the one below $SCRATCH/tree.
# Usage: weighted [NAME=VALUE]... VERB [WORD]...
weighted() { HOST_CODE="PATH=$SCRATCH/bin:$PATH" on_host TIER=weighted TIER_MEMORY=0,2 TIER_FAR=2 "$@"; }

# Make the server's record of a run with one instance that lives and one that is gone, and a program that writes down its arguments.
instances_make() {
  mkdir -p host/run-test/{server,tier}
  chmod 700 host
  sleep 1000 3>&- &
  process_note $!
  LIVES=$!
  printf '%s %s 7000\n4000000 1 7001\n' "$LIVES" "$(process_start "$LIVES")" >host/run-test/server/instances.proc
  printf '%s\t%s\n' tier weighted is 'direct divided' verify shares nodes 0,2 weights keep limit 0 far 2 >host/run-test/tier/asked
  program_make spread '#!/bin/sh\necho "$*" >>%s/said\n[ ! -e %s/full ] || { echo "membench: 9 of 10 pages cannot be moved; is a node full?" >&2; exit 1; }\n' "$SCRATCH" "$SCRATCH"
}

@test "pages of the instances that live are divided, and the placement is judged by the new parts; those that a node has no room for end the call with the reason, and what was asked for stays" {
  instances_make
  : >full
  fails any run weighted divide "$PWD/spread" 10 0 2
  assert_contains '10 % of the pages on nodes 0: membench: 9 of 10 pages cannot be moved; is a node full?' "$output"
  assert_match $'^weights\tkeep$' "$(grep weights host/run-test/tier/asked)"
  rm full said
  prints '' run weighted divide "$PWD/spread" 70 0-1 2
  assert_equal "$(<said)" "spread --near 0-1 --far 2 --share 70 --processes $LIVES"
  assert_match $'^weights\t0:35 1:35 2:30' "$(grep weights host/run-test/tier/asked)"
  assert_equal "$(wc -l <host/run-test/tier/asked)" 7
  # All on near nodes: the far one has no part.
  weighted divide "$PWD/spread" 100 0 2
  # shellcheck source=/dev/null # followed from here, shellcheck takes twice as long
  . "$REPO/lib/host/tier_verify.sh"
  judge() { { sed $'s/^/tier\t/' host/run-test/tier/asked && printf '7000\tanon\t100\n7000\tnode0\t%s\n7000\tnode2\t%s\n' "$@"; } | host_tier_verify; }
  run judge 98 2
  assert_line $'tier\tplaced_percent\t98.0' $'tier\tfar_bytes\t2'
  run judge 80 20
  assert_line $'tier\tplacement\toff'
}

@test "doctor asks for both kinds of nodes, and for room for all data on the near ones" {
  export TIERBENCH_ROOT=$SCRATCH/tree
  mkdir -p "$TIERBENCH_ROOT"/sys/{kernel/mm/mempolicy/weighted_interleave,devices/system/node/node{0,2}} bin
  program_make bin/numactl '#!/bin/sh\necho --weighted-interleave\n'
  for node in 0 2; do
    printf 'Node %s MemTotal: 8388608 kB\nNode %s MemFree: %s kB\n' "$node" "$node" $((node == 0 ? 4 << 20 : 1 << 20)) >"$TIERBENCH_ROOT/sys/devices/system/node/node$node/meminfo"
  done
  echo 0,2 >"$TIERBENCH_ROOT/sys/devices/system/node/has_memory"
  echo 0 >"$TIERBENCH_ROOT/sys/devices/system/node/has_cpu"
  # With equal weights the far node has too little for half of the data; a search begins with none of them there.
  run weighted TIER_DATA=$((3 << 30)) check
  assert_match $'^fail\t1024 MiB free on nodes 2\t1536 MiB' "$output"
  run weighted TIER_NEAR=0/2 TIER_DATA=$((3 << 30)) check
  assert_match $'^ok\t4096 MiB free on nodes 0\t3072 MiB' "$output"
  run weighted TIER_NEAR=0/2 TIER_DATA=$((5 << 30)) check
  assert_match $'^fail\t4096 MiB free on nodes 0\t5120 MiB' "$output"
  run weighted TIER_NEAR=0,2/ check
  assert_match $'^fail\tTIER_NODES=0,2: 0,2 are of one kind\tDRAM_RATIO=search: nodes with CPUs and nodes without' "$output"
}

@test "the nodes of the tier are divided by kind" {
  # shellcheck source=/dev/null # followed from here, shellcheck takes twice as long
  . "$REPO/lib/shared/cpus.sh" && . "$REPO/lib/plan/place.sh" && . "$REPO/lib/core/tiers.sh" && . "$REPO/lib/run/tier.sh"
  LIB=$REPO/lib TIER=weighted TIER_NODES=0-2,5
  tiers_read
  assert_equal "$(_tier_part near 2,4-5) $(_tier_part far 2,4-5)" "0-1 2,5"
  assert_equal "$(_tier_part near '') $(_tier_part far '')" "0-2,5 "
  tier_is divided || fail 'weighted is divided'
  TIER=interleave
  ! tier_is divided || fail 'interleave has no weights'
}
