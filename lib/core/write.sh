# SPDX-License-Identifier: MIT
# shellcheck shell=bash
# The one way to write a file of a run: whole or not at all, with one message if there is no space for it.

_WRITE_TOLD= # yes after write_room has printed its message

# Write the output of a command to a file, which has its name only when it is complete. The directory of a repeat (.partial) is renamed as a
# whole: there, a file needs no other name.
# Usage: write_file FILE COMMAND [ARGUMENT]...
# Returns: the status of the command if it fails; 1 with one line on stderr if the file cannot be written
write_file() {
  local text status=0 new=$1.new
  [[ $1 != */rep-*.partial/* ]] || new=$1
  # Through a pipe: a command that writes to a full disk itself would say so in its own words.
  text=$("${@:2}") || status=$?
  ((status == 0)) || return "$status"
  [[ -z $text ]] || text+=$'\n'
  { printf '%s' "$text" >"$new" && { [[ $new == "$1" ]] || mv -f -- "$new" "$1"; }; } 2>/dev/null || {
    rm -f -- "$new" 2>/dev/null
    write_failed "$1"
  }
}

# Append the output of a command to a file; a new one begins with a header, unless that is empty.
# Usage: write_more FILE HEADER COMMAND [ARGUMENT]...
# Returns: as write_file
write_more() {
  local text status=0
  text=$("${@:3}") || status=$?
  ((status == 0)) || return "$status"
  [[ -z $text ]] || text+=$'\n'
  [[ -z $2 || -e $1 ]] || text=$2$'\n'$text
  { printf '%s' "$text" >>"$1"; } 2>/dev/null || write_failed "$1"
}

# Make the directory PARENT/TIME-NAME. A directory is never used twice.
# Usage: write_folder PARENT NAME
# Returns: sets REPLY, its path; exits 1 if it cannot be made
write_folder() {
  until TZ=UTC0 printf -v REPLY '%s/%(%Y%m%dT%H%M%SZ)T-%s' "$1" -1 "$2" && mkdir -- "$REPLY" 2>/dev/null; do
    [[ -d $REPLY ]] || die "$REPLY: cannot create the directory"
    sleep 1 # another one took this second's name
  done
}

# Say that a file cannot be written, and which file system is full.
# Usage: write_failed FILE
# Returns: 1
write_failed() {
  local dir=$1 why='is its disk full, or its directory read-only?' REPLY
  while [[ $dir == */* && ! -d $dir ]]; do dir=${dir%/*}; done
  [[ -d $dir ]] || dir=.
  ! common_full "RESULTS_DIR=$dir" || why="on this machine ${REPLY#*: }"
  log_warn "$1: cannot be written; $why"
  return 1
}

# Check whether the directory of temporary files has space.
# Usage: write_room
# Returns: 1 if it has none, with one line on stderr the first time
write_room() {
  local REPLY
  common_full "TMPDIR=${TMPDIR:-/tmp}" || return 0
  [[ -n $_WRITE_TOLD ]] || log_warn "$REPLY"
  _WRITE_TOLD=yes
  return 1
}
