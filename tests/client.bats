#!/usr/bin/env bats
# SPDX-License-Identifier: MIT
# The master's side of the load generators, with hosts that are not there, and what a launch finds on a host.
# slow

load helper

@test "clients get one time to start at, each by its own clock, far enough ahead for all to receive it; how late a call arrives is counted from the call of all, within the trip" {
  prints $'a set 1\nb set 1\n5000000' master '' '
    CLIENT_IP=192.0.2.1
    monitor_mark() { :; }
    foreign_mark() { :; }
    log_info() { :; }
    _CLIENT_STATE=([a]=running [b]=running) _CLIENT_READY=([a]=set [b]=set) _CLIENT_OFFSET=([a]=0 [b]=5000000) _CLIENT_LATE=([a]=200000 [b]=400000)
    before=${EPOCHREALTIME/[.,]/}
    _client_start a b
    for client in a b; do
      read -r phase start <<<"${_CLIENT_GO[$client]}"
      echo "$client $phase $((${start/./} - before - ${_CLIENT_OFFSET[$client]} >= 700000)) ${start/./}" >>told
    done
    awk "{ print \$1, \$2, \$3; at[NR] = \$4 } END { print at[2] - at[1] }" told'
  prints $'650000 4700000\n1200000 4700000\n300000 4700000' master '' '
    CLIENT_IP=192.0.2.1
    take() {
      PARALLEL_STATUS=([a]=0) PARALLEL_OUT=([a]="$(printf "clock\t%s\t%s\ntrip\t%s\t%s\n" "$@")")
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
}

@test "a launch whose reply was lost is done once; one of a later repeat ends what an earlier repeat left; with a long name of its scenario and of its client it starts, too" {
  need_command screen
  prints $'same\nother' master '' '
    CLIENT_THREADS=1 CLIENT_PASSWORD="" SERVER_CERTIFICATE=""
    launch() {
      CLIENT_LAUNCH=$1 _client_run 127.0.0.1 launch sleep 1000 >/dev/null
      read -r pid start _ <"$REMOTE_DIR/run-$RUN_ID/client-127.0.0.1/generator.proc"
    }
    launch first
    first=$pid first_start=$start
    launch first
    [[ $pid == "$first" ]] && proc_alive "$pid" "$start" && echo same
    launch second
    [[ $pid != "$first" ]] && proc_alive "$pid" "$start" && ! proc_alive "$first" "$first_start" && echo other
    _client_run 127.0.0.1 stop'
  matches $'\n[0-9]+$' master "" '
    CLIENT_PASSWORD= SERVER_CERTIFICATE= CLIENT_THREADS=1 CLIENT_LAUNCH=1
    lock_name "$(printf "%060d" 1)"
    CLIENT=$(printf "%0100d" 2)
    call_run 127.0.0.1 client launch sleep 1000
    cat "$REMOTE_DIR"/run-*/client-*/test.pid
    call_run 127.0.0.1 client stop'
}

@test "a generator that a launch started but could not record is ended by stop, by the next launch, and by the command stop" {
  need_command screen
  mkdir bin
  # The launch ends between both: it fails when screen returns, with a generator that runs.
  program_make bin/screen <<END
#!/bin/bash
$(command -v screen) "\$@"
until [[ -s \$(echo $SCRATCH/host/run-*/client-*/test.pid) ]]; do sleep 0.02; done
cat $SCRATCH/host/run-*/client-*/{test,job}.pid >>$SCRATCH/started
[[ ! -e $SCRATCH/broken ]]
END
  : >broken
  PATH=$SCRATCH/bin:$PATH prints $'2\n0\n2\n0\n2\n0' master '' '
    CLIENT_THREADS=1 CLIENT_PASSWORD="" SERVER_CERTIFICATE="" CLIENT_LAUNCH=one
    launch() { _client_run 127.0.0.1 launch sleep 1000 >/dev/null 2>&1 || :; }
    left() {
      for pid in $(<started); do ! proc_start "$pid" || echo "$pid"; done | wc -l
    }
    launch
    left
    _client_run 127.0.0.1 stop
    left
    launch
    rm broken
    launch
    left
    _client_run 127.0.0.1 stop
    left
    : >broken
    launch
    left
    call_run 127.0.0.1 stop force >/dev/null
    # The job notices that its generator has ended.
    end=$((SECONDS + 20))
    until (($(left) == 0 || SECONDS > end)); do proc_pause; done
    left'
  refute_exists host/run-*
}

@test "a repeat begins when everything of the repeat before is stopped: what could not be stopped is stopped first" {
  succeeds master '' '
    client_stop() {
      echo "stop $*"
      PARALLEL_STATUS=([127.0.0.1]=$((asked++ < 4 ? 255 : 0)))
      ((PARALLEL_STATUS[127.0.0.1] == 0))
    }
    servers_call() { :; }
    # All generators of the third one end.
    _repeat_load() {
      echo "load $1"
      [[ $(declare -p RATE) == "declare -r "* ]] || echo "a setting can be changed"
      [[ $1 == rep-3* ]]
    }
    for name in repeat_held stored_seal stored_note links_make; do . /dev/stdin <<<"$name() { :; }"; done
    asked=0
    for repeat in 1 2 3; do repeat_run "rep-$repeat" 100 1 1 "$repeat" || echo failed; done'
  # Each stop asks such a client once more at its end.
  assert_output 'load rep-1.partial
stop 127.0.0.1
stop 127.0.0.1
failed
stop 127.0.0.1
stop 127.0.0.1
failed
stop 127.0.0.1
load rep-3.partial'
}
