# SPDX-License-Identifier: MIT
# shellcheck shell=bash
# One way to run a script on a host: here with bash, elsewhere with ssh. Nothing else in the project calls ssh.

# Exit status of ssh itself when the connection, not the command, failed.
readonly _REMOTE_LOST=255

_REMOTE_TMP=               # control sockets and buffers, ours alone
_REMOTE_START=             # when the script began: it, and not a later process with its number, is the master
declare -A _REMOTE_OPEN=() # hosts that answered once in this run
declare -A _REMOTE_LOCAL=()

# Make the private folder for control sockets; connections end and it goes when the script does.
# Usage: remote_init
remote_init() {
  # A control socket's path must stay under 108 bytes, so this is not under RESULTS_DIR.
  _REMOTE_TMP=$(mktemp -d "${TMPDIR:-/tmp}/tierbench-$$.XXXXXX")
  proc_start $$
  _REMOTE_START=$PROC_START
  cleanup_push remote_close
}

# End the connections that masters left who were killed, and remove their private folders.
# Usage: remote_sweep
remote_sweep() {
  local folder socket master
  for folder in "${TMPDIR:-/tmp}"/tierbench-*; do
    [[ -d $folder && -O $folder && $folder =~ /tierbench-([0-9]+)\.[A-Za-z0-9]{6}$ ]] || continue
    master=${BASH_REMATCH[1]}
    ! proc_start "$master" || continue
    for socket in "$folder"/*; do
      [[ ! -S $socket ]] || ssh -o "ControlPath=$socket" -O exit none 2>/dev/null || :
    done
    rm -rf -- "$folder"
  done
}

# End every connection and remove the private folder.
# Usage: remote_close
remote_close() {
  local host
  for host in "${!_REMOTE_OPEN[@]}"; do
    [[ ${_REMOTE_LOCAL[$host]} == yes ]] || _remote_ssh "$host" -O exit 2>/dev/null || :
  done
  rm -rf -- "$_REMOTE_TMP"
}

# Print which ssh this is.
# Usage: remote_version
remote_version() {
  ssh -V 2>&1
}

# Whether an address is this machine: loopback, or an address of one of its interfaces.
# Usage: remote_is_local HOST
remote_is_local() {
  local host=$1
  if [[ ! -v "_REMOTE_LOCAL[$host]" ]]; then
    _REMOTE_LOCAL[$host]=no
    if remote_is_loopback "$host" || [[ " $(hostname -I 2>/dev/null) " == *" $host "* ]]; then
      _REMOTE_LOCAL[$host]=yes
    fi
  fi
  [[ ${_REMOTE_LOCAL[$host]} == yes ]]
}

# Whether an address is one that only its own machine can reach.
# Usage: remote_is_loopback ADDRESS
remote_is_loopback() {
  [[ $1 == 127.* || $1 == localhost || $1 == ::1 ]]
}

# Reach a host for the first time, without trying again.
# Usage: remote_open HOST
# Returns: 0, or 1 with one line on stderr that says why not.
remote_open() {
  local host=$1 errors=$_REMOTE_TMP/open.err
  if ! remote_is_local "$host" && ! _remote_ssh "$host" true </dev/null 2>"$errors"; then
    printf '%s: %s\n' "$host" "$(_remote_reason "$errors")" >&2
    return 1
  fi
  _REMOTE_OPEN[$host]=yes
}

# Run lib/remote/SCRIPT.sh on a host; its stdout comes out whole when it is done.
# A lost connection is made again for REMOTE_RETRY seconds, so a script must bear being run twice.
# Usage: remote_run [-e NAME]... HOST SCRIPT [ARG]...
#   -e NAME sends the value of that variable in front of the script: settings, and secrets, which must not be arguments
# Globals: REMOTE_RETRY REMOTE_DIR
# Returns: the script's exit status; 255 when the host stayed out of reach.
remote_run() {
  local -a names=(REMOTE_DIR)
  while [[ $1 == -e ]]; do
    names+=("$2")
    shift 2
  done
  local host=$1 script=$2 status out errors deadline=$((SECONDS + REMOTE_RETRY))
  shift 2
  out=$(mktemp "$_REMOTE_TMP/out.XXXXXX")
  errors=$out.err
  while :; do
    status=0
    if remote_is_local "$host"; then
      _remote_script "$script" "${names[@]}" | bash -s -- "$@" >"$out" {LOG_FD}>&- || status=$?
      break
    fi
    _remote_script "$script" "${names[@]}" |
      _remote_ssh "$host" "bash -s --$(printf ' %q' "$@")" >"$out" 2> >(tee "$errors" >&2) || status=$?
    if ((status != _REMOTE_LOST || SECONDS >= deadline)) || [[ ! -v "_REMOTE_OPEN[$host]" ]]; then break; fi
    # A part of a script that was killed has nobody to try for; `stop` has taken the connection from under it.
    proc_alive $$ "$_REMOTE_START" || break
    log_warn "$host is out of reach ($(_remote_reason "$errors")); trying again"
    _remote_ssh "$host" -O exit 2>/dev/null || :
    sleep 1 # the pace of retries, not a wait for readiness
  done
  cat "$out"
  rm -f -- "$out" "$errors"
  return "$status"
}

# Copy a file to a host, under a temporary name until it is whole.
# Usage: remote_put HOST FILE PATH
remote_put() {
  local host=$1 file=$2 path=$3 command
  printf -v command 'umask 077 && cat >%q.new && mv -f %q.new %q' "$path" "$path" "$path"
  if remote_is_local "$host"; then
    bash -c "$command" <"$file"
  else
    _remote_ssh "$host" "$command" <"$file"
  fi
}

# Print the path of our folder on a host, making it.
# Usage: remote_work HOST
remote_work() {
  remote_run "$1" work
}

# The text that runs on the host: the variables, the common part, the scripts that a line `# Needs: NAME...` of the
# script names, the script, and the call of its main.
_remote_script() {
  local script=$1 name
  local -a needs files=()
  read -r -a needs < <(sed -n '1,/^$/s/^# Needs: //p' "$LIB/remote/$script.sh") || :
  shift
  for name in "$@"; do printf '%s=%q\n' "$name" "${!name-}"; done
  for name in common "${needs[@]}" "$script"; do files+=("$LIB/remote/$name.sh"); done
  cat "${files[@]}"
  # Without </dev/null a command of the script could read the rest of the script as its input.
  # shellcheck disable=SC2016 # expanded on the host
  printf '\nmain "$@" </dev/null\n'
}

_remote_ssh() {
  local host=$1
  shift
  local -a options=(-o BatchMode=yes -o "ConnectTimeout=$CONNECT_TIMEOUT"
    -o ServerAliveInterval=5 -o ServerAliveCountMax=3
    -o ControlMaster=auto -o "ControlPath=$_REMOTE_TMP/$(_remote_socket "$host")" -o ControlPersist=60)
  [[ -z $SSH_CONFIG ]] || options+=(-F "$SSH_CONFIG")
  [[ ! -v "HOST_USER[$host]" ]] || options+=(-l "${HOST_USER[$host]}")
  [[ ! -v "HOST_PORT[$host]" ]] || options+=(-p "${HOST_PORT[$host]}")
  [[ ! -v "HOST_KEY[$host]" ]] || options+=(-i "${HOST_KEY[$host]}" -o IdentitiesOnly=yes)
  local -a before=()
  if [[ ${1-} == -O ]]; then
    before=(-O "$2")
    shift 2
  fi
  # shellcheck disable=SC2029 # the words were quoted for the host on purpose
  ssh "${options[@]}" "${before[@]}" "$host" "$@" {LOG_FD}>&-
}

# Name a host's control socket: 16 hex digits (FNV-1a, 64 bit). ssh's own %C is 40 and can take the path past 107 bytes.
_remote_socket() {
  local text=$1 hash=0xcbf29ce484222325 index byte
  for ((index = 0; index < ${#text}; index++)); do
    printf -v byte '%d' "'${text:index:1}"
    hash=$(((hash ^ byte) * 0x100000001b3))
  done
  printf '%016x' "$hash"
}

# Say in a few words what ssh meant.
_remote_reason() {
  local file=$1
  case $(<"$file") in
    *'Host key verification failed'* | *'host key is known'*) echo "its host key is unknown or has changed: check it, then add it to known_hosts" ;;
    *'Permission denied'*) echo "ssh key refused: add the master's public key to its authorized_keys" ;;
    *'Could not resolve'*) echo "the name does not resolve" ;;
    *'Connection refused'*) echo "nothing answers on its ssh port" ;;
    *'timed out'* | *'No route'* | *'unreachable'*) echo "unreachable" ;;
    *) echo "ssh: $(tail -n 1 "$file")" ;;
  esac
}
