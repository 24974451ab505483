#!/usr/bin/env bats
# SPDX-License-Identifier: MIT
# Other load generators instead of ./test: the same rows, checked by Redis' counters, and unsupported settings are refused.
# slow

load helper

prepare() {
  WORDS=(-s crosscheck REMOTE_DIR="$SCRATCH/host" RESULTS_DIR="$SCRATCH/results" REDISBASE="$(ports_pick 2)" REDISRUNS=1 KEYS=500
  CONNECTIONS=5 REQUESTS=20000/instance)
  # A plan that asks nothing of this machine.
  PLANNED=("${WORDS[@]}" SERVER_CORES=8 SERVER_MEM=16 SERVER=203.0.113.1 CLIENT_IP=203.0.113.2)
  untuned=(TUNE=off KERNEL=keep)
}

# The generators on this machine as `VARIANT PROGRAM`.
installed() {
  echo 'loadgen test'
  echo 'redis-benchmark redis-benchmark'
  ! command -v memtier_benchmark >/dev/null || echo 'memtier memtier_benchmark'
}

need_memtier() {
  command -v memtier_benchmark >/dev/null || skip 'no distribution has memtier_benchmark: whoever builds it has it tested here'
}

# One column of a phase in a result.tsv: row DIR PHASE COLUMN
row() { cells -w operation="$2" "$3" "$1/result.tsv"; }

# Run an adapter without a master, with open gates; its files go to out. redis-benchmark never gives up a port without a server, hence the limit.
# Usage: adapter PROGRAM PHASES OPTION... HOST PORT SIZE KEYS   Sets: as run_split does
adapter() {
  local program=$1 phases=$2 phase
  shift 2
  rm -rf out
  mkdir out
  for phase in ${phases//,/ }; do echo 0.0 | tee "out/start-$phase" >"out/start-$phase-2"; done
  run_split timeout 60 bash -c 'cd out && exec bash "$0/lib/run/generator/peer.sh" "$0/lib/shared/common.sh" "$0/lib/run/generator/$1.sh" "${@:2}"' "$REPO" "$program" --phases "$phases" "$@"
}

@test "all that are installed side by side, client CPU included; each made the requests that it counts" {
  local rep variant program each count=0
  need_command redis-benchmark redis-cli
  succeeds run_split "$REPO/do_it.sh" run "${untuned[@]}" "${WORDS[@]}" INSTANCES=2
  assert_match 'set +throughput, ops/s +(>=)?[0-9,]+ .* (>=)?[0-9,]+ '
  # 20,000 requests per instance, for redis-benchmark in whole pipelines of 128; and 500 keys when they are populated.
  while read -r variant program; do
    count=$((count + 1))
    each=20000
    [[ $program != redis-benchmark ]] || each=20096
    rep=$(echo "$SCRATCH"/results/*/"$variant"/128B-2i/rep-1)
    assert_equal "$(info_calls get "$rep/server/info.after")" $((2 * each))
    assert_equal "$(info_calls set "$rep/server/info.after")" $((2 * each + 1000))
    assert_equal "$(row "$rep/127.0.0.1" get ops)" $((2 * each))
    assert_equal "$(row "$rep/127.0.0.1" populate ops)" 1000
    assert_match '^[0-9]+$' "$(row "$rep/127.0.0.1" get client_cpu_us)"
    assert_equal "$(awk -F: '$1 == "keyspace_misses" { sum += $2 } END { print sum + 0 }' "$rep/server/info.after")" 0
  done < <(installed)
  succeeds run_split "$REPO/summary2csv.sh" "$(echo "$SCRATCH"/results/*)"
  assert_equal "${#lines[@]}" $((1 + 3 * count))
  # What redis-benchmark cannot tell is empty.
  refute_exists "$(echo results/*/redis-benchmark/*/rep-1/127.0.0.1)/stderr"
  assert_equal "$(awk -F, 'NR == 1 { for (i = 1; i <= NF; i++) at[$i] = i; next }
    $at["variant"] == "redis-benchmark" { print $at["misses"] "|" $at["p90_us"] "|" ($at["ops_per_sec"] > 0) }' <<<"$output" | sort -u)" '||1'
}

@test "a generator or memory that a host lacks: a variant NAME? is left out with a line, for another the host is not fit" {
  need_command redis-benchmark redis-cli
  commands_link redis-benchmark valkey-benchmark
  PATH=$SCRATCH/bin succeeds run_split "$REPO/do_it.sh" run "${untuned[@]}" "${WORDS[@]}" -v loadgen -v 'redis-benchmark?' -v 'bind?' TIER_NODES=1023
  assert_contains "'redis-benchmark' or 'valkey-benchmark' is missing: the variant redis-benchmark is skipped" "$STDERR"
  assert_contains 'node 1023 has no memory, or does not exist: the variant bind is skipped' "$STDERR"
  assert_equal "$(cd results/* && ls -d loadgen redis-benchmark bind 2>/dev/null)" loadgen
  assert_equal "$(sed -n 's/^VARIANTS=//p' results/*/run.conf)" '"loadgen"'
  # With no variant left there is nothing to run.
  PATH=$SCRATCH/bin fails 3 run_split "$REPO/do_it.sh" doctor --all "${WORDS[@]}" -v 'redis-benchmark?'
  assert_match "fail +variant redis-benchmark +'redis-benchmark' or 'valkey-benchmark' is missing +GENERATOR=redis-benchmark"
  PATH=$SCRATCH/bin fails 3 run_split "$REPO/do_it.sh" doctor --all "${WORDS[@]}" -s scaling -v loadgen -v redis-benchmark
  assert_match "fail +variant redis-benchmark +'redis-benchmark' or 'valkey-benchmark' is missing +GENERATOR=redis-benchmark"
  # A host with Valkey alone.
  ln -s "$(command -v redis-benchmark)" bin/valkey-benchmark
  PATH=$SCRATCH/bin succeeds run_split "$REPO/do_it.sh" doctor --all "${WORDS[@]}" -v redis-benchmark
  assert_match "ok +variant redis-benchmark +redis-benchmark or valkey-benchmark +GENERATOR=redis-benchmark"
  PATH=$SCRATCH/bin succeeds run bash -c '. "$REPO/lib/shared/common.sh"; . "$REPO/lib/run/generator/redis-benchmark.sh"; adapter_version'
  assert_match '^(redis|valkey)-benchmark '
}

@test "a peer whose instance falls silent is ended after REPLY_TIMEOUT; each instance gets a request at least, also at another address" {
  need_command redis-benchmark redis-cli
  base=$(ports_pick 2)
  # The second one is not where the first one is loaded.
  redis_start -p $((base + 1)) --bind 127.0.0.1
  redis_start -p "$base" --bind 127.0.0.1 127.0.0.2
  for port in $((base + 1)) "$base"; do
    redis-cli -p "$port" acl setuser peer on nopass '~*' +get +set +ping
  done
  while read -r _ program; do
    [[ $program != test ]] || continue
    succeeds adapter "$program" set --instances 2 --requests 1 --hosts $((base + 1))=127.0.0.1 127.0.0.2 "$base" 64 100
    assert_equal "$(row out set ops)" 2
    redis-cli -p "$base" config resetstat
    (
      until [[ $(redis-cli -p "$REDIS_PORT" info commandstats) == *cmdstat_set:calls=[1-9][0-9][0-9]* ]]; do sleep 0.05; done
      kill -STOP "$REDIS_PID"
    ) 3>&- &
    adapter "$program" set --requests 500000000 --timeout 2 127.0.0.1 "$REDIS_PORT" 64 100
    wait $!
    kill -CONT "$REDIS_PID"
    assert_failure
    assert_contains "port $REDIS_PORT: no reply in 2 s" "$STDERR"
  done < <(installed)
}

@test "a run whose server or client dies is not a result, and goes on with the next repeat; an interrupted run stops the peer, whose password is on no command line" {
  need_command redis-benchmark redis-cli
  while read -r variant program; do
    [[ $program != test ]] || continue
    long_run "$variant" 3
    kill -KILL "$(cut -f 1 host/run-*/server/instances.proc)"
    wait_until 60 repeat_under_way 2
    wait_until 20 peer_pid
    before=$(grep -c 'no figures for set' job.err || :)
    kill -KILL "$(peer_pid)"
    wait_until 60 repeat_under_way 3
    wait_until 20 peer_pid
    (($(grep -c 'no figures for set' job.err || :) > before)) || fail "the peer's death is not named: $(<job.err)"
    assert_equal "$(find results -type d -path "*/$variant/*" -name 'rep-[12].failed-*' | wc -l)" 2
    assert_equal "$(find results -type d -path "*/$variant/*" -name 'rep-?' | wc -l)" 0
    no_password_shown
    pid=$(peer_pid)
    start=$(process_start "$pid")
    assert_match "$program" "$(tr '\0' ' ' <"/proc/$pid/cmdline")"
    kill -INT -"$JOB_PID"
    fails 130 job_wait 60
    wait_until 10 process_gone "$pid" "$start" || fail "$program still runs"
  done < <(installed)
}

# Start a run with a long load, and wait until its load runs. A connection without a pipeline takes the least CPU time from other suites.
# Usage: long_run VARIANT REPEATS   Sets: as job_start does
long_run() {
  job_start "$REPO/do_it.sh" run "${untuned[@]}" "${WORDS[@]}" -v "$1" REDISRUNS="$2" REQUESTS=500000000/instance CONNECTIONS=1 PIPELINE=1
  wait_until 60 repeat_under_way 1
  wait_until 20 peer_pid
}

# Whether the long load of a repeat has started: repeat_under_way COUNT   Returns: 0 yes, 1 no
repeat_under_way() { (($(grep -c 'phase set starts' job.err) == $1)); }

# Assert that the password of the run is on no command line, and that the user of the peer can do nothing but its load.
no_password_shown() {
  local password base file leaks=''
  base=$(cut -f 3 host/run-*/server/instances.proc)
  password=$(cat host/run-*/client-*/auth)
  [[ -n $password ]]
  for file in /proc/[0-9]*/cmdline; do
    [[ $(tr '\0' ' ' 2>/dev/null <"$file") != *"$password"* ]] || leaks+="$file "
  done 2>/dev/null
  assert_equal "$leaks" ''
  assert_contains NOPERM "$(redis-cli --user peer -a none --no-auth-warning -p "$base" flushall 2>&1)"
  assert_contains NOPERM "$(redis-cli --user peer -a none --no-auth-warning -p "$base" config get requirepass 2>&1)"
}

# Print the process of the load, a child of the adapter.
peer_pid() {
  local pid
  local -a children
  pid=$(cat host/run-*/client-*/test.pid)
  read -r -a children <"/proc/$pid/task/$pid/children" || :
  for pid in "${children[@]}"; do
    # Before the program runs, the process is a copy of the adapter.
    [[ $(readlink "/proc/$pid/exe") != *benchmark* ]] || echo "$pid"
  done | grep .
}

@test "a recording of memtier_benchmark becomes the figures that it tells itself" {
  mkdir bin
  # In place of the program, its output for 2,000 keys of which 1,250 are missing, SET:GET 1:3, 1,200 a second on 5 connections.
  program_make bin/memtier_benchmark <<END
#!/bin/sh
[ "\$1" != --version ] || { echo 'memtier_benchmark v=2.3.0 sha=0 bits=64'; exit; }
echo "\$@" >>$SCRATCH/said
cat $REPO/tests/fixtures/memtier/\${RECORDING:-mixed}.json >"\$3"
cat $REPO/tests/fixtures/memtier/mixed.err >&2
END
  PATH=$SCRATCH/bin:$PATH succeeds adapter memtier_benchmark set,get,mixed --connections 5 --pipeline 4 --time 2 --rate 6000 --ratio 1:3 127.0.0.1 1 128 2000
  # The figures of the table that memtier_benchmark prints for each kind: Count, p50, p99, p99.9 and the longest; Redis counted 3,430 misses.
  assert_equal "$(row out set ops) $(row out get ops) $(row out mixed ops)" '3005 9010 12015'
  assert_equal "$(row out mixed p50_us) $(row out mixed p99_us) $(row out mixed p99_9_us) $(row out mixed max_us)" '55 207 895 919'
  assert_equal "$(row out get avg_us) $(row out mixed avg_us) $(row out mixed sets) $(row out get misses) $(row out mixed misses)" '69.0 69.0 3005 3430 3430'
  assert_equal "$(row out mixed errors) $(row out mixed latency_from) $(row out mixed arrival) $(row out mixed version)" '0 sent limited memtier_benchmark 2.3.0'
  # The rate that it printed, 6002.81 a second, and the seconds of its series.
  assert_match '^6002\.8' "$(row out mixed ops_per_sec)"
  assert_equal "$(cut -f 1,2 out/mixed.series.tsv | paste -sd ' ')" $'time_s\tops 1.000\t5995 2.002\t6020'
  assert_equal "$(awk 'NR > 1 { sum += $2 } END { print sum, $NF }' out/histogram-mixed-*)" '12015 100.000'
  # The same keys as ours, and the requested load.
  assert_contains '--key-prefix  --key-maximum 1999 --distinct-client-seed --test-time 2 --rate-limiting 1200 --ratio 1:3 --key-pattern R:R --threads 1 --clients 5 --pipeline 4' \
    "$(tail -n 1 said)"
  # A repeated phase is another phase, at its own gate, and named as by ./test.
  rm said
  PATH=$SCRATCH/bin:$PATH succeeds adapter memtier_benchmark mixed,get,get --connections 5 --pipeline 4 --time 2 --ratio 1:3 127.0.0.1 1 128 2000
  assert_equal "$(cut -f 1,18 out/result.tsv | tail -n +2 | xargs)" 'mixed 12015 get 9010 get-2 9010'
  assert_exists out/{ready-get,ready-get-2,get.series.tsv,get-2.series.tsv}
  assert_equal "$(grep -o -e '--ratio [0-9:]*' said | xargs)" '--ratio 1:3 --ratio 0:1 --ratio 0:1'
  assert_contains 'threads finished - get-2'
  # Its output for 200 connections that ended in two different seconds: a run of -389 ms, at a rate of 0.
  RECORDING=populate PATH=$SCRATCH/bin:$PATH succeeds adapter memtier_benchmark populate --connections 200 127.0.0.1 1 128 100000
  assert_equal "$(row out populate ops) $(row out populate p50_us) $(row out populate max_us)" '100000 70143 268287'
  [[ $(row out populate elapsed_us) -gt 0 ]]
}

# Start an adapter without a master, its files in out; see adapter.
# Usage: adapter_start PROGRAM OPTION... HOST PORT SIZE KEYS   Sets: as job_start does
adapter_start() {
  mkdir -p out
  cd out || return
  job_start bash "$REPO/lib/run/generator/peer.sh" "$REPO/lib/shared/common.sh" "$REPO/lib/run/generator/$1.sh" "${@:2}"
}

@test "a generator of another program ends, too, when its offer of a phase is removed" {
  adapter_start redis-benchmark --phases set 127.0.0.1 1 10 10
  wait_until 10 test -e ready-set
  rm ready-set
  job_wait 10
  assert_equal "$status $STDERR" '1 ready-set was removed before the phase was started'
}

@test "a generator of another program that loses its session ends the program, which ignores the hangup" {
  mkdir bin out
  program_make bin/redis-benchmark <<END
#!/bin/bash
[[ \$1 != --version ]] || exec echo stub
trap '' HUP
echo \$\$ >$SCRATCH/pid
while :; do sleep 0.1; done
END
  echo 0.0 >out/start-set
  PATH=$SCRATCH/bin:$PATH adapter_start redis-benchmark --phases set 127.0.0.1 1 10 10
  wait_until 10 test -s ../pid
  pid=$(<../pid)
  process_note "$pid"
  start=$(process_start "$pid")
  kill -HUP "$JOB_PID"
  job_wait 10
  wait_until 5 process_gone "$pid" "$start" || fail "the program still runs"
}

@test "memtier_benchmark asks for our keys, in every pattern, and what Redis counts is what its rows say; an error reply is counted and makes the repeat fail" {
  need_memtier
  need_command redis-cli
  redis_start
  redis-cli -p "$REDIS_PORT" acl setuser peer on nopass '~*' +@all
  # 7 connections do not divide 100 keys, but each key is populated once.
  succeeds adapter memtier_benchmark populate --connections 7 127.0.0.1 "$REDIS_PORT" 64 100
  assert_equal "$(row out populate ops) $(redis-cli -p "$REDIS_PORT" dbsize)" '100 100'
  OMP_NUM_THREADS=1 "$REPO/test" --phases get --keys sequential --no-verify --no-flush 127.0.0.1 "$REDIS_PORT" 64 100 >/dev/null
  assert_equal "$(redis-cli -p "$REDIS_PORT" info stats | sed -n 's/^keyspace_misses:\([0-9]*\).*/\1/p')" 0
  for pattern in uniform gaussian gaussian:3 zipf zipf:1.5 sequential; do
    redis-cli -p "$REDIS_PORT" config resetstat
    OMP_NUM_THREADS=2 succeeds adapter memtier_benchmark populate,set,get,mixed --connections 4 --pipeline 8 --keys "$pattern" --ratio 3:1 --requests 1601 \
      127.0.0.1 "$REDIS_PORT" 64 100
    redis-cli -p "$REDIS_PORT" info commandstats >commands
    # Rounded up to the same number for each of 8 connections: 1,608.
    assert_equal "$(row out get ops) $(row out mixed ops) $(row out get misses)" '1608 1608 0'
    assert_equal "$(info_calls set commands)" $((100 + 1608 + $(row out mixed sets)))
    assert_equal "$(info_calls get commands)" $((1608 + 1608 - $(row out mixed sets)))
    assert_equal "$(redis-cli -p "$REDIS_PORT" info stats | sed -n 's/^keyspace_misses:\([0-9]*\).*/\1/p')" 0
    assert_equal "$(redis-cli -p "$REDIS_PORT" dbsize)" 100
  done
  # Sequential takes each key once.
  redis-cli -p "$REDIS_PORT" flushall
  adapter memtier_benchmark set --connections 4 --keys sequential 127.0.0.1 "$REDIS_PORT" 64 100
  assert_equal "$(row out set ops) $(redis-cli -p "$REDIS_PORT" dbsize)" '100 100'
  # If the parts would reach past the last key, none is set.
  redis-cli -p "$REDIS_PORT" flushall
  fails any adapter memtier_benchmark set --connections 40 --keys sequential 127.0.0.1 "$REDIS_PORT" 64 100
  assert_contains 'cannot divide 100 keys over 40 connections' "$STDERR"
  assert_equal "$(redis-cli -p "$REDIS_PORT" dbsize)" 0
  redis-cli -p "$REDIS_PORT" acl setuser peer reset on nopass '~*' +get +ping
  refuses any 'NOPERM' adapter memtier_benchmark set --connections 2 --requests 10 127.0.0.1 "$REDIS_PORT" 64 100
  assert_equal "$(row out set errors) $(row out set error_replies)" '10 10'
}

@test "memtier_benchmark for a time, under a rate, on two instances: the whole run, its histogram and its series" {
  need_memtier
  succeeds run_split "$REPO/do_it.sh" run "${untuned[@]}" "${WORDS[@]}" -v memtier INSTANCES=2 CONNECTIONS=2 PIPELINE=1 TIME=2 RATE=400 PHASES='populate mixed' RATIO=1:1
  rep=$(echo results/*/memtier/128B-2i/rep-1)
  assert_equal "$(info_calls get "$rep/server/info.after") $(info_calls set "$rep/server/info.after")" \
    "$(($(row "$rep/127.0.0.1" mixed ops) - $(row "$rep/127.0.0.1" mixed sets))) $(($(row "$rep/127.0.0.1" mixed sets) + 1000))"
  assert_equal "$(row "$rep/127.0.0.1" mixed misses) $(row "$rep/127.0.0.1" mixed rate) $(row "$rep/127.0.0.1" populate rate)" '0 400.000000 0'
  # Its own time can be off by a second; ours is not.
  [[ $(row "$rep/127.0.0.1" mixed elapsed_us) -ge 2000000 ]]
  # 400 a second for two seconds, and a burst of two for each connection.
  (($(row "$rep/127.0.0.1" mixed ops) <= 808)) || fail "$(row "$rep/127.0.0.1" mixed ops) requests"
  assert_equal "$(awk 'NR > 1 { sum += $2 } END { print sum }' "$rep/127.0.0.1/mixed.series.tsv")" "$(row "$rep/127.0.0.1" mixed ops)"
  assert_equal "$(awk 'NR > 1 { sum += $(NF - 1) } END { print sum }' "$rep"/127.0.0.1/histogram-mixed-*)" "$(row "$rep/127.0.0.1" mixed ops)"
  [[ $(row "$rep/127.0.0.1" mixed p99_us) -gt 0 ]]
}

@test "what a program cannot do is refused, also when another variant comes before it; what it can do is planned" {
  refuses 2 'TIME=1: redis-benchmark' run_plan "${PLANNED[@]}" -v loadgen -v redis-benchmark TIME=1
  succeeds run_plan "${PLANNED[@]}" -v memtier INSTANCES=2 THREADS=4 RATE=40 KEY_PATTERN='gaussian zipf' DATA=random TIME=3
}
