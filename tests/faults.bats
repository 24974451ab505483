#!/usr/bin/env bats
# SPDX-License-Identifier: MIT
# The fault matrix itself: it breaks a real run, counts what survived, and finds what is left of a run that does not clean up.
# lane: host

load helper

prepare() {
  need_command ip sshd
  need_root
}

@test "a master killed in the load leaves nothing that stop does not find; a word that is not a fault, or not a number of minutes, is one line" {
  succeeds run env TRY=master-kill:set:100 "$REPO/tests/faults/run.sh"
  assert_equal "${lines[-1]}" '1 faults tried, 1 survived, state diff empty'
  fails 2 run env TRY=flood:set:1 "$REPO/tests/faults/run.sh"
  assert_match '^faults: TRY=flood:set:1: is no FAULT:MOMENT:NUMBER; faults: .*master-kill'
  fails 2 run env MINUTES=0x7 "$REPO/tests/faults/run.sh"
  assert_output 'faults: MINUTES=0x7: is no number of minutes'
}
