# SPDX-License-Identifier: MIT
# shellcheck shell=bash
# Provision: between the checks and the run, the only step that builds the load generator and installs it on clients, and installs or builds Redis on
# the server.

# Provide what the checks found missing and a run may build or install, and check what depends on it, as rows of lib/run/doctor.sh.
# Usage: provision_rows
# Globals: HOST REDIS_BINARY BUILD_TARGETS, as doctor_rows leaves them; sets the last two, and the plan anew when Redis has reported the
#   cost of a key
provision_rows() {
  local built='' found=''
  if [[ -n $BUILD_TARGETS ]]; then
    _provision_build || return 0
    built=yes
  fi
  _provision_clients
  servers_each _provision_redis || return 0
  [[ -z $built$found ]] || doctor_provided "$built" "$found"
}

# Build the programs that the master lacks.
# Returns: 1 after a row, when it does not build
_provision_build() {
  local target why
  log_info "building: make $BUILD_TARGETS"
  for target in $BUILD_TARGETS; do
    why=$(build_target "$target" 2>&1) || {
      printf '%s\tfail\tbuild\t%s\tmake %s\tinstall: %s\n' "$(doctor_master)" "$why" "$target" "$BUILD_NEEDS"
      return 1
    }
  done
  BUILD_TARGETS=
}

# Install the load generator on clients that do not have it; with a new build, none has it.
# Globals: built of provision_rows
_provision_clients() {
  local client row
  local -a clients lacking=()
  read -r -a clients <<<"$CLIENT_IP"
  for client in "${clients[@]}"; do [[ -z $built ]] && client_has "$client" || lacking+=("$client"); done
  ((${#lacking[@]} > 0)) || return 0
  client_prepare "${lacking[@]}" 2>/dev/null || :
  for client in "${lacking[@]}"; do
    if ((${PARALLEL_STATUS[$client]} == 0)); then
      printf '%s\tok\tload generator\truns\t./test\t-\n' "$client"
    else
      row=$(tail -n 1 <<<"${PARALLEL_OUT[$client]}")
      printf '%s\tfail\tload generator\t%s\t./test, or a build there\tmake it there by hand, and see what fails\n' "$client" "${row#"$client: "}"
    fi
  done
}

# Find Redis on a server that has none yet, or install or build it there, as REDIS says.
# Globals: found of provision_rows
# Returns: 1 after a row, when the server cannot have it
_provision_redis() {
  local why=$_REMOTE_TMP/why
  [[ -z $REDIS_BINARY ]] || return 0
  if ! server_find_redis 2>"$why"; then
    printf '%s\tfail\tredis-server\t%s\tREDIS=%s\tset REDIS=package, or another REDIS\n' "$HOST" "$(tail -n 1 "$why")" "$REDIS"
    return 1
  fi
  cat "$why" >&2
  found=yes
}
