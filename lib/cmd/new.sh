# SPDX-License-Identifier: MIT
# Write a new scenario or variant: a template that runs as it is, with a sentence about each setting.
#
# Usage: ./do_it.sh new scenario|variant NAME
#
#   NAME  letters, digits, - and _; a name that list has is refused
#
# The file is written to the first directory of TIERBENCH_PATH (docs/scenarios/README.md), else to conf/. Names in TIERBENCH_PATH are found before
# those of conf/. No file is overwritten. One line on stdout names the file and the command that runs it.
# Exit status: 0 written, 1 the file cannot be written, 2 bad usage.
# shellcheck shell=bash

# Write a template; the header of this file is the help.
# Usage: cmd_new [ARGUMENT]...
cmd_new() {
  local kind=${1-} name=${2-} what text file
  local -a kinds=("$ROOT"/conf/new/*.conf)
  ! options_asked_help "${BASH_SOURCE[0]}" "$@" || return 0
  kinds=("${kinds[@]##*/}")
  what=${kinds[*]%.conf}
  [[ -n $kind && " $what " == *" $kind "* ]] || die_usage "command line: new ${kind:-KIND}: not known; accepted: ${what// /, }"
  (($# <= 2)) || die_usage "command line: $3: too many arguments; accepted: one name"
  [[ $name =~ ^[A-Za-z0-9][A-Za-z0-9_-]{0,63}$ ]] ||
    die_usage "command line: new $kind: NAME=$name: not a name; accepted: up to 64 letters, digits, - and _, with a letter or digit first"
  named_dirs
  ! named_find "${kind}s" "$name" || die_usage "command line: new $kind: NAME=$name: exists, $REPLY; choose another name"
  file=$REPLY
  text=$(<"$ROOT/conf/new/$kind.conf")
  _new_write "$file" "${text//NAME/"$name"}" || die "$file: cannot be written; set TIERBENCH_PATH to another directory"
  what="-s $name"
  [[ $kind == scenario ]] || what="-s demo -v native -v $name"
  printf '%s: written, and runs as it is: ./do_it.sh run %s\n' "$file" "$what"
}

# Write a file that does not exist yet: whole, or not at all.
# Usage: _new_write FILE TEXT
# Returns: 1 if it exists or cannot be written
_new_write() {
  mkdir -p -- "${1%/*}" 2>/dev/null || return 1
  # Without clobber, the shell opens no file that exists, not even at the end of a link.
  (set -o noclobber && : >"$1") 2>/dev/null || return 1
  { printf '%s\n' "$2" >"$1"; } 2>/dev/null || {
    rm -f -- "$1"
    return 1
  }
}
