# SPDX-License-Identifier: MIT
# shellcheck shell=bash
# TRACE: a program of the user that runs on the server during measured phases.

_TRACE_ON=

# Start the program just before the first phase after populate.
# Usage: trace_mark NEXT_PHASE
# Globals: TRACE SERVER
# Returns: 1 with a line on stderr if it does not start.
trace_mark() {
  [[ -n $TRACE && -z $_TRACE_ON && $1 != populate ]] || return 0
  _TRACE_ON=yes
  remote_run -e RUN_ID -e RUN_OWNER -e TRACE "$SERVER" trace start
}

# Stop the program, and fetch its output and files; warn if it exited early.
# Usage: trace_fetch DIR
trace_fetch() {
  local line status=0 why=$_REMOTE_TMP/trace
  [[ -n $_TRACE_ON ]] || return 0
  mkdir -p -- "$1/trace"
  receive_files "$1/trace" -e RUN_ID "$SERVER" trace fetch 2>"$why" || status=1
  while IFS= read -r line; do log_warn "$SERVER: $line"; done <"$why"
  return "$status"
}

# Stop the program, in any state of the repeat.
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
