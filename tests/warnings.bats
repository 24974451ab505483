#!/usr/bin/env bats
# SPDX-License-Identifier: MIT
# Warnings of Redis at startup: reported by the run and by doctor, and absent on a tuned host.
# lane: host

load helper

prepare() {
  WORDS=(-s demo REMOTE_DIR="$SCRATCH/host" RESULTS_DIR="$SCRATCH/results" REDISBASE="$(ports_pick 2)" KEYS=500 VALUE_SIZES=100 REDISRUNS=1 PHASES=set)
}

@test "a tuned run has no warnings; a backlog above the host's limit is one, named by the run and by doctor" {
  need_root
  succeeds run_split "$REPO/do_it.sh" run "${WORDS[@]}"
  refute_contains 'Redis warns' "$STDERR"
  # The kernel stores a backlog in 32 bits, and no user sets the limit this high.
  succeeds run_split "$REPO/do_it.sh" run "${WORDS[@]}" REDIS_CONF='tcp-backlog 2147483000'
  assert_contains 'Redis warns (2 of the instances): The TCP backlog setting of 2147483000 cannot be enforced' "$STDERR"
  run_split "$REPO/do_it.sh" doctor --all "${WORDS[@]}"
  assert_match 'warn +Redis warnings +The TCP backlog setting of 2147483000 cannot be enforced'
}

@test "doctor prints the warnings of the newest run with logs on the same server, else nothing" {
  # Usage: run_left NAME SERVER [WARNING]; without the third there are no logs
  run_left() {
    mkdir -p "results/$1/native/1000B-1i/rep-1/server"
    printf 'SERVER="%s"\n' "$2" >"results/$1/run.conf"
    [[ -z ${3-} ]] || printf '1:M 05 Dec 2018 20:12:12.241 %s\n' "$3" >"results/$1/native/1000B-1i/rep-1/server/redis-6379.log"
  }
  told() { RESULTS_DIR=results SERVER=$1 bash -c 'ROOT=$1 LIB=$1/lib && . "$LIB/modules.sh" && warnings_check' bash "$REPO" | cut -f 1-3; }
  run_left 20250101T100000Z-x 192.0.2.1 '# WARNING older'
  run_left 20250102T100000Z-x 192.0.2.1 '# WARNING newer'
  run_left 20250103T100000Z-x 192.0.2.2 '# WARNING other'
  run_left 20250104T100000Z-x 192.0.2.1
  run_left 20250105T100000Z-x 192.0.2.4 '* Ready to accept connections'
  assert_equal "$(told 192.0.2.1)" $'warn\tnewer\tnone in the logs of 20250102T100000Z-x'
  assert_equal "$(told 192.0.2.2)" $'warn\tother\tnone in the logs of 20250103T100000Z-x'
  assert_equal "$(told 192.0.2.3)" ''
  assert_equal "$(told 192.0.2.4)" $'ok\tnone\tnone in the logs of 20250105T100000Z-x'
}

@test "warnings are printed once, with the number of instances: without their differences, control characters and figures that differ each time" {
  mkdir server
  text='1:M 05 Dec 2018 20:12:12.24%d # %s\n'
  # shellcheck disable=SC2059 # the line of a log
  {
    printf "$text" 1 $'WARNING a \e[2J b \xc2\x9b2J c' 1 'WARNING overcommit_memory is set to 0!' 2 'Server initialized' >server/redis-1.log
    printf "$text" 3 'WARNING overcommit_memory is set to 0!' 4 'WARNING overcommit_memory is set to 0!' >server/redis-2.log
    printf "$text" 5 'Short write while writing to the AOF file: (nwritten=5995, expected=16528)' 6 'Short write while writing to the AOF file: (nwritten=5, expected=16528)' \
      7 'Write error saving DB on disk: No space left on device' 8 'Background saving error' >server/redis-3.log
  }
  run bash -c 'ROOT=$1 LIB=$1/lib && . "$LIB/modules.sh" && warnings_read server' bash "$REPO"
  assert_output $'1\ta  [2J b  2J c\t1\tserver
2\tovercommit_memory is set to 0!\t1\tserver
1\tShort write while writing to the AOF file\t1\tserver
1\tWrite error saving DB on disk: No space left on device\t1\tserver
1\tBackground saving error\t1\tserver'
}

@test "more memory than planned is a warning: KEYS is an estimate" {
  tell() {
    bash -c 'ROOT=$1 LIB=$1/lib && . "$LIB/modules.sh"
      SERVERS=(h) HOST=h _MONITOR_PLANNED=1000 POINT_INSTANCES=1
      _monitor_tell set $'"'"'1\tused_memory\t'"'"'"$2"' bash "$REPO" "$1" 2>&1
  }
  assert_contains 'warning: used_memory is 69.7 % above the plan; FILL measures' "$(tell 1697)"
  refute_contains 'above the plan' "$(tell 1080)"
  refute_contains 'above the plan' "$(tell 300)"
}
