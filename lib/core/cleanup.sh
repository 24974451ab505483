# SPDX-License-Identifier: MIT
# shellcheck shell=bash
# The stack of actions that are undone when the script ends, however it ends.

_CLEANUP=()

# The exit status of the script; entries of the stack may read it.
CLEANUP_STATUS=0

# The signals that end the script.
readonly _CLEANUP_SIGNALS=(INT TERM HUP QUIT USR1 USR2 PIPE ALRM XCPU XFSZ)

# The process that passes on Ctrl-C.
_CLEANUP_LISTENER=

# Undo COMMAND last-in-first-out when the script ends.
# Usage: cleanup_push COMMAND [ARG]...
cleanup_push() {
  local quoted
  printf -v quoted '%q ' "$@"
  _CLEANUP+=("$quoted")
}

# Undo the newest entry now. The entry leaves the stack only when it is done, so that a signal in the middle repeats it. Every entry must be
# repeatable.
# Usage: cleanup_pop
# Returns: the entry's status
cleanup_pop() {
  local last=$((${#_CLEANUP[@]} - 1)) entry status=0
  entry=${_CLEANUP[last]}
  # cleanup_push wrote the entry with %q, so this restores its exact words.
  declare -a command="($entry)"
  "${command[@]}" || status=$?
  unset '_CLEANUP[last]'
  return "$status"
}

# Set the traps: call once, first thing, in an entry script. A signal only ends the script; only the EXIT trap undoes, so that nothing is undone
# twice.
# Usage: cleanup_init
cleanup_init() {
  local pid=$BASHPID
  trap _cleanup_run EXIT
  # Without the listener, RTMIN does not come any more.
  cleanup_trap $'_cleanup_unlisten\nexit 130' INT RTMIN
  cleanup_trap 'exit 143' TERM HUP
  # For some signals without a trap, bash runs the EXIT trap only in some places: a closed output (PIPE), a resource limit (XFSZ, XCPU),
  # Ctrl-\.
  cleanup_trap 'exit 131' QUIT
  cleanup_trap 'exit 138' USR1
  cleanup_trap 'exit 140' USR2
  cleanup_trap 'exit 141' PIPE
  cleanup_trap 'exit 142' ALRM
  cleanup_trap 'exit 152' XCPU
  cleanup_trap 'exit 153' XFSZ
  proc_start "$pid"
  _cleanup_listen "$pid" "$PROC_START" </dev/null >/dev/null 2>&1 &
  _CLEANUP_LISTENER=$!
  disown "$_CLEANUP_LISTENER"
}

# Pass on SIGINT as SIGRTMIN if the script is still alive some time later. bash 5.2 loses a SIGINT that comes when it waits for a command
# substitution that ends normally, because it concludes that the substitution handled it. It never loses another signal. This helps with Ctrl-C,
# which all processes of the terminal get; a SIGINT to the script alone can be lost.
# Usage: _cleanup_listen PID START
_cleanup_listen() {
  local asked=
  trap 'asked=yes' INT
  while proc_alive "$1" "$2"; do
    proc_wait 1
    [[ -n $asked ]] || continue
    asked=
    proc_wait 0.5
    ! proc_alive "$1" "$2" || kill -s RTMIN "$1" || :
  done
}

# End the process that passes on SIGINT.
# Usage: _cleanup_unlisten
_cleanup_unlisten() {
  kill -s KILL "$_CLEANUP_LISTENER" 2>/dev/null || :
}

# Run COMMAND, which exits, at signals. Further signals are ignored, because a trap that exits would end the EXIT trap that has just begun.
# Usage: cleanup_trap COMMAND SIGNAL...
cleanup_trap() {
  # bash 5.2 may run it while its parser wants the `)` of a command substitution, and then wants one in COMMAND, too: without it, the script ends
  # with a syntax error. Else the last line is not read, because the first one exits.
  # shellcheck disable=SC2064 # the words of the caller
  trap "trap '' ${_CLEANUP_SIGNALS[*]}"$'\n'"$1"$'\n)' "${@:2}"
}

# The EXIT trap: undo all entries of the stack, newest first, and exit.
# Usage: _cleanup_run
# Globals: LOG_LOST; sets CLEANUP_STATUS
# Returns: exits with the status of the script; with 1 instead of 0 if a message was lost
_cleanup_run() {
  local status=$? last
  # shellcheck disable=SC2034 # for entries
  CLEANUP_STATUS=$status
  # A second Ctrl-C must not leave a host half restored. The reader of our messages may be gone, and their disk full: neither may end the
  # cleanup.
  trap '' "${_CLEANUP_SIGNALS[@]}"
  trap - EXIT
  set +e
  _cleanup_unlisten
  # A signal that interrupted `IFS=x read` leaves that IFS set for this function.
  IFS=$' \t\n'
  # When a signal interrupts `read -t`, bash 5.2 keeps its time limit, and crashes when the limit is over, because it jumps back to that call. Another
  # `read -t` replaces the limit and returns normally.
  read -r -t 0.01 _ </dev/null
  # A function that is called for one server may have ended the script, and everything is undone on all servers.
  HOST=${SERVERS[*]-}
  # Bash would print a line about each of its jobs that an entry kills.
  disown -a
  while ((${#_CLEANUP[@]} > 0)); do
    last=$((${#_CLEANUP[@]} - 1))
    # In a subshell: an entry that exits must not prevent the others.
    (cleanup_pop)
    unset '_CLEANUP[last]'
  done
  ((status != 0)) || [[ -z ${LOG_LOST-} ]] || status=1
  # None of our commands ends with another status, so it comes from a program that failed unexpectedly.
  ((status <= 3 || (status > 129 && status < 160))) ||
    printf '%s: unexpected exit status %d; please report it with the output of bash -x\n' "${0##*/}" "$status" >&2 2>/dev/null || :
  exit "$status"
}
