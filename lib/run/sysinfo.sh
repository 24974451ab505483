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
  mapfile -t hosts < <(doctor_hosts)
  # On a client the network path to the server matters.
  ADDRESS=$(host_data "$SERVER")
  side_run $((REMOTE_RETRY + 120)) _sysinfo_host "${hosts[@]}"
}

_sysinfo_host() {
  local host=$1 folder=$SYSINFO_RUN/env/$1 REDIS_BINARY=${REDIS_BINARY-}
  [[ $host == "$SERVER" ]] || REDIS_BINARY=
  # The existing rows of tuning are kept.
  mkdir -p -- "$folder"
  receive_files "$folder" -e ADDRESS -e REDIS_BINARY "$host" sysinfo
}

# Print the head of every log, as in the guide: the server, then the first client.
# Usage: sysinfo_head DIR
# Globals: SERVER CLIENT_IP
sysinfo_head() {
  printf '====> SERVER system -\n'
  cat "$1/env/$SERVER/setup.log"
  printf '====> CLIENT system -\n'
  cat "$1/env/${CLIENT_IP%% *}/setup.log"
}
