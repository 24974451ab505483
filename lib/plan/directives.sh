# SPDX-License-Identifier: MIT
# shellcheck shell=bash
# Directives of redis.conf that a run sets itself (directives.tsv): with another value of one of them, instances would escape the run.

_DIRECTIVES_OWN=()     # patterns of names and the fixes, separated by a tab
_DIRECTIVES_FINE=$'\n' # texts that were checked, one per line

# Refuse such directives, and what Redis could read as one of them.
# Usage: directives_check
# Globals: ROOT REDIS_CONF
# Returns: exits 2.
directives_check() {
  local line number=0 REPLY
  [[ $_DIRECTIVES_FINE != *$'\n'"$REDIS_CONF"$'\n'* ]] || return 0
  # REDIS_CONF separates directives by semicolons, so the host splits it at each of them, also within quotes.
  while IFS= read -r line; do
    _directives_fit "$line" || conf_refuse REDIS_CONF "$REPLY"
  done <<<"${REDIS_CONF//;/$'\n'}"
  while IFS= read -r line; do
    number=$((number + 1))
    _directives_fit "$line" || die_usage "conf/redis.conf:$number: $REPLY"
  done <"$ROOT/conf/redis.conf"
  _DIRECTIVES_FINE+=$REDIS_CONF$'\n'
}

# Whether a line of redis.conf sets no directive of the run.
# Usage: _directives_fit LINE
# Returns: sets REPLY, what is wrong
_directives_fit() {
  local name row
  read -r name _ <<<"${1//[$'\v\f\r']/ }"
  [[ -n $name && $name != '#'* ]] || return 0
  # Redis removes quotes, and replaces escapes in them, before it looks at the name.
  REPLY="$name: not a plain name of a directive; accepted: letters, digits, - and _, without quotes"
  [[ $name != *[!A-Za-z0-9_-]* ]] || return 1
  ((${#_DIRECTIVES_OWN[@]} > 0)) || mapfile -t _DIRECTIVES_OWN < <(grep -v '^#' "$LIB/plan/directives.tsv")
  for row in "${_DIRECTIVES_OWN[@]}"; do
    # shellcheck disable=SC2053 # the pattern of the table
    [[ ${name,,} == ${row%%$'\t'*} ]] || continue
    row=${row#*$'\t'}
    REPLY="$name: the run sets this directive; ${row/#-/leave it out}"
    return 1
  done
}
