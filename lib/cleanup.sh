# SPDX-License-Identifier: MIT
# shellcheck shell=bash
# The stack of things to undo on the way out, whatever the way out is.

_CLEANUP=()

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
}

_cleanup_run() {
  local status=$?
  # A second Ctrl-C must not leave a host half restored.
  trap '' INT TERM HUP
  trap - EXIT
  set +e
  while ((${#_CLEANUP[@]} > 0)); do cleanup_pop; done
  exit "$status"
}
