# SPDX-License-Identifier: MIT
# shellcheck shell=bash
# A run's hold of a host: the lock of a server, of which one run at a time, of any user, has one, and the run's directory with its record.
# Needs: locks
# Input: hold

# Usage: main take|join|renew|hold|release
#   take     take the lock of a server, and open the run's directory
#   join     open the run's directory, on a client
#   renew    record that the master is alive; prints `lapsed` if the watchdog has restored what the run changed
#   hold     renew for each line on stdin, until it ends
#   release  remove the run's directory when nothing of the run is left in it, and the lock
main() {
  workdir_open
  # A session would keep other runs from the locks as long as it lives.
  if [[ $1 == hold ]]; then
    host_lock_hold
    return
  fi
  if [[ $1 == take || -L $WORK/run-$RUN_ID/lock || -e $LOCK_DIR/tierbench-lock.$RUN_ID ]]; then host_locks_open; fi
  LOCK=${LOCKS-$LOCK_DIR}/tierbench-lock.$RUN_ID
  "host_lock_$1"
}

# Take the lock for this run, unless the run holds it already; remove the locks of dead runs.
# Usage: host_lock_take
# Globals: LOCK LOCKS RUN_OWNER
# Returns: exits 1 with the reason on stderr if a run with a live master has a lock, or the lock cannot be written.
host_lock_take() {
  if host_lock_mine; then
    host_lock_join
    return
  fi
  if host_locks_live; then fail "$(owner_say) uses this server"; fi
  host_locks_sweep >&2
  # All users must be able to read it. noclobber is O_EXCL: this never writes to a file that another user has put there.
  (umask 022 && set -o noclobber && owner_text && printf '%s' "$REPLY" >"$LOCK") || fail "LOCK_DIR=$LOCKS: the lock $LOCK cannot be written; all users must be able to (chmod 1777 $LOCKS)"
  host_lock_join
}

# Open the run's directory. Its link `lock` leads to the lock, if the run has one here.
# Usage: host_lock_join
# Returns: exits 1 with the reason on stderr, without a lock
host_lock_join() {
  local folder=$WORK/run-$RUN_ID
  if owner_read "$folder/owner" || (owner_write "$folder"); then
    # Two hosts may have come here at the same time.
    if owner_read "$folder/owner" && owner_same_boot; then
      ! host_lock_mine || ln -sfn -- "$LOCK" "$folder/lock"
      owner_renew
      return
    fi
    printf '%s\n' "REMOTE_DIR=$WORK: another host uses this directory, too; each host requires its own" >&2
  fi
  ! host_lock_mine || rm -f -- "$LOCK"
  exit 1
}

# Record that the master is alive. Fails if the run has lost this host.
# Usage: host_lock_renew
host_lock_renew() {
  owner_keeps || fail "$OWNER_WHY$(host_lock_other)"
  owner_renew
  [[ ! -e $WORK/tune-$RUN_ID/lapsed ]] || echo lapsed
}

# Record for each line on stdin that the master is alive, and answer `held`, `lapsed` as host_lock_renew, or `lost`. It ends with the connection, and when
# no line comes within the lease; by then the records have expired.
# Usage: host_lock_hold
# Globals: RUN_OWNER
host_lock_hold() {
  local lease
  read -r _ _ _ _ _ _ _ _ lease <<<"$RUN_OWNER"
  while IFS= read -r -t "$lease" _; do
    owner_keeps || {
      echo lost
      return
    }
    owner_renew
    if [[ -e $WORK/tune-$RUN_ID/lapsed ]]; then echo lapsed; else echo held; fi
  done
}

# Remove the run's directory, and the lock if it is of this run. What is not stopped keeps its directory, for `stop`. A call that is still active is ended:
# it would start something without a record.
# Usage: host_lock_release
host_lock_release() {
  local name
  local -a names=(client)
  if [[ -e $WORK/run-$RUN_ID ]]; then
    # On a client, another run may have the other locks.
    [[ ! -L $WORK/run-$RUN_ID/lock ]] || names+=(server tier)
    for name in "${names[@]}"; do workdir_lock "$name" 30; done
    # What a call was writing when it was ended records nothing that still exists.
    rm -rf -- "$WORK/run-$RUN_ID"/{scratch,owner.new}.*
    owner_remove
  fi
  ! host_lock_mine || rm -f -- "$LOCK"
}

# Whether the lock's file is of this user and has the owner's line of this run.
# Usage: host_lock_mine
# Globals: LOCK RUN_OWNER
host_lock_mine() {
  [[ -O $LOCK ]] && owner_read "$LOCK" && [[ $OWNER_LINE == "$RUN_OWNER" ]]
}

# Print the owner of the server's lock, if that is another run.
host_lock_other() {
  ! host_locks_live || [[ $OWNER_RUN == "$RUN_ID" ]] || printf ': %s uses this server' "$(owner_say)"
}
