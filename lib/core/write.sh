# SPDX-License-Identifier: MIT
# shellcheck shell=bash
# The one way to write a file of a run: whole or not at all, with one message if there is no space for it.

# Write the output of a command to a file, which has its name only when it is complete.
# Usage: write_file FILE COMMAND [ARGUMENT]...
# Returns: the status of the command if it fails; 1 with one line on stderr if the file cannot be written
write_file() {
  local text status=0
  # Through a pipe: a command that writes to a full disk itself would say so in its own words.
  text=$("${@:2}") || status=$?
  ((status == 0)) || return "$status"
  { printf '%s\n' "$text" >"$1.new" && mv -f -- "$1.new" "$1"; } 2>/dev/null || {
    rm -f -- "$1.new" 2>/dev/null
    write_failed "$1"
  }
}

# Say that a file cannot be written.
# Usage: write_failed FILE
# Returns: 1
write_failed() {
  log_warn "$1: cannot be written; is its disk full, or its directory read-only?"
  return 1
}
