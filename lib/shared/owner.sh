# SPDX-License-Identifier: MIT
# shellcheck shell=bash
# Sent before every remote script, and read by the master too: which run owns a lock or a directory, and whether its master is alive.
#
# An owner is one line, tab-separated: RUN USER HOST PID STARTTIME BOOT PIDSPACE SINCE LEASE (see lock_name in lib/core/lock.sh). The line
# may come from another user of the host, so every field is matched against the pattern of its kind before it is used.

# Fields 1 to 9 of an owner's line. Before LEASE was a field, every lease was 120 s. The lengths of fields are checked apart: a pattern with counts such
# as {0,120} takes ten times as long, because bash compiles it anew for each use.
readonly _OWNER_NAME='[A-Za-z0-9._@+-]+' _OWNER_TAB=$'\t'
readonly _OWNER_LINE="^([A-Za-z0-9][A-Za-z0-9._-]*)$_OWNER_TAB($_OWNER_NAME)$_OWNER_TAB($_OWNER_NAME)$_OWNER_TAB([0-9]+)\
$_OWNER_TAB([0-9]+)$_OWNER_TAB([0-9a-f-]+)$_OWNER_TAB(pid:\\[[0-9]+\\]|-)$_OWNER_TAB([0-9TZ:-]+)($_OWNER_TAB([1-9][0-9]*))?\$"
# The most characters of each group of the pattern, from the first; LEASE with its tab.
readonly _OWNER_LENGTHS=(121 64 64 10 18 36 26 32 7)

_OWNER_HERE= # BOOT and PIDSPACE of this process, once they are known

# Read the owner's line of a file, whichever user wrote the file.
# Usage: owner_read FILE
# Returns: sets OWNER_{LINE,RUN,USER,HOST,PID,START,BOOT,SPACE,SINCE,LEASE}; 1, and OWNER_LINE is empty, when the file is not regular or has no such
# line.
owner_read() {
  OWNER_LINE=
  [[ -f $1 && ! -L $1 ]] || return 1
  if [[ -O $1 ]]; then
    # No other user can replace it.
    { IFS= read -r -n 1024 OWNER_LINE <"$1"; } 2>/dev/null || [[ -n $OWNER_LINE ]] || return 1
  else
    # Another user may put a link or a FIFO there after the check: it is opened without following links and without waiting.
    OWNER_LINE=$(dd if="$1" iflag=nofollow,nonblock bs=1024 count=1 status=none 2>/dev/null | tr -d '\0') || return 1
  fi
  _owner_fits || {
    OWNER_LINE=
    return 1
  }
  OWNER_RUN=${BASH_REMATCH[1]} OWNER_USER=${BASH_REMATCH[2]} OWNER_HOST=${BASH_REMATCH[3]} OWNER_PID=${BASH_REMATCH[4]}
  OWNER_START=${BASH_REMATCH[5]} OWNER_BOOT=${BASH_REMATCH[6]} OWNER_SPACE=${BASH_REMATCH[7]} OWNER_SINCE=${BASH_REMATCH[8]}
  OWNER_LEASE=${BASH_REMATCH[10]:-120}
}

# Whether OWNER_LINE has the form of an owner's line.
# Returns: sets BASH_REMATCH
_owner_fits() {
  local group
  [[ $OWNER_LINE =~ $_OWNER_LINE ]] || return 1
  for group in "${!_OWNER_LENGTHS[@]}"; do ((${#BASH_REMATCH[group + 1]} <= _OWNER_LENGTHS[group])) || return 1; done
}

# Whether the process of the last read owner is on this machine, where the process itself can be checked.
# Usage: owner_here
owner_here() {
  local REPLY
  owner_place
  [[ $OWNER_BOOT$'\t'$OWNER_SPACE == "$REPLY" ]]
}

# The fields BOOT and PIDSPACE of processes like this one.
# Usage: owner_place
# Returns: sets REPLY
owner_place() {
  if [[ -z $_OWNER_HERE ]]; then
    read -r _OWNER_HERE </proc/sys/kernel/random/boot_id
    _OWNER_HERE+=$'\t'$(exec readlink /proc/self/ns/pid) || :
  fi
  REPLY=$_OWNER_HERE
}

# Whether the owner in a file is alive. On the owner's machine its process is checked; elsewhere, the file must have been renewed within the lease.
# Usage: owner_lives FILE
# Returns: 1 when the owner is dead, or the file has no owner's line.
owner_lives() {
  owner_read "$1" || return 1
  if owner_here; then
    ! proc_alive "$OWNER_PID" "$OWNER_START" || return 0
    # A host may hide the processes of other users (hidepid of proc(5)); then even process 1 is invisible.
    [[ ! -O $1 && ! -d /proc/1 ]] || return 1
  fi
  owner_fresh "$1"
}

# Whether the file of the last read owner was renewed within the lease.
# Usage: owner_fresh FILE
owner_fresh() {
  local renewed
  renewed=$(exec stat -c %Y -- "$1" 2>/dev/null) || return 1
  ((EPOCHSECONDS - renewed < OWNER_LEASE))
}

# How a program of the run detects that the master of this run is gone: by the process of the master if that is on this machine, else by the lease.
# Usage: owner_watch
# Globals: WORK RUN_ID
# Returns: sets OWNER_WATCH, options of membench
owner_watch() {
  owner_read "$WORK/run-$RUN_ID/owner" || fail "$WORK/run-$RUN_ID/owner: cannot be read"
  if owner_here; then
    OWNER_WATCH=(--process "$OWNER_PID:$OWNER_START")
  else
    OWNER_WATCH=(--lease "$WORK/run-$RUN_ID/owner:$OWNER_LEASE")
  fi
}

# Print the run of the last read owner.
# Usage: owner_say
owner_say() {
  printf 'the run %s of %s on %s (pid %s, since %s)' "$OWNER_RUN" "$OWNER_USER" "$OWNER_HOST" "$OWNER_PID" "$OWNER_SINCE"
}

# Whether a directory belongs to a run of this user, or to its tuning: by its name, its owner, and the line that every run writes into it first.
# Usage: owner_ours DIR
# Returns: as owner_read.
owner_ours() {
  [[ -d $1 && ! -L $1 && -O $1 ]] && owner_read "$1/owner" && [[ ${1##*/} == "run-$OWNER_RUN" || ${1##*/} == "tune-$OWNER_RUN" ]]
}

# Refuse to work in the directory of another master's run.
# Usage: owner_check
# Globals: WORK RUN_ID RUN_OWNER
owner_check() {
  local folder line
  [[ -n ${RUN_ID-} ]] || return 0
  for folder in "$WORK/run-$RUN_ID" "$WORK/tune-$RUN_ID"; do
    [[ -e $folder/owner ]] || continue
    # An owner is one line; a directory of another user is not read at all.
    line=
    [[ ! -O $folder || -L $folder ]] || IFS= read -r line <"$folder/owner" || :
    [[ -n $line && $line == "${RUN_OWNER-}" ]] || fail "$folder: is the directory of another master's run; left alone"
  done
}

# Make the run's directory on this host, with its owner's line in it before any other use.
# Usage: owner_open
# Globals: WORK RUN_ID RUN_OWNER
owner_open() {
  local folder=$WORK/run-$RUN_ID
  if [[ -e $folder/owner ]]; then owner_renew; else owner_write "$folder"; fi
}

# Make a directory with the run's owner's line in it.
# Usage: owner_write DIR
# Globals: RUN_OWNER
owner_write() {
  { mkdir -p -- "$1" && printf '%s\n' "$RUN_OWNER" >"$1/owner.new" && mv -f -- "$1/owner.new" "$1/owner"; } 2>/dev/null ||
    fail "$1: cannot be written (REMOTE_DIR: is its disk full?)"
}

# Record that the run's master is alive.
# Usage: owner_renew
owner_renew() {
  local folder
  for folder in "$WORK/run-$RUN_ID" "$WORK/tune-$RUN_ID"; do [[ ! -e $folder/owner ]] || owner_touch "$folder/owner"; done
}

# Set the time of a file with this run's owner's line to now. The line is written again over itself, which takes no process.
# Usage: owner_touch FILE
# Globals: RUN_OWNER
owner_touch() {
  local fd
  # A removed file is not created, because its name is opened for reading only.
  { exec {fd}<"$1"; } 2>/dev/null || return 0
  { printf '%s\n' "$RUN_OWNER" 1<>"/dev/fd/$fd"; } 2>/dev/null || touch -c -- "$1"
  exec {fd}<&-
}

# Remove the run's directory when only the owner's line is left in it.
# Usage: owner_close
owner_close() {
  local file
  for file in "$WORK/run-$RUN_ID"/*; do
    [[ ${file##*/} == owner || ! -e $file ]] || return 0
  done
  rm -rf -- "$WORK/run-$RUN_ID"
}
