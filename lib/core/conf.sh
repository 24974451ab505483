# SPDX-License-Identifier: MIT
# shellcheck shell=bash
# Settings: read files of plain assignments, refuse unknown names and invalid values, resolve the layers.
# A setting may have parts, NAME.PART. Layers, SWEEP and conf/aliases.tsv set each part alone, and NAME="PART=VALUE ..." sets several (_conf_parts).
# If any word is a part, NAME="PART VALUE; ..." sets several, as in redis.conf (_conf_directives).
# LIKE=NAME in a scenario or variant takes the settings of that file in its directory, or where names are looked up (lib/core/named.sh). The lines
# below it override them.
# The run.conf of a run may begin with OVER="NAME...": the values of these settings override a variant's, as they did in the run.

# Lowest first; a later layer overrides.
readonly CONF_LAYERS=(default block hosts scenario variant over environment argument)

# By layer: the names that it sets, with a blank in front of each.
declare -A _CONF_SET=()
# The layer that is used as `variant`: each variant's file has its own layer, so that it is read once (conf_variant).
_CONF_VARIANT=variant
# By setting: the source of its value at the current point (conf_point).
declare -A _CONF_POINT=()

# The name of a setting, of an alias or of a part: a regular expression whose first group is the name.
readonly CONF_NAMED='([A-Za-z_][A-Za-z0-9_]*(\.[A-Za-z0-9_-]+)?)'

_CONF_LIKE= # the files that are being read, each included by the file before it

# Read a file of assignments into a layer; with BEGIN and END, only the lines between the two that begin so.
# Usage: conf_file LAYER FILE [BEGIN END]
# Returns: exits 2 with file:line at the first line that is not a valid assignment.
conf_file() {
  local layer=$1 file=$2 begin=${3-} end=${4-} line number=0 inside=1 over='' name value REPLY _CONF_FOREIGN
  local -a lines
  file_read "$file" || die_usage "$file: $REPLY; name a file of settings that you can read"
  mapfile -t lines <<<"$REPLY"
  trust_file "$file" "$REPLY"
  [[ -z $begin ]] || inside=0
  for line in "${lines[@]}"; do
    number=$((number + 1))
    ((${#line} <= 65536)) || die_usage "$file:$number: line: too long; accepted: at most 65536 characters"
    file_line "$line" $number
    line=$REPLY
    if [[ -n $begin && $line == "$begin"* ]]; then
      inside=1
      continue
    elif [[ -n $end && $line == "$end"* ]]; then
      break
    fi
    # Most lines are comments, and a regular expression takes time.
    if ((!inside)) || [[ -z $line || $line == '#'* ]]; then continue; fi
    if [[ ! $line =~ ^[[:space:]]*$CONF_NAMED=(.*)$ ]]; then
      [[ $line =~ ^[[:space:]]*(#.*)?$ ]] || die_usage "$file:$number: $line: not an assignment; accepted: NAME=VALUE"
      continue
    fi
    name=${BASH_REMATCH[1]} value=${BASH_REMATCH[3]}
    if [[ $name == LIKE ]]; then
      _conf_like "$layer" "$file" "$value" "$file:$number"
    elif [[ $name == OVER && $layer == scenario ]]; then
      over=" ${value//\"/} "
    else
      _conf_set "$layer" "$name" "$value" "$file:$number"
      [[ $over != *" $name "* ]] || _conf_set over "$name" "$value" "$file:$number"
    fi
  done
}

# Take one NAME=VALUE argument as a setting, without changing its value.
# Usage: conf_word LAYER WORD WHERE
conf_word() {
  local layer=$1 word=$2 where=$3
  [[ $word =~ ^$CONF_NAMED=(.*)$ ]] || die_usage "$where: $word: not an assignment; accepted: NAME=VALUE"
  _conf_put "$layer" "${BASH_REMATCH[1]}" "${BASH_REMATCH[3]}" "$where"
}

# Names in the environment that begin with TIERBENCH_ and are not settings.
readonly _CONF_OTHERS=" DEBUG HOME PATH ROOT SHOW "

# Take the settings in the environment of this script: TIERBENCH_NAME=VALUE. A name without the prefix, such as DATA or TIME, may belong to
# another program. It is ignored, with a message if the user may have meant the setting. A shell has no variable with the name of a part, so the
# kernel's copy of the environment is read.
# Usage: conf_environment
conf_environment() {
  local pair name given=' ' ignored=''
  local -a alone=()
  while IFS= read -r -d '' pair; do
    name=${pair%%=*} name=${name:-=} # a subscript cannot be empty
    if [[ $name == TIERBENCH_?* ]]; then
      given+="${name#TIERBENCH_} "
      [[ $_CONF_OTHERS == *" ${name#TIERBENCH_} "* ]] || conf_word environment "${pair#TIERBENCH_}" "environment"
    elif alias_is_own "$name" || { [[ -n ${_CONF_KIND[$name]+set} ]] && kind_is "${pair#*=}" "${_CONF_KIND[$name]}"; }; then
      alone+=("$name")
    fi
  done <"/proc/$$/environ"
  # With both names, the user knows the prefix.
  for name in "${alone[@]}"; do [[ $given == *" $name "* ]] || ignored+=" $name"; done
  [[ -z $ignored ]] ||
    log_warn "environment:$ignored: ignored; requires: TIERBENCH_ in front of the name, such as TIERBENCH_${ignored##* }"
}

# Select a variant's layer, or none if NAME is empty; the layers of other variants stay as they are.
# Usage: conf_variant NAME
conf_variant() {
  _CONF_VARIANT=variant${1:+:$1}
}

# Set a resolved setting to the value of a point of the sweep; it overrides every layer until settings are resolved again.
# Usage: conf_point NAME VALUE [WHERE]
#   WHERE is the source of the value, if it is not that of the setting
conf_point() {
  local REPLY
  conf_variable "$1"
  printf -v "$REPLY" '%s' "$2"
  [[ -z ${3-} ]] || _CONF_POINT[$1]=$3
}

# Remove the settings of a layer.
# Usage: conf_clear LAYER
conf_clear() {
  local name
  for name in "${_CONF_NAMES[@]}"; do
    unset '_CONF_VALUE[$1 $name]' '_CONF_WHERE[$1 $name]'
  done
  _CONF_SET[$1]=
}

# Copy a setting of one layer into another, unless the other sets it itself.
# Usage: conf_inherit LAYER FROM NAME WHERE
conf_inherit() {
  [[ -z ${_CONF_VALUE["$1 $3"]+set} ]] || return 0
  _conf_keep "$1" "$3" "${_CONF_VALUE["$2 $3"]}" "$4"
}

# Print the settings of a layer, as NAME=VALUE.
# Usage: conf_said LAYER
conf_said() {
  local name
  for name in "${_CONF_NAMES[@]}"; do
    [[ -z ${_CONF_VALUE["$1 $name"]+set} ]] || printf '%s=%s\n' "$name" "${_CONF_VALUE["$1 $name"]}"
  done
}

# Set the global variable of every setting to its value by the order of layers.
# Usage: conf_resolve
conf_resolve() {
  local name layer REPLY
  _CONF_POINT=()
  # Else a variable of the environment would stay exported.
  unset -v "${CONF_VARIABLES[@]}"
  # The lowest layer sets all of them: one command, as this runs often.
  declare -g -- "${_CONF_DEFAULTS[@]}"
  for layer in "${CONF_LAYERS[@]/#variant/$_CONF_VARIANT}"; do
    for name in ${_CONF_SET[$layer]-}; do
      conf_variable "$name"
      printf -v "$REPLY" '%s' "${_CONF_VALUE["$layer $name"]}"
    done
  done
  read -r -a SERVERS <<<"${SERVER-}"
  HOST=${SERVERS[*]}
}

# Print the source of a setting's value, for messages: `file:line`, `environment` or `command line`.
# Usage: conf_where NAME
conf_where() {
  conf_source "$1"
  printf '%s' "$REPLY"
}

# As conf_where, without a subshell.
# Usage: conf_source NAME
# Returns: sets REPLY
conf_source() {
  local layer
  REPLY=
  for layer in "${CONF_LAYERS[@]/#variant/$_CONF_VARIANT}"; do REPLY=${_CONF_WHERE["$layer $1"]-$REPLY}; done
  REPLY=${_CONF_POINT[$1]-$REPLY}
}

# The highest layer that sets a setting.
# Usage: conf_layer NAME
# Returns: sets REPLY
conf_layer() {
  local layer
  REPLY=${CONF_LAYERS[0]}
  for layer in "${CONF_LAYERS[@]/#variant/$_CONF_VARIANT}"; do [[ -z ${_CONF_VALUE["$layer $1"]+set} ]] || REPLY=$layer; done
}

# The value of a resolved setting.
# Usage: conf_value NAME
# Returns: sets REPLY
conf_value() {
  conf_variable "$1"
  REPLY=${!REPLY}
}

# Whether a resolved setting has its default.
# Usage: conf_is_default NAME
conf_is_default() {
  local REPLY
  conf_value "$1"
  [[ $REPLY == "${_CONF_VALUE["default $1"]}" ]]
}

# Print the settings that override any variant's: those of the command line and the environment.
# Usage: conf_over
conf_over() {
  local name layer
  for name in "${_CONF_NAMES[@]}"; do
    for layer in over environment argument; do
      [[ -z ${_CONF_VALUE["$layer $name"]+set} ]] || printf '%s\n' "$name"
    done
  done | uniq
}

# Refuse a resolved setting that conflicts with other settings.
# Usage: conf_refuse NAME REASON...
conf_refuse() {
  local name=$1 value REPLY
  conf_value "$1"
  value=$REPLY
  shift
  ((${#value} <= 300)) || value=${value:0:300}...
  die_usage "$(conf_where "$name"): $name=$value: $*"
}

# Print every resolved setting as an assignment that conf_file reads back.
# Usage: conf_print
conf_print() {
  local name REPLY
  for name in "${_CONF_NAMES[@]}"; do
    conf_value "$name"
    printf '%s="%s"\n' "$name" "$REPLY"
  done
}

# Read the file that LIKE names.
_conf_like() {
  local layer=$1 file=$2 name=${3%%[[:space:]#]*} where=$4 kind=variants other REPLY
  name=${name//[\"\']/}
  local _CONF_LIKE="$_CONF_LIKE $file "
  [[ $layer == scenario || $layer == variant* || $layer == file ]] || die_usage "$where: LIKE=$name: not supported here; accepted in scenarios and variants"
  other=${file%/*}/$name.conf
  [[ $layer != scenario ]] || kind=scenarios
  [[ $name != */* && ! -r $other ]] && named_find "$kind" "$name" && other=$REPLY
  [[ $name != */* && -r $other ]] || die_usage "$where: LIKE=$name: $other: not found; name a file in its directory, or one of ./do_it.sh list"
  [[ $_CONF_LIKE != *" $other "* ]] || die_usage "$where: LIKE=$name: circular include; remove one of the LIKE lines"
  conf_file "$layer" "$other"
}

# Strip quotes, brackets and a trailing comment from the right side of an assignment in a file, then take it.
_conf_set() {
  local layer=$1 name=$2 raw=$3 where=$4 rest='[[:space:]]*(#.*)?$'
  # Most values are plain words.
  if [[ $raw != *[[:space:]\"\'\(\)#]* ]]; then
    :
  elif [[ $raw =~ ^\"([^\"]*)\"$rest || $raw =~ ^\'([^\']*)\'$rest ]]; then
    raw=${BASH_REMATCH[1]}
  elif [[ $raw =~ ^\(([^\)]*)\)$rest ]]; then
    raw=${BASH_REMATCH[1]}
    alias_name "$name"
    [[ ${_CONF_KIND[$REPLY]-list:} == *list:* ]] || die_usage "$where: $name=($raw): a list is not supported; give one value"
  elif [[ $raw =~ ^([^[:space:]\"\'\(\)#]*)$rest ]]; then
    raw=${BASH_REMATCH[1]}
  else
    die_usage "$where: $name=$raw: a value with blanks or brackets requires quotes; write $name=\"...\""
  fi
  _conf_put "$layer" "$name" "$raw" "$where"
}

# Check a setting, or the parts of one, and keep them in a layer under our names.
# Usage: _conf_put LAYER NAME VALUE WHERE
_conf_put() {
  ((${#3} <= 65536)) || die_usage "$4: $2=${3:0:40}...: too long; accepted: at most 65536 characters"
  [[ $3 != *[$'\n"']* ]] || die_usage "$4: $2: a line break or a double quote in the value is not supported; remove it"
  if [[ -n ${_CONF_KIND["$2.*"]+set} ]]; then
    _conf_directives "$@"
  elif [[ -n ${CONF_PARTS[$2]+set} ]]; then
    _conf_parts "$@"
  else
    _conf_put_one "$@"
  fi
}

# Take directives in the form of redis.conf, with semicolons between them. Several with one name are one part.
# Usage: _conf_directives LAYER NAME VALUE WHERE
_conf_directives() {
  local line name
  local -a lines order=()
  local -A values=()
  IFS=';' read -r -a lines <<<"${3//[[:space:]]/ }"
  for line in "${lines[@]}"; do
    read -r name line <<<"$line"
    [[ -n $name ]] || continue
    # Redis removes quotes, and replaces escapes in them, before it looks at the name.
    [[ $name != *[!A-Za-z0-9_-]* ]] ||
      die_usage "$4: $2=${3:0:300}: ${name:0:300}: not a plain name of a directive; accepted: letters, digits, - and _, without quotes"
    name=${name,,}
    [[ -n ${values[$name]+set} ]] || order+=("$name")
    values[$name]=${values[$name]+"${values[$name]}; $name "}$line
  done
  [[ -n ${order[*]-} ]] || die_usage "$4: $2=$3: empty; accepted: directives as in redis.conf, such as maxmemory 1gb; hz 100"
  for name in "${order[@]}"; do _conf_put_one "$1" "$2.$name" "${values[$name]}" "$4"; done
}

# As _conf_put, of one setting.
# Usage: _conf_put_one LAYER NAME VALUE WHERE
_conf_put_one() {
  conf_check "${@:2}"
  _conf_keep "$1" "$CONF_NAME" "$CONF_TEXT" "$CONF_FROM"
}

# Take the words of a setting with parts, from left to right: PART=VALUE; PART or +PART, on; -PART, off. Other words are the value of the setting itself;
# if it has none, on, off, auto or keep is the value of each part that accepts it.
# Usage: _conf_parts LAYER NAME VALUE WHERE
_conf_parts() {
  local layer=$1 name=$2 where=$4 given word part parts=${CONF_PARTS[$2]} own found
  local -a words
  read -r -a words <<<"$3"
  if [[ -z ${words[*]-} ]]; then
    [[ -n ${_CONF_KIND[$name]+set} ]] || die_usage "$where: $name=: empty; accepted: PART=VALUE, with the parts${parts//" $name."/ }"
    own=
  fi
  for word in "${words[@]}"; do
    given=$name=${word:0:300}
    case $word in
      [+][a-z]*) part=${word:1} word=$part=on ;;
      -[a-z]*) part=${word:1} word=$part=off ;;
      [a-z]*=*) part=${word%%=*} ;;
      *)
        part=
        ! kind_is on "${_CONF_KIND["$name.$word"]-}" || part=$word word=$part=on
        ;;
    esac
    if [[ -n $part ]]; then
      [[ " $parts " == *" $name.$part "* ]] || die_usage "$where: $given: unknown part; accepted:${parts//" $name."/ }"
      _conf_put "$layer" "$name.$part" "${word#*=}" "$where"
    elif [[ -n ${_CONF_KIND[$name]+set} ]]; then
      own+=${own:+ }$word
    else
      found=
      for part in ${CONF_PARTS[$name]}; do
        if [[ $word != @(on|off|auto|keep) ]] || ! kind_is "$word" "${_CONF_KIND[$part]}"; then continue; fi
        found=1
        _conf_put "$layer" "$part" "$word" "$where"
      done
      [[ -n $found ]] || die_usage "$where: $given: not PART=VALUE; parts are${parts//" $name."/ }"
    fi
  done
  [[ -z ${_CONF_KIND[$name]+set} || -z ${own+set} ]] || _conf_put_one "$layer" "$name" "$own" "$where"
}

# Keep a checked setting in a layer.
# Usage: _conf_keep LAYER NAME VALUE WHERE
_conf_keep() {
  [[ -n ${_CONF_VALUE["$1 $2"]+set} ]] || _CONF_SET[$1]+=" $2"
  _CONF_VALUE["$1 $2"]=$3
  _CONF_WHERE["$1 $2"]=$4
  [[ -z ${_CONF_FOREIGN-} ]] || trust_note "$_CONF_FOREIGN" "$@"
}

# Check the value of a setting by its kind, and normalise both.
# Usage: conf_check NAME VALUE WHERE
# Returns: sets CONF_NAME CONF_TEXT CONF_FROM; exits 2 with a line that begins with WHERE.
conf_check() {
  local name=$1 value=$2 where=$3 wrong=empty given i
  local -a words
  if alias_is "$name"; then
    alias_value "$name" "$value" || die_usage "$where: $name=$2: unknown value; accepted: $(alias_values "$name") (conf/aliases.tsv)"
    value=$REPLY where+=": $name"
    alias_name "$name"
    name=$REPLY
  fi
  conf_known "$name" || {
    [[ -z ${CONF_PARTS[$name]-} ]] || die_usage "$where: $name=$value: has parts; name one of them:${CONF_PARTS[$name]}"
    nearest_hint "$name" 'conf/defaults.conf lists all' "${_CONF_NAMES[@]}"
    die_usage "$where: $name: unknown setting; $REPLY"
  }
  # Blanks alone are no value.
  [[ $value == *[![:space:]]* ]] || value=
  given=$value
  if [[ ${_CONF_KIND[$name]} == *list:* ]]; then
    read -r -a words <<<"${value//,/ }"
    given=${words[*]-}
    for i in "${!words[@]}"; do
      kind_plain "${words[i]}" "${_CONF_KIND[$name]}"
      words[i]=$REPLY
    done
    value=${words[*]-}
  else
    kind_plain "$value" "${_CONF_KIND[$name]}"
    value=$REPLY
  fi
  [[ -z $value ]] || wrong=invalid
  ((${#given} <= 300)) || given=${given:0:300}...
  kind_is "$value" "${_CONF_KIND[$name]}" ||
    die_usage "$where: $name=$given: $wrong; accepted: $(kind_text "${_CONF_KIND[$name]}")${CONF_PARTS[$name]:+; parts are${CONF_PARTS[$name]//" $name."/ }}"
  ! kind_grouped "$given" "${_CONF_KIND[$name]}" || die_usage "$where: $name=$given: ambiguous, a fraction or thousands; write $REPLY"
  CONF_NAME=$name CONF_TEXT=$value CONF_FROM=$where
}
