# SPDX-License-Identifier: MIT
# shellcheck shell=bash
# Whether the load generator starts here and on every client, and whether it can be built where it does not, as rows of doctor.

# The load generator of the master, which sets samples of keys too; nothing when it starts, or is not built.
# Usage: _doctor_program MASTER
_doctor_program() {
  local why fix="install: $BUILD_NEEDS"
  build_ready || return 0
  why=$(_doctor_starts 2>&1) && return
  build_installed || [[ -n $(_build_missing) ]] || fix="make clean, then make, in $ROOT"
  _doctor_row "$1" fail "load generator" "does not start: $why" "./test" "$fix"
}

# Which clients have the load generator. Where it is missing, our copy is tried; a run builds it where that does not start (lib/run/provision.sh).
# Usage: _doctor_clients CLIENT...
_doctor_clients() {
  local client said why lacks
  local -a lacking=() row
  build_ready || return 0
  for client; do
    if client_has "$client"; then
      _doctor_row "$client" ok "load generator" "runs" "./test" -
    elif [[ -n ${_DOCTOR_LACKS[$client]-} ]]; then
      lacking+=("$client")
    fi
  done
  ((${#lacking[@]} > 0)) || return 0
  _doctor_try_all "${lacking[@]}"
  for client in "${lacking[@]}"; do
    said=${PARALLEL_OUT[$client]}
    if ((${PARALLEL_STATUS[$client]} != 0)); then
      _doctor_row "$client" fail "load generator" "could not be tried" "./test" "see the message"
    elif [[ $said == yes$'\t'* ]]; then
      client_found "$client" "${said#*$'\t'}"
      _doctor_row "$client" ok "load generator" "runs" "./test" -
    else
      mapfile -t row <<<"$said"
      why="our copy does not start: ${row[0]#*$'\t'}" lacks=${row[-1]#*$'\t'}
      if [[ -z $lacks ]]; then
        _doctor_row "$client" ok "load generator" "$why" "./test, or what a build requires" "a run builds it there"
      else
        _doctor_row "$client" fail "load generator" "$why; a build there lacks: $lacks" "./test, or what a build requires" "install: $lacks"
      fi
    fi
  done
}

# Whether the load generator starts on the master.
# Returns: 1 with the reason on stdout
_doctor_starts() {
  local program why REPLY
  client_program
  program=$REPLY
  why=$(run_limited 10 "$program" --version 2>&1) || {
    said_why <<<"${why#"$program: "}"
    return 1
  }
}

# Copy the load generator to other clients, and try it there; nothing is built.
# Usage: _doctor_try_all CLIENT...
# Returns: sets PARALLEL_STATUS, and PARALLEL_OUT: `yes PATH`, or `no WHY` and then `lacks NAMES`, what a build there requires
_doctor_try_all() {
  local program key DEPS_SCRIPT REPLY
  client_program
  program=$REPLY
  key=$(program_key "$program")
  DEPS_SCRIPT=$(<"$ROOT/tools/deps.sh")
  parallel_run $((REMOTE_RETRY + 120)) _doctor_try "$@" || :
}

# Try the load generator on one client. Usage: _doctor_try CLIENT   Globals: program, key and DEPS_SCRIPT of _doctor_try_all
_doctor_try() {
  local answer
  local -a needs
  answer=$(program_copy "$1" test "$program" "$key") || return
  printf '%s\n' "$answer"
  read -r -a needs <<<"$BUILD_NEEDS"
  [[ $answer != no* ]] || call_run "$1" program lacks "${needs[@]}"
}
