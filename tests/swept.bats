#!/usr/bin/env bats
# SPDX-License-Identifier: MIT
# What killed tests leave on the machine does not reach the next ones.
# lane: host

load helper

teardown() {
  local folder
  for folder in "$SCRATCH" "$DEAD"; do swapoff "$folder/host/tierbench-x.swap" 2>/dev/null || :; done
  rm -rf -- "$DEAD"
  scratch_teardown
}

@test "the swap of a test that was killed is disabled before tests run, and that of a test that runs is not" {
  DEAD=${SCRATCH%/*}/tierbench-test.killed-$BASHPID
  need_swap
  for folder in "$SCRATCH" "$DEAD"; do
    mkdir -p "$folder/host"
    head -c 4M /dev/zero >"$folder/host/tierbench-x.swap"
    chmod 600 "$folder/host/tierbench-x.swap"
    mkswap "$folder/host/tierbench-x.swap" >/dev/null
    swapon "$folder/host/tierbench-x.swap"
  done
  echo '@test "none" { :; }' >none.bats
  succeeds run "$REPO/tests/run.sh" "$SCRATCH/none.bats"
  assert_contains "removing the swap of a test that was killed: $DEAD/host/tierbench-x.swap"
  assert_equal "$(grep -c "^$DEAD/" /proc/swaps) $(grep -c "^$SCRATCH/" /proc/swaps)" '0 1'
}
