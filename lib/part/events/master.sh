# SPDX-License-Identifier: MIT
# shellcheck shell=bash
# EVENTS: what instances are asked for in the last phase, such as a snapshot; the master's side.

_EVENTS_FOLDER= # the directory of the repeat

# Usage: events_wanted
# Globals: EVENTS
events_wanted() {
  [[ $EVENTS != none ]]
}

# Print a line of the plan, or nothing. Usage: events_say
events_say() {
  ! events_wanted || printf 'events   %s, in the last phase, %s instances of a server\n' "$EVENTS" "${EVENTS_SPREAD/one/one after the other of the}"
}

# The files that events write: one of a kind stays, and the next one exists with it until it is whole. Instances that keep a kind have space for both.
# Usage: events_copies KEPT
# Globals: EVENTS
# Returns: sets REPLY
events_copies() {
  local pair file copies=0
  for pair in rdb:bgsave aof:bgrewriteaof; do
    file=:${pair#*:}
    [[ $1 != *${pair%:*}* && $EVENTS == *$file* ]] || continue
    copies=$((copies + 1))
    [[ $EVENTS != *$file*$file* ]] || copies=$((copies + 1))
  done
  REPLY=$copies
}

# Print the options of the load generator, one per line: an instance that is restarted comes back.
# Usage: events_options
# Globals: EVENTS
events_options() {
  [[ $EVENTS != *:restart* ]] || echo --faults
}

# Usage: events_fresh DIR
events_fresh() {
  _EVENTS_FOLDER=$1
}

# Prepare the servers before the last phase. Usage: events_at_start PHASE
events_at_start() {
  local REPLY
  parts_last_phase
  [[ $1 != "$REPLY" ]] || parts_ask ready
}

# The last phase is about to begin, at START_US of the master's clock.
# Usage: events_goes PHASE START_US
# Returns: 1 with a line on stderr, and PARTS_WHY
events_goes() {
  local REPLY
  parts_last_phase
  [[ $EVENTS != none && $1 == "$REPLY" ]] || return 0
  PARTS_WHY='the events'
  servers_parallel "$REMOTE_RETRY" _events_begin "$2"
}

# Start the events of the server in HOST, with the time left until what is measured begins, after the warm-up.
# Usage: _events_begin START_US
# Globals: WARMUP
_events_begin() {
  local REPLY
  common_us "$WARMUP"
  call_run "$HOST" events begin $(($1 + REPLY - ${EPOCHREALTIME/[.,]/}))
}

# End what asks, when the load has ended.
events_at_stop() {
  parts_ask end
}

# Keep what was recorded, and warn of what failed: without an instance that does not come back, the repeat fails.
events_got_stop() {
  local line
  write_file "$_EVENTS_FOLDER/server/persistence.tsv" _events_rows || return
  while IFS= read -r line; do log_warn "repeat ${ROW[repeat]}: $line"; done < <(events_failed "$_EVENTS_FOLDER/server/persistence.tsv")
}

# Print what was recorded, in the time of the master's clock.
# Globals: PART_SAID
_events_rows() {
  local host ahead
  printf 'number\tevent\tport\tstate\tasked_us\tbegun_us\tended_us\tfork_us\tcow_bytes\tinfo_s\tpeak_bytes\twritten_bytes\tfaults_asked\tfaults_ended\tdetail\n'
  for host in $HOST; do
    ahead=$(servers_at "$host" servers_clock) || return
    # shellcheck disable=SC2016 # the program of awk
    awk -F '\t' -v OFS='\t' -v ahead="$ahead" '
      NF { for (i = 6; i <= 8; i++) if ($i > 0) $i = sprintf("%.0f", $i - ahead); sub(/^event\t/, ""); print }' <<<"${PART_SAID[$host]}" || return
  done
}

# Write what the events did to the load (events.tsv of the repeat). Memory that is accessed directly causes no major faults, and a process that is
# started again counts anew.
# Usage: events_tables DIR CLIENT...
events_tables() {
  local ahead=0 REPLY
  [[ $EVENTS != none ]] || return 0
  if [[ $EVENTS == *:restart* ]] || tier_is direct; then
    ahead=-
  elif ! servers_several; then
    # What several servers recorded has times of the master's clock.
    ahead=$(servers_at "$HOST" servers_clock) || return
  fi
  parts_last_phase
  events_write "$1" "$REPLY" "$ahead" "${@:2}"
}
