# SPDX-License-Identifier: MIT
# shellcheck shell=bash
# What a run holds of its hosts: the lock of each server, of which one run at a time has one, and a directory with its record on every host. One
# process renews all of them.

# Of this run, once it has a name: what every host is sent. While the run's hosts have its directory, RUN_OPEN is the number of the turn (lock_turn).
RUN_ID='' RUN_OWNER='' RUN_OPEN=''
_LOCK_RENEWER=

# Exit status of lock_during when the lock is not available, and of lock_clean; that of lock_clean when another run only uses the host.
readonly LOCK_TAKEN=75 LOCK_BESIDE=76
LOCK_WHY= # then the reason

# Take the lock of each server for this run, open its directory on every host, and renew them until the script ends.
# Usage: lock_take HOST...
#   HOST  every host of the run
# Globals: HOST RUN_ID RUN_OWNER
# Returns: sets RUN_OPEN; exits 3 when another run has a server, or a host has no place for the directory.
lock_take() {
  local host
  local -a clients=()
  [[ -z $_LOCK_RENEWER ]] || return 0 # this run holds it already
  # First, because a signal may arrive as soon as the lock is taken; only a lock of this run is released.
  cleanup_push _lock_release "$@"
  for host in $HOST; do _lock_take "$host"; done
  for host; do servers_is "$host" || clients+=("$host"); done
  parallel_run $((REMOTE_RETRY + 60)) _lock_join "${clients[@]}" ||
    die_unfit "$(parallel_failed "${clients[@]}"): the run's directory cannot be opened there, nothing was started; the line above gives the reason"
  # shellcheck disable=SC2034 # for the scripts of hosts
  RUN_OPEN=1
  # A killed master cannot release anything: the lease then expires, so it must be renewed while the master lives.
  _lock_renew $$ "$@" &
  _LOCK_RENEWER=$!
}

# Take the lock of a server.
# Usage: _lock_take HOST
# Globals: RUN_ID RUN_OWNER
# Returns: exits 3 if it is not available.
_lock_take() {
  call_run "$1" lock take || die_unfit "$1: lock: not available, nothing was started; the line above names the owner or the reason"
}

# Open the run's directory on a client. Usage: _lock_join HOST
_lock_join() {
  call_run "$1" lock join
}

# Begin the next turn: the end of a repeat, or a tuning. From then on, a call of an earlier turn that was suspended starts nothing (owner_turn).
# Usage: lock_turn
# Globals: RUN_OPEN
lock_turn() {
  [[ -z $RUN_OPEN ]] || RUN_OPEN=$((RUN_OPEN + 1))
}

# Hold the lock of the server in HOST, and renew it, while a function runs.
# Usage: lock_during FUNCTION [ARG]...
# Globals: HOST RUN_ID RUN_OWNER
# Returns: the status of FUNCTION; LOCK_TAKEN, and sets LOCK_WHY, if another run has the lock.
lock_during() {
  local status=0 why=$_REMOTE_TMP/lock.$BASHPID renewer
  [[ -z $_LOCK_RENEWER ]] || {
    "$@"
    return
  }
  cleanup_push _lock_release "$HOST"
  LOCK_WHY=
  if call_run "$HOST" lock take 2>"$why"; then
    cat -- "$why" >&2
    local RUN_OPEN=1
    # A command substitution around this would wait for it.
    _lock_renew $$ "$HOST" >/dev/null &
    renewer=$!
    "$@" || status=$?
    kill "$renewer" 2>/dev/null || :
  else
    status=$LOCK_TAKEN LOCK_WHY=$(tail -n 1 -- "$why")
  fi
  cleanup_pop || status=1
  return "$status"
}

# Whether this run still holds the server in HOST. A master that slept, or whose link was down, for longer than the lease has lost it.
# Usage: lock_held
# Globals: HOST
# Returns: 1 with the reason on stderr; 0 also if no lock was taken.
lock_held() {
  [[ -n $_LOCK_RENEWER ]] || return 0
  _lock_again "$HOST" >/dev/null
}

# Stop what runs with a dead master left on a host, and print it. The host cannot check the process of a master on another machine; if that is this
# machine, it is checked here.
# Usage: lock_clean HOST stale|force
# Returns: LOCK_TAKEN or LOCK_BESIDE, with a line on stderr for each run, if a run with a live master has the host's lock, or only uses it; else the status
# of the call
lock_clean() {
  local said status=0 word place run text REPLY
  local -a dead=()
  said=$(call_run "$1" stop "$2") || return
  while IFS=$'\t' read -r word _ run OWNER_PID OWNER_START OWNER_BOOT OWNER_SPACE _; do
    # Processes of other users may be hidden (hidepid of proc(5)), as process 1 then is.
    if [[ $word == alive && -d /proc/1 ]] && owner_here && ! proc_alive "$OWNER_PID" "$OWNER_START"; then dead+=("$run"); fi
  done <<<"$said"
  ((${#dead[@]} == 0)) || said=$(call_run "$1" stop "$2" "${dead[@]}") || return
  while IFS=$'\t' read -r word place _ _ _ _ _ text; do
    if [[ $word != alive ]]; then
      [[ -z $word ]] || printf '%s\n' "$word"
      continue
    fi
    printf '%s\n' "$text" >&2
    if [[ $place == lock ]]; then status=$LOCK_TAKEN; else status=$LOCK_BESIDE; fi
  done <<<"$said"
  return "$status"
}

# Record on a host that the master is alive, and print `lapsed` if its watchdog has restored it.
# Usage: _lock_again HOST
# Returns: not 0, with the reason on stderr, if this run has lost it, or the host does not answer.
_lock_again() {
  call_run "$1" lock renew
}

# Stop the process that renews, release the lock of each server, and remove the run's directory on each host.
# Usage: _lock_release HOST...
# Returns: 0, also if a host does not answer.
_lock_release() {
  RUN_OPEN=
  [[ -z $_LOCK_RENEWER ]] || kill "$_LOCK_RENEWER" 2>/dev/null || :
  parallel_run $((REMOTE_RETRY + 60)) _lock_give "$@" || :
}

# Release what the run holds of a host. Usage: _lock_give HOST
_lock_give() {
  call_run "$1" lock release
}

# Renew all records of the run on its hosts at intervals while the master lives; runs in the background. Each host has a session that stays, and
# gets a line for each beat. After three beats without an answer it is replaced.
# Usage: _lock_renew MASTER HOST...
#   MASTER is the pid of the master
# Globals: RUN_OWNER
_lock_renew() {
  local master=$1 start next pace host lease beats
  local -A to=() from=() pid=() started=() said=() missed=()
  trap - EXIT INT HUP
  # A session may have ended before a beat.
  trap '' PIPE
  cleanup_trap '_lock_sessions_end; exit 143' TERM
  shift
  proc_start "$master" || return 0
  start=$PROC_START
  # Often enough that a link that is down for REMOTE_RETRY does not end the lease.
  read -r _ _ _ _ _ _ _ _ lease <<<"$RUN_OWNER"
  pace=$((lease / 6 > 10 ? 10 : lease / 6))
  ((pace > 0)) || pace=1
  # The lock has just been taken.
  next=$((SECONDS + pace))
  # Check the master every second, so that this process exits at most a second after it.
  while proc_alive "$master" "$start"; do
    if ((SECONDS >= next)); then
      for host; do
        # One that is lost, or does not answer, is replaced.
        beats=$((${missed[$host]-3} + 1))
        missed[$host]=$beats
        ((beats <= 3)) || _lock_session "$host"
        echo >&"${to[$host]}" || :
      done 2>/dev/null
      next=$((SECONDS + pace))
    fi
    for host in "${!pid[@]}"; do _lock_heard "$host"; done
    proc_wait 1
  done
  _lock_sessions_end
}

# Open the session of a host that renews; an earlier one ends.
# Usage: _lock_session HOST
# Globals: to, from, pid, started and missed of _lock_renew
_lock_session() {
  local host=$1 mark=tierbench-hold-$RANDOM$RANDOM reads writes REPLY LC_ALL=C
  local -a words
  if [[ -n ${pid[$host]-} ]]; then
    reads=${from[$host]} writes=${to[$host]}
    exec {reads}>&- {writes}>&-
    _lock_session_end "$host"
  fi
  missed[$host]=1
  call_settings lock hold
  call_words "$host" 0 "$mark" lock hold
  # We have both ends, so that reading never waits for the other one.
  exec {reads}<> <(:)
  exec {writes}> >(export RUN_OF_TIERBENCH=$RUN_ID && exec "${words[@]}" >&"$reads" 2>/dev/null {LOG_FD}>&- {_REMOTE_FD}<&- {RUN_LOCK_FD}>&-)
  pid[$host]=$! to[$host]=$writes from[$host]=$reads
  PROC_START=ended
  proc_start $! || :
  started[$host]=$PROC_START
  printf '%s %d\n%s' "$mark" "${#REPLY}" "$REPLY" >&"$writes" || :
}

# Read what a host has answered; start-up files of its login shell may have printed before.
# Usage: _lock_heard HOST
# Globals: from, said and missed of _lock_renew
_lock_heard() {
  local host=$1 line count
  for ((count = 0; count < 1000; count++)); do
    { read -r -t 0 -u "${from[$host]}" && read -r -t 1 -n 64 -u "${from[$host]}" line; } || return 0
    [[ $line == @(held|lapsed|lost) ]] || continue
    missed[$host]=0
    [[ $line != lapsed || ${said[$host]-} == lapsed ]] ||
      log_warn "$host: lease expired (no heartbeat for $lease s): tuning was reverted; it is reapplied before the next repeat"
    said[$host]=$line
  done
}

# End the session of a host. Its process may have ended, and its number be that of another one.
# Usage: _lock_session_end HOST
# Globals: pid and started of _lock_renew
_lock_session_end() {
  ! proc_alive "${pid[$1]}" "${started[$1]}" || kill -s KILL "${pid[$1]}" 2>/dev/null || :
}

# End all sessions.
# Globals: pid of _lock_renew
_lock_sessions_end() {
  local host
  for host in "${!pid[@]}"; do _lock_session_end "$host"; done
}

# Set the run's name, and its owner's line as it is sent to every host.
# Usage: lock_name NAME
# Returns: sets RUN_ID RUN_OWNER
lock_name() {
  local name=${1//[^A-Za-z0-9.-]/_} random
  # Two masters can have the same pid, each in its own container, with one client in common.
  random=$(exec od -An -N 4 -t x4 /dev/urandom)
  RUN_ID=${name:0:60}-$$-${random// /}
  [[ $RUN_ID == [A-Za-z0-9]* ]] || RUN_ID=run$RUN_ID
  lock_owner "$RUN_ID"
  RUN_OWNER=$REPLY
}
