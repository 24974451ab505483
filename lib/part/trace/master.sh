# SPDX-License-Identifier: MIT
# shellcheck shell=bash
# TRACE: a program of the user that runs on each server during measured phases.

_TRACE_ON=

# Usage: trace_wanted
# Globals: TRACE
trace_wanted() {
  [[ -n $TRACE ]]
}

# Usage: trace_fresh DIR
trace_fresh() {
  _TRACE_ON=
}

# Start the program just before the first phase after populate. Usage: trace_at_start PHASE
trace_at_start() {
  common_is_fill "$1" || [[ -n $_TRACE_ON ]] || parts_ask start
}

# Usage: trace_got_start PHASE
trace_got_start() {
  _TRACE_ON=yes
}

# The load is measured also without the program. Usage: trace_lost_start HOSTS PHASE
trace_lost_start() {
  _TRACE_ON=yes
  log_warn "$1: TRACE could not be started"
}

# Stop the program.
trace_at_done() {
  parts_ask end
}

# Warn of a program that ended early.
trace_got_done() {
  local host
  for host in $HOST; do
    [[ -z ${PART_SAID[$host]} ]] || log_warn "$host: TRACE: the program ended before the load did: ${PART_SAID[$host]#*$'\t'}"
  done
}

# Print a row STATE FOUND WANTED FIX: whether the server in HOST has the program.
# Usage: trace_doctor
trace_doctor() {
  local row
  trace_wanted || return 0
  row=$(launch_has "$HOST" "${TRACE%% *}" TRACE "install it there, or leave TRACE empty")
  printf '%s' "${row#*$'\t'}"
}
