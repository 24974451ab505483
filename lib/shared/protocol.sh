# SPDX-License-Identifier: MIT
# shellcheck shell=bash
# Commands to the instances of a run, in the protocol of Redis.
#
# Any user of a host can listen on a port before an instance does, or after it has ended. So an instance gets its password only when the kernel's
# tables prove that its process owns every listener on its port. While that process lives, its listener does too. The proof is kept in
# server/PORT.proven as `PID START PASSWORD`. With TLS, an instance is asked through the unix socket in its directory instead, which is closed to others.

# Send one command to an instance of this run on this host, and leave its reply in REDIS_REPLY. Without TLS it starts no process once the instance is
# proven, so it can query hundreds of instances per second.
# Usage: protocol_ask HOST PORT COMMAND
# Globals: WORK RUN_ID
# Returns: 1 if the instance is not proven, there is no connection, no answer in 5 s, or an error reply, which is REDIS_REPLY with its -
protocol_ask() {
  local port=$2 command=$3 folder=$WORK/run-$RUN_ID/server PROTOCOL_PID='' PROTOCOL_START='' PROTOCOL_PASSWORD=''
  REDIS_REPLY=
  protocol_proven "$port" || { protocol_prove "$port" && protocol_proven "$port"; } || return 1
  if [[ -e $folder/tls.crt ]]; then
    _protocol_talk_socket "$folder/data-$port" "$command"
  else
    _protocol_connect "$1" "$port" "$command"
  fi
}

# As protocol_ask, for an instance on another host, with its password for load generators.
# Usage: protocol_ask_far HOST PORT COMMAND PASSWORD
#   PASSWORD with the name of a user in front, if there are users
protocol_ask_far() {
  local PROTOCOL_PID='' PROTOCOL_START='' PROTOCOL_PASSWORD=$4
  _protocol_connect "$1" "$2" "$3"
}

# Send one command through a new connection, and read its reply.
# Usage: _protocol_connect HOST PORT COMMAND
# Globals: PROTOCOL_PID PROTOCOL_START PROTOCOL_PASSWORD
# Returns: as protocol_ask
_protocol_connect() {
  local fd status=0
  REDIS_REPLY=
  { exec {fd}<>"/dev/tcp/$1/$2"; } 2>/dev/null || return 1
  # The process lives: its listener has taken this connection.
  [[ -z $PROTOCOL_PID ]] || proc_alive "$PROTOCOL_PID" "$PROTOCOL_START" || status=1
  ((status)) || _protocol_talk "$fd" "$3" || status=1
  exec {fd}>&-
  return "$status"
}

# The password for a port in a list of passwords, which has 24 characters for each port from BASE on.
# Usage: protocol_password LIST BASE PORT
# Returns: sets REPLY, empty if the list has none
protocol_password() {
  REPLY=
  [[ -z $1 ]] || REPLY=${1:24*($3 - $2):24}
}

# Whether an instance is proven, and its process still lives.
# Usage: protocol_proven PORT
# Returns: sets PROTOCOL_PID PROTOCOL_START PROTOCOL_PASSWORD; with TLS only the password
protocol_proven() {
  local folder=$WORK/run-$RUN_ID/server
  if [[ -e $folder/tls.crt ]]; then
    [[ -S $folder/data-$1/redis.sock ]] && _protocol_requirepass "$folder/$1.conf"
    return
  fi
  { read -r PROTOCOL_PID PROTOCOL_START PROTOCOL_PASSWORD <"$folder/$1.proven"; } 2>/dev/null && proc_alive "$PROTOCOL_PID" "$PROTOCOL_START"
}

# Read the password of an instance from its configuration, which the run has written.
# Usage: _protocol_requirepass FILE
# Returns: sets PROTOCOL_PASSWORD; 1 if the file has none
_protocol_requirepass() {
  local name
  while read -r name PROTOCOL_PASSWORD; do
    [[ $name != requirepass ]] || return 0
  done <"$1"
  return 1
}

# Write PORT.proven of each instance whose recorded process, or a process below it, owns every listener on its port, at any address.
# Usage: protocol_prove PORT...
# Returns: sets PROTOCOL_TAKEN, the ports with listeners of other processes, each with a blank in front
protocol_prove() {
  local folder=$WORK/run-$RUN_ID/server at inode port pid PROTOCOL_PASSWORD
  local -A holder=() owner=()
  local -a tables=(/proc/net/tcp /proc/net/tcp6)
  PROTOCOL_TAKEN=
  [[ ! -e $folder/tls.crt && -e $folder/instances.proc ]] || return 0
  _protocol_holders "$folder/instances.proc"
  while read -r _ at _ _ _ _ _ _ _ inode _; do
    port=$((16#${at##*:}))
    [[ " $* " == *" $port "* ]] || continue
    pid=${holder["$port $inode"]-none}
    [[ ${owner[$port]-} == none ]] || owner[$port]=$pid
  done < <(grep -hs ' 0A ' "${tables[@]}")
  for port in "${!owner[@]}"; do
    pid=${owner[$port]}
    if [[ $pid == none ]]; then
      PROTOCOL_TAKEN+=" $port"
    elif proc_start "$pid" && _protocol_requirepass "$folder/$port.conf"; then
      # In one write: who reads an empty file asks for the proof again.
      printf '%s %s %s\n' "$pid" "$PROC_START" "$PROTOCOL_PASSWORD" >"$folder/$port.proven"
    fi
  done
}

# Find the sockets of recorded processes and of all processes below them, which a wrapper may have started.
# Usage: _protocol_holders RECORD
# Returns: sets holder[PORT INODE], the process that has the socket; adds to tables those of its network namespace
_protocol_holders() {
  local pid port path link hidden=
  local -A of=()
  local -a words=(find)
  while read -r pid port; do
    of[$pid]=$port
    words+=("/proc/$pid/fd")
    [[ -e /proc/$pid/cwd ]] || hidden=$pid
    [[ ! -e /proc/$pid/ns/net || /proc/$pid/ns/net -ef /proc/self/ns/net ]] || tables+=("/proc/$pid/net/tcp" "/proc/$pid/net/tcp6")
  done < <(cat -- /proc/[0-9]*/stat 2>/dev/null | RECORD=$1 awk '
    BEGIN { while ((getline line <ENVIRON["RECORD"]) > 0) { split(line, f, "\t"); root[f[1]] = f[3] } }
    { pid = $1; sub(/^.*\) /, ""); parent[pid] = $2 }
    END {
      for (pid in parent) {
        for (at = pid; at > 1 && !(at in root) && n[pid]++ < 100;) at = parent[at]
        if (at in root) print pid, root[at]
      }
    }')
  ((${#of[@]} > 0)) || return 0
  words+=(-maxdepth 1 -lname 'socket:*' -printf '%h %l\n')
  while read -r path link; do
    path=${path#/proc/} link=${link#socket:[}
    pid=${path%%/*}
    holder["${of[$pid]} ${link%]}"]=$pid
  done < <(
    # It fails where it may not look, which would end a shell with errexit.
    "${words[@]}" 2>/dev/null || :
    # Root of a container may not see what processes of another user have open, while that user does.
    if [[ -n $hidden ]] && ((EUID == 0)); then
      link=$(exec stat -c '--reuid=%u --regid=%g' -- "/proc/$hidden" 2>/dev/null) || exit
      # shellcheck disable=SC2086 # two options
      setpriv $link --clear-groups -- "${words[@]}" 2>/dev/null
    fi
  )
}

# Ask an instance through its unix socket. The path of a socket is limited to 107 bytes, so a path relative to its directory is used.
# Usage: _protocol_talk_socket DIR COMMAND
# Globals: PROTOCOL_PASSWORD
# Returns: as protocol_ask
_protocol_talk_socket() {
  local -a words
  read -r -a words <<<"${2//\"\"/}"
  [[ $2 != *'""' ]] || words+=("")
  REDIS_REPLY=$(cd -- "$1" && REDISCLI_AUTH=$PROTOCOL_PASSWORD run_limited 6 redis-cli -s redis.sock "${words[@]}" 2>/dev/null </dev/null) &&
    [[ ! $REDIS_REPLY =~ ^(\(error\)\ )?(ERR|NOAUTH|NOPERM|WRONGPASS|LOADING|MISCONF|Error|Could\ not) ]]
}

# Send one command, after AUTH if there is a password, through an open connection, and read its reply.
# Usage: _protocol_talk FD COMMAND
# Globals: PROTOCOL_PASSWORD, with the name of a user in front if it is not that of the master
# Returns: sets REDIS_REPLY; 1 if there is no answer in 5 s, or an error reply.
_protocol_talk() {
  local fd=$1 command=$2 line
  if [[ -n $PROTOCOL_PASSWORD ]]; then
    printf 'AUTH %s\r\n' "$PROTOCOL_PASSWORD" >&"$fd" || return 1
    IFS= read -r -t 5 -u "$fd" line || return 1
    [[ $line == +OK* ]] || {
      REDIS_REPLY=${line%$'\r'}
      return 1
    }
  fi
  printf '%s\r\n' "$command" >&"$fd" || return 1
  IFS= read -r -t 5 -u "$fd" line || return 1
  line=${line%$'\r'}
  case $line in
    '$'*)
      # LC_ALL=C: the length counts bytes.
      LC_ALL=C IFS= read -r -t 5 -d '' -N "${line#\$}" -u "$fd" REDIS_REPLY
      ;;
    '*'*) _protocol_list "$fd" "${line#\*}" ;;
    -*)
      REDIS_REPLY=$line
      return 1
      ;;
    *) REDIS_REPLY=${line#[+:]} ;;
  esac
}

# Read the COUNT strings of a list.
# Usage: _protocol_list FD COUNT
# Returns: sets REDIS_REPLY, a line for each; 1 as _protocol_talk, or if an element is not a string
_protocol_list() {
  local fd=$1 left=$2 length text LC_ALL=C
  [[ $left =~ ^[0-9]{1,5}$ ]] || return 1
  REDIS_REPLY=
  for (( ; left > 0; left--)); do
    IFS= read -r -t 5 -u "$fd" length || return 1
    length=${length%$'\r'} text=
    [[ $length =~ ^\$[0-9]{1,6}$ ]] || return 1
    [[ $length == \$0 ]] || IFS= read -r -t 5 -d '' -N "${length#\$}" -u "$fd" text || return 1
    IFS= read -r -t 5 -u "$fd" _ || return 1
    REDIS_REPLY+=$text$'\n'
  done
}
