# SPDX-License-Identifier: MIT
# shellcheck shell=bash
# Print blocks of a file of HTML with values in them: {{NAME}} is escaped, and only {{{NAME}}} takes HTML. The value body is the output of a command.

# The name of the template, and by name the text of its blocks.
_TEMPLATE_FILE=
declare -A _TEMPLATE_BLOCK=()
# Of the block that was filled: the text before its body, and the place of the body, as {{body}}.
_TEMPLATE_BEFORE=
_TEMPLATE_BODY=
# What _template_escape does, for sed.
_TEMPLATE_ESCAPE='s/&/\&amp;/g; s/</\&lt;/g; s/>/\&gt;/g; s/"/\&quot;/g; s/'\''/\&#39;/g; s/[\o0-\o10\o13-\o37\o177]//g'

# Read the blocks of a template: the lines after <!-- block NAME -->. A line with nothing but the body ends with the last line of its output.
# Usage: template_read FILE
# Returns: exits 1 if there is no block
template_read() {
  local line block=''
  _TEMPLATE_FILE=${1##*/} _TEMPLATE_BLOCK=()
  [[ ! -r $1 ]] || while IFS= read -r line; do
    if [[ $line =~ ^'<!-- block '([a-z-]+)' -->'$ ]]; then
      block=${BASH_REMATCH[1]}
    elif [[ -n $block ]]; then
      [[ $line =~ ^\{+body\}+$ ]] || line+=$'\n'
      _TEMPLATE_BLOCK[$block]+=$line
    fi
  done <"$1"
  ((${#_TEMPLATE_BLOCK[@]} > 0)) || die "$1: not found, or without a block"
}

# Put values into a block.
# Usage: template_fill BLOCK [NAME=TEXT...]
# Returns: sets REPLY; exits 1 if the block is missing, a place has no value, or a value has no place
template_fill() {
  # Bytes: in another locale, a broken character could hide the next one.
  local where="$_TEMPLATE_FILE: block $1" rest=${_TEMPLATE_BLOCK[$1]-} word name place text='' LC_ALL=C
  local -A value=()
  [[ -n $rest ]] || die "$where: not found"
  for word in "${@:2}"; do
    name=${word%%=*}
    [[ $rest == *"{{$name}}"* ]] || die "$where: no place for the value $name"
    value[$name]=${word#*=}
  done
  _TEMPLATE_BEFORE='' _TEMPLATE_BODY=''
  # Only the rest of the block is searched, because a value could look like a place.
  while [[ $rest =~ \{\{\{?([a-z]+)\}\}\}? ]]; do
    place=${BASH_REMATCH[0]} name=${BASH_REMATCH[1]}
    [[ -n ${value[$name]+set} ]] || die "$where: the value $name is missing"
    text+=${rest%%"$place"*} rest=${rest#*"$place"}
    if [[ $name == body ]]; then
      _TEMPLATE_BEFORE=$text _TEMPLATE_BODY=$place text=''
      continue
    fi
    REPLY=${value[$name]}
    [[ $place == '{{{'*'}}}' ]] || _template_escape "$REPLY"
    text+=$REPLY
  done
  REPLY=$text$rest
}

# Print a block, with the output of COMMAND as its body.
# Usage: template_print BLOCK [NAME=TEXT...] [-- COMMAND...]
# Returns: 0; exits 1 as template_fill, also for the body
template_print() {
  local after REPLY
  local -a words=()
  while (($# > 0)) && [[ $1 != -- ]]; do
    words+=("$1")
    shift
  done
  template_fill "${words[@]}" ${1+body=}
  after=$REPLY
  printf '%s' "$_TEMPLATE_BEFORE"
  case $_TEMPLATE_BODY in
    '{{{'*'}}}') "${@:2}" ;;
    '{{'*) "${@:2}" | LC_ALL=C sed "$_TEMPLATE_ESCAPE" ;;
  esac
  printf '%s' "$after"
}

# Print a block for each line of stdin, whose fields, between tabs, are the values of NAMES; the last one is the rest of the line.
# Usage: template_each BLOCK NAME... <LINES
# Returns: 0; exits 1 as template_fill
template_each() {
  local name REPLY
  local -a words=()
  for name in "${@:2}"; do words+=("$name="$'\t'"$((${#words[@]} + 1))"$'\t'); done
  template_fill "$1" "${words[@]}"
  # Between two tabs, the block has the number of a field.
  LC_ALL=C sed "$_TEMPLATE_ESCAPE" | BLOCK=$REPLY LC_ALL=C awk -v fields=$(($# - 1)) '
    BEGIN { parts = split(ENVIRON["BLOCK"], part, "\t") }
    {
      for (i = 1; i < fields; i++) {
        end = index($0 "\t", "\t")
        field[i] = substr($0, 1, end - 1)
        $0 = substr($0, end + 1)
      }
      field[fields] = $0
      for (i = 1; i <= parts; i++) printf "%s", (i % 2 ? part[i] : field[part[i]])
    }'
}

# Print the checksum of a script, by which the content policy of its page allows it and no other.
# Usage: template_hash TEXT
template_hash() {
  local hash
  hash=$(printf '%s' "$1" | sha256sum)
  printf '%b' "$(sed 's/ .*//; s/../\\x&/g' <<<"$hash")" | base64
}

# Escape text for HTML, without control characters, in the C locale.
# Usage: _template_escape TEXT
# Returns: sets REPLY
_template_escape() {
  REPLY=$1
  [[ $1 == *[\&\<\>\"\'[:cntrl:]]* ]] || return 0
  # In quotes, because a bare & in the replacement stands for the match.
  REPLY=${REPLY//&/"&amp;"}
  REPLY=${REPLY//</"&lt;"}
  REPLY=${REPLY//>/"&gt;"}
  REPLY=${REPLY//\"/"&quot;"}
  REPLY=${REPLY//\'/"&#39;"}
  REPLY=${REPLY//[$'\001'-$'\010'$'\013'-$'\037'$'\177']/}
}
