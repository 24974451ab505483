# SPDX-License-Identifier: MIT
# shellcheck shell=bash
# Kinds of settings: whether a value is of a kind, its units, and the accepted values in words for messages.
# KIND is one or more of these, joined by `|`:
#   a literal word              on, off, auto, guide ...
#   int:MIN..MAX  number:MIN..MAX   also 100k 2M 1.5G (powers of 1000)
#   time:MIN..MAX               a number of seconds, also 500ms 30s 5m 2h
#   seconds:MIN..MAX            the same without fractions of a second
#   ms:MIN..MAX                 a whole number of milliseconds, also 500ms 15s
#   span:MIN..MAX               a number, or A..B, or A..B..STEP; `all` stands for the server's CPUs that instances may use
#   size:MIN..MAX               bytes, also 10K 4M 2G, 4GB, 4GiB, 1.5g (powers of 1024)
#   times:MIN..MAX              seconds, or LOW-HIGH, each also with a unit: 60-3600, 1m-1h
#   pair:MIN..MAX:MIN..MAX      two numbers with a colon between them
#   every:MIN..MAX:MIN..MAX     the same, the first one a time: 60:5, 1m:5
#   WORD:number:MIN..MAX        the word, a colon and the number; also WORD:pair:..., WORD:percent:... and WORD:range:MIN..MAX, WORD:A..B
#   each:WORD:MIN..MAX          a whole number, a slash and the word: this number for each WORD
#   node:MIN..MAX               a number, @ and the number of a memory node: 10@1
#   percent percent:MIN..MAX    1%..100%; of a range also with decimals: 0.5%
#   dram weight limit           DRAM:DATA, NODE:WEIGHT, a limit of a search; their values are checked with the settings that they depend on
#   ratio fields                two numbers with a colon, not both 0; a field of INFO, or two of them with a slash between them
#   word:MIN..MAX               a name as `word`, of that many characters
#   tier                        a kind of memory, a file of lib/tier
#   variant                     a name as `word`, also with ? at its end
#   host word user cpus absolute path program event sizes commands arguments text   (absolute begins with /; text may be empty)
#   list:KIND                   words separated by blanks or commas; at least one. Kept with blanks
# Values are stored in one form: numbers and times without a unit and without zeros at their ends, sizes with K, M or G.

# Whether a value is of a kind (see the head of this file).
# Usage: kind_is VALUE KIND
kind_is() {
  local value=$1 kind=$2 one word words
  if [[ $kind == list:* ]]; then
    read -r -a words <<<"$value"
    for word in "${words[@]}"; do kind_is "$word" "${kind#list:}" || return 1; done
    return $((${#words[@]} == 0))
  fi
  while [[ -n $kind ]]; do
    one=${kind%%|*}
    kind=${kind#"$one"}
    kind=${kind#|}
    if [[ $one == list:* ]]; then
      kind_is "$value" "$one${kind:+|$kind}"
      return
    fi
    ! _kind_is_one "$value" "$one" || return 0
  done
  return 1
}

# Whether a value is of a single kind, without `list:` and `|`. Usage: _kind_is_one VALUE KIND
_kind_is_one() {
  local value=$1 kind=$2 min max
  min=${kind#*:} max=${kind#*..} min=${min%%..*}
  case $kind in
    int:* | seconds:* | ms:*) [[ $value =~ ^(0|[1-9][0-9]{0,17})$ ]] && ((value >= min && value <= max)) ;;
    pair:* | every:*)
      [[ $value == *:* ]] && kind=${kind#*:} && _kind_is_one "${value%%:*}" "number:${kind%%:*}" &&
        _kind_is_one "${value#*:}" "number:${kind#*:}"
      ;;
    times:*)
      kind=seconds:${kind#times:}
      _kind_is_one "${value%%-*}" "$kind" && _kind_is_one "${value#*-}" "$kind" && ((${value%%-*} <= ${value#*-}))
      ;;
    each:*)
      kind=${kind#each:}
      [[ $value == */"${kind%%:*}" ]] && _kind_is_one "${value%/*}" "int:${kind#*:}"
      ;;
    [a-z]*:number:* | [a-z]*:pair:* | [a-z]*:percent:* | [a-z]*:range:*) [[ $value == "${kind%%:*}":* ]] && _kind_is_one "${value#*:}" "${kind#*:}" ;;
    node:*) [[ $value =~ ^[^@]+@(0|[1-9][0-9]{0,2}|10[01][0-9]|102[0-3])$ ]] && _kind_is_one "${value%@*}" "number:${kind#node:}" ;;
    span:*) _kind_is_span "$value" "int:${kind#span:}" ;;
    range:*) [[ $value =~ ^[0-9]+\.\.[0-9]+$ ]] && _kind_is_span "$value" "int:${kind#range:}" ;;
    number:* | time:*)
      [[ $value =~ ^[0-9]{1,15}(\.[0-9]{1,9})?$ ]] && kind_at_least "$value" "$min" && kind_at_least "$max" "$value"
      ;;
    size:*)
      [[ $value =~ ^[1-9][0-9]{0,11}[KMG]?$ ]] || return
      kind_size "$min" && min=$REPLY
      kind_size "$max" && max=$REPLY
      kind_size "$value"
      ((REPLY >= min && REPLY <= max))
      ;;
    ratio) [[ $value =~ ^(0|[1-9][0-9]{0,5}):(0|[1-9][0-9]{0,5})$ && $value != 0:0 ]] ;;
    dram | weight) [[ $value =~ ^[0-9]+:[0-9]+$ ]] ;;
    percent) [[ $value =~ ^([1-9][0-9]?|100)%$ ]] ;;
    percent:*) [[ $value == *% ]] && _kind_is_one "${value%\%}" "number:${kind#percent:}" ;;
    host) kind_is_host "$value" ;;
    # `on` turns other counters on, but names no event.
    word | user | event) [[ $value =~ ^[A-Za-z0-9][A-Za-z0-9._:-]*$ && $kind:$value != event:on ]] ;;
    word:*) ((${#value} >= min && ${#value} <= max)) && _kind_is_one "$value" word ;;
    variant) _kind_is_one "${value%\?}" word ;;
    cpus) kind_is_cpus "$value" ;;
    fields) [[ $value =~ ^[a-z][a-z0-9_]{0,63}(/[a-z][a-z0-9_]{0,63})?$ ]] ;;
    absolute) [[ $value == /* ]] ;;
    limit) [[ -n $value && $value != *[*?[]* ]] ;;
    program) [[ -n $value && $value != source: ]] ;;
    path | sizes | commands | arguments) [[ -n $value ]] ;;
    tier)
      tiers_read
      [[ " ${TIERS[*]} " == *" $value "* ]]
      ;;
    text) return 0 ;;
    *) [[ -n $kind && $value == "$kind" ]] ;;
  esac
}

# Whether a value is A, A..B or A..B..STEP with numbers of the kind, `all` or `clients` in place of A or B.
# Usage: _kind_is_span VALUE KIND
_kind_is_span() {
  local number='([1-9][0-9]{0,8}|all|clients)' first last
  [[ $1 =~ ^$number(\.\.$number(\.\.[1-9][0-9]{0,8})?)?$ ]] || return 1
  first=${BASH_REMATCH[1]} last=${BASH_REMATCH[3]:-all}
  [[ $first == [a-z]* ]] || _kind_is_one "$first" "$2" || return 1
  [[ $last == [a-z]* ]] || _kind_is_one "$last" "$2" || return 1
  [[ $first == [a-z]* || $last == [a-z]* ]] || ((first <= last))
}

# Print a size in bytes: 10K -> 10240.
# Usage: kind_bytes SIZE
kind_bytes() {
  kind_size "$1"
  echo "$REPLY"
}

# As kind_bytes, without a subshell.
# Usage: kind_size SIZE
# Returns: sets REPLY
kind_size() {
  REPLY=${1%[KMG]}
  case $1 in
    *K) REPLY=$((REPLY << 10)) ;;
    *M) REPLY=$((REPLY << 20)) ;;
    *G) REPLY=$((REPLY << 30)) ;;
  esac
}

# Convert a value to the plain value of its kind: 100k to 100000, 5m to 300 (seconds), 4GB to 4G, 08.50 to 8.5. A value with a unit that its kind
# does not have stays as it is.
# Usage: kind_plain VALUE KIND
# Returns: sets REPLY
kind_plain() {
  _kind_unit "$@"
  # Most values have no zero, and a regular expression takes time.
  [[ $REPLY != *0* || ! $2 =~ (^|[|:])(number|time|every|pair|percent): ]] || _kind_trim
}

# Convert a value with a unit to one without, or with the unit of its kind.
# Usage: _kind_unit VALUE KIND
# Returns: sets REPLY
_kind_unit() {
  local part
  local -a parts
  REPLY=$1
  case $1:$2 in
    */*:*each:*) _kind_join "$1" / int: '' && return ;;
    *-*:*times:*) _kind_join "$1" - seconds: seconds: && return ;;
    *@*:*node:*) _kind_join "$1" @ number: '' && return ;;
    *:*:*every:*) _kind_join "$1" : time: '' && return ;;
  esac
  [[ $1 == [0-9]*[A-Za-z] && $1 =~ ^([0-9]{1,9})(\.([0-9]{1,9}))?([A-Za-z]{1,3})$ ]] || return 0
  IFS='|' read -r -a parts <<<"${2/list:/}"
  for part in "${parts[@]}"; do
    case ${part%%:*}:${BASH_REMATCH[4]} in
      int:k | number:k) _kind_scale 1000 ;;
      int:M | number:M) _kind_scale 1000000 ;;
      int:G | number:G) _kind_scale 1000000000 ;;
      time:ms) _kind_milli ;;
      time:s | seconds:s | times:s | ms:ms) _kind_scale 1 ;;
      time:m | seconds:m | times:m) _kind_scale 60 ;;
      time:h | seconds:h | times:h) _kind_scale 3600 ;;
      ms:s) _kind_scale 1000 ;;
      ms:m) _kind_scale 60000 ;;
      size:*) _kind_size "${BASH_REMATCH[4]^^}" ;;
      *) continue ;;
    esac
    return
  done
}

# Leave out the zeros at the ends of the numbers in REPLY: the shell takes 08 for an octal number, and equal values must have equal text.
# Usage: _kind_trim
# Returns: sets REPLY
_kind_trim() {
  local number='([0-9]+(\.[0-9]+)?)' digits text
  [[ $REPLY =~ ^([a-z]+:)?$number(:$number)?(%?|@[0-9]+)$ ]] || return 0
  text=${BASH_REMATCH[1]}
  for digits in "${BASH_REMATCH[2]}" ${BASH_REMATCH[5]}; do
    REPLY=${digits%%.*}
    while [[ $REPLY == 0?* ]]; do REPLY=${REPLY#0}; done
    [[ $digits != *.* ]] || _kind_decimals "${digits#*.}"
    text+=$REPLY:
  done
  REPLY=${text%:}${BASH_REMATCH[7]}
}

# Convert a value of two parts, each by its own kind.
# Usage: _kind_join VALUE SEPARATOR KIND OTHER_KIND
# Returns: sets REPLY
_kind_join() {
  local first
  _kind_unit "${1%%"$2"*}" "$3"
  first=$REPLY
  _kind_unit "${1#*"$2"}" "$4"
  REPLY=$first$2$REPLY
}

# Set REPLY to the number that _kind_unit matched, times FACTOR; at most 10^9, so that no product overflows.
# Usage: _kind_scale FACTOR
_kind_scale() {
  local part=${BASH_REMATCH[3]}000000000
  part=$((10#${part:0:9} * $1))
  REPLY=$((10#${BASH_REMATCH[1]} * $1 + part / 1000000000))
  _kind_decimals "$(printf '%09d' $((part % 1000000000)))"
}

# Set REPLY to the matched milliseconds in seconds.
_kind_milli() {
  local whole=$((10#${BASH_REMATCH[1]}))
  REPLY=$((whole / 1000))
  _kind_decimals "$(printf '%03d' $((whole % 1000)))${BASH_REMATCH[3]}"
}

# Add decimals to REPLY, without zeros at their end.
# Usage: _kind_decimals DIGITS
_kind_decimals() {
  local digits=$1
  while [[ $digits == *0 ]]; do digits=${digits%0}; done
  [[ -z $digits ]] || REPLY+=.$digits
}

# Set REPLY to the matched size with the largest of K, M and G of which it is a whole number, if it has a unit of sizes: powers of 1024.
# Usage: _kind_size UNIT
_kind_size() {
  local letters=KMGT unit=${1%B} power
  unit=${unit%I}
  [[ ${#unit} -le 1 && $1 != I* && $letters == *"$unit"* ]] || return 0
  power=${letters%%"$unit"*}
  power=$((${#power} + 1))
  if [[ -z $unit ]]; then
    [[ -n ${BASH_REMATCH[2]} ]] || REPLY=${BASH_REMATCH[1]}
    return
  fi
  _kind_scale 1
  if [[ $REPLY == *.* || $power == 4 ]]; then
    _kind_scale 1024
    power=$((power - 1))
  fi
  if [[ $REPLY == *.* ]]; then
    REPLY=${BASH_REMATCH[0]}
  elif ((power > 0)); then
    REPLY+=${letters:power-1:1}
  fi
}

# Whether a decimal is at least another one; up to 15 digits before the point and 9 after it.
# Usage: kind_at_least NUMBER OTHER
kind_at_least() {
  local whole=${1%%.*} other=${2%%.*} part=000000000 rest=000000000
  [[ $1 != *.* ]] || part=${1#*.}000000000
  [[ $2 != *.* ]] || rest=${2#*.}000000000
  ((10#$whole > 10#$other || (10#$whole == 10#$other && 10#${part:0:9} >= 10#${rest:0:9})))
}

# Whether a value is a host: a name of at most 253 characters, an IPv4 or an IPv6 address. NAME:PORT is refused.
# Usage: kind_is_host VALUE
kind_is_host() {
  local part='(0|[1-9][0-9]?|1[0-9][0-9]|2[0-4][0-9]|25[0-5])' group='[0-9A-Fa-f]{1,4}'
  case $1 in
    *::*::* | :: | 0.*) return 1 ;;
    *:*.*) [[ ${1##*:} != *[!0-9.]* ]] && kind_is_host "${1##*:}" && kind_is_host "${1%:*}:0:0" ;;
    *::*) [[ $1 =~ ^($group(:$group){0,5})?::($group(:$group){0,5})?$ ]] ;;
    *:*) [[ $1 =~ ^$group(:$group){7}$ ]] ;;
    # A name whose last part is a number would be an address.
    *[!0-9.]*) [[ ${#1} -le 253 && $1 =~ ^[A-Za-z0-9]([A-Za-z0-9_-]*[A-Za-z0-9])?([.][A-Za-z0-9_]([A-Za-z0-9_-]*[A-Za-z0-9])?)*$ ]] ;;
    *) [[ $1 =~ ^$part([.]$part){3}$ ]] ;;
  esac
}

# Whether a number in a value of a numeric kind may have a separator of thousands in place of a decimal point: 100.000, 1.500G. Stored values do not
# end with 0.
# Usage: kind_grouped VALUE KIND
# Returns: sets REPLY to the number without doubt, in both ways
kind_grouped() {
  [[ $2 =~ (^|[|:])(int|number|time|seconds|ms|span|size|percent|pair|every|times|each): && $1 =~ (^|[ :/-])([1-9][0-9]{0,2})[.]([0-9]{2}0)($|[^0-9.]) ]] || return
  REPLY="${BASH_REMATCH[2]}${BASH_REMATCH[3]} or ${BASH_REMATCH[2]}.${BASH_REMATCH[3]}0"
}

# Whether a value is a list in the kernel's form, 0-3,8, each range ascending.
# Usage: kind_is_cpus VALUE
kind_is_cpus() {
  local part number='(0|[1-9][0-9]{0,3})'
  # No kernel has more than 8192 CPUs (CONFIG_NR_CPUS), and each CPU in a list is checked.
  [[ ${#1} -le 4096 && $1 =~ ^$number(-$number)?(,$number(-$number)?)*$ ]] || return 1
  for part in ${1//,/ }; do ((${part%-*} <= ${part#*-} && ${part#*-} < 8192)) || return 1; done
}

# Print what a kind accepts.
# Usage: kind_text KIND
kind_text() {
  local text='' part
  local -a parts
  IFS='|' read -r -a parts <<<"${1/list:/list|}"
  for part in "${parts[@]}"; do
    [[ -z $text || $text == *': ' ]] || text+=', '
    if [[ $part == list ]]; then
      text+="${text:+or }a list, separated by blanks or commas, of: "
    else
      text+=$(_kind_part "$part")
    fi
  done
  printf '%s\n' "$text"
}

# Print what one part of a kind accepts.
# Usage: _kind_part PART
_kind_part() {
  local min=${1#*:} max=${1#*..}
  min=${min%%..*}
  # Of large numbers, users want to know whether 100000 can be shorter.
  [[ ! $1 =~ ^(int|number): || $max != 1000000000* ]] || max+=", such as 100k"
  case $1 in
    int:*) printf 'a whole number from %s to %s' "$min" "$max" ;;
    number:*) printf 'a number from %s to %s' "$min" "$max" ;;
    time:*) printf 'a time from %s to %s s, such as 500ms, 30s or 5m' "$min" "$max" ;;
    seconds:*) printf 'a time from %s to %s s, such as 30s or 5m' "$min" "$max" ;;
    times:*) printf 'a time from %s to %s s, such as 60 or 5m, or LOW-HIGH' "$min" "$max" ;;
    every:*) _kind_pair "${1#every:}" TIME ' s' ;;
    ms:*) printf 'a time from %s to %s ms, such as 500ms or 15s' "$min" "$max" ;;
    span:*) printf 'N, A..B or A..B..STEP from %s to %s (or all, or clients)' "$min" "$max" ;;
    size:*) printf 'a size from %s to %s' "$min" "$max" ;;
    node:*) printf 'N@NODE with a memory node from 0 to 1023' ;;
    each:*) _kind_each "${1#each:}" ;;
    percent) printf '1%% to 100%%' ;;
    *:percent:*) printf '%s:N%% with N from %s to %s' "${1%%:*}" "${min#percent:}" "$max" ;;
    percent:*) printf '%s%% to %s%%' "$min" "$max" ;;
    pair:*) _kind_pair "${1#pair:}" ;;
    *:range:*) printf '%s:A..B with A and B from %s to %s' "${1%%:*}" "${min#range:}" "$max" ;;
    *:pair:*) printf '%s:' "${1%%:*}" && _kind_pair "${1#*:pair:}" ;;
    *:number:*)
      min=${min#number:}
      printf '%s:N with N from %s to %s' "${1%%:*}" "$min" "$max"
      ;;
    dram) printf 'DRAM:DATA, such as 1:4' ;;
    weight) printf 'NODE:WEIGHT, such as 0:3 1:1' ;;
    limit) printf 'FIGURE<=TIME, such as p99<=1ms' ;;
    ratio) printf 'A:B, two whole numbers that are not both 0' ;;
    host) printf 'a host name or address (a port has its column in a hosts file)' ;;
    variant) printf 'a name of letters, digits and . _ : -, with ? at its end if it may be left out' ;;
    word | user) printf 'a name of letters, digits and . _ : -' ;;
    word:*) printf 'a name of %s to %s letters, digits and . _ : -' "$min" "$max" ;;
    cpus) printf 'a list of numbers such as 0-3,8' ;;
    absolute) printf 'an absolute path' ;;
    path) printf 'a path' ;;
    tier)
      tiers_read
      min=$(printf ', %s' "${TIERS[@]}")
      printf '%s' "${min#, }"
      ;;
    sizes) printf 'sizes, such as 100-900 (docs/workloads.md)' ;;
    commands) printf 'commands, such as get:80,set:20 (docs/workloads.md)' ;;
    arguments) printf 'arguments of a directive, as in redis.conf' ;;
    program) printf 'a path, or a name in the PATH of the server' ;;
    event) printf 'events of perf, such as r80d1:u' ;;
    fields) printf 'a field of INFO, or HITS/MISSES, two fields of INFO' ;;
    *) printf '%s' "$1" ;;
  esac
}

# Print what a kind of two numbers with a colon between them accepts.
# Usage: _kind_pair MIN..MAX:MIN..MAX [NAME UNIT]
#   NAME and UNIT are those of the first number
_kind_pair() {
  local a=${1%%:*} b=${1#*:} name=${2:-A}
  printf '%s:B with %s from %s to %s%s and B from %s to %s' "$name" "$name" "${a%%..*}" "${a#*..}" "${3-}" "${b%%..*}" "${b#*..}"
}

# Print what a kind of a number, a slash and a word accepts.
# Usage: _kind_each WORD:MIN..MAX
_kind_each() {
  local range=${1#*:}
  printf 'N/%s with N from %s to %s' "${1%%:*}" "${range%%..*}" "${range#*..}"
}
