#!/usr/bin/env bats
# SPDX-License-Identifier: MIT
# Hosts that are asked in parallel: order, errors with names, time limits, and no leftovers of stopped hosts.
# slow

load helper

# Assert that a process does not run. Usage: gone PID
gone() { ! process_start "$1"; }

# Run code that asks hosts.
# Usage: asks CODE   Sets: as run_split does
asks() {
  modules_run "conf_read
remote_init
$1"
}

@test "hosts are asked at the same time; outputs and errors come in their order, and each error names its host" {
  # Each waits for the next one: in sequence they would never end.
  fails 1 asks '
    each() {
      case $1 in
        ten) until [[ -e b ]]; do sleep 0.02; done; echo "first" ;;
        eleven) until [[ -e c ]]; do sleep 0.02; done; : >b; echo "second"; echo "it is bad" >&2; return 3 ;;
        twelve) : >c; printf "%s\n" one two; echo "twelve: is worse" >&2; false; echo not reached ;;
      esac
    }
    check() { echo "${PARALLEL_STATUS[ten]} ${PARALLEL_STATUS[eleven]} ${PARALLEL_STATUS[twelve]}"; parallel_print ten eleven twelve; parallel_failed ten eleven twelve; }
    cleanup_push check
    parallel_run 60 each ten eleven twelve'
  assert_output $'0 3 1\nfirst\nsecond\none\ntwo\neleven, twelve'
  assert_equal "$STDERR" $'eleven: it is bad\ntwelve: is worse'
}

@test "one that gives no answer is stopped with all that it began; one that is killed is noticed; the others are not touched" {
  prints $'124 137 0 well\nagain 0' asks 'each() {
      case $1 in
        slow) sleep 60 & echo $! >pid; sleep 60 ;;
        killed) kill -KILL $BASHPID ;;
        well) echo well ;;
      esac
    }
    parallel_run 6 each slow killed well || :
    echo "${PARALLEL_STATUS[slow]} ${PARALLEL_STATUS[killed]} ${PARALLEL_STATUS[well]} ${PARALLEL_OUT[well]}"
    # Late output of a stopped job must not reach a later call.
    parallel_run 60 each well
    echo "again ${PARALLEL_STATUS[well]}"'
  assert_contains "slow: no answer within 6 s" "$STDERR"
  wait_until 20 gone "$(<pid)"
}

@test "an interrupted script leaves none of its shells, and asks again in its cleanup" {
  fails 143 asks 'each() { echo $BASHPID >"pid-$1"; kill -TERM $$; sleep 60; }
    last() { echo "cleaned $1"; }
    clean() { parallel_run 60 last a b; parallel_print a b; }
    cleanup_push clean
    parallel_run 60 each a'
  assert_output $'cleaned a\ncleaned b'
  wait_until 20 gone "$(<pid-a)"
}

@test "what runs alone has its status, and ends with its script, also if that is killed" {
  for signal in TERM:143 KILL:137; do
    fails "${signal#*:}" asks 'each() { echo $BASHPID >each; kill -s "$1" $$; sleep 60; }
      alone() { echo $BASHPID >alone; parallel_run 60 each "$1"; touch left; }
      state() { return 3; }
      parallel_alone state || echo $?
      parallel_alone alone '"${signal%:*}"
    assert_output 3
    wait_until 20 gone "$(<each)"
    wait_until 20 gone "$(<alone)"
    refute_exists left
  done
}

@test "a trap that asks hosts itself, after a signal in the wait: who ends and who is killed is noticed" {
  # Bash blocks SIGCHLD in a read with a limit. A signal that comes then leaves it blocked.
  fails 143 asks '
    first() {
      local try
      for ((try = 0; try < 200; try++)); do
        [[ ! $(<"/proc/$$/status") =~ State:.S.*SigBlk:.[0-9a-f]*1[0-9a-f]{4}.SigIgn ]] || break
        sleep 0.02
      done
      ((try < 200)) || touch missed
      kill -TERM $$
      sleep 60
    }
    last() {
      [[ $1 != killed ]] || kill -KILL $BASHPID
      echo "asked $1"
    }
    again() {
      _parallel_abort
      parallel_run 60 last a b
      parallel_print a b
      parallel_run 60 last killed || echo "${PARALLEL_STATUS[killed]}"
      remote_close
    }
    trap again EXIT
    trap "exit 143" TERM
    parallel_run 60 first x'
  assert_output $'asked a\nasked b\n137'
  [[ ! -e missed ]] || fail 'the signal did not come in the wait'
}
