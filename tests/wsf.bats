#!/usr/bin/env bats
# SPDX-License-Identifier: MIT
# The Redis-Memtier workload: its test cases, and its parameters under their original names.
# slow
# shellcheck disable=SC2154 # untuned is of setup

load helper
load wsf

# Print all settings of a scenario as a run resolves them, but its name.
# Usage: resolved SCENARIO [NAME=VALUE]...   Returns: 0
resolved() {
  modules 'options_read "$LIB/cmd/run.sh" -s "$@"
    conf_read
    conf_print' "$@" </dev/null >resolved.conf
  grep -v '^SCENARIO=' resolved.conf
}

# Check a repeat: the requests of its load, and its share of writes, in phase mixed and, unless the scenario is gated, by the counters of Redis.
# Usage: check_repeat TITLE REQUESTS_PER_CONNECTION SHARE   Globals: rep, the repeat's directory
check_repeat() {
  local ops sets
  ops=$(column mixed ops) sets=$(column mixed sets)
  # Requests per connection x clients per thread x threads per instance.
  assert_equal "$ops" $(($(column mixed connections) * $(column mixed threads) * $2))
  awk -v sets="$sets" -v ops="$ops" -v share="$3" 'BEGIN { exit !(sets / ops > share - 0.02 && sets / ops < share + 0.02) }' ||
    fail "$1: $sets of $ops are writes, and not $3"
  [[ $1 != gated ]] || return 0
  assert_equal "$(column populate 'ops pattern')" '2000 sequential'
  assert_equal "$(column mixed misses)" 0
  # The counters of Redis for both phases.
  assert_equal "$(info_calls set "$rep/server/info.after") $(info_calls get "$rep/server/info.after")" "$((2000 + sets)) $((ops - sets))"
}

# Print columns of a phase of the repeat.
# Usage: column PHASE NAME[ NAME]...   Globals: rep   Returns: 0
column() {
  cells -w operation="$1" "$2" "$rep"/*/result.tsv
}

@test "the gate runs as it stands: reads and writes come in its ratio, without populate" {
  # It checks that the workload runs at all, so it must work without changed settings.
  succeeds run_split "$REPO/do_it.sh" run "${untuned[@]}" -s wsf-gated "${WORDS[@]:0:3}"
  rep=$(echo results/*/native/*/rep-1)
  check_repeat gated 10000 0.0909
  assert_equal "$(column populate ops)" ''
  (($(column mixed misses) > 0)) || fail "nothing was populated, and nothing was missed"
  # Of its ten million keys, the plan counts only the keys that it sets.
  assert_match 'used_memory [0-9.]+ MiB \([+-][0-4]\.[0-9] % of plan\)' "$STDERR"
}

@test "every test case runs in miniature on two instances: all keys are set first, then reads and writes come in its ratio" {
  words=("${WORDS[@]}" PLACEMENT=core MEMTIER_TEST_TIME=0 MEMTIER_REQUESTS=200)
  # One run makes the load of the test cases that differ only by these settings.
  while read -r scenario ratio; do
    resolved wsf-pkm "$ratio" >expected
    diff expected <(resolved "wsf-$scenario") || fail "$scenario is not pkm with $ratio"
  done <<<"write RATIO=1:0
read RATIO=0:1
20write80read RATIO=1:4
xwriteyread RATIO=1:10"
  resolved wsf-pkm CLIENTS=server PLACEMENT=split >expected
  diff expected <(resolved wsf-single-node) || fail 'single-node is not pkm on one host'
  resolved wsf-static-multi-node CLIENTS=server PLACEMENT=split >expected
  diff expected <(resolved wsf-static-single-node) || fail 'static-single-node is not static-multi-node on one host'
  succeeds run_split "$REPO/do_it.sh" run "${untuned[@]}" -s wsf-single-node "${words[@]}" SWEEP=RATIO=1:10,1:4,1:0,0:1
  while read -r ratio share; do
    rep=$(echo results/*/native/*-ratio"${ratio/:/}"/rep-1)
    check_repeat "$ratio" 200 "$share"
  done <<<"1:10 0.0909
1:4 0.2
1:0 1
0:1 0"
  rm -rf results
  succeeds run_split "$REPO/do_it.sh" run "${untuned[@]}" -s wsf-static-single-node "${words[@]}"
  rep=$(echo results/*/native/*/rep-1)
  check_repeat static-single-node 200 0.2
}

@test "its parameters are taken under its own names, from the command line and the environment" {
  run modules '# read takes several tabs for one.
    while IFS= read -r line; do
      theirs=${line%%$1*} value=${line#*$1} ours=${line##*$1}
      value=${value%$1*}
      (
        conf_word argument "$theirs=$value" "$theirs"
        conf_read
        conf_variable "${ours%%=*}"
        [[ ${!REPLY} == "${ours#*=}" ]] || echo "$theirs=$value: ${!REPLY}, and not $ours"
      )
    done' $'\t' <<'END'
SRV_OVERRIDE	288	INSTANCES=288
SRV_OVERRIDE	auto	INSTANCES=auto
VER	7.0.15	REDIS=source:7.0.15
CPU_USED	4	INSTANCES=4
CLIENT_COUNT	5	CLIENTS=5
RUN_SINGLE_NODE	true	CLIENTS=server
RUN_SINGLE_NODE	false	CLIENTS=all
START_NUMA_NODE	1	PLACEMENT_NODE=1
REDIS_NUMACTL_STRATEGY	0	PLACEMENT=none
REDIS_NUMACTL_STRATEGY	1	PLACEMENT=core
REDIS_NUMACTL_STRATEGY	2	PLACEMENT=cpu
REDIS_NUMACTL_STRATEGY	3	PLACEMENT=split
REDIS_NUMACTL_STRATEGY	4	PLACEMENT=numa
REDIS_SERVER_NUMACTL_OPTIONS	-N 1 -m 1	SERVER_NUMACTL=-N 1 -m 1
MEMTIER_CLIENT_NUMACTL_OPTIONS	-N 0 -m 0	CLIENT_PREFIX=numactl -N 0 -m 0
MEMTIER_CLIENT_NUMACTL_OPTIONS		CLIENT_PREFIX=
REDIS_SERVER_IO_THREADS	0	IO_THREADS=1
REDIS_SERVER_IO_THREADS	4	IO_THREADS=4
REDIS_SERVER_IO_THREADS_DO_READS	true	REDIS_CONF.io-threads-do-reads=yes
REDIS_SERVER_IO_THREADS_CPU_AFFINITY	false	IO_THREADS_AFFINITY=off
REDIS_PERSISTENCE_POLICY	false	PERSISTENCE=off
REDIS_PERSISTENCE_POLICY	default	PERSISTENCE=default
REDIS_PERSISTENCE_POLICY	RDB	PERSISTENCE=rdb
REDIS_PERSISTENCE_POLICY	AOF	PERSISTENCE=aof
REDIS_APPENDFSYNC_MODE	always	REDIS_CONF.appendfsync=always
REDIS_RDB_SECONDS	10	PERSISTENCE.every=10
REDIS_EVICTION_POLICY	false	REDIS_CONF.maxmemory-policy=default
REDIS_EVICTION_POLICY	allkeys-lru	REDIS_CONF.maxmemory-policy=allkeys-lru
MEMTIER_REQUESTS	7	REQUESTS=7/connection
MEMTIER_TEST_TIME	300	TIME=300
MEMTIER_DATA_SIZE	4096	VALUE_SIZES=4096
MEMTIER_PIPELINE	6	PIPELINE=6
MEMTIER_CLIENTS	8	CONNECTIONS=8
MEMTIER_THREADS	2	THREADS=2/instance
MEMTIER_RATIO	1:4	RATIO=1:4
MEMTIER_KEY_MINUMUM	5	KEY_MIN=5
MEMTIER_KEY_MAXIMUM	9	KEY_MAX=9
MEMTIER_KEY_PATTERN	G:G	KEY_PATTERN=gaussian
MEMTIER_LOAD_KEY_PATTERN	P:P	POPULATE_PATTERN=sequential
MEMTIER_RANDOMIZE	true	DATA=random
MEMTIER_RANDOMIZE		DATA=pattern
MEMTIER_DISTINCT_CLIENT_SEED	true	SEED=1/client
MEMTIER_DISTINCT_CLIENT_SEED		SEED=1
MEMTIER_RUN_COUNT	3	REDISRUNS=3
TIMEOUT	600	REMOTE_RETRY=600
EVENT_TRACE_PARAMS	perf stat	SIDECAR=perf stat
TRACE	perf stat	SIDECAR=perf stat
TRACE_FILE	/t speed=2 fill	REPLAY=/t
TRACE_FILE	/t speed=2 fill	REPLAY.speed=2
TRACE_FILE.fill	on	REPLAY.fill=on
TRACK	5	TRACK_WRITES=5
END
  assert_success
  assert_output ''
  while IFS=$'\t' read -r theirs _; do
    [[ $theirs == \#* || $theirs == MEMTIER_KEY_MINIMUM ]] || grep -q "^$theirs"$'\t' "$BATS_TEST_FILENAME" ||
      fail "$theirs is not tried"
  done <"$REPO/conf/aliases.tsv"
  # Other programs use the name TIMEOUT too.
  TIERBENCH_MEMTIER_PIPELINE=6 TIMEOUT=30s succeeds run_plan -s wsf-pkm "${WORDS[@]}"
  assert_contains 'pipeline 6'
}

@test "Redis and the load on one host are on two nodes, where it has them" {
  # A test machine is only guaranteed to have one node, so small runs set PLACEMENT=core.
  topology=$REPO/tests/fixtures/cpus/2x12.lscpu
  for scenario in wsf-single-node wsf-static-single-node; do
    succeeds run_plan -s "$scenario" "${WORDS[@]}" CPU_USED=1 FACTS="$topology" SERVER_CORES=2 SERVER_MEM=64
    assert_line 'placement split'
    assert_match $'\n127\\.0\\.0\\.1 [^\n]* --cpunodebind=1 --membind=1\n'
    assert_match $'\n'"$BASE +1 +[0-9,-]+ +--membind=0"
  done
}

@test "what it logs has the workload's names in the run's folder, and that a trace came to its end; time bounds a phase, and requests beside it are named" {
  succeeds run_split "$REPO/do_it.sh" run "${untuned[@]}" -s wsf-pkm "${WORDS[@]}" MEMTIER_TEST_TIME=3 MEMTIER_REQUESTS=1 RATE=200 EVENT_TRACE_PARAMS='timeout -v 0.3 sleep 60'
  assert_match 'warning: REQUESTS=1/connection: .* with TIME=3 requests are ignored' "$STDERR"
  (($(phase_column mixed elapsed_us) >= 3000000)) || fail "it did not last three seconds"
  (($(phase_column mixed ops) > 32)) || fail "a request a connection was all"
  run=$(echo results/*)
  assert_match 'SIDECAR: the program ended before the load did: timeout: sending signal TERM' "$(<"$run/run.log")"
  grep -q '^PIPELINE="1"$' "$run/run.log"
  grep -q 'phase mixed starts' "$run/run.log"
  for number in 0 1; do
    grep -q "port=$((BASE + number))\." "$run/redis-$number.log"
    grep -q "port $((BASE + number)) populate 500 keys" "$run/memtier-populate$number.log"
    grep -q "port $((BASE + number)) mixed" "$run/memtier-bench$number.log"
  done
  assert_equal "$(find -L "$run" -type l)" ''
  succeeds run_split "$REPO/summary2csv.sh" "$run"
  assert_equal "${#lines[@]}" 3
}

@test "the links of a run's directory point to one repeat, also if its first repeat was removed and repeated" {
  RUN=$SCRATCH/run LOG_LINKS=on PHASES="populate mixed" CLIENT_IP=127.0.0.1 REDISBASE=6379
  # shellcheck source=lib/run/links.sh
  . "$REPO/lib/core/hosts.sh" && . "$REPO/lib/run/shares.sh" && . "$REPO/lib/run/links.sh"
  for count in 1 2; do
    rep=$RUN/native/100B-${count}i/rep-1
    mkdir -p "$rep/127.0.0.1" "$rep/server"
    touch "$rep/127.0.0.1/redis.log.127.0.0.1.20250101-100000.1" "$rep/server/redis-6379.log" "$rep/server/redis-6380.log"
    links_make "$rep" "$count"
  done
  # The second instance belongs to the second point, and its links remain there.
  assert_equal "$(cd "$RUN" && readlink ./*.log | cut -d / -f 2 | uniq -c)" '      3 100B-1i'
  assert_equal "$(find "$rep" -type l | wc -l)" 6
  rep=$RUN/native/100B-1i/rep-1
  find "$rep" -type l -delete
  mv "$rep/127.0.0.1/redis.log.127.0.0.1.20250101-100000.1" "$rep/127.0.0.1/redis.log.127.0.0.1.20250101-110000.1"
  links_make "$rep" 1
  assert_equal "$(cd "$RUN" && readlink ./*.log | cut -d / -f 2 | uniq -c)" '      3 100B-1i'
  assert_equal "$(find -L "$RUN" -type l)" ''
  rm -r "$rep"
  rep=$RUN/native/100B-2i/rep-1
  find "$rep" -type l -delete
  links_make "$rep" 2
  assert_equal "$(cd "$RUN" && readlink ./*.log | cut -d / -f 2 | uniq -c)" '      6 100B-2i'
  assert_equal "$(find -L "$RUN" -type l)" ''
}

@test "a tracing program runs during measured phases, is stopped, and its output is kept; a number of keys overrides the last key, also when the run is repeated" {
  program_make tracer <<'END'
#!/bin/bash
trap 'echo told to end; exit' INT
echo "begins after $(grep -c 'phase populate starts' "$1") populate"
echo data >"$2"
while :; do sleep 0.1; done
END
  job_start "$REPO/do_it.sh" run "${untuned[@]}" -s wsf-pkm "${WORDS[@]/#MEMTIER_KEY_MAXIMUM*/KEYS=30}" VALUE_SIZES=10 MEMTIER_TEST_TIME=3 RATE=200 \
    EVENT_TRACE_PARAMS="$SCRATCH/tracer $SCRATCH/job.err seen"
  succeeds job_wait 120
  sidecar=$(echo results/*/native/*/rep-1/server/sidecar)
  assert_equal "$(cat "$sidecar/sidecar.log")" 'begins after 1 populate
told to end'
  assert_equal "$(cat "$sidecar/seen")" data
  assert_equal "$(phase_column populate ops)" 60
  succeeds run_plan -s results/*/run.conf
  assert_match '10B-2i +10 +2 +30 +60 '
  refuses 3 "'no-such-tracer' is missing" run_split "$REPO/do_it.sh" run "${untuned[@]}" -s wsf-pkm "${WORDS[@]}" SIDECAR=no-such-tracer
}
