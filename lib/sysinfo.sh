# SPDX-License-Identifier: MIT
# shellcheck shell=bash
# What each host is, written into the run before anything is measured.

# Write env/HOST/ of a run for a host.
# Usage: sysinfo_capture HOST FOLDER
sysinfo_capture() {
  local host=$1 folder=$2/env/$1
  mkdir -p -- "$folder"
  remote_run "$host" sysinfo >"$folder/setup.log.new"
  mv -- "$folder/setup.log.new" "$folder/setup.log"
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
