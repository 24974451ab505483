# SPDX-License-Identifier: MIT
# shellcheck shell=bash
# Policies of the kernel that move pages, with DRAM full of cold memory when Redis starts; a quarter of the keys gets all requests. A kill of the
# master with all policies on.

# The scenario, and variants whose DRAM has room for what they promote: a program moves the pages of Redis to the slow node first.
policies_prepare() {
  cat >conf/scenarios/policies.conf <<'END'
# DRAM is full when Redis starts. The kernel scans by the CPU time of Redis, so the emulated CPU needs a long phase.
LIKE=guest
KEYS=2000
FILL=guide
COLD_MEMORY=100%
SERVER_CPUS=0
PHASES="populate get"
POPULATE_PATTERN=shuffle
KEY_PATTERN=hotspot:25:100
TIME=30
KERNEL.scan_period_min=100
KERNEL.scan_period_max=200
KERNEL.hot_threshold=10000
DAMON.cold=4
END
  cat >/var/tmp/away <<'END'
#!/bin/bash
# Move the pages of the instance to node 2, and print at once and then each second how many pages it has on node 0.
read -r pid _ <"$(echo /var/tmp/host/run-*/server/instances.proc)"
/tierbench/lib/membench/membench spread --near 0,1 --far 2 --share 0 --processes "$pid"
trap 'exit 0' INT
while :; do
  awk '/ anon=/ { for (i = 3; i <= NF; i++) if (sub(/^N0=/, "", $i)) sum += $i } END { print "near", sum + 0 }' "/proc/$pid/numa_maps"
  sleep 1
done
END
  chmod 755 /var/tmp/away
  printf 'LIKE=numab\nSIDECAR=/var/tmp/away\n' >conf/variants/room.conf
  printf 'LIKE=damon\nSIDECAR=/var/tmp/away\n' >conf/variants/moved.conf
  printf 'LIKE=tpp\nDAMON=migrate\n' >conf/variants/all.conf
}

# Run a variant that changes everything, kill the master when the instance runs, and revert by stop. The memory is little: DAMON demotes it while
# it is filled, and the slow node must have room.
policies_kill() {
  local i pid line
  setsid ./do_it.sh run -s policies -v all COLD_MEMORY=64M RESULTS_DIR=/var/tmp/killed </dev/null > >(while IFS= read -r line; do echo "# $line"; done) 2>&1 &
  pid=$!
  for ((i = 0; i < 600; i++)); do
    [[ -z $(compgen -G '/var/tmp/killed/*/all/*/rep-1.partial') || $(left) != *redis-server* ]] || break
    kill -0 "$pid" 2>/dev/null || break
    sleep 1
  done
  check 'before kill -9: policies and DAMON are on, cold memory and Redis are there' \
    'balancing=2 demotion=true kdamonds=2 hot=10000 .*(membench.*redis-server|redis-server.*membench)' "$(settings) $(left)"
  kill -KILL "$pid" || :
  ./do_it.sh stop -s policies 2>&1 | sed 's/^/# /'
  check 'after kill -9 and stop: nothing stays, and the settings are restored' \
    '^weights=1,1,1 balancing=1 demotion=false kdamonds=0 hot=1000 root= processes: cgroups:' "$(settings) $(left)"
}

# Print whether the first number of a text is less than the second.
# Usage: less NUMBER NUMBER
less() {
  awk -v a="$1" -v b="$2" 'BEGIN { print (a + 0 < b + 0 ? "less" : "not less"), a, b }'
}

policies_checks() {
  policies_prepare
  run_variants policies -v tpp -v room
  echo "# kswapd has given up on nodes (node_unreclaimable): $(awk '$1 == "node_unreclaimable:" { print $2 }' /proc/zoneinfo | paste -s -d ' ')"
  check 'cold memory: it is counted' '^[1-9][0-9]{8}$' "$(figure tpp cold_bytes)"
  check 'cold memory: DRAM is full, so Redis starts on the slow node too' '^[1-9][0-9]{6,}$' "$(counter tpp populate port node2)"
  check 'numab: pages of Redis that were on the slow node are in DRAM at the end, those of a quarter of the keys and not all' \
    '^0\.[5-8][0-9]* ' "$(figure room far_share moved_per_op)"
  check 'numab: numa_maps has few pages in DRAM at first, and thousands at the end' $'\nnear [0-9]{1,3}\n(.*\n)?near [0-9]{4,5}\n$' \
    "$(cat /var/tmp/policies/*/room/*/*/server/sidecar/sidecar.log)"$'\n'
  check 'numab: hint faults, candidates and promotions are counted, and nothing is demoted' '^[1-9][0-9]* [1-9][0-9]* [1-9][0-9]* 0 0$' \
    "$(growth room get host numa_hint_faults pgpromote_candidate pgpromote_success pgdemote_kswapd pgdemote_direct)"
  # kswapd may make room as soon as Redis fills DRAM, or later, for pages to be promoted.
  check 'tpp: pages are promoted, and cold ones are demoted' '^[1-9][0-9]* [1-9][0-9]* ([1-9][0-9]* [0-9]+|0 [1-9][0-9]*)$' \
    "$(growth tpp get host numa_hint_faults pgpromote_success) $(growth tpp populate host pgdemote_kswapd) $(growth tpp get host pgdemote_kswapd)"
  check 'tpp: less of Redis is on the slow node after the load than before' '^less' \
    "$(less "$(counter tpp get port node2)" "$(counter tpp populate port node2)")"
  check 'tpp: cold memory is on the slow node' '^[1-9][0-9]{6,}$' "$(figure tpp cold_far_bytes)"
  policies_kill
  check 'each variant has its settings, which were restored for the next one' $'tpp 2 true\nroom 2\nall 2 true migrate-[0-9]+' \
    "$(awk -F '\t' '$3 == "set" && $2 ~ /^(NUMA_BALANCING|DEMOTION|DAMON)$/ { if ($1 != last) printf "%s%s", (last == "" ? "" : "\n"), last = $1; printf " %s", $6 }' /var/tmp/{policies,killed}/*/env/*/tuning.tsv)"
}
