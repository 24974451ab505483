# SPDX-License-Identifier: MIT
# shellcheck shell=bash
# Settings: read files of plain assignments, refuse what is unknown or of the wrong kind, resolve the layers.
#
# conf/defaults.conf is the one list of settings: `NAME=VALUE  #: KIND`, the comment above it being its documentation.
# KIND is one or more of these, joined by `|`:
#   a literal word              on, off, auto, guide ...
#   int:MIN..MAX  number:MIN..MAX
#   span:MIN..MAX               a number, or A..B, or A..B..STEP; `all` stands for the server's CPUs that instances may use
#   size:MIN..MAX               bytes, also 10K 4M 2G (powers of 1024)
#   WORD:number:MIN..MAX        the word, a colon and the number
#   percent                     1%..100%
#   ratio                       two numbers with a colon between them, not both 0
#   host path word cpus text    (path and text may be empty)
#   list:KIND                   words separated by blanks; at least one
# A scenario or variant may begin with LIKE=NAME: the settings of that file beside it, and then its own.
# The run.conf of a run may begin with OVER="NAME...": of these its values stand above a variant's, as they did in the run.

# Lowest first; a later layer overrides.
readonly CONF_LAYERS=(default block hosts scenario variant over environment argument)

declare -A _CONF_KIND=() _CONF_VALUE=() _CONF_WHERE=()
_CONF_NAMES=()

# Read the list of settings with their kinds and defaults.
# Usage: conf_defaults FILE
conf_defaults() {
  local file=$1 line name
  while IFS= read -r line; do
    [[ $line =~ ^([A-Z][A-Z0-9_]*)=.*'#: '(.*)$ ]] || continue
    name=${BASH_REMATCH[1]}
    _CONF_NAMES+=("$name")
    _CONF_KIND[$name]=${BASH_REMATCH[2]}
  done <"$file"
  conf_file default "$file"
}

# Read a file of assignments into a layer; with BEGIN and END, only the lines between those two lines.
# Usage: conf_file LAYER FILE [BEGIN END]
# Globals: _CONF_LIKE, the files that are being read, each for the one before
# Returns: exits 2 with file:line at the first line that is not a good assignment.
_CONF_LIKE=
conf_file() {
  local layer=$1 file=$2 begin=${3-} end=${4-} line number=0 inside=1 over='' name value
  [[ -r $file && ! -d $file ]] || die_usage "$file: cannot be read"
  [[ -z $begin ]] || inside=0
  # shellcheck disable=SC2094 # LIKE is told the file's name, and reads another
  while IFS= read -r line || [[ -n $line ]]; do
    number=$((number + 1))
    if [[ -n $begin && $line == "$begin" ]]; then
      inside=1
      continue
    elif [[ -n $end && $line == "$end" ]]; then
      inside=0
    fi
    ((inside)) || continue
    [[ ! $line =~ ^[[:space:]]*(#.*)?$ ]] || continue
    [[ $line =~ ^[[:space:]]*([A-Za-z_][A-Za-z0-9_]*)=(.*)$ ]] ||
      die_usage "$file:$number: not NAME=VALUE: $line"
    name=${BASH_REMATCH[1]} value=${BASH_REMATCH[2]}
    if [[ $name == LIKE ]]; then
      _conf_like "$layer" "$file" "$value" "$file:$number"
    elif [[ $name == OVER && $layer == scenario ]]; then
      over=" ${value//\"/} "
    else
      _conf_set "$layer" "$name" "$value" "$file:$number"
      [[ $over != *" $name "* ]] || _conf_set over "$name" "$value" "$file:$number"
    fi
  done <"$file"
}

# Take one NAME=VALUE word as a setting, its value as it stands.
# Usage: conf_word LAYER WORD WHERE
conf_word() {
  local layer=$1 word=$2 where=$3
  [[ $word =~ ^([A-Za-z_][A-Za-z0-9_]*)=(.*)$ ]] || die_usage "$where: not NAME=VALUE: $word"
  _conf_put "$layer" "${BASH_REMATCH[1]}" "${BASH_REMATCH[2]}" "$where"
}

# Take the settings that stand in the environment this script was started with.
# The block in do_it.sh has set shell variables of the same names since, so the kernel's copy is asked.
# Usage: conf_environment
conf_environment() {
  local pair
  while IFS= read -r -d '' pair; do
    [[ -v "_CONF_KIND[${pair%%=*}]" ]] || alias_is_own "${pair%%=*}" || continue
    conf_word environment "$pair" "environment"
  done <"/proc/$$/environ"
}

# Forget what a layer says, so that another variant can be put in its place.
# Usage: conf_clear LAYER
conf_clear() {
  local name
  for name in "${_CONF_NAMES[@]}"; do
    unset "_CONF_VALUE[$1 $name]" "_CONF_WHERE[$1 $name]"
  done
}

# Print what a layer says, as NAME=VALUE.
# Usage: conf_said LAYER
conf_said() {
  local name
  for name in "${_CONF_NAMES[@]}"; do
    [[ ! -v "_CONF_VALUE[$1 $name]" ]] || printf '%s=%s\n' "$name" "${_CONF_VALUE["$1 $name"]}"
  done
}

# Set the global variable of every setting to its value by the order of layers.
# Usage: conf_resolve
conf_resolve() {
  local name layer value
  for name in "${_CONF_NAMES[@]}"; do
    value=
    for layer in "${CONF_LAYERS[@]}"; do
      value=${_CONF_VALUE["$layer $name"]-$value}
    done
    unset "$name" # it may be an array, set by the block in do_it.sh
    printf -v "$name" '%s' "$value"
  done
}

# Where a setting's value comes from, for messages: `file:line`, `environment` or `command line`.
# Usage: conf_where NAME
conf_where() {
  local layer where=
  for layer in "${CONF_LAYERS[@]}"; do
    where=${_CONF_WHERE["$layer $1"]-$where}
  done
  printf '%s' "$where"
}

# Print the number of the layer that a setting's value comes from, 0 being the lowest.
# Usage: conf_layer NAME
conf_layer() {
  local number highest=0
  for ((number = 0; number < ${#CONF_LAYERS[@]}; number++)); do
    [[ ! -v "_CONF_VALUE[${CONF_LAYERS[number]} $1]" ]] || highest=$number
  done
  echo "$highest"
}

# Print the settings that stand above any variant's: those of the command line and the environment.
# Usage: conf_over
conf_over() {
  local name layer
  for name in "${_CONF_NAMES[@]}"; do
    for layer in over environment argument; do
      [[ ! -v "_CONF_VALUE[$layer $name]" ]] || printf '%s\n' "$name"
    done
  done | uniq
}

# Refuse a resolved setting for a reason that only shows beside other settings.
# Usage: conf_refuse NAME REASON...
conf_refuse() {
  local name=$1
  shift
  die_usage "$(conf_where "$name"): $name=${!name}: $*"
}

# Print every resolved setting as an assignment that conf_file reads back.
# Usage: conf_print
conf_print() {
  local name
  for name in "${_CONF_NAMES[@]}"; do printf '%s="%s"\n' "$name" "${!name}"; done
}

# Print a size in bytes: 10K -> 10240.
# Usage: conf_bytes SIZE
conf_bytes() {
  local number=${1%[KMG]}
  case $1 in
    *K) echo $((number << 10)) ;;
    *M) echo $((number << 20)) ;;
    *G) echo $((number << 30)) ;;
    *) echo "$number" ;;
  esac
}

# Read the file that another one is like.
_conf_like() {
  local layer=$1 file=$2 name=${3%%[[:space:]#]*} where=$4 other
  local _CONF_LIKE="$_CONF_LIKE $file "
  [[ $layer == scenario || $layer == variant ]] || die_usage "$where: LIKE belongs into a scenario or a variant"
  other=${file%/*}/$name.conf
  [[ -r $other ]] || die_usage "$where: LIKE=$name: there is no $other"
  [[ $_CONF_LIKE != *" $other "* ]] || die_usage "$where: LIKE=$name: that is a circle"
  conf_file "$layer" "$other"
}

# Strip quotes, brackets and a trailing comment from the right side of an assignment in a file, then take it.
_conf_set() {
  local layer=$1 name=$2 raw=$3 where=$4
  local rest='[[:space:]]*(#.*)?$'
  if [[ $raw =~ ^\"([^\"]*)\"$rest || $raw =~ ^\'([^\']*)\'$rest ]]; then
    raw=${BASH_REMATCH[1]}
  elif [[ $raw =~ ^\(([^\)]*)\)$rest ]]; then
    raw=${BASH_REMATCH[1]}
    [[ ${_CONF_KIND[$(alias_name "$name")]-list:} == *list:* ]] || die_usage "$where: $name takes one value, not a list"
  elif [[ $raw =~ ^([^[:space:]\"\'\(\)#]*)$rest ]]; then
    raw=${BASH_REMATCH[1]}
  else
    die_usage "$where: $name: a value with blanks or brackets needs quotes: $raw"
  fi
  _conf_put "$layer" "$name" "$raw" "$where"
}

_conf_put() {
  local layer=$1 name=$2 value=$3 where=$4 wrong="is empty, but the kind is"
  local -a words
  if alias_is "$name"; then
    value=$(alias_value "$name" "$value") || die_usage "$where: $name=$3 is none of: $(alias_values "$name") (conf/aliases.tsv)"
    where+=": $name"
    name=$(alias_name "$name")
  fi
  [[ -v "_CONF_KIND[$name]" ]] ||
    die_usage "$where: $name is not a setting; the nearest is $(_conf_nearest "$name") (conf/defaults.conf lists all)"
  [[ $value != *[$'\n"']* ]] || die_usage "$where: $name: a value cannot hold a line break or a double quote"
  if [[ ${_CONF_KIND[$name]} == *list:* ]]; then
    read -r -a words <<<"$value"
    value=${words[*]-}
  fi
  # One way to write that there is none.
  [[ ${_CONF_KIND[$name]} != number:* || ! $value =~ ^0+(\.0+)?$ ]] || value=0
  [[ -z $value ]] || wrong="is not of the kind"
  _conf_is "$value" "${_CONF_KIND[$name]}" ||
    die_usage "$where: $name=$value $wrong ${_CONF_KIND[$name]}"
  _CONF_VALUE["$layer $name"]=$value
  _CONF_WHERE["$layer $name"]=$where
}

# Whether a value is of a kind (see the head of this file).
# Usage: _conf_is VALUE KIND
_conf_is() {
  local value=$1 kind=$2 one word
  if [[ $kind == list:* ]]; then
    [[ -n $value ]] || return 1
    for word in $value; do _conf_is "$word" "${kind#list:}" || return 1; done
    return 0
  fi
  while [[ -n $kind ]]; do
    one=${kind%%|*}
    kind=${kind#"$one"}
    kind=${kind#|}
    if [[ $one == list:* ]]; then
      _conf_is "$value" "$one${kind:+|$kind}"
      return
    fi
    ! _conf_is_one "$value" "$one" || return 0
  done
  return 1
}

_conf_is_one() {
  local value=$1 kind=$2 min max
  min=${kind#*:} max=${kind#*..} min=${min%%..*}
  case $kind in
    int:*) [[ $value =~ ^(0|[1-9][0-9]{0,17})$ ]] && ((value >= min && value <= max)) ;;
    [a-z]*:number:*) [[ $value == "${kind%%:*}":* ]] && _conf_is_one "${value#*:}" "${kind#*:}" ;;
    span:*) _conf_is_span "$value" "int:${kind#span:}" ;;
    number:*)
      [[ $value =~ ^[0-9]{1,15}(\.[0-9]{1,9})?$ ]] &&
        awk -v v="$value" -v a="$min" -v b="$max" 'BEGIN { exit !(v >= a && v <= b) }'
      ;;
    size:*)
      [[ $value =~ ^[1-9][0-9]{0,11}[KMG]?$ ]] &&
        (($(conf_bytes "$value") >= $(conf_bytes "$min") && $(conf_bytes "$value") <= $(conf_bytes "$max")))
      ;;
    ratio) [[ $value =~ ^(0|[1-9][0-9]{0,5}):(0|[1-9][0-9]{0,5})$ && $value != 0:0 ]] ;;
    percent) [[ $value =~ ^([1-9][0-9]?|100)%$ ]] ;;
    host) [[ $value =~ ^[A-Za-z0-9]([A-Za-z0-9._:-]*[A-Za-z0-9])?$ || $value == ::1 ]] ;;
    word) [[ $value =~ ^[A-Za-z0-9][A-Za-z0-9._:-]*$ ]] ;;
    cpus) _conf_is_cpus "$value" ;;
    path | text) return 0 ;;
    *) [[ -n $kind && $value == "$kind" ]] ;;
  esac
}

# Whether a value is a list as the kernel writes it, 0-3,8, each range in its order.
_conf_is_cpus() {
  local part
  [[ $1 =~ ^[0-9]{1,9}(-[0-9]{1,9})?(,[0-9]{1,9}(-[0-9]{1,9})?)*$ ]] || return 1
  for part in ${1//,/ }; do ((10#${part%-*} <= 10#${part#*-})) || return 1; done
}

# Whether a value is A, A..B or A..B..STEP with numbers of the kind, `all` in place of A or B.
# Usage: _conf_is_span VALUE KIND
_conf_is_span() {
  local number='([1-9][0-9]{0,8}|all)' first last
  [[ $1 =~ ^$number(\.\.$number(\.\.[1-9][0-9]{0,8})?)?$ ]] || return 1
  first=${BASH_REMATCH[1]} last=${BASH_REMATCH[3]:-all}
  [[ $first == all ]] || _conf_is_one "$first" "$2" || return 1
  [[ $last == all ]] || _conf_is_one "$last" "$2" || return 1
  [[ $first == all || $last == all ]] || ((first <= last))
}

# Print the known name that takes the fewest edits (Levenshtein distance, case folded) to become NAME.
_conf_nearest() {
  printf '%s\n' "${_CONF_NAMES[@]}" | awk -v name="$1" '
    function least(a, b, c) { return a < b ? (a < c ? a : c) : (b < c ? b : c) }
    function distance(s, t,   i, j, row, last, old) {
      for (j = 0; j <= length(t); j++) row[j] = j
      for (i = 1; i <= length(s); i++) {
        last = row[0]; row[0] = i
        for (j = 1; j <= length(t); j++) {
          old = row[j]
          row[j] = least(row[j] + 1, row[j - 1] + 1, last + (substr(s, i, 1) != substr(t, j, 1)))
          last = old
        }
      }
      return row[length(t)]
    }
    { d = distance(toupper(name), $0); if (NR == 1 || d < best) { best = d; nearest = $0 } }
    END { print nearest }'
}
