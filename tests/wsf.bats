#!/usr/bin/env bats
# SPDX-License-Identifier: MIT
# The Redis-Memtier workload: its test cases, its parameters under its own names, and what they do to Redis.
# lane: host
# shellcheck disable=SC2154 # stderr is set by run_split

load helper

setup() {
  scratch_setup
  BASE=$(ports_pick 2)
  mapfile -t untuned < <(words_untuned)
  WORDS=(REMOTE_DIR="$SCRATCH/host" RESULTS_DIR="$SCRATCH/results" REDISBASE="$BASE" CPU_USED=2 MEMTIER_DATA_SIZE=100 MEMTIER_KEY_MAXIMUM=999)
}

teardown() {
  [[ ! -d host ]] || "$REPO/do_it.sh" stop --force REMOTE_DIR="$SCRATCH/host" >/dev/null 2>&1 || :
  scratch_teardown
}

# Run a scenario, and print a column of a phase's row in result.tsv.
# Usage: column PHASE NAME
column() {
  awk -F '\t' -v phase="$1" -v name="$2" 'NR == 1 { for (i = 1; i <= NF; i++) at[$i] = i } $at["operation"] == phase { print $at[name] }' \
    results/*/native/*/rep-1/*/result.tsv
}

# Calls of a command over all instances, from a file of INFO.
calls() {
  sed -n "s/^cmdstat_$1:calls=\([0-9]*\),.*/\1/p" "$2" | awk '{ sum += $1 } END { print sum + 0 }'
}

# Start a run in the background and wait until its measured phase is under way.
loaded() {
  job_start "$REPO/do_it.sh" run "${untuned[@]}" "${WORDS[@]}" MEMTIER_TEST_TIME=60 RATE=50 "$@"
  wait_until 60 grep -q 'phase mixed starts' job.err
}

# End it, and leave nothing that the next one could be taken for.
unloaded() {
  kill -INT -"$JOB_PID"
  job_wait 60
  rm -rf results job.err
}

# What an instance of the run says of a directive.
# Usage: config DIRECTIVE
config() {
  REDISCLI_AUTH=$(sed -n 's/^requirepass //p' host/run-*/server/"$BASE".conf) redis-cli -p "$BASE" --no-auth-warning config get "$1" | tail -n 1
}

# The processes of the instances, in the order of their ports.
instance_pids() {
  cut -f 1 host/run-*/server/instances.proc
}

# The CPUs that a process or thread may use, as the kernel says.
allowed() {
  sed -n 's/^Cpus_allowed_list:\t//p' "$1"/status
}

@test "every test case runs in miniature on two instances: all keys are set first, then reads and writes come in its ratio" {
  local scenario share rep sets ops
  while read -r scenario share; do
    run_split "$REPO/do_it.sh" run "${untuned[@]}" -s "wsf-$scenario" "${WORDS[@]}" PLACEMENT=core MEMTIER_TEST_TIME=0 MEMTIER_REQUESTS=200
    assert_success
    rep=$(echo results/*/native/100B-2i/rep-1)
    ops=$(column mixed ops) sets=$(column mixed sets)
    # Requests of each connection, of clients in each thread, of threads of each instance.
    assert_equal "$ops" $(($(column mixed connections) * $(column mixed threads) * 200))
    awk -v sets="$sets" -v ops="$ops" -v share="$share" 'BEGIN { exit !(sets / ops > share - 0.02 && sets / ops < share + 0.02) }' ||
      fail "$scenario: $sets of $ops are writes, and not $share"
    if [[ $scenario == gated ]]; then
      assert_equal "$(column populate ops)" ''
      (($(column mixed misses) > 0)) || fail "nothing was populated, and nothing was missed"
    else
      assert_equal "$(column populate ops) $(column populate pattern)" '2000 sequential'
      assert_equal "$(column mixed misses)" 0
      # Redis' own count of both phases.
      assert_equal "$(calls set "$rep/server/info.after") $(calls get "$rep/server/info.after")" "$((2000 + sets)) $((ops - sets))"
    fi
    rm -rf results
  done <<<"gated 0.0909
pkm 0.0909
write 1
20write80read 0.2
xwriteyread 0.0909
read 0
single-node 0.0909
static-multi-node 0.2
static-single-node 0.2"
}

@test "its parameters are taken under its own names, from the command line and the environment" {
  local theirs value ours
  while IFS=$'\t' read -r theirs value ours; do
    assert_equal "$(conf_value "${ours%%=*}" argument "$theirs=$value")" "${ours#*=}"
  done <<'END'
CPU_USED	4	INSTANCES=4
CLIENT_COUNT	5	CLIENT_COUNT=5
RUN_SINGLE_NODE	true	SINGLE_NODE=on
START_NUMA_NODE	1	PLACEMENT_NODE=1
REDIS_NUMACTL_STRATEGY	0	PLACEMENT=none
REDIS_NUMACTL_STRATEGY	1	PLACEMENT=core
REDIS_NUMACTL_STRATEGY	2	PLACEMENT=cpu
REDIS_NUMACTL_STRATEGY	3	PLACEMENT=split
REDIS_NUMACTL_STRATEGY	4	PLACEMENT=numa
REDIS_SERVER_NUMACTL_OPTIONS	-N 1 -m 1	SERVER_NUMACTL=-N 1 -m 1
MEMTIER_CLIENT_NUMACTL_OPTIONS	-N 0 -m 0	CLIENT_NUMACTL=-N 0 -m 0
REDIS_SERVER_IO_THREADS	0	IO_THREADS=1
REDIS_SERVER_IO_THREADS	4	IO_THREADS=4
REDIS_SERVER_IO_THREADS_DO_READS	true	IO_THREADS_DO_READS=on
REDIS_SERVER_IO_THREADS_CPU_AFFINITY	false	IO_THREADS_AFFINITY=off
REDIS_PERSISTENCE_POLICY	false	PERSISTENCE=off
REDIS_PERSISTENCE_POLICY	default	PERSISTENCE=default
REDIS_PERSISTENCE_POLICY	RDB	PERSISTENCE=rdb
REDIS_PERSISTENCE_POLICY	AOF	PERSISTENCE=aof
REDIS_APPENDFSYNC_MODE	always	APPENDFSYNC=always
REDIS_RDB_SECONDS	10	RDB_SECONDS=10
REDIS_EVICTION_POLICY	false	EVICTION=off
REDIS_EVICTION_POLICY	allkeys-lru	EVICTION=allkeys-lru
MEMTIER_REQUESTS	7	CONNECTION_REQUESTS=7
MEMTIER_TEST_TIME	300	TIME=300
MEMTIER_DATA_SIZE	4096	VALUE_SIZES=4096
MEMTIER_PIPELINE	6	PIPELINE=6
MEMTIER_CLIENTS	8	CONNECTIONS=8
MEMTIER_THREADS	2	INSTANCE_THREADS=2
MEMTIER_RATIO	1:4	RATIO=1:4
MEMTIER_KEY_MINUMUM	5	KEY_MIN=5
MEMTIER_KEY_MAXIMUM	9	KEY_MAX=9
MEMTIER_KEY_PATTERN	G:G	KEY_PATTERN=gaussian
MEMTIER_LOAD_KEY_PATTERN	P:P	POPULATE_PATTERN=sequential
MEMTIER_RANDOMIZE	true	DATA=random
MEMTIER_RANDOMIZE		DATA=pattern
MEMTIER_DISTINCT_CLIENT_SEED	true	DISTINCT_SEEDS=on
MEMTIER_RUN_COUNT	3	REDISRUNS=3
TIMEOUT	600	REMOTE_RETRY=600
EVENT_TRACE_PARAMS	perf stat	TRACE=perf stat
END
  # None is left out.
  while IFS=$'\t' read -r theirs _; do
    [[ $theirs == \#* || $theirs == MEMTIER_KEY_MINIMUM ]] || grep -q "^$theirs"$'\t' "$BATS_TEST_FILENAME" ||
      fail "$theirs is not tried"
  done <"$REPO/conf/aliases.tsv"
  MEMTIER_PIPELINE=6 run_split "$REPO/do_it.sh" plan -s wsf-pkm "${WORDS[@]}"
  assert_success
  assert_contains 'pipeline 6'
}

@test "a value that the workload does not know, keys named twice, more clients than there are: one line, before anything starts" {
  local word line
  while IFS='|' read -r word line; do
    run_split "$REPO/do_it.sh" run "${untuned[@]}" -s wsf-pkm "${WORDS[@]}" "$word"
    assert_failure 2
    assert_equal "$stderr" "do_it.sh: command line$line"
  done <<'END'
REDIS_NUMACTL_STRATEGY=5|: REDIS_NUMACTL_STRATEGY=5 is none of: 0 1 2 3 4 (conf/aliases.tsv)
MEMTIER_KEY_PATTERN=R:S|: MEMTIER_KEY_PATTERN=R:S is none of: R:R S:S P:P G:G Z:Z (conf/aliases.tsv)
MEMTIER_PIPELINE=many|: MEMTIER_PIPELINE: PIPELINE=many is not of the kind int:1..100000
KEYS=5|: MEMTIER_KEY_MAXIMUM: KEY_MAX=999: KEYS=5 says how many there are already
MEMTIER_KEY_MINUMUM=1000|: MEMTIER_KEY_MAXIMUM: KEY_MAX=999: is below KEY_MIN=1000
CLIENT_COUNT=2|: CLIENT_COUNT=2: there are 1 clients: 127.0.0.1
END
  refute_exists results
}

@test "a number of keys overrides the last key of the scenario, also when the run is repeated" {
  run_split "$REPO/do_it.sh" run "${untuned[@]}" -s wsf-pkm "${WORDS[@]/#MEMTIER_KEY_MAXIMUM*/KEYS=30}" VALUE_SIZES=10 TIME=0 CONNECTION_REQUESTS=1
  assert_success
  assert_equal "$(column populate ops)" 60
  run_split "$REPO/do_it.sh" plan -s results/*/run.conf
  assert_success
  assert_match '10B-2i +10 +2 +30 +60 '
}

@test "time bounds a phase if it is given, and requests if it is not" {
  run_split "$REPO/do_it.sh" run "${untuned[@]}" -s wsf-pkm "${WORDS[@]}" MEMTIER_TEST_TIME=1 MEMTIER_REQUESTS=1
  assert_success
  (($(column mixed elapsed_us) >= 1000000)) || fail "it did not last a second"
  (($(column mixed ops) > 32)) || fail "a request a connection was all"
}

@test "keys have the numbers that are asked for" {
  local port
  loaded -s wsf-pkm MEMTIER_KEY_MINUMUM=500
  for port in "$BASE" $((BASE + 1)); do
    assert_equal "$(REDISCLI_AUTH=$(sed -n 's/^requirepass //p' host/run-*/server/"$port".conf) redis-cli -p "$port" --no-auth-warning keys '*' |
      grep -v marker | sort -n | sed -n '1p;$p' | paste -sd ' ')" '500 999'
  done
  unloaded
}

@test "strategies 0, 1, 2 and 4: instances run on the CPUs that they say, by the kernel's account" {
  local -a pids
  need_command numactl
  loaded -s wsf-pkm REDIS_NUMACTL_STRATEGY=0
  mapfile -t pids < <(instance_pids)
  assert_equal "$(allowed "/proc/${pids[0]}")" "$(allowed /proc/self)"
  unloaded
  loaded -s wsf-pkm REDIS_NUMACTL_STRATEGY=1
  mapfile -t pids < <(instance_pids)
  assert_equal "$(allowed "/proc/${pids[0]}")" "$(cat /sys/devices/system/cpu/cpu0/topology/thread_siblings_list)"
  unloaded
  loaded -s wsf-pkm REDIS_NUMACTL_STRATEGY=2
  mapfile -t pids < <(instance_pids)
  assert_match '^[0-9]+$' "$(allowed "/proc/${pids[0]}")"
  assert_match '^[0-9]+$' "$(allowed "/proc/${pids[1]}")"
  (($(nproc) < 2)) || [[ $(allowed "/proc/${pids[0]}") != "$(allowed "/proc/${pids[1]}")" ]] || fail "both are on one CPU"
  unloaded
  loaded -s wsf-pkm REDIS_NUMACTL_STRATEGY=4
  mapfile -t pids < <(instance_pids)
  # numactl sets a policy, which the kernel shows for each mapping; Mems_allowed_list is that of cpusets.
  grep -q ' bind:0 ' "/proc/${pids[0]}/numa_maps"
  assert_equal "$(allowed "/proc/${pids[0]}")" "$(cat /sys/devices/system/node/node0/cpulist)"
  unloaded
}

@test "options of numactl of one's own take the place of a strategy, for Redis and for the load" {
  local pid
  need_command numactl
  loaded -s wsf-pkm REDIS_SERVER_NUMACTL_OPTIONS='-C 0 -m 0' MEMTIER_CLIENT_NUMACTL_OPTIONS='-C 0'
  pid=$(instance_pids | head -n 1)
  assert_equal "$(allowed "/proc/$pid")" 0
  grep -q ' bind:0 ' "/proc/$pid/numa_maps"
  assert_equal "$(allowed "/proc/$(cat host/run-*/client-*/test.pid)")" 0
  unloaded
}

@test "io threads: their number, whether they read, and the CPUs that Redis itself gives them" {
  local pid task found=0
  loaded -s wsf-pkm CPU_USED=1 REDIS_SERVER_IO_THREADS=2 REDIS_SERVER_IO_THREADS_DO_READS=true REDIS_SERVER_IO_THREADS_CPU_AFFINITY=true
  assert_equal "$(config io-threads) $(config io-threads-do-reads)" '2 yes'
  pid=$(instance_pids)
  assert_equal "$(config server_cpulist)" "$(allowed "/proc/$pid")"
  for task in "/proc/$pid/task"/*; do
    [[ $(<"$task/comm") == io_thd_* ]] || continue
    found=1
    assert_equal "$(allowed "$task")" "$(config server_cpulist)"
  done
  ((found)) || fail "there is no thread io_thd"
  unloaded
  loaded -s wsf-pkm CPU_USED=1 REDIS_SERVER_IO_THREADS=2
  assert_equal "$(config io-threads) $(config io-threads-do-reads)|$(config server_cpulist)" '2 no|'
  unloaded
}

@test "persistence: a snapshot, a log, neither; on the disk and by Redis' own word" {
  loaded -s wsf-pkm REDIS_PERSISTENCE_POLICY=RDB REDIS_RDB_SECONDS=1
  assert_equal "$(config save) $(config appendonly)" '1 1 no'
  wait_until 30 test -s host/run-*/server/data-"$BASE"/dump.rdb
  unloaded
  loaded -s wsf-pkm REDIS_PERSISTENCE_POLICY=AOF REDIS_APPENDFSYNC_MODE=always
  assert_equal "$(config save)|$(config appendonly) $(config appendfsync)" '|yes always'
  # Redis 7 keeps its log in a folder.
  [[ -n $(find host/run-*/server/data-"$BASE" -name '*.aof' -size +10k) ]] || fail "no log of the writes"
  unloaded
  loaded -s wsf-pkm REDIS_PERSISTENCE_POLICY=false
  assert_equal "$(config save)|$(config appendonly)" '|no'
  assert_equal "$(find host/run-*/server/data-"$BASE" -type f)" ''
  unloaded
}

@test "an eviction policy with a limit: keys go, and reads miss; without a policy Redis refuses, and the run says so" {
  local misses
  run_split "$REPO/do_it.sh" run "${untuned[@]}" -s wsf-pkm "${WORDS[@]}" MEMTIER_KEY_MAXIMUM=19999 MEMTIER_TEST_TIME=1 REDIS_EVICTION_POLICY=allkeys-lru MAXMEMORY=3M
  assert_success
  misses=$(column mixed misses)
  ((misses > 0)) || fail "nothing was missed"
  (($(sed -n 's/^evicted_keys:\([0-9]*\).*/\1/p' results/*/native/*/rep-1/server/info.after | head -n 1) > 0)) || fail "nothing was evicted"
  run_split "$REPO/do_it.sh" kpi results/*
  assert_line "Misses: $misses"
  rm -rf results
  run_split "$REPO/do_it.sh" run "${untuned[@]}" -s wsf-pkm "${WORDS[@]}" MEMTIER_KEY_MAXIMUM=19999 MEMTIER_TEST_TIME=1 REDIS_EVICTION_POLICY=noeviction MAXMEMORY=3M
  assert_failure 1
  assert_contains 'OOM command not allowed' "$stderr"
  run_split "$REPO/do_it.sh" doctor -s wsf-pkm "${WORDS[@]}" REDIS_EVICTION_POLICY=allkeys-lru
  assert_contains 'without it nothing is ever evicted'
}

@test "every eviction policy is Redis' own by its word" {
  local policy
  local -a variants=()
  mkdir copy
  tar -C "$REPO" --exclude=./.git --exclude=./results --exclude=./build -cf - . | tar -C copy -xf -
  for policy in noeviction allkeys-lru allkeys-lfu allkeys-random volatile-lru volatile-lfu volatile-random volatile-ttl; do
    printf '# SPDX-License-Identifier: MIT\n# A policy of a test.\nLIKE=native\nEVICTION=%s\n' "$policy" >"copy/conf/variants/$policy.conf"
    variants+=(-v "$policy")
  done
  run_split copy/do_it.sh run "${untuned[@]}" -s wsf-pkm "${variants[@]}" "${WORDS[@]}" MAXMEMORY=64M MEMTIER_TEST_TIME=0 MEMTIER_REQUESTS=1
  assert_success
  for policy in results/*/*/100B-2i; do
    assert_equal "$(sed -n 's/^maxmemory_policy:\([a-z-]*\).*/\1/p; s/^maxmemory:\([0-9]*\).*/\1/p' "$policy/rep-1/server/info.after" | sort -u | paste -sd ' ')" \
      "67108864 $(basename "${policy%/*}")"
  done
}

@test "a fill that does not fit is refused with both estimates, the workload's and Redis' own" {
  run_split "$REPO/do_it.sh" run "${untuned[@]}" -s wsf-pkm "${WORDS[@]}" MEMTIER_DATA_SIZE=4096 MEMTIER_KEY_MAXIMUM=99999999
  assert_failure 3
  # 1.5 x (4096 + 32) x 100,000,000 keys x 2 instances.
  assert_match 'memory: .*; wanted: [0-9]+ MiB for 4096B-2i .*1\.5 x \(size \+ 32\) x keys says 1181030 MiB' "$stderr"
  refute_exists results
}

@test "what it logs has the workload's names in the run's folder" {
  local run
  run_split "$REPO/do_it.sh" run "${untuned[@]}" -s wsf-pkm "${WORDS[@]}" MEMTIER_TEST_TIME=1
  assert_success
  run=$(echo results/*)
  grep -q '^PIPELINE="1"$' "$run/run.log"
  grep -q 'phase mixed starts' "$run/run.log"
  for number in 0 1; do
    grep -q "port=$((BASE + number))\." "$run/redis-$number.log"
    grep -q "port $((BASE + number)) populate 500 keys" "$run/memtier-populate$number.log"
    grep -q "port $((BASE + number)) mixed" "$run/memtier-bench$number.log"
  done
  assert_equal "$(find -L "$run" -type l)" ''
  # The links are no results of their own.
  run_split "$REPO/summary2csv.sh" "$run"
  assert_success
  assert_equal "${#lines[@]}" 3
}

@test "a program that traces runs while phases are measured, is told to end, and what it writes is kept" {
  local trace
  cat >tracer <<'END'
#!/bin/bash
trap 'echo told to end; exit' INT
echo "begins after $(grep -c 'phase populate starts' "$1") populate"
echo data >"$2"
while :; do sleep 0.1; done
END
  chmod +x tracer
  job_start "$REPO/do_it.sh" run "${untuned[@]}" -s wsf-pkm "${WORDS[@]}" MEMTIER_TEST_TIME=1 EVENT_TRACE_PARAMS="$SCRATCH/tracer $SCRATCH/job.err seen"
  job_wait 120
  assert_success
  trace=$(echo results/*/native/*/rep-1/server/trace)
  assert_equal "$(cat "$trace/trace.log")" 'begins after 1 populate
told to end'
  assert_equal "$(cat "$trace/seen")" data
  run_split "$REPO/do_it.sh" run "${untuned[@]}" -s wsf-pkm "${WORDS[@]}" TRACE=no-such-tracer
  assert_failure 3
  assert_contains "'no-such-tracer' is missing" "$stderr"
}
