# SPDX-License-Identifier: MIT
# shellcheck shell=bash
# Scripts of lib/host as a host runs them, without a master.

# Print a program that runs lib/host/SCRIPT.sh as a call of a host does. It is for a shell that reads its program from stdin, with the arguments of the
# script: bash -s -- ARG... <PROGRAM
# Usage: script_program SCRIPT [VERB]
#   VERB selects the settings of the script
# Globals: the settings; LIB; SCRIPT_MARK: the line before the output; lib/core/call.sh must be loaded   Returns: 0
script_program() {
  local REPLY LC_ALL=C
  call_settings "$@"
  printf 'exec bash --norc -c '\''. "$0"'\'' %q %q %q "$@" <<'\''END-OF-SETTINGS'\''\n%s %d\n%sEND-OF-SETTINGS\n' "$LIB/host/call.sh" "${SCRIPT_MARK:-mark}" "$1" \
    "${SCRIPT_MARK:-mark}" "${#REPLY}" "$REPLY"
}
