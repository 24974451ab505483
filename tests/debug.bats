#!/usr/bin/env bats
# SPDX-License-Identifier: MIT
# TIERBENCH_DEBUG=1 traces the master, without passwords.
# shellcheck disable=SC2154,SC2016 # stderr is set by run_split; lines of the code are not expanded

load helper

setup() {
  scratch_setup
  untune
}

@test "plan traces to stderr: files, lines and functions without values, and stdout is as without" {
  run_split env TIERBENCH_DEBUG=1 "$REPO/do_it.sh" plan --settings -s demo SERVER_CORES=4 SERVER_MEM=4 SERVER=203.0.113.1 CLIENT_IP=203.0.113.2 SERVER_PREFIX='env KEY=hunter2'
  assert_success
  assert_contains 'env KEY=hunter2' "$output"
  refute_contains hunter2 "$stderr"
  # In functions and in the subshells of others: each line is that of the code.
  local traced=$stderr plain=$output line text
  for text in 'conf_say: local IFS=' '_planner_input: local host name REPLY'; do
    assert_contains "$text" "$traced"
    line=$(grep -m 1 -F "$text" <<<"$traced")
    line=${line%% *}
    assert_contains "${text#*: }" "$(sed -n "${line#*:}p" "$REPO/${line%:*}")"
  done
  run "$REPO/do_it.sh" plan --settings -s demo SERVER_CORES=4 SERVER_MEM=4 SERVER=203.0.113.1 CLIENT_IP=203.0.113.2 SERVER_PREFIX='env KEY=hunter2'
  assert_output "$plain"
}

@test "a run traces to its debug.log, which has none of its passwords and is not among its checked files" {
  # A program that runs during a phase keeps what the generators log in with.
  printf '#!/bin/bash\ncat %q/host/run-*/*/auth | tr , "\\n" >>%q/passwords\n' "$SCRATCH" "$SCRATCH" >keep
  chmod 755 keep
  run_split env TIERBENCH_DEBUG=1 "$REPO/do_it.sh" run -s demo REDISBASE="$(ports_pick 2)" KEYS=500 VALUE_SIZES=100 REDISRUNS=1 RESULTS_DIR="$SCRATCH/results" SIDECAR="$SCRATCH/keep"
  assert_success
  assert_match 'server.sh:[0-9]+ _server_passwords: ' "$(<results/*/debug.log)"
  assert_equal "$(awk 'length >= 24' passwords | sort -u | wc -l)" 2
  assert_equal "$(grep -cFf passwords results/*/debug.log - <<<"$stderr" | cut -d : -f 2 | paste -sd ' ')" '0 0'
  run "$REPO/do_it.sh" verify results/*
  assert_success
  assert_contains 'whole and unchanged'
}
