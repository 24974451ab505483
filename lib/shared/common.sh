# SPDX-License-Identifier: MIT
# shellcheck shell=bash
# Sent before every remote script, and read by the master too: our directory, recorded processes.

# Make our directory if it is missing. Refuse a directory that another user could have made, and the directory of another master's run.
# Usage: work_open
# Globals: REMOTE_DIR; RUN_ID RUN_OWNER (both empty or unset: the script does not belong to a run)
# Returns: sets WORK
work_open() {
  # All users may read results, but not files on a host, which contain a password.
  umask 077
  WORK=$REMOTE_DIR
  [[ $WORK != auto ]] || WORK=/var/tmp/tierbench-$EUID
  work_alone "$WORK"
  [[ -d $WORK ]] || mkdir -p -- "$WORK" || fail "$WORK: cannot be created"
  [[ ! -L $WORK && -O $WORK ]] || fail "$WORK: not a directory of this user; move it away, or set REMOTE_DIR"
  run_own
}

# Refuse a directory that other users can write to or replace, because our scripts run programs from it. Each of its parents must be root's
# or ours, and writable by no other user; in a sticky parent, other users cannot replace our entries.
# Usage: work_alone PATH [NAMED]
#   NAMED is its name in messages
work_alone() {
  local path=$1 part at='' linked='' owner user group mode bits name said
  local -a parts paths=(/.)
  [[ $path == /* ]] || path=$PWD/$path
  IFS=/ read -r -d '' -a parts <<<"$path" || :
  for part in "${parts[@]}"; do
    part=${part%$'\n'}
    [[ -n $part && $part != . ]] || continue
    at+=/$part
    # For a link: check the link and its target.
    [[ ! -L $at ]] || paths+=("$at") linked=yes
    [[ -e $at ]] || break
    paths+=("$at/.")
  done
  said=$(stat -c '%u %U %G %a %n' -- "${paths[@]}") || fail "REMOTE_DIR=${2-$1}: cannot be read"
  while read -r owner user group mode name; do
    ((owner == 0 || owner == EUID)) ||
      fail "REMOTE_DIR=${2-$1}: ${name%/.} belongs to another user ($user), who could replace it; set REMOTE_DIR to a path of root's or yours"
    # The mode of a link has no meaning.
    [[ $name == */. ]] || continue
    bits=$((8#$mode))
    # The user's private group has no other members.
    [[ $group != "$user" ]] || bits=$((bits & ~8#20))
    (((bits & 8#22) == 0)) || [[ $name != "$at/." && $((bits & 8#1000)) != 0 ]] ||
      fail "REMOTE_DIR=${2-$1}: other users can write to ${name%/.} (mode $mode); chmod go-w it, or set REMOTE_DIR to another path"
  done <<<"$said"
  # The target of a link has other parents.
  [[ -z $linked ]] || work_alone "$(readlink -m -- "$path")" "${2-$1}"
}

# End the script with one line on stderr.
# Usage: fail MESSAGE...
fail() {
  printf '%s\n' "$*" >&2
  exit 1
}

# Run an external program with a time limit: any program may have that name.
# Usage: run_limited SECONDS WORD...
# Returns: the program's exit status; 124, with one line on stderr that names it, if it was stopped.
run_limited() {
  local seconds=$1 status=0
  shift
  # Without its own process group its children would survive, and may keep a pipe open that is read to its end.
  timeout -k 2 "$seconds" "$@" || status=$?
  # 137: KILL was needed to stop it.
  ((status == 124 || status == 137)) || return "$status"
  printf '%s: does not return within %s s\n' "$*" "$seconds" >&2
  return 124
}

# From the output of a failed program, print the one line that gives the reason: the last line, or the first when its usage follows.
# Usage: said_why <TEXT
said_why() {
  awk '
    # numactl prints its usage after its error, on the same line.
    match($0, /[Uu]sage: |^Try /) { usage = 1; $0 = substr($0, 1, RSTART - 1) }
    NF && (!usage || /^[A-Za-z_-]+: /) { last = $0; if (first == "") first = $0 }
    END { text = usage ? first : last; print text == "" ? "no reason given" : text }'
}

# From the output of a failed make, print the line that gives the reason: the first error, else the last line.
# Usage: said_error <TEXT
said_error() {
  LC_ALL=C awk '
    /error: |undefined reference|cannot find -l/ && error == "" { error = $0 }
    /finds no |not found|No such file|Killed|No space left/ && other == "" { other = $0 }
    NF { last = $0 }
    END {
      text = error != "" ? error : other != "" ? other : last
      gsub(/[\001-\037\177]/, " ", text)
      print text == "" ? "no reason given" : text
    }'
}

# Print files of the current directory in the form that lib/core/receive.sh reads. Files that are not regular, or whose name is not plain,
# are left out with a line on stderr.
# Usage: files_send -- FILE...
# Globals: CHANNEL: not empty in a channel (lib/core/channel.sh), which keeps a whole reply in memory, without line feeds at its end
# Returns: exits FILES_LARGE if they are too large for a channel
FILES_LARGE=250
files_send() {
  local name index total
  local -a plain=() sizes sums
  shift
  for name; do
    if [[ -f $name && ! -L $name && $name =~ ^[A-Za-z0-9][A-Za-z0-9._@+-]{0,199}$ ]]; then
      plain+=("$name")
    elif [[ -e $name || -L $name ]]; then
      printf '%s: not sent: it is not a regular file with a plain name\n' "$name" >&2
    fi
  done
  if ((${#plain[@]} > 0)); then
    mapfile -t sizes < <(stat -c %s -- "${plain[@]}")
    printf -v total '%s+' "${sizes[@]}"
    [[ -z ${CHANNEL-} ]] || ((${total}0 <= 1 << 20)) || exit "$FILES_LARGE"
    mapfile -t sums < <(sha256sum -- "${plain[@]}")
    for index in "${!plain[@]}"; do printf '%s\t%s\t%s\n' "${sizes[index]}" "${sums[index]%% *}" "${plain[index]}"; done
  fi
  echo
  ((${#plain[@]} == 0)) || cat -- "${plain[@]}"
  [[ -z ${CHANNEL-} ]] || printf .
}

# Print the start time of a process (clock ticks since boot, field 22 of /proc/PID/stat, proc(5)). Together with the pid it identifies one
# process until the next boot.
# Usage: proc_start PID
# Returns: 1 if the process does not exist, or is a zombie. Sets PROC_START, so that 288 calls need no 288 forks.
proc_start() {
  local line
  local -a field
  { read -r line <"/proc/$1/stat"; } 2>/dev/null || return 1
  # The name, field 2, may contain blanks and brackets; the text after the last bracket does not.
  read -r -a field <<<"${line##*) }"
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

# Append to a record the other processes in the session of its first process, which setsid started: children of a script survive it.
# Usage: proc_session FILE
proc_session() {
  local pid start file line
  local -a field
  { read -r pid start _ <"$1"; } 2>/dev/null || return 0
  # While the session has a process, its number is given to no other process.
  ! proc_start "$pid" || [[ $PROC_START == "$start" ]] || return 0
  for file in /proc/[0-9]*/stat; do
    { read -r line <"$file"; } 2>/dev/null || continue
    file=${file%/stat}
    read -r -a field <<<"${line##*) }"
    [[ ${field[3]-} != "$pid" || ${file##*/} == "$pid" ]] || proc_record "$1" "${file##*/}" session || :
  done
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
