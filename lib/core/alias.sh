# SPDX-License-Identifier: MIT
# shellcheck shell=bash
# Names that other tools have for our settings: conf/aliases.tsv, the one list of them.

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

# Print our name for a setting, which is the same where it has no other.
# Usage: alias_name NAME
alias_name() {
  printf '%s' "${_ALIAS_NAME[$1]-$1}"
}

# Whether a name is one of the others.
# Usage: alias_is NAME
alias_is() {
  [[ -v "_ALIAS_NAME[$1]" ]]
}

# Whether a name is one of the others, and not so common that the environment may mean something else by it.
# Usage: alias_is_own NAME
alias_is_own() {
  alias_is "$1" && [[ ${_ALIAS_WHERE[$1]} != given ]]
}

# Print what a value of theirs is with us.
# Usage: alias_value THEIR_NAME VALUE
# Returns: 1 when it is none.
alias_value() {
  local theirs=${2:-'""'} pair
  local -a pairs
  read -r -a pairs <<<"${_ALIAS_VALUES[$1]}"
  for pair in "${pairs[@]}"; do
    if [[ ${pair%%=*} == "$theirs" && $pair == *=* ]]; then
      printf '%s' "${pair#*=}"
      return
    fi
  done
  [[ ${pairs[-1]} == '*' ]] && printf '%s' "$2"
}

# Print the values of theirs that are taken, for a message.
# Usage: alias_values THEIR_NAME
alias_values() {
  local -a pairs
  read -r -a pairs <<<"${_ALIAS_VALUES[$1]}"
  printf '%s' "${pairs[*]%%=*}"
}
