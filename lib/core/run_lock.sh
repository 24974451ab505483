# SPDX-License-Identifier: MIT
# shellcheck shell=bash
# One master at a time in the directory of a run: of two, one could publish a repeat to which the other still writes.

# Open as long as this script runs, and locked once it holds a run. No process that outlives the script may inherit it.
exec {RUN_LOCK_FD}</dev/null

# Hold a run's directory until this script ends, however it ends: the kernel then releases the lock of the file run.lock. The file names the owner,
# and is not part of the results.
# Usage: run_lock_take RUN
# Globals: RUN_OWNER
# Returns: exits 2 if another master has the run
run_lock_take() {
  local file=$1/run.lock try status=0 owner
  # A master that ends removes the file before it releases the lock, so a lock may be of a removed file; not more often, or the file system gives a
  # file no lasting number.
  for try in 1 2 3; do
    exec {RUN_LOCK_FD}>&-
    { exec {RUN_LOCK_FD}>>"$file"; } 2>/dev/null || die "$file: cannot be written"
    status=0
    flock -n "$RUN_LOCK_FD" || status=$?
    if ((status == 1)) && _run_lock_dead "$file" && flock -w 30 "$RUN_LOCK_FD"; then status=0; fi
    if ((status == 1)); then
      owner="another master"
      ! owner_read "$file" || owner=$(owner_say)
      die_usage "command line: --resume=$1: $owner continues it; wait for it, or interrupt it there"
    fi
    [[ ! $file -ef /proc/self/fd/$RUN_LOCK_FD ]] || break
  done
  ((status == 0)) || log_warn "$file: cannot be locked on this file system, so no other master is kept from this run"
  { printf '%s\n' "$RUN_OWNER" >"$file"; } 2>/dev/null || :
  cleanup_push rm -f -- "$file"
}

# Whether the owner in a file was a process of this machine that has died. Its subshells may have the lock for a moment.
# Usage: _run_lock_dead FILE
_run_lock_dead() {
  owner_read "$1" && owner_here && ! proc_alive "$OWNER_PID" "$OWNER_START"
}
