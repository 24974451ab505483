#!/usr/bin/env bats
# SPDX-License-Identifier: MIT
# CLUSTER=on: where shards and replicas are, and a run on a cluster of this machine.

load helper
load cluster

prepare() {
  untune
  [[ -x $REPO/test ]] || make -s -C "$REPO"
}

# Print the table of a cluster: SETTINGS are words NAME=VALUE.
# Usage: table SHARDS SETTING...   Globals: TEST_RUN, the run (test)   Returns: 0
table() {
  modules 'RUN_ID=${TEST_RUN:-test}
    for word in CLUSTER=on "${@:2}"; do conf_word argument "$word" test; done
    conf_read
    cluster_table "$1"' "$@"
}

@test "90 shards on three nodes: 60 processes each, no shard twice on a node, also with more replicas, which are spread over both others" {
  table 90 >rows
  assert_equal "$(cut -f 2 rows | sort | uniq -c | awk '{ print $1 }' | xargs)" '60 60 60'
  assert_equal "$(cut -f 2,3 rows | sort | uniq -d | wc -l)" 0
  # Of each node's 30 replicas, 15 are of either other node's masters.
  awk -F '\t' '$4 == "master" { node[$3] = $2 } $4 == "replica" { count[$2 " of " node[$3]]++ } END { for (pair in count) print count[pair] }' rows >pairs
  assert_equal "$(sort -u pairs) $(wc -l <pairs)" '15 6'
  assert_equal "$(cut -f 6,7 rows | sed -n 1,90p | awk '{ if ($1 != next_slot) print "hole"; next_slot = $2 + 1 } END { print next_slot }')" 16384
  assert_equal "$(cut -f 8 rows | sort -u | wc -l) $(cut -f 1 rows | sort -u | wc -l)" '180 180'
  # IDs of Redis, which another run on the same ports does not have.
  assert_equal "$(cut -f 8 rows | grep -cxE '[0-9a-f]{40}')" 180
  TEST_RUN=other table 90 >others
  assert_equal "$(cut -f 1-7 others)" "$(cut -f 1-7 rows)"
  assert_equal "$(cut -f 8 rows others | sort -u | wc -l)" 360
  for nodes in 3 4 5 7; do
    for replicas in 1 2 3 4; do
      ((replicas < nodes)) || continue
      shards=$((nodes * 2 + 1))
      table "$shards" CLUSTER=$nodes REPLICAS=$replicas | cut -f 2,3 | sort | uniq -d >twice
      [[ ! -s twice ]] || fail "$nodes nodes, $replicas replicas: $(<twice)"
    done
  done
}

@test "a run on a cluster of this machine: what the servers count is what the load generator counts" {
  base=$(cluster_ports 12)
  succeeds run_split "$REPO/do_it.sh" run -s cluster INSTANCES=6 REDISBASE="$base" KEYS=3000 TIME=2 RATE=2000 TRACK_WRITES=200 REDISRUNS=1 PLACEMENT=none RESULTS_DIR="$SCRATCH/results"
  results=$(echo "$SCRATCH"/results/*/native/*/rep-1)
  awk -F '[=,]' '/^role:/ { role = $0 } /^cmdstat_[sg]et:/ && role ~ /master/ { sum += $2 } END { print sum }' "$results/server/info.after" >calls
  # At the end one GET per shard reads the tracked bits.
  assert_equal "$(<calls)" "$(($(phase_column populate ops) + $(phase_column mixed ops) + $(phase_column mixed late) + 6))"
  # So do the counters of a phase, which leave out what replicas repeat.
  assert_equal "$(awk -F '\t' '$1 == "populate" && $3 == "calls" { sum += $5 - $4 } END { print sum }' "$results/server/counters.tsv")" "$(phase_column populate ops)"
  assert_equal "$(grep -c '^role:master' "$results/server/info.after")" 6
  # The keys, the marker and the tracked bits.
  assert_equal "$(grep -c '^db0:keys=3002,' "$results/server/info.after")" 12
  assert_equal "$(awk -F '\t' 'NR > 1 { lost += $3; if ($2 > 0) shards++ } END { print lost + 0, shards }' "$results/127.0.0.1/track.tsv")" '0 6'
  assert_equal "$(phase_column mixed errors) $(phase_column mixed moved) $(phase_column mixed misses)" '0 0 0'
  assert_exists "$results/127.0.0.1/mixed.shards.tsv" "$results/127.0.0.1/mixed.gaps.tsv"
  refute_exists "$SCRATCH"/host/run-*
}

@test "the plan of a cluster: replicas hold the data again, and a key costs the same; the monitors do not count what replicas repeat, also in a repeat with a fault" {
  for replicas in 0 1; do
    succeeds run_plan -s cluster REPLICAS=$replicas INSTANCES=3 KEYS=1000000 VALUE_SIZES=1000 REDISRUNS=1 SERVER=203.0.113.1 \
      CLIENT_IP=203.0.113.2 SERVER_CORES=8 SERVER_MEM=64
    # Per key, expected, by the rule.
    awk '$1 ~ /^1000B-3i/ { print $6, $7, $(NF - 4) }' <<<"$output"
  done >said
  run awk 'NR == 1 { split($0, one, " ") } END { printf "%.2f %.2f %.2f\n", $1 / one[1], $2 / one[2], $3 / one[3] }' said
  assert_output '1.00 2.00 2.00' || fail "$(<said)"
  prints '7003 7004 7005' run modules 'RUN_ID=test
    for word in CLUSTER=on REPLICAS=1 FAULT=stop REDISBASE=7000; do conf_word argument "$word" test; done
    conf_read
    CLUSTER_TABLE=$(cluster_table 3)
    ROW[data_bytes]=1
    monitor_got_instances
    echo $MONITOR_REPLICAS'
}

@test "doctor asks for the ports of the variant and point with most processes, and for those of the bus, and reports one in use" {
  needs() {
    run modules '. "$LIB/cmd/plan.sh"
      cmd_plan -s cluster KEYS=100 SERVER=10.0.0.1 CLIENT_IP=10.0.0.2 SERVER_CORES=8 SERVER_MEM=16 REDISRUNS=1 REDISBASE=7000 "$@" >/dev/null
      _doctor_needs
      echo "$FIRST_PORT $LAST_PORT $LAST_BUS"' "$@"
  }
  prints '7000 7008 7008' needs INSTANCES=3 SWEEP=REPLICAS=0,2,1
  # The bus of the shards, and more instances without a cluster.
  prints '7000 7002 7002' needs INSTANCES=3 REPLICAS=0 SWEEP=CLUSTER=off,on
  prints '7000 7004 0' needs CLUSTER=off FAULT=none INSTANCES='3 5'
  base=$(cluster_ports 6)
  redis_start -p $((base + 10003))
  fails 3 run_split "$REPO/do_it.sh" doctor -s cluster REDISBASE="$base" KEYS=100
  assert_contains "port $((base + 10003)) is taken" "$output$STDERR"
}
