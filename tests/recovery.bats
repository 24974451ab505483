#!/usr/bin/env bats
# SPDX-License-Identifier: MIT
# A start from far memory: the figures of a planted series, and a run whose data leaves DRAM for a real swap file.
# lane: host

load helper
load logs
load compare

# Write a series of one-second intervals. Usage: series_make FILE REQUESTS...
series_make() {
  local second=0 ops
  printf 'time_s\tops\terrors\tmisses\tbytes\tp50_us\tp99_us\tp99_9_us\tmax_us\n' >"$1"
  for ops in "${@:2}"; do
    second=$((second + 1))
    printf '%d.000\t%d\t0\t0\t0\t9\t9\t9\t9\n' $second "$ops" >>"$1"
  done
}

@test "the figures are the share out of DRAM, and the first interval with 90 and 99 % of the final rate, and of that of the first variant" {
  local rep run=20250101T100000Z-x
  run_make $run 1 30 60 20 40
  rep=$run/swap/1000B-4i/rep-1
  server_make "$rep" swap ok 0 0
  printf 'phase\thost\tport\tout_bytes\tdata_bytes\nset\ta\t6379\t900\t1000\nset\ta\t6380\t980\t1000\n' >"$rep/recovery.tsv"
  series_make "$rep/c/set.series.tsv" 100 500 899 905 950 991 1000 1000 1000 1000 1000 1000
  printf '12.100\t40\t0\t0\t0\t9\t9\t9\t9\n' >>"$rep/c/set.series.tsv"
  recovered() {
    local name
    succeeds run_split "$REPO/summary2csv.sh" $run
    for name in start_far_percent recovery_90_s recovery_99_s recovery_first_90_s recovery_first_99_s recovery_final_ops_per_sec; do
      cells -c $name <<<"$output" | paste -sd ,
    done | paste -sd ' '
  }
  assert_equal "$(recovered)" ',94 ,3 ,5 , , ,1000'
  series_make $run/native/1000B-4i/rep-1/c/set.series.tsv 1 1 990 990 990 990
  assert_equal "$(recovered)" ',94 ,3 ,5 ,2 ,5 ,1000'
  # A rate that is not reached has no time.
  series_make $run/native/1000B-4i/rep-1/c/set.series.tsv 1 1 1100 1100 1100 1100
  assert_equal "$(recovered)" ',94 ,3 ,5 ,5 , ,1000'
}

@test "swap: the data leaves DRAM before the phase, returns under its load, and the limit of DRAM is that of the plan" {
  need_swap
  zswap_set N
  untune
  local rep base limit
  base=$(ports_pick 1)
  run_split "$REPO/do_it.sh" run -s recovery VARIANTS='native swap' REMOTE_DIR="$SCRATCH/host" LOCK_DIR="$SCRATCH/locks" RESULTS_DIR="$SCRATCH/results" REDISBASE="$base" \
    INSTANCES=1 REDISRUNS=1 KEYS=40000 VALUE_SIZES=1000 KEY_PATTERN=uniform CONNECTIONS=4 TIME=12 INTERVAL=0.5 FOREIGN=off EVENTS=3:bgsave
  assert_success
  rep=$(echo results/*/swap/*/rep-1)
  [[ ! -e $(echo results/*/native/*/rep-1)/recovery.tsv ]] || fail "native was pushed"
  # 40,000 keys of 1,000 B, less what Redis always touches.
  awk -F '\t' 'NR == 2 && $1 == "get" && $4 >= 0.85 * $5 && $5 > 40000000 { ok = 1 } END { exit !ok }' "$rep/recovery.tsv" || fail "$(<"$rep/recovery.tsv")"
  # It returned, and the limit is that of the plan, in whole pages.
  limit=$(awk -F '\t' 'NR == 1 { for (i = 1; i <= NF; i++) at[$i] = i } $at["variant"] == "swap" { print $at["limit_bytes"]; exit }' results/*/plan.tsv)
  awk -F '\t' -v limit="$limit" '$1 == "get" && $2 == "tier" && $3 == "far_bytes" { far = $5 } $1 == "get" && $2 == "cgroup" && $3 == "limit" { same = $4 <= limit && limit - $4 < 65536 && $4 == $5 }
    NR == 2 { out = $4 } END { exit !(far < out / 1.1 && same) }' "$rep/recovery.tsv" "$rep/server/counters.tsv" || fail "$limit: $(grep -E '(tier|cgroup)' "$rep/server/counters.tsv")"
  "$REPO/summary2csv.sh" results/2* | python3 -c 'import csv, sys; assert any(float(row["recovery_pages_per_sec"] or 0) > 100 for row in csv.DictReader(sys.stdin))'
  # Far accesses in the windows of events and outside are those of the phase, and an event has those between its two samples.
  python3 - "$rep" <<'END'
import csv, sys
rows = lambda name: list(csv.DictReader(open(sys.argv[1] + "/" + name), delimiter="\t"))
phase = [int(r["after"]) - int(r["before"]) for r in rows("server/counters.tsv") if r["phase"] == "get" and r["counter"] == "majflt"][0]
count = lambda r: float(r["far_per_op"]) * int(r["requests"])
*events, rest = rows("events.tsv")
assert phase > 1000 and rest["event"] == "rest" and abs(sum(map(count, events)) + count(rest) - phase) < 0.01 * phase + 10, (phase, events, rest)
for event, row in zip(rows("server/persistence.tsv"), events):
    own = int(event["faults_ended"]) - int(event["faults_asked"])
    longer = float(row["to_s"]) - float(row["from_s"]) > (int(event["ended_us"]) - int(event["asked_us"])) / 1e6 + 0.002
    # On a busy machine it may not be over.
    if event["state"] != "done": continue
    assert own - 0.01 * own - 5 <= count(row) and (longer or count(row) <= 1.01 * own + 5), (event, row)
END
  assert_contains 'Start from far memory' "$output"
  assert_match '127[.]0[.]0[.]1: (8[5-9]|9[0-9]|100)[.][0-9] % of the data left DRAM before get' "$(cat results/*/run.log)"
  assert_equal "$(grep -c "$SCRATCH" /proc/swaps)" 0
  assert_equal "$(find host -name 'run-*' -o -name '*.swap')" ''
}

@test "a start from far memory needs swap for all data" {
  local start
  for start in warm far; do
    succeeds run_plan --rows -s recovery -v swap START=$start KEYS=40000 VALUE_SIZES=1000 INSTANCES=1 SERVER=203.0.113.1 CLIENT_IP=203.0.113.2 SERVER_CORES=8 SERVER_MEM=16
    awk -F '\t' 'NR == 1 { for (i = 1; i <= NF; i++) at[$i] = i } NR == 2 { print $at["swap_bytes"], $at["data_bytes"] }' <<<"$output"
  done >bytes
  assert_equal "$(awk 'NR == 1 { warm = $1 } END { print $1 - warm - $2 }' bytes)" 0
}
