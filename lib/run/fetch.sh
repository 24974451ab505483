# SPDX-License-Identifier: MIT
# shellcheck shell=bash
# The files of a repeat that its servers have: those of the monitors, the instances and the parts, in one call of each server.

# Fetch the files, with several servers to DIR/HOST. The monitors stop.
# Usage: fetch_servers DIR
# Returns: 1 with the reason on stderr if a file is missing
fetch_servers() {
  local status=0
  servers_print $((REMOTE_RETRY + 1800)) _fetch_server "$1" || status=1
  monitor_end "$1" || status=1
  ! servers_several || servers_each server_gather "$1" || status=1
  return "$status"
}

# Fetch the files of the server in HOST.
# Usage: _fetch_server DIR
_fetch_server() {
  local folder status=0 i REPLY
  local -a asked CALL_STATUS=()
  servers_folder "$1"
  folder=$REPLY
  asked=("$folder" $'monitor\tfetch' "$folder" $'server\tlogs')
  parts_fetch_scripts "$folder"
  for ((i = 0; i < ${#asked[@]}; i += 2)); do [[ -d ${asked[i]} ]] || mkdir -p -- "${asked[i]}" 2>/dev/null || write_failed "${asked[i]}" || return; done
  receive_several "$HOST" "${asked[@]}" || return
  ((CALL_STATUS[0] != 0)) || monitor_counters "$folder" || status=1
  ((CALL_STATUS[1] != 0)) || server_has_info "$folder" || status=1
  [[ ${CALL_STATUS[*]} != *[1-9]* ]] || status=1
  return "$status"
}
