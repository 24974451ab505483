# SPDX-License-Identifier: MIT
# shellcheck shell=bash
# Files by their names, in the directories of TIERBENCH_PATH and in this project. Of scenarios, variants, workloads and tenants the first
# directory that has one wins; conf/ is the last. Names of parts and tiers are those of functions, so each must be new.

# The directories, each with scenarios/, variants/, workloads/, tenants/, part/ and tier/ in it; of this project part/ and tier/ are in lib/.
NAMED_DIRS=("$ROOT/conf")
# The names of other files and directories in a run, where each variant has a directory.
readonly NAMED_IN_RUN='^([.]|(env|exports|plots)$|report|rep-|(run|debug|plan|settings|setup)[.]|SHA256SUMS|SIZES|README)'
NAMED_CODE=()             # the parts (directories) and tiers (files) of TIERBENCH_PATH, which hosts get, too
declare -A _NAMED_TOLD=() # by file: that it hides another one was said

# Take the directories of TIERBENCH_PATH, as the modules are loaded.
# Usage: named_dirs
# Returns: sets NAMED_DIRS; exits 2 if one of them cannot be used, or another user could change it
named_dirs() {
  local dir part
  local -a dirs
  IFS=: read -r -a dirs <<<"${TIERBENCH_PATH-}"
  NAMED_DIRS=()
  for dir in "${dirs[@]}"; do
    [[ -n $dir ]] || continue
    for part in "$dir" "$dir"/{scenarios,variants,workloads,tenants,part,tier}; do
      [[ $dir == /* && -d $part && -r $part && -x $part || $part != "$dir" && ! -e $part ]] ||
        die_usage "environment: TIERBENCH_PATH=$part: not a directory that you can read; accepted: absolute paths of directories, separated by colons"
    done
    _named_alone "$dir"
    NAMED_DIRS+=("$dir")
  done
  NAMED_DIRS+=("$ROOT/conf")
}

# The file with a name.
# Usage: named_find KIND NAME
#   KIND is scenarios, variants, workloads or tenants
# Returns: sets REPLY; 1 without such a file, and REPLY is where a new one belongs
named_find() {
  local dir
  for dir in "${NAMED_DIRS[@]}"; do
    REPLY=$dir/$1/$2.conf
    [[ ! -e $REPLY ]] || return 0
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
    for kind in scenarios variants workloads tenants; do
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
    if [[ ! -e $dir/$2 ]]; then continue; fi
    [[ $dir/$2 -ef $1 ]] || log_warn "$1: hides $dir/$2; rename one of them to use both"
  done
}

# Take a part or a tier of TIERBENCH_PATH.
# Usage: named_code PATH NAME TAKEN
#   TAKEN are the names of all others, separated by blanks
# Returns: adds to NAMED_CODE; exits 2 if the name is not new, a file cannot be read, or another user could change it
named_code() {
  local file
  [[ $2 =~ ^[a-z][a-z0-9_]{0,31}$ ]] ||
    die_usage "environment: TIERBENCH_PATH=$1: not a name; accepted: small letters, digits and _, with a letter first"
  [[ " $3 " != *" $2 "* ]] || die_usage "environment: TIERBENCH_PATH=$1: the name $2 is taken; rename it"
  for file in "$1" "$1"/*; do
    [[ -r $file || $file == *'/*' ]] || die_usage "environment: TIERBENCH_PATH=$file: cannot open; accepted: files that you can read"
    _named_alone "$file"
  done
  NAMED_CODE+=("$1")
}

# Refuse a list of parts that is not a file, cannot be read, or that another user could change.
# Usage: named_list FILE
named_list() {
  [[ -f $1 && -r $1 ]] || die_usage "environment: TIERBENCH_PATH=$1: cannot open; accepted: files that you can read"
  _named_alone "$1"
}

# Refuse a path that another user could change or replace.
# Usage: _named_alone PATH
_named_alone() {
  local said
  said=$(workdir_alone "$1" TIERBENCH_PATH 2>&1) || die_usage "environment: $said"
}
