# SPDX-License-Identifier: MIT
# shellcheck shell=bash
# The locks of a server: a file tierbench-lock.RUN a run, in a directory that all users share. Setting sent in front: LOCK_DIR.
#
# LOCK_DIR is open to all and sticky (as /var/tmp is): every user makes a file of its own and can remove no other's. A lock counts
# as long as its owner lives, so a file that its dead owner's user alone could remove is in nobody's way. flock on the directory
# itself makes look and change one step; it needs no file, and ends with the process that has it.

# Open the directory and wait for our turn; it lasts until locks_close, or until this script ends.
# Usage: locks_open
# Globals: LOCK_DIR
# Returns: sets LOCKS, the directory's path without links
locks_open() {
  local owner mode
  if [[ ! -d $LOCK_DIR ]]; then
    # It must never be there without its mode: two may come at once.
    (umask 022 && mkdir -p -- "$(dirname -- "$LOCK_DIR")" && mkdir -m 1777 -- "$LOCK_DIR" 2>/dev/null) || [[ -d $LOCK_DIR ]] ||
      fail "LOCK_DIR=$LOCK_DIR: cannot be made"
  fi
  LOCKS=$(cd -P -- "$LOCK_DIR" && pwd) || fail "LOCK_DIR=$LOCK_DIR: cannot be entered"
  read -r owner mode < <(stat -c '%u %a' -- "$LOCKS")
  [[ $owner == 0 || $owner == "$EUID" ]] || fail "LOCK_DIR=$LOCKS: belongs to another user, who could remove any lock; it must be root's"
  (((8#$mode & 8#022) == 0 || (8#$mode & 8#1000) != 0)) || fail "LOCK_DIR=$LOCKS: others can write to it and it is not sticky; chmod +t $LOCKS"
  exec {LOCKS_FD}<"$LOCKS"
  flock -w 30 "$LOCKS_FD" || fail "LOCK_DIR=$LOCKS: another process has held its flock for 30 s; lslocks names it"
}

# Let others have their turn.
# Usage: locks_close
locks_close() {
  [[ -z ${LOCKS_FD-} ]] || exec {LOCKS_FD}<&-
  LOCKS_FD=
}

# Find a lock whose owner lives.
# Usage: locks_live [OWN]
#   OWN: look at those of this user alone
# Globals: LOCKS; not set where there is no directory of locks
# Returns: 0 with the OWNER_ variables of owner_read and LOCK_FOUND set; 1 when no lock has a living owner.
locks_live() {
  [[ -n ${LOCKS-} ]] || return 1
  for LOCK_FOUND in "$LOCKS"/tierbench-lock.*; do
    [[ -z ${1-} || -O $LOCK_FOUND ]] || continue
    ! owner_lives "$LOCK_FOUND" || [[ $LOCK_FOUND != "$LOCKS/tierbench-lock.$OWNER_RUN" ]] || return 0
  done
  return 1
}

# Remove the locks of this user whose owners are dead, and say so. (Root's turn removes those of all users.)
# Usage: locks_sweep
locks_sweep() {
  local file
  [[ -n ${LOCKS-} ]] || return 0
  for file in "$LOCKS"/tierbench-lock.*; do
    [[ -f $file && ! -L $file && (-O $file || $EUID == 0) ]] || continue
    ! owner_lives "$file" || continue
    [[ ! $OWNER_LINE =~ $_OWNER_LINE ]] || printf '%s had this server and is gone: its lock is broken\n' "$(owner_say)"
    rm -f -- "$file"
  done
}
