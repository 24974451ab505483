# SPDX-License-Identifier: MIT
# shellcheck shell=bash
# SIDECAR: a program of the user that runs on each server during measured phases.

_SIDECAR_ON=

# Usage: sidecar_wanted
# Globals: SIDECAR
sidecar_wanted() {
  [[ -n $SIDECAR ]]
}

# Usage: sidecar_fresh DIR
sidecar_fresh() {
  _SIDECAR_ON=
}

# Start the program just before the first phase after populate. Usage: sidecar_at_start PHASE
sidecar_at_start() {
  common_is_fill "$1" || [[ -n $_SIDECAR_ON ]] || parts_ask start
}

# Usage: sidecar_got_start PHASE
sidecar_got_start() {
  _SIDECAR_ON=yes
}

# The load is measured also without the program. Usage: sidecar_lost_start HOSTS PHASE
sidecar_lost_start() {
  _SIDECAR_ON=yes
  log_warn "$1: SIDECAR could not be started"
}

# Stop the program.
sidecar_at_done() {
  parts_ask end
}

# Warn of a program that ended early.
sidecar_got_done() {
  local host
  for host in $HOST; do
    [[ -z ${PART_SAID[$host]} ]] || log_warn "$host: SIDECAR: the program ended before the load did: ${PART_SAID[$host]#*$'\t'}"
  done
}

# Print a row STATE FOUND WANTED FIX: whether the server in HOST has the program.
# Usage: sidecar_doctor
sidecar_doctor() {
  local row
  sidecar_wanted || return 0
  row=$(launch_has "$HOST" "${SIDECAR%% *}" SIDECAR "install it there, or leave SIDECAR empty")
  printf '%s' "${row#*$'\t'}"
}
