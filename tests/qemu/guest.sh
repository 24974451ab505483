#!/usr/bin/env bash
# SPDX-License-Identifier: MIT
# Checks for a machine with two nodes with CPUs, a slow node without CPUs, and cgroup v2, in TAP; runs inside the guest.
set -Eeuo pipefail
cd /tierbench

COUNT=0
SWAP=/dev/nvme0n1
WEIGHTS=/sys/kernel/mm/mempolicy/weighted_interleave

# Whether a text matches.
# Usage: check TITLE REGEX TEXT
check() {
  COUNT=$((COUNT + 1))
  if [[ $3 =~ $2 ]]; then
    echo "ok $COUNT $1"
  else
    echo "not ok $COUNT $1"
    printf '# wanted: %s\n# %s\n' "$2" "${3//$'\n'/$'\n'# }"
  fi
}

# Print the current kernel settings that variants change.
settings() {
  echo "weights=$(cat "$WEIGHTS"/node[0-9]* | paste -s -d ,) balancing=$(</proc/sys/kernel/numa_balancing)" \
    "demotion=$(</sys/kernel/mm/numa/demotion_enabled) root=$(</sys/fs/cgroup/cgroup.subtree_control)"
}

# One scenario for all variants, and what only the tests need: a wrapper of Redis that records its environment at
# start, weights that differ from those of the kernel, and a Redis that uses other memory than its variant requests.
prepare() {
  cat >/var/tmp/witness <<'END'
#!/bin/bash
cgroup=/sys/fs/cgroup$(cut -d : -f 3 /proc/self/cgroup)
policy=$(sed -E 's/^[0-9a-f]+ //; s/ (file|anon|heap|stack|dirty|mapped).*//; q' /proc/self/numa_maps)
limits=$(cat "$cgroup"/memory.{high,max,swap.max} 2>/dev/null | paste -s -d ,)
printf '%s policy=%s cpus=%s limits=%s ' "${1##*/}" "$policy" "$(sed -n 's/^Cpus_allowed_list:\t//p' /proc/self/status)" "$limits" >>/var/tmp/witnessed
(. /var/tmp/settings && settings) >>/var/tmp/witnessed
exec "$@"
END
  chmod 755 /var/tmp/witness
  { echo "WEIGHTS=$WEIGHTS" && declare -f settings; } >/var/tmp/settings
  cat >conf/scenarios/guest.conf <<'END'
# What is common to all variants here.
SERVER=127.0.0.1
CLIENT_IP=127.0.0.1
SRV_OVERRIDE=1
VALUE_SIZES=32000
REDISRUNS=1
KEYS=auto
FILL=16M
PHASES=set
DATA=random
RESERVE=64M
LEASE=600
READY_TIMEOUT=120
REPLY_TIMEOUT=120
TIER_SWAP=/dev/nvme0n1
SERVER_PREFIX=/var/tmp/witness
REMOTE_DIR=/var/tmp/work
RESULTS_DIR=/var/tmp/results
END
  # Two of the three nodes: Linux numbers nodes with CPUs first, so the slow node is node 2.
  echo 'TIER_NODES=0,2' | tee -a conf/variants/interleave.conf >>conf/variants/weighted.conf
  echo 'TIER_WEIGHTS="0:3 2:1"' >>conf/variants/weighted.conf
  printf '# Redis on one node, the load on the next.\nPLACEMENT=split\nPLACEMENT_NODE=1\nCLIENT_PREFIX=/var/tmp/witness\n' >conf/variants/split.conf
  { cat conf/variants/bind.conf && echo 'SERVER_PREFIX="numactl --membind=0"'; } >conf/variants/astray.conf
}

# Print a figure of a variant's row.
# Usage: figure VARIANT COLUMN...
figure() {
  awk -F , -v variant="$1" -v names="${*:2}" '
    NR == 1 { for (i = 1; i <= NF; i++) at[$i] = i; n = split(names, name, " ") }
    $at["variant"] == variant { for (i = 1; i <= n; i++) printf "%s%s", $at[name[i]], i < n ? " " : "\n" }' /var/tmp/rows
}

# Print a counter of a variant at the end of the fill.
# Usage: counter VARIANT SCOPE NAME
counter() {
  awk -F '\t' -v scope="$2" -v name="$3" '$1 == "set" && $2 == scope && $3 == name { print $5 }' /var/tmp/results/*/"$1"/*/rep-1/server/counters.tsv
}

main() {
  local before said
  uname -r | sed 's/^/# Linux /'
  numactl -H | sed 's/^/# /'
  prepare
  before=$(settings)
  echo "# $before"

  said=$(./do_it.sh doctor -s guest -v bind KEYS=100 TIER_NODES=5 2>&1) || :
  check 'doctor refuses a node that is not there' 'variant bind: node 5 has no memory, or does not exist; requires: nodes with memory: 0 1 2' "$said"

  said=$(./do_it.sh doctor --probe -s guest -v native KEYS=100 2>&1) || :
  check 'doctor --probe: all three nodes from the socket, with what firmware says of the slow one' \
    $'\n0 +0 +[0-9]+ [^\n]* 100 +20\.5 +[0-9]+\n0 +1 +[0-9]+ [^\n]*\n0 +2 +[0-9]+ [^\n]* 300 +5\.1 +[0-9]+\n' "$said"
  check 'doctor --probe: a weight for each node' 'TIER_WEIGHTS="0:[0-9]+ 1:[0-9]+ 2:[0-9]+"' "$said"

  rm -f /var/tmp/witnessed
  ./do_it.sh run -s guest -v bind -v preferred -v interleave -v weighted -v tiering -v astray -v split -v swap -v zram 2>&1 >/var/tmp/table |
    sed -e '/gnuplot\|cannot draw/d' -e 's/^/# /' || echo '# the run failed'
  # The first table; comparisons of emulated speeds are meaningless.
  awk 'NF == 0 { exit } { print "# " $0 }' /var/tmp/table
  sed 's/^/# /' /var/tmp/witnessed
  ./summary2csv.sh /var/tmp/results/* >/var/tmp/rows || :
  said=$(</var/tmp/witnessed)

  check 'the node without a CPU is seen, with its latency' $'slow\tnode2\t[0-9]+ MiB, no CPU, memory tier [0-9]+, read latency 300 ns' \
    "$(cat /var/tmp/results/*/env/*/tiers.tsv)"
  check 'bind: all is on the slow node, by the pages themselves' '^(0\.9|1).* ok$' "$(figure bind far_share placement)"
  check 'preferred: all is on the slow node, which has room' '^(0\.9|1).* ok$' "$(figure preferred far_share placement)"
  check 'interleave: half is on each of two nodes' '^0\.(4[5-9]|5[0-5]).* ok$' "$(figure interleave far_share placement)"
  check 'weighted: the weights stand when Redis starts' 'policy=weighted interleave:0,2 cpus=[^ ]* limits=[^ ]* weights=3,1,1 ' "$said"
  check 'weighted: a quarter of the pages is on the node of weight 1' '^0\.2[3-7].* ok$' "$(figure weighted far_share placement)"
  check 'tiering: balancing and demotion are on when Redis starts, and the weights are back' 'weights=1,1,1 balancing=2 demotion=true' "$said"
  check 'tiering: nobody judges where a page is' ' -$' "$(figure tiering far_share placement)"
  check 'a placement that is not what was asked for is marked' '^0 off$' "$(figure astray far_share placement)"
  check 'split: Redis and its memory are on one node' '(setpriv|redis-server) policy=bind:1 cpus=1 ' "$said"
  check 'split: the load and its memory are on the next' 'test policy=bind:0 cpus=0 ' "$said"
  check 'swap: on a device that was there; pages go out' '^(0\.[5-9]|1).* ok$' "$(figure swap far_share placement)"
  check 'swap: DRAM and swap are limited, and nobody over a limit is put to sleep' \
    "limits=max,$(counter swap cgroup limit),$(counter swap cgroup swap_limit) " "$said"
  check 'zram: pages go out' '^(0\.[5-9]|1).* ok$' "$(figure zram far_share placement)"
  check 'no cgroup, no swap and no zram device stays' '^ 1 zram0$' \
    "$(find /sys/fs/cgroup -name 'tierbench*') $(wc -l </proc/swaps) $(cd /sys/block && echo zram*)"
  check 'the swap device is what it was' '^swap standing$' "$(blkid -p -s TYPE -s LABEL -o value "$SWAP" | sort -r | paste -s -d ' ')"
  check 'the settings of the kernel are what they were' "^$before\$" "$(settings)"
  echo "1..$COUNT"
}

main "$@"
