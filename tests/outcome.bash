# SPDX-License-Identifier: MIT
# shellcheck shell=bash
# Assertions: on texts and files, and on the outcome of a command that run, or a function that ends with run, has run.

# Fail with a reason and the output of the command under test; its last line comes first, because it often gives the reason.
# Usage: fail TEXT...   Returns: 1
fail() {
  printf '%s\n' "$*"
  [[ $(wc -l <<<"${STDERR-}") -lt 12 ]] || printf 'the end of stderr:\n%s\n' "$(tail -n 8 <<<"$STDERR")"
  [[ -z ${status+set} ]] || printf 'status: %s\noutput:\n%s\n' "$status" "${output-}"
  [[ -z ${STDERR-} ]] || printf 'stderr:\n%s\n' "$STDERR"
  return 1
} >&2

# The last `run` ended with 0.
# Usage: assert_success   Returns: 0, or 1 with the reason
assert_success() { ((status == 0)) || fail "expected success"; }

# The last `run` failed, with this status if one is given.
# Usage: assert_failure [STATUS]   Returns: 0, or 1 with the reason
assert_failure() {
  ((status != 0)) || fail "expected failure" || return
  [[ -z ${1-} ]] || ((status == $1)) || fail "expected status $1"
}

# Two texts are the same.
# Usage: assert_equal ACTUAL EXPECTED   Returns: 0, or 1 with the reason
assert_equal() { [[ $1 == "$2" ]] || fail "expected: $2"$'\n'"actual:   $1"; }

# The output of the last `run` equals this.
# Usage: assert_output TEXT   Returns: 0, or 1 with the reason
assert_output() { assert_equal "$output" "$1"; }

# The output of the last `run`, or a given text, contains this.
# Usage: assert_contains NEEDLE [TEXT]   Returns: 0, or 1 with the reason
assert_contains() { [[ ${2-$output} == *"$1"* ]] || fail "not found: $1"; }

# The output of the last `run`, or a given text, does not contain this.
# Usage: refute_contains NEEDLE [TEXT]   Returns: 0, or 1 with the reason
refute_contains() { [[ ${2-$output} != *"$1"* ]] || fail "found: $1"; }

# The output of the last `run`, or a given text, matches an extended regular expression.
# Usage: assert_match REGEX [TEXT]   Returns: 0, or 1 with the reason
assert_match() { [[ ${2-$output} =~ $1 ]] || fail "no match for: $1"; }

# For each of the texts, one line of the output of the last `run` equals it.
# Usage: assert_line TEXT...   Returns: 0, or 1 with the reason
assert_line() {
  local line
  for line; do [[ $'\n'$output$'\n' == *$'\n'"$line"$'\n'* ]] || fail "no such line: $line" || return; done
}

# Each path exists.
# Usage: assert_exists PATH...   Returns: 0, or 1 with the reason
assert_exists() {
  local path
  for path; do [[ -e $path ]] || fail "is not there: $path" || return; done
}

# No path exists.
# Usage: refute_exists PATH...   Returns: 0, or 1 with the reason
refute_exists() {
  local path
  for path; do [[ ! -e $path && ! -L $path ]] || fail "is there: $path" || return; done
}

# A command ends with 0.
# Usage: succeeds run|run_split|FUNCTION ARGUMENT...   Sets: as the function does, which sets status and output   Returns: 0, or 1 with the reason
succeeds() {
  "$@"
  assert_success
}

# A command ends with 0, and its output equals this.
# Usage: prints TEXT run|run_split|FUNCTION ARGUMENT...   Sets: as succeeds   Returns: 0, or 1 with the reason
prints() {
  "${@:2}"
  assert_success || return
  assert_output "$1"
}

# A command ends with 0, and its output contains this.
# Usage: shows TEXT run|run_split|FUNCTION ARGUMENT...   Sets: as succeeds   Returns: 0, or 1 with the reason
shows() {
  "${@:2}"
  assert_success || return
  assert_contains "$1"
}

# A command ends with 0, and its output matches an extended regular expression.
# Usage: matches REGEX run|run_split|FUNCTION ARGUMENT...   Sets: as succeeds   Returns: 0, or 1 with the reason
matches() {
  "${@:2}"
  assert_success || return
  assert_match "$1"
}

# A command ends with 0, and its stderr contains this.
# Usage: warns TEXT run_split|FUNCTION ARGUMENT...   Sets: as succeeds, and stderr   Returns: 0, or 1 with the reason
warns() {
  "${@:2}"
  assert_success || return
  assert_contains "$1" "$STDERR"
}

# A command fails, with this status unless it is any.
# Usage: fails STATUS|any run|run_split|FUNCTION ARGUMENT...   Sets: as succeeds   Returns: 0, or 1 with the reason
fails() {
  "${@:2}"
  assert_failure "${1#any}"
}

# A command fails as with fails, and its stderr contains this.
# Usage: refuses STATUS|any TEXT run_split|FUNCTION ARGUMENT...   Sets: as succeeds, and stderr   Returns: 0, or 1 with the reason
refuses() {
  "${@:3}"
  assert_failure "${1#any}" || return
  assert_contains "$2" "$STDERR"
}
