# SPDX-License-Identifier: MIT
# shellcheck shell=bash
# What a repeat runs on the server, stopped in one call: monitors, instances and the tier.
# Needs: protocol instances tier_undo
# Setting sent in front: RUN_ID

# Usage: main
main() {
  local part status=0
  work_open
  # What cannot be stopped keeps none of the others.
  for part in monitors instances tier; do
    # Each is a separate shell with errexit, which `||` would switch off.
    set +e
    (
      set -e
      "ended_$part"
    )
    status=$((status | $?))
    set -e
  done
  run_close
  return "$status"
}

ended_monitors() {
  local folder=$WORK/run-$RUN_ID/monitor
  rm -f -- "$folder/on"
  proc_end 5 "$folder/monitor.proc" || fail "the monitors do not end"
  rm -rf -- "$folder"
}

ended_instances() {
  # A call that the master repeats after a lost link must not run beside its own first try.
  exec {ENDED_FD}>"$WORK/server.flock"
  flock "$ENDED_FD"
  instances_stop "$WORK/run-$RUN_ID/server"
}

ended_tier() {
  TIER_FOLDER=$WORK/run-$RUN_ID/tier
  exec {ENDED_FD}>"$WORK/tier.flock"
  flock "$ENDED_FD"
  tier_undo || fail "cannot undo the tier; run ./do_it.sh stop"
}
