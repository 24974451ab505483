#!/usr/bin/env bats
# SPDX-License-Identifier: MIT
# What Redis warns of when it starts: said by the run and by doctor, and nothing on a tuned host.
# lane: host
# shellcheck disable=SC2154 # stderr is set by run_split

load helper

setup() {
  scratch_setup
  WORDS=(-s demo REMOTE_DIR="$SCRATCH/host" RESULTS_DIR="$SCRATCH/results" REDISBASE="$(ports_pick 2)" KEYS=500 VALUE_SIZES=100 REDISRUNS=1 PHASES=set)
}

teardown() {
  scratch_teardown
}

@test "a tuned run has no warnings; a backlog above the host's limit is one, named by the run and by doctor" {
  need_root
  run_split "$REPO/do_it.sh" run "${WORDS[@]}"
  assert_success
  refute_contains 'Redis warns' "$stderr"
  run_split "$REPO/do_it.sh" doctor "${WORDS[@]}"
  assert_match 'ok +Redis warnings +none +none in the logs of [0-9TZ]+-demo'
  # The kernel counts a backlog in 32 bits, and nobody sets the limit as high as this.
  run_split "$REPO/do_it.sh" run "${WORDS[@]}" REDIS_CONF='tcp-backlog 2147483000'
  assert_success
  assert_contains 'Redis warns (2 of the instances): The TCP backlog setting of 2147483000 cannot be enforced' "$stderr"
  run_split "$REPO/do_it.sh" doctor "${WORDS[@]}"
  assert_match 'warn +Redis warnings +The TCP backlog setting of 2147483000 cannot be enforced'
}

@test "warnings of several instances are told once, without what differs" {
  mkdir server
  for port in 1 2; do
    printf '%d:M 05 Dec 2018 20:12:12.24%d # WARNING overcommit_memory is set to 0! Background save may fail\n%d:M * Ready\n' "$port" "$port" "$port" >"server/redis-$port.log"
  done
  run bash -c '. "$1/lib/warnings.sh" && warnings_read server' bash "$REPO"
  assert_output $'2\tovercommit_memory is set to 0! Background save may fail\t1\tserver'
}
