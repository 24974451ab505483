#!/usr/bin/env bats
# SPDX-License-Identifier: MIT
# Processes that stop silently during a load: one line names each, and the repeat is not a result.

load helper

# The record of a process of the run, once its log says so. Usage: life_pid FILE   Prints its pid
life_pid() {
  wait_until 60 compgen -G "host/run-*/$1"
  head -n 1 "$(compgen -G "host/run-*/$1" | tail -n 1)" | cut -f 1
}

# Wait for lines of the run that match a regular expression. Usage: life_said COUNT REGEX
life_said() { wait_until 60 _life_count "$@" || fail "not said: $2: $(<job.err)"; }

_life_count() { (($(grep -cE -- "$2" job.err) >= $1)); }

@test "a suspended generator, suspended monitors and a clock that was set: each is named, and the repeat is not a result" {
  untuned=(TUNE=off KERNEL=keep)
  job_start "$REPO/do_it.sh" run "${untuned[@]}" -s demo SRV_OVERRIDE=1 VALUE_SIZES=100 KEYS=100 PHASES=get TIME=120 RATE=1000 REDISRUNS=3 RESERVE=1M \
    REDISBASE="$(ports_pick 1)" RESULTS_DIR="$SCRATCH/results" LOCK_DIR="$SCRATCH/lock"
  life_said 1 'phase get starts'
  kill -STOP "$(life_pid 'client-*/generator.proc')"
  life_said 1 '127.0.0.1: the load generator was stopped by a signal \(SIGSTOP\)'
  life_said 2 'phase get starts'
  kill -STOP "$(life_pid monitor/monitor.proc)"
  life_said 1 '127.0.0.1: guard: the monitors were stopped by a signal \(SIGSTOP\)'
  life_said 3 'phase get starts'
  # As if the clock had been an hour behind when the generator was started.
  file=$(compgen -G 'host/run-*/client-*/clock')
  read -r from up <"$file"
  printf '%s %s\n' $((from - 360000)) "$up" >"$file.new"
  mv "$file.new" "$file"
  # /proc/uptime and the clock are each cut to 10 ms: their difference is so too.
  life_said 1 '127.0.0.1: its clock jumped by (3599\.9|3600\.0)'
  fails 1 job_wait 120
  assert_equal "$(find results -name 'rep-*.failed-*' | wc -l)" 3
  assert_equal "$(find results -name 'rep-[123]')" ''
  assert_equal "$(find host -name 'run-*')" ''
}

@test "a generator without progress during a phase is named; one that is done, or waits, is not" {
  # Usage: try STATUS SECONDS [READY]
  code='printf -v TAB "\t"
    conf_read
    try() {
      _CLIENT_STATE[a]=running _CLIENT_MOVED[a]=100 _CLIENT_STATUS[a]=${1//,/$TAB} _CLIENT_READY[a]=${3-} SECONDS=$2
      _client_stalls a
      echo "${_CLIENT_STATE[a]}"
    }
    try get,10,100,1 109
    try get,10,100,1 110
    try "" 110
    try get,100,100,1 400
    try get,10,100,1 400 get
    INTERVAL=20 try get,10,100,1 141
    INTERVAL=20 try get,10,100,1 142'
  prints "running
the load generator makes no progress for 10 s
the load generator makes no progress for 10 s
running
running
running
the load generator makes no progress for 42 s" run_split modules "$code"
}
