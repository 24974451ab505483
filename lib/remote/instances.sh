# SPDX-License-Identifier: MIT
# shellcheck shell=bash
# How the instances of a run are ended: those on record, and what a wrapper in front of redis-server has begun.

# End the instances in a folder, and whatever else writes to their logs: until all have answered, only what stands in front of them
# is on record, and that may have ended without them. A process that has an instance's log as its output is the instance's, whatever
# pid it has and whoever its parent is by now.
# Usage: instances_end LIMIT FOLDER
# Returns: 1 when one would not go within LIMIT seconds.
instances_end() {
  local limit=$1 folder=$2 round
  [[ -d $folder ]] || return 0
  # A wrapper may begin one while it is ended, so they are looked for once more when it is gone.
  for round in 1 2; do
    _instances_find "$folder" "$folder/found.proc"
    ((round == 1)) || [[ -s $folder/found.proc ]] || return 0
    proc_end "$limit" "$folder/instances.proc" "$folder/wrappers.proc" "$folder/found.proc" || return 1
  done
}

# Write a record of every process whose output is a log of the folder.
# Usage: _instances_find FOLDER FILE
_instances_find() {
  local folder path target
  folder=$(cd -- "$1" && pwd -P)
  : >"$2"
  while IFS=$'\t' read -r path target; do
    [[ $target == "$folder"/redis-*.log* ]] || continue
    path=${path#/proc/}
    proc_record "$2" "${path%%/*}" found || : # it has ended meanwhile
  done < <(find /proc/[0-9]*/fd/[12] -maxdepth 0 -printf '%p\t%l\n' 2>/dev/null || :)
}
