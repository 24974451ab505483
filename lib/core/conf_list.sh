# SPDX-License-Identifier: MIT
# shellcheck shell=bash
# The list of settings: the name, kind, default and variable of each.
# conf/defaults.conf is the only list of settings: `NAME=VALUE  #: KIND`, with the documentation in the comment above it.
# lib/core/kind.sh explains the kinds. The shell's variable of a part NAME.PART is NAME_PART, in capitals. With a line NAME.* any word is a part, which
# exists once it is named.

# By setting: its kind. By layer and setting, with a blank between them: the value, and its source.
declare -A _CONF_KIND=() _CONF_VALUE=() _CONF_WHERE=()
# In the order of the list: the names, their variables, and VARIABLE=DEFAULT of each. Behind the first _CONF_LISTED are parts that NAME.* has made.
_CONF_NAMES=() CONF_VARIABLES=() _CONF_DEFAULTS=() _CONF_LISTED=0
# By setting with parts: the names of its parts.
declare -A CONF_PARTS=()

# Read the list of settings with their kinds and defaults. The defaults are ours: tests/conf.bats checks that each is of its kind, in the form
# that is stored.
# Usage: conf_defaults FILE
conf_defaults() {
  local file=$1 number name value
  local -a lines
  mapfile -t -O 1 lines <"$file" # by number of the line
  for number in "${!lines[@]}"; do
    [[ ${lines[number]} == [A-Z]*=*'  #: '* ]] || continue
    name=${lines[number]%%=*} value=${lines[number]#*=} REPLY=$name
    _CONF_KIND[$name]=${value#*'  #: '} value=${value%%'  #: '*} value=${value#\"} value=${value%\"}
    _CONF_VALUE["default $name"]=$value _CONF_WHERE["default $name"]=$file:$number
    if [[ $name == *.* ]]; then
      [[ $name != *'.*' ]] || continue
      conf_variable "$name"
      CONF_PARTS[${name%%.*}]+=" $name"
    fi
    _CONF_NAMES+=("$name") CONF_VARIABLES+=("$REPLY") _CONF_DEFAULTS+=("$REPLY=$value")
  done
  _CONF_LISTED=${#_CONF_NAMES[@]}
}

# Whether a name is that of a setting. A part of NAME.* is made, unless another part has its variable.
# Usage: conf_known NAME
conf_known() {
  local any="${1%%.*}.*" REPLY
  [[ -z ${_CONF_KIND[$1]+set} ]] || return 0
  [[ $1 == *.* && $1 != *.*[A-Z]* && -n ${_CONF_KIND[$any]+set} ]] || return
  conf_variable "$1"
  [[ " ${CONF_VARIABLES[*]} " != *" $REPLY "* ]] || return
  _CONF_KIND[$1]=${_CONF_KIND[$any]} _CONF_VALUE["default $1"]=${_CONF_VALUE["default $any"]} _CONF_WHERE["default $1"]=${_CONF_WHERE["default $any"]}
  CONF_PARTS[${1%%.*}]+=" $1"
  _CONF_NAMES+=("$1") CONF_VARIABLES+=("$REPLY") _CONF_DEFAULTS+=("$REPLY=${_CONF_VALUE["default $1"]}")
}

# The variable of a setting: KERNEL.thp -> KERNEL_THP.
# Usage: conf_variable NAME
# Returns: sets REPLY
conf_variable() {
  REPLY=${1^^}
  REPLY=${REPLY//[.-]/_}
}
