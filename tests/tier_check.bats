#!/usr/bin/env bats
# SPDX-License-Identifier: MIT
# What doctor reports of the tiers of simulated machines.

load helper
load tiers

# Give the host a numactl whose help is TEXT.
# Usage: numactl_is TEXT   Sets: HOST_CODE
numactl_is() {
  program_make bin/numactl '#!/bin/sh\necho "%s"\n' "$1"
  HOST_CODE="PATH=$SCRATCH/bin:$PATH"
}

@test "a kernel without zram, or without a zram device, is reported in a row; a TIER_SWAP whose device does not exist, as a device" {
  # The checks before it depend on the user and on the cgroups of this machine.
  HOST_CODE='host_tier_check_limited() { CGROUP_VERSION=2; }'
  run on_host TIER=swap TIER_SWAP=/dev/zram4094 check
  assert_output $'fail\t/dev/zram4094: no such block device (modprobe zram adds zram devices)\tspace for swap\tset TIER_SWAP'
  prints $'fail\t/dev/nowhere: no such block device\tspace for swap\tset TIER_SWAP' run on_host TIER=swap TIER_SWAP=/dev/nowhere check
  prints $'fail\t/nowhere: no such directory\tspace for swap\tset TIER_SWAP' run on_host TIER=swap TIER_SWAP=/nowhere check
  machine dram
  prints $'fail\tthe kernel has no zram, or its module is not loaded\tzram\tmodprobe zram' run on_host TIER=zram check
  mkdir -p "$TIERBENCH_ROOT/sys/class/zram-control"
  touch "$TIERBENCH_ROOT/sys/class/zram-control/hot_add"
  prints $'ok\tcgroup v2; zram\t0 MiB of DRAM, 0 MiB of zram\t-' run on_host TIER=zram ZRAM_ALGORITHM=lz4 check
}

@test "the page cache of a node is free for the data, and shared memory in it is not; with one node, no other is advised" {
  machine dram
  numactl_is ''
  printf 'Node 1 %s kB\n' 'MemFree: 1048576' 'FilePages: 3145728' 'Shmem: 2097152' >>"$TIERBENCH_ROOT/sys/devices/system/node/node1/meminfo"
  prints $'ok\t2048 MiB free on nodes 1\t2048 MiB, and 0 MiB kept free\t-' run on_host TIER=bind TIER_MEMORY=1 TIER_DATA=$((2 << 30)) check
  run on_host TIER=bind TIER_MEMORY=1 TIER_DATA=$(((2 << 30) + 1)) check
  assert_match $'^fail\t2048 MiB free on nodes 1\t.*\ta FILL that fits, such as FILL=100G, or other TIER_NODES$'
  echo 0 >"$TIERBENCH_ROOT/sys/devices/system/node/has_memory"
  prints $'fail\tevery node has a CPU\ta node of memory without a CPU\tanother server' run on_host TIER=bind check
}

@test "a numactl that knows one preferred node only is refused with several; a missing one is reported by each tier that places memory" {
  machine dram
  numactl_is '--preferred= | -p <node>'
  run on_host TIER=preferred TIER_MEMORY=0-1 check
  assert_match $'^fail\tnumactl does not support --preferred-many\tnumactl 2.0.15 or newer'
  run on_host TIER=preferred TIER_MEMORY=1 check
  assert_match $'^ok\t'
  numactl_is '--preferred= | -p <node>] [--preferred-many= | -P <nodes>'
  run on_host TIER=preferred TIER_MEMORY=0-1 check
  assert_match $'^ok\t'
  rm bin/numactl
  mkdir -p "$TIERBENCH_ROOT/sys/kernel/mm/mempolicy/weighted_interleave"
  for file in /usr/bin/* /usr/sbin/*; do
    [[ ${file##*/} == numactl ]] || ln -sf "$file" bin/
  done
  HOST_CODE="PATH=$SCRATCH/bin"
  for tier in bind interleave preferred weighted; do
    prints $'fail\tnumactl is missing\tnumactl\tinstall: numactl' run on_host TIER=$tier TIER_MEMORY=0-1 check
  done
}

# Print the nodes of the machine, and their classes.
# Usage: nodes
nodes() {
  bash -c 'set -Eeuo pipefail; for file in allowed tier_detect; do . "$REPO/lib/host/$file.sh"; done; host_tier_memory_nodes'
}

@test "a node with more bandwidth than DRAM and a higher latency is far, and not HBM" {
  machine cxl
  prints $'0\tcpu\n1\tfar' run nodes
  folder=$TIERBENCH_ROOT/sys/devices/system/node/node1/access0/initiators
  echo 400000 >"$folder/read_bandwidth"
  prints $'0\tcpu\n1\tfar' run nodes
  # With the latency of DRAM it is HBM, in any tier of the kernel.
  echo 100 >"$folder/read_latency"
  prints $'0\tcpu\n1\tfast' run nodes
  # A latency of 0 is a missing one.
  echo 0 >"$folder/read_latency"
  prints $'0\tcpu\n1\tfast' run nodes
}

# Put a line into a file of the machine, and make its directory.
# Usage: put PATH TEXT
put() {
  mkdir -p -- "$TIERBENCH_ROOT/${1%/*}"
  printf '%s\n' "$2" >"$TIERBENCH_ROOT/$1"
}

# Add a dax device of MIB MiB at a path of /sys/devices, for node 2, with a driver.
# Usage: dax NAME PATH MIB DRIVER
dax() {
  put "sys/devices/$2/$1/size" $(($3 << 20))
  put "sys/devices/$2/$1/target_node" 2
  mkdir -p -- "$TIERBENCH_ROOT/sys/bus/dax/devices"
  ln -sfn "../../../devices/$2/$1" "$TIERBENCH_ROOT/sys/bus/dax/devices/$1"
  ln -sfn "/sys/bus/dax/drivers/$4" "$TIERBENCH_ROOT/sys/devices/$2/$1/driver"
}

@test "CXL and PMem that are no node yet: each is named with the command for its next state" {
  acpi=platform/ACPI0017:00/root0
  machine unready
  numactl_is ''
  run on_host detect
  assert_line $'unused\tmem0\tCXL, 512 MiB of ram without a region: cxl create-region -m -t ram -d decoder0.0 mem0'
  assert_line $'unused\tmem1\tCXL, 512 MiB of pmem without a region: cxl create-region -m -t pmem -d decoder0.0 mem1'
  assert_line $'all\thost\tDRAM only'
  run on_host TIER=bind check
  assert_match $'^fail\tevery node has a CPU; mem0: CXL.*; mem1: .*\ta node of memory without a CPU\tcxl create-region -m -t ram -d decoder0.0 mem0$'
  run on_host TIER=tiering check
  assert_match $'\tcxl create-region -m -t ram -d decoder0.0 mem0$'
  # Regions: of mem0 without a driver, of mem1 with its region of PMem.
  put "sys/devices/$acpi/port1/endpoint2/decoder2.0/region" region0
  put "sys/devices/$acpi/port1/endpoint2/decoder2.0/mode" ram
  put "sys/devices/$acpi/port1/endpoint3/decoder3.0/region" region1
  put "sys/devices/$acpi/port1/endpoint3/decoder3.0/mode" pmem
  put sys/bus/cxl/devices/region0/size 0x20000000
  put sys/bus/nd/devices/region1/size 536870912
  put sys/bus/nd/devices/region1/available_size 536870912
  run on_host detect
  assert_equal "$(grep ^unused <<<"$output")" $'unused\tregion0\tCXL, 512 MiB in a region that is off: cxl enable-region region0
unused\tregion1\tpmem, 512 MiB without a namespace: ndctl create-namespace --mode=devdax --region=region1'
  # Namespaces: off, and for files; one without a size is none.
  put sys/bus/nd/devices/region1/available_size 0
  put sys/bus/nd/devices/namespace1.0/size 536870912
  put sys/bus/nd/devices/namespace1.0/mode raw
  put sys/bus/nd/devices/namespace1.1/size 0
  run on_host detect
  assert_line $'unused\tnamespace1.0\tpmem, 512 MiB in a namespace that is off: ndctl enable-namespace namespace1.0'
  put sys/bus/nd/devices/namespace1.0/holder pfn1.0
  put sys/bus/nd/devices/namespace1.0/mode memory
  run on_host detect
  assert_equal "$(grep ^unused <<<"$output" | sed 1d)" $'unused\tnamespace1.0\tpmem, 512 MiB in fsdax mode: ndctl create-namespace -f -e namespace1.0 --mode=devdax'
  put sys/bus/nd/devices/namespace1.0/holder dax1.0
  put sys/bus/nd/devices/namespace1.0/mode dax
  ln -s ../drivers/cxl_region "$TIERBENCH_ROOT/sys/bus/cxl/devices/region0/driver"
  dax dax0.0 "$acpi/decoder0.0/region0/dax_region0" 512 device_dax
  dax dax1.0 "$acpi/nvdimm-bridge0/ndbus0/region1/dax1.0" 502 device_dax
  run on_host detect
  assert_equal "$(grep ^unused <<<"$output")" $'unused\tdax0.0\tcxl, 512 MiB in devdax mode: daxctl reconfigure-device --mode=system-ram dax0.0
unused\tdax1.0\tpmem, 502 MiB in devdax mode: daxctl reconfigure-device --mode=system-ram dax1.0'
  # Blocks that are offline, of a dax device and of other memory.
  dax dax0.0 "$acpi/decoder0.0/region0/dax_region0" 512 kmem
  put sys/devices/system/memory/memory182/state offline
  put sys/devices/system/memory/memory183/state online
  put sys/devices/system/memory/memory9/state offline
  put sys/devices/system/memory/memory10/state offline
  ln -s ../../node/node2 "$TIERBENCH_ROOT/sys/devices/system/memory/memory182/node2"
  ln -s ../../node/node0 "$TIERBENCH_ROOT/sys/devices/system/memory/memory9/node0"
  ln -s ../../node/node0 "$TIERBENCH_ROOT/sys/devices/system/memory/memory10/node0"
  run on_host detect
  assert_line $'unused\tnode2\t128 MiB offline: daxctl online-memory dax0.0'
  assert_line $'unused\tnode0\t256 MiB offline: chmem --enable --zone Movable --blocks 9-10'
}

@test "CXL that is off, that the firmware has set up, or that two host bridges can decode" {
  machine unready
  devices=$TIERBENCH_ROOT/sys/bus/cxl/devices root=$TIERBENCH_ROOT/sys/devices/platform/ACPI0017:00/root0
  rm "$devices/mem1/driver"
  # Committed without a region: it is memory of the system.
  echo 1 >"$devices/endpoint2/decoders_committed"
  run on_host detect
  assert_equal "$(grep ^unused <<<"$output")" $'unused\tmem1\tCXL, 512 MiB of pmem in a device that is off: cxl enable-memdev mem1'
  echo 0 >"$devices/endpoint2/decoders_committed"
  # Decoders of both bridges, of the device's bridge, and of another bridge.
  mkdir "$TIERBENCH_ROOT/sys/devices/pci0000:1c"
  ln -s ../../../pci0000:1c "$root/dport28"
  cp -r "$root/decoder0.0" "$root/decoder0.1"
  cp -r "$root/decoder0.0" "$root/decoder0.2"
  echo 12,28 >"$root/decoder0.0/target_list"
  echo 2 >"$root/decoder0.0/interleave_ways"
  echo 28 >"$root/decoder0.2/target_list"
  run on_host detect
  assert_contains '-d decoder0.1 mem0' "$output"
}

@test "a node of RAM and PMem together, the zones of a node, and errors of memory" {
  machine unready
  rm -r "$TIERBENCH_ROOT/sys/bus/cxl"
  put sys/devices/system/node/has_memory 0,2
  put sys/devices/system/node/node2/meminfo 'Node 2 MemTotal: 1038336 kB'
  dax dax0.0 cxl/region0/dax_region0 512 kmem
  dax dax1.0 platform/ndbus0/region1/dax1.0 502 kmem
  printf 'Node 0, zone   Normal\n        managed  4000\nNode 2, zone   Normal\n        managed  100\nNode 2, zone  Movable\n        managed  300\n' \
    >"$TIERBENCH_ROOT/proc/zoneinfo"
  run on_host detect
  assert_line $'cxl\tnode2\t1014 MiB, no CPU, 512 MiB of it cxl (dax0.0), 502 MiB of it pmem (dax1.0), 75 % movable'
  sed -i 's/Movable/Normal/' "$TIERBENCH_ROOT/proc/zoneinfo"
  run on_host detect
  assert_contains '(dax1.0), not movable' "$output"
  refute_contains 'unused' "$output"
  put sys/devices/cxl/region0/dax_region0/dax0.0/target_node 0
  run on_host detect
  assert_line $'dram\tnode0\t1536 MiB, CPUs 0-1, 512 MiB of it cxl (dax0.0)'
  run on_host check
  assert_match $'^warn\tnode 0 contains DRAM and other memory \\(dax0.0\\), .*\tdaxctl reconfigure-device --mode=devdax --force dax0.0\n'
  put sys/devices/system/node/node0/memory_failure/total 0
  put sys/devices/system/node/node2/memory_failure/total 3
  put sys/bus/nd/devices/region1/badblocks '8 1'
  put sys/bus/nd/devices/nmem0/nfit/flags 'smart_event flush_fail'
  run on_host detect
  assert_equal "$(grep ^failing <<<"$output")" $'failing\tnode2\t3 pages with uncorrectable errors (poison)
failing\tregion1\tbad blocks (poison), the first at sector 8
failing\tnmem0\thealth: smart_event flush_fail'
}

@test "nodes of GPUs and other devices are no slow memory, and firmware's figures are those of the path from CPUs" {
  machine gpu
  run nodes
  # Node 12 has no memory at the moment, and a cpuset excludes node 14.
  assert_output $'0\tcpu\n8\tcpu\n9\tfar'
  run on_host detect
  assert_line $'dram\tnode0\t256835 MiB, CPUs 0-79, read latency 100 ns, read bandwidth 200000 MB/s'
  assert_line $'device\tnode10\t97656 MiB, no CPU, read latency 400 ns'
  assert_line $'barred\tnode14\t97656 MiB, no CPU'
  assert_equal "$(grep -c ^device <<<"$output")" 5
  # Without slow memory, doctor says what the others are. Their owner may name them.
  numactl_is ''
  sed -i 's/8-14/8,10-14/' "$TIERBENCH_ROOT/sys/devices/system/node/has_memory"
  run on_host TIER=bind check
  assert_output $'fail\tevery node has a CPU, or is memory of a GPU or another device, or is excluded by a cpuset of this session\ta node of memory without a CPU\tTIER_NODES=8, for the memory of another socket'
  printf 'Node 250 MemFree: 15728576 kB\n' >>"$TIERBENCH_ROOT/sys/devices/system/node/node250/meminfo"
  run on_host TIER=bind TIER_MEMORY=250 TIER_DATA=1048576 check
  assert_match $'^ok\t15359 MiB free on nodes 250\t'
  run on_host TIER=bind TIER_MEMORY=14 check
  assert_match $'^fail\ta cpuset excludes node 14 '
}
