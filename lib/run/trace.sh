# SPDX-License-Identifier: MIT
# shellcheck shell=bash
# TRACE: a program of the user that runs on each server during measured phases.

_TRACE_ON=

# Start the program just before the first phase after populate.
# Usage: trace_mark NEXT_PHASE
# Globals: TRACE HOST
# Returns: 0, also if it does not start, with a line on stderr.
trace_mark() {
  [[ -n $TRACE && -z $_TRACE_ON ]] && ! common_is_fill "$1" || return 0
  _TRACE_ON=yes
  servers_side $((REMOTE_RETRY + 60)) _trace_start && return
  # shellcheck disable=SC2086 # split into hosts on purpose
  log_warn "$(side_failed $HOST): TRACE could not be started"
}

# Start the program on the server in HOST.
# Usage: _trace_start
_trace_start() {
  call_run "$HOST" trace start
}

# Stop the program, and fetch its output and files to DIR/trace, with several servers to DIR/HOST/trace; warn if it exited early.
# Usage: trace_fetch DIR
trace_fetch() {
  [[ -z $_TRACE_ON ]] || servers_print $((REMOTE_RETRY + 600)) _trace_fetch "$1"
}

# Stop the program on the server in HOST, fetch its files, and log its warnings.
# Usage: _trace_fetch DIR
# Returns: 1 if the files cannot be fetched
_trace_fetch() {
  local line status=0 folder why=$_REMOTE_TMP/trace.$BASHPID REPLY
  servers_folder "$1"
  folder=$REPLY/trace
  mkdir -p -- "$folder" 2>/dev/null || write_failed "$folder" || return
  receive_files "$folder" "$HOST" trace fetch 2>"$why" || status=1
  while IFS= read -r line; do log_warn "$HOST: $line"; done <"$why"
  return "$status"
}

# Whether the program exists on the server in HOST, as a row HOST STATE FOUND WANTED FIX.
# Usage: trace_try
trace_try() {
  [[ -z $TRACE ]] || launch_has "$HOST" "${TRACE%% *}" TRACE "install it there, or leave TRACE empty"
}
