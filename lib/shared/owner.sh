# SPDX-License-Identifier: MIT
# shellcheck shell=bash
# Sent before every remote script, and read by the master too: which run owns a lock or a directory, and whether its master is alive.
#
# A record has two lines, tab-separated. The first is the owner: RUN USER HOST PID STARTTIME BOOT PIDSPACE SINCE LEASE (see lock_name in
# lib/core/lock.sh). The second is the moment when its master was last heard: the boot id of the host that has the record, and the seconds since that
# boot. That clock cannot be set. The record may come from another user of the host, so every field is matched against its kind before it is used.
# A run has up to three records on a host: its lock, and the file `owner` in run-RUN and in tune-RUN. They are renewed together, and owner_lives asks
# all of them.

# Fields 1 to 9 of an owner's line. The lengths of fields are checked apart: a pattern with counts such
# as {0,120} takes ten times as long, because bash compiles it anew for each use.
readonly _OWNER_NAME='[A-Za-z0-9._@+-]+' _OWNER_TAB=$'\t'
readonly _OWNER_LINE="^([A-Za-z0-9][A-Za-z0-9._-]*)$_OWNER_TAB($_OWNER_NAME)$_OWNER_TAB($_OWNER_NAME)$_OWNER_TAB([0-9]+)\
$_OWNER_TAB([0-9]+)$_OWNER_TAB([0-9a-f-]+)$_OWNER_TAB(pid:\\[[0-9]+\\]|-)$_OWNER_TAB([0-9TZ:-]+)$_OWNER_TAB([1-9][0-9]*)\$"
# The most characters of each group of the pattern, from the first.
readonly _OWNER_LENGTHS=(121 64 64 10 18 36 26 32 6)

_OWNER_HERE= # BOOT and PIDSPACE of this process, once they are known
_OWNER_BOOT= # BOOT alone
_OWNER_DEAD= # runs whose master is known to be dead, with blanks around each

# Read a record, whichever user wrote the file.
# Usage: owner_read FILE
# Returns: sets OWNER_{LINE,RUN,USER,HOST,PID,START,BOOT,SPACE,SINCE,LEASE,HEARD}; 1, and OWNER_LINE is empty, when the file is not regular or has no
# owner's line.
owner_read() {
  local text=
  OWNER_LINE='' OWNER_HEARD=''
  [[ -f $1 && ! -L $1 ]] || return 1
  if [[ -O $1 ]]; then
    # No other user can replace it.
    { IFS= read -r -d '' -n 1024 text <"$1"; } 2>/dev/null || [[ -n $text ]] || return 1
  else
    # Another user may put a link or a FIFO there after the check: it is opened without following links and without waiting.
    text=$(dd if="$1" iflag=nofollow,nonblock bs=1024 count=1 status=none 2>/dev/null | tr -d '\0') || return 1
  fi
  OWNER_LINE=${text%%$'\n'*}
  text=${text:${#OWNER_LINE}+1}
  _owner_fits || {
    OWNER_LINE=
    return 1
  }
  OWNER_RUN=${BASH_REMATCH[1]} OWNER_USER=${BASH_REMATCH[2]} OWNER_HOST=${BASH_REMATCH[3]} OWNER_PID=${BASH_REMATCH[4]}
  OWNER_START=${BASH_REMATCH[5]} OWNER_BOOT=${BASH_REMATCH[6]} OWNER_SPACE=${BASH_REMATCH[7]} OWNER_SINCE=${BASH_REMATCH[8]}
  OWNER_LEASE=${BASH_REMATCH[9]} OWNER_HEARD=${text%%$'\n'*}
}

# Whether a text has the form of a run's name (lock_name in lib/core/lock.sh): what has such a name was made by a run.
# Usage: owner_names TEXT
owner_names() {
  [[ $1 =~ ^[A-Za-z0-9][A-Za-z0-9._-]*-[0-9]+-[0-9a-f]{8}$ ]]
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
  owner_moment
  [[ $OWNER_BOOT == "$_OWNER_BOOT" ]] || return
  owner_place
  [[ $OWNER_BOOT$'\t'$OWNER_SPACE == "$REPLY" ]]
}

# The fields BOOT and PIDSPACE of processes like this one.
# Usage: owner_place
# Returns: sets REPLY
owner_place() {
  if [[ -z $_OWNER_HERE ]]; then
    owner_moment
    _OWNER_HERE=$_OWNER_BOOT$'\t'$(exec readlink /proc/self/ns/pid) || :
  fi
  REPLY=$_OWNER_HERE
}

# This moment, as a record has it.
# Usage: owner_moment
# Returns: sets REPLY, which has always the same length
owner_moment() {
  local up
  [[ -n $_OWNER_BOOT ]] || { read -r _OWNER_BOOT </proc/sys/kernel/random/boot_id; } 2>/dev/null || fail "/proc/sys/kernel/random/boot_id: cannot be read"
  { read -r up _ </proc/uptime; } 2>/dev/null || fail "/proc/uptime: cannot be read"
  printf -v REPLY '%s\t%010d' "$_OWNER_BOOT" "${up%.*}"
}

# Whether the run of a record lives. Nothing else decides this. A record of the run must have been renewed within the lease: a suspended master renews
# none. On the master's machine its process must exist, too. Other records count only if they are of this user, as the first one is.
# Usage: owner_lives FILE
# Globals: WORK LOCK_DIR (unset: there are no other records) _OWNER_DEAD
# Returns: 1 when the master is dead, or the file has no owner's line. Sets the variables of owner_read, from the record that decided.
owner_lives() {
  local file run
  owner_read "$1" || return 1
  ! _owner_lives "$1" || return 0
  run=$OWNER_RUN
  [[ ! -O $1 ]] || for file in "${LOCK_DIR-}/tierbench-lock.$run" "${WORK-}/run-$run/owner" "${WORK-}/tune-$run/owner"; do
    [[ -O $file ]] && owner_read "$file" && [[ $OWNER_RUN == "$run" ]] && _owner_lives "$file" && return
  done
  owner_read "$1" || :
  return 1
}

# As owner_lives, by the last read record alone.
# Usage: _owner_lives FILE
_owner_lives() {
  [[ $_OWNER_DEAD != *" $OWNER_RUN "* ]] || return 1
  # A host may hide the processes of other users (hidepid of proc(5)); then even process 1 is invisible. owner_here is last, because it takes a process.
  proc_alive "$OWNER_PID" "$OWNER_START" || [[ ! -O $1 && ! -d /proc/1 ]] || ! owner_here || return 1
  owner_fresh "$1"
}

# Whether the last read record was renewed within the lease.
# Usage: owner_fresh FILE
# Returns: as owner_age
owner_fresh() {
  owner_age "$1" && ((OWNER_AGE < OWNER_LEASE))
}

# How long ago the last read record was renewed.
# Usage: owner_age FILE
# Returns: sets OWNER_AGE; 1 if this host was booted since then
owner_age() {
  local REPLY written
  owner_moment
  OWNER_AGE=-1
  ! owner_same_boot || OWNER_AGE=$((10#${REPLY#*$'\t'} - 10#${OWNER_HEARD#*$'\t'}))
  ((OWNER_AGE < 0)) || return 0
  # A record without such a line, of a container with another clock, or of another host with the same directory: a record from before the boot is older.
  written=$(exec stat -c %Y -- "$1" 2>/dev/null) || written=0
  OWNER_AGE=$((EPOCHSECONDS - written))
  [[ -z $OWNER_HEARD ]] || ((OWNER_AGE < 10#${REPLY#*$'\t'}))
}

# Whether this host renewed the last read record, and was not booted since then.
# Usage: owner_same_boot
owner_same_boot() {
  local REPLY
  owner_moment
  [[ ${#OWNER_HEARD} == "${#REPLY}" && $OWNER_HEARD =~ ^[0-9a-f-]+$'\t'[0-9]+$ && ${OWNER_HEARD%$'\t'*} == "$_OWNER_BOOT" ]]
}

# Wait until a time in microseconds; the script ends if the master of this run has died.
# Usage: owner_until TIME_US
# Globals: WORK RUN_ID
owner_until() {
  local left
  while left=$(($1 - ${EPOCHREALTIME/[.,]/})) && ((left > 0)); do
    owner_lives "$WORK/run-$RUN_ID/owner" || exit 1
    ((left < 1000000)) || left=999999
    printf -v left '0.%06d' "$left"
    proc_wait "$left"
  done
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

# Print the run of the last read record.
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

# Prepare the run's directory for what a script is about to start, and fail if the run is over on this host: the script may have been suspended.
# A script that starts something calls this after it got the lock that the end of the run waits for.
# Usage: owner_open
# Globals: WORK RUN_ID RUN_OWNER; RUN_OPEN: the turn of the call, or empty when the master has not opened the run on its hosts (lib/core/lock.sh)
owner_open() {
  if [[ -z ${RUN_OPEN-} && ! -e $WORK/run-$RUN_ID/owner ]]; then
    owner_write "$WORK/run-$RUN_ID"
    return
  fi
  owner_keep
}

# Record that the run's master is alive, and fail if the run has lost this host.
# Usage: owner_keep
# Globals: RUN_OPEN: empty before the run has opened its hosts
owner_keep() {
  if [[ -n ${RUN_OPEN-} ]]; then
    owner_keeps || fail "$OWNER_WHY"
    owner_turn || fail "the run $RUN_ID: this call is of an earlier repeat, which is over"
  fi
  owner_renew
}

# Record the turn of this call on the host. What ends a part of the run has a later turn than what started it (lock_turn).
# Usage: owner_turn
# Globals: WORK RUN_ID RUN_OPEN
# Returns: 1 if the host had a call of a later turn
owner_turn() {
  local turn='' file
  [[ -n ${RUN_OPEN-} ]] || return 0
  file=$WORK/run-$RUN_ID/turn
  [[ -d ${file%/*} ]] || return 0
  { read -r -n 9 turn <"$file"; } 2>/dev/null || :
  [[ $turn =~ ^[0-9]+$ ]] || turn=0
  ((RUN_OPEN > 10#$turn)) || return $((RUN_OPEN < 10#$turn))
  { printf '%s\n' "$RUN_OPEN" >"$file"; } 2>/dev/null || :
}

# Whether the run still has this host: its directory exists, the host was not rebooted, and a server's lock is the run's and has not expired.
# Usage: owner_keeps
# Globals: WORK RUN_ID RUN_OWNER
# Returns: 1 with the reason in OWNER_WHY
owner_keeps() {
  local folder=$WORK/run-$RUN_ID line=
  OWNER_WHY="the run $RUN_ID is over on this host: $folder was removed"
  owner_read "$folder/owner" || return
  [[ $OWNER_LINE == "$RUN_OWNER" ]] || {
    OWNER_WHY="$folder: is the directory of another master's run; left alone"
    return 1
  }
  OWNER_WHY="this host was rebooted during the run $RUN_ID: nothing of the run is left on it"
  owner_same_boot && owner_age "$folder/owner" || return
  [[ -L $folder/lock ]] || return 0
  OWNER_WHY="the lock of this run is missing"
  # The link is in our directory, and the file that it leads to must be ours.
  [[ -O $folder/lock ]] && { IFS= read -r line <"$folder/lock"; } 2>/dev/null && [[ $line == "$RUN_OWNER" ]] || return
  OWNER_WHY="the lock of this run was not renewed for $OWNER_LEASE s, and another run may have had the server"
  ((OWNER_AGE < OWNER_LEASE)) || owner_here
}

# Make a directory with a record of this run in it. It is on the disk before anything else is done for the run: after a power failure it tells whose the
# directory is. Of two hosts with the same directory, one makes the record.
# Usage: owner_write DIR
owner_write() {
  local said REPLY new
  owner_text
  new=$1/owner.new.$_OWNER_BOOT.$BASHPID
  said=$({
    mkdir -p -- "$1" && printf '%s' "$REPLY" >"$new" && _owner_sync "$new" && { ln -- "$new" "$1/owner" || owner_read "$1/owner" || mv -f -- "$new" "$1/owner"; } && rm -f -- "$new"
  } 2>&1) || fail "REMOTE_DIR=$WORK: $1 cannot be written: ${said##*: }"
  _owner_sync "$1" "${1%/*}"
}

# Wait until files are on the disk, where that is possible.
_owner_sync() {
  sync -- "$@" 2>/dev/null || :
}

# The text of a record of this run.
# Usage: owner_text
# Globals: RUN_OWNER
# Returns: sets REPLY
owner_text() {
  owner_moment
  REPLY=$RUN_OWNER$'\n'$REPLY$'\n'
}

# Record that the run's master is alive, in all records of the run on this host.
# Usage: owner_renew
owner_renew() {
  local file REPLY
  owner_text
  for file in "$WORK/run-$RUN_ID"/{owner,lock} "$WORK/tune-$RUN_ID/owner"; do _owner_touch "$file"; done
}

# Write a record of this run again over itself, which takes no process, and empties no file on a full disk.
# Usage: _owner_touch FILE
# Globals: REPLY, the text
_owner_touch() {
  local fd line=
  # A removed file is not created, because its name is opened for reading only.
  { exec {fd}<"$1"; } 2>/dev/null || return 0
  # After the end of a lock, another user may have made a link with its name to one of our files.
  IFS= read -r -n 1024 line <&"$fd" || :
  [[ $line != "$RUN_OWNER" ]] || { printf '%s' "$REPLY" 1<>"/dev/fd/$fd"; } 2>/dev/null || :
  exec {fd}<&-
}

# Remove the run's directory when only its records are left in it, unless the master has opened the run: then its end does.
# Usage: owner_close
# Globals: RUN_OPEN
owner_close() {
  [[ -n ${RUN_OPEN-} ]] || owner_remove
}

# Remove the run's directory when only its records are left in it.
# Usage: owner_remove
owner_remove() {
  local file
  for file in "$WORK/run-$RUN_ID"/*; do
    [[ ${file##*/} == @(owner|lock|turn) || ! -e $file ]] || return 0
  done
  rm -rf -- "$WORK/run-$RUN_ID"
}
