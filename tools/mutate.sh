#!/usr/bin/env bash
# SPDX-License-Identifier: MIT
# Injects faults into the code, one line at a time, and runs the tests that must detect them: the faults are the rows of tests/mutants.tsv.
#
# Usage: tools/mutate.sh [NAME...]   NAME: a fault of the table; without one, all of them
#
# A fault is killed when its suite fails on a copy of this checkout with the fault. A fault that changes nothing, because
# the line no longer exists, is a failure too: the table must follow the code. The suites must pass without a fault.
# Exit status: 0 every fault was killed, 1 not, 2 bad usage.
set -Eeuo pipefail

ROOT=$(cd "${BASH_SOURCE[0]%/*}/.." && pwd -P)
TABLE=$ROOT/tests/mutants.tsv
# Time limit in seconds for the tests of one fault; a fault that hangs the tests is detected too.
LIMIT=300

# Copy the checkout with its changes and its build.
# Usage: mutate_copy DIR   Returns: 0
mutate_copy() {
  mkdir -- "$1"
  { git -C "$ROOT" ls-files -z && printf 'test\0'; } | tar -C "$ROOT" --null -T - -cf - | tar -C "$1" -xf -
  # Without the packages and images of emulated machines.
  [[ ! -d $ROOT/build ]] || tar -C "$ROOT" --exclude=build/qemu --exclude=build/lab --exclude=build/packages -cf - build | tar -C "$1" -xf -
}

# End the processes that the tests of a fault have left: a fault may let them run on. They have the copy in their environment.
# Usage: mutate_reap COPY   Returns: 0
mutate_reap() {
  local signal tries pids
  for signal in TERM KILL; do
    for ((tries = 0; tries < 50; tries++)); do
      pids=$(grep -lzxF "REPO=$1" /proc/[0-9]*/environ 2>/dev/null | cut -d / -f 3) || :
      [[ -n $pids ]] || return 0
      # shellcheck disable=SC2086 # split into numbers on purpose
      ((tries > 0)) || kill -"$signal" $pids 2>/dev/null || :
      sleep 0.2 # between two polls
    done
  done
}

# Inject one fault into a copy, and report whether its tests detect it.
# Usage: mutate_one NAME FILE SUITE FILTER EXPRESSION   Returns: 0 killed, 1 not
mutate_one() {
  local name=$1 file=$2 suite=$3 filter=$4 expression=$5 copy=$scratch/tree status=0
  rm -rf -- "$copy"
  mutate_copy "$copy"
  sed -E -i -e "$expression" -- "$copy/$file"
  if cmp -s -- "$ROOT/$file" "$copy/$file"; then
    printf 'stale     %s: %s has no such line\n' "$name" "$file"
    return 1
  fi
  (
    cd "$copy"
    # Events that a fault prevents are not awaited as long as on a slow machine.
    export TEST_PATIENCE=1
    if [[ $suite == unit ]]; then
      timeout --kill-after=20 "$LIMIT" make -s check-unit
    else
      [[ $file != *.[ch] ]] || make -s test || exit
      timeout --kill-after=20 "$LIMIT" bats --tap -f "$filter" "tests/$suite.bats"
    fi
  ) </dev/null >"$scratch/log" 2>&1 || status=$?
  mutate_reap "$copy"
  if ((status == 0)) && [[ $suite != unit ]] && ! grep -q '^ok' "$scratch/log"; then
    printf 'ERROR     %s: %s has no test %s\n' "$name" "$suite" "$filter"
    return 1
  fi
  if ((status == 0)); then
    printf 'SURVIVED  %s: %s does not notice\n' "$name" "$suite"
    return 1
  fi
  # A suite that could not run at all, or a fault that does not compile, was not detected by a test. A unit test that crashes has detected it.
  if ((status != 124)) && ! grep -qE '^not ok|Sanitizer: ' "$scratch/log"; then
    printf 'ERROR     %s: %s did not run: %s\n' "$name" "$suite" "$(tail -n 1 "$scratch/log")"
    return 1
  fi
  printf 'killed    %s by %s: %s\n' "$name" "$suite" "$(grep -m 1 -E '^not ok|ERROR: .*Sanitizer: ' "$scratch/log" || printf 'it took more than %s s' "$LIMIT")"
}

# Run the requested faults, one after the other.
# Usage: main [NAME...]   Returns: 0 all killed, 1 not, 2 bad usage
main() {
  local name file suite filter expression killed=0 count=0
  local -A wanted=()
  for name; do
    cut -f 1 "$TABLE" | grep -xF -- "$name" >/dev/null || {
      printf 'mutate: NAME=%s: is no fault of tests/mutants.tsv\n' "$name" >&2
      return 2
    }
    wanted[$name]=1
  done
  # The table has a separate descriptor: the tests could read from stdin.
  while IFS=$'\t' read -r -u 5 name file suite filter expression; do
    [[ -n $name && $name != \#* ]] || continue
    ((${#wanted[@]} == 0)) || [[ -n ${wanted[$name]+set} ]] || continue
    count=$((count + 1))
    ! mutate_one "$name" "$file" "$suite" "$filter" "$expression" || killed=$((killed + 1))
  done 5<"$TABLE"
  printf '%s faults, %s killed\n' "$count" "$killed"
  ((killed == count))
}

# Remove the copy.
# Usage: mutate_end   Globals: scratch   Returns: 0
mutate_end() {
  # A signal must not end this function.
  trap '' INT TERM HUP
  mutate_reap "$scratch/tree"
  rm -rf --one-file-system -- "$scratch"
}

scratch=$(mktemp -d "${TMPDIR:-/tmp}/tierbench-mutate.XXXXXX")
chmod 711 "$scratch"
trap mutate_end EXIT
# A second signal, from make or timeout, would end the EXIT trap before its first line.
trap "trap '' INT TERM HUP; exit 130" INT
trap "trap '' INT TERM HUP; exit 143" TERM HUP
main "$@"
