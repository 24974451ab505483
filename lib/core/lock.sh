# SPDX-License-Identifier: MIT
# shellcheck shell=bash
# One run at a time on a server: the lock names its owner, and is broken only if its owner is dead.

# Of this run, once it has a name: what every host is sent.
RUN_ID='' RUN_OWNER=''
_LOCK_RENEWER=
_LOCK_USER= # of this process, once lock_owner has asked for it

# Exit status of lock_during when the lock is not available.
readonly LOCK_TAKEN=75
LOCK_WHY= # then the reason

# Refuse a lease that ends while the run still waits for a host.
# Usage: lock_settings_check
# Globals: LEASE REMOTE_RETRY RESUME
# Returns: exits 2
lock_settings_check() {
  [[ $LEASE != auto ]] && ((LEASE <= REMOTE_RETRY)) || return 0
  # The settings of a resumed run cannot be changed, and an older version may have written them.
  [[ -n $RESUME || $(conf_where LEASE) == *run.conf:* ]] || conf_refuse LEASE "not more than REMOTE_RETRY=$REMOTE_RETRY; set LEASE=auto, or a lower REMOTE_RETRY"
  LEASE=auto
  # Settings are resolved again for each variant.
  conf_word argument LEASE=auto "$(conf_where LEASE)"
}

# Take the lock of each server for this run and renew them until the script ends.
# Usage: lock_take
# Globals: SERVER RUN_ID RUN_OWNER
# Returns: exits 3 when another run has it.
lock_take() {
  [[ -z $_LOCK_RENEWER ]] || return 0 # this run holds it already
  # First, because a signal may arrive as soon as the lock is taken; only a lock of this run is released.
  cleanup_push _lock_release
  servers_each _lock_take
  # A killed master cannot release the lock: the lease then expires, so it must be renewed while the master lives.
  _lock_renew $$ &
  _LOCK_RENEWER=$!
}

# Take the lock of the server that SERVER is narrowed to.
# Usage: _lock_take
# Globals: SERVER RUN_ID RUN_OWNER
# Returns: exits 3 if it is not available.
_lock_take() {
  remote_run "$SERVER" lock take || die_unfit "$SERVER: lock: not available, nothing was started; the line above names the owner or the reason"
}

# Hold the lock of the server that SERVER is narrowed to, and renew it, while a function runs.
# Usage: lock_during FUNCTION [ARG]...
# Globals: SERVER LEASE RUN_ID RUN_OWNER
# Returns: the status of FUNCTION; LOCK_TAKEN, and sets LOCK_WHY, if another run has the lock.
lock_during() {
  local status=0 why=$_REMOTE_TMP/lock.$BASHPID renewer
  [[ -z $_LOCK_RENEWER ]] || {
    "$@"
    return
  }
  cleanup_push _lock_release
  LOCK_WHY=
  if remote_run "$SERVER" lock take 2>"$why"; then
    cat -- "$why" >&2
    # A command substitution around this would wait for it.
    _lock_renew $$ >/dev/null &
    renewer=$!
    "$@" || status=$?
    kill "$renewer" 2>/dev/null || :
  else
    status=$LOCK_TAKEN LOCK_WHY=$(tail -n 1 -- "$why")
  fi
  cleanup_pop || status=1
  return "$status"
}

# Whether this run still holds the lock of the server that SERVER is narrowed to. A master that slept, or whose link was down, for longer than the lease has lost it.
# Usage: lock_held
# Globals: SERVER
# Returns: 1 with the reason on stderr; 0 also if no lock was taken.
lock_held() {
  [[ -n $_LOCK_RENEWER ]] || return 0
  _lock_again
}

# Renew the lock of the server that SERVER is narrowed to.
# Usage: _lock_again
# Returns: not 0, with the reason on stderr, if this run does not hold it any more, or the server does not answer.
_lock_again() {
  remote_run "$SERVER" lock renew
}

# Stop the process that renews locks, and release the lock of each server in SERVER.
# Usage: _lock_release
# Returns: 0, also if a server does not answer.
_lock_release() {
  [[ -z $_LOCK_RENEWER ]] || kill "$_LOCK_RENEWER" 2>/dev/null || :
  servers_print $((REMOTE_RETRY + 60)) _lock_give || :
}

# Release the lock of the server that SERVER is narrowed to, if this run holds it.
# Usage: _lock_give
_lock_give() {
  remote_run "$SERVER" lock release
}

# Renew the lock of each server at intervals while the master lives; runs in the background.
# Usage: _lock_renew MASTER
#   MASTER is the pid of the master
# Globals: SERVER LEASE
_lock_renew() {
  local master=$1 start next pace fd
  trap - EXIT INT HUP
  cleanup_trap '_side_abort; exit 143' TERM
  proc_start "$master" || return 0
  start=$PROC_START
  # Often enough that a link that is down for REMOTE_RETRY does not end the lease.
  lock_lease
  local REMOTE_RETRY=0
  pace=$((REPLY / 6 > 10 ? 10 : REPLY / 6))
  ((pace > 0)) || pace=1
  # The lock has just been taken.
  next=$((SECONDS + pace))
  # Nothing writes to the pipe: reading from it is a pause without a process.
  exec {fd}<> <(:)
  # Check the master every second, so that this process exits at most a second after it.
  while proc_alive "$master" "$start"; do
    if ((SECONDS >= next)); then
      servers_side "$pace" _lock_again >/dev/null 2>&1 || :
      next=$((SECONDS + pace))
    fi
    read -r -t 1 -u "$fd" || :
  done
}

# The seconds that a lock, and the tuning of a host, last without a heartbeat.
# Usage: lock_lease
# Globals: LEASE REMOTE_RETRY
# Returns: sets REPLY
lock_lease() {
  REPLY=$LEASE
  [[ $LEASE != auto ]] || REPLY=$((REMOTE_RETRY + 60))
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

# This process as an owner (lib/shared/owner.sh reads the line).
# Usage: lock_owner NAME
# Globals: LEASE REMOTE_RETRY
# Returns: sets REPLY
lock_owner() {
  local user host place
  proc_start $$
  # The master calls this twice, as the same user.
  [[ -n $_LOCK_USER ]] || _LOCK_USER=$(exec id -un 2>/dev/null) || _LOCK_USER=$EUID
  user=$_LOCK_USER
  read -r host </proc/sys/kernel/hostname
  owner_place
  place=$REPLY
  lock_lease
  user=${user//[^A-Za-z0-9._@+-]/_} host=${host//[^A-Za-z0-9._@+-]/_}
  TZ=UTC0 printf -v REPLY '%s\t%s\t%s\t%s\t%s\t%s\t%(%Y-%m-%dT%H:%M:%SZ)T\t%s' "$1" "${user:0:64}" "${host:0:64}" $$ "$PROC_START" \
    "$place" -1 "$REPLY"
}
