#!/usr/bin/env bats
# SPDX-License-Identifier: MIT
# The test driver counts what passed, failed and was skipped, and its last line and exit status say so.

load helper

setup() {
  scratch_setup
  unset -v CI
}

teardown() {
  scratch_teardown
}

# Write a test file whose tests have these bodies, and print the driver's last lines.
suite() {
  local body n=0
  for body; do
    n=$((n + 1))
    printf '@test "case %s" {\n%s\n}\n' "$n" "$body"
  done >suite.bats
  run "$REPO/tests/run.sh" suite.bats
}

@test "all passed: exit 0" {
  suite true true
  assert_success
  assert_equal "${lines[-1]}" '2 passed, 0 failed'
}

@test "one failed: exit 1, and it is named" {
  suite true false
  assert_failure 1
  assert_equal "${lines[-1]}" '1 passed, 1 failed'
  assert_line 'failed: suite.bats: case 2'
}

@test "a skip is counted and named with its reason" {
  suite true 'skip "no such hardware"'
  assert_success
  assert_equal "${lines[-1]}" '1 passed, 0 failed, 1 skipped'
  assert_line 'skipped: suite.bats: case 2: no such hardware'
}

@test "in CI a skip for what could be installed is a failure, another is not" {
  export CI=true
  suite 'skip "nosuchtool is not installed"' 'skip "no such hardware"'
  assert_failure 1
  assert_equal "${lines[-1]}" '0 passed, 1 failed, 2 skipped'
}

@test "a file that cannot be run is a failure" {
  printf '@test "broken" {\n' >suite.bats
  run "$REPO/tests/run.sh" suite.bats
  assert_failure 1
  assert_match '^0 passed, [1-9][0-9]* failed$' "${lines[-1]}"
}

@test "a suite that hangs is ended, and is a failure" {
  export SUITE_LIMIT=1
  suite 'sleep 60'
  assert_failure 1
  assert_contains 'suite.bats: took more than 1 s'
}

@test "a suite that leaves a file behind is a failure" {
  # shellcheck disable=SC2016 # expanded by the test
  suite ': >"$TMPDIR/mine"'
  assert_failure 1
  assert_line 'failed: suite.bats: left in TMPDIR: mine '
  assert_equal "${lines[-1]}" '1 passed, 1 failed'
}

@test "an unknown suite is bad usage" {
  run "$REPO/tests/run.sh" nonsense
  assert_failure 2
  assert_contains 'unknown suite: nonsense'
}

@test "an interrupted driver ends its suite and leaves no folder" {
  printf '@test "long" {\necho $$ >"%s/pid"\nsleep 60\n}\n' "$SCRATCH" >suite.bats
  mkdir tmp
  TMPDIR=$SCRATCH/tmp job_start "$REPO/tests/run.sh" suite.bats
  wait_until 10 test -s pid
  local pid start
  pid=$(<pid)
  start=$(process_start "$pid")
  kill -INT "$JOB_PID"
  job_wait 20
  assert_equal "$status" 130
  wait_until 5 process_gone "$pid" "$start"
  assert_equal "$(find tmp -mindepth 1)" ''
}
