# SPDX-License-Identifier: MIT
# shellcheck shell=bash
# Whether the words in front of a program start it on this host: they are tried with one that does nothing.

# Usage: main WORD... | PROGRAM --version
#   with --version, the program need only be there
main() {
  local said
  command -v -- "$1" >/dev/null || fail "'$1' is missing"
  [[ ${2-} != --version ]] || return 0
  said=$("$@" true 2>&1) || fail "'$*' does not start a program: $(said_why <<<"$said")"
  # The loader goes on without a library that it cannot preload, and the run would measure something else.
  [[ $said != *'cannot be preloaded'* ]] || fail "$said"
}
