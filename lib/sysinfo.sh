# SPDX-License-Identifier: MIT
# shellcheck shell=bash
# What each host is, written into the run before anything is measured.

# Write env/HOST/ of a run for a host.
# Usage: sysinfo_capture HOST FOLDER
# Globals: SERVER REDIS_BINARY
# Returns: 1 when the host could not be read.
sysinfo_capture() {
  local host=$1 folder=$2/env/$1 tar=$_REMOTE_TMP/sysinfo.tar ADDRESS REDIS_BINARY=${REDIS_BINARY-}
  # On a client it is the way to the server that matters.
  ADDRESS=$(host_data "$SERVER")
  [[ $host == "$SERVER" ]] || REDIS_BINARY=
  mkdir -p -- "$folder.new"
  remote_run -e ADDRESS -e REDIS_BINARY "$host" sysinfo >"$tar" && tar -C "$folder.new" -xf "$tar" || return
  rm -f -- "$tar"
  # What tuning wrote there stays.
  mkdir -p -- "$folder"
  mv -f -- "$folder.new"/* "$folder"
  rmdir -- "$folder.new"
}

# Print what stands at the head of every log, as in the guide: the server, then the first client.
# Usage: sysinfo_head FOLDER
# Globals: SERVER CLIENT_IP
sysinfo_head() {
  printf '====> SERVER system -\n'
  cat "$1/env/$SERVER/setup.log"
  printf '====> CLIENT system -\n'
  cat "$1/env/${CLIENT_IP%% *}/setup.log"
}
