# SPDX-License-Identifier: MIT
# shellcheck shell=bash
# A recorded trace as the load, REPLAY: its text in the plan, the options of ./test, and the check that every client has it.

# Whether the load is a trace.
# Usage: replay_on
# Globals: REPLAY
# Returns: 0 yes, 1 no
replay_on() { [[ $REPLAY != off ]]; }

# Print the plan's text about the trace.
# Usage: replay_text
# Globals: REPLAY REPLAY_SPEED REPLAY_FILL
replay_text() {
  printf 'of %s' "$REPLAY"
  if [[ $REPLAY_SPEED == max ]]; then printf ', at max speed'; else printf ', at %s times its speed' "$REPLAY_SPEED"; fi
  [[ $REPLAY_FILL == off ]] || printf ', misses are filled'
}

# Print the options of ./test for a client, one per line. A timed replay with PIPELINE=1 omits --pipeline: due requests do not wait for
# replies.
# Usage: replay_options FIRST_PORT INSTANCES
# Globals: REPLAY REPLAY_SPEED REPLAY_FILL PIPELINE REDISBASE CLUSTER
replay_options() {
  if ! replay_on || [[ $REPLAY_SPEED == max || $PIPELINE != 1 ]]; then printf '%s\n' --pipeline "$PIPELINE"; fi
  replay_on || return 0
  printf '%s\n' --trace "$REPLAY" --speed "$REPLAY_SPEED"
  # Of a cluster, the slot of a key selects its shard.
  cluster_on || printf '%s\n' --trace-share "$(($1 - REDISBASE))/$2"
  [[ $REPLAY_FILL == off ]] || echo --fill-misses
}

# Print the additional commands that the ACL user of the load generators needs, each as +COMMAND.
# Usage: replay_allowed
replay_allowed() {
  ! replay_on || printf ' +del +incr +decr'
}

# Whether every client has the trace, as rows HOST STATE FOUND WANTED FIX.
# Usage: replay_try
# Globals: REPLAY CLIENT_IP
replay_try() {
  local client why=$_REMOTE_TMP/why
  replay_on || return 0
  for client in $CLIENT_IP; do
    if call_run "$client" launch "$REPLAY" --readable 2>"$why"; then
      printf '%s\tok\t%s\t%s\t-\n' "$client" "$REPLAY" "REPLAY is readable"
    else
      printf '%s\tfail\t%s\t%s\t%s\n' "$client" "$(tr '\n\t' '  ' <"$why" | sed 's/ *$//')" "REPLAY=$REPLAY" "copy it there, or set REPLAY=off"
    fi
  done
}
