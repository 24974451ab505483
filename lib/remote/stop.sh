# SPDX-License-Identifier: MIT
# shellcheck shell=bash
# End what broken runs left on this host, and put back what they changed. Setting sent in front: LEASE.
# Needs: cpus instances irq vsmp tune_kind tune_journal tune tier_undo

# Usage: main stale|force
#   stale: only runs whose master is gone; force: all of ours
main() {
  local lock folder
  work_open
  lock=$WORK/lock
  if [[ $1 == stale && -e $lock ]] && lock_owner_lives "$lock" "$LEASE"; then
    fail "$(lock_say "$lock"), and its master is alive: interrupt it there"
  fi
  exec {STOP_SERVER}>"$WORK/server.flock" {STOP_CLIENT}>"$WORK/client.flock"
  flock "$STOP_SERVER"
  flock "$STOP_CLIENT"
  for folder in "$WORK"/run-*; do
    [[ -d $folder ]] || continue
    if [[ $1 == stale && -e $folder/owner ]] && lock_owner_lives "$folder/owner" "$LEASE"; then continue; fi
    # Load generators first: one that loses its server would only write errors.
    proc_end 15 "$folder"/client-*/generator.proc || fail "$folder: a load generator does not end"
    proc_end 5 "$folder"/monitor/monitor.proc || fail "$folder: the monitors do not end"
    proc_end 5 "$folder"/trace.proc || fail "$folder: the program of TRACE does not end"
    instances_end 60 "$folder/server" || fail "$folder: an instance does not end"
    tier_stop "$folder" || fail "$folder: not all that its tier made is undone"
    (
      tune_lock
      tune_stop "$folder"
    ) || fail "$folder: not all that it changed is put back"
    rm -rf -- "$folder"
    echo "ended what ${folder##*/run-} had left"
  done
  rm -f -- "$lock" "$lock".*
}
