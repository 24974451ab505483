# SPDX-License-Identifier: MIT
# shellcheck shell=bash
# The only way to run a script on a host: here with bash, elsewhere with ssh. Nothing else in the project calls ssh.

# Exit status of ssh itself when the connection, not the command, failed.
readonly _REMOTE_LOST=255

_REMOTE_TMP=               # control sockets and buffers; private
_REMOTE_FD=                # open as long as this script runs, and locked
_REMOTE_START=             # when the script began: identifies the master, and not a later process with its pid
declare -A _REMOTE_OPEN=() # hosts that answered once in this run
declare -A _REMOTE_LOCAL=()
declare -A _REMOTE_CONFIG=() # by host: what ssh reads in its configuration
declare -A _REMOTE_WAIT=()   # by host: the seconds to wait for a connection
_REMOTE_OURS=                # the addresses of this machine
_REMOTE_NAME=                # the name of our files on a host, by their checksum

# Runs what comes on stdin: a line MARK BYTES, and a text with that number of bytes. Start-up files of the login shell may read stdin instead.
# shellcheck disable=SC2016 # expanded on the host
readonly _REMOTE_PUSH='IFS=" " read -r line size && [[ $line == "$1" ]] || exit 126; IFS= read -r -d "" -N "$size" text && eval "$text"'

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
  _remote_gather || die "$full"
  _CALL_FILES=$_REMOTE_TMP/call
  reply_forms "$LIB/core/replies.tsv" "$ROOT/conf/tuning.tsv"
  remote_sweep
}

# Copy the files of hosts into one directory, if TIERBENCH_PATH has some of them.
# Returns: sets CALL_LIB; 1 if they cannot be copied
_remote_gather() {
  local path kind
  ((${#NAMED_CODE[@]} > 0)) || return 0
  CALL_LIB=$_REMOTE_TMP/lib
  mkdir -- "$CALL_LIB" && cp -r -- "$LIB"/{shared,host,tier,part} "$CALL_LIB" || return
  for path in "${NAMED_CODE[@]}"; do
    kind=${path%/*}
    cp -rL -- "$path" "$CALL_LIB/${kind##*/}" || return
  done
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
  local name=$1 key value address found=1 REPLY
  [[ $name == *[!0-9.]* && $name != *:* && ${HOST_PORT[$name]-22} == 22 ]] || return 1
  _remote_config "$name"
  while read -r key value; do
    case $key in
      hostname) name=$value ;;
      port) [[ $value == 22 ]] || return 1 ;;
      proxycommand | proxyjump) [[ $value == none ]] || return 1 ;;
    esac
  done <<<"$REPLY"
  while read -r address _; do
    remote_is_loopback "$address" || [[ $_REMOTE_OURS == *" $address "* ]] || return 1
    found=0
  done < <(run_limited 10 getent ahosts "$name" 2>/dev/null)
  return "$found"
}

# The configuration of ssh for a host, which ssh reads once.
# Usage: _remote_config HOST
# Globals: SSH_CONFIG
# Returns: sets REPLY; empty if ssh refuses its configuration
_remote_config() {
  local -a config=()
  [[ -z ${SSH_CONFIG-} ]] || config=(-F "$SSH_CONFIG")
  [[ -n ${_REMOTE_CONFIG[$1]+set} ]] || _REMOTE_CONFIG[$1]=$(ssh -G "${config[@]}" -- "$1" 2>/dev/null) || :
  REPLY=${_REMOTE_CONFIG[$1]}
}

# The seconds to wait for a connection: as in the configuration of ssh, which an option would override, and 10 without a number there.
# Usage: _remote_wait HOST
# Returns: sets _REMOTE_WAIT
_remote_wait() {
  local key value REPLY
  [[ -z ${_REMOTE_WAIT[$1]-} ]] || return 0
  _REMOTE_WAIT[$1]=10
  _remote_config "$1"
  while read -r key value; do
    [[ ! $key:$value =~ ^connecttimeout:[1-9][0-9]{0,4}$ ]] || _REMOTE_WAIT[$1]=$value
  done <<<"$REPLY"
}

# Whether an address is reachable only from its own machine.
# Usage: remote_is_loopback ADDRESS
remote_is_loopback() {
  [[ $1 == 127.* || $1 == localhost || $1 == ::1 ]]
}

# Connect to hosts for the first time, in parallel, without retries; hosts that were already reached are skipped.
# Usage: remote_reach HOST...
# Returns: 1 if a host is unreachable; PARALLEL_OUT then has the reason, by host.
remote_reach() {
  local host failed=0 longest=0
  local -a new=()
  # Checked here, so that the subshells need not check again.
  for host; do
    [[ -n ${_REMOTE_OPEN[$host]+set} ]] || new+=("$host")
    ! remote_is_local "$host" || continue
    _remote_name
    _remote_wait "$host"
    ((longest >= ${_REMOTE_WAIT[$host]})) || longest=${_REMOTE_WAIT[$host]}
  done
  parallel_run $((longest + 30)) _remote_try "${new[@]}" || failed=1
  for host in "${new[@]}"; do
    ((${PARALLEL_STATUS[$host]})) || _REMOTE_OPEN[$host]=yes
  done
  return "$failed"
}

# As remote_open, with the reason on stdout, which parallel_run keeps. Usage: _remote_try HOST
_remote_try() {
  remote_open "$1" 2>&1
}

# Connect to a host for the first time, without retries.
# Usage: remote_open HOST
# Returns: 0, or 1 with the reason in one line on stderr.
remote_open() {
  local host=$1 errors=$_REMOTE_TMP/open.err.$BASHPID
  if ! remote_is_local "$host"; then
    _remote_connect "$host" "$errors" || {
      printf '%s: %s\n' "$host" "$(remote_reason "$errors")" >&2
      return 1
    }
    remote_push "$host" || return
  fi
  _REMOTE_OPEN[$host]=yes
}

# Send lib/shared, lib/host, lib/tier and the scripts of parts to another host, which keeps them (lib/host/unpack.sh).
# Usage: remote_push HOST
# Globals: REMOTE_DIR
# Returns: 1 with the reason in one line on stderr
remote_push() {
  local host=$1 mark=tierbench-push-$RANDOM$RANDOM said=$_REMOTE_TMP/push.$BASHPID text folder words status=0 LC_ALL=C
  _remote_name
  text=$(exec cat -- "$LIB"/shared/{common,owner,workdir}.sh "$LIB/host/unpack.sh")
  printf -v text 'set -Eeuo pipefail\nREMOTE_DIR=%q LOCK_DIR=%q RUN_ID=\n%s\nmain %q %q' "$REMOTE_DIR" "$LOCK_DIR" "$text" "$mark" "$_REMOTE_NAME"
  printf -v words '%q ' "$_REMOTE_PUSH" bash "$mark"
  { folder=$({ printf '%s %d\n%s' "$mark" "${#text}" "$text" && cd -- "$CALL_LIB" && tar -c -f - shared host tier part/*/host*.sh || :; } |
    _remote_ssh "$host" "env -u POSIXLY_CORRECT bash --norc -c $words" 2>"$said" | head -c 1048576) || status=$?; } 2>/dev/null
  # Start-up files may print, too.
  if ((status == 0)) && [[ $folder == *"$mark /"* ]]; then
    folder=${folder##*"$mark "}
    printf '%s\n' "${folder%%$'\n'*}" >"$_REMOTE_TMP/folder.$host"
    return
  fi
  ((${#folder} < 1 << 20)) || status=full
  case $status in
    full) text='start-up files of the login shell (~/.bashrc) print more than 1 MiB; let them print in interactive shells only' ;;
    0 | 126 | 141) text='start-up files of the login shell (~/.bashrc) read the input of commands, or end the shell; let them do so in interactive shells only' ;;
    "$_REMOTE_LOST") text=$(remote_reason "$said") ;;
    *) text=$(tail -n 1 "$said" | LC_ALL=C tr -d '\001-\037\177-\377') ;;
  esac
  printf '%s: %s\n' "$host" "${text:-bash does not start there}" >&2
  return 1
}

# Name our files by their checksum.
# Returns: sets _REMOTE_NAME
_remote_name() {
  [[ -n $_REMOTE_NAME ]] || _REMOTE_NAME=lib-$(cd -- "$CALL_LIB" && cat shared/*.sh host/*.sh tier/*.sh part/*/host*.sh | sha256sum | cut -c 1-32)
}

# The directory of our files on another host.
# Usage: remote_folder HOST
# Returns: sets REPLY
remote_folder() {
  { read -r REPLY <"$_REMOTE_TMP/folder.$1"; } 2>/dev/null || REPLY=/nowhere
}

# Whether a host answered once in this run.
# Usage: remote_was_open HOST
remote_was_open() {
  [[ -n ${_REMOTE_OPEN[$1]+set} ]]
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
  ssh "${options[@]}" "$host" "$@" {LOG_FD}>&- {_REMOTE_FD}<&- {RUN_LOCK_FD}>&-
}

# The words that run a command on another host, whose shell reads it.
# Usage: remote_words HOST COMMAND
# Returns: sets words of the caller
remote_words() {
  local -a options
  _remote_options "$1"
  words=(ssh "${options[@]}" "$1" "$2")
}

# The options of ssh for a host.
# Returns: sets options of the caller
_remote_options() {
  local host=$1
  _remote_socket "$host"
  _remote_wait "$host"
  # Forwarding options of the user's ssh_config are off: a host gets no agent, no port and no display of the master.
  options=(-o BatchMode=yes -o StrictHostKeyChecking=yes -o "ConnectTimeout=${_REMOTE_WAIT[$host]}"
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
