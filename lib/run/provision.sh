# SPDX-License-Identifier: MIT
# shellcheck shell=bash
# Provision: between the checks and the run, the only step that installs or builds Redis on the server.

# Install what the checks found missing if a run may install it, and check what depends on it, as rows of lib/run/doctor.sh.
# Usage: provision_rows
# Globals: SERVER REDIS_BINARY, as doctor_rows leaves it; sets REDIS_BINARY, and the plan anew when Redis has reported the cost of a key
provision_rows() {
  local why=$_REMOTE_TMP/why
  [[ -z $REDIS_BINARY ]] || return 0
  if server_find_redis 2>"$why"; then
    cat "$why" >&2
    doctor_redis
  else
    printf '%s\tfail\tredis-server\t%s\tREDIS_FROM=%s\t%s\n' "$SERVER" "$(tail -n 1 "$why")" "$REDIS_FROM" "set REDIS_FROM=package, or the REDIS_ settings"
  fi
}
