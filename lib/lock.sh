# SPDX-License-Identifier: MIT
# shellcheck shell=bash
# One run at a time on a server: the lock there names its owner, and is broken only when its owner is gone.

# Take the server's lock for this run and keep it alive until the script ends.
# Usage: lock_take
# Globals: SERVER LEASE RUN_ID RUN_OWNER
# Returns: exits 3 when somebody else's run has it.
lock_take() {
  local status=0
  [[ -z ${_LOCK_RENEWER-} ]] || return 0 # it is ours already
  # First, because a signal may come as soon as it is taken; only a lock that is ours is released.
  cleanup_push _lock_release
  remote_run -e RUN_ID -e RUN_OWNER -e LEASE "$SERVER" lock take || status=$?
  ((status == 0)) || die_unfit "$SERVER: the run was not started, and what is there was left alone"
  # A master that is killed cannot release: the lease then runs out, so it must be renewed as long as the master lives.
  _lock_renew $$ &
  _LOCK_RENEWER=$!
}

_lock_release() {
  [[ -z ${_LOCK_RENEWER-} ]] || kill "$_LOCK_RENEWER" 2>/dev/null || :
  remote_run -e RUN_ID -e RUN_OWNER -e LEASE "$SERVER" lock release || :
}

_lock_renew() {
  local master=$1 start next=0
  trap - EXIT INT TERM HUP
  proc_start "$master" || return 0
  start=$PROC_START
  # Looks at the master every second, so that nothing outlives it for longer.
  while proc_alive "$master" "$start"; do
    if ((SECONDS >= next)); then
      remote_run -e RUN_ID -e RUN_OWNER -e LEASE "$SERVER" lock renew 2>/dev/null || :
      next=$((SECONDS + LEASE / 6))
    fi
    sleep 1
  done
}

# Name a run, and its owner as every host is told: RUN USER HOST PID STARTTIME BOOT PIDSPACE SINCE.
# Usage: lock_name NAME
# Returns: sets RUN_ID RUN_OWNER
lock_name() {
  RUN_ID=$1-$$
  proc_start $$
  printf -v RUN_OWNER '%s\t%s\t%s\t%s\t%s\t%s\t%s\t%s' "$RUN_ID" "$(id -un)" "$(uname -n)" $$ "$PROC_START" \
    "$(</proc/sys/kernel/random/boot_id)" "$(readlink /proc/self/ns/pid)" "$(date -u +%Y-%m-%dT%H:%M:%SZ)"
}
