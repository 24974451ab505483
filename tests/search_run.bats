#!/usr/bin/env bats
# SPDX-License-Identifier: MIT
# Runs that search for the max load within a limit: steps, the measured phases, and the table.
# slow

load helper
load logs
load searches

prepare() {
  # For the user that Redis runs as.
  chmod 711 .
  BASE=$(ports_pick 2)
}

# The arguments of a small run with a search; sets untuned.
words() {
  untuned=(TUNE=off KERNEL=keep)
  untuned+=(-s demo REMOTE_DIR="$SCRATCH/host" LOCK_DIR="$SCRATCH/locks" RESULTS_DIR="$SCRATCH/results" REDISBASE="$BASE" KEYS=5000 VALUE_SIZES=100 SRV_OVERRIDE=1
    REDISRUNS=1 PHASES="populate mixed" KEY_PATTERN=uniform TIME=1 SEARCH_TIME=0.5 FOREIGN=off "$@")
}

# The same on a server of which each reply takes 0.5 ms at least, so that a closed loop does not take all CPU time; sets untuned.
# Globals: as slow_make
words_slow() {
  slow_make
  words KEYS=500 SERVER_PREFIX="env LD_PRELOAD=$SCRATCH/slow.so" "$@"
}

# Print a column of the rows of a file of the repeat whose column `phase` is PHASE.
# Usage: column FILE PHASE NAME   Returns: 0
column() {
  cells -w phase="$2" "$3" results/*/native/*/rep-1/"$1"
}

# Print the number of requests that the server counted in a phase.
# Usage: phase_calls PHASE   Returns: 0
phase_calls() {
  awk -F '\t' -v phase="$1" '$1 == phase && $3 == "calls" { sum += $5 - $4 } END { print sum + 0 }' results/*/native/*/rep-1/server/counters.tsv
}

@test "two limits: each measured at what was found for it, from the same steps; the table has a row for each, and nothing is left" {
  local -x TIERBENCH_REPORT=on
  drawn_blank
  words_slow RATE=search LIMITS="avg<=200ms p50<=150ms"
  search_short 10% 11
  succeeds run_split ./do_it.sh run "${untuned[@]}"
  assert_equal "$(column search.tsv mixed limit) $(column search.tsv mixed-2 limit)" "avg<=200ms p50<=150ms"
  assert_match '^(found|client|open|broken)$' "$(column search.tsv mixed search)"
  # The measured phase has the rate that was found, and keeps the limit. The achieved part of the rate depends on other load on the machine.
  for phase in mixed mixed-2; do
    rate=$(column search.tsv "$phase" load)
    assert_equal "$(printf %.4f "$(phase_column "$phase" rate)")" "$(printf %.4f "$rate")"
    # Other load on the machine may break the limit in the longer phase, which the run then reports; else the phase has its rate.
    [[ $(column search.tsv "$phase" search) == broken ]] ||
      awk -v ops="$(phase_column "$phase" ops_per_sec)" -v rate="$rate" -v avg="$(phase_column "$phase" avg_us)" -v p50="$(phase_column "$phase" p50_us)" '
        BEGIN { exit !(ops > 0 && ops < 1.01 * rate && ("'"$phase"'" == "mixed" ? avg <= 200000 : p50 <= 150000)) }' || fail "$phase: faster than its rate, or not within its limit"
  done
  # The scan is shared: its nine steps belong to no limit.
  assert_equal "$(awk -F '\t' '$2 == "scan" && $3 == "-"' results/*/native/*/rep-1/steps.tsv | wc -l)" 9
  assert_match $'MIXED of 100 B on 1 instance: max operations per second within a limit' "$output"
  assert_match 'avg<=200ms +native' "$output"
  assert_match 'p50<=150ms +native' "$output"
  succeeds run_split "$REPO/summary2csv.sh" results/*
  assert_equal "${#lines[@]}" 4
  # One plot for each figure with a limit.
  need_command jq
  assert_exists results/*/plots/search-1-1-{1,2}.svg
  # Bars of the result exist only if a measured phase kept a limit.
  [[ $(column search.tsv mixed search)$(column search.tsv mixed-2 search) == brokenbroken ]] || assert_exists results/*/plots/limits-1-1.svg
  assert_contains 'average latency by load, mixed, 100B-1i' "$(<"$(echo results/*/report.html)")"
  assert_contains 'max operations per second within a limit' "$(<"$(echo results/*/report.html)")"
  assert_equal "$("$REPO/summary2csv.sh" --json results/* | jq -r '[.[] | [.operation, .limit, (.capacity_ops_per_sec == (if .search == "broken" then .capacity_ops_per_sec else .ops_per_sec end))] | @tsv] | join(";")')" \
    $'populate\t\tfalse;mixed\tavg<=200ms\ttrue;mixed-2\tp50<=150ms\ttrue'
  # A step is not a phase of the server's counters or of other programs, and a phase contains only its own requests.
  refute_contains steps "$(cat results/*/native/*/rep-1/server/counters.tsv results/*/native/*/rep-1/foreign.tsv)"
  assert_equal "$(phase_calls populate)" 500
  for phase in mixed mixed-2; do
    awk -v calls="$(phase_calls "$phase")" -v ops="$(phase_column "$phase" ops)" -v rate="$(column search.tsv "$phase" load)" '
      BEGIN { exit !(ops > 0 && calls >= ops && calls <= rate + 1) }' || fail "$phase: $(phase_calls "$phase") requests by the server's count"
  done
  assert_equal "$(find host locks -name 'run-*' -o -type f -path 'locks/*')" ''
}

@test "limits that no load keeps, the lowest p99 with a server that stalls for 30 ms again and again: no rows, the min seen is named" {
  STALL_US=30000
  # Each look is measured for 1.05 s, so it has stalls: at any load 1 % of the requests wait for 20 ms or longer. The server stalls by its own
  # clock, because another process that stops it may be late on a busy machine. The pipeline makes the slowest load of the ladder fast enough for
  # such a percentile.
  words_slow RATE=search LIMITS="max<=1us p99<=1ms" SEARCH_TIME=1.4 PIPELINE=32
  search_short 20% 80
  succeeds run_split ./do_it.sh run "${untuned[@]}"
  assert_equal "$(column search.tsv mixed search) $(column search.tsv mixed-2 search)" 'none none'
  assert_equal "$(phase_column mixed ops)$(phase_column mixed-2 ops)" ''
  awk -v least="$(column search.tsv mixed-2 least_us)" 'BEGIN { exit !(least >= 10000) }' || fail "$(<"$(echo results/*/native/*/rep-1/steps.tsv)")"
  assert_match 'native, max<=1us: no load keeps it: 0 of [0-9]+ looks at [0-9,]+ ops/s did; the min measured is [0-9,]+ us, at [0-9,]+ ops/s' "$output"
  assert_match 'mixed: max<=1us: no load keeps it: 0 of [0-9]+ looks at [0-9.]+ ops/s did; the min measured is [0-9.]+ us, at [0-9.]+ ops/s' "$STDERR"
}

@test "a search that is cut is made again by --resume, and what it had is kept; connections: a closed loop on as many as keep the limit" {
  words_slow CONNECTIONS=search LIMITS="avg<=100ms"
  search_short 10% 12
  job_start ./do_it.sh run "${untuned[@]}"
  wait_until 60 grep -q 'mixed step 3' "$SCRATCH/job.err" || fail "no third step: $(<"$SCRATCH/job.err")"
  kill -KILL "$JOB_PID"
  job_wait 30
  # With its own settings, so it leaves the host as it is too.
  succeeds run_split ./do_it.sh "run" --resume results/*
  assert_exists results/*/native/*/rep-1/search.tsv results/*/native/*/rep-1.cut-*/steps.tsv
  assert_equal "$(awk -F '\t' 'NR == 2 { print $4 }' results/*/native/*/rep-1/steps.tsv)" 1
  assert_equal "$(phase_column mixed 'connections arrival')" "$(column search.tsv mixed load) closed"
  assert_equal "$(column search.tsv mixed load_unit)" connections
  (($(phase_column mixed connections) > 1)) || fail "one connection keeps 100 ms"
  assert_match 'Connections' "$output"
}

@test "a step that others disturbed is kept without counting, and made again at most three times" {
  # Half of a CPU, of which the run allows 20 %.
  bash -c 'exec {pipe}<> <(:); while :; do end=$((${EPOCHREALTIME/./} + 10000)); while ((${EPOCHREALTIME/./} < end)); do :; done; read -rt 0.01 -u "$pipe"; done' 3>&- &
  busy=$!
  process_note "$busy"
  words_slow RATE=search LIMITS="avg<=200ms" FOREIGN=20%
  job_start "$REPO/do_it.sh" run "${untuned[@]}"
  # With constant disturbance each step is made four times: the fifth row is of another load.
  wait_until 60 grep -q 'mixed step 5' "$SCRATCH/job.err" || fail "no fifth step: $(<"$SCRATCH/job.err")"
  kill -INT -- "-$JOB_PID"
  refuses 130 'disturbed by other programs: repeated' job_wait 60
  steps=$(echo results/*/native/*/rep-1.*/steps.tsv)
  awk -F '\t' 'NR == 1 { for (i = 1; i <= NF; i++) at[$i] = i; next }
    { over = $at["foreign_server"] > 20 || $at["foreign_client"] > 20 || $at["steal"] > 20 }
    $at["try"] > 4 { print "a fifth try"; bad = 1 }
    $at["try"] > 1 && $at["rate"] != last { print "another load was tried"; bad = 1 }
    !$at["counts"] && !over { print "left out, and nobody disturbed it"; bad = 1 }
    $at["counts"] && over && $at["try"] < 4 { print "counts, and others disturbed it"; bad = 1 }
    !$at["counts"] { left_out++ }
    { last = $at["rate"] }
    END { exit bad || !left_out }' "$steps" || fail "$(<"$steps")"
}

@test "a plan names the search, and counts its steps and measured phases in the minutes" {
  words RATE=search LIMITS="avg<=1ms p99<=1ms" TIME=60 SEARCH_TIME=4
  succeeds run_plan "${untuned[@]}"
  assert_match 'search +the highest rate that keeps avg<=1ms and p99<=1ms: about 35 steps of 4 s per phase, at most 80 per limit' "$output"
  with=$(awk '/^all / { print $2 }' <<<"$output")
  run_plan -q "${untuned[@]}"
  assert_contains 'at most 24 per limit' "$output"
  run_plan -q "${untuned[@]}" LIMITS='p99<=1ms'
  assert_contains 'about 24 steps of 4 s per phase, at most 24 per limit' "$output"
  run_plan "${untuned[@]}" RATE=100
  without=$(awk '/^all / { print $2 }' <<<"$output")
  # 35 steps of 4 s plus 1 s for the master, and the phase of the second limit.
  assert_equal "$(awk -v a="$with" -v b="$without" 'BEGIN { printf "%.1f", a - b }')" 3.9
}

@test "a plan of the quick form counts the steps that its searches may take" {
  local short full
  search_short 2% 80
  full=$(./do_it.sh plan -s sla -q SERVER=203.0.113.1 CLIENT_IP=203.0.113.2 SERVER_CORES=2 SERVER_MEM=16 | awk '/^all / { print $2 }')
  search_short 2% 5
  short=$(./do_it.sh plan -s sla -q SERVER=203.0.113.1 CLIENT_IP=203.0.113.2 SERVER_CORES=2 SERVER_MEM=16 | awk '/^all / { print $2 }')
  assert_equal "$(awk -v short="$short" -v full="$full" 'BEGIN { print (0 < short && short < full / 2) }')" 1
}
