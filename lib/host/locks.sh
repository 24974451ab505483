# SPDX-License-Identifier: MIT
# shellcheck shell=bash
# The locks of a server: one file tierbench-lock.RUN per run, in LOCK_DIR, which all users share.
#
# LOCK_DIR is writable by all users and sticky (as /var/tmp is): every user can make a file and cannot remove the file of another user. A lock is
# valid while its owner is alive, so the file of a dead owner, which only its user can remove, blocks no other user. flock on the directory makes
# check and change atomic; it requires no file, and the kernel releases it when the process ends.

# Open the directory and wait for its lock; it is held until host_locks_close, or until this script ends.
# Usage: host_locks_open
# Globals: LOCK_DIR
# Returns: sets LOCKS, the directory's path without links
host_locks_open() {
  local owner mode text
  if [[ ! -d $LOCK_DIR ]]; then
    # The directory must never exist without its mode, because two processes may make it at the same time.
    (umask 022 && mkdir -p -- "$(dirname -- "$LOCK_DIR")" && mkdir -m 1777 -- "$LOCK_DIR") 2>/dev/null || [[ -d $LOCK_DIR ]] ||
      fail "LOCK_DIR=$LOCK_DIR: cannot be created"
  fi
  text=$(cd -P -- "$LOCK_DIR" && pwd && exec stat -c '%u %a' .) || fail "LOCK_DIR=$LOCK_DIR: cannot be entered"
  LOCKS=${text%$'\n'*}
  read -r owner mode <<<"${text##*$'\n'}"
  [[ $owner == 0 || $owner == "$EUID" ]] || fail "LOCK_DIR=$LOCKS: belongs to another user, who could remove any lock; the owner must be root or you"
  (((8#$mode & 8#022) == 0 || (8#$mode & 8#1000) != 0)) || fail "LOCK_DIR=$LOCKS: others can write to it and it is not sticky; chmod +t $LOCKS"
  exec {LOCKS_FD}<"$LOCKS"
  flock -w 30 "$LOCKS_FD" || fail "LOCK_DIR=$LOCKS: another process has held its flock for 30 s; lslocks names it"
}

# Release the lock of the directory.
# Usage: host_locks_close
host_locks_close() {
  [[ -z ${LOCKS_FD-} ]] || exec {LOCKS_FD}<&-
  LOCKS_FD=
}

# Find a lock whose owner is alive.
# Usage: host_locks_live [OWN]
#   OWN: check only the locks of this user
# Globals: LOCKS; unset if there is no directory of locks
# Returns: 0 with the OWNER_ variables of owner_read and LOCK_FOUND set; 1 if no lock has a live owner.
host_locks_live() {
  [[ -n ${LOCKS-} ]] || return 1
  for LOCK_FOUND in "$LOCKS"/tierbench-lock.*; do
    [[ -z ${1-} || -O $LOCK_FOUND ]] || continue
    ! owner_lives "$LOCK_FOUND" || [[ $LOCK_FOUND != "$LOCKS/tierbench-lock.$OWNER_RUN" ]] || return 0
  done
  return 1
}

# Remove the locks of this user whose owners are dead, and report it. (As root, those of all users.) A file without an owner's line is a lock only with
# the name of a run: a power failure may have emptied it.
# Usage: host_locks_sweep
host_locks_sweep() {
  local file
  [[ -n ${LOCKS-} ]] || return 0
  for file in "$LOCKS"/tierbench-lock.*; do
    [[ -f $file && ! -L $file && (-O $file || $EUID == 0) ]] || continue
    ! owner_lives "$file" || continue
    [[ -n $OWNER_LINE ]] || owner_names "${file##*/tierbench-lock.}" || continue
    [[ -z $OWNER_LINE ]] || printf '%s used this server and has died: its lock was removed\n' "$(owner_say)"
    rm -f -- "$file"
  done
}
