# SPDX-License-Identifier: MIT
# shellcheck shell=bash
# FAULT: one node of the cluster goes down in the last phase and comes back; the master's side.

_FAULT_FOLDER= # the directory of the repeat
_FAULT_ON=     # yes while it runs on the server of the node
_FAULT_LAST=   # the event that was last printed

# Whether a fault is configured, or the load generator notes every answer.
# Usage: fault_wanted
# Globals: FAULT TRACK_WRITES
fault_wanted() {
  [[ $FAULT != none || $TRACK_WRITES != 0 ]]
}

# Print the options of the load generator, one per line.
# Usage: fault_options
# Globals: FAULT TRACK_WRITES
fault_options() {
  [[ $FAULT == none ]] || echo --faults
  [[ $TRACK_WRITES == 0 ]] || printf '%s\n' --track "$TRACK_WRITES"
}

# The dump that a replica of the node receives; with snapshots it is their next one.
# Usage: fault_copies KEPT
# Globals: FAULT REPLICAS
# Returns: sets REPLY
fault_copies() {
  REPLY=1
  [[ $1 != *rdb* && $FAULT != none && $REPLICAS != 0 ]] || REPLY=0
}

# Whether the fault is of the server in HOST.
# Usage: _fault_here
# Globals: FAULT FAULT_NODE HOST
_fault_here() {
  [[ $FAULT != none && $HOST == "$(cluster_host "$FAULT_NODE")" ]]
}

# Usage: fault_fresh DIR
fault_fresh() {
  _FAULT_FOLDER=$1 _FAULT_ON='' _FAULT_LAST=''
}

# Prepare the server before the last phase. Usage: fault_at_start PHASE
fault_at_start() {
  local REPLY
  parts_last_phase
  [[ $1 != "$REPLY" ]] || ! _fault_here || parts_ask ready
}

# A phase is about to begin, at START_US of the master's clock: start the fault with the last phase.
# Usage: fault_goes PHASE START_US
# Returns: 1 with a line on stderr, and PARTS_WHY
fault_goes() {
  local REPLY
  parts_last_phase
  [[ $FAULT != none && $1 == "$REPLY" ]] || return 0
  PARTS_WHY='the fault'
  _FAULT_ON=yes
  servers_at "$(cluster_host "$FAULT_NODE")" _fault_begin "$2"
}

# Start the fault on the server in HOST, with the time left until the load starts.
# Usage: _fault_begin START_US
_fault_begin() {
  local delay=$(($1 - ${EPOCHREALTIME/[.,]/}))
  call_run "$HOST" fault begin "$delay"
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
  IFS=$'\t' read -r state text < <(call_run "$HOST" fault look) || return 0
  [[ $text == "$_FAULT_LAST" ]] || log_info "$HOST: $text"
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

# End the fault after the last phase.
fault_at_done() {
  ! _fault_here || parts_ask end
}

# Keep the events: of several servers, in the time of the master's clock.
fault_got_done() {
  local host ahead=0
  host=$(cluster_host "$FAULT_NODE")
  [[ -z $_FAULT_ON ]] || log_warn "the load ended after '${_FAULT_LAST:-no step}', before the fault was over; set a longer TIME"
  _FAULT_ON=
  ahead=$(servers_at "$host" servers_clock) || return
  # shellcheck disable=SC2016 # the program of awk
  write_file "$_FAULT_FOLDER/server/events.tsv" awk -F '\t' -v OFS='\t' -v ahead="$ahead" '
    BEGIN { print "time_us", "node", "event", "detail" }
    NF { print sprintf("%.0f", $2 - ahead), $3, $4, $5 }' <<<"${PART_SAID[$host]}"
}

# Write what the fault did to the load, and say it.
# Usage: fault_tables DIR CLIENT...
fault_tables() {
  local REPLY
  [[ $FAULT != none ]] || return 0
  parts_last_phase
  fault_write "$1" "$REPLY" "${@:2}" || return
  log_info "repeat ${ROW[repeat]}: node $FAULT_NODE went down by $FAULT"
  fault_show "$1" >&2
}
