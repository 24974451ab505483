#!/usr/bin/env bats
# SPDX-License-Identifier: MIT
# Settings in the environment: with TIERBENCH_ in front they count, and a shell's other variables break nothing.
# shellcheck disable=SC2154 # stderr is set by run_split

load helper

# Plan the demo in an environment. Usage: plan_in NAME=VALUE... [-- WORD...]
plan_in() {
  local -a set=()
  while (($# > 0)) && [[ $1 != -- ]]; do
    set+=("$1")
    shift
  done
  run_split env "${set[@]}" "$REPO/do_it.sh" plan -s demo SERVER_CORES=4 SERVER_MEM=4 REDISBASE="$(ports_pick 2)" "${@:2}"
}

@test "TIERBENCH_NAME counts, the command line stands above it, and a wrong one is refused by its name" {
  plan_in TIERBENCH_REDISRUNS=9
  assert_success
  assert_contains '9 repeat(s)'
  assert_equal "$stderr" ''
  plan_in TIERBENCH_REDISRUNS=9 -- REDISRUNS=11
  assert_contains '11 repeat(s)'
  # The aliases of settings, too.
  plan_in TIERBENCH_MEMTIER_PIPELINE=6
  assert_contains 'pipeline 6'
  plan_in TIERBENCH_REDISRUNS=often
  assert_failure 2
  assert_contains 'environment: REDISRUNS=often: invalid' "$stderr"
  plan_in TIERBENCH_REDISRUN=9
  assert_failure 2
  assert_contains 'environment: REDISRUN: unknown setting; the nearest is REDISRUNS' "$stderr"
}

@test "a name alone is somebody else's: it is ignored, and one line names what could be meant" {
  plan_in DATA=/mnt/data KEYS=/etc/keys
  assert_success
  assert_equal "$stderr" ''
  plan_in SIDECAR=1 REDISRUNS=9 MEMTIER_PIPELINE=6
  assert_success
  refute_contains '9 repeat(s)'
  refute_contains 'pipeline 6'
  assert_match 'environment: .*SIDECAR.*: ignored; requires: TIERBENCH_ in front of the name, such as TIERBENCH_[A-Z_]+' "$stderr"
  assert_equal "$(wc -l <<<"$stderr")" 1
  for name in SIDECAR REDISRUNS MEMTIER_PIPELINE; do assert_match "environment:.* ${name}[ :]" "$stderr"; done
  plan_in REDISRUNS=9 TIERBENCH_REDISRUNS=8 TIERBENCH_SIDECAR=off SIDECAR=1
  assert_equal "$stderr" ''
}

@test "commands that only read results ignore such names too" {
  DATA=/mnt/data run_split "$REPO/do_it.sh" compare "$REPO/results/sample"
  assert_success
  assert_equal "$stderr" "$(env "$REPO/do_it.sh" compare "$REPO/results/sample" 2>&1 >/dev/null)"
}
