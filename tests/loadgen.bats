#!/usr/bin/env bats
# SPDX-License-Identifier: MIT
# The load generator against real servers: what it sends, what it counts, and its messages when something breaks.
# slow

load helper
load loadgen

@test "the guide's form: positional arguments, its lines in its order, its histogram files in the current folder" {
  instances 2
  OMP_NUM_THREADS=2 succeeds run_split "$REPO/test" 127.0.0.1 "$FIRST" 1000 500
  assert_line "threads = 2 start_port = $FIRST value_len = 1000 key_count = 500"
  for operation in set get; do
    assert_match "2 threads started - $operation"
    assert_equal "$(grep -cE "^Thread +[01]: port [0-9]+ $operation 500 keys - elapse [0-9]+ usecs , max time [0-9]+ , average [0-9]+ , max average [0-9]+$" <<<"$output")" 2
    assert_match "2 threads finished - $operation"
    assert_equal "$(find . -maxdepth 1 -name "histogram-$operation-??????" | wc -l)" 1
    # us, one column per thread, total, cumulative %
    assert_equal "$(awk 'NR == 1 { next } { sum += $(NF - 1) } END { print sum, $NF }' histogram-"$operation"-*)" "1000 100.000"
  done
  assert_match ' : Complete\.'
}

@test "every key is set and read exactly once, by the server's own count, however threads, connections and pipelines divide them" {
  instances 3
  for words in "3 1 1 sequential" "2 4 7 sequential" "5 3 16 shuffle" "1 2 1 shuffle"; do
    read -r threads connections pipeline keys <<<"$words"
    for port in $FIRST $((FIRST + 1)) $((FIRST + 2)); do redis-cli -p "$port" config resetstat >/dev/null; done
    succeeds loadgen "$threads" --instances 3 -c "$connections" -P "$pipeline" --keys "$keys" 127.0.0.1 "$FIRST" 50 1237
    for port in $FIRST $((FIRST + 1)) $((FIRST + 2)); do
      assert_equal "$words: $(calls set "$port") $(calls get "$port") $(redis-cli -p "$port" dbsize)" "$words: 1237 1237 1238"
    done
    assert_equal "$(result set ops) $(result get 'ops errors misses')" "3711 3711 0 0"
  done
}

@test "what GET returns is compared: a changed, a lost and a wrong-typed value are each counted by kind, and the rest goes on" {
  redis_start
  for data in pattern random compressible:3; do
    succeeds loadgen 1 --data "$data" --phases set 127.0.0.1 "$REDIS_PORT" 300 1000
    succeeds loadgen 1 --data "$data" --no-flush --phases get 127.0.0.1 "$REDIS_PORT" 300 1000
    # The content depends on the port: a single character might be there already.
    redis-cli -p "$REDIS_PORT" setrange 17 200 changed >/dev/null
    redis-cli -p "$REDIS_PORT" append 18 more >/dev/null
    redis-cli -p "$REDIS_PORT" del 19 20 >/dev/null
    redis-cli -p "$REDIS_PORT" lpush 20 x >/dev/null
    fails 1 loadgen 1 --data "$data" --no-flush --phases get -c 3 -P 8 127.0.0.1 "$REDIS_PORT" 300 1000
    assert_equal "$data $(result get 'mismatches misses error_replies ops')" "$data 2 1 1 999"
    assert_contains WRONGTYPE "$STDERR"
    loadgen 1 --data "$data" --no-flush --no-verify --phases get 127.0.0.1 "$REDIS_PORT" 300 1000
    assert_equal "$(result get mismatches)" 0
    redis-cli -p "$REDIS_PORT" del 20 >/dev/null
  done
}

@test "no server: one line that names the address, exit 1" {
  port=$(ports_pick 1)
  refuses 1 "127.0.0.1:$port" loadgen 1 127.0.0.1 "$port" 10 10
  assert_equal "$(wc -l <<<"$STDERR")" 1
}

@test "a connection that the server closes is reopened; requests in flight count as lost, never as answered" {
  redis_start
  loadgen 1 --phases set 127.0.0.1 "$REDIS_PORT" 100 1000
  loadgen_gate 1 --no-flush --phases get --keys uniform -c 4 -P 4 --time 60 --interval 0.1 127.0.0.1 "$REDIS_PORT" 100 1000
  order get 0
  wait_connections 4 get
  redis-cli -p "$REDIS_PORT" client kill type normal skipme yes >/dev/null
  wait_connections 4 get
  : >gate/stop
  fails 1 job_wait 20
  (($(result get lost) > 0 && $(result get ops) > 0)) || fail "lost $(result get lost), ops $(result get ops)"
}

@test "a server that goes away and comes back is an outage, counted and timed, and the phase goes on" {
  redis_start
  loadgen 1 --phases set 127.0.0.1 "$REDIS_PORT" 100 1000
  job_start env OMP_NUM_THREADS=1 "$REPO/test" --no-flush --no-verify --phases get --keys uniform -c 2 --time 300 --out out 127.0.0.1 "$REDIS_PORT" 100 1000
  wait_connections 2 get
  port=$REDIS_PORT
  process_end "$REDIS_PID" "$(process_start "$REDIS_PID")"
  redis_start -p "$port"
  wait_until 30 asked get 100
  kill -INT "$JOB_PID"
  job_wait 30
  assert_equal "$(result get outages)" 1
  (($(result get outage_longest_us) > 0 && $(result get outage_total_us) >= $(result get outage_longest_us)))
  (($(calls get) > 0)) || fail "the new server was asked nothing"
  (($(result get misses) > 0)) || fail "its empty keys were not counted as misses"
}

@test "an instance that is down when a closed loop begins is a gap and a failure" {
  instances 2
  loadgen_gate 2 --phases populate,get --keys uniform --time 1 127.0.0.1 "$FIRST" 10 100
  order populate 0
  wait_until 20 test -e gate/ready-get
  process_end "$REDIS_PID" "$(process_start "$REDIS_PID")"
  order get 0
  fails 1 job_wait 30
  # A busy machine may have made a gap at the other one.
  (($(result get gaps) > 0)) || fail 'no gap'
  assert_contains "port $((FIRST + 1)) did not come back" "$STDERR"
}

@test "a thread without a due request does not hide a gap from which another thread waits" {
  redis_start
  loadgen 1 --phases set 127.0.0.1 "$REDIS_PORT" 10 100
  # Each thread has one request: the first at the start, the second two seconds later.
  loadgen_gate 2 --instances 1 --no-flush --phases get --rate 0.5 --requests 2 127.0.0.1 "$REDIS_PORT" 10 100
  wait_until 20 test -e gate/ready-get
  kill -STOP "$REDIS_PID"
  order get 0
  wait_elapsed get 1
  kill -CONT "$REDIS_PID"
  job_wait 30
  assert_equal "$status $(result get ops)" '0 2'
  (($(result get gap_longest_us) > 500000)) || fail "a gap of $(result get gap_longest_us) us"
}

@test "each answer ends a gap, also of a thread that waits all the time" {
  delay_server slow --delay 0.15
  for threads in 1 2; do
    succeeds loadgen "$threads" --no-flush --allow-misses --instances 1 --phases get -c 2 --requests 12 127.0.0.1 "$DELAY_PORT" 10 100
    # Two connections have answers in turn; a busy machine may join some.
    # Gaps do not overlap, and each is longer than 100 ms.
    (($(result get gaps) >= 3 && $(result get gap_longest_us) < $(result get elapsed_us) - 200000)) || fail "$(result get gaps) gaps, the longest $(result get gap_longest_us) us"
  done
}

@test "an instance that answers a later thread has come back, although another thread has ended without an answer" {
  delay_server stall --stall 100:3.5
  loadgen 2 --no-flush --allow-misses --instances 1 --phases get --rate 0.25 --timeout 1 --requests 2 127.0.0.1 "$DELAY_PORT" 10 100
  assert_equal "$(result get 'ops timeouts')" '1 1'
  refute_contains 'did not come back' "$STDERR"
}

@test "a server that hangs at the end of the warm-up delays requests of the phase, and not its start" {
  # It hangs from second 4 to second 5, at the end of the warm-up.
  delay_server edge --stall 4:1
  succeeds loadgen 1 --no-flush --allow-misses --phases get --rate 100 --time 2 --warmup 4.05 127.0.0.1 "$DELAY_PORT" 10 100
  (($(us get max_us) > 500000)) || fail "a max of $(result get max_us) us"
}

@test "in a closed loop a phase lasts until each request has an answer, or had none in time" {
  # One of the two connections waits for an answer to the only SET; the other has all others at once.
  delay_server silent --silent SET
  loadgen 1 --no-flush --allow-misses --phases mixed --ratio 1:29 --seed 1 -c 2 --requests 30 --timeout 0.7 127.0.0.1 "$DELAY_PORT" 10 20
  assert_equal "$(result mixed 'ops timeouts')" '29 1'
  (($(result mixed elapsed_us) >= $(us mixed max_us))) || fail "a max of $(result mixed max_us) us in $(result mixed elapsed_us) us"
}

@test "AUTH: the password comes only from REDISCLI_AUTH; wrong and missing ones are said, and it is never printed" {
  redis_start --requirepass s3cret --user default on '>s3cret' '~*' '+@all' --user bench on '>b3nch' '~*' '+@all'
  export REDISCLI_AUTH=s3cret
  succeeds loadgen 1 127.0.0.1 "$REDIS_PORT" 10 10
  refute_contains s3cret "$output$STDERR"
  export REDISCLI_AUTH=b3nch
  succeeds loadgen 1 --user bench 127.0.0.1 "$REDIS_PORT" 10 10
  export REDISCLI_AUTH=wr0ng
  refuses 1 WRONGPASS loadgen 1 127.0.0.1 "$REDIS_PORT" 10 10
  refute_contains wr0ng "$output$STDERR"
  unset REDISCLI_AUTH
  refuses 1 NOAUTH loadgen 1 127.0.0.1 "$REDIS_PORT" 10 10
}

@test "unix sockets, one for each instance; a thousand connections on one thread" {
  redis_start --unixsocket "$SCRATCH/redis.sock"
  succeeds loadgen 1 --socket "$SCRATCH/redis.sock" 127.0.0.1 "$REDIS_PORT" 10 100
  assert_equal "$(calls get)" 100
  succeeds loadgen 1 -c 1000 --phases set 127.0.0.1 "$REDIS_PORT" 100 20000
  assert_equal "$(calls set)" 20100
}

@test "open loop: as many requests as rate times time, counted from the schedule" {
  redis_start
  loadgen 1 --phases set 127.0.0.1 "$REDIS_PORT" 100 1000
  for arrival in uniform poisson; do
    redis-cli -p "$REDIS_PORT" config resetstat >/dev/null
    loadgen 2 --instances 1 --no-flush --phases get --keys uniform -c 5 --rate 1500 --arrival "$arrival" --time 2 127.0.0.1 "$REDIS_PORT" 100 1000
    assert_equal "$arrival $(result get ops) $(calls get) $(result get latency_from)" "$arrival 3000 3000 intended"
    assert_exists out/get.service.hgrm
  done
  loadgen 1 --no-flush --phases get 127.0.0.1 "$REDIS_PORT" 100 1000
  assert_equal "$(result get latency_from)" sent
}

@test "a client that could not send in time is said: client_limited, on stderr too" {
  redis_start
  loadgen 1 --phases set 127.0.0.1 "$REDIS_PORT" 100 1000
  job_start env OMP_NUM_THREADS=1 "$REPO/test" --no-flush --phases get --keys uniform -c 100 --rate 100 --time 4 --out out 127.0.0.1 "$REDIS_PORT" 100 1000
  wait_until 10 bash -c "redis-cli -p $REDIS_PORT client list | grep cmd=get >/dev/null"
  # The client stalls for a second, not the server. If each connection waited for an answer at that moment, due requests would wait for a connection:
  # with 100 connections, the server would have had no CPU for a second.
  kill -STOP "$JOB_PID"
  sleep 1
  kill -CONT "$JOB_PID"
  job_wait 20
  assert_equal "$(result get 'client_limited ops')" "1 400"
  assert_contains "this client was the limit" "$STDERR"
}

@test "one seed sends the same requests, another seed others" {
  digest=()
  redis_start
  for seed in 7 7 8; do
    loadgen 2 --instances 1 --phases set --keys zipf:0.8 --seed "$seed" --requests 500 127.0.0.1 "$REDIS_PORT" 64 100000
    digest+=("$(redis-cli -p "$REDIS_PORT" --scan | sort | sha256sum)")
  done
  assert_equal "${digest[0]}" "${digest[1]}"
  [[ ${digest[0]} != "${digest[2]}" ]] || fail "the seed makes no difference"
}

@test "shuffled: no pass of a get walks the keys in the order of a pass of the set before it" {
  redis_start
  monitor_start monitor.log
  succeeds loadgen 1 --keys shuffle --requests 600 127.0.0.1 "$REDIS_PORT" 10 300
  wait_until 10 bash -c "(( \$(grep -c '\"GET\"' monitor.log) == 600 ))"
  sed -n 's/.*"[SG]ET" "\([0-9]*\)".*/\1/p' monitor.log | split -l 300 - pass.
  for pass in pass.a{a,b,c,d}; do assert_equal "$(sort -n "$pass")" "$(seq 0 299)"; done
  assert_equal "$(sha256sum pass.* | cut -d ' ' -f 1 | sort -u | wc -l)" 4
}

@test "mixed: populated first, at the ratio, every operation in the server's count; a warm-up is not in ours" {
  redis_start
  succeeds loadgen 2 --instances 1 --phases populate,mixed --ratio 1:3 --keys uniform -P 4 --requests 40000 127.0.0.1 "$REDIS_PORT" 100 2000
  assert_equal "$(result mixed 'ops misses')" "40000 0"
  assert_equal "$(($(calls set) - 2000 + $(calls get)))" 40000
  assert_equal "$(result mixed sets)" "$(($(calls set) - 2000))"
  # A quarter, within six standard deviations of the draw (87).
  (($(result mixed sets) > 9480 && $(result mixed sets) < 10520)) || fail "sets: $(result mixed sets)"
  redis-cli -p "$REDIS_PORT" config resetstat >/dev/null
  succeeds loadgen 1 --no-flush --phases get --keys uniform --warmup 0.5 --requests 300 127.0.0.1 "$REDIS_PORT" 100 2000
  assert_equal "$(result get ops)" 300
  (($(calls get) > 300)) || fail "there was no warm-up"
}

@test "populate takes the order that is asked for, whatever the phase after it does" {
  redis_start
  succeeds loadgen 1 --phases populate,get --keys uniform --populate-keys sequential --requests 10 127.0.0.1 "$REDIS_PORT" 10 1000
  assert_equal "$(result populate pattern) $(result get pattern)" 'sequential uniform'
  succeeds loadgen 1 --phases populate --keys sequential --populate-keys shuffle 127.0.0.1 "$REDIS_PORT" 10 1000
  assert_equal "$(result populate pattern) $(redis-cli -p "$REDIS_PORT" dbsize)" 'shuffle 1001' # with our marker
  fails 2 loadgen 1 --populate-keys shuffle 127.0.0.1 "$REDIS_PORT"
  assert_equal "$STDERR" 'test: --populate-keys: requires the phase populate; add it to --phases'
}

@test "instances are told apart: requests, time, percentiles, and the bytes that the server counted; failures of a thread name all its ports" {
  instances 2
  before=$(redis-cli -p "$FIRST" info stats | sed -n 's/^total_net_\(in\|out\)put_bytes:\([0-9]*\).*/\2/p' | awk "{ sum += \$1 } END { print sum }")
  succeeds loadgen 4 --instances 2 --phases set,get --connections 3 127.0.0.1 "$FIRST" 100 20000
  after=$(redis-cli -p "$FIRST" info stats | sed -n 's/^total_net_\(in\|out\)put_bytes:\([0-9]*\).*/\2/p' | awk "{ sum += \$1 } END { print sum }")
  for phase in set get; do
    assert_equal "$(cut -f 1,2,4 "out/$phase.instances.tsv" | paste -sd ' ')" $'ports\tthreads\tops '"$FIRST"$'\t2\t20000 '$((FIRST + 1))$'\t2\t20000'
    assert_equal "$(awk -F '\t' 'NR > 1 { ops += $4; sets += $5; bytes += $8; wire += $9 } END { printf "%d %d %d %d", ops, sets, bytes, wire }' "out/$phase.instances.tsv")" \
      "$(result "$phase" ops) $(result "$phase" sets) $(result "$phase" bytes) $(result "$phase" wire_bytes)"
  done
  # The server also saw greetings, our marker, FLUSHALL and the questions above.
  awk -v seen=$((after - before)) -v ours="$(awk -F '\t' 'FNR == 2 { sum += $9 } END { print sum }' out/{set,get}.instances.tsv)" \
    'BEGIN { exit !(ours <= seen && ours > seen - 20000) }' || fail "the server counted $((after - before)) bytes"
  loadgen 1 --instances 2 --phases set 127.0.0.1 "$FIRST" 100 10
  assert_equal "$(cut -f 1,4 out/set.instances.tsv | tail -n +2)" "$FIRST,$((FIRST + 1))"$'\t20'
  succeeds loadgen 1 --instances 2 --phases set 127.0.0.1 "$FIRST" 10 100
  redis-cli -p $((FIRST + 1)) append 5 x
  fails 1 loadgen 1 --instances 2 --phases get --no-flush 127.0.0.1 "$FIRST" 10 100
  assert_contains "thread 0, port $FIRST,$((FIRST + 1)): 0 error replies, 0 misses, 1 mismatches" "$STDERR"
}

@test "sizes: fixed, a range, a weighted list; a value of 64 MB comes back as it went" {
  redis_start
  succeeds loadgen 1 --sizes 10-20 127.0.0.1 "$REDIS_PORT" 1 300
  for key in 0 7 99 299; do
    length=$(redis-cli -p "$REDIS_PORT" strlen "$key")
    ((length >= 10 && length <= 20)) || fail "key $key has $length bytes"
  done
  succeeds loadgen 1 --sizes 100:70,1000:25,5000:5 --data random 127.0.0.1 "$REDIS_PORT" 1 500
  succeeds loadgen 1 --data random 127.0.0.1 "$REDIS_PORT" $((64 << 20)) 2
  assert_equal "$(redis-cli -p "$REDIS_PORT" strlen 1)" $((64 << 20))
}

# Print the CPUs that threads may use, one line per thread: numbers with commas. Usage: thread_cpus STATUS_FILE...
thread_cpus() {
  awk -F '[\t,]' '/^Cpus_allowed_list:/ {
    text = ""
    for (i = 2; i <= NF; i++) { n = split($i, range, "-"); for (cpu = range[1]; cpu <= range[n]; cpu++) text = text "," cpu }
    print substr(text, 2)
  }' "$@"
}

@test "--cpus: a thread has one CPU, and the reporter all of them" {
  redis_start
  IFS=, read -r -a cpu <<<"$(thread_cpus /proc/self/status)"
  ((${#cpu[@]} > 1)) || skip 'one CPU'
  loadgen_start 2 --instances 1 --cpus "${cpu[0]},${cpu[1]}" --phases mixed --keys uniform --time 60 127.0.0.1 "$REDIS_PORT" 10 100
  wait_until 10 asked get 100
  assert_equal "$(thread_cpus /proc/"$JOB_PID"/task/*/status | sort)" "${cpu[0]}"$'\n'"${cpu[0]},${cpu[1]}"$'\n'"${cpu[1]}"
  kill -INT "$JOB_PID"
  job_wait 10
}

@test "the gate: each phase waits for its start file, and starts at the time in it" {
  redis_start
  mkdir gate
  job_start env OMP_NUM_THREADS=1 "$REPO/test" --gate gate --out out 127.0.0.1 "$REDIS_PORT" 100 100
  wait_until 10 test -e gate/ready-set
  assert_equal "$(calls set)" ''
  start=$(($(date +%s) + 1))
  echo "$start" >gate/start-set.new && mv gate/start-set.new gate/start-set
  wait_until 10 test -e gate/ready-get
  assert_equal "$(calls set)" 100
  echo 0 >gate/start-get.new && mv gate/start-get.new gate/start-get
  succeeds job_wait 10
  (($(result set start_us) >= start * 1000000)) || fail "started at $(result set start_us), before $start"
}

@test "the gate: a phase whose offer is removed never starts, and the generator ends; nothing but a phase that waits is called ready" {
  redis_start
  loadgen_gate 1 127.0.0.1 "$REDIS_PORT" 10 10
  wait_until 10 test -e gate/ready-set
  rm -r gate
  job_wait 10
  assert_equal "$status $STDERR" '1 test: --gate: gate/ready-set was removed before the phase was started'
  assert_equal "$(calls set)" ''
  # It blocks the file's final name, so that the temporary file stays visible.
  mkdir -p gate/ready-set/taken
  OMP_NUM_THREADS=1 refuses any '--gate: cannot write gate/ready-set: ' run_split "$REPO/test" --gate gate --out out 127.0.0.1 "$REDIS_PORT" 10 10
  assert_equal "$(echo gate/ready-*)" gate/ready-set
}

@test "output that cannot be written is said in one line, and fails the run, whose files are whole" {
  # shellcheck disable=SC2317 # called by run_split
  full() { "$@" >/dev/full; }
  redis_start
  loadgen 1 127.0.0.1 "$REDIS_PORT" 10 10
  for words in --version --help "--windows 0-1 out/set.hlog" "--phases set,get --out full 127.0.0.1 $REDIS_PORT 10 10"; do
    # shellcheck disable=SC2086 # several words
    OMP_NUM_THREADS=1 run_split full "$REPO/test" $words
    assert_equal "$words: $status $(loadgen_said)" "$words: 1 test: cannot write to stdout; is the disk full, or the pipe closed?"
  done
  assert_equal "$(result get ops full)" 10
}

@test "a wait for the CPU that cannot be read at the end of a phase is no wait" {
  need_command prlimit
  redis_start
  # Threads on one CPU wait for each other.
  job_start env OMP_NUM_THREADS=4 taskset -c 0 "$REPO/test" --instances 1 --phases populate,get --keys uniform --rate 200 --time 3 127.0.0.1 "$REDIS_PORT" 10 100
  wait_until 20 bash -c "(( \$(redis-cli -p $REDIS_PORT info commandstats | sed -n 's/^cmdstat_get:calls=\([0-9]*\),.*/\1/p') > 20 ))"
  prlimit --pid "$JOB_PID" --nofile=3:3
  refuses 1 'test: cannot write results of get: Too many open files' job_wait 20
  [[ ! $STDERR =~ [0-9]{4,}\ % ]] || fail "$STDERR"
}

@test "our HdrHistogram files have the same content for another reader" {
  need_command python3
  make -s -C "$REPO" build/venv/bin/python >venv.log 2>&1 || skip "the hdrhistogram package cannot be fetched: $(grep -v ^make venv.log | tail -n 1)"
  redis_start
  succeeds loadgen 2 --instances 1 --phases populate,get,mixed --keys uniform --time 2 --interval 0.3 -c 5 --rate 20000 --arrival poisson \
    127.0.0.1 "$REDIS_PORT" 100 20000
  succeeds run "$REPO/build/venv/bin/python" "$REPO/tests/hlog_crosscheck.py" out
}

@test "a status that cannot be written costs no result; a series that cannot be written fails the run, with its result" {
  redis_start
  mkdir -p out/status
  succeeds loadgen 1 --interval 0.1 --phases set,get --keys uniform --time 0.3 127.0.0.1 "$REDIS_PORT" 10 100
  assert_equal "$(loadgen_said)" "test: cannot write out/status (Is a directory): the progress is not shown there"
  assert_equal "$(awk -F '\t' 'NR > 1 { print $1 }' out/result.tsv | paste -sd ' ')" 'set get'
  rm -r out
  mkdir -p out/set.series.tsv
  fails 1 loadgen 1 --phases set,get 127.0.0.1 "$REDIS_PORT" 10 100
  assert_equal "$(loadgen_said)" 'test: cannot write the series of set: Is a directory'
  assert_equal "$(result set ops) $(result get ops)" '100 100'
  assert_exists out/histogram-set-* out/set.hlog out/get.series.tsv
  rm -r out
  mkdir -p out/set.hgrm
  fails 1 loadgen 1 --phases set 127.0.0.1 "$REDIS_PORT" 10 100
  assert_equal "$(loadgen_said) $(result set ops)" 'test: cannot write results of set: Is a directory 100'
}
