# SPDX-License-Identifier: MIT
# shellcheck shell=bash
# A recorded trace as the load, TRACE_FILE: its text in the plan, the options of ./test, and the check that every client has it.

# Whether the load is a trace.
# Usage: replay_on
# Globals: TRACE_FILE
# Returns: 0 yes, 1 no
replay_on() { [[ $TRACE_FILE != off ]]; }

# Print the plan's text about the trace.
# Usage: replay_text
# Globals: TRACE_FILE TRACE_FILE_SPEED TRACE_FILE_FILL
replay_text() {
  printf 'of %s' "$TRACE_FILE"
  if [[ $TRACE_FILE_SPEED == max ]]; then printf ', at max speed'; else printf ', at %s times its speed' "$TRACE_FILE_SPEED"; fi
  [[ $TRACE_FILE_FILL == off ]] || printf ', misses are filled'
}

# Print the options of ./test for a client, one per line. A timed replay with PIPELINE=1 omits --pipeline: due requests do not wait for
# replies.
# Usage: replay_options FIRST_PORT INSTANCES
# Globals: TRACE_FILE TRACE_FILE_SPEED TRACE_FILE_FILL PIPELINE REDISBASE CLUSTER
replay_options() {
  if ! replay_on || [[ $TRACE_FILE_SPEED == max || $PIPELINE != 1 ]]; then printf '%s\n' --pipeline "$PIPELINE"; fi
  replay_on || return 0
  printf '%s\n' --trace "$TRACE_FILE" --speed "$TRACE_FILE_SPEED"
  # Of a cluster, the slot of a key selects its shard.
  cluster_on || printf '%s\n' --trace-share "$(($1 - REDISBASE))/$2"
  [[ $TRACE_FILE_FILL == off ]] || echo --fill-misses
}

# Print the additional commands that the ACL user of the load generators needs, each as +COMMAND.
# Usage: replay_allowed
replay_allowed() {
  ! replay_on || printf ' +del +incr +decr'
}

# Whether every client has the trace, as rows HOST STATE FOUND WANTED FIX.
# Usage: replay_try
# Globals: TRACE_FILE CLIENT_IP
replay_try() {
  local client why=$_REMOTE_TMP/why
  replay_on || return 0
  for client in $CLIENT_IP; do
    if call_run "$client" launch "$TRACE_FILE" --readable 2>"$why"; then
      printf '%s\tok\t%s\t%s\t-\n' "$client" "$TRACE_FILE" "TRACE_FILE is readable"
    else
      printf '%s\tfail\t%s\t%s\t%s\n' "$client" "$(tr '\n\t' '  ' <"$why" | sed 's/ *$//')" "TRACE_FILE=$TRACE_FILE" "copy it there, or set TRACE_FILE=off"
    fi
  done
}
