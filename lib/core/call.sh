# SPDX-License-Identifier: MIT
# shellcheck shell=bash
# The only way to run a script on a host: lib/host/call.sh, here with bash, elsewhere with ssh (lib/core/remote.sh). Each call is a new shell.

# The output limit of a script, in KiB.
readonly _CALL_REPLY_KIB=$((16 << 10))
# The most that is used of its messages, in bytes and in lines: a line takes as much time as many bytes.
readonly _CALL_SAID=$((256 << 10)) _CALL_SAID_LINES=2000
# A script that the master does not wait for any more ends on its host after this time, in seconds.
readonly _CALL_LONGEST=7200
# shellcheck disable=SC2016 # expanded on the host
readonly _CALL_SHELL='[[ -e $0 ]] || exit 127; . "$0"'

CALL_LIB=$LIB             # the files of hosts: shared, host, tier and part
_CALL_FILES=              # the beginning of the names of a call's files; a process in the background has its own
REMOTE_OUT=               # the file with all of the output of the last call
declare -A _CALL_READS=() # by script and verb: the variables that it reads

# Run a script (_call_file) on a host; when it is done, print its checked output (lib/core/reply.sh). A lost connection is renewed for
# REMOTE_RETRY seconds, so a script must be repeatable. Settings, and secrets, which must not be arguments, are sent over stdin.
# Usage: call_run HOST SCRIPT [ARG]...
# Globals: REMOTE_RETRY; the names in the script's `# Reads` lines (call_settings)
# Returns: the script's exit status, and prints nothing unless that is 0; 255 if the host remained unreachable;
# REPLY_BAD with one line on stderr if the reply does not have its form.
call_run() {
  local REMOTE_FILE='' REMOTE_REPLY='' REMOTE_MARK REMOTE_LIMIT
  call_mark
  call_raw "$_CALL_REPLY_KIB" "$@" || return
  reply_print "$1" "$2" "${3--}"
}

# Run several scripts of a host in one call, one after the other, each in its own shell. The others run also if one fails.
# Usage: call_several HOST CALL...
#   CALL  SCRIPT [ARG]..., separated by tabs
# Globals: as call_run
# Returns: as call_run, but 0 also if scripts failed; sets CALL_STATUS, the status of each that ran, and CALL_OUT, the checked output of each that
# succeeded
call_several() {
  _call_scripts '' "$@"
}

# As call_several, but a script that fails is the last one that runs.
# Usage: call_chain HOST CALL...
call_chain() {
  _call_scripts .chain "$@"
}

# Usage: _call_scripts ''|.chain HOST CALL...
_call_scripts() {
  local host=$2 line text='' mark number=1 status=0 REPLY REMOTE_FILE='' REMOTE_REPLY='' REMOTE_MARK REMOTE_LIMIT
  local -a words word calls=("${@:3}") pieces
  CALL_OUT=() CALL_STATUS=()
  call_mark
  mark=$REMOTE_MARK
  call_split "$mark$1" "${calls[@]}"
  call_raw "$_CALL_REPLY_KIB" "$host" "${words[@]}" || return
  mapfile -d $'\001' -t pieces <<<"$REMOTE_REPLY"
  for line in "${pieces[@]}"; do
    if [[ $line != "$mark.$number.status "* ]] || ((number > ${#calls[@]})); then
      text+=$line
      continue
    fi
    status=${line%%$'\n'*} status=${status##* }
    [[ $status =~ ^(0|[1-9][0-9]?[0-9]?)$ ]] || status=$REPLY_BAD
    IFS=$'\t' read -r -a word <<<"${calls[number - 1]}"
    REMOTE_MARK=$mark.$number REMOTE_REPLY=$text text=${line#*$'\n'} REPLY=
    ((status != 0)) || reply_read "$host" "${word[0]}" "${word[1]--}" || status=$?
    CALL_STATUS+=("$status") CALL_OUT+=("$REPLY")
    number=$((number + 1))
  done
  ((number > ${#calls[@]})) || [[ -n $1 && $status != 0 ]] || {
    printf "%s: invalid reply to '%s': the reply is truncated\n" "$host" "${calls[number - 1]//$'\t'/ }" >&2
    return "$REPLY_BAD"
  }
}

# The arguments of several scripts in one call.
# Usage: call_split REMOTE_MARK[.chain] CALL...
# Returns: sets words of the caller
call_split() {
  local line
  local -a word
  words=()
  for line in "${@:2}"; do
    IFS=$'\t' read -r -a word <<<"$line"
    words+=("$REMOTE_MARK" "${word[@]}")
  done
  words[0]=$1
}

# Make the mark of a call.
# Returns: sets REMOTE_MARK
call_mark() {
  REMOTE_MARK=tierbench-reply-$RANDOM$RANDOM$RANDOM
}

# Run a script on a host and keep its output, unchecked: in the file REMOTE_FILE of the caller, or in REMOTE_REPLY if that is empty. The output is
# between the lines REMOTE_MARK and REMOTE_MARK.end, after any output of the login shell's start-up files. Only lib/core/reply.sh and
# lib/core/receive.sh use it. Several scripts are separated by REMOTE_MARK, which is before the first one, too; with REMOTE_MARK.chain there, a
# script that fails is the last one.
# Usage: call_raw MAX_KIB HOST [REMOTE_MARK[.chain]] SCRIPT [ARG]...
# Globals: REMOTE_FILE; REMOTE_MARK (call_mark); CALL_INPUT: a file that the script reads as its stdin; CALL_RETRY, in place of REMOTE_RETRY
# Returns: as call_run; sets REMOTE_REPLY and REMOTE_LIMIT (in bytes)
call_raw() {
  local status retry=${CALL_RETRY-$REMOTE_RETRY} host=$2 told='' pushed='' deadline why=${_CALL_FILES:-$_REMOTE_TMP/call.$BASHPID}.why
  deadline=$((SECONDS + retry))
  REMOTE_LIMIT=$(($1 << 10))
  shift 2
  # A host that was given up gets one attempt per call, without waiting.
  ! remote_gone "$host" || deadline=$SECONDS
  while :; do
    status=0
    _call_once "$host" "$@" || status=$?
    if ((status == 0)) || remote_is_local "$host"; then break; fi
    ! reply_longer "$host" "$1" || status=$REPLY_BAD
    # Our files may have been removed there. A script may have this status, too.
    if ((status == 127)) && [[ -z $pushed ]] && ! grep -qxF "$REMOTE_MARK" "$REMOTE_OUT" && remote_push "$host"; then
      pushed=yes
      continue
    fi
    if ((status != _REMOTE_LOST || SECONDS >= deadline)) || ! remote_was_open "$host"; then break; fi
    # A killed subshell needs no retry; `stop` has closed the connection that it used.
    proc_alive $$ "$_REMOTE_START" || break
    [[ -n $told ]] || log_warn "$host does not answer ($(remote_reason "$why")); trying again for $((deadline - SECONDS)) s"
    told=yes
    sleep 1 # interval of retries, not a wait for readiness
    remote_again "$host" 2>"$why" || :
  done
  # What ssh said, once, for whoever explains the failure.
  ((status == 0)) || [[ ! -s $why ]] || cat -- "$why" >&2
  if ((status != _REMOTE_LOST)); then
    [[ -z $told ]] || log_info "$host answers again"
    ! remote_gone "$host" || rm -f -- "$_REMOTE_TMP/gone.$host"
  elif ((retry > 0)); then
    remote_give_up "$host"
  fi
  return "$status"
}

# Make one attempt at a call. The shell waits for one process in the foreground, so a signal ends the script only when the call is over: what it
# does on the host must not run beside the cleanup.
# Usage: _call_once HOST SCRIPT [ARG]...
# Globals: as call_raw; why: the file for what ssh says
# Returns: the status of ssh or of the script; sets REMOTE_REPLY and REMOTE_OUT, the file with all of the output
_call_once() {
  local host=$1 status=0 text='' word said reader REPLY LC_ALL=C
  local -a words part=()
  REMOTE_OUT=${REMOTE_FILE:-${why%.why}.out}
  for word in "${@:2}" "$REMOTE_MARK"; do
    if [[ $word != "$REMOTE_MARK" && $word != "$REMOTE_MARK.chain" ]]; then
      part+=("$word")
    elif ((${#part[@]} > 0)); then
      call_settings "${part[@]}"
      text+=$REPLY part=()
    fi
  done
  printf -v REPLY '%s %d\n%s' "$REMOTE_MARK" "${#text}" "$text"
  call_words "$host" "${PARALLEL_LIMIT:-$_CALL_LONGEST}" "$REMOTE_MARK" "${@:2}"
  # On a full disk, the call fails, and parallel_run says why.
  { : >"$why"; } 2>/dev/null || :
  exec {said}> >(_call_said "$why")
  reader=$!
  # Without the shell's own words about a signal that ended the call.
  { (
    exec {LOG_FD}>&- {_REMOTE_FD}<&- {RUN_LOCK_FD}>&- >"$REMOTE_OUT" 2>&"$said" {said}>&-
    if ! remote_is_local "$host"; then
      ulimit -f $((REMOTE_LIMIT >> 10 > _CALL_REPLY_KIB ? REMOTE_LIMIT >> 10 : _CALL_REPLY_KIB))
    else
      # Without a limit, which instances would have, too.
      export RUN_OF_TIERBENCH=$RUN_ID
    fi
    [[ -n ${CALL_INPUT-} ]] || exec "${words[@]}" <<<"$REPLY"
    exec "${words[@]}" < <(printf '%s' "$REPLY" && exec cat -- "$CALL_INPUT")
  ) || status=$?; } 2>/dev/null
  exec {said}>&-
  # It ends when the script, and what that leaves running, has closed its stderr.
  wait "$reader" || :
  if [[ -z $REMOTE_FILE ]]; then
    # Its second element would begin after a NUL, which no reply has.
    { mapfile -d '' -n 1 part <"$REMOTE_OUT"; } 2>/dev/null || part=()
    REMOTE_REPLY=${part[0]-}
    ((${#REMOTE_REPLY} < REMOTE_LIMIT)) || REMOTE_REPLY=${REMOTE_REPLY:0:REMOTE_LIMIT}
  fi
  return "$status"
}

# The words that run scripts on a host.
# Usage: call_words HOST SECONDS MARK [MARK] SCRIPT [ARG]...
#   SECONDS  after which the host ends them
# Globals: RUN_ID, which the environment of a local call must have as RUN_OF_TIERBENCH
# Returns: sets words of the caller
call_words() {
  local host=$1 limit=$2 quoted REPLY
  shift 2
  if remote_is_local "$host"; then
    words=(bash --norc -c "$_CALL_SHELL" "$CALL_LIB/host/call.sh" "$@")
    return
  fi
  remote_folder "$host"
  printf -v quoted ' %q' "$REPLY/host/call.sh" "$@"
  remote_words "$host" "env -u POSIXLY_CORRECT RUN_OF_TIERBENCH=$RUN_ID timeout -k 5 $limit bash --norc -c '$_CALL_SHELL'$quoted"
}

# The variables that a script reads, as assignments: those of its lines `# Reads: NAME...` and, for the verb in the first argument, `# Reads VERB...:
# NAME...`; every script reads the run's. They must be set, also if they are empty.
# Usage: call_settings SCRIPT [ARG]...
# Returns: sets REPLY
call_settings() {
  local script=$1 verb=${2-} key=$1.${2-} name line
  local -a part reads=(REMOTE_DIR LOCK_DIR RUN_ID RUN_OWNER RUN_OPEN)
  if [[ -z ${_CALL_READS[$key]+set} ]]; then
    _call_file "$script"
    while IFS= read -r line && [[ -n $line ]]; do
      # The prefix first: to match each line takes longer.
      [[ $line == '# Reads'* && $line =~ ^'# Reads'(:|([a-z\ ]+):)\ (.*)$ ]] || continue
      [[ ${BASH_REMATCH[1]} == : || "${BASH_REMATCH[2]} " == *" $verb "* ]] || continue
      read -r -a part <<<"${BASH_REMATCH[3]}"
      reads+=("${part[@]}")
    done <"$REPLY"
    _CALL_READS[$key]=${reads[*]}
  fi
  REPLY=
  read -r -a reads <<<"${_CALL_READS[$key]}"
  for name in "${reads[@]}"; do
    [[ -v $name ]] || die "$script${verb:+ $verb}: reads $name, which is not set"
    printf -v line '%s=%q\n' "$name" "${!name}"
    REPLY+=$line
  done
}

# The file of a script: lib/host/SCRIPT.sh, or that of a part, lib/part/SCRIPT/host.sh.
# Usage: _call_file SCRIPT
# Returns: sets REPLY
_call_file() {
  REPLY=$CALL_LIB/host/$1.sh
  [[ -e $REPLY ]] || REPLY=$CALL_LIB/part/$1/host.sh
}

# Print what a host's script writes to stderr, line by line: without control characters, bounded, and without what start-up files of
# the login shell wrote before the mark. If there is no mark, FILE gets the text, which has ssh's reason; the caller prints it.
# The shell names a failure by its line in the script. With a full disk every write fails: what the script says of the file system at its end
# (workdir_left) replaces all of these messages. A file in a removed directory is named without the script's line.
# Usage: _call_said FILE <STDERR
_call_said() {
  local line lines=0 count=0 bytes=0 full='' named='' REPLY LC_ALL=C
  local -a before=()
  while IFS= read -r -n 4096 line || [[ -n $line ]]; do
    bytes=$((bytes + ${#line} + 1))
    if ((bytes > _CALL_SAID || ++count > _CALL_SAID_LINES)); then
      printf 'more messages than %d KiB or %d lines: the rest is left out\n' $((_CALL_SAID >> 10)) "$_CALL_SAID_LINES" >&2
      # Else the script could not write its output.
      cat >/dev/null
      break
    elif [[ $line == "$REMOTE_MARK"* ]]; then
      before=() lines=1
    else
      log_plain "$line"
      line=$REPLY
      if ((lines)); then
        if [[ $line =~ (^[a-z]|:\ line\ [0-9]+:\ ).*:\ (No space left on device|Disk quota exceeded|Read-only file system)$ ]]; then
          # Of the shell itself, or of a program.
          [[ $line != *': line '[0-9]* ]] || line="REMOTE_DIR=$REMOTE_DIR, TMPDIR or LOCK_DIR: cannot write: ${BASH_REMATCH[2]}"
          full=${full:-$line}
          continue
        elif [[ $line =~ :\ line\ [0-9]+:\ (.*):\ No\ such\ file\ or\ directory$ ]]; then
          line="cannot open ${BASH_REMATCH[1]}: No such file or directory (REMOTE_DIR: was it removed during the run?)"
        fi
        [[ $line != *': the file system '* ]] || named=yes
        # The line before a mark is empty.
        [[ -n $line ]] || continue
        printf '%s\n' "$line" >&2
      elif ((${#before[@]} < 200)); then
        before+=("$line")
      fi
    fi
  done
  [[ -z $full || -n $named ]] || printf '%s\n' "$full" >&2
  ((${#before[@]} == 0)) || { printf '%s\n' "${before[@]}" >"$1"; } 2>/dev/null || :
}

# Copy a file to a host, under a temporary name until it is complete. Another run may copy the same file at the same time, so each has its own name.
# Usage: call_put HOST FILE PATH
call_put() {
  local CALL_INPUT=$2 sum
  sum=$(sha256sum <"$2") || return
  call_run "$1" work put "$3" "${sum%% *}" || {
    printf '%s: %s could not be copied there\n' "$1" "$3" >&2
    return 1
  }
}

# Print the path of our directory on a host, making it.
# Usage: call_work HOST
call_work() {
  call_run "$1" work
}
