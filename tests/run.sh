#!/usr/bin/env bash
# SPDX-License-Identifier: MIT
# Runs every test, one suite after the other, and ends with one line: N passed, N failed.
#
# Usage: tests/run.sh [SUITE...]   SUITE: lint, build, unit, fuzz, or a .bats file; without one, all of them
# CI=true makes a skip a failure where the thing that is missing could have been installed.
# Exit status: 0 all passed, 1 not, 2 bad usage.
set -Eeuo pipefail

ROOT=$(cd "${BASH_SOURCE[0]%/*}/.." && pwd -P)
# Seconds that one suite may take.
SUITE_LIMIT=${SUITE_LIMIT:-600}

passed=0
skips=()
failures=()
suite_pid=

# shellcheck source=tests/helper.bash
. "$ROOT/tests/helper.bash"
# shellcheck source=tests/netns.bash
. "$ROOT/tests/netns.bash"

# Counts a suite's results from its TAP lines, or as one test if it printed none.
# Usage: run_count NAME STATUS FILE   Returns: 0
run_count() {
  local name=$1 status=$2 line title reason found='' bad=''
  while IFS= read -r line; do
    [[ $line =~ ^(not\ )?ok\ [0-9]+\ ?(.*)$ ]] || continue
    found=1
    title=${BASH_REMATCH[2]#- }
    if [[ -n ${BASH_REMATCH[1]} ]]; then
      bad=1
      failures+=("$name: $title")
    elif [[ ${title,,} == *'# skip'* ]]; then
      reason=${title#*# [sS][kK][iI][pP]}
      reason=${reason# }
      skips+=("$name: ${title%% \#*}: ${reason:-no reason given}")
      # What is not installed can be; namespaces, say, cannot.
      if [[ ${CI:-} == true && $reason == *'is not installed'* ]]; then
        bad=1
        failures+=("$name: skipped, and need not be: ${title%% \#*}")
      fi
    else
      passed=$((passed + 1))
    fi
  done <"$3"
  if ((status == 124)); then
    failures+=("$name: took more than $SUITE_LIMIT s")
  elif ((status != 0)) && [[ -z $bad ]]; then
    failures+=("$name: exit status $status")
  elif [[ -z $found ]] && ((status == 0)); then
    passed=$((passed + 1))
  fi
}

# Runs one suite, shows what it prints, and counts its results.
# Usage: run_suite NAME COMMAND...   Returns: 0
run_suite() {
  local name=$1 status=0 began=$SECONDS log=$scratch/suite.log out tee_pid
  shift
  printf '== %s\n' "$name"
  exec {out}> >(exec tee "$log")
  tee_pid=$!
  # A job of its own (-m), because other background processes ignore SIGINT and the tests of Ctrl-C could not be run;
  # in the background, so that a signal to this script is seen at once.
  set -m
  TMPDIR=$scratch/t timeout --kill-after=20 "$SUITE_LIMIT" "$@" </dev/null >&"$out" 2>&1 {out}>&- &
  suite_pid=$!
  set +m
  wait "$suite_pid" || status=$?
  suite_pid=
  exec {out}>&-
  wait "$tee_pid" || :
  run_count "$name" "$status" "$log"
  run_left "$name"
  printf '== %s: %s s\n' "$name" "$((SECONDS - began))"
}

# Counts it as a failure if a suite left a file behind.
# Usage: run_left NAME   Returns: 0
run_left() {
  local left
  left=$(find "$scratch/t" -mindepth 1 -maxdepth 1 -printf '%f ')
  [[ -z $left ]] || failures+=("$1: left in TMPDIR: $left")
  rm -rf --one-file-system -- "$scratch/t"
  mkdir -m 711 -- "$scratch/t"
}

# Ends the suite that runs and removes what it may have left.
# Usage: run_finish   Returns: 0
run_finish() {
  if [[ -n $suite_pid ]]; then
    kill -TERM "$suite_pid" 2>/dev/null || :
    wait "$suite_pid" 2>/dev/null || :
  fi
  netns_sweep || :
  rm -rf -- "$scratch"
}

# Runs a suite by its name on the command line.
# Usage: run_named SUITE   Returns: 0, 2 for a name that is none
run_named() {
  case $1 in
    lint) run_suite lint "$ROOT/lib/lint.sh" check ;;
    build) run_suite build make --no-print-directory -C "$ROOT" test ;;
    unit) run_suite unit make --no-print-directory -C "$ROOT" check-unit ;;
    fuzz) run_suite fuzz make --no-print-directory -C "$ROOT" check-fuzz ;;
    *.bats)
      [[ -f $1 ]] || {
        printf 'no such test file: %s\n' "$1" >&2
        return 2
      }
      run_suite "${1##*/}" bats --tap "$1"
      ;;
    *)
      printf 'unknown suite: %s (lint, build, unit, fuzz, or a .bats file)\n' "$1" >&2
      return 2
      ;;
  esac
}

# Runs the suites and prints the result.
# Usage: main [SUITE...]   Returns: 0 all passed, 1 not, 2 bad usage
main() {
  local each
  local -a suites=("$@")
  (($# > 0)) || suites=(lint build unit fuzz "$ROOT"/tests/*.bats)
  for each in "${suites[@]}"; do
    run_named "$each" || return
  done
  for each in "${skips[@]}"; do printf 'skipped: %s\n' "$each"; done
  for each in "${failures[@]}"; do printf 'failed: %s\n' "$each"; done
  printf '%s passed, %s failed' "$passed" "${#failures[@]}"
  ((${#skips[@]} == 0)) || printf ', %s skipped' "${#skips[@]}"
  printf '\n'
  ((${#failures[@]} == 0))
}

# Short names: the path of a control socket of ssh below it has room for 108 bytes.
scratch=$(mktemp -d "${TMPDIR:-/tmp}/tb.XXXXXX")
mkdir -m 711 -- "$scratch/t"
# A test may become another user, who must find the way to its own folder.
chmod 711 "$scratch"
trap run_finish EXIT
trap 'exit 130' INT
trap 'exit 143' TERM HUP
main "$@"
