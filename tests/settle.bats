#!/usr/bin/env bats
# SPDX-License-Identifier: MIT
# When the placement of a server's memory settled: the records of the monitors for each second, and the result.

load helper
load logs

RUN=20250101T100000Z-x

# Make a run of one repeat whose phase get lasts 40 s by the server's clock; PERCENT is the share of node 1 in each second.
# Usage: moving_make PERCENT...
moving_make() {
  local folder=$RUN/tiering/1000B-1i/rep-1 second=0 share
  rm -rf "$RUN"
  repeat_make "$RUN" tiering 1000B-1i 1 a 1000 500000 1 30 90 set:9 get:7
  server_make "$folder" tiering - 0 0
  printf '%s\n' $'get\thost\ttime_us\t1700000000500000\t1700000040500000' $'get\t6379\tused_cpu_us\t1000000\t9000000' >>"$folder/server/counters.tsv"
  {
    printf 'time\tnode0\tnode1\n1699999999.000000\t5\t5\n'
    for share; do
      second=$((second + 1))
      printf '%d.000000\t%d\t%d\n' $((1700000000 + second)) $(((100 - share) * 1000000)) $((share * 1000000))
    done
    printf '1700000050.000000\t7\t7\n'
  } >"$folder/server/nodes.tsv"
}

# Print a column of phase get.
figure() {
  "$REPO/summary2csv.sh" "$RUN" | cells -c -w operation=get "$1"
}

# Print WORD repeatedly: times COUNT WORD
times() {
  local i
  for ((i = 0; i < $1; i++)); do printf '%s ' "$2"; done
}

@test "settle_s is the second from which each node keeps its bytes, within 1 % of all; what still moves at the end has not settled; one node, and few samples, tell nothing" {
  # shellcheck disable=SC2046 # words
  moving_make 90 80 70 60 50 40 30 20 10 $(times 31 5)
  assert_equal "$(figure 'settle_s server_cpu_us_per_op')" '10 4'
  # shellcheck disable=SC2046 # words
  moving_make $(times 40 5)
  assert_equal "$(figure settle_s)" 0
  # shellcheck disable=SC2046 # words
  moving_make $(times 20 7) $(times 20 5)
  assert_equal "$(figure settle_s)" 20
  # shellcheck disable=SC2046 # words
  moving_make $(seq 50 2 128)
  assert_equal "$(figure settle_s)" no
  moving_make 90 50 5 5
  assert_equal "$(figure settle_s)" ''
  # shellcheck disable=SC2046 # words
  moving_make $(times 40 5)
  rm "$RUN/tiering/1000B-1i/rep-1/server/nodes.tsv"
  assert_equal "$(figure settle_s)" ''
}

@test "the monitors write down each node's anonymous memory, and nothing where there is one node" {
  for node in 0 1; do
    mkdir -p "sys/node$node"
    printf 'Node %d MemTotal:  100 kB\nNode %d FilePages:  7 kB\nNode %d AnonPages:  %d kB\nNode %d Mapped: 3 kB\n' $node $node $node $((10 + node)) $node >"sys/node$node/meminfo"
  done
  mkdir monitor
  bash -c 'set -euo pipefail; . "$REPO/lib/host/monitor_sample.sh"; MONITOR=monitor MONITOR_NODES=(sys/node0 sys/node1); host_monitor_sample_nodes_open; host_monitor_sample_nodes 5.000001
    MONITOR_NODES=(sys/node0); host_monitor_sample_nodes 6.000001'
  assert_equal "$(<monitor/nodes.tsv)" $'time\tnode0\tnode1\n5.000001\t10240\t11264'
}
