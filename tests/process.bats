#!/usr/bin/env bats
# SPDX-License-Identifier: MIT
# Recorded processes: how they are stopped.

load helper

setup() {
  scratch_setup
}

teardown() {
  scratch_teardown
}

@test "a stopped process is woken to end by itself, and is not killed" {
  # shellcheck disable=SC2016 # expanded by the inner shells
  job_start bash -c 'trap "echo by itself >ended; exit" TERM; : >up; while :; do sleep 0.05; done'
  wait_until 20 test -e up
  kill -STOP "$JOB_PID"
  # shellcheck disable=SC2016 # expanded by the inner shell
  run bash -c '. "$REPO/lib/shared/common.sh" && proc_record record "$1" job && proc_end 20 record' bash "$JOB_PID"
  assert_success
  assert_equal "$(<ended)" 'by itself'
}
