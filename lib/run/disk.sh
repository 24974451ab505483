# SPDX-License-Identifier: MIT
# shellcheck shell=bash
# Check that the disk of the results has space for another repeat.

_DISK_REPEAT=512 # KiB of a repeat: the max so far

# Check whether another repeat fits; its size is estimated from the finished repeats.
# Usage: disk_room RUN [REPEAT_DIR]
#   REPEAT_DIR is the last finished repeat
# Returns: 1 with one line on stderr when it does not fit
disk_room() {
  local free size
  if [[ -n ${2-} ]]; then
    read -r size _ < <(exec du -sk -- "$2" 2>/dev/null) || size=0
    ((size <= _DISK_REPEAT)) || _DISK_REPEAT=$size
  fi
  free=$(($(stat -f -c '%a * %S / 1024' -- "$1")))
  # The report and files that are being replaced need space too.
  ((free < _DISK_REPEAT * 3 / 2)) || return 0
  log_warn "RESULTS_DIR: $free KiB are free and a repeat takes $_DISK_REPEAT KiB: no further repeat starts; free some space, then ./do_it.sh run --resume $1"
  return 1
}
