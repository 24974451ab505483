#!/usr/bin/env bats
# SPDX-License-Identifier: MIT
# What is undone on the way out: everything, newest first, whatever the way out is.

load helper

setup() {
  scratch_setup
}

teardown() {
  scratch_teardown
}

# Run a script that has the traps, as a job that signals reach.
# Usage: script CODE
script() {
  printf 'set -Eeuo pipefail\n. %s/lib/cleanup.sh\ncleanup_init\n%s\n' "$REPO" "$1" >script.sh
  job_start bash script.sh
}

@test "entries are undone newest first, with their words as they were, and the status stays" {
  script 'cleanup_push printf "%s|" first "a  b" "c;d"
cleanup_push echo second
exit 7'
  job_wait 10
  assert_equal "$status" 7
  assert_equal "$output" $'second\nfirst|a  b|c;d|'
}

@test "a failing entry does not keep the others from being undone" {
  script 'cleanup_push echo still
cleanup_push false
false'
  job_wait 10
  assert_equal "$status" 1
  assert_equal "$output" still
}

@test "signals end the script with 130 and 143, and everything is undone once" {
  local pair
  for pair in INT:130 TERM:143; do
    rm -f waiting
    script 'cleanup_push echo undone
: >waiting
while :; do sleep 0.1; done'
    wait_until 10 test -e waiting
    kill -"${pair%:*}" -"$JOB_PID"
    job_wait 10
    assert_equal "$status" "${pair#*:}"
    assert_equal "$output" undone
  done
}

@test "what a signal interrupts in the middle of being undone is undone again" {
  script 'undo() { echo begin; : >begun; [[ -e again ]] || while :; do sleep 0.1; done; echo end; }
cleanup_push undo
cleanup_pop'
  wait_until 10 test -e begun
  touch again
  kill -INT -"$JOB_PID"
  job_wait 10
  assert_equal "$status" 130
  assert_equal "$output" $'begin\nbegin\nend'
}
