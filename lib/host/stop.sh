# SPDX-License-Identifier: MIT
# shellcheck shell=bash
# Stop what broken runs left on this host, and restore what they changed.
# Needs: part cpus instances data irq vsmp tune_kind tune_journal tune tier tier_undo tier_cgroup tier_lost locks tier/* part/*/host_tune

# Usage: main stale|force [RUN]...
#   stale: only runs whose master is dead; force: all runs of this user; RUN: its master is known to be dead, also within its lease
# Prints a line for each thing that it stopped, and for each run whose master is alive
#   alive lock|folder RUN PID STARTTIME BOOT PIDSPACE TEXT
# If the lock of a run is alive, nothing is stopped.
main() {
  local folder
  STOP_STATUS=0 STOP_SAID='' _OWNER_DEAD=" ${*:2} "
  workdir_open
  # A client may not have it.
  [[ ! -d $LOCK_DIR ]] || host_locks_open
  if [[ $1 == stale ]] && host_locks_live; then
    host_stop_alive lock "$LOCK_FOUND" "uses this server"
    return
  fi
  # The next steps may take a minute.
  host_locks_close
  # A suspended call would never release its lock.
  for folder in "$WORK"/run-*; do host_stop_apart host_stop_calls "$1" "$folder"; done
  exec {STOP_SERVER}>>"$WORK/server.flock" {STOP_CLIENT}>>"$WORK/client.flock" {STOP_TIER}>>"$WORK/tier.flock"
  host_stop_wait "$STOP_SERVER" "instances"
  host_stop_wait "$STOP_CLIENT" "load generators"
  host_stop_wait "$STOP_TIER" "a memory tier"
  # Tuned settings are restored last.
  for folder in "$WORK"/run-* "$WORK"/tune-*; do host_stop_apart host_stop_folder "$1" "$folder"; done
  [[ ! -d $LOCK_DIR ]] || host_locks_open
  host_stop_apart host_stop_lost "$1"
  host_stop_apart host_stop_lost_tier "$1"
  # Sockets of our sessions whose screen process is gone; a client may lack screen.
  ! command -v screen >/dev/null || run_limited 10 screen -wipe tierbench- >/dev/null 2>&1 || :
  [[ $1 == stale ]] || host_stop_locks
  host_locks_sweep >/dev/null
  # The output of a script that fails is not printed.
  if ((STOP_STATUS)); then printf '%s' "$STOP_SAID" >&2; else printf '%s' "$STOP_SAID"; fi
  return "$STOP_STATUS"
}

# Run a cleanup in a separate shell: what it cannot stop keeps none of the others.
# Usage: host_stop_apart FUNCTION [ARG]...
# Globals: adds to STOP_SAID what the cleanup printed; sets STOP_STATUS to 1 if it failed
host_stop_apart() {
  local text status
  # The shell has errexit, which `||` would switch off.
  set +e
  text=$(
    set -e
    "$@"
  )
  status=$?
  set -e
  STOP_SAID+=${text:+$text$'\n'}
  ((status == 0)) || STOP_STATUS=1
}

# Clean up after the run of a directory, if it is broken.
# Usage: host_stop_folder stale|force DIR
host_stop_folder() {
  local since=
  if ! owner_ours "$2"; then
    host_stop_stray "$2"
  elif [[ $1 == stale ]] && owner_lives "$2/owner"; then
    # Its run directory is named for both.
    [[ ${2##*/} == tune-* && -e $WORK/run-$OWNER_RUN/owner ]] || host_stop_alive folder "$2/owner" "uses this host"
  else
    owner_age "$2/owner" || since=' before this host was rebooted'
    case ${2##*/} in
      run-*) host_stop_run "$2" "$since" ;;
      *) host_stop_tune "$2" ;;
    esac
  fi
}

# Print the run of the last read record, whose master is alive.
# Usage: host_stop_alive lock|folder FILE WHAT
host_stop_alive() {
  local text why="its master is alive: interrupt it there"
  # The process shows it, unless it is on another machine.
  if ! owner_here; then
    owner_age "$2" || :
    why="its master was heard $OWNER_AGE s ago and counts as alive for $OWNER_LEASE s: interrupt it there, or wait"
  fi
  text="$(owner_say) $3, and $why"
  printf 'alive\t%s\t%s\t%s\t%s\t%s\t%s\t%s\n' "$1" "$OWNER_RUN" "$OWNER_PID" "$OWNER_START" "$OWNER_BOOT" "$OWNER_SPACE" "$text"
}

# End the calls of a broken run that are still active here, which may be suspended, and all other processes with the mark of the run.
# Usage: host_stop_calls stale|force DIR
host_stop_calls() {
  local found record round pid start mark
  owner_ours "$2" && [[ $OWNER_RUN != "$RUN_ID" ]] && { [[ $1 == force ]] || ! owner_lives "$2/owner"; } || return 0
  # The directory may be on a full disk.
  found=$(mktemp -d) || return 0
  record=$found/ours
  # A script that is being ended may start another process.
  for round in 1 2 3; do
    { : >"$record" && : >"$found/all"; } 2>/dev/null || break
    proc_marked "$found/all" "RUN_OF_TIERBENCH=$OWNER_RUN"
    while IFS=$'\t' read -r pid start mark; do
      # The kernel gives processes of containers too, which have their own files.
      [[ ! /proc/$pid/root$WORK -ef $WORK ]] || printf '%s\t%s\t%s\n' "$pid" "$start" "$mark" >>"$record"
    done <"$found/all"
    { [[ -s $record ]] && proc_end 10 "$record"; } || break
  done
  rm -rf -- "$found"
}

# Wait until no other call of this user's runs is active on this host, and report it.
# Usage: host_stop_wait DESCRIPTOR WHAT
host_stop_wait() {
  ! flock -n "$1" || return 0
  printf 'waiting for a call of a run that starts or stops %s here, 300 s at most\n' "$2" >&2
  flock -w 300 "$1" || fail "$WORK: a call of a run that starts or stops $2 does not end; lslocks names its process"
}

# Stop everything that a run left, undo its tier, and remove its directory.
# Usage: host_stop_run DIR SINCE
#   SINCE is added to the message
# Returns: exits 1 if something is left; the directory, with the records, is then kept
host_stop_run() {
  local folder=$1 stuck='' client
  for client in "$folder"/client-*/; do [[ ! -d $client ]] || proc_marked "${client}generator.proc" "CLIENT_FOLDER=${client%/}"; done
  # What does not end keeps none of the others. Load generators first: a generator that loses its server would only write errors.
  proc_end 15 "$folder"/client-*/generator.proc || host_stop_stuck "$folder: a load generator does not end"
  proc_end 5 "$folder"/monitor/monitor.proc || host_stop_stuck "$folder: the monitors do not end"
  host_part_stop "$folder" || stuck=yes
  host_instances_end 60 "$folder/server" || host_stop_stuck "$folder: an instance does not end"
  host_tier_stop "$folder" || host_stop_stuck "$folder: cannot undo its tier"
  [[ -z $stuck ]] || exit 1
  host_instances_remove "$folder/server"
  # A last call of the dead master may still look at its generator, and note the clock there.
  rm -rf -- "$folder" 2>/dev/null || {
    proc_wait 1
    rm -rf -- "$folder"
  }
  echo "stopped everything that ${folder##*/run-} had left$2"
}

# Report what cannot be stopped.
# Usage: host_stop_stuck MESSAGE
# Globals: sets stuck of the caller
host_stop_stuck() {
  printf '%s\n' "$1" >&2
  stuck=yes
}

# Restore what a run changed on this host. The record is not inside the run's directory, so it remains when that directory is removed.
# Usage: host_stop_tune DIR
host_stop_tune() {
  local text
  text=$(
    host_tune_lock 60
    host_tune_stop "$1"
  ) || {
    # The output of a script that fails is not printed.
    printf '%s\n' "$text" >&2
    fail "$1: cannot restore all of its changes"
  }
  [[ -z $text ]] || printf '%s\n' "$text"
  rm -rf -- "$1"
}

# A directory with a run's name and without an owner's line: its master was killed just before it wrote the line, so nothing else exists.
# Usage: host_stop_stray DIR
host_stop_stray() {
  local run=${1##*/}
  [[ -e $1 || -L $1 ]] || return 0
  ! owner_names "${run#*-}" || [[ ! -d $1 || -L $1 || ! -O $1 || -e $1/owner ]] || {
    rm -f -- "$1"/owner.new*
    ! rmdir -- "$1" 2>/dev/null || return 0
  }
  printf '%s: has no owner line, so no run made it; left alone\n' "$1" >&2
}

# Stop processes of runs whose directory, with every record in it, was removed, and remove their data. The lock shows whether the master is alive.
# Usage: host_stop_lost stale|force
host_stop_lost() {
  local record pid run file ended='' data
  data=$(host_data_lost)
  record=$(mktemp)
  while IFS=$'\t' read -r pid run file; do
    [[ $1 == force ]] || ! owner_lives "${LOCKS-}/tierbench-lock.$run" || continue
    proc_record "$record" "$pid" "$file" || continue
    [[ $ended == *" $run "* ]] || ended+=" $run "
  done < <(host_instances_lost)
  proc_end 60 "$record" || ended=stuck
  rm -f -- "$record"
  [[ $ended != stuck ]] || fail "a process of a run whose directory was removed does not stop"
  for run in $data; do
    [[ $1 == force ]] || ! owner_lives "${LOCKS-}/tierbench-lock.$run" || continue
    host_data_remove "$run"
    [[ $ended == *" $run "* ]] || ended+=" $run "
  done
  for run in $ended; do printf 'stopped everything that %s had left; its directory had been removed\n' "$run"; done
}

# Undo tiers of runs whose directory was removed.
# Usage: host_stop_lost_tier stale|force
host_stop_lost_tier() {
  host_tier_lost_undo "$1" || fail "cannot undo the tier of a run whose directory was removed"
}

# Remove the locks of this user even if their masters are alive; name a lock of another user.
host_stop_locks() {
  while host_locks_live own; do rm -f -- "$LOCK_FOUND"; done
  ! host_locks_live || printf '%s uses this server and belongs to another user; left alone\n' "$(owner_say)" >&2
}
