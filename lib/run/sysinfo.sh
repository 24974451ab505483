# SPDX-License-Identifier: MIT
# shellcheck shell=bash
# The description of each host, written into the run before the measurement.

# Write env/HOST/ of a run for every host.
# Usage: sysinfo_capture DIR
# Globals: SERVER REDIS_BINARY
# Returns: 1 if a host could not be read, with the reason on stderr.
sysinfo_capture() {
  local ADDRESS SYSINFO_RUN=$1
  local -a hosts
  doctor_hosts
  side_run $((REMOTE_RETRY + 120)) _sysinfo_host "${hosts[@]}"
}

# Fetch the description of one host: of a server with its redis-server, of a client without.
# Usage: _sysinfo_host HOST
_sysinfo_host() {
  if servers_is "$1"; then
    servers_at "$1" _sysinfo_ask "$1"
  else
    REDIS_BINARY='' _sysinfo_ask "$1"
  fi
}

# Fetch the files of lib/host/sysinfo.sh from a host to env/HOST of the run.
# Usage: _sysinfo_ask HOST
# Globals: SYSINFO_RUN SERVER REDIS_BINARY; sets ADDRESS, which lib/host/sysinfo.sh reads
_sysinfo_ask() {
  local host=$1 folder=$SYSINFO_RUN/env/$1
  # On a client the network path to the server matters, to the first of several.
  hosts_data "${SERVER%% *}"
  ADDRESS=$REPLY
  # The rows of tuning there stay.
  mkdir -p -- "$folder"
  receive_files "$folder" "$host" sysinfo
}

# Print the head of every log, as in the guide: the servers, then the first client.
# Usage: sysinfo_head DIR
# Globals: SERVERS CLIENT_IP
sysinfo_head() {
  local host
  for host in "${SERVERS[@]}"; do
    printf '====> SERVER system -\n'
    cat "$1/env/$host/setup.log"
  done
  printf '====> CLIENT system -\n'
  cat "$1/env/${CLIENT_IP%% *}/setup.log"
}
