# SPDX-License-Identifier: MIT
# shellcheck shell=bash
# What the planner knows of the memory of keys: the row of the server in conf/keycost.tsv, and what was measured; memory that must stay free.

# The row of conf/keycost.tsv for the redis-server of the run: SERVER VERSION QUANTUM; empty: not known, or not in the table.
FILL_REDIS=
# The row that is used then.
readonly _FILL_ASSUMED='redis 7.0 16'
# By form of a key (lib/plan/keycost.awk): its measured memory, as rows for that program.
declare -A FILL_MODEL=()

# Use the row of conf/keycost.tsv for the redis-server of the run, if there is one.
# Usage: fill_use ROW   ROW: SERVER VERSION QUANTUM, separated by tabs; or empty
# Returns: sets FILL_REDIS
fill_use() {
  FILL_REDIS=${1//$'\t'/ }
  _fill_has "$FILL_REDIS" || FILL_REDIS=
}

# The row of conf/keycost.tsv whose figures are used where nothing was measured.
# Usage: fill_row
# Returns: sets REPLY; 1 if it is an assumption
fill_row() {
  local version
  REPLY=$FILL_REDIS
  version=${REDIS#source:}
  version=${version%.*}
  [[ -n $REPLY || $REDIS != source:* ]] || ! _fill_has "redis $version 8" || REPLY="redis $version 8"
  [[ -z $REPLY ]] || return 0
  REPLY=$_FILL_ASSUMED
  return 1
}

# Whether conf/keycost.tsv has a row.
# Usage: _fill_has "SERVER VERSION QUANTUM"
_fill_has() {
  [[ $'\n'$(<"$ROOT/conf/keycost.tsv") == *$'\n'"${1// /$'\t'}"$'\t'* ]]
}

# Print the bytes that must stay free on a server of TOTAL bytes.
# Usage: fill_reserve TOTAL
# Globals: RESERVE
fill_reserve() {
  fill_reserve_of "$1"
  echo "$REPLY"
}

# As fill_reserve, without a subshell; sets REPLY.
# Usage: fill_reserve_of TOTAL
fill_reserve_of() {
  local tenth=$(($1 / 10)) most=$((8 << 30))
  if [[ $RESERVE != auto ]]; then
    conf_size "$RESERVE"
  else
    REPLY=$((tenth < most ? tenth : most))
  fi
}

# Print the measured cost of keys: lines NAME FORM and those of the model.
# Usage: fill_models NAME
fill_models() {
  local form line
  for form in "${!FILL_MODEL[@]}"; do
    while IFS= read -r line; do printf '%s\t%s\t%s\n' "$1" "$form" "$line"; done <<<"${FILL_MODEL[$form]}"
  done
}

# Read lines of fill_models, without NAME.
# Usage: fill_learn <LINES
fill_learn() {
  local form line
  while IFS=$'\t' read -r form line; do
    FILL_MODEL[$form]=${FILL_MODEL[$form]+${FILL_MODEL[$form]}$'\n'}$line
  done
}
