# SPDX-License-Identifier: MIT
# shellcheck shell=bash
# Recorded processes: each is identified by its pid and start time, and stopped only if both still match.

# Read the start time of a process (clock ticks since boot, field 22 of /proc/PID/stat, proc(5)). Together with the pid it identifies one
# process until the next boot.
# Usage: proc_start PID
# Returns: 1 if the process does not exist, or is a zombie. Sets PROC_START, so that 288 calls need no 288 forks.
proc_start() {
  local line IFS=' '
  local -a field
  { read -r line <"/proc/$1/stat"; } 2>/dev/null || return 1
  # The name, field 2, may contain blanks and brackets; the text after the last bracket has a letter and numbers. (read would get it byte by byte.)
  # shellcheck disable=SC2206 # nothing in it is a pattern
  field=(${line##*) })
  [[ ${field[0]} != Z ]] || return 1
  PROC_START=${field[19]}
}

# Append a process to a record.
# Usage: proc_record FILE PID WHAT
proc_record() {
  proc_start "$2" || return 1
  printf '%s\t%s\t%s\n' "$2" "$PROC_START" "$3" >>"$1"
}

# Record a process that this script has just started. A process that cannot be recorded, for example on a full disk, is killed.
# Usage: proc_started FILE PID WHAT
# Returns: 1 if it has ended, or cannot be recorded
proc_started() {
  # Else bash would say that another process has killed it.
  disown "$2" 2>/dev/null || :
  ! { proc_record "$@"; } 2>/dev/null || return 0
  kill -s KILL "$2" 2>/dev/null || :
  return 1
}

# Whether the recorded process still runs.
# Usage: proc_alive PID START
proc_alive() {
  proc_start "$1" && [[ $PROC_START == "$2" ]]
}

# Stop every process of the records with TERM, and after LIMIT seconds with KILL.
# Usage: proc_end LIMIT FILE...
# Returns: 1 if a process still runs after that.
proc_end() {
  local limit=$1 signal
  shift
  for signal in TERM KILL; do
    proc_signal "$signal" "$@"
    # A process that was stopped by a signal handles TERM only after CONT.
    proc_signal CONT "$@"
    proc_gone "$limit" "$@" && return 0
  done
  return 1
}

# Append to a record the other processes in the session of its first process, which setsid started: children of a script survive it. Once that process
# has ended, another session may get its number: its processes are ours only with the run's mark in their environment.
# Usage: proc_session FILE NAME=VALUE
#   FILE has the boot id as the last field of its first line; NAME=VALUE is the mark, a variable with which the first process was started
proc_session() {
  local pid start boot now file line alive=
  local -a field
  { read -r pid start _ boot <"$1"; } 2>/dev/null || return 0
  read -r now </proc/sys/kernel/random/boot_id
  [[ $boot == "$now" ]] || return 0
  # While the session has a process, its number is given to no other process.
  if proc_start "$pid"; then
    [[ $PROC_START == "$start" ]] || return 0
    alive=yes
  fi
  for file in /proc/[0-9]*/stat; do
    { read -r line <"$file"; } 2>/dev/null || continue
    file=${file%/stat}
    read -r -a field <<<"${line##*) }"
    [[ ${field[3]-} == "$pid" && ${file##*/} != "$pid" ]] || continue
    [[ -n $alive ]] || _proc_marked "${file##*/}" "$2" || continue
    # The start time was read before the mark: a number that has gone to another process since does not match.
    printf '%s\t%s\tsession\n' "${file##*/}" "${field[19]}" >>"$1"
  done
}

# The session of a process.
# Usage: proc_session_of PID
# Returns: sets REPLY, empty if the session has a terminal; 1 if the process does not exist
proc_session_of() {
  local line
  local -a field
  REPLY=
  { read -r line <"/proc/$1/stat"; } 2>/dev/null || return 1
  read -r -a field <<<"${line##*) }"
  ((field[4] != 0)) || REPLY=${field[3]}
}

# Append to a record every process that was started with a variable.
# Usage: proc_marked FILE NAME=VALUE
proc_marked() {
  local pid
  # One process reads the environments of all; those of other users cannot be read.
  while IFS= read -r pid; do
    pid=${pid#/proc/} pid=${pid%%/*}
    # In this order, as above.
    ! { proc_start "$pid" && _proc_marked "$pid" "$2"; } || printf '%s\t%s\tmarked\n' "$pid" "$PROC_START" >>"$1"
  done < <(exec grep -slzxF -e "$2" -- /proc/[0-9]*/environ)
}

# Whether a process was started with a variable.
# Usage: _proc_marked PID NAME=VALUE
_proc_marked() {
  local word
  # The process of another user cannot be read.
  { while IFS= read -r -d '' word; do [[ $word != "$2" ]] || return 0; done <"/proc/$1/environ"; } 2>/dev/null
  return 1
}

# Send a signal to every process of the records that still runs.
# Usage: proc_signal SIGNAL FILE...
proc_signal() {
  local signal=$1 file pid start
  shift
  for file in "$@"; do
    [[ -e $file ]] || continue
    while read -r pid start _; do
      ! proc_alive "$pid" "$start" || kill -s "$signal" "$pid" 2>/dev/null || :
    done <"$file"
  done
}

# Wait until every process of the records has ended.
# Usage: proc_gone LIMIT FILE...
# Returns: 1 if a process still runs after LIMIT seconds.
proc_gone() {
  local end=$((SECONDS + $1)) file pid start left
  shift
  while :; do
    left=0
    for file in "$@"; do
      [[ -e $file ]] || continue
      while read -r pid start _; do
        if proc_alive "$pid" "$start"; then
          left=1
          break
        fi
      done <"$file"
    done
    ((left)) || return 0
    ((SECONDS < end)) || return 1
    proc_pause
  done
}

# Wait 20 ms between two polls.
# Usage: proc_pause
proc_pause() {
  proc_wait 0.02
}

# Wait without a process: nothing is ever written to this pipe.
# Usage: proc_wait SECONDS
proc_wait() {
  [[ -n ${PROC_NEVER-} ]] || exec {PROC_NEVER}<> <(:)
  read -r -t "$1" -u "$PROC_NEVER" || :
}
