#!/usr/bin/env bats
# SPDX-License-Identifier: MIT
# Steps at the gate: a phase that waits there may be asked for looks at other loads first, from the same connections and keys.
# slow

load helper
load loadgen

# Start the generator at its gate, with keys set.
# Usage: at_gate OPTION...   Returns: 0
at_gate() {
  redis_start
  loadgen_gate 1 "$@" 127.0.0.1 "$REDIS_PORT" 100 20000
  order populate 0
}

# Print a column of a row of steps.tsv.
# Usage: step ROW COLUMN   Returns: 0
step() {
  awk -F '\t' -v row="$1" -v name="$2" 'NR == 1 { for (i = 1; i <= NF; i++) at[$i] = i; next } NR == row + 1 { print $at[name] }' out/steps.tsv
}

@test "steps: each runs at its own rate for its own time, leaves a row and no other file, and the phase is offered again" {
  at_gate --phases populate,mixed --keys uniform --time 1 -c 4
  # Half of what a slow machine can do, and enough time: a step leaves requests unsent that are late by its own length.
  order mixed 0 400 2
  order mixed.1 0 1600 2
  order mixed.2 0 c2 0.4
  order mixed.3 0 3000
  succeeds job_wait 30
  assert_equal "$(wc -l <out/steps.tsv)" 4
  assert_equal "$(step 1 rate) $(step 1 ops) $(step 1 connections) $(step 1 offer)" "400 600 4 1"
  assert_equal "$(step 2 rate) $(step 2 ops) $(step 2 connections) $(step 2 offer)" "1600 2400 4 2"
  assert_equal "$(step 3 rate) $(step 3 connections) $(step 3 asked_us)" "0 2 300000"
  # Warm-up, a quarter of the time, is added to the count of a row.
  assert_equal "$(result mixed 'ops rate arrival')" "3000 3000 uniform"
  assert_equal "$(wc -l <out/result.tsv)" 3
  assert_equal "$(cd out && echo mixed.*)" "mixed.hgrm mixed.histogram.tsv mixed.hlog mixed.instances.tsv mixed.series.tsv mixed.service.hgrm"
  assert_equal "$(grep -c 'threads started - mixed' <<<"$output")" 1
}

@test "steps: percentiles of a row are those of its histogram, which holds every answered request" {
  at_gate --phases populate,get --keys uniform --time 0.3 -c 4
  order get 0 1000 2
  order get.1 0
  succeeds job_wait 30
  step 1 histogram | tr ' :' '\n\t' | awk -F '\t' -v p50="$(step 1 p50_us)" -v p99="$(step 1 p99_us)" -v max="$(step 1 max_us)" -v ops="$(step 1 ops)" '
    { at[NR] = $1; n[NR] = $2; all += $2 }
    function rank(share,    i, seen) { for (i = 1; i <= NR; i++) if ((seen += n[i]) >= share * all) return at[i] < max ? at[i] : max }
    END { if (all != ops || rank(0.5) != p50 || rank(0.99) != p99) { print all, ops, rank(0.5), p50, rank(0.99), p99; exit 1 } }'
}

@test "steps: keys that are gone fail the run, and the row counts them" {
  at_gate --phases populate,get --keys uniform --time 0.3 -c 2
  wait_until 20 test -e gate/ready-get
  seq 0 9999 | xargs redis-cli -p "$REDIS_PORT" del >/dev/null
  order get 0 2000 2
  order get.1 skip
  fails 1 job_wait 30
  (($(step 1 misses) > 0)) || fail "misses: $(step 1 misses)"
  assert_equal "$(step 1 errors) $(step 1 unanswered) $(step 1 at_least_us)" '0 0 0.000'
  assert_contains "test: get: $(step 1 misses) keys were missing though all had been set (nothing was evicted or expired)" "$STDERR"
}

# Whether a file of MONITOR has this number of GETs.
# Usage: seen COUNT FILE   Returns: 0 yes, 1 no
seen() {
  (($(grep -ci '"get"' "$2") >= $1))
}

@test "steps: one may have a pattern of keys of its own; the phase has that of the options" {
  at_gate --phases populate,get --keys gaussian:5000 --requests 100 -c 2
  wait_until 20 test -e gate/ready-get
  monitor_start keys.monitor
  order get 0 200 2 gaussian:1
  order get.1 0
  succeeds job_wait 30
  assert_equal "$(step 1 key_sd) $(result get key_sd) $(result populate key_sd)" "1 5000 -"
  # 100 of warm-up, 300 of the step, then the phase.
  wait_until 10 seen 500 keys.monitor
  grep -i '"get"' keys.monitor | tr -d '"' | awk '{ key = $NF + 0; far = key < 9980 || key > 10020; if (NR <= 400) step += far; else phase += far }
    END { if (step || phase < 50) { print step, phase; exit 1 } }'
}

@test "steps: each asks for keys of its own, and the phase for those that it would have asked for without them" {
  redis_start
  for turn in with without; do
    loadgen_gate 1 --phases populate,get,get --keys uniform --requests 300 127.0.0.1 "$REDIS_PORT" 100 20000
    order populate 0
    wait_until 20 test -e gate/ready-get
    monitor_start "$turn.monitor"
    if [[ $turn == with ]]; then
      order get 0 100 2
      order get.1 0 100 2
      order get.2 0
    else
      order get 0
    fi
    order get-2 skip
    succeeds job_wait 30
    wait_until 10 seen "$([[ $turn == with ]] && echo 700 || echo 300)" "$turn.monitor"
  done
  # 50 of warm-up, 150 of a step, twice, then the phase; the first MONITOR continues in the second turn.
  grep -i '"get"' with.monitor | awk 'NR <= 700 { print $NF }' >with.keys
  grep -i '"get"' without.monitor | awk '{ print $NF }' >without.keys
  [[ $(sed -n 51,200p with.keys) != "$(sed -n 251,400p with.keys)" ]] || fail "both steps asked for the same keys"
  assert_equal "$(sed -n 401,700p with.keys)" "$(<without.keys)"
}

@test "a take is measured like the phase and offered again; keep makes the last one the result, skip leaves a phase out" {
  at_gate --phases populate,mixed,mixed,get --keys uniform --time 0.5 -c 2
  order mixed 0 4000 take
  order mixed.1 0 1000 take
  order mixed.2 keep
  order mixed-2 skip
  order get skip
  succeeds job_wait 30
  assert_equal "$(step 1 ops) $(step 2 ops)" "2000 500"
  assert_equal "$(result mixed 'ops rate')" "500 1000"
  assert_equal "$(awk -F '\t' 'NR > 1 { print $1 }' out/result.tsv | paste -sd ' ')" "populate mixed"
  assert_equal "$(awk -F '\t' 'NR > 1 { ops += $2 } END { print ops }' out/mixed.series.tsv)" 500
}

@test "wrong values in a take that is measured again fail the run; those of a kept take are reported once" {
  at_gate --phases populate,get --keys uniform --time 1.5 -c 2
  wait_until 20 test -e gate/ready-get
  for ((key = 0; key < 5000; key++)); do printf 'rename %d old-%d\nset %d BAD\n' $key $key $key; done | redis-cli -p "$REDIS_PORT" >/dev/null
  order get 0 2000 take
  wait_until 20 test -e gate/ready-get.1
  for ((key = 0; key < 5000; key++)); do printf 'rename old-%d %d\n' $key $key; done | redis-cli -p "$REDIS_PORT" >/dev/null
  order get.1 0 2000 take
  order get.2 keep
  job_wait 30
  assert_equal "$status $(result get mismatches)" '1 0'
  assert_match 'test: get: thread 0, port [0-9]+: 0 error replies, 0 misses, [1-9][0-9]* mismatches' "$STDERR"
  seq -f 'set %.0f BAD' 0 4999 | redis-cli -p "$REDIS_PORT" >/dev/null
  loadgen_gate 1 --no-flush --phases get --keys uniform --time 1.5 127.0.0.1 "$REDIS_PORT" 100 20000
  order get 0 2000 take
  order get.1 keep
  job_wait 30
  assert_equal "$status $(grep -c '^test: get: thread 0' <<<"$STDERR")" '1 1'
}

@test "a phase of a kind for the second time has a name of its own, in the log and in result.tsv too" {
  redis_start
  succeeds loadgen 1 --phases populate,get,get 127.0.0.1 "$REDIS_PORT" 100 100
  assert_contains 'threads finished - get-2' "$output"
  assert_equal "$(result get-2 ops)" 100
}

@test "a step above what the server can do ends with requests unsent, and fails nothing" {
  delay_server slow --delay 0.005
  loadgen_gate 1 --no-flush --phases get --no-verify --time 0.5 --timeout 30 127.0.0.1 "$DELAY_PORT" 10 100
  order get 0 600 1
  order get.1 0 50
  succeeds job_wait 20
  (($(step 1 unsent) > 0)) || fail "all requests were sent: $(step 1 unsent)"
  (($(step 1 unanswered) >= $(step 1 unsent) && $(step 1 at_least_us | cut -d . -f 1) > 0)) || fail "unanswered $(step 1 unanswered), at least $(step 1 at_least_us)"
}

@test "a start file that asks for nothing known ends the generator with its text" {
  at_gate --phases populate,get --keys uniform --time 0.5 -c 2
  order get 0 c3
  refuses 1 "--gate: gate/start-get: '0 c3': expected TIME" job_wait 20
}

@test "a stop at the gate ends an open loop: what was due by then is sent, and nothing else" {
  at_gate --phases populate,get --keys uniform --rate 1000 --time 60 -c 1 --interval 0.1
  wait_until 20 test -e gate/ready-get
  kill -STOP "$REDIS_PID"
  order get 0
  wait_elapsed get 1.5
  : >gate/stop
  wait_elapsed get "$(awk -F '\t' '{ print $6 + 0.6 }' out/status)"
  kill -CONT "$REDIS_PID"
  job_wait 30
  assert_equal "$status $(result get 'unsent errors')" '0 0 0'
  (($(result get ops) > 1400 && $(result get ops) < 60000)) || fail "$(result get ops) of more than 1400"
  # A reader of the figures must know that they are not those of 60 s.
  assert_equal "$(result populate stopped) $(result get stopped)" '0 1'
  assert_match 'test: get: ended before its time, after [0-9.]+ s: DIR/stop exists' "$STDERR"
  # Half of them waited for longer than half of the time.
  (($(us get p50_us) > 700000)) || fail "p50 $(result get p50_us) us"
}

@test "a stop at the gate ends a phase without --out and without a terminal too; one made during the warm-up counts from its end on" {
  redis_start
  mkdir gate
  job_start env OMP_NUM_THREADS=1 "$REPO/test" --gate gate --phases populate,get --keys uniform --rate 100 --warmup 1 --time 20 -c 1 --interval 0.1 \
    127.0.0.1 "$REDIS_PORT" 100 1000
  order populate 0
  order get 0
  wait_until 20 bash -c "redis-cli -p $REDIS_PORT info commandstats | grep ^cmdstat_get >/dev/null"
  : >gate/stop
  succeeds job_wait 30
  [[ $output =~ \ get\ ([0-9]+)\ keys ]]
  ((BASH_REMATCH[1] > 0 && BASH_REMATCH[1] < 2000)) || fail "none or all requests were counted: $output"
  assert_contains 'test: get: ended before its time' "$STDERR"
}

@test "Ctrl-C in an open loop: requests that were due and wait for a connection count, with their wait" {
  redis_start
  trace_make 60000 1000 100 >trace.csv
  for phase in get replay; do
    what=(--no-flush --phases get --keys uniform --rate 1000 --time 60 127.0.0.1 "$REDIS_PORT" 10 1000)
    [[ $phase == get ]] || what=(--no-flush --trace trace.csv --pipeline 1 127.0.0.1 "$REDIS_PORT")
    rm -rf out
    loadgen_gate 1 -c 1 --interval 0.1 "${what[@]}"
    wait_until 20 test -e "gate/ready-$phase"
    kill -STOP "$REDIS_PID"
    order "$phase" 0
    wait_elapsed "$phase" 1.5
    kill -INT "$JOB_PID"
    job_wait 30
    kill -CONT "$REDIS_PID"
    assert_equal "$status" 130
    (($(result "$phase" unsent) > 1400)) || fail "$phase: $(result "$phase" unsent) of more than 1400 unsent"
    assert_equal "$(result "$phase" unanswered)" "$(($(result "$phase" unsent) + $(result "$phase" lost)))"
    (($(us "$phase" p50_us) > 700000)) || fail "$phase: p50 $(result "$phase" p50_us) us"
  done
}
