# SPDX-License-Identifier: MIT
# Stop what a broken run left on the hosts: load generators, instances, their directories, the lock.
#
# Usage: ./do_it.sh stop [--force] [-H HOSTS_FILE] [NAME=VALUE]...
#        ./do_it.sh stop [--force] [--trust] --resume RUN
#
# Stops only processes that a run of this user recorded, if their start time matches the record, and processes that write to the log of such a run,
# were started with its mark, or listen on the port of the instance in whose directory they are.
# A run whose master is alive is named and not stopped (exit status 3); --force stops it too.
# --resume takes the hosts and settings of a run; --trust accepts the programs, files and users that they name (docs/security.md).
# shellcheck shell=bash

# Stop what broken runs left on their hosts; the header of this file is the help.
# Usage: cmd_stop [ARGUMENT]...
cmd_stop() {
  local mode=stale status=0
  local -a hosts
  options_read "${BASH_SOURCE[0]}" "$@"
  plan_settle
  [[ -z $FORCE ]] || mode=force
  remote_init
  hosts_all
  # An unreachable host does not delay the others.
  parallel_run $((REMOTE_RETRY + 300)) _stop_host "${hosts[@]}" || status=3
  parallel_print "${hosts[@]}" || status=1
  [[ -n $HOSTS_FILE ]] || _stop_others
  return "$status"
}

# Stop what runs left on one host, and print each thing on one line, after the name of the host.
# Usage: _stop_host HOST
# Globals: mode of cmd_stop: stale or force, as lib/host/stop.sh
# Returns: not 0 if the host cannot be reached or cleaned up, or a run with a live master uses it
_stop_host() {
  local out=$_REMOTE_TMP/stop.$BASHPID line status=0
  remote_open "$1" || return
  # Print why a host waits, while it waits.
  lock_clean "$1" "$mode" 2>&1 >"$out" | while IFS= read -r line; do
    printf '%s: %s\n' "$1" "$line" >&"$LOG_FD"
  done || status=$?
  while IFS= read -r line; do printf '%s: %s\n' "$1" "$line"; done <"$out"
  [[ -s $out ]] || ((status)) || printf '%s: nothing was left\n' "$1"
  return "$status"
}

# Name the hosts file of the newest run: a broken run may have left something there.
_stop_others() {
  local file newest=
  for file in "$RESULTS_DIR"/*/run.conf; do [[ ! -e $file ]] || newest=${file%/*}; done
  [[ -z $newest || ! -e $newest/hosts ]] ||
    log_warn "only the hosts of the settings were cleaned up; the newest run had others: ./do_it.sh stop -H $(log_word "$newest/hosts")"
}
