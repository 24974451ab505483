# SPDX-License-Identifier: MIT
# shellcheck shell=bash
# Whether the words in front of a program start it on this host: they are tried with one that does nothing.
# Needs: user
# Settings sent in front, but for --version: READY_TIMEOUT, and REDIS_USER, where the program then becomes another user.

# Usage: main WORD... | PROGRAM --version
#   with --version, the program need only be there
main() {
  local said most status=0
  local -a USER_WORDS=()
  command -v -- "$1" >/dev/null || fail "'$1' is missing"
  [[ ${2-} != --version ]] || return 0
  # One that does not come back would hold up everything.
  most=$((READY_TIMEOUT < 10 ? READY_TIMEOUT : 10))
  [[ -z ${REDIS_USER-} ]] || user_find || return 0 # that is a row of its own
  said=$(run_limited "$most" "$@" "${USER_WORDS[@]}" true 2>&1) || status=$?
  ((status != 124)) || fail "'$*' does not come back: a program that does nothing takes more than $most s"
  ((status == 0)) || fail "'$*' does not start a program: $(said_why <<<"$said")"
  # The loader goes on without a library that it cannot preload, and the run would measure something else.
  [[ $said != *'cannot be preloaded'* ]] || fail "$said"
}
