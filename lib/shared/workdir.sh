# SPDX-License-Identifier: MIT
# shellcheck shell=bash
# Our directory on a host, which no other user can write to or replace.

# Make our directory if it is missing. Refuse a directory that another user could have made, and the directory of another master's run.
# Usage: workdir_open
# Globals: REMOTE_DIR; RUN_ID RUN_OWNER (both empty or unset: the script does not belong to a run)
# Returns: sets WORK
workdir_open() {
  local said
  # All users may read results, but not files on a host, which contain a password.
  umask 077
  WORK=$REMOTE_DIR
  [[ $WORK != auto ]] || WORK=/var/tmp/tierbench-$EUID
  _workdir_known || workdir_alone "$WORK"
  [[ -d $WORK ]] || said=$(mkdir -p -- "$WORK" 2>&1) || fail "REMOTE_DIR=$WORK: cannot be created: ${said##*: }"
  [[ ! -L $WORK && -O $WORK ]] || fail "$WORK: not a directory of this user; move it away, or set REMOTE_DIR"
  trap workdir_left EXIT
  owner_check
}

# Whether our directory has the record of this run, which was written after the directory had been checked: no other user could write it. Most calls of
# a run need no process for the check.
# Usage: _workdir_known
# Globals: WORK RUN_ID RUN_OWNER
_workdir_known() {
  local line=
  [[ -n ${RUN_ID-} && -f $WORK/run-$RUN_ID/owner && -O $WORK/run-$RUN_ID/owner ]] && IFS= read -r line <"$WORK/run-$RUN_ID/owner" &&
    [[ -n $line && $line == "${RUN_OWNER-}" ]]
}

# At the end of a script that failed, name the full file systems that it may write to.
# Usage: workdir_left
workdir_left() {
  local status=$? REPLY
  ((status == 0)) || ! workdir_full || printf '%s\n' "$REPLY" >&2
}

# Whether a file system that scripts write to is full.
# Usage: workdir_full
# Globals: WORK LOCK_DIR
# Returns: sets REPLY, as common_full
workdir_full() {
  common_full "REMOTE_DIR=$WORK" "TMPDIR=${TMPDIR:-/tmp}" "LOCK_DIR=$LOCK_DIR"
}

# Refuse a path that other users can write to or replace, because we run what it has. It and each of its parents must be root's or ours, and
# writable by no other user; in a sticky parent, other users cannot replace our entries.
# Usage: workdir_alone PATH [SETTING [NAMED]]
#   SETTING names the path (REMOTE_DIR); NAMED is its name in messages
workdir_alone() {
  local path=$1 setting=${2-REMOTE_DIR} part at='' linked='' owner user group mode type bits name said
  local -a parts paths=(/.)
  IFS=/ read -r -d '' -a parts <<<"$path" || :
  for part in "${parts[@]}"; do
    part=${part%$'\n'}
    [[ -n $part && $part != . ]] || continue
    at+=/$part
    [[ ! -L $at ]] || linked=yes
    [[ -e $at || -L $at ]] || break
    paths+=("$at")
  done
  said=$(stat -c '%u %U %G %a %A %n' -- "${paths[@]}") || fail "$setting=${3-$1}: cannot be read"
  while read -r owner user group mode type name; do
    ((owner == 0 || owner == EUID)) ||
      fail "$setting=${3-$1}: $name belongs to another user ($user), who could replace it; set $setting to a path of root's or yours"
    # The mode of a link has no meaning.
    [[ $type != l* ]] || continue
    bits=$((8#$mode))
    # The user's private group has no other members.
    [[ $group != "$user" ]] || bits=$((bits & ~8#20))
    (((bits & 8#22) == 0)) || [[ $name != "$at" && $((bits & 8#1000)) != 0 ]] ||
      fail "$setting=${3-$1}: other users can write to $name (mode $mode); chmod go-w it, or set $setting to another path"
  done <<<"$said"
  # The target of a link has other parents.
  [[ -z $linked ]] || workdir_alone "$(readlink -m -- "$path")" "$setting" "${3-$1}"
}

# Take a lock of our directory, which this script then keeps until its end. The lock's file names the script as a recorded process. What ends something
# waits for a limited time: then it ends a call of the same run that has the lock. The master waits for that call no more, and it may be suspended.
# Usage: workdir_lock NAME [SECONDS [MORE]]
#   MORE: how long it waits for a call of another run after that (30)
# Globals: WORK RUN_ID
# Returns: sets REPLY, the descriptor
workdir_lock() {
  local file=$WORK/$1.flock holder='' fd
  exec {fd}>>"$file"
  if [[ -z ${2-} ]]; then
    flock "$fd"
  elif ! flock -w "$2" "$fd"; then
    { IFS=$'\t' read -r _ _ holder <"$file"; } 2>/dev/null || :
    [[ $holder != "$RUN_ID" ]] || proc_end 5 "$file" || :
    flock -w "${3-30}" "$fd" || fail "$file: a call of a run does not end; lslocks names its process"
  fi
  { : >"$file" && proc_record "$file" "$BASHPID" "${RUN_ID:--}"; } 2>/dev/null || :
  REPLY=$fd
}
