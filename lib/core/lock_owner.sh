# SPDX-License-Identifier: MIT
# shellcheck shell=bash
# This process as the owner of what it holds, and how long that lasts without a heartbeat.

_LOCK_USER= # of this process, once lock_owner has asked for it
# Seconds of a lease in addition to REMOTE_RETRY: it must not end while the run still waits for a host.
readonly _LOCK_SPARE=60

# The seconds that a lock, and the tuning of a host, last without a heartbeat.
# Usage: lock_lease
# Globals: REMOTE_RETRY
# Returns: sets REPLY
lock_lease() {
  REPLY=$((REMOTE_RETRY + _LOCK_SPARE))
}

# This process as an owner (lib/shared/owner.sh reads the line).
# Usage: lock_owner NAME
# Globals: REMOTE_RETRY
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
