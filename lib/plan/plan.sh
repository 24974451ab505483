# SPDX-License-Identifier: MIT
# shellcheck shell=bash
# The plan of a run as data: from facts and settings, one row per repeat with every derived value (plan.tsv). Rows are words separated by tabs.

# The rows in their order, and the names of their columns.
PLAN_ROWS=()
PLAN_COLUMNS=()
# By variant: its settings with the server's facts in place of `auto`, one per line; by variant and axis, the value of that setting.
declare -A _PLAN_SETTINGS=() _PLAN_OWN=()
# The current variant.
PLAN_ENTERED=
# The current row, by column.
declare -A ROW=()

# The numbers of instances of the sweep, expanded and in order.
# Usage: plan_instances
# Globals: INSTANCES, as set by the user; CLIENT_IP
# Returns: sets REPLY
plan_instances() {
  local word first last step all='' words
  local -a clients
  if [[ $INSTANCES =~ ^[0-9]+$ ]]; then
    REPLY=$INSTANCES
    return
  fi
  read -r -a clients <<<"$CLIENT_IP"
  [[ $INSTANCES != *all* ]] || all=$(place_usable)
  words=${INSTANCES//all/$all}
  # shellcheck disable=SC2086 # split into words on purpose
  REPLY=$(for word in ${words//clients/${#clients[@]}}; do
    first=${word%%..*} last=${word#*..} step=1
    [[ $last != *..* ]] || step=${last#*..} last=${last%%..*}
    seq "$first" "$step" "$last"
  done | sort -nu | paste -sd ' ')
}

# The largest number of instances of the sweep.
# Usage: plan_most
# Globals: INSTANCES
# Returns: sets REPLY
plan_most() {
  local number
  REPLY=0
  for number in $INSTANCES; do REPLY=$((number > REPLY ? number : REPLY)); done
}

# Make the plan: derive all values of every repeat. Variants alternate within a repeat (A B A B), so that a drift of the machine affects all
# of them.
# Usage: plan_make
# Globals: those set by plan_settle; the memory of keys, if known
# Returns: sets PLAN_ROWS; leaves the baseline's settings resolved; exits 2 on invalid settings.
plan_make() {
  local variant i repeat need most least row sought number=0
  local -a POINT_NAMES POINT_VALUES POINT_SWEEP
  local -A cell=() # by variant and point: the columns after those of the axes
  local -A seek=() # the same: the seconds of the search for a hit ratio, if the variant can have it
  axes_points
  for variant in "${_PLAN_VARIANTS[@]}"; do _plan_cells "$variant"; done
  rounds_count min
  least=$REPLY
  rounds_count max
  most=$REPLY
  PLAN_ROWS=()
  for i in "${!POINT_NAMES[@]}"; do
    sought=
    for ((repeat = 1; repeat <= most; repeat++)); do
      need=yes
      ((repeat <= least)) || need=maybe
      for variant in $VARIANTS; do
        row=$((++number))$'\t'$variant$'\t'${POINT_NAMES[i]}$'\t'$repeat$'\t'$need$'\t'${POINT_SWEEP[i]}$'\t'
        row+=${POINT_VALUES[i]}$'\t'${cell["$variant $i"]}
        # The keys of a point are searched once, on the first variant that supports it.
        if [[ -z $sought ]] && ((${seek["$variant $i"]-0} > 0)); then
          sought=yes
          row=${row%$'\t'*}$'\t'$((${row##*$'\t'} + ${seek["$variant $i"]}))
        fi
        PLAN_ROWS+=("$row")
      done
    done
  done
}

# Check the settings of every variant, with each combination of the values in SWEEP, and keep them for plan_enter.
# Usage: plan_settle
# Globals: the settings, resolved for the baseline with the server's facts
# Returns: sets AXES and PLAN_COLUMNS; leaves the baseline's settings resolved; exits 2 on invalid settings.
plan_settle() {
  local variant sweep searches=0 limited=''
  _plan_check_run
  axes_settle
  _plan_columns
  axes_sweeps
  # The first variant comes last, so that its settings stay in force.
  read -r -a _PLAN_VARIANTS <<<"${VARIANTS#"${VARIANTS%% *}"} ${VARIANTS%% *}"
  for variant in "${_PLAN_VARIANTS[@]}"; do
    variant_use "$variant"
    server_auto
    _plan_keep "$variant"
    for sweep in "${POINT_SWEEPS[@]}"; do
      plan_enter "$variant" "$sweep"
      servers_settings_check
      tier_settings_check
      cold_check
      cluster_check
      fault_check
      place_check
      launch_check
      directives_check
      load_check
      generator_check
      search_check
      hit_check
      wss_check
      perf_check
      ! size_wanted || searches=$((searches + 1))
      ! hit_counted || [[ " $limited " == *" $variant "* ]] || limited+=${limited:+ }$variant
    done
    plan_enter "$variant" ''
  done
  size_check_variants "$searches"
  hit_check_variants "$limited"
}

# Set PLAN_COLUMNS; those of axes are between `sweep` and `places`, with `-` where every variant has its own value.
_plan_columns() {
  PLAN_COLUMNS=(number variant point repeat need sweep)
  _PLAN_AXES=${#PLAN_COLUMNS[@]}
  axes_columns
  PLAN_COLUMNS+=("${AXES_COLUMNS[@]}" places keys set_keys data_bytes full_bytes target_bytes rule_bytes dram_bytes known clients seconds)
}

# Derive the values of all points of a variant.
# Globals: cell, seek and POINT_... of plan_make
_plan_cells() {
  local variant=$1 i total
  local -a todo=("${!POINT_NAMES[@]}") left
  # The first rounds only collect questions, so that one process can answer those of all points.
  while ((${#todo[@]} > 0)); do
    left=()
    for i in "${todo[@]}"; do
      plan_enter "$variant" "${POINT_VALUES[i]}"
      if _plan_cell; then
        cell["$variant $i"]=$REPLY
        hit_seconds "$variant" "$total"
        seek["$variant $i"]=$REPLY
      else
        left+=("$i")
      fi
    done
    fill_answer
    place_answer
    todo=("${left[@]}")
  done
  plan_enter "$variant" ''
}

# Derive the values of the current point; sets REPLY, tab-separated, and `total` of _plan_cells, the keys of all instances.
# Returns: 1 when questions have to be answered first.
_plan_cell() {
  local size=$VALUE_SIZES sized=$VALUE_SIZES largest instances=$INSTANCES places keys held bytes full target rule dram moving known i shares='' asked=0
  spread_places "$instances" || asked=1
  places=${REPLY//$'\t'/ }
  fill_keys_of "$size" "$instances" || return
  keys=$REPLY
  fill_set_of "$instances" "$keys"
  held=$REPLY
  fill_bytes_of "$size" "$instances" "$held" || asked=1
  bytes=$REPLY
  # SETs of a later phase may be larger.
  sizes_largest "$size"
  largest=$REPLY
  if ((largest > size)); then
    fill_bytes_of "$largest" "$instances" "$held" || asked=1
    ((asked || REPLY <= bytes)) || bytes=$REPLY sized=$largest
  fi
  fill_bytes_of "$size" "$instances" "$keys" || asked=1
  full=$REPLY
  fill_moving_of "$size" "$instances" "$held" || asked=1
  moving=$REPLY
  ((!asked)) || return
  fill_target
  target=${REPLY:--}
  cluster_processes_of "$instances"
  rule=$((3 * (size + 32) * held * REPLY / 2))
  spread_part "$bytes" "$instances"
  dram=$REPLY
  spread_most_of "$instances"
  tier_dram "$dram" "$REPLY"
  # A limit of the tier holds while tables grow, too.
  ((REPLY != dram)) || spread_part $((bytes + moving)) "$instances"
  dram=$REPLY
  fill_source "$sized"
  known=$REPLY
  plan_shares "$instances"
  for i in "${!SHARE_CLIENT[@]}"; do
    plan_threads_of "${SHARE_COUNT[i]}"
    shares+=" ${SHARE_CLIENT[i]}/${SHARE_PORT[i]}/${SHARE_COUNT[i]}/$REPLY"
  done
  total=$((keys * instances))
  _plan_seconds "$total" "$bytes"
  REPLY=$places$'\t'$keys$'\t'$held$'\t'$bytes$'\t'$full$'\t'$target$'\t'$rule$'\t'$dram$'\t'$known$'\t'${shares# }$'\t'$REPLY
}

# The seconds of all phases of a repeat, from KEYS of all instances and their bytes: populate sets each key once, also with TIME.
# Globals: SHARE_... of the point, RATE
# Returns: sets REPLY
_plan_seconds() {
  local phase count work=0 seconds=0 pace=$((PLAN_OPS * 1000)) # of a thousand seconds
  for count in "${SHARE_COUNT[@]}"; do
    plan_requests_of "$count"
    work=$((work + REPLY))
  done
  ((work > 0)) || work=$1
  [[ $RATE == 0 || $RATE == search ]] || printf -v pace '%.0f' "${RATE}e3"
  for phase in $PHASES; do
    if load_is_fill "$phase"; then
      seconds=$((seconds + $1 / PLAN_OPS + 1))
    elif [[ $TIME == 0 ]]; then
      seconds=$((seconds + ${WARMUP%.*} + work * 1000 / (pace > 0 ? pace : 1) + 1))
    else
      seconds=$((seconds + ${WARMUP%.*} + ${TIME%.*} + 1))
    fi
  done
  ! search_wanted || seconds=$((seconds + $(search_seconds)))
  wss_seconds "$2"
  REPLY=$((seconds + REPLY))
}

# Keep a variant's current resolved settings.
_plan_keep() {
  local name text=''
  for name in "${_CONF_NAMES[@]}"; do text+=${!name}$'\n'; done
  _PLAN_SETTINGS[$1]=$text
  for name in "${AXES[@]}" KEYS KEY_MAX; do _PLAN_OWN["$1 $name"]=${!name}; done
  PLAN_ENTERED=$1
}

# Set the settings to those of a variant of the plan, at a point.
# Usage: plan_enter VARIANT VALUES [NAME=VALUE]...
#   VALUES in the form of POINT_VALUES; empty: no point
#   NAME=VALUE until the next call: settings of what is no repeat of the plan, such as a search or a scratch instance
plan_enter() {
  local i setting
  local -a values
  if [[ $1 != "$PLAN_ENTERED" ]]; then
    conf_variant "$1"
    mapfile -t values <<<"${_PLAN_SETTINGS[$1]}"
    for i in "${!_CONF_NAMES[@]}"; do printf -v "${_CONF_NAMES[i]}" '%s' "${values[i]}"; done
    PLAN_ENTERED=$1
  else
    for i in "${AXES[@]}" KEYS KEY_MAX; do printf -v "$i" '%s' "${_PLAN_OWN["$1 $i"]}"; done
  fi
  _CONF_POINT=()
  [[ -z $2 ]] || {
    axes_use "$2"
    fill_settle
  }
  for setting in "${@:3}"; do
    conf_point "${setting%%=*}" "${setting#*=}"
    PLAN_ENTERED=
  done
}

# Set the settings to those of a row of the plan.
# Usage: plan_row ROW [NAME=VALUE]...
#   NAME=VALUE as for plan_enter
# Returns: sets ROW, the row's values by column
plan_row() {
  local i point=''
  local -a fields
  IFS=$'\t' read -r -a fields <<<"$1"
  ROW=()
  for i in "${!PLAN_COLUMNS[@]}"; do
    ROW[${PLAN_COLUMNS[i]}]=${fields[i]}
    ((i < _PLAN_AXES || i >= _PLAN_AXES + ${#AXES[@]})) || point+=$'\t'${fields[i]}
  done
  plan_enter "${ROW[variant]}" "${point#$'\t'}" "${@:2}"
}

# Whether the current row has a combination of the values in SWEEP.
# Usage: plan_within SWEEP
plan_within() {
  local i
  local -a values
  IFS=$'\t' read -r -a values <<<"$1"
  for i in "${!AXES[@]}"; do [[ ${values[i]} == - || ${values[i]} == "${!AXES[i]}" ]] || return; done
}

# Print the plan, a header first.
# Usage: plan_print
plan_print() {
  local IFS=$'\t'
  printf '%s\n' "${PLAN_COLUMNS[*]}" "${PLAN_ROWS[@]}"
}

# Read the plan of a resumed run instead of making it.
# Usage: plan_load FILE
# Returns: as plan_make; exits 2 when it is not a plan of these settings, or its last line is truncated.
plan_load() {
  local number=1 line header text REPLY
  local -a lines
  file_read "$1" "$FILE_PLAN" || die_usage "$1: $REPLY: cannot resume; restore the file, or start a new run"
  text=$REPLY
  header=$(IFS=$'\t' && printf '%s' "${PLAN_COLUMNS[*]}")
  [[ $text == "$header"$'\n'* ]] ||
    die_usage "$1:1: the columns do not match ${1%/*}/run.conf: cannot resume; restore both files, or start a new run"
  PLAN_ROWS=()
  mapfile -t lines <<<"${text%$'\n'*}"
  for line in "${lines[@]:1}"; do
    number=$((number + 1))
    _plan_is_row "$line" || die_usage "$1:$number: not a row of a plan: cannot resume; restore the file, or start a new run"
    PLAN_ROWS+=("$line")
  done
  # The rest of a truncated row may be a valid row.
  [[ $text == *$'\n' ]] || die_usage "$1:$((number + 1)): a truncated row: cannot resume; restore the file, or start a new run"
}

# Whether a line is a valid row: another person may have written the file.
# Usage: _plan_is_row LINE
_plan_is_row() {
  local i column value setting place
  local -a fields
  IFS=$'\t' read -r -a fields <<<"$1"
  ((${#fields[@]} == ${#PLAN_COLUMNS[@]})) || return
  for i in "${!PLAN_COLUMNS[@]}"; do
    column=${PLAN_COLUMNS[i]} value=${fields[i]}
    case $column in
      number | repeat | keys | set_keys | *_bytes | seconds) [[ $value =~ ^(0|[1-9][0-9]{0,17})$ || $column == target_bytes && $value == - ]] || return ;;
      variant) [[ " $VARIANTS " == *" $value "* ]] || return ;;
      point) [[ $value =~ ^[0-9][A-Za-z0-9._-]*$ ]] || return ;;
      places)
        # Of several servers, one after the other.
        while IFS= read -r place; do
          [[ $place =~ ^([0-9,-]+@[^@\;]+(\;|$))+$ || $place == -@* ]] || return
        done <<<"${value//|/$'\n'}"
        ;;
    esac
    if ((i >= _PLAN_AXES && i < _PLAN_AXES + ${#AXES[@]})); then
      setting=${AXES[i - _PLAN_AXES]}
      [[ $value == - ]] || (conf_check "$setting" "$value" '' 2>/dev/null && [[ $CONF_TEXT == "$value" ]]) || return
    fi
  done
}

# Refuse settings of the run that contradict each other, naming the setting and where it was set.
_plan_check_run() {
  local client server seen=" " instances
  local -a clients
  read -r -a clients <<<"$CLIENT_IP"
  for client in "${clients[@]}"; do
    [[ $seen != *" $client "* ]] || conf_refuse CLIENT_IP "the client $client is repeated; give each client once"
    seen+="$client "
    for server in "${SERVERS[@]}"; do
      hosts_data "$server"
      if ! remote_is_local "$client" && remote_is_loopback "$REPLY"; then
        conf_refuse SERVER "the client $client cannot reach a loopback address; set SERVER to an address that clients reach"
      fi
    done
  done
  servers_check
  rounds_check
  for instances in $INSTANCES; do
    ((instances >= ${#clients[@]})) || _plan_undivided "$instances" ${#clients[@]}
    ((REDISBASE + instances - 1 <= 65535)) ||
      conf_refuse REDISBASE "the ports of $instances instances would end at $((REDISBASE + instances - 1)), past 65535; set a lower REDISBASE, or fewer INSTANCES"
  done
}

# Refuse a number of instances that leaves a client without any; for a sweep, refuse only if no number is left.
# Usage: _plan_undivided INSTANCES CLIENTS
_plan_undivided() {
  local why="$1 instances cannot be divided over $2 clients"
  [[ $INSTANCES == *' '* ]] || conf_refuse "$(_plan_instances_from)" "$why; use at least $2 instances, or set CLIENT_COUNT=$1"
  die_usage "$(conf_where INSTANCES): INSTANCES: $why; start the sweep at the number of clients: INSTANCES=clients..all"
}

# The setting that determines the number of instances.
_plan_instances_from() {
  [[ $(conf_where INSTANCES) == *defaults.conf:* ]] || {
    echo INSTANCES
    return
  }
  echo SRV_OVERRIDE
}
