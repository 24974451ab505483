# SPDX-License-Identifier: MIT
# shellcheck shell=bash
# A program of the user's (TRACE) that runs on the server while phases are measured.

_TRACE_ON=

# Start it just before the first phase after populate.
# Usage: trace_mark NEXT_PHASE
# Globals: TRACE SERVER
# Returns: 1 with a line on stderr when it does not start.
trace_mark() {
  [[ -n $TRACE && -z $_TRACE_ON && $1 != populate ]] || return 0
  _TRACE_ON=yes
  remote_run -e RUN_ID -e RUN_OWNER -e TRACE "$SERVER" trace start
}

# Stop it, and fetch its output and files; warn when it had ended by itself.
# Usage: trace_fetch DIR
trace_fetch() {
  local line status=0 why=$_REMOTE_TMP/trace
  [[ -n $_TRACE_ON ]] || return 0
  mkdir -p -- "$1/trace"
  receive_files "$1/trace" -e RUN_ID "$SERVER" trace fetch 2>"$why" || status=1
  while IFS= read -r line; do log_warn "$SERVER: $line"; done <"$why"
  return "$status"
}

# Stop it, whatever the state of the repeat.
# Usage: trace_stop
trace_stop() {
  [[ -n $_TRACE_ON ]] || return 0
  _TRACE_ON=
  remote_run -e RUN_ID "$SERVER" trace stop
}

# Whether the program exists on the server, as a row HOST STATE FOUND WANTED FIX.
# Usage: trace_try
trace_try() {
  [[ -z $TRACE ]] || launch_has "$SERVER" "${TRACE%% *}" TRACE "install it there, or leave TRACE empty"
}
