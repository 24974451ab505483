# SPDX-License-Identifier: MIT
# shellcheck shell=bash
# The stack of things to undo on the way out, whatever the way out is.

_CLEANUP=()

# With what status the script ends; entries of the stack may ask.
CLEANUP_STATUS=0

# Undo COMMAND last-in-first-out when the script ends.
# Usage: cleanup_push COMMAND [ARG]...
cleanup_push() {
  local quoted
  printf -v quoted '%q ' "$@"
  _CLEANUP+=("$quoted")
}

# Undo the newest entry now. It leaves the stack when it is done, so that a signal in the middle has it done again:
# every entry must bear that.
# Usage: cleanup_pop
# Returns: the entry's status
cleanup_pop() {
  local last=$((${#_CLEANUP[@]} - 1)) entry status=0
  entry=${_CLEANUP[last]}
  # The entry was written with %q by cleanup_push, so this gives back its very words.
  declare -a command="($entry)"
  "${command[@]}" || status=$?
  unset "_CLEANUP[last]"
  return "$status"
}

# Take the traps: call once, first thing, in an entry script.
# A signal only ends the script; the EXIT trap alone does the work, so that nothing is undone twice.
# Usage: cleanup_init
cleanup_init() {
  trap _cleanup_run EXIT
  trap 'exit 130' INT
  trap 'exit 143' TERM HUP
  # Of signals without a trap, bash runs the EXIT trap after some and only in some places: a reader of our output that is gone (PIPE), a
  # limit that is met (XFSZ, XCPU), Ctrl-\.
  trap 'exit 131' QUIT
  trap 'exit 138' USR1
  trap 'exit 140' USR2
  trap 'exit 141' PIPE
  trap 'exit 142' ALRM
  trap 'exit 152' XCPU
  trap 'exit 153' XFSZ
}

_cleanup_run() {
  local status=$? last
  # shellcheck disable=SC2034 # for entries
  CLEANUP_STATUS=$status
  # A second Ctrl-C must not leave a host half restored. The reader of our messages may be gone, and the disk under them full:
  # neither may end this.
  trap '' INT TERM HUP QUIT USR1 USR2 PIPE ALRM XCPU XFSZ
  trap - EXIT
  set +e
  # A signal that ended `IFS=x read` leaves its IFS to what is called here.
  IFS=$' \t\n'
  # When a signal ended `read -t`, bash 5.2 keeps that time limit, and jumps back to where that call was once the limit is over: it
  # crashes. Another one takes its place, and ends as it should.
  read -r -t 0.01 _ </dev/null
  # What an entry kills is no news: bash would print a line on each of its jobs that ended so.
  disown -a
  while ((${#_CLEANUP[@]} > 0)); do
    last=$((${#_CLEANUP[@]} - 1))
    # In a shell of its own: an entry that gives up must not take the others with it.
    (cleanup_pop)
    unset "_CLEANUP[last]"
  done
  ((status != 0)) || [[ -z ${LOG_LOST-} ]] || status=1
  # What no command of ours ends with comes from a program that failed where nobody expected it.
  ((status <= 3 || (status > 129 && status < 160))) ||
    printf '%s: ended with status %d, which is a fault of its own; bash -x shows where: please report it\n' "${0##*/}" "$status" >&2 2>/dev/null || :
  exit "$status"
}
