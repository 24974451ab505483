#!/usr/bin/env bats
# SPDX-License-Identifier: MIT
# The master's side of the load generators, with hosts that are not there.

load helper

setup() {
  scratch_setup
}

teardown() {
  scratch_teardown
}

@test "clients get one time to start at, each by its own clock, far enough ahead for all to receive it" {
  # shellcheck disable=SC2016 # expanded by the master
  master "CLIENT_IP=192.0.2.1" '
    monitor_mark() { :; }
    trace_mark() { :; }
    neighbour_mark() { :; }
    log_info() { :; }
    _CLIENT_STATE=([a]=running [b]=running) _CLIENT_READY=([a]=set [b]=set) _CLIENT_OFFSET=([a]=0 [b]=5000000) _CLIENT_LATE=([a]=200000 [b]=400000)
    before=${EPOCHREALTIME/[.,]/}
    _client_start a b
    for client in a b; do
      read -r phase start <<<"${_CLIENT_GO[$client]}"
      echo "$client $phase $((${start/./} - before - ${_CLIENT_OFFSET[$client]} >= 700000)) ${start/./}" >>told
    done
    awk "{ print \$1, \$2, \$3; at[NR] = \$4 } END { print at[2] - at[1] }" told'
  assert_success
  assert_output $'a set 1\nb set 1\n5000000'
}
