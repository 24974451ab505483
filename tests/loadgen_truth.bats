#!/usr/bin/env bats
# SPDX-License-Identifier: MIT
# The load generator's figures: percentiles against a server that knows the truth, and late, unanswered, missing or unsent requests.

load helper
load loadgen

# Start the server of the truth table with its log in NAME.log. Usage: truth_server NAME WORD...   Sets: TRUTH_PID, TRUTH_PORT   Returns: 0, or 1
truth_server() {
  [[ -x server ]] || "${CC:-gcc}" -std=gnu11 -D_GNU_SOURCE -O1 -o server "$REPO/tests/truth/server.c"
  ./server "$1.log" "${@:2}" >"$1.port" 3>&- &
  TRUTH_PID=$!
  process_note "$TRUTH_PID"
  wait_until 10 test -s "$1.port"
  TRUTH_PORT=$(<"$1.port")
}

# Compare a result with the server's log. Usage: truth_errors FORMAT FILE LOG [RATE]
# Sets: errors: those of p50, p99, p99.9, rate and count in %   Returns: 0
truth_errors() { read -r -a errors < <(python3 "$REPO/tests/truth/compare.py" "$@" | cut -f 4-); }

# Whether a server has logged COUNT replies: the last line comes after the last reply. Usage: logged COUNT LOG   Returns: 0 yes, 1 no
logged() { (($(wc -l <"$2") == $1)); }

@test "the count is that of a server that stalls, is overloaded or has two speeds, and no percentile of an open loop is below the truth" {
  jobs=()
  local -A pid=()
  while read -r name rate words; do
    # shellcheck disable=SC2086 # words
    truth_server "$name" $words
    pid[$name]=$TRUTH_PID
    OMP_NUM_THREADS=1 "$REPO/test" --no-flush --no-verify --phases get --keys uniform -c 50 --rate "$rate" --time 1.5 --out "$name.out" \
      127.0.0.1 "$TRUTH_PORT" 10 10 >/dev/null 2>"$name.said" 3>&- &
    jobs+=($!)
    process_note $!
  done <<'END'
stalls 500 base=1000 period=1000000 stall=400000
overload 500 base=4000 queue=1
bimodal 300 base=1000 every=10 slow=30000
END
  for at in "${jobs[@]}"; do wait "$at" || fail "a load failed: $(cat ./*.said)"; done
  while read -r name rate floor; do
    kill "${pid[$name]}"
    wait "${pid[$name]}"
    truth_errors test "$name.out/result.tsv" "$name.log" "$rate"
    echo "# $name: errors ${errors[*]}" >&3
    assert_equal "${errors[4]}" +0.0
    # The server does not see the network and the scheduling of the client, which only add.
    for at in "${errors[@]:0:3}"; do awk -v at="$at" 'BEGIN { exit !(at >= -1) }' || fail "$name: errors ${errors[*]}"; done
    # The floor holds however slow this machine is: the server really waits.
    (($(us get p99_us "$name.out") >= floor)) || fail "$name: p99 $(result get p99_us "$name.out"), at least $floor"
  done <<'END'
stalls 500 390000
overload 500 1400000
bimodal 300 30000
END
  # Latency from the actual send omits much of the overload (coordinated omission).
  (($(us get service_p50_us overload.out) < $(us get p50_us overload.out) / 2)) || fail "service p50 $(result get service_p50_us overload.out)"
}

@test "the truth is computed as by hand, from a server that answers every request of one write" {
  names=$'p50_us\tp99_us\tp99_9_us\tops_per_sec\tops\tlate'
  truth_server three base=1000
  exec {three}<>"/dev/tcp/127.0.0.1/$TRUTH_PORT"
  printf '*2\r\n$3\r\nGET\r\n$1\r\na\r\n%.0s' 1 2 3 >&"$three"
  for _ in 1 2 3; do
    read -r -t 10 reply <&"$three" || fail 'a request has no reply'
    assert_equal "$reply" $'$-1\r'
  done
  kill "$TRUTH_PID"
  wait "$TRUTH_PID"
  exec {three}>&-
  assert_equal "$(awk '$2 - $1 >= 1000000 { print $3 }' three.log)" $'0\n0\n0'
  # Arrivals at 0, 1, 4 and 3 ms take 1 ms each: by a schedule of 1000 per second the last two are 1 ms late.
  printf '%s\n' '0 1000000 0' '1000000 2000000 0' '4000000 5000000 1' '3000000 4000000 1' >log
  printf '%s\n1000\t2000\t2000\t800\t3\t1\n' "$names" >result.tsv
  truth_errors test result.tsv log
  assert_equal "${errors[*]}" '+0.0 +100.0 +100.0 +0.0 +0.0'
  truth_errors test result.tsv log 1000
  assert_equal "${errors[*]}" '+0.0 +0.0 +0.0 +0.0 +0.0'
}

@test "what is answered after the time of a closed loop is late: in no rate, but in the percentiles" {
  delay_server slow --delay 0.3:5
  succeeds loadgen 1 --no-flush --no-verify --phases get --keys uniform -P 8 --time 0.7 127.0.0.1 "$DELAY_PORT" 10 10
  assert_equal "$(result get 'elapsed_us max_time_us')" '700000 700000'
  (($(result get late) > 0)) || fail "nothing was late"
  wait_until 10 logged "$(($(result get ops) + $(result get late)))" slow.log || fail "$(result get ops) in time, $(result get late) late, $(wc -l <slow.log) logged"
  assert_equal "$(awk 'NR > 1 { sum += $(NF - 1) } END { print sum }' out/histogram-get-*)" "$(wc -l <slow.log)"
  assert_equal "$(awk -v ops="$(result get ops)" 'BEGIN { printf "%.3f", ops / 0.7 }')" "$(result get ops_per_sec)"
}

@test "requests without an answer count in percentiles with the time that they waited, and are told apart" {
  delay_server stalled --stall 100:100
  # A closed loop: four requests wait for a second each without an answer, and so do the requests after them.
  fails 1 loadgen 1 --no-flush --no-verify --phases get --keys uniform -c 4 --timeout 0.5 --time 1.5 127.0.0.1 "$DELAY_PORT" 10 10
  assert_equal "$(result get unanswered)" "$(result get timeouts)"
  (($(us get at_least_us) >= 500000 && $(us get p50_us) >= 500000)) || fail "p50 $(result get p50_us), at least $(result get at_least_us)"
  assert_contains 'requests got no answer' "$STDERR"
  assert_contains "#[Unanswered = $(result get unanswered) requests" "$(<out/get.hgrm)"
  # An open loop: requests that could not even be sent have waited too, from their intended start.
  delay_server stalled2 --stall 100:100
  fails 1 loadgen 1 --no-flush --no-verify --phases get --keys uniform --rate 100 --time 0.5 --timeout 0.5 127.0.0.1 "$DELAY_PORT" 10 10
  assert_equal "$(result get unanswered)" "$(($(result get timeouts) + $(result get lost) + $(result get unsent)))"
  (($(result get unanswered) == 50 && $(us get p50_us) >= 500000)) || fail "unanswered $(result get unanswered), p50 $(result get p50_us)"
}

@test "a rate above what the server can do is not a failure, but its missing requests are counted" {
  delay_server slow --delay 0.005
  succeeds loadgen 1 --no-flush --no-verify --phases get --keys uniform --rate 1000 --time 0.5 --timeout 0.5 127.0.0.1 "$DELAY_PORT" 10 10
  (($(result get unsent) > 100 && $(result get unsent) == $(result get errors) && $(result get unsent) == $(result get unanswered))) ||
    fail "unsent $(result get unsent), errors $(result get errors), unanswered $(result get unanswered)"
  assert_contains 'requests got no answer: percentiles include the time that they waited' "$STDERR"
}

@test "the time to count millions of requests that were not sent is no silence of an instance" {
  instances 2
  succeeds loadgen 2 --phases populate,get --keys uniform --rate 12000000 --time 1 --timeout 0.5 127.0.0.1 "$FIRST" 10 100
  (($(result get unsent) > 1000000)) || fail "unsent $(result get unsent)"
  refute_contains 'did not come back' "$STDERR"
}

@test "keys that are gone although all were set fail the run, with the reason; --allow-misses says that they may go; those that no phase has set are unset" {
  redis_start --maxmemory 3mb --maxmemory-policy allkeys-random
  for keys in uniform zipf; do
    fails 1 loadgen 1 --phases populate,get --keys "$keys" --requests 2000 -P 8 127.0.0.1 "$REDIS_PORT" 1000 5000
    (($(result get misses) > 0)) || fail "nothing was evicted"
    assert_equal "$(result get miss_reason) $(result populate miss_reason)" 'evicted -'
    assert_contains 'keys were missing though all had been set (evicted)' "$STDERR"
  done
  succeeds loadgen 1 --allow-misses --phases populate,mixed --keys uniform --requests 2000 -P 8 127.0.0.1 "$REDIS_PORT" 1000 5000
  assert_equal "$(result mixed miss_reason)" evicted
  assert_contains 'keys were missing though all had been set (evicted)' "$STDERR"
  # The marker may have been evicted too, and still the instance is known to be ours.
  assert_equal "$(redis-cli -p "$REDIS_PORT" exists redis-tier-benchmark:marker)" 1
  redis_start --maxmemory 3mb
  refuses 1 'OOM' loadgen 1 --phases populate,get --keys uniform --requests 2000 -P 8 127.0.0.1 "$REDIS_PORT" 1000 5000
  (($(result get misses) > 0)) || fail "every key was set"
  assert_equal "$(result get miss_reason)" unset
  redis_start
  loadgen_gate 1 --phases set,get --keys sequential --rate 10 --interval 0.1 127.0.0.1 "$REDIS_PORT" 10 1000
  order set 0
  wait_elapsed set 0.1
  touch gate/stop
  wait_until 20 test -e gate/ready-get || fail "get was not offered: $(<job.err)"
  rm gate/stop
  order get 0 c0
  succeeds job_wait 30
  (($(result get misses) > 0)) || fail "every key was set"
  assert_equal "$(result get miss_reason)" unset
}

@test "wrong values and lost keys in a warm-up fail the run, though the phase after it has none" {
  redis_start
  loadgen_gate 1 --phases populate,mixed --ratio 1:1 --keys uniform -P 8 --rate 2000 --warmup 2 --time 0.3 127.0.0.1 "$REDIS_PORT" 100 20
  order populate 0
  wait_until 20 test -e gate/ready-mixed
  # The SETs of the warm-up mend them.
  { seq -f 'set %.0f BAD' 0 9 && seq -f 'del %.0f' 10 19; } | redis-cli -p "$REDIS_PORT" >/dev/null
  order mixed 0
  job_wait 30
  assert_equal "$status $(result mixed 'errors misses')" '1 0 0'
  assert_match 'test: mixed \(warm-up\): thread 0, port [0-9]+: 0 error replies, [1-9][0-9]* misses, [1-9][0-9]* mismatches' "$STDERR"
  assert_match 'mixed \(warm-up\): [0-9]+ keys were missing though all had been set \(nothing was evicted' "$STDERR"
}

@test "a reply that answers nothing is an error" {
  delay_server double --reply 'GET=$-1\r\n$-1\r\n'
  fails 1 loadgen 1 --no-flush --phases get --requests 1 127.0.0.1 "$DELAY_PORT" 10 10
  assert_equal "$(result get 'ops error_replies')" '1 1'
  assert_contains 'a reply that answers no request' "$STDERR"
}

@test "an interrupted run lasted until the interrupt, and not until the last reply" {
  redis_start
  loadgen_start 1 --no-flush --phases get --keys uniform --rate 0.1 --time 60 127.0.0.1 "$REDIS_PORT" 10 10
  wait_connections 1 get
  sleep 1 # what is measured
  kill -INT "$JOB_PID"
  job_wait 10
  assert_equal "$status $(result get 'ops interrupted')" '130 1 1'
  (($(result get elapsed_us) >= 1000000)) || fail "elapsed $(result get elapsed_us) us"
}

@test "rows of 20 ms with one connection: each has its own requests" {
  delay_server even --delay 0.002
  loadgen 1 --no-flush --no-verify --phases get --keys uniform --time 1.5 --interval 0.02 127.0.0.1 "$DELAY_PORT" 10 10
  # A request takes 2 ms. With a look every 50 ms, two of three rows would be empty; by the server's log few are.
  awk -F '\t' -v start="$(result get start_us)" '
    NR == FNR { answered[int(($1 - start) / 20000)] = 1; next }
    FNR > 1 { if (!((FNR - 2) in answered)) truth++; rows++; empty += $2 == 0 }
    END { print rows, empty + 0, truth + 0; exit !(rows >= 40 && empty <= truth + rows / 2) }' even.log out/get.series.tsv >said ||
    fail "rows, empty, and by the log: $(<said)"
}

@test "threads that share too few CPUs are the limit, though none of them is busy" {
  redis_start
  succeeds loadgen 1 --phases set --data compressible:3 -P 8 127.0.0.1 "$REDIS_PORT" 20000 200
  loadgen 6 --instances 1 --cpus 0 --no-flush --phases get --data compressible:3 --keys uniform -P 8 --requests 12000 127.0.0.1 "$REDIS_PORT" 20000 200
  # With other programs on that CPU they cannot use all of it: the file itself says how much they had.
  share=$(awk -v cpu="$(result get client_cpu_us)" -v time="$(result get elapsed_us)" 'BEGIN { printf "%d", 100 * cpu / time }')
  ((share < 97)) || assert_equal "$share: $(result get client_limited)" "$share: 1"
  ((share > 93)) || assert_equal "$share: $(result get client_limited)" "$share: 0"
  ((share < 97)) || assert_contains '6 threads needed' "$STDERR"
}
