# SPDX-License-Identifier: MIT
# shellcheck shell=bash
# Axes of the sweep: which settings have several values, and the points that they make. lib/plan/axes.tsv is the table of axes.

# By setting, as in the table; and the settings that accept lists, in its order.
declare -A _AXES_COLUMN=() _AXES_FORM=() _AXES_COLON=()
_AXES_LISTS=()
# By axis of SWEEP: the source of its value.
declare -A _AXES_FROM=()
# By axis: its values, separated by blanks; `-` where every variant has its own value.
declare -A _AXES_VALUES=()

# The most points of a run: each takes seconds, and a plan of many more would take minutes.
readonly _AXES_MOST=4096

# Read the table, once.
_axes_table() {
  local setting column form colon
  ((${#_AXES_LISTS[@]} == 0)) || return 0
  while IFS=$'\t' read -r setting column form colon; do
    [[ $setting != \#* ]] || continue
    _AXES_COLUMN[$setting]=$column
    [[ -n $form ]] || continue
    _AXES_FORM[$setting]=$form
    _AXES_COLON[$setting]=${colon#-}
    _AXES_LISTS+=("$setting")
  done <"$LIB/plan/axes.tsv"
}

# Refuse a variant's file that sets what all variants of a run share: a setting of the whole run, or the values of an axis. It would count for a part
# of the run only, or not at all: what is changed under one REMOTE_DIR would not be restored under another, and an axis has the values of the run.
# Usage: axes_check VARIANT
# Globals: the layers; RESUME: the files of a resumed run have all settings, and those of axes were checked when the run started
# Returns: leaves the settings resolved for the variant; exits 2
axes_check() {
  local name word
  local -a words
  local -A run=()
  _axes_table
  conf_variant ''
  conf_resolve
  for name in "${!_AXES_COLUMN[@]}" NEIGHBOUR COLD_MEMORY; do run[$name]=${!name}; done
  conf_variant "$1"
  conf_resolve
  for name in "${!run[@]}"; do
    [[ ${!name} != "${run[$name]}" ]] || continue
    if [[ ${_AXES_COLUMN[$name]-} == - ]]; then
      conf_refuse "$name" "one value for the whole run, not for a variant; set it on the command line or in a scenario"
    elif [[ -z ${RESUME-} ]] && _axes_shared "$name" "${run[$name]} ${!name}"; then
      conf_refuse "$name" "its values are points that all variants have; set it on the command line or in a scenario"
    fi
  done
  [[ -z ${RESUME-} ]] || return 0
  read -r -a words <<<"${SWEEP-}"
  for word in "${words[@]}"; do
    # An invalid name is refused by axes_settle.
    [[ $word =~ ^[A-Za-z_][A-Za-z0-9_]*= ]] || continue
    alias_name "${word%%=*}"
    name=$REPLY
    conf_layer "$name"
    [[ ${CONF_LAYERS[REPLY]} != variant ]] || conf_refuse "$name" "conflicts with $word in SWEEP, whose values all variants have; leave out one of them"
  done
}

# Whether all variants have the same values of a setting that accepts a list.
# Usage: _axes_shared SETTING VALUES
#   VALUES of the run and of a variant
_axes_shared() {
  local -a values
  read -r -a values <<<"$2"
  case $1 in
    VALUE_SIZES | INSTANCES | HIT_RATIO) return 0 ;;
    DRAM_RATIO | KEY_PATTERN | NEIGHBOUR | COLD_MEMORY) ((${#values[@]} > 2)) ;;
    *) return 1 ;;
  esac
}

# Set the axes from the resolved settings.
# Usage: axes_settle
# Globals: SWEEP and the settings that accept lists
# Returns: sets AXES, the settings that are axes; exits 2 if a setting cannot be an axis.
axes_settle() {
  local setting word REPLY points=1
  local -a words
  _axes_table
  AXES=() _AXES_VALUES=() _AXES_FROM=()
  for setting in "${_AXES_LISTS[@]}"; do
    read -r -a words <<<"${!setting}"
    _axes_once "${words[@]}" || conf_refuse "$setting" "the value $REPLY is repeated; give each value once"
    if [[ $setting == VALUE_SIZES ]]; then
      for word in "${!words[@]}"; do
        conf_size "${words[word]}"
        words[word]=$REPLY
      done
    fi
    # A single value of these settings is not swept: a variant may set another. A hit ratio belongs to the point: all variants have the same keys.
    [[ $setting == VALUE_SIZES || $setting == INSTANCES || ($setting == HIT_RATIO && ${words[0]} != off) ]] || ((${#words[@]} > 1)) || words=(-)
    AXES+=("$setting")
    _AXES_VALUES[$setting]=${words[*]}
  done
  # These accept a list too, but have a column only if they have several values.
  for setting in NEIGHBOUR COLD_MEMORY; do
    [[ ${!setting} != *' '* ]] || _axes_sweep "$setting=${!setting// /,}" "$setting"
  done
  read -r -a words <<<"${SWEEP-}"
  for word in "${words[@]}"; do _axes_sweep "$word"; done
  for setting in "${AXES[@]}"; do
    read -r -a words <<<"${_AXES_VALUES[$setting]}"
    points=$((points * ${#words[@]}))
    ((points <= _AXES_MOST)) || conf_refuse "$(if [[ -n ${SWEEP-} ]]; then echo SWEEP; else echo INSTANCES; fi)" "too many points; accepted: at most $_AXES_MOST combinations of all lists"
  done
}

# Take one item of SWEEP.
# Usage: _axes_sweep NAME=VALUE,VALUE... [SETTING]
#   SETTING is the setting that contains it (SWEEP)
_axes_sweep() {
  local where i name=${1%%=*} REPLY
  local -a values
  where="$(conf_where "${2-SWEEP}"): ${2-SWEEP}"
  [[ $1 =~ ^[A-Za-z_][A-Za-z0-9_]*=[^,]+(,[^,]+)*$ ]] || die_usage "$where: $1: invalid; accepted: NAME=VALUE,VALUE..., such as RATE=10000,50000"
  IFS=, read -r -a values <<<"${1#*=}"
  for i in "${!values[@]}"; do
    conf_check "$name" "${values[i]}" "$where"
    values[i]=$CONF_TEXT
  done
  _axes_once "${values[@]}" || die_usage "$where: $1: the value $REPLY is repeated; give each value once"
  name=$CONF_NAME
  [[ ${_AXES_COLUMN[$name]-} != - ]] || die_usage "$where: $1: $name has one value for the whole run; run once for each value"
  [[ ${_AXES_COLUMN[$name]-} != + ]] || die_usage "$where: $1: $name cannot be swept; write a variant for each value"
  [[ -z ${_AXES_FORM[$name]+set} || ! " ${_AXES_LISTS[*]} " == *" $name "* ]] ||
    die_usage "$where: $1: $name is a list already; set $name=\"${values[*]}\""
  [[ -z ${_AXES_VALUES[$name]+set} ]] || die_usage "$where: $1: $name is repeated; give each setting once, with all its values"
  AXES+=("$name")
  _AXES_VALUES[$name]=${values[*]}
  _AXES_FROM[$name]=$where
}

# Whether each value of an axis is given once: 1G is 1024M.
# Usage: _axes_once VALUE...
# Returns: 1 if not; REPLY is then the repeated value
_axes_once() {
  local value
  local -A seen=()
  for value; do
    REPLY=$value
    [[ ! $value =~ ^[1-9][0-9]*[KMG]$ ]] || conf_size "$value"
    [[ -z ${seen[$REPLY]+set} ]] || {
      REPLY=$value
      return 1
    }
    seen[$REPLY]=1
  done
}

# The columns of the axes.
# Usage: axes_columns
# Globals: AXES
# Returns: sets AXES_COLUMNS
axes_columns() {
  local setting
  AXES_COLUMNS=()
  for setting in "${AXES[@]}"; do AXES_COLUMNS+=("${_AXES_COLUMN[$setting]-${setting,,}}"); done
}

# Print the combinations of the values in SWEEP; one empty combination if it is empty.
# Usage: axes_sweeps
# Globals: AXES
# Returns: sets POINT_SWEEPS, in the form of POINT_VALUES
axes_sweeps() {
  local setting value sweep none=''
  local -a more words
  for setting in "${_AXES_LISTS[@]}"; do none+=$'\t'-; done
  POINT_SWEEPS=("${none#$'\t'}")
  for setting in "${AXES[@]:${#_AXES_LISTS[@]}}"; do
    more=()
    for sweep in "${POINT_SWEEPS[@]}"; do
      read -r -a words <<<"${_AXES_VALUES[$setting]}"
      for value in "${words[@]}"; do more+=("$sweep"$'\t'"$value"); done
    done
    POINT_SWEEPS=("${more[@]}")
  done
}

# Make the points: every combination of the values of all axes, the last axis changing fastest.
# Usage: axes_points
# Globals: AXES
# Returns: sets POINT_NAMES, and POINT_VALUES (one per axis, separated by tabs; `-`: the variant's own value) and POINT_SWEEP (text: how the point
# differs from others with the same size and number of instances; `-` if it does not). Exits 2 if two points would have the same name.
axes_points() {
  local setting value i
  local -a names values sweeps words
  local -A seen=()
  POINT_NAMES=('') POINT_VALUES=('') POINT_SWEEP=('')
  for setting in "${AXES[@]}"; do
    names=() values=() sweeps=()
    for i in "${!POINT_NAMES[@]}"; do
      read -r -a words <<<"${_AXES_VALUES[$setting]}"
      for value in "${words[@]}"; do
        _axes_written "$setting" "$value"
        names+=("${POINT_NAMES[i]}${REPLY:+-$REPLY}")
        values+=("${POINT_VALUES[i]}"$'\t'"$value")
        _axes_told "$setting" "$value"
        sweeps+=("${POINT_SWEEP[i]}${REPLY:+, $REPLY}")
      done
    done
    POINT_NAMES=("${names[@]#-}") POINT_VALUES=("${values[@]}") POINT_SWEEP=("${sweeps[@]}")
  done
  POINT_VALUES=("${POINT_VALUES[@]#$'\t'}") POINT_SWEEP=("${POINT_SWEEP[@]#, }")
  for i in "${!POINT_NAMES[@]}"; do
    POINT_SWEEP[i]=${POINT_SWEEP[i]:--}
    [[ -z ${seen[${POINT_NAMES[i]}]+set} ]] ||
      die_usage "$(conf_where SWEEP): SWEEP=${SWEEP-}: two points would share the directory ${POINT_NAMES[i]}: ${POINT_VALUES[i]//$'\t'/ } and ${seen["${POINT_NAMES[i]}"]//$'\t'/ }; leave one out"
    seen[${POINT_NAMES[i]}]=${POINT_VALUES[i]}
  done
}

# Set REPLY to a value as it is written in the name of a directory.
_axes_written() {
  local setting=$1 value=${2/:/${_AXES_COLON[$1]-}} form
  REPLY=
  [[ $2 != - ]] || return 0
  form=${_AXES_FORM[$setting]-${setting,,}%}
  REPLY=${form//_/}
  value=${value//:/-}
  REPLY=${REPLY//%/${value//[!A-Za-z0-9._-]/}}
}

# Set REPLY to a value as it is printed after size and instances.
_axes_told() {
  REPLY=
  [[ $2 != - && $1 != VALUE_SIZES && $1 != INSTANCES ]] || return 0
  REPLY=${_AXES_COLUMN[$1]-${1,,}}
  REPLY=${REPLY//_/ }' '$2
  [[ $1 != HIT_RATIO ]] || REPLY="hit ratio $2"
  # These values need no name as prefix.
  [[ $1 != DRAM_RATIO && $1 != KEY_PATTERN ]] || REPLY=$2
}

# Set the resolved settings to those of a point.
# Usage: axes_use VALUES
#   VALUES in the form of POINT_VALUES
# Globals: AXES
axes_use() {
  local i
  local -a values
  IFS=$'\t' read -r -a values <<<"$1"
  for i in "${!AXES[@]}"; do
    [[ ${values[i]} != - ]] || continue
    conf_point "${AXES[i]}" "${values[i]}" "${_AXES_FROM[${AXES[i]}]-}"
  done
}
