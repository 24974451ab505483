#!/usr/bin/env bats
# SPDX-License-Identifier: MIT
# The Redis-Memtier workload: the effect of its parameters on Redis and on the load, as Redis and the kernel report it.
# slow
# shellcheck disable=SC2154 # untuned is of setup

load helper
load wsf

# Start a run with an eviction policy in the background, wait until its measured phase is under way, and ask each instance for the policy.
# Usage: loaded POLICY SETTING...
loaded() {
  local policy=$1 port count=0 words=''
  job_start "$REPO/do_it.sh" run "${untuned[@]}" -s wsf-pkm "${WORDS[@]}" MEMTIER_TEST_TIME=600 RATE=50 REDIS_CONF="maxmemory-policy $policy; maxmemory 64M" "${@:2}"
  wait_until 60 grep -q 'phase mixed starts' job.err
  while read -r _ _ port; do
    count=$((count + 1))
    assert_equal "$(config maxmemory-policy "$port") $(config maxmemory "$port")" "$policy 67108864"
  done < <(cat host/run-*/server/instances.proc)
  ((count > 0))
  # The keys of the load do not expire.
  [[ $policy != volatile-* ]] || words=$policy
  assert_equal "$(sed -n 's/.*warning: REDIS_CONF.maxmemory-policy=\([a-z-]*\): .* acts as noeviction$/\1/p' job.err)" "$words"
}

# Stop the run, and leave nothing that the next run could be confused with.
unloaded() {
  kill -INT -"$JOB_PID"
  job_wait 60
  rm -rf results job.err
}

# Print the value of a directive of an instance, by default the first.
# Usage: config DIRECTIVE [PORT]
config() {
  local port=${2-$BASE}
  REDISCLI_AUTH=$(sed -n 's/^requirepass //p' host/run-*/server/"$port".conf) redis-cli -p "$port" --no-auth-warning config get "$1" | tail -n 1
}

# The processes of the instances, in the order of their ports.
instance_pids() {
  cut -f 1 host/run-*/server/instances.proc
}

# The CPUs that a process or thread may use, as the kernel reports them.
allowed() {
  sed -n 's/^Cpus_allowed_list:\t//p' "$1"/status
}

# Each of these runs has a value of several settings that do not affect each other.

@test "keys have the numbers that are asked for; strategy 0 leaves instances on all CPUs; a snapshot is on the disk" {
  loaded volatile-lru MEMTIER_KEY_MINUMUM=500 REDIS_NUMACTL_STRATEGY=0 REDIS_PERSISTENCE_POLICY=RDB REDIS_RDB_SECONDS=1
  for port in "$BASE" $((BASE + 1)); do
    assert_equal "$(REDISCLI_AUTH=$(sed -n 's/^requirepass //p' host/run-*/server/"$port".conf) redis-cli -p "$port" --no-auth-warning keys '*' |
      grep -v marker | sort -n | sed -n '1p;$p' | paste -sd ' ')" '500 999'
  done
  mapfile -t pids < <(instance_pids)
  assert_equal "$(allowed "/proc/${pids[0]}")" "$(allowed /proc/self)"
  assert_equal "$(config save) $(config appendonly)" '1 1 no'
  wait_until 30 test -s host/run-*/server/data-"$BASE"/dump.rdb
  unloaded
}

@test "strategy 1: the first instance is on the first core, by the kernel; a log of all writes is on the disk" {
  need_command numactl
  loaded allkeys-lfu REDIS_NUMACTL_STRATEGY=1 REDIS_PERSISTENCE_POLICY=AOF REDIS_APPENDFSYNC_MODE=always
  mapfile -t pids < <(instance_pids)
  assert_equal "$(allowed "/proc/${pids[0]}")" "$(cat /sys/devices/system/cpu/cpu0/topology/thread_siblings_list)"
  assert_equal "$(config save)|$(config appendonly) $(config appendfsync)" '|yes always'
  # Redis 7 keeps its AOF in a directory.
  [[ -n $(find host/run-*/server/data-"$BASE" -name '*.aof' -size +10k) ]] || fail "no log of the writes"
  unloaded
}

@test "options of numactl of one's own take the place of a strategy, for Redis and for the load; without persistence nothing is on the disk" {
  need_command numactl
  loaded volatile-random REDIS_SERVER_NUMACTL_OPTIONS='-C 0 -m 0' MEMTIER_CLIENT_NUMACTL_OPTIONS='-C 0' REDIS_PERSISTENCE_POLICY=false PERSISTENCE.dir=/none
  pid=$(instance_pids | sed -n 1p)
  assert_equal "$(allowed "/proc/$pid")" 0
  grep -q ' bind:0 ' "/proc/$pid/numa_maps"
  assert_equal "$(allowed "/proc/$(cat host/run-*/client-*/test.pid)")" 0
  assert_equal "$(config save)|$(config appendonly)" '|no'
  assert_equal "$(find host/run-*/server/data-"$BASE" -type f)" ''
  unloaded
  fails 3 run_split "$REPO/do_it.sh" doctor --all -s wsf-pkm "${WORDS[@]}" REDIS_SERVER_NUMACTL_OPTIONS='-N 0 -M 0' MEMTIER_CLIENT_NUMACTL_OPTIONS='-N 1023 -m 1023'
  assert_match $'fail +variant native +\'numactl -N 0 -M 0\' does not start a program: numactl: [^\n]* SERVER_NUMACTL=-N 0 -M 0 .*-N 0 -m 0\n'
  assert_match $'fail +variant native +\'numactl -N 1023 -m 1023\' does not start a program: [^\n]*1023[^\n]* CLIENT_PREFIX=numactl -N 1023 -m 1023 '
}

@test "io threads: their number, whether they read, and the CPUs that Redis itself gives them" {
  found=0
  # The wrapper allows every CPU, so only Redis itself can keep its threads on the first CPU.
  cpus=$(allowed /proc/self)
  wide=(CPU_USED=1 REDIS_SERVER_IO_THREADS=2 SERVER_CPUS="${cpus%%[,-]*}" SERVER_PREFIX="taskset -c $cpus")
  loaded volatile-lfu "${wide[@]}" REDIS_SERVER_IO_THREADS_DO_READS=true REDIS_SERVER_IO_THREADS_CPU_AFFINITY=true
  assert_equal "$(config io-threads) $(config io-threads-do-reads)" '2 yes'
  pid=$(instance_pids)
  assert_equal "$(config server_cpulist)" "${cpus%%[,-]*}"
  for task in "/proc/$pid/task"/*; do
    [[ $(<"$task/comm") == io_thd_* ]] || continue
    found=1
    assert_equal "$(allowed "$task")" "$(config server_cpulist)"
  done
  ((found)) || fail "there is no thread io_thd"
  unloaded
  loaded noeviction "${wide[@]}"
  assert_equal "$(config io-threads) $(config io-threads-do-reads)|$(config server_cpulist)" '2 no|'
  assert_equal "$(allowed "/proc/$(instance_pids)")" "$cpus"
  unloaded
  for strategy in REDIS_NUMACTL_STRATEGY=0 REDIS_SERVER_NUMACTL_OPTIONS='-C 0' REDIS_SERVER_IO_THREADS=1; do
    run_plan -s wsf-pkm "${WORDS[@]}" REDIS_SERVER_IO_THREADS=2 REDIS_SERVER_IO_THREADS_CPU_AFFINITY=true "$strategy"
    assert_match 'warning: IO_THREADS_AFFINITY=on: set IO_THREADS' "$STDERR"
  done
}

@test "an eviction policy with a limit: keys go, and reads miss; without a policy Redis refuses, and the run says so" {
  succeeds run_split "$REPO/do_it.sh" run "${untuned[@]}" -s wsf-pkm "${WORDS[@]}" MEMTIER_KEY_MAXIMUM=19999 MEMTIER_TEST_TIME=1 REDIS_EVICTION_POLICY=allkeys-lru REDIS_CONF.maxmemory=3M
  misses=$(phase_column mixed misses)
  ((misses > 0)) || fail "nothing was missed"
  (($(sed -n 's/^evicted_keys:\([0-9]*\).*/\1/p' results/*/native/*/rep-1/server/info.after | sed -n 1p) > 0)) || fail "nothing was evicted"
  assert_equal "$(sed -n 's/^maxmemory_policy:\([a-z-]*\).*/\1/p; s/^maxmemory:\([0-9]*\).*/\1/p' results/*/native/*/rep-1/server/info.after | sort -u | paste -sd ' ')" '3145728 allkeys-lru'
  run_split "$REPO/do_it.sh" kpi results/*
  assert_line "Misses: $misses"
  rm -rf results
  fails 1 run_split "$REPO/do_it.sh" run "${untuned[@]}" -s wsf-pkm "${WORDS[@]}" MEMTIER_KEY_MAXIMUM=19999 MEMTIER_TEST_TIME=1 REDIS_EVICTION_POLICY=noeviction REDIS_CONF.maxmemory=3M
  assert_contains 'OOM command not allowed' "$STDERR"
  run_split "$REPO/do_it.sh" doctor --all -s wsf-pkm "${WORDS[@]}" REDIS_EVICTION_POLICY=allkeys-lru
  assert_match 'warn +settings +REDIS_CONF.maxmemory-policy=allkeys-lru .*without it, no key is evicted'
  run_plan -s wsf-pkm "${WORDS[@]}" REDIS_EVICTION_POLICY=allkeys-lru
  assert_match 'warning: REDIS_CONF.maxmemory-policy=allkeys-lru: .*without it, no key is evicted' "$STDERR"
}
