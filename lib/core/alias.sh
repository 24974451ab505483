# SPDX-License-Identifier: MIT
# shellcheck shell=bash
# Names of our settings in other tools: conf/aliases.tsv is the only list of them.

declare -A _ALIAS_NAME=() _ALIAS_VALUES=() _ALIAS_WHERE=()

# Read the list.
# Usage: alias_read FILE
alias_read() {
  local theirs ours values where
  while IFS=$'\t' read -r theirs ours values where; do
    [[ $theirs != \#* ]] || continue
    _ALIAS_NAME[$theirs]=$ours
    _ALIAS_VALUES[$theirs]=$values
    _ALIAS_WHERE[$theirs]=$where
  done <"$1"
}

# The name of the setting for an alias; a name that is not an alias stays unchanged.
# Usage: alias_name NAME
# Returns: sets REPLY
alias_name() {
  REPLY=${_ALIAS_NAME[$1]-$1}
}

# Whether a name is an alias.
# Usage: alias_is NAME
alias_is() {
  [[ -n ${_ALIAS_NAME[$1]+set} ]]
}

# Whether a name is an alias that other programs are unlikely to use in the environment.
# Usage: alias_is_own NAME
alias_is_own() {
  alias_is "$1" && [[ ${_ALIAS_WHERE[$1]} != given ]]
}

# Our value for a value of the other name.
# Usage: alias_value THEIR_NAME VALUE
# Returns: sets REPLY; 1 for any other value
alias_value() {
  local theirs=${2:-'""'} values=${_ALIAS_VALUES[$1]} pair
  local -a pairs
  read -r -a pairs <<<"${values%%'*'*}"
  for pair in "${pairs[@]}"; do
    if [[ ${pair%%=*} == "$theirs" && $pair == *=* ]]; then
      REPLY=${pair#*=}
      return
    fi
  done
  case $values in
    *'*='*)
      values=${values#*'*='}
      REPLY=${values/'*'/"$2"}
      ;;
    *'*') REPLY=$2 ;;
    *) return 1 ;;
  esac
}

# Print the accepted values of an alias, for a message.
# Usage: alias_values THEIR_NAME
alias_values() {
  local -a pairs
  read -r -a pairs <<<"${_ALIAS_VALUES[$1]}"
  printf '%s' "${pairs[*]%%=*}"
}
