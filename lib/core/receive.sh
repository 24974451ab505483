# SPDX-License-Identifier: MIT
# shellcheck shell=bash
# The only function that receives files from hosts: regular files with requested names and limited size, checked, then moved into place.
# A host does not send an archive, which could contain links, devices, owners and paths. It sends a line SIZE, SHA256, NAME for each file, an
# empty line, and the bytes of the files in that order (files_send in lib/shared/files.sh); the files are made here.

# Up to this size a text is copied without a process.
readonly _RECEIVE_SMALL=$((64 << 10))
# The status of _receive_stream when it has to be called with exact=yes, because a file is not a text.
readonly _RECEIVE_BINARY=4

# Run a script that sends files, and put them into a directory, with our owner and mode 0644.
# Usage: receive_files DIR HOST SCRIPT [VERB [PART]]
#   DIR exists, and is not a link
# Returns: the script's exit status; REPLY_BAD with one line on stderr if a file is invalid: then no file is kept.
receive_files() {
  local folder=$1 new=$1/.receive.$BASHPID-$RANDOM limit files patterns REMOTE_FILE=$_REMOTE_TMP/out.$BASHPID REMOTE_REPLY='' REMOTE_MARK REMOTE_LIMIT status=0 host=$2 call=${*:3}
  shift
  _receive_kind "$call"
  if [[ ! -d $folder || -L $folder ]]; then
    printf '%s: is not a directory: no file is received\n' "$folder" >&2
    return 1
  fi
  call_mark
  # This includes the lines before the files.
  call_raw $((limit + 1024)) "$@" || status=$?
  if ((status == 0)); then
    (umask 022 && _receive_stream "$folder" <"$REMOTE_FILE") || status=$?
    if ((status == _RECEIVE_BINARY)); then
      status=0
      (umask 022 && exact=yes _receive_stream "$folder" <"$REMOTE_FILE") || status=$?
    fi
  fi
  rm -rf -- "$REMOTE_FILE" "$new"
  return "$status"
}

# Run several scripts that send files in one call, and put the files of each into a directory, as receive_files does.
# Usage: receive_several HOST (DIR CALL)...
#   CALL  SCRIPT [VERB [PART]], separated by tabs
# Returns: as call_several: sets CALL_STATUS, the status of each script, or of its files
receive_several() {
  local host=$1 limit files patterns most=1024 status=0 mark REMOTE_FILE=$_REMOTE_TMP/out.$BASHPID REMOTE_REPLY='' REMOTE_MARK REMOTE_LIMIT
  local -a words folders=() calls=() news=()
  shift
  CALL_STATUS=()
  while (($# > 0)); do
    _receive_kind "${2//$'\t'/ }"
    most=$((most + limit)) folders+=("$1") calls+=("$2")
    shift 2
  done
  call_mark
  mark=$REMOTE_MARK
  call_split "$mark" "${calls[@]}"
  call_raw "$most" "$host" "${words[@]}" || status=$?
  if ((status == 0)); then
    # A script that failed may have sent a part of its files.
    mapfile -t CALL_STATUS < <(LC_ALL=C exec sed -nE $'s/^.*\001'"$mark"'\.[0-9]+\.status (0|[1-9][0-9]{0,2})$/\1/p' "$REMOTE_FILE")
    _receive_all 0 <"$REMOTE_FILE"
  fi
  rm -rf -- "$REMOTE_FILE" "${news[@]}"
  return "$status"
}

# Take the files of several scripts, from the script with index FIRST on.
# Usage: _receive_all FIRST <STREAM
# Globals: host, mark, folders and calls of receive_several; exact, see _receive_copy
# Returns: sets CALL_STATUS, and adds to news of receive_several the directories to remove
_receive_all() {
  local i new call limit files patterns before=1000000000
  for ((i = $1; i < ${#calls[@]}; i++)); do
    [[ ${CALL_STATUS[i]-0} == 0 ]] || continue
    call=${calls[i]//$'\t'/ } REMOTE_MARK=$mark.$((i + 1)) new=${folders[i]}/.receive.$BASHPID-$RANDOM CALL_STATUS[i]=0
    _receive_kind "$call"
    (umask 022 && _receive_stream "${folders[i]}") || CALL_STATUS[i]=$?
    news+=("$new")
    ((CALL_STATUS[i] == _RECEIVE_BINARY)) || continue
    CALL_STATUS[i]=0
    exact=yes _receive_all "$i" <"$REMOTE_FILE"
    return
  done
}

# Limits of each call: KiB, number of files, and their names as patterns of case.
# Returns: sets limit, files and patterns of the caller
_receive_kind() {
  local REPLY
  case $1 in
    'client fetch') limit=$((4 << 20)) files=10000 patterns='result.tsv*|steps.tsv|track.tsv|histogram-*|stdout|stderr|populate.*|set.*|get.*|mixed.*|replay.*|populate-*|set-*|get-*|mixed-*|replay-*' ;;
    'server logs') limit=$((1 << 20)) files=10000 patterns='redis-*.log|info.after' ;;
    'monitor fetch') limit=$((1 << 20)) files=100 patterns='*.tsv|marks|mark-*|alarm|monitor.err|info.before' ;;
    sysinfo) limit=$((64 << 10)) files=200 patterns='*.txt|*.tsv|setup.log' ;;
    'parts fetch '*)
      parts_row "${1##* }" files || die "receive_files: $1 sends no files"
      IFS=$'\t' read -r limit files patterns _ <<<"$REPLY"
      ;;
    *) die "receive_files: $1 sends no files" ;;
  esac
}

# Write the files of a stream to a directory next to the target, and move them to the target if all are valid.
# Usage: _receive_stream DIR <STREAM
# Globals: the variables that receive_files has set, with the directory `new`, which it removes; exact, see _receive_copy; before, how many lines may be
#   in front of REMOTE_MARK
# Returns: 1, REPLY_BAD, or _RECEIVE_BINARY
_receive_stream() {
  local folder=$1 line size sum name total=0 index
  local -a sizes=() names=() sums=()
  local -A seen=()
  # Start-up files of the login shell may print, within a limit.
  for ((index = 0; index < ${before-10000}; index++)); do
    IFS= read -r -n 4096 line || break
    [[ $line != "$REMOTE_MARK" ]] || break
  done
  [[ $line == "$REMOTE_MARK" ]] ||
    { _receive_refuse "no reply: the login shell did not run the script; check its start-up files (~/.bashrc) there" || return; }
  while IFS= read -r -n 4096 line || { _receive_cut "the list of files is truncated" || return; }; do
    [[ -n $line ]] || break
    [[ $line =~ ^(0|[1-9][0-9]*)$'\t'([0-9a-f]+)$'\t'(.*)$ && ${#BASH_REMATCH[1]} -le 13 && ${#BASH_REMATCH[2]} -eq 64 ]] ||
      { _receive_refuse "the list of files has the line '$line'" || return; }
    size=${BASH_REMATCH[1]} sum=${BASH_REMATCH[2]} name=${BASH_REMATCH[3]}
    _receive_wanted "$name" || { _receive_refuse "the file '$name' was not asked for" || return; }
    [[ -z ${seen[$name]+set} ]] || { _receive_refuse "the file '$name' comes twice" || return; }
    seen[$name]=1
    sizes+=("$size") names+=("$name") sums+=("$sum  $name")
    total=$((total + size))
    ((${#names[@]} <= files && total >> 10 <= limit)) || { _receive_refuse "more than $files files, or $((limit >> 10)) MiB" || return; }
  done
  # No other user can enter it, with any modes of the files.
  ((${#names[@]} == 0)) || [[ -d $new ]] || mkdir -m 700 -- "$new" 2>/dev/null || write_failed "$folder" || return
  for index in "${!names[@]}"; do _receive_copy "${sizes[index]}" "$new/${names[index]}" 2>/dev/null || _receive_short "$?" || return; done
  # A script that failed has not written the end mark.
  { IFS= read -r -n 4096 line && [[ -z $line ]] && IFS= read -r -n 4096 line; } || line=
  [[ $line == "$REMOTE_MARK.end" ]] || { _receive_cut "the files are truncated" || return; }
  printf -v line '%s\n' "${sums[@]}"
  ((${#names[@]} > 0)) || return 0
  (cd -- "$new" && exec sha256sum -c - >/dev/null 2>&1 <<<"${line%$'\n'}") || { _receive_refuse "a file is not what its checksum says" || return; }
  # rename(2) replaces a link, and does not follow it.
  mv -f -t "$folder" -- "$new"/* 2>/dev/null || write_failed "$folder"
}

# Copy the next bytes of stdin, which can be read again from any position, to a new file.
# Usage: _receive_copy BYTES FILE
# Globals: exact: not empty when the bytes may be other than a text
# Returns: _RECEIVE_BINARY if they are not a text, or are fewer
_receive_copy() {
  local text='' LC_ALL=C
  if [[ -n ${exact-} ]] || (($1 > _RECEIVE_SMALL)); then
    head -c "$1" >"$2"
    return
  fi
  # It ends at a NUL. A length of 0 would be no limit.
  (($1 == 0)) || IFS= read -r -d '' -n "$1" text || :
  ((${#text} == $1)) || return "$_RECEIVE_BINARY"
  printf '%s' "$text" >"$2"
}

# Say that a file could not be written, unless it has to be copied in another way.
# Usage: _receive_short STATUS
# Returns: STATUS
_receive_short() {
  (($1 == _RECEIVE_BINARY)) || write_failed "$folder" || :
  return "$1"
}

# Whether a name is plain and was requested.
_receive_wanted() {
  # shellcheck disable=SC2053 # patterns
  files_plain "$1" && [[ $1 == @($patterns) ]]
}

# Print why the files of a host are refused, without control characters, on stderr.
# Usage: _receive_refuse WHY
# Returns: REPLY_BAD
_receive_refuse() {
  printf "%s: invalid files from '%s': %s\n" "$host" "$call" "$(LC_ALL=C tr -c '[:print:]' '?' <<<"${1:0:300}" | sed 's/?$//')" >&2
  return "$REPLY_BAD"
}

# Refuse a stream that ends early, perhaps at its limit.
# Usage: _receive_cut WHY
# Returns: REPLY_BAD
_receive_cut() {
  ! reply_longer "$host" "$call" || return "$REPLY_BAD"
  _receive_refuse "$1"
}
