# SPDX-License-Identifier: MIT
# Write a new scenario, variant, kind of memory or part of a run: a template that runs as it is, with a sentence about each line.
#
# Usage: ./do_it.sh new scenario|variant|tier|part NAME
#
#   NAME  a name that is not taken: letters, digits, - and _; of a tier or part small letters, digits and _
#
# It is written to the first directory of TIERBENCH_PATH (docs/scenarios/README.md), else to conf/ or lib/. Names in TIERBENCH_PATH are
# found before those of conf/. A tier is a file in tier/, and a variant that uses it. A part is a directory in part/, and a line of part/list
# (docs/parts.md). No file is overwritten. One line on stdout names the file and the command that runs it.
# Exit status: 0 written, 1 the file cannot be written, 2 bad usage.
# shellcheck shell=bash

# Write a template; the header of this file is the help.
# Usage: cmd_new [ARGUMENT]...
cmd_new() {
  local kind=${1-} name=${2-} form='^[A-Za-z0-9][A-Za-z0-9_-]{0,63}$' accepted='up to 64 letters, digits, - and _, with a letter or digit first'
  ! options_asked_help "${BASH_SOURCE[0]}" "$@" || return 0
  [[ $kind == @(scenario|variant|tier|part) ]] || die_usage "command line: new ${kind:-KIND}: not known; accepted: scenario, variant, tier, part"
  (($# <= 2)) || die_usage "command line: $3: too many arguments; accepted: one name"
  # It is a part of names of functions.
  [[ $kind != @(tier|part) ]] || form='^[a-z][a-z0-9_]{0,31}$' accepted='up to 32 small letters, digits and _, with a letter first'
  [[ $name =~ $form ]] || die_usage "command line: new $kind: NAME=$name: not a name; accepted: $accepted"
  [[ $kind != @(variant|tier) || ! $name =~ $NAMED_IN_RUN ]] || _new_exists "$kind" "$name" "a file or a directory of a run"
  "_new_$kind" "$name"
}

# Usage: _new_scenario NAME
_new_scenario() {
  _new_conf scenario "$1" "-s $1"
}

# Usage: _new_variant NAME
_new_variant() {
  _new_conf variant "$1" "-s demo -v native -v $1"
}

# Write a file of settings.
# Usage: _new_conf KIND NAME OPTIONS
_new_conf() {
  local REPLY
  ! named_find "${1}s" "$2" || _new_exists "$1" "$2" "$REPLY"
  _new_write "$REPLY" "$ROOT/conf/new/$1.conf" "$2" || _new_failed "$REPLY"
  _new_tell "$REPLY" "$3"
}

# The directory of new parts and tiers.
# Returns: sets REPLY
_new_dir() {
  REPLY=${NAMED_DIRS[0]}
  [[ $REPLY != "$ROOT/conf" ]] || REPLY=$LIB
}

# Write a tier, and a variant that uses it.
# Usage: _new_tier NAME
_new_tier() {
  local file REPLY
  _new_dir
  file=$REPLY/tier/$1.sh
  [[ " ${TIERS[*]} " != *" $1 "* ]] || _new_exists tier "$1" "the tier $1"
  [[ ! -L $file ]] || _new_exists tier "$1" "$file"
  ! named_find variants "$1" || _new_exists tier "$1" "$REPLY"
  _new_write "$file" "$ROOT/conf/new/tier.sh" "$1" || _new_failed "$file"
  _new_write "$REPLY" "$ROOT/conf/new/tier.conf" "$1" || {
    rm -f -- "$file"
    _new_failed "$REPLY"
  }
  _new_tell "$file" "-s demo -v native -v $1"
}

# Write the directory of a part, and its line in the list.
# Usage: _new_part NAME
_new_part() {
  local folder file list end='' REPLY
  local -a columns
  _new_dir
  folder=$REPLY/part/$1 list=$REPLY/part/list
  # Some entries of the list have no directory, such as tier.
  [[ ! -e ${PART_DIR[$1]-$folder} && ! -e $folder && ! -L $folder ]] || _new_exists part "$1" "${PART_DIR[$1]-$folder}"
  # Its functions and its setting must be new; a setting is a variable of the shell, too.
  [[ -z $(compgen -A function "${1}_") ]] || _new_exists part "$1" "functions ${1}_..."
  ! _new_variable "${1^^}" || _new_exists part "$1" "the variable or setting ${1^^}"
  parts_columns
  mapfile -t columns <<<"$REPLY"
  ! grep -qw -- "${1}_bytes" "${columns[@]}" || _new_exists part "$1" "the column ${1}_bytes"
  for file in "$ROOT"/conf/new/part/*; do
    _new_write "$folder/${file##*/}" "$file" "$1" || {
      rm -rf -- "$folder"
      _new_failed "$folder"
    }
  done
  # An editor may have left out the end of the last line.
  [[ -z $(tail -c 1 -- "$list" 2>/dev/null) ]] || end=$'\n'
  { printf '%s%s\n' "$end" "$1" >>"$list"; } 2>/dev/null || {
    rm -rf -- "$folder"
    _new_failed "$list"
  }
  _new_tell "$folder" "-s demo ${1^^}=on"
}

# Whether a list of settings has a name, or code has a variable of that name. A word of a sentence does not count: `numa` is a new name. No sentence has
# a word with _.
# Usage: _new_variable NAME
_new_variable() {
  local -a uses=(-e "[$]\\{?$1\\b" -e "\\b$1( ?[+]?=|\\[)" -e "\\b(read|mapfile) -.*\\b$1\\b" -e "^$1"$'\t')
  [[ $1 != *_* ]] || uses=(-e "\\b$1\\b")
  [[ -v $1 ]] || grep -rqsE "${uses[@]}" -- "$LIB" "${NAMED_CODE[@]}" "$ROOT/conf/defaults.conf" "$ROOT/conf/aliases.tsv"
}

# End, because a file cannot be written.
# Usage: _new_failed FILE
_new_failed() {
  die "$1: cannot be written; set TIERBENCH_PATH to another directory"
}

# Refuse a name that is taken.
# Usage: _new_exists KIND NAME WHAT
# Returns: exits 2
_new_exists() {
  die_usage "command line: new $1: NAME=$2: exists, $3; choose another name"
}

# Say what was written.
# Usage: _new_tell FILE OPTIONS
_new_tell() {
  printf '%s: written, and runs as it is: ./do_it.sh run %s\n' "$1" "$2"
}

# Write a file that does not exist yet from a template: whole, or not at all.
# Usage: _new_write FILE TEMPLATE NAME
# Returns: 1 if it exists or cannot be written
_new_write() {
  local text
  text=$(<"$2")
  # The name first: in capitals it may have NAME in it.
  text=${text//NAME/"$3"}
  [[ $2 != */part/* ]] || text=${text//SETTING/"${3^^}"}
  mkdir -p -- "${1%/*}" 2>/dev/null || return 1
  # Without clobber, the shell opens no file that exists, not even at the end of a link.
  (set -o noclobber && : >"$1") 2>/dev/null || return 1
  { printf '%s\n' "$text" >"$1"; } 2>/dev/null || {
    rm -f -- "$1"
    return 1
  }
}
