# SPDX-License-Identifier: MIT
# shellcheck shell=bash
# The lock of a server: one run at a time, of any user.
# Needs: locks

# Usage: main take|renew|release
main() {
  workdir_open
  host_locks_open
  LOCK=$LOCKS/tierbench-lock.$RUN_ID
  "host_lock_$1"
}

# Take the lock for this run, unless the run holds it already; remove the locks of dead runs.
# Usage: host_lock_take
# Globals: LOCK LOCKS RUN_OWNER
# Returns: exits 1 with the reason on stderr if a run with a live master has a lock, or the lock cannot be written.
host_lock_take() {
  ! host_lock_mine || return 0
  if host_locks_live; then fail "$(owner_say) uses this server"; fi
  host_locks_sweep >&2
  # All users must be able to read it. noclobber is O_EXCL: this never writes to a file that another user has put there.
  (umask 022 && set -o noclobber && printf '%s\n' "$RUN_OWNER" >"$LOCK") || fail "LOCK_DIR=$LOCKS: the lock $LOCK cannot be written; all users must be able to (chmod 1777 $LOCKS)"
}

# Record that the master is alive. Fails if the lock is missing, or was not renewed within the lease: another run may have used the server since.
host_lock_renew() {
  host_lock_mine || fail "the lock of this run is missing$(host_lock_other)"
  if ! owner_here && ! owner_fresh "$LOCK"; then
    fail "the lock of this run was not renewed for $OWNER_LEASE s (LEASE), and another run may have had the server$(host_lock_other)"
  fi
  owner_touch "$LOCK"
  owner_renew
}

# Remove the lock if it is of this run.
# Usage: host_lock_release
host_lock_release() {
  ! host_lock_mine || rm -f -- "$LOCK"
}

# Whether the lock's file is of this user and has the owner's line of this run.
# Usage: host_lock_mine
# Globals: LOCK RUN_OWNER
host_lock_mine() {
  [[ -O $LOCK ]] && owner_read "$LOCK" && [[ $OWNER_LINE == "$RUN_OWNER" ]]
}

# Print the owner of the server's lock.
host_lock_other() {
  ! host_locks_live || printf ': %s uses this server' "$(owner_say)"
}
