# SPDX-License-Identifier: MIT
# shellcheck shell=bash
# The only way to run a script on a host: here with bash, elsewhere with ssh. Nothing else in the project calls ssh.

# Exit status of ssh itself when the connection, not the command, failed.
readonly _REMOTE_LOST=255

_REMOTE_TMP=               # control sockets and buffers; private
_REMOTE_FD=                # open as long as this script runs, and locked
_REMOTE_START=             # when the script began: identifies the master, and not a later process with its pid
_REMOTE_ENDING=            # a signal came during the call of this subshell
declare -A _REMOTE_OPEN=() # hosts that answered once in this run
declare -A _REMOTE_LOCAL=()
_REMOTE_OURS= # the addresses of this machine

# The output limit of a script, in KiB.
readonly _REMOTE_REPLY_KIB=$((16 << 10))
# The most that is used of its messages, in bytes and in lines: a line takes as much time as many bytes.
readonly _REMOTE_SAID=$((256 << 10)) _REMOTE_SAID_LINES=2000
# The shell reads the whole script before it runs any of it, and in blocks: from a pipe it would read one byte at a time. The stdin that sshd provides
# may be a socket, which cannot be opened by name. A small system may lack /dev/stdin.
readonly _REMOTE_SHELL='. <(cat)' _REMOTE_SHELL_HERE='. /proc/self/fd/0'
# A script has none of our descriptors: a program that it leaves running would keep a channel open.
# shellcheck disable=SC2016 # expanded by the script's shell
readonly _REMOTE_ALONE='for _fd in /proc/self/fd/*; do _fd=${_fd##*/}; ((_fd < 3)) || exec {_fd}>&-; done; unset -v _fd; '
# Sent first to another host: a start-up file of the login shell that reads its stdin gets this instead of the script. A shell takes longer to skip
# more lines.
printf -v _REMOTE_PAD '%63s\n' ''
while ((${#_REMOTE_PAD} < 16384)); do _REMOTE_PAD+=$_REMOTE_PAD; done
readonly _REMOTE_PAD

# Make the private directory for control sockets; connections and directory are removed when the script ends. Directories of dead masters
# are removed now.
# Usage: remote_init
remote_init() {
  local full="TMPDIR=${TMPDIR:-/tmp}: cannot be written; free some space there, or set TMPDIR"
  # A control socket's path must stay under 108 bytes, so this is not under RESULTS_DIR.
  _REMOTE_TMP=$(mktemp -d "${TMPDIR:-/tmp}/tierbench-$$.XXXXXX" 2>/dev/null) || die "$full"
  cleanup_push remote_close
  proc_start $$
  _REMOTE_START=$PROC_START
  lock_owner "private-$$"
  { printf '%s\n' "$REPLY" >"$_REMOTE_TMP/owner"; } 2>/dev/null || die "$full"
  # The kernel releases the lock when this process ends, however it ends. No process that outlives it may inherit the descriptor.
  exec {_REMOTE_FD}<"$_REMOTE_TMP/owner"
  flock -n "$_REMOTE_FD"
  remote_sweep
}

# Close the connections of masters that were killed, and remove their private directories.
# Usage: remote_sweep
remote_sweep() {
  local folder
  for folder in "${TMPDIR:-/tmp}"/tierbench-*; do
    [[ -d $folder && ! -L $folder && -O $folder && $folder =~ /tierbench-[0-9]+\.[A-Za-z0-9]{6}$ ]] || continue
    _remote_abandoned "$folder" || continue
    _remote_end "$folder"
  done
}

# Close the connections in a private directory, whichever subshell made them, and remove it.
# Usage: _remote_end DIR
_remote_end() {
  local socket
  for socket in "$1"/*; do
    [[ ! -S $socket ]] || ssh -o "ControlPath=$socket" -O exit none 2>/dev/null || :
  done
  rm -rf -- "$1"
}

# Whether a private directory is known to belong to a dead master. A pid is meaningful only in its own pid namespace; in another, or after a
# reboot, the lock on the owner's line decides.
_remote_abandoned() {
  if ! owner_read "$1/owner"; then
    # A master may be killed just before it writes the line; after a day a missing line is certain.
    [[ -n $(find "$1" -maxdepth 0 -mmin +1440 2>/dev/null) ]]
  elif owner_here; then
    ! proc_alive "$OWNER_PID" "$OWNER_START"
  else
    flock -n "$1/owner" true 2>/dev/null
  fi
}

# Close every connection and remove the private directory.
# Usage: remote_close
remote_close() {
  channel_end
  _remote_end "$_REMOTE_TMP"
}

# Print the version of ssh.
# Usage: remote_version
remote_version() {
  ssh -V 2>&1
}

# Whether a host is this machine: loopback, an address of one of its interfaces, or a name for such addresses.
# Usage: remote_is_local HOST
remote_is_local() {
  local host=$1
  if [[ -z ${_REMOTE_LOCAL[$host]+set} ]]; then
    _REMOTE_LOCAL[$host]=no
    [[ -n $_REMOTE_OURS ]] || _REMOTE_OURS=" $(hostname -I 2>/dev/null) "
    if remote_is_loopback "$host" || [[ $_REMOTE_OURS == *" $host "* ]] || _remote_named "$host"; then
      _REMOTE_LOCAL[$host]=yes
    fi
  fi
  [[ ${_REMOTE_LOCAL[$host]} == yes ]]
}

# Whether a name resolves only to addresses of this machine, and ssh would connect to this machine with it. ssh may connect elsewhere, for example to
# a port that is forwarded to another machine.
# Usage: _remote_named NAME
# Globals: SSH_CONFIG HOST_PORT _REMOTE_OURS
_remote_named() {
  local name=$1 key value address found=1
  local -a config=()
  [[ $name == *[!0-9.]* && $name != *:* && ${HOST_PORT[$name]-22} == 22 ]] || return 1
  [[ -z ${SSH_CONFIG-} ]] || config=(-F "$SSH_CONFIG")
  while read -r key value; do
    case $key in
      hostname) name=$value ;;
      port) [[ $value == 22 ]] || return 1 ;;
      proxycommand | proxyjump) [[ $value == none ]] || return 1 ;;
    esac
  done < <(ssh -G "${config[@]}" -- "$name" 2>/dev/null)
  while read -r address _; do
    remote_is_loopback "$address" || [[ $_REMOTE_OURS == *" $address "* ]] || return 1
    found=0
  done < <(run_limited 10 getent ahosts "$name" 2>/dev/null)
  return "$found"
}

# Whether an address is reachable only from its own machine.
# Usage: remote_is_loopback ADDRESS
remote_is_loopback() {
  [[ $1 == 127.* || $1 == localhost || $1 == ::1 ]]
}

# Connect to hosts for the first time, in parallel, without retries; hosts that were already reached are skipped.
# Usage: remote_reach HOST...
# Returns: 1 if a host is unreachable; SIDE_OUT then has the reason, by host.
remote_reach() {
  local host failed=0
  local -a new=()
  # Checked here, so that the subshells need not check again.
  for host; do
    remote_is_local "$host" || :
    [[ -n ${_REMOTE_OPEN[$host]+set} ]] || new+=("$host")
  done
  side_run $((CONNECT_TIMEOUT + 30)) _remote_try "${new[@]}" || failed=1
  for host in "${new[@]}"; do
    ((${SIDE_STATUS[$host]})) || _REMOTE_OPEN[$host]=yes
  done
  return "$failed"
}

# As remote_open, with the reason on stdout, which side_run keeps. Usage: _remote_try HOST
_remote_try() {
  remote_open "$1" 2>&1
}

# Connect to a host for the first time, without retries.
# Usage: remote_open HOST
# Returns: 0, or 1 with the reason in one line on stderr.
remote_open() {
  local host=$1 errors=$_REMOTE_TMP/open.err.$BASHPID
  if ! remote_is_local "$host" && ! _remote_connect "$host" "$errors"; then
    printf '%s: %s\n' "$host" "$(remote_reason "$errors")" >&2
    return 1
  fi
  _REMOTE_OPEN[$host]=yes
}

# Renew the connection to a host, once.
# Usage: remote_again HOST
# Returns: 1 with what ssh says on stderr.
remote_again() {
  _remote_ssh "$1" -O exit 2>/dev/null || :
  _remote_connect "$1" /dev/stderr
}

# Make the connection that all calls to a host share. The calls do not make it, because it would keep their stderr open.
# Usage: _remote_connect HOST ERRORS
_remote_connect() {
  # A killed subshell would leave a connection that is never closed.
  proc_alive $$ "$_REMOTE_START" || return
  _REMOTE_SHARE=auto _remote_ssh "$1" true </dev/null >/dev/null 2>"$2"
}

# Run lib/host/SCRIPT.sh on a host; when it is done, print its checked output (lib/core/reply.sh). A lost connection is renewed for
# REMOTE_RETRY seconds, so a script must be repeatable. Settings, and secrets, which must not be arguments, are sent in front of the script.
# Usage: remote_run HOST SCRIPT [ARG]...
# Globals: REMOTE_RETRY; the names in the script's `# Reads` lines (script_make)
# Returns: the script's exit status, and prints nothing unless that is 0; 255 if the host remained unreachable;
# REPLY_BAD with one line on stderr if the reply does not have its form.
remote_run() {
  # A signal ends the script only when the call is over: what it does on the host must not run beside the cleanup. A shell that reads the reply
  # takes signals at once, so that is a subshell. A signal for the whole group lets it end with its call.
  if ((BASHPID == $$)); then (trap '_REMOTE_ENDING=yes' INT TERM HUP && _remote_run "$@"); else _remote_run "$@"; fi
}

# As remote_run, without its protection from signals. Usage: _remote_run HOST SCRIPT [ARG]...
_remote_run() {
  local REMOTE_FILE='' REMOTE_REPLY='' REMOTE_MARK REMOTE_LIMIT
  remote_raw "$_REMOTE_REPLY_KIB" "$@" || return
  reply_print "$1" "$2" "${3--}"
}

# Run a script on a host and keep its output, unchecked: in the file REMOTE_FILE of the caller, or in REMOTE_REPLY if that is empty. The output is
# between the lines REMOTE_MARK and REMOTE_MARK.end, after any output of the login shell's start-up files. Only lib/core/reply.sh and
# lib/core/receive.sh use it.
# Usage: remote_raw MAX_KIB HOST SCRIPT [ARG]...
# Globals: REMOTE_FILE
# Returns: as remote_run; sets REMOTE_REPLY, REMOTE_MARK and REMOTE_LIMIT (in bytes)
remote_raw() {
  local status deadline=$((SECONDS + REMOTE_RETRY)) host=$2 script=$3 why=$_REMOTE_TMP/lost.$BASHPID told=
  REMOTE_LIMIT=$(($1 << 10))
  shift 3
  # A host that was given up gets one attempt per call, without waiting.
  ! remote_gone "$host" || deadline=$SECONDS
  REMOTE_MARK=tierbench-reply-$RANDOM$RANDOM$RANDOM
  while :; do
    status=0
    if ! channel_run "$host" "$script" "$@"; then
      if remote_is_local "$host"; then
        _remote_here "$script" "$@" || status=$?
        break
      fi
      _remote_there "$host" "$script" "$@" || status=$?
    fi
    ((status)) || break
    ! remote_longer "$host" "$script" || status=$REPLY_BAD
    if ((status != _REMOTE_LOST || SECONDS >= deadline)) || [[ -z ${_REMOTE_OPEN[$host]+set} ]]; then break; fi
    [[ -z $_REMOTE_ENDING ]] || break
    # A killed subshell needs no retry; `stop` has closed the connection that it used.
    proc_alive $$ "$_REMOTE_START" || break
    [[ -n $told ]] || log_warn "$host does not answer ($(remote_reason "$why")); trying again for $((deadline - SECONDS)) s"
    told=yes
    sleep 1 # interval of retries, not a wait for readiness
    remote_again "$host" 2>"$why" || :
  done
  # What ssh said, once, for whoever explains the failure.
  if [[ -e $why ]]; then
    ((status == 0)) || cat -- "$why" >&2
    rm -f -- "$why"
  fi
  if ((status != _REMOTE_LOST)); then
    [[ -z $told ]] || log_info "$host answers again"
    ! remote_gone "$host" || rm -f -- "$_REMOTE_TMP/gone.$host"
  elif ((REMOTE_RETRY > 0)); then
    remote_give_up "$host"
  fi
  return "$status"
}

# Record that a host did not answer for REMOTE_RETRY seconds: no further call waits for it. The record is a file, because all of our
# subshells read it.
# Usage: remote_give_up HOST
remote_give_up() {
  : >"$_REMOTE_TMP/gone.$1"
}

# Whether a host was given up.
# Usage: remote_gone HOST
remote_gone() {
  [[ -e $_REMOTE_TMP/gone.$1 ]]
}

# Whether a reply was cut at its limit. This is only called for an invalid reply.
# Usage: remote_longer HOST SCRIPT
# Globals: REMOTE_FILE REMOTE_REPLY REMOTE_LIMIT
# Returns: 0 with a line on stderr if it was.
remote_longer() {
  local size LC_ALL=C
  if [[ -n $REMOTE_FILE ]]; then size=$(stat -c %s "$REMOTE_FILE"); else size=${#REMOTE_REPLY}; fi
  ((size >= REMOTE_LIMIT)) || return 1
  printf '%s: %s: the reply is longer than %d MiB\n' "$1" "$2" $((REMOTE_LIMIT >> 20)) >&2
}

# Run a script here.
# Usage: _remote_here SCRIPT [ARG]...
_remote_here() {
  script_make "$@"
  _remote_call "$REPLY" env "RUN_OF_TIERBENCH=$RUN_ID" bash -c "$_REMOTE_ALONE$_REMOTE_SHELL_HERE" bash "${@:2}"
}

# Run a script on another host.
# Usage: _remote_there HOST SCRIPT [ARG]...
_remote_there() {
  local command="env -u POSIXLY_CORRECT RUN_OF_TIERBENCH=$RUN_ID bash --norc -c '$_REMOTE_SHELL' bash" quoted='' bounded=yes
  local -a options
  # Both functions set REPLY, and the script is needed last.
  _remote_options "$1"
  script_make "${@:2}"
  (($# == 2)) || printf -v quoted ' %q' "${@:3}"
  _remote_call "$_REMOTE_PAD$REPLY" ssh "${options[@]}" "$1" "$command$quoted"
}

# Run a program that gets a text as its stdin, and keep its output.
# Usage: _remote_call TEXT WORD...
# Globals: why of remote_raw; as _remote_keep
# Returns: the program's status; 1 if its output cannot be kept
_remote_call() {
  local -a status=(0)
  local said reader
  # A redirection of the pipeline to the process would leave the descriptor that names it open in the program, and in what that leaves running.
  exec {said}> >(_remote_said "$why")
  reader=$!
  # The output is read here, by the last command of the pipeline.
  shopt -s lastpipe
  # The exit status reports a shell that ends early; a message about the broken pipe is redundant.
  printf '%s' "$1" 2>/dev/null | "${@:2}" 2>&"$said" {said}>&- {LOG_FD}>&- {_REMOTE_FD}<&- {HOLD_FD}>&- | _remote_keep || status=("${PIPESTATUS[@]:1}")
  shopt -u lastpipe
  exec {said}>&-
  # The process ends when the program has closed its stderr.
  wait "$reader" || :
  ((status[0] != 0 || ${status[1]-0} == 0)) || return 1
  return "${status[0]}"
}

# Keep stdin up to the limit, in REMOTE_FILE or in REMOTE_REPLY, which has no NUL.
# Globals: REMOTE_FILE REMOTE_LIMIT; bounded: not empty if another host sends it
# Returns: sets REMOTE_REPLY; 1 if the file cannot be written
_remote_keep() {
  if [[ -n $REMOTE_FILE ]]; then
    head -c "$REMOTE_LIMIT" >"$REMOTE_FILE"
  elif [[ -n ${bounded-} ]]; then
    # read drops NULs and does not count them: a reply of them would have no end.
    LC_ALL=C IFS= read -r -d '' -N "$REMOTE_LIMIT" REMOTE_REPLY < <(exec tr '\0' '\001') || :
  else
    # -N reads blocks; its status is 1 at the end of the output.
    LC_ALL=C IFS= read -r -d '' -N "$REMOTE_LIMIT" REMOTE_REPLY || :
  fi
}

# Print what a host's script writes to stderr, line by line: without control characters, bounded, and without what start-up files of
# the login shell wrote before the mark. If there is no mark, FILE gets the text, which has ssh's reason; the caller prints it.
# The shell names a failure by its line in the script. With a full disk every write fails: what the script says of the file system at its end
# (workdir_left) replaces all of these messages. A file in a removed directory is named without the script's line.
# Usage: _remote_said FILE <STDERR
_remote_said() {
  local line lines=0 count=0 bytes=0 full='' named='' REPLY LC_ALL=C
  local -a before=()
  while IFS= read -r -n 4096 line || [[ -n $line ]]; do
    bytes=$((bytes + ${#line} + 1))
    if ((bytes > _REMOTE_SAID || ++count > _REMOTE_SAID_LINES)); then
      printf 'more messages than %d KiB or %d lines: the rest is left out\n' $((_REMOTE_SAID >> 10)) "$_REMOTE_SAID_LINES" >&2
      # Else the program could not write its output.
      cat >/dev/null
      break
    elif [[ $line == "$REMOTE_MARK" ]]; then
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
        elif [[ $line =~ :\ line\ [0-9]+:\ (/.*):\ No\ such\ file\ or\ directory$ ]]; then
          line="cannot open ${BASH_REMATCH[1]}: No such file or directory (REMOTE_DIR: was it removed during the run?)"
        fi
        [[ $line != *': the file system '* ]] || named=yes
        lines=$((lines + 1))
        printf '%s\n' "$line" >&2
      elif ((${#before[@]} < 200)); then
        before+=("$line")
      fi
    fi
  done
  [[ -z $full || -n $named ]] || printf '%s\n' "$full" >&2
  ((${#before[@]} == 0)) || printf '%s\n' "${before[@]}" >"$1"
}

# Copy a file to a host, under a temporary name until it is complete. Another run may copy the same file at the same time, so each has its own name.
# Usage: remote_put HOST FILE PATH
remote_put() {
  local host=$1 file=$2 path=$3 command mark=tierbench-put-$RANDOM$RANDOM sum
  sum=$(sha256sum <"$file") || return
  # Start-up files of the login shell that read stdin get the text before the mark.
  # shellcheck disable=SC2016 # expanded on the host
  command='while IFS= read -r line; do [[ $line != "$1" ]] || break; done
    new=$2.new.$$
    trap "rm -f -- \"\$new\"" EXIT
    umask 077 && cat >"$new" && [[ $(sha256sum <"$new") == "$3" ]] && mv -f -- "$new" "$2"'
  if remote_is_local "$host"; then
    { printf '%s\n' "$mark" && cat -- "$file"; } | bash -c "$command" bash "$mark" "$path" "$sum"
  else
    { printf '%s%s\n' "$_REMOTE_PAD" "$mark" && cat -- "$file"; } 2>/dev/null |
      _remote_ssh "$host" "bash --norc -c $(printf '%q ' "$command" bash "$mark" "$path" "$sum")" 2>&1 >/dev/null | log_filter >&2
  fi || {
    printf '%s: %s could not be copied there\n' "$host" "$path" >&2
    return 1
  }
}

# Print the path of our directory on a host, making it.
# Usage: remote_work HOST
remote_work() {
  remote_run "$1" work
}

# Run a command on a host with ssh, or control the connection to it.
# Usage: _remote_ssh HOST [-O CONTROL_COMMAND] [WORD]...
_remote_ssh() {
  local host=$1
  local -a options
  _remote_options "$host"
  shift
  if [[ ${1-} == -O ]]; then
    options+=(-O "$2")
    shift 2
  fi
  # shellcheck disable=SC2029 # the words were quoted for the host on purpose
  ssh "${options[@]}" "$host" "$@" {LOG_FD}>&- {_REMOTE_FD}<&- {HOLD_FD}>&-
}

# Become ssh with a command for a host.
# Usage: remote_exec HOST COMMAND
remote_exec() {
  local -a options
  _remote_options "$1"
  exec ssh "${options[@]}" "$1" "$2" {HOLD_FD}>&-
}

# The options of ssh for a host.
# Returns: sets options of the caller
_remote_options() {
  local host=$1
  _remote_socket "$host"
  # Forwarding options of the user's ssh_config are off: a host gets no agent, no port and no display of the master.
  options=(-o BatchMode=yes -o StrictHostKeyChecking=yes -o "ConnectTimeout=$CONNECT_TIMEOUT"
    -o ServerAliveInterval=5 -o ServerAliveCountMax=3
    -o ForwardAgent=no -o ForwardX11=no -o ClearAllForwardings=yes -o GSSAPIDelegateCredentials=no -o Tunnel=no
    -o PermitLocalCommand=no -o RemoteCommand=none -o RequestTTY=no -o EscapeChar=none
    -o "ControlMaster=${_REMOTE_SHARE-no}" -o "ControlPath=$_REMOTE_TMP/$REPLY" -o ControlPersist=60)
  [[ -z $SSH_CONFIG ]] || options+=(-F "$SSH_CONFIG")
  [[ -z ${HOST_USER[$host]+set} ]] || options+=(-l "${HOST_USER[$host]}")
  [[ -z ${HOST_PORT[$host]+set} ]] || options+=(-p "${HOST_PORT[$host]}")
  [[ -z ${HOST_KEY[$host]+set} ]] || options+=(-i "${HOST_KEY[$host]}" -o IdentitiesOnly=yes)
}

# Name a host's control socket: 16 hex digits (FNV-1a, 64 bit). ssh's %C has 40 digits, with which the path can exceed 107 bytes.
# Returns: sets REPLY
_remote_socket() {
  local text=$1 hash=0xcbf29ce484222325 index byte
  for ((index = 0; index < ${#text}; index++)); do
    printf -v byte '%d' "'${text:index:1}"
    hash=$(((hash ^ byte) * 0x100000001b3))
  done
  printf -v REPLY '%016x' "$hash"
}

# Explain an error of ssh in a few words.
# Usage: remote_reason FILE
remote_reason() {
  local file=$1
  [[ -e $file ]] || : >"$file"
  case $(<"$file") in
    *'Host key verification failed'* | *'host key is known'*) echo "its host key is unknown or has changed: check it, then add it to known_hosts" ;;
    *'Permission denied'*) echo "ssh key refused: add the master's public key to its authorized_keys" ;;
    *'Could not resolve'*) echo "the name does not resolve" ;;
    *'Connection refused'*) echo "nothing answers on its ssh port" ;;
    *'timed out'* | *'No route'* | *'unreachable'*) echo "unreachable" ;;
    *) echo "ssh: $(tail -n 1 "$file" | LC_ALL=C tr -d '\001-\037\177-\377')" ;;
  esac
}
