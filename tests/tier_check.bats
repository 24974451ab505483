#!/usr/bin/env bats
# SPDX-License-Identifier: MIT
# What doctor reports of the tiers of simulated machines.

load helper
load tiers

setup() {
  scratch_setup
}

teardown() {
  scratch_teardown
}

# Give the host a numactl whose help is TEXT.
# Usage: numactl_is TEXT   Sets: HOST_CODE
numactl_is() {
  mkdir -p bin
  printf '#!/bin/sh\necho "%s"\n' "$1" >bin/numactl
  chmod +x bin/numactl
  HOST_CODE="PATH=$SCRATCH/bin:$PATH"
}

@test "a kernel without zram, or without a zram device, is reported in a row" {
  machine dram
  # The checks before it depend on the user and on the cgroups of this machine.
  HOST_CODE='host_tier_check_limited() { CGROUP_VERSION=2 && host_tier_check_zram; }'
  run on_host TIER=zram check
  assert_success
  assert_output $'fail\tthe kernel has no zram, or its module is not loaded\tzram\tmodprobe zram'
  mkdir -p "$TIERBENCH_ROOT/sys/class/zram-control"
  touch "$TIERBENCH_ROOT/sys/class/zram-control/hot_add"
  run on_host TIER=zram ZRAM_ALGORITHM=lz4 check
  assert_success
  assert_output $'ok\tcgroup v2; zram\t0 MiB of DRAM, 0 MiB of zram\t-'
}

@test "a TIER_SWAP whose device does not exist is reported as a device" {
  # shellcheck disable=SC2016 # for the host
  HOST_CODE='host_tier_check_limited() { host_tier_swap_place || host_tier_row fail "$WHY"; }'
  run on_host TIER=swap TIER_SWAP=/dev/zram4094 check
  assert_output $'fail\t/dev/zram4094: no such block device (modprobe zram adds zram devices)'
  run on_host TIER=swap TIER_SWAP=/dev/nowhere check
  assert_output $'fail\t/dev/nowhere: no such block device'
  run on_host TIER=swap TIER_SWAP=/nowhere check
  assert_output $'fail\t/nowhere: no such directory'
}

@test "the page cache of a node is free for the data, and shared memory in it is not" {
  machine dram
  numactl_is ''
  printf 'Node 1 %s kB\n' 'MemFree: 1048576' 'FilePages: 3145728' 'Shmem: 2097152' >>"$TIERBENCH_ROOT/sys/devices/system/node/node1/meminfo"
  run on_host TIER=bind TIER_NODES=1 TIER_DATA=$((2 << 30)) check
  assert_output $'ok\t2048 MiB free on nodes 1\t2048 MiB, and 0 MiB kept free\t-'
  run on_host TIER=bind TIER_NODES=1 TIER_DATA=$(((2 << 30) + 1)) check
  assert_match $'^fail\t2048 MiB free on nodes 1\t.*\ta FILL that fits, such as FILL=100G, or other TIER_NODES$'
}

@test "a numactl that knows one preferred node only is refused with several" {
  machine dram
  numactl_is '--preferred= | -p <node>'
  run on_host TIER=preferred TIER_NODES=0-1 check
  assert_match $'^fail\tnumactl does not support --preferred-many\tnumactl 2.0.15 or newer'
  run on_host TIER=preferred TIER_NODES=1 check
  assert_match $'^ok\t'
  numactl_is '--preferred= | -p <node>] [--preferred-many= | -P <nodes>'
  run on_host TIER=preferred TIER_NODES=0-1 check
  assert_match $'^ok\t'
}

# Print the nodes of the machine, and their classes.
# Usage: nodes
nodes() {
  bash -c 'set -Eeuo pipefail; . "$REPO/lib/host/tier_detect.sh" && host_tier_memory_nodes'
}

@test "a node with more bandwidth than DRAM and a higher latency is far, and not HBM" {
  machine cxl
  run nodes
  assert_output $'0\tcpu\n1\tfar'
  local folder=$TIERBENCH_ROOT/sys/devices/system/node/node1/access0/initiators
  echo 400000 >"$folder/read_bandwidth"
  run nodes
  assert_output $'0\tcpu\n1\tfar'
  # With the latency of DRAM it is HBM, in any tier of the kernel.
  echo 100 >"$folder/read_latency"
  run nodes
  assert_output $'0\tcpu\n1\tfast'
  # A latency of 0 is a missing one.
  echo 0 >"$folder/read_latency"
  run nodes
  assert_output $'0\tcpu\n1\tfast'
}
