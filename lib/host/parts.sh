# SPDX-License-Identifier: MIT
# shellcheck shell=bash
# Send the files that a part of the run has for the master.
# Needs: part

# Usage: main fetch NAME
main() {
  host_part "$2"
  cd "$PART/out" 2>/dev/null || fail "$PART: is missing"
  files_send -- *
}
