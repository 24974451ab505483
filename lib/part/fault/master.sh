# SPDX-License-Identifier: MIT
# shellcheck shell=bash
# FAULT: one node of the cluster goes down in the last phase and comes back; the master's side.

_FAULT_ON=   # yes while it runs on the server of the node
_FAULT_LAST= # the event that was last printed

# Whether a fault is configured, or the load generator notes every answer.
# Usage: fault_wanted
# Globals: FAULT TRACK
fault_wanted() {
  [[ $FAULT != none || $TRACK != 0 ]]
}

# Print the options of the load generator, one per line.
# Usage: fault_options
# Globals: FAULT TRACK
fault_options() {
  [[ $FAULT == none ]] || echo --faults
  [[ $TRACK == 0 ]] || printf '%s\n' --track "$TRACK"
}

# The name of the last phase, in which the fault happens.
# Usage: _fault_phase
# Globals: PHASES
# Returns: sets REPLY
_fault_phase() {
  # shellcheck disable=SC2086 # split into phases on purpose
  common_phases $PHASES
  REPLY=${REPLY##* }
}

# A phase is about to begin, at START_US of the master's clock: start the fault with the last phase.
# Usage: fault_goes PHASE START_US
# Returns: 1 with a line on stderr, and PARTS_WHY
fault_goes() {
  local REPLY
  _fault_phase
  [[ $FAULT != none && $1 == "$REPLY" ]] || return 0
  PARTS_WHY='the fault'
  _FAULT_ON=yes _FAULT_LAST=
  servers_at "$(cluster_host "$FAULT_NODE")" _fault_begin "$2"
}

# Start the fault on the server in HOST, with the time left until the load starts.
# Usage: _fault_begin START_US
_fault_begin() {
  local delay=$(($1 - ${EPOCHREALTIME/[.,]/}))
  call_run "$HOST" server fault "$delay"
}

# Check the progress of the fault. After all steps, the load may end.
# Usage: fault_look
# Returns: 0; 2 if the load may end now; 1 with a line on stderr if the fault failed
fault_look() {
  [[ -z $_FAULT_ON ]] || servers_at "$(cluster_host "$FAULT_NODE")" _fault_look
}

# Check the progress of the fault on the server in HOST, and log each new event.
# Usage: _fault_look
# Returns: as fault_look; 0 also if the server does not answer
_fault_look() {
  local state text
  IFS=$'\t' read -r state text < <(call_run "$HOST" server look) || return 0
  [[ $text == "$_FAULT_LAST" || $text == event ]] || log_info "$HOST: $text"
  _FAULT_LAST=$text
  case $state in
    done)
      _FAULT_ON=
      return 2
      ;;
    failed)
      _FAULT_ON=
      log_warn "$HOST: $text"
      return 1
      ;;
  esac
}

# Warn when the load ended before the last step did. Of several servers, change the times of the events to the master's clock.
# Usage: fault_fetched DIR
fault_fetched() {
  local ahead file=$1/server/events.tsv
  [[ -z $_FAULT_ON ]] || log_warn "the load ended after '$_FAULT_LAST', before the fault was over; set a longer TIME"
  _FAULT_ON=
  servers_several && [[ -e $file ]] || return 0
  ahead=$(servers_at "$(cluster_host "$FAULT_NODE")" servers_clock) || return
  # shellcheck disable=SC2016 # the program of awk
  write_file "$file" awk -v ahead="$ahead" 'BEGIN { FS = OFS = "\t" } NR > 1 { $1 = sprintf("%.0f", $1 - ahead) } { print }' "$file"
}

# Write what the fault did to the load, and say it.
# Usage: fault_tables DIR CLIENT...
fault_tables() {
  local REPLY
  [[ $FAULT != none ]] || return 0
  _fault_phase
  fault_write "$1" "$REPLY" "${@:2}" || return
  log_info "repeat ${ROW[repeat]}: node $FAULT_NODE went down by $FAULT"
  fault_show "$1" >&2
}
