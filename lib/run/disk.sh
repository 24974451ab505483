# SPDX-License-Identifier: MIT
# shellcheck shell=bash
# Space on disks: for another repeat in the results, and for the files of persistence on the server.

_DISK_REPEAT=512 # KiB of a repeat: the max so far

# Check whether another repeat fits; its size is estimated from the finished repeats.
# Usage: disk_room RUN [REPEAT_DIR]
#   REPEAT_DIR is the last finished repeat
# Returns: 1 with one line on stderr when it does not fit
disk_room() {
  local free size
  write_room || return
  if [[ -n ${2-} ]]; then
    read -r size _ < <(exec du -sk -- "$2" 2>/dev/null) || size=0
    ((size <= _DISK_REPEAT)) || _DISK_REPEAT=$size
  fi
  free=$(($(stat -f -c '%a * %S / 1024' -- "$1")))
  # The report and files that are being replaced need space too.
  ((free < _DISK_REPEAT * 3 / 2)) || return 0
  log_warn "RESULTS_DIR: $free KiB are free and a repeat takes $_DISK_REPEAT KiB: no further repeat starts; free some space, then ./do_it.sh run --resume $(log_word "$1")"
  return 1
}

# The bytes that the instances of the current row may have on the disk of a server at the same time: with rdb the last dump and the next one; with aof
# the file at the size at which it is rewritten, and its next one; and what parts write. Redis compresses, so it may be less.
# Usage: disk_persistence_of
# Globals: ROW PERSISTENCE KEY_PREFIX
# Returns: sets REPLY; of several servers, for the one with most of the data
disk_persistence_of() {
  local copies=0 kept='' grown=0 extra=32 keys=${ROW[keys]} size=${ROW[value_size]} part each
  server_conf
  [[ $PERSISTENCE != rdb && "; $REPLY" != *'; save '[0-9]* ]] || kept=rdb copies=2
  # The AOF has each SET as a request. It grows to 64 MB before its first rewrite (auto-aof-rewrite-min-size), however little data there is.
  [[ $PERSISTENCE != aof && "; $REPLY" != *'; appendonly yes; '* ]] || kept+=" aof" copies=$((copies + 1)) grown=$((64 << 20)) extra=64
  parts_copies "$kept"
  copies=$((copies + REPLY))
  load_prefix_of
  extra=$((extra + REPLY))
  mix_fills
  part=$((keys * ${REPLY#* } * (size + extra)))
  ((grown == 0 || grown >= 2 * part)) || grown=$((2 * part))
  each=$((copies * part + grown))
  cluster_processes_of "${ROW[instances]}"
  spread_part $((each * REPLY)) "${ROW[instances]}"
}
