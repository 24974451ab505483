# SPDX-License-Identifier: MIT
# shellcheck shell=bash
# Files of scenarios, variants and workloads by their names: in the directories of TIERBENCH_PATH, then in conf/. The first directory that has one wins.

# The directories, each with scenarios/, variants/ and workloads/ in it.
NAMED_DIRS=("$ROOT/conf")
declare -A _NAMED_TOLD=() # by file: that it hides another one was said

# Take the directories of TIERBENCH_PATH.
# Usage: named_dirs
# Returns: sets NAMED_DIRS; exits 2 if one of them cannot be used, or another user could change it
named_dirs() {
  local dir
  local -a dirs
  IFS=: read -r -a dirs <<<"${TIERBENCH_PATH-}"
  NAMED_DIRS=()
  for dir in "${dirs[@]}"; do
    [[ -n $dir ]] || continue
    [[ $dir == /* && -d $dir && -r $dir && -x $dir ]] ||
      die_usage "environment: TIERBENCH_PATH=$dir: not a directory that you can read; accepted: absolute paths of directories, separated by colons"
    _named_alone "$dir"
    NAMED_DIRS+=("$dir")
  done
  NAMED_DIRS+=("$ROOT/conf")
}

# The file with a name.
# Usage: named_find KIND NAME
#   KIND is scenarios, variants or workloads
# Returns: sets REPLY; 1 without such a file, and REPLY is where a new one belongs
named_find() {
  local dir
  for dir in "${NAMED_DIRS[@]}"; do
    REPLY=$dir/$1/$2.conf
    [[ ! -r $REPLY ]] || return 0
  done
  REPLY=${NAMED_DIRS[0]}/$1/$2.conf
  return 1
}

# All files that names find, those of the user first.
# Usage: named_files KIND
# Returns: sets NAMED_FILES
named_files() {
  local dir file
  local -A seen=()
  NAMED_FILES=()
  for dir in "${NAMED_DIRS[@]}"; do
    for file in "$dir/$1"/*.conf; do
      [[ -f $file && -z ${seen[${file##*/}]-} ]] || continue
      seen[${file##*/}]=yes
      NAMED_FILES+=("$file")
    done
  done
}

# Whether a file is in one of the directories. One of TIERBENCH_PATH that hides another file of its name is named.
# Usage: named_has FILE
# Returns: exits 2 if another user could change it
named_has() {
  local folder=${1%/*} dir kind REPLY
  [[ $1 == */* ]] || folder=.
  for dir in "${NAMED_DIRS[@]}"; do
    for kind in scenarios variants workloads; do
      [[ $folder -ef $dir/$kind ]] || continue
      [[ $dir != "$ROOT/conf" ]] || return 0
      _named_alone "$dir/$kind/${1##*/}"
      _named_hides "$1" "$kind/${1##*/}"
      return 0
    done
  done
  return 1
}

# Name the file that another one hides, once.
# Usage: _named_hides FILE NAME
_named_hides() {
  local dir
  [[ -z ${_NAMED_TOLD[$1]-} ]] || return 0
  _NAMED_TOLD[$1]=yes
  for dir in "${NAMED_DIRS[@]}"; do
    if [[ ! -r $dir/$2 ]]; then continue; fi
    [[ $dir/$2 -ef $1 ]] || log_warn "$1: hides $dir/$2; rename one of them to use both"
  done
}

# Refuse a path that another user could change or replace.
# Usage: _named_alone PATH
_named_alone() {
  local said
  said=$(workdir_alone "$1" TIERBENCH_PATH 2>&1) || die_usage "environment: $said"
}
