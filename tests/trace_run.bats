#!/usr/bin/env bats
# SPDX-License-Identifier: MIT
# A recorded trace as the load of a run: the plan and refused settings, the checks of doctor, and the requests that instances received.
# slow

load helper
load cluster

prepare() {
  untuned=(TUNE=off KERNEL=keep)
  BASE=$(ports_pick 2)
  WORDS=(-s demo REMOTE_DIR="$SCRATCH/host" RESULTS_DIR="$SCRATCH/results" REDISBASE="$BASE" SRV_OVERRIDE=2 KEYS=500 VALUE_SIZES=100 REDISRUNS=1
    PHASES=replay REPLAY="$SCRATCH/t.csv")
  awk 'BEGIN { for (i = 0; i < 2000; i++) printf "%.3f,k:%d,0,%d,0,%s,0\n", i / 2000, i * 7 % 300, 50 + i % 9, i % 4 ? "get" : i % 8 ? "set" : "delete" }' >t.csv
}

@test "a run replays a trace over its instances, and every request is in its figures; doctor names a client without the trace" {
  succeeds run_split "$REPO/do_it.sh" plan "${WORDS[@]}" REPLAY="$SCRATCH/t.csv speed=2 fill"
  assert_contains "keys of $SCRATCH/t.csv, at 2 times its speed, misses are filled" "$output"
  succeeds run_split "$REPO/do_it.sh" run "${untuned[@]}" "${WORDS[@]}" REPLAY="$SCRATCH/t.csv speed=2 fill"
  assert_equal "$(phase_column replay 'operation errors arrival trace_speed')" 'replay 0 trace 2'
  fills=$(cat results/*/*/*/rep-1/*/replay.commands.tsv | awk '$1 == "fill" { print $3 }')
  ((fills > 0)) || fail 'nothing was filled'
  assert_equal "$(phase_column replay ops)" $((2000 + fills))
  succeeds run_split "$REPO/summary2csv.sh" "$SCRATCH"/results/*/
  assert_contains ,replay, "$output"
  rm t.csv
  fails 3 run_split "$REPO/do_it.sh" doctor "${WORDS[@]}"
  assert_contains "'$SCRATCH/t.csv' is missing, or not readable" "$output$STDERR"
}

@test "a run replays a trace on a cluster: the requests are those that the masters count" {
  BASE=$(cluster_ports 3)
  succeeds run_split "$REPO/do_it.sh" run "${untuned[@]}" "${WORDS[@]}" CLUSTER=on REPLICAS=0 SRV_OVERRIDE=3 REDISBASE="$BASE" PLACEMENT=none REPLAY.speed=max REPLAY.fill=on
  read -r hits misses fills sets keys < <(awk -F , -v fill=1 -f "$REPO/tests/trace.awk" t.csv)
  assert_equal "$(phase_column replay 'ops misses sets errors moved')" "$((2000 + fills)) $misses $((sets + fills)) 0 0"
  assert_equal "$(awk -F '[:\r]' '/^keyspace_(hits|misses):/ { sum[$1] += $2 } END { print sum["keyspace_hits"], sum["keyspace_misses"] }' results/*/*/*/rep-1/server/info.after)" \
    "$hits $misses"
}
