# SPDX-License-Identifier: MIT
# shellcheck shell=bash
# Rows of doctor: what a check prints, and what a host answers.

# Print a row of fields, separated by tabs.
# Usage: _doctor_row FIELD...
_doctor_row() {
  local IFS=$'\t'
  printf '%s\n' "$*"
}

# Call a host, and report it as unfit if it does not answer, or its answer is invalid.
# Usage: _doctor_ask HOST CHECK COMMAND...
# Returns: 0 with the output of COMMAND in _DOCTOR_SAID; 1 after a row, or if it printed nothing
_doctor_ask() {
  local host=$1 check=$2 why=$_REMOTE_TMP/why.$BASHPID
  shift 2
  if ! _DOCTOR_SAID=$("$@" 2>"$why"); then
    _doctor_row "$host" fail "$check" "$(tail -n 1 "$why" | tr '\t' ' ')" "an answer" "see the message"
    return 1
  fi
  [[ ! -s $why ]] || cat "$why" >&2
  [[ -n $_DOCTOR_SAID ]]
}

# Print a row from what a command says of the server in HOST, STATE FOUND WANTED FIX; none when it says nothing.
# Usage: _doctor_said CHECK COMMAND...
_doctor_said() {
  ! _doctor_ask "$HOST" "$@" || _doctor_row "$HOST" "${_DOCTOR_SAID%%$'\t'*}" "$1" "${_DOCTOR_SAID#*$'\t'}"
}
