# SPDX-License-Identifier: MIT
# shellcheck shell=bash
# How the instances of a run are stopped: recorded instances, processes that a wrapper of redis-server has started, and processes that have
# lost their record.

# Stop the instances in a directory, and every other process that writes to their logs. Until all instances have answered, only their
# wrappers are recorded, and these may have ended without them. A process whose output is an instance's log belongs to that instance,
# with any pid and parent. The log may have been removed since, with the directory and all records in it.
# Usage: instances_end LIMIT DIR
# Returns: 1 when one would not go within LIMIT seconds.
instances_end() {
  local limit=$1 folder=$2 round status=0 found
  # The process that restarts instances must stop first.
  proc_end 10 "$folder/fault.proc" || return
  # The directory may be gone, and the disk full.
  found=$WORK/found.$$.proc
  { printf '0\t0\tnone\n' >"$found"; } 2>/dev/null || {
    rm -f -- "$found"
    found=$(mktemp)
  }
  # A wrapper may start an instance while it is being stopped, so look for instances again when it is gone.
  for round in 1 2; do
    _instances_find "$folder" "$found"
    ((round == 1)) || (($(wc -l <"$found") > 1)) || break
    proc_end "$limit" "$folder/instances.proc" "$folder/wrappers.proc" "$folder/node.proc" "$found" || {
      status=1
      break
    }
  done
  rm -f -- "$found"
  return "$status"
}

# Write a record of every process whose output is a log of the directory. Its first line names no process.
# Usage: _instances_find DIR FILE
_instances_find() {
  local folder pid target
  folder=$(readlink -m -- "$1")
  printf '0\t0\tnone\n' >"$2"
  while IFS=$'\t' read -r pid target; do
    [[ $target != "$folder"/redis-*.log* ]] || proc_record "$2" "$pid" found || : # it has ended in the meantime
  done < <(proc_outputs)
}

# Print PID and file of every process that writes to a file of a run, from the kernel's table; most have two lines. A removed file has `
# (deleted)` after its name.
# Usage: proc_outputs
# Globals: WORK
proc_outputs() {
  local work
  work=$(readlink -f -- "$WORK")
  find /proc/[0-9]*/fd/[12] -maxdepth 0 -lname "*/run-*" -printf '%p\t%l\n' 2>/dev/null |
    WORK=$work awk -F '\t' 'index($2, ENVIRON["WORK"] "/run-") == 1 { split($1, part, "/"); print part[3] "\t" $2 }' || :
}

# Print PID, RUN and file of every process of a run whose directory has lost its owner's line: the directory was removed during the run.
# Usage: proc_lost
# Globals: WORK
proc_lost() {
  local pid target work rest
  work=$(readlink -f -- "$WORK")
  while IFS=$'\t' read -r pid target; do
    rest=${target#"$work"/run-}
    [[ $rest =~ ^[A-Za-z0-9][A-Za-z0-9._-]*-[0-9]+-[0-9a-f]{8}/(server/redis-[0-9]+\.log|client-[^/]*/std(out|err)|monitor/monitor\.err|trace/trace\.log)( \(deleted\))?$ ]] ||
      continue
    [[ ! -e $WORK/run-${rest%%/*}/owner ]] || continue
    # root starts instances as another user.
    ((EUID == 0)) || [[ -O /proc/$pid ]] || continue
    printf '%s\t%s\t%s\n' "$pid" "${rest%%/*}" "$target"
  done < <(proc_outputs)
}
