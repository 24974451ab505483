# SPDX-License-Identifier: MIT
# shellcheck shell=bash
# Settings of a file from another person that name a program, a file or a user: they are shown and asked for, or refused (docs/security.md).

# By file that is not of this installation: its text, and its lines NAME=VALUE of such settings.
declare -A _TRUST_TEXT=() _TRUST_LINES=()
TRUST_GIVEN= # yes after --trust

# Note the text of a file of settings, unless it belongs to this installation or is in a directory of TIERBENCH_PATH.
# Usage: trust_file FILE TEXT
trust_file() {
  [[ $1 -ef $ROOT/do_it.sh ]] || named_has "$1" || _TRUST_TEXT[$1]=$2
}

# Note the users and keys in the hosts file of a run. Another hosts file is the user's own.
# Usage: trust_hosts FILE LINES
trust_hosts() {
  local REPLY
  { [[ $1 == */* && -e ${1%/*}/run.conf && -n $2 ]] && file_read "$1"; } || return 0
  _TRUST_TEXT[$1]=$REPLY
  _TRUST_LINES[$1]=$2
}

# Note a setting that a file sets, which names a program, a file or a user.
# Usage: trust_note FILE NAME=VALUE
trust_note() {
  [[ -z ${_TRUST_TEXT[$1]+set} || $'\n'${_TRUST_LINES[$1]-} == *$'\n'"$2"$'\n'* ]] || _TRUST_LINES[$1]+=$2$'\n'
}

# Ask for the noted settings. Who accepts them once is not asked about the same text again.
# Usage: trust_ask
# Globals: TRUST_GIVEN
# Returns: exits 2 if they are refused
trust_ask() {
  local file lines shown answer sum
  for file in "${!_TRUST_LINES[@]}"; do
    lines=${_TRUST_LINES[$file]}
    if [[ -z $lines ]] || _trust_known "${_TRUST_TEXT[$file]}"; then continue; fi
    if [[ -z $TRUST_GIVEN ]]; then
      shown=${lines%$'\n'}
      shown=${shown//$'\n'/, }
      [[ -t 0 && -t 2 ]] ||
        die_usage "$file: $shown: a program, a file or a user of a file that none of your runs wrote; read the file, then add --trust"
      printf '%s: none of your runs here wrote this file, and it names programs, files or users:\n' "$file" | stored_plain >&2
      printf '%s' "$lines" | sed 's/^/  /' | stored_plain >&2
      read -r -p 'Use these settings? [y/N] ' answer || :
      [[ $answer == [yY] || $answer == [yY]es ]] || die_usage "$file: the settings were not accepted; read the file, then add --trust"
    fi
    _trust_keep "${_TRUST_TEXT[$file]}"
  done
}

# Record files that this run wrote as own files.
# Usage: trust_record FILE...
trust_record() {
  local file REPLY
  for file; do ! file_read "$file" || _trust_keep "$REPLY"; done
}

# The list of the files of settings that this user's runs wrote, or the user accepted: the checksums of their texts. It is not among the results, which
# others may hand over, and a text is known wherever it is.
# Returns: sets REPLY
_trust_list() {
  REPLY=${XDG_STATE_HOME:-$HOME/.local/state}/tierbench/settings
}

# Whether a text is in the list.
# Usage: _trust_known TEXT
# Returns: sets sum of the caller, its checksum
_trust_known() {
  local REPLY
  sum=$(printf '%s' "$1" | sha256sum) || return
  _trust_list
  # Another user's list is not ours.
  [[ -f $REPLY && ! -L $REPLY && -O $REPLY ]] && grep -qxF -- "${sum%% *}" "$REPLY"
}

# Put a text into the list. Without a home that can be written to, the user is asked again.
# Usage: _trust_keep TEXT
_trust_keep() {
  local sum REPLY
  ! _trust_known "$1" || return 0
  _trust_list
  { (umask 077 && mkdir -p -- "${REPLY%/*}" && printf '%s\n' "${sum%% *}" >>"$REPLY"); } 2>/dev/null || :
}
