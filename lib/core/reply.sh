# SPDX-License-Identifier: MIT
# shellcheck shell=bash
# The only reader of hosts' replies: a reply is used only when every field of it is of its kind (lib/core/replies.tsv).
#
# A host's reply is untrusted text. In $(( )), (( )) and ${!name} bash evaluates text, such as PATH[$(command)]. So before any code uses it,
# a number is checked to be a number, and a name to be a known name. Nothing here starts a process for a reply that is as it should be.

# The status of call_run when a reply does not have its form; also the exit status for a host that is not fit.
# shellcheck disable=SC2034 # for those that call call_run
readonly REPLY_BAD=3
# The longest line of a reply, the longest text in it, and the longest text that is matched as a whole, in bytes, and its most lines.
readonly _REPLY_LINE=65536 _REPLY_FIELD=4096 _REPLY_WHOLE=$((1 << 20)) _REPLY_LINES=10000
# A text without control characters, also those that UTF-8 has in two bytes: a terminal obeys both.
readonly _REPLY_TEXT=$'([^\001-\037\177\302]|\302+[^\001-\037\177\200-\237\302])*\302*'

# By script and verb, with a blank between them: the forms of lines, each with a line feed, and the most lines.
declare -A _REPLY_FORMS=() _REPLY_MOST=()
_REPLY_TUNING= # the names in conf/tuning.tsv, separated by |

# Read the forms of replies, those of parts too, before the first call.
# Usage: reply_forms TABLE TUNING
reply_forms() {
  local script verb most form key
  while IFS=$'\t' read -r script verb most form; do
    [[ -n $script && $script != '#'* ]] || continue
    key="$script $verb"
    _REPLY_FORMS[$key]+=$form$'\n'
    _REPLY_MOST[$key]=$most
  done <"$1"
  for script in "${PARTS[@]}"; do
    while IFS=$'\t' read -r verb most form; do
      [[ -z $verb ]] || _REPLY_FORMS["$script $verb"]+=$form$'\n' _REPLY_MOST["$script $verb"]=$most
    done <<<"${PART_ROWS["$script reply"]-}"
  done
  _REPLY_TUNING=
  while IFS=$'\t' read -r script _; do [[ $script == '#'* ]] || _REPLY_TUNING+="${_REPLY_TUNING:+|}$script"; done <"$2"
}

# Print the reply in REMOTE_REPLY if it has the form of its call.
# Usage: reply_print HOST SCRIPT VERB
# Returns: as reply_read
reply_print() {
  local REPLY
  reply_read "$@" || return
  [[ -z $REPLY ]] || printf '%s\n' "$REPLY"
}

# Check that the reply in REMOTE_REPLY has the form of its call.
# Usage: reply_read HOST SCRIPT VERB
# Globals: REMOTE_REPLY REMOTE_MARK REMOTE_LIMIT
# Returns: sets REPLY, which is empty after a failure; REPLY_BAD with one line on stderr that names host and field.
reply_read() {
  local host=$1 call="$2 $3" why='' text=$REMOTE_REPLY begin=$'\n'$REMOTE_MARK$'\n' end=$'\n'$REMOTE_MARK.end$'\n' LC_ALL=C
  local -a lines=()
  REPLY=
  # Most calls print nothing.
  [[ $text != "$begin$end" ]] || return 0
  # Start-up files of the login shell may print, too.
  if [[ ${text:0:${#begin}} != "$begin" || ${text: -${#end}} != "$end" ]]; then
    text=$'\n'$(exec sed -n "/^$REMOTE_MARK\$/,/^$REMOTE_MARK\\.end\$/p" <<<"$text")$'\n'
  fi
  if [[ ${text:0:${#begin}} != "$begin" ]]; then
    why='no reply: the login shell did not run the script; check its start-up files (~/.bashrc) there'
  elif [[ ${text:${#begin}-1} != *"$end" ]]; then
    why='the reply is truncated'
  else
    # What is before the end mark may end without a line feed.
    text=${text:${#begin}-1:${#text}-${#begin}-${#end}+1}
    _reply_check "${text#$'\n'}"
  fi
  if [[ -n $why ]]; then
    ! reply_longer "$host" "$2" || return "$REPLY_BAD"
    printf "%s: invalid reply to '%s': %s\n" "$host" "$call" "$why" >&2
    return "$REPLY_BAD"
  fi
  ((${#lines[@]} > 0)) || return 0
  printf -v REPLY '%s\n' "${lines[@]}"
  REPLY=${REPLY:0:-1}
}

# Check the lines of a reply.
# Usage: _reply_check TEXT
# Globals: call of reply_read
# Returns: sets lines and why of reply_read
_reply_check() {
  local most=${_REPLY_MOST[$call]-0} form line all='' words='' free='' whole piece first REPLY
  local -a forms=()
  [[ -n ${1%$'\n'} ]] || return 0
  [[ -z ${_REPLY_FORMS[$call]-} ]] || mapfile -t forms <<<"${_REPLY_FORMS[$call]%$'\n'}"
  mapfile -t -n $((most + 1)) lines <<<"${1%$'\n'}"
  if ((${#lines[@]} > most)); then
    why="the reply has more lines than $most"
    return
  fi
  for form in "${forms[@]}"; do
    case ${form%% *} in
      *:*'|'*) ;;
      *:*) free=yes ;;
      *) words+="${words:+|}${form%% *}" ;;
    esac
    _reply_pattern "$form"
    all+="${all:+|}$REPLY"
  done
  # A list of words has none of another form. A form that begins with any text could fit a line that begins with the word of another form. Without such a form, a match is the check.
  [[ -n $free ]] || words=''
  for ((first = 0; first < ${#lines[@]}; first += _REPLY_LINES)); do
    # One match of many lines takes less time than a check of each field.
    printf -v piece '%s\n' "${lines[@]:first:_REPLY_LINES}"
    if ((${#piece} <= _REPLY_WHOLE)) && [[ $piece =~ ^(($all)$'\n')*$ ]]; then whole=yes; else whole=''; fi
    for line in "${lines[@]:first:_REPLY_LINES}"; do
      # A short line has no long field.
      if [[ -z $whole || $line == @($words)$'\t'* ]] || ((${#line} > _REPLY_FIELD)); then _reply_line "$line" || return 0; fi
    done
  done
}

# Check a line. If there are several forms, the first word of a line selects the form.
# Usage: _reply_line LINE
# Globals: forms of _reply_check
# Returns: 1, and sets why of reply_read, if it has no form
_reply_line() {
  local rest=$1 form='' index most REPLY
  local -a fields=() parts
  ((${#1} <= _REPLY_LINE)) || {
    _reply_refuse "a line is longer than $_REPLY_LINE bytes: " "$1"
    return
  }
  for form in "${forms[@]}" ''; do
    [[ ${form%% *} != *:* && ${form%% *} != "${1%%$'\t'*}" ]] || break
  done
  [[ -n $form ]] || {
    _reply_refuse 'unexpected line ' "$1"
    return
  }
  read -r -a parts <<<"$form"
  while [[ $rest == *$'\t'* ]] && ((${#fields[@]} <= ${#parts[@]})); do
    fields+=("${rest%%$'\t'*}")
    rest=${rest#*$'\t'}
  done
  fields+=("$rest")
  ((${#fields[@]} == ${#parts[@]})) || {
    _reply_refuse "a line does not have ${#parts[@]} fields ($form): " "$1"
    return
  }
  for index in "${!parts[@]}"; do
    _reply_pattern "${parts[index]}"
    most=$_REPLY_FIELD
    [[ ${parts[index]} != *:info ]] || most=$((2 * _REPLY_FIELD))
    { ((${#fields[index]} <= most)) && [[ ${fields[index]} =~ ^($REPLY)$ ]]; } || {
      _reply_refuse "${parts[index]%%:*}=" "${fields[index]}" ": expected ${parts[index]#*:}"
      return
    }
  done
}

# Say why a reply is refused, with a part of it, shortened and without control characters.
# Usage: _reply_refuse BEFORE PART [AFTER]
# Returns: 1, and sets why of reply_read
_reply_refuse() {
  local part=${2:0:80}
  why="$1'${part//[$'\001'-$'\037\177'-$'\377']/?}'${3-}"
  return 1
}

# The extended regular expression of a form of lib/core/replies.tsv, or of a field of it, in the locale C.
# Usage: _reply_pattern FORM
# Returns: sets REPLY
_reply_pattern() {
  local part all=''
  local -a parts
  read -r -a parts <<<"$1"
  for part in "${parts[@]}"; do
    case $part in
      *:text) part=$_REPLY_TEXT ;;
      *:info) part="|#$_REPLY_TEXT|[A-Za-z_]$_REPLY_TEXT:$_REPLY_TEXT" ;;
      *:count) part='0|[1-9][0-9]{0,17}' ;;
      *:few) part='0|[1-9][0-9]{0,4}' ;;
      *:number) part='-?[0-9]{1,20}(\.[0-9]{1,20})?' ;;
      *:seconds) part='[1-9][0-9]{0,10}\.[0-9]{6}' ;;
      *:name) part='[A-Za-z0-9_.:@+-]{1,128}' ;;
      *:path) part="[./]$_REPLY_TEXT" ;;
      *:tuning) part="-|$_REPLY_TUNING" ;;
      *:phase) part='(populate|set|get|mixed|replay)(-[1-9][0-9]{0,4})?(\.[1-9][0-9]{0,4})?' ;;
      *:topology) part="#[ -~]{0,255}|([0-9]{1,5},){2}[0-9]{0,5},[0-9]{0,5}" ;;
      *) part=${part#*:} ;;
    esac
    all+="${all:+$'\t'}($part)"
  done
  REPLY=$all
}

# Whether a reply was cut at its limit. This is only called for an invalid reply.
# Usage: reply_longer HOST SCRIPT
# Globals: REMOTE_OUT REMOTE_LIMIT
# Returns: 0 with a line on stderr if it was.
reply_longer() {
  local size
  size=$(exec stat -c %s -- "$REMOTE_OUT" 2>/dev/null) || return
  ((size >= REMOTE_LIMIT)) || return 1
  printf '%s: %s: the reply is longer than %d MiB\n' "$1" "$2" $((REMOTE_LIMIT >> 20)) >&2
}
