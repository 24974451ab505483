# SPDX-License-Identifier: MIT
# shellcheck shell=bash
# A host loses its power in mid-run, and boots again from its disk: the run ends by name, and the host is as after a boot.

# Print the state of a guest without what differs between two boots.
# Usage: reset_state NAME
reset_state() {
  lab_state "$1" | sed 's/^irq .*//; s/^mounts: .*//; s/^failed units: .*//'
}

# Reset a guest some seconds after a line of the run's log, and check what the run and the next commands say.
# Usage: reset_during NAME SECONDS REGEX
reset_during() {
  local name=$1 seconds=$2 status=0 failed=$FAILED
  lab_three || return
  reset_state "$name" >"$LAB_WORK/before"
  lab_begin "$3" -v native PHASES="populate get set" TIME=60 REPLY_TIMEOUT=60 REMOTE_RETRY=20 || return
  sleep "$seconds" # the time that is tested
  lab_reset "$name"
  lab_ready "$name" || return
  wait "$RUN_PID" || status=$?
  RUN_PID=
  sed 's/^/#   /' "$LAB_WORK/err"
  check "$name reset after $seconds s: the run fails" '^[1-9]' "$status"
  check "$name reset after $seconds s: no fault of the shell" '^$' "$(grep -E 'unbound variable|line [0-9]+:|syntax error' "$LAB_WORK/err")"
  check "$name reset after $seconds s: the run says that the host has rebooted" 'reboot' "$(<"$LAB_WORK/err")"
  check "$name reset after $seconds s: no further phase starts" '^$' "$(grep 'phase set' "$LAB_WORK/err")"
  check "$name reset after $seconds s: the run does not take its directory for that of another master" '^$' "$(grep 'another master' "$LAB_WORK/err")"
  lab_run stop
  check "$name reset after $seconds s: stop ends with 0" '^0$' "$STATUS"
  check "$name reset after $seconds s: nobody is told to wait for a master" '^$' "$(grep -hE 'master is alive|another master|no owner line' "$LAB_WORK"/{out,err})"
  check "$name reset after $seconds s: it is as after its first boot" '^$' "$(reset_state "$name" | diff "$LAB_WORK/before" - || :)"
  lab_run doctor --all -v native
  check "$name reset after $seconds s: it is fit for the next run" '^0$' "$STATUS"
  lab_fresh "$failed"
}

reset_checks() {
  local failed=0
  reset_during server 10 'native, 2 instances' || failed=1
  reset_during server 40 'native, 2 instances' || failed=1
  reset_during client1 10 'native, 2 instances' || failed=1
  return "$failed"
}
