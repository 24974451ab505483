# SPDX-License-Identifier: MIT
# shellcheck shell=bash
# What a repeat runs on the server, stopped in one call: parts, monitors, instances and the tier.
# Needs: part protocol instances data tier_undo tier_cgroup tier/*

# Usage: main
main() {
  local part status=0
  workdir_open
  owner_turn || :
  # What cannot be stopped keeps none of the others.
  for part in parts monitors instances tier; do
    # Each is a separate shell with errexit, which `||` would switch off.
    set +e
    (
      set -e
      "host_ended_$part"
    )
    status=$((status | $?))
    set -e
  done
  owner_close
  return "$status"
}

# Stop what parts of the repeat have here.
# Usage: host_ended_parts
host_ended_parts() {
  host_part_stop "$WORK/run-$RUN_ID"
}

# Stop the monitors of the repeat, and remove their directory.
# Usage: host_ended_monitors
host_ended_monitors() {
  local folder=$WORK/run-$RUN_ID/monitor
  rm -f -- "$folder/on"
  proc_end 5 "$folder/monitor.proc" || fail "the monitors do not end"
  rm -rf -- "$folder"
}

# Stop the instances of the repeat, and remove their directory.
# Usage: host_ended_instances
host_ended_instances() {
  # A call that the master repeats after a lost link must not run beside its own first try.
  workdir_lock server 30
  owner_turn || :
  host_instances_stop "$WORK/run-$RUN_ID/server"
}

# Undo the changes of the tier of the repeat.
# Usage: host_ended_tier
host_ended_tier() {
  TIER_FOLDER=$WORK/run-$RUN_ID/tier
  workdir_lock tier 30
  owner_turn || :
  host_tier_undo || fail "cannot undo the tier; run ./do_it.sh stop"
}
