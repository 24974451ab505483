# SPDX-License-Identifier: MIT
# shellcheck shell=bash
# Whether the words in front of a program start it on this host: they are tried with one that does nothing.

# Usage: main WORD...
main() {
  local said
  command -v -- "$1" >/dev/null || fail "'$1' is missing"
  said=$("$@" true 2>&1) || fail "'$*' does not start a program: ${said:-no reason given}"
  # The loader goes on without a library that it cannot preload, and the run would measure something else.
  [[ $said != *'cannot be preloaded'* ]] || fail "$said"
}
