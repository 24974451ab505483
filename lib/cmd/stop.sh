# SPDX-License-Identifier: MIT
# End what a broken run left on the hosts: load generators, instances, their folders, the lock.
#
# Usage: ./do_it.sh stop [--force] [-H HOSTS_FILE] [NAME=VALUE]...
#
# Only processes that a run of ours recorded are ended, and only while their start time agrees.
# A run whose master is alive is left alone and named (exit status 3); --force ends it too.
# shellcheck shell=bash

cmd_stop() {
  local host mode=stale status=0 ended
  options_read "${BASH_SOURCE[0]}" "$@"
  [[ -z $FORCE ]] || mode=force
  remote_init
  while read -r host; do
    if remote_open "$host" && ended=$(remote_run -e LEASE "$host" stop "$mode"); then
      ended=${ended:-nothing was left}
      printf '%s\n' "$host: ${ended//$'\n'/$'\n'$host: }"
    else
      status=3
    fi
  done < <(doctor_hosts)
  remote_sweep
  return "$status"
}
