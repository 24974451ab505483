# SPDX-License-Identifier: MIT
# shellcheck shell=bash
# Where the memory of instances is: numactl, swap and zram; what doctor reports. The group `nodes` has the other policies.

# Weights that differ from those of the kernel. What costs time in an emulated machine is
# used by the variants whose checks need it: tuning, and the program that records the environment of Redis.
placement_prepare() {
  printf '# Where memory is.\nLIKE=guest\nKERNEL.numa_balancing=keep\n' >conf/scenarios/placement.conf
  # Two of the three nodes: Linux numbers nodes with CPUs first, so the slow node is node 2.
  printf 'TIER_NODES=0,2\nTIER_WEIGHTS="0:3 2:1"\n' >>conf/variants/weighted.conf
  printf '# Redis on one node, the load on the next; and zram.\nLIKE=zram\nPLACEMENT=split\nPLACEMENT_NODE=1\nCLIENT_PREFIX=/var/tmp/witness\n' >conf/variants/split.conf
  echo SERVER_PREFIX=/var/tmp/witness | tee -a conf/variants/weighted.conf conf/variants/swap.conf >>conf/variants/split.conf
}

placement_checks() {
  local said
  placement_prepare
  # The speed of an emulated CPU has no meaning, and a fourth of the memory takes it half a minute.
  mkdir lib/membench/quick
  mv lib/membench/membench lib/membench/quick
  printf '#!/bin/bash\n[[ $1 != measure ]] || set -- "$@" --seconds 0.05 --bytes 16777216\nexec /tierbench/lib/membench/quick/membench "$@"\n' >lib/membench/membench
  chmod 755 lib/membench/membench
  # A failure of another kind does not prevent the measurement.
  said=$(./do_it.sh doctor --probe -s placement -v bind TIER_NODES=5 KEYS=100 2>&1) || :
  check 'doctor refuses a node that is not there' 'variant bind: node 5 has no memory, or does not exist; requires: nodes with memory: 0 1 2' "$said"
  check 'doctor --probe: all three nodes from the socket, with what firmware says of the slow one' \
    $'\n0 +0 +[0-9]+ [^\n]* 100 +20\.5 +[0-9]+\n0 +1 +[0-9]+ [^\n]*\n0 +2 +[0-9]+ [^\n]* 300 +5\.1 +[0-9]+\n' "$said"
  check 'doctor --probe: a weight for each node' 'TIER_WEIGHTS="0:[0-9]+ 1:[0-9]+ 2:[0-9]+"' "$said"

  run_variants placement -v bind -v weighted -v swap -v split
  said=$(</var/tmp/placement.seen)

  check 'the node without a CPU is seen, with its latency' $'slow\tnode2\t[0-9]+ MiB, no CPU, memory tier [0-9]+, read latency 300 ns' \
    "$(cat /var/tmp/placement/*/env/*/tiers.tsv)"
  check 'bind: all is on the slow node, by the pages themselves' '^(0\.9|1).* ok$' "$(figure bind far_share placement)"
  check 'weighted: the weights stand when Redis starts' 'policy=weighted interleave:0,2 cpus=[^ ]* limits=[^ ]* weights=3,1,1 ' "$said"
  check 'weighted: a quarter of the pages is on the node of weight 1' '^0\.2[3-7].* ok$' "$(figure weighted far_share placement)"
  check 'weighted: the weights are back when the Redis of the next variant starts' 'limits=max,[0-9]+,[0-9]+ weights=1,1,1 ' "$said"
  check 'split: Redis and its memory are on one node' '(setpriv|redis-server) policy=bind:1 cpus=1 ' "$said"
  check 'split: the load and its memory are on the next' 'test policy=bind:0 cpus=0 ' "$said"
  check 'swap: on a device that was there; pages go out' '^(0\.[5-9]|1).* ok$' "$(figure swap far_share placement)"
  check 'swap: DRAM and swap are limited, and nobody over a limit is put to sleep' \
    "limits=max,$(counter swap set cgroup limit),$(counter swap set cgroup swap_limit) " "$said"
  check 'zram: pages go out' '^(0\.[5-9]|1).* ok$' "$(figure split far_share placement)"
  check 'the swap device is what it was' '^swap standing$' "$(blkid -p -s TYPE -s LABEL -o value /dev/nvme0n1 | sort -r | paste -s -d ' ')"
}
