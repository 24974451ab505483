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

@test "how late a call arrives at a client: from the call of all clients, by the master's clock, within the trip" {
  # shellcheck disable=SC2016 # expanded by the master
  master "CLIENT_IP=192.0.2.1" '
    take() {
      SIDE_STATUS=([a]=0) SIDE_OUT=([a]="$(printf "clock\t%s\t%s\ntrip\t%s\t%s\n" "$@")")
      _client_take a
      echo "${_CLIENT_LATE[a]} ${_CLIENT_OFFSET[a]}"
    }
    _CLIENT_ASKED=1000000
    # It took 0.3 s here to begin, 0.35 s each way, and 0.1 s there.
    take 6.350000 6.450000 1300000 2100000
    # A longer trip does not change the offset, from which its delay is known.
    take 6.900000 7.000000 1300000 2500000
    # An arrival before its call, by a clock that is not known better, counts as none.
    take 5.000000 5.100000 1300000 2500000'
  assert_success
  assert_output $'650000 4700000\n1200000 4700000\n300000 4700000'
}

@test "a load generator starts with a long name of its scenario and of its client" {
  # shellcheck disable=SC2016 # expanded by the master
  master "" '
    CLIENT_PASSWORD= SERVER_CERTIFICATE= CLIENT_THREADS=1
    lock_name "$(printf "%060d" 1)"
    CLIENT=$(printf "%0100d" 2)
    remote_run -e CLIENT -e CLIENT_THREADS -e CLIENT_PASSWORD -e SERVER_CERTIFICATE 127.0.0.1 client launch sleep 1000
    cat "$REMOTE_DIR"/run-*/client-*/test.pid
    remote_run -e CLIENT 127.0.0.1 client stop'
  assert_success
  assert_match $'\n[0-9]+$'
}
