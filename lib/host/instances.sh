# SPDX-License-Identifier: MIT
# shellcheck shell=bash
# How the instances of a run are ended: those on record, what a wrapper in front of redis-server has begun, and what has lost its record.

# End the instances in a directory, and whatever else writes to their logs: until all have answered, only what stands in front of them
# is on record, and that may have ended without them. A process that has an instance's log as its output is the instance's, whatever
# pid it has and whoever its parent is by now; the log may have been removed since, with the directory and all records in it.
# Usage: instances_end LIMIT DIR
# Returns: 1 when one would not go within LIMIT seconds.
instances_end() {
  local limit=$1 folder=$2 round status=0 found
  # What brings instances back must not do so any more.
  proc_end 10 "$folder/fault.proc" || return
  # The directory may be gone, and the disk full.
  found=$WORK/found.$$.proc
  { printf '0\t0\tnone\n' >"$found"; } 2>/dev/null || {
    rm -f -- "$found"
    found=$(mktemp)
  }
  # A wrapper may begin one while it is ended, so they are looked for once more when it is gone.
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

# Write a record of every process whose output is a log of the directory, under a first line that is of no process.
# Usage: _instances_find DIR FILE
_instances_find() {
  local folder pid target
  folder=$(readlink -m -- "$1")
  printf '0\t0\tnone\n' >"$2"
  while IFS=$'\t' read -r pid target; do
    [[ $target != "$folder"/redis-*.log* ]] || proc_record "$2" "$pid" found || : # it has ended meanwhile
  done < <(proc_outputs)
}

# Print PID and file of every process that writes to a file of ours, by the kernel's own table; two lines for most. A file that was removed
# has ` (deleted)` behind its name.
# Usage: proc_outputs
# Globals: WORK
proc_outputs() {
  local work
  work=$(readlink -f -- "$WORK")
  find /proc/[0-9]*/fd/[12] -maxdepth 0 -lname "*/run-*" -printf '%p\t%l\n' 2>/dev/null |
    WORK=$work awk -F '\t' 'index($2, ENVIRON["WORK"] "/run-") == 1 { split($1, part, "/"); print part[3] "\t" $2 }' || :
}

# Print PID, RUN and file of every process of a run whose directory has lost its owner's line: somebody removed the directory in the middle of the run.
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
    # Root starts instances as another user.
    ((EUID == 0)) || [[ -O /proc/$pid ]] || continue
    printf '%s\t%s\t%s\n' "$pid" "${rest%%/*}" "$target"
  done < <(proc_outputs)
}
