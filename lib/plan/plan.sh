# SPDX-License-Identifier: MIT
# shellcheck shell=bash
# The plan of a run as data: what the planner answers (lib/plan/planner.sh), the settings of a variant and point, and the rows, one per repeat.

# The rows in their order, and the names of their columns. Rows are words separated by tabs.
PLAN_ROWS=()
PLAN_COLUMNS=()
# Settings of the user without effect, lines FOUND WANTED FIX, tab-separated.
PLAN_NOTES=()
# Why points of the first variant may miss FILL by more than 1 %, lines FOUND FIX FILL.
PLAN_DOUBTS=()
# The current variant.
PLAN_ENTERED=
# The current row, by column.
declare -A ROW=()

# Read the settings, and put those of the first variant in force, before anything is known of the hosts.
# Usage: plan_settle
# Returns: exits 2 on settings that are invalid with any hosts, or if those of another person's file are refused
plan_settle() {
  conf_read "$LIB"/plan/{settings,axes,load,tenants,settle}.awk
  plan_enter "${VARIANTS%% *}" ''
  hosts_warn
}

# Make the plan; of a resumed run, read its rows.
# Usage: plan_make
# Globals: the facts of the servers, and the measured cost of keys
# Returns: sets PLAN_ROWS, PLAN_COLUMNS, PLAN_NOTES and PLAN_DOUBTS; the settings of the first variant are in force; exits 2 on invalid settings
plan_make() {
  planner_run
  IFS=$'\t' read -r -a PLAN_COLUMNS <<<"${CONF_ROW[0]}"
  PLAN_ROWS=("${CONF_ROW[@]:1}") PLAN_NOTES=("${CONF_NOTE[@]}") PLAN_DOUBTS=("${CONF_DOUBT[@]}")
  [[ -z $RESUME ]] || _plan_load "$RESUME/plan.tsv"
  plan_enter "${VARIANTS%% *}" ''
}

# Put the settings of a variant of the plan, at a point, in force.
# Usage: plan_enter VARIANT POINT [NAME=VALUE]...
#   VARIANT is empty for those of the run; POINT is empty for those without a point
#   NAME=VALUE until the next call: settings of a search or a scratch instance, or the KEY_PATTERN that a search has found
plan_enter() {
  local line REPLY
  local -a lines
  declare -g -- "${CONF_RUN[@]}"
  PLAN_ENTERED=$1 CONF_ENTERED=${1:--}$'\t'${2:--}
  for line in "${1:--}" "${1:--} $2"; do
    [[ -n ${CONF_CHANGES[$line]-} ]] || continue
    mapfile -t lines <<<"${CONF_CHANGES[$line]%$'\n'}"
    declare -g -- "${lines[@]}"
  done
  for line in "${@:3}"; do
    conf_variable "${line%%=*}"
    declare -g -- "$REPLY=${line#*=}"
  done
}

# Put the settings of a tenant in force, on top of those of the variant and point. Only in a subshell that loads it: the next tenant has other settings.
# Usage: plan_tenant NAME
plan_tenant() {
  local -a lines
  [[ -n ${CONF_CHANGES["$PLAN_ENTERED +$1"]-} ]] || return 0
  mapfile -t lines <<<"${CONF_CHANGES["$PLAN_ENTERED +$1"]%$'\n'}"
  declare -g -- "${lines[@]}"
}

# The variables of the settings that the whole repeat has: without those that tenants change.
# Usage: plan_fixed
# Returns: sets PLAN_FIXED
plan_fixed() {
  local key line changed=' '
  for key in "${!CONF_CHANGES[@]}"; do
    [[ $key == *' +'* ]] || continue
    while IFS= read -r line; do changed+="${line%%=*} "; done <<<"${CONF_CHANGES[$key]}"
  done
  PLAN_FIXED=()
  for line in "${CONF_RUN[@]%%=*}"; do [[ $changed == *" $line "* ]] || PLAN_FIXED+=("$line"); done
}

# Take the values of a row of the plan, without its settings.
# Usage: plan_values ROW
# Returns: sets ROW, the row's values by column
plan_values() {
  local i
  local -a fields
  IFS=$'\t' read -r -a fields <<<"$1"
  ROW=()
  for i in "${!PLAN_COLUMNS[@]}"; do ROW[${PLAN_COLUMNS[i]}]=${fields[i]}; done
}

# Put the settings of a row of the plan in force.
# Usage: plan_row ROW [NAME=VALUE]...
#   NAME=VALUE as for plan_enter
# Returns: sets ROW, as plan_values
plan_row() {
  plan_values "$1"
  plan_enter "${ROW[variant]}" "${ROW[point]}" "${@:2}"
}

# The first row of each group of rows of first repeats that have the same variant, and the same values of settings. The row with the most data is the first
# one; of several with the most, that whose tier needs the most swap.
# Usage: plan_groups VARIABLE...
#   VARIABLE of a setting (conf_variable)
# Globals: VARIANTS
# Returns: sets PLAN_GROUPS, rows in the order of the plan's variants; the settings of the first variant are in force
plan_groups() {
  local row variant key name swap data least
  local -a keys=()
  local -A best=() most=() space=()
  for variant in $VARIANTS; do
    for row in "${PLAN_ROWS[@]}"; do
      plan_values "$row"
      [[ ${ROW[variant]} == "$variant" && ${ROW[repeat]} == 1 ]] || continue
      plan_enter "$variant" "${ROW[point]}"
      key=$variant
      for name; do key+=$'\n'${!name}; done
      swap=${ROW[swap_bytes]%%|*} swap=${swap/#-/0}
      if [[ -z ${best[$key]+set} ]]; then
        keys+=("$key")
      else
        data=${most[$key]} least=${space[$key]}
        ((ROW[data_bytes] > data || (ROW[data_bytes] == data && swap > least))) || continue
      fi
      best[$key]=$row most[$key]=${ROW[data_bytes]} space[$key]=$swap
    done
  done
  PLAN_GROUPS=()
  for key in "${keys[@]}"; do PLAN_GROUPS+=("${best[$key]}"); done
  plan_enter "${VARIANTS%% *}" ''
}

# Print the settings without effect as warnings.
# Usage: plan_warn
plan_warn() {
  local note found fix
  for note in "${PLAN_NOTES[@]}"; do
    IFS=$'\t' read -r found _ fix <<<"$note"
    log_warn "$found: $fix"
  done
}

# Print the plan, a header first.
# Usage: plan_print
plan_print() {
  local IFS=$'\t'
  printf '%s\n' "${PLAN_COLUMNS[*]}" "${PLAN_ROWS[@]}"
}

# Print the settings of the plan, a header first.
# Usage: plan_settings_print
plan_settings_print() {
  local line from
  printf 'variant\tpoint\tname\tvalue\tfrom\n'
  while IFS= read -r line; do
    # The directory of the project is left out.
    from=${line##*$'\t'}
    printf '%s\t%s\n' "${line%$'\t'*}" "${from#"$ROOT"/}"
  done <<<"$CONF_SET"
}

# Print a run's own settings as assignments that repeat it when they are read as a scenario: without those of variants, because each variant sets its own,
# and with a list of those that override them.
# Usage: plan_run_settings
# Returns: leaves the settings of the run in force
plan_run_settings() {
  plan_enter '' ''
  ((${#CONF_OVER[@]} == 0)) || printf 'OVER="%s"\n' "${CONF_OVER[@]}"
  conf_print
}

# Read the rows of a resumed run in place of those that the planner printed.
# Usage: _plan_load FILE
# Returns: exits 2 when it is not a plan of these settings, or its last line is truncated
_plan_load() {
  local number header text REPLY
  local -a lines rows=("${PLAN_ROWS[@]}")
  file_read "$1" "$FILE_PLAN" || die_usage "$1: $REPLY: cannot resume; restore the file, or start a new run"
  text=$REPLY
  header=$(IFS=$'\t' && printf '%s' "${PLAN_COLUMNS[*]}")
  [[ $text == "$header"$'\n'* ]] ||
    die_usage "$1:1: the columns do not match ${1%/*}/run.conf: cannot resume; restore both files, or start a new run"
  mapfile -t lines <<<"${text%$'\n'*}"
  PLAN_ROWS=("${lines[@]:1}")
  for number in "${!PLAN_ROWS[@]}"; do
    _plan_is_row "${PLAN_ROWS[number]}" "${rows[number]-}" ||
      die_usage "$1:$((number + 2)): not a row of a plan: cannot resume; restore the file, or start a new run"
  done
  # The rest of a truncated row may be a valid row.
  [[ $text == *$'\n' ]] || die_usage "$1:$((${#PLAN_ROWS[@]} + 2)): a truncated row: cannot resume; restore the file, or start a new run"
}

# Whether a line is a valid row: another person may have written the file.
# Usage: _plan_is_row LINE PLANNED
#   PLANNED is the row of the planner: its number, variant, point and axes
_plan_is_row() {
  local i column value part
  local -a fields
  [[ -n $2 && $1 == "${2%%$'\t\t'*}"$'\t'* ]] || return
  IFS=$'\t' read -r -a fields <<<"$1"
  ((${#fields[@]} == ${#PLAN_COLUMNS[@]})) || return
  for i in "${!PLAN_COLUMNS[@]}"; do
    column=${PLAN_COLUMNS[i]} value=${fields[i]}
    case $column in
      limit_bytes | swap_bytes)
        while IFS= read -r part; do
          [[ $part =~ ^(-|0|[1-9][0-9]{0,17})$ ]] || return
        done <<<"${value//|/$'\n'}"
        ;;
      keys | set_keys | *_bytes | seconds | largest_size) [[ $value =~ ^(0|[1-9][0-9]{0,17})$ || $column == target_bytes && $value == - ]] || return ;;
      tenants) [[ $value\  =~ ^([A-Za-z][A-Za-z0-9_-]*(/(0|[1-9][0-9]{0,17})){5}\ )+$ ]] || return ;;
      known) [[ $value == @(table|asked|estimated) ]] || return ;;
      places)
        # Of several servers, one after the other.
        while IFS= read -r part; do
          [[ $part =~ ^([0-9,-]+@[^@\;]+(\;|$))+$ || $part == -@* ]] || return
        done <<<"${value//|/$'\n'}"
        ;;
      client_places) [[ "$value|" =~ ^((-|--cpunodebind=[0-9]+\ --membind=[0-9]+)\|)+$ ]] || return ;;
    esac
  done
}
