#!/usr/bin/env bats
# SPDX-License-Identifier: MIT
# Warnings of Redis at startup: reported by the run and by doctor, and absent on a tuned host.
# lane: host
# shellcheck disable=SC2154 # stderr is set by run_split

load helper

setup() {
  scratch_setup
  WORDS=(-s demo REMOTE_DIR="$SCRATCH/host" RESULTS_DIR="$SCRATCH/results" REDISBASE="$(ports_pick 2)" KEYS=500 VALUE_SIZES=100 REDISRUNS=1 PHASES=set)
}

@test "a tuned run has no warnings; a backlog above the host's limit is one, named by the run and by doctor" {
  need_root
  run_split "$REPO/do_it.sh" run "${WORDS[@]}"
  assert_success
  refute_contains 'Redis warns' "$stderr"
  run_split "$REPO/do_it.sh" doctor --all "${WORDS[@]}"
  assert_match 'ok +Redis warnings +none +none in the logs of [0-9TZ]+-demo'
  # The kernel stores a backlog in 32 bits, and no user sets the limit this high.
  run_split "$REPO/do_it.sh" run "${WORDS[@]}" REDIS_CONF='tcp-backlog 2147483000'
  assert_success
  assert_contains 'Redis warns (2 of the instances): The TCP backlog setting of 2147483000 cannot be enforced' "$stderr"
  run_split "$REPO/do_it.sh" doctor --all "${WORDS[@]}"
  assert_match 'warn +Redis warnings +The TCP backlog setting of 2147483000 cannot be enforced'
}

@test "doctor prints the warnings of the newest run with logs on the same server, else nothing" {
  # Usage: run_left NAME SERVER [WARNING]; without the third there are no logs
  run_left() {
    mkdir -p "results/$1/native/1000B-1i/rep-1/server"
    printf 'SERVER="%s"\n' "$2" >"results/$1/run.conf"
    [[ -z ${3-} ]] || printf '1:M 05 Dec 2018 20:12:12.241 # WARNING %s\n' "$3" >"results/$1/native/1000B-1i/rep-1/server/redis-6379.log"
  }
  told() { RESULTS_DIR=results SERVER=$1 bash -c 'ROOT=$1 LIB=$1/lib && . "$LIB/modules.sh" && warnings_check' bash "$REPO" | cut -f 1-3; }
  run_left 20250101T100000Z-x 192.0.2.1 older
  run_left 20250102T100000Z-x 192.0.2.1 newer
  run_left 20250103T100000Z-x 192.0.2.2 other
  run_left 20250104T100000Z-x 192.0.2.1
  assert_equal "$(told 192.0.2.1)" $'warn\tnewer\tnone in the logs of 20250102T100000Z-x'
  assert_equal "$(told 192.0.2.2)" $'warn\tother\tnone in the logs of 20250103T100000Z-x'
  assert_equal "$(told 192.0.2.3)" ''
}

@test "a warning has no control characters, of one byte or of two" {
  mkdir server
  printf '1:M 05 Dec 2018 20:12:12.240 # WARNING a \033[2J b \302\2332J c\n' >server/redis-1.log
  run bash -c 'ROOT=$1 LIB=$1/lib && . "$LIB/modules.sh" && warnings_read server' bash "$REPO"
  assert_output $'1\ta  [2J b  2J c\t1\tserver'
}

@test "an instance that was started again and warns once more is still one instance" {
  mkdir server
  printf '1:M 05 Dec 2018 20:12:12.240 # WARNING overcommit\n' | tee server/redis-1.log server/redis-2.log >server/more
  cat server/more >>server/redis-2.log
  run bash -c 'ROOT=$1 LIB=$1/lib && . "$LIB/modules.sh" && warnings_read server' bash "$REPO"
  assert_output $'2\tovercommit\t1\tserver'
}

@test "warnings of several instances are printed once, without their differences" {
  mkdir server
  for port in 1 2; do
    printf '%d:M 05 Dec 2018 20:12:12.24%d # WARNING overcommit_memory is set to 0! Background save may fail\n%d:M * Ready\n' "$port" "$port" "$port" >"server/redis-$port.log"
  done
  run bash -c 'ROOT=$1 LIB=$1/lib && . "$LIB/modules.sh" && warnings_read server' bash "$REPO"
  assert_output $'2\tovercommit_memory is set to 0! Background save may fail\t1\tserver'
}

@test "files that Redis cannot write are a warning each, without figures that differ each time" {
  mkdir server
  printf '1:M 27 Nov 2026 15:08:17.947 # %s\n' 'Short write while writing to the AOF file: (nwritten=5995, expected=16528)' \
    'Short write while writing to the AOF file: (nwritten=5, expected=16528)' 'Write error saving DB on disk: No space left on device' \
    'Background saving error' 'Server initialized' >server/redis-1.log
  run bash -c 'ROOT=$1 LIB=$1/lib && . "$LIB/modules.sh" && warnings_read server' bash "$REPO"
  assert_output $'1\tShort write while writing to the AOF file\t1\tserver\n1\tWrite error saving DB on disk: No space left on device\t1\tserver\n1\tBackground saving error\t1\tserver'
}

@test "more memory than planned is a warning: KEYS is an estimate" {
  # shellcheck disable=SC2016 # expanded by the inner shell
  tell() {
    bash -c 'ROOT=$1 LIB=$1/lib && . "$LIB/modules.sh"
      SERVERS=(h) HOST=h _MONITOR_PLANNED=1000 POINT_INSTANCES=1
      _monitor_tell set $'"'"'1\tused_memory\t'"'"'"$2"' bash "$REPO" "$1" 2>&1
  }
  assert_contains 'warning: used_memory is 69.7 % above the plan; FILL measures' "$(tell 1697)"
  refute_contains 'above the plan' "$(tell 1080)"
  refute_contains 'above the plan' "$(tell 300)"
}
