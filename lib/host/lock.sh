# SPDX-License-Identifier: MIT
# shellcheck shell=bash
# The lock of a server: one run at a time, of any user. Settings sent in front: LOCK_DIR, RUN_ID, RUN_OWNER.
# Needs: locks

# Usage: main take|renew|release
main() {
  work_open
  locks_open
  LOCK=$LOCKS/tierbench-lock.$RUN_ID
  "lock_$1"
}

lock_take() {
  ! lock_mine || return 0
  if locks_live; then fail "$(owner_say) uses this server"; fi
  locks_sweep >&2
  # All users must be able to read it. noclobber is O_EXCL: this never writes to a file that another user has put there.
  (umask 022 && set -o noclobber && printf '%s\n' "$RUN_OWNER" >"$LOCK") || fail "LOCK_DIR=$LOCKS: the lock $LOCK cannot be written; all users must be able to (chmod 1777 $LOCKS)"
}

# Record that the master is alive. Fails if the lock is missing, or was not renewed within the lease: another run may have used the server since.
lock_renew() {
  lock_mine || fail "the lock of this run is missing$(lock_other)"
  if ! owner_here && ! owner_fresh "$LOCK"; then
    fail "the lock of this run was not renewed for $OWNER_LEASE s (LEASE), and another run may have had the server$(lock_other)"
  fi
  owner_touch "$LOCK"
  run_renew
}

lock_release() {
  ! lock_mine || rm -f -- "$LOCK"
}

lock_mine() {
  [[ -O $LOCK ]] && owner_read "$LOCK" && [[ $OWNER_LINE == "$RUN_OWNER" ]]
}

# Print the owner of the server's lock.
lock_other() {
  ! locks_live || printf ': %s uses this server' "$(owner_say)"
}
