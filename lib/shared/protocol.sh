# SPDX-License-Identifier: MIT
# shellcheck shell=bash
# Commands to a Redis, in its protocol.

# Send one command to a Redis and leave its reply in REDIS_REPLY. It starts no process, so it can query hundreds of instances per second.
# Usage: protocol_ask HOST PORT COMMAND
# Globals: REDIS_PASSWORD (empty: no AUTH); WORK and RUN_ID: an instance of this run with TLS is queried through its unix socket
# Returns: 1 if there is no connection, no answer in 5 s, or an error reply.
protocol_ask() {
  local host=$1 port=$2 command=$3 fd
  REDIS_REPLY=
  if [[ -S ${WORK-}/run-${RUN_ID-}/server/data-$port/redis.sock ]]; then
    _protocol_talk_socket "$WORK/run-$RUN_ID/server/data-$port" "$command"
    return
  fi
  { exec {fd}<>"/dev/tcp/$host/$port"; } 2>/dev/null || return 1
  if _protocol_talk "$fd" "$command"; then
    exec {fd}>&-
    return 0
  fi
  exec {fd}>&-
  return 1
}

# The path of a socket is limited to 107 bytes, so a path relative to its directory is used.
_protocol_talk_socket() {
  local -a words
  read -r -a words <<<"${2//\"\"/}"
  [[ $2 != *'""' ]] || words+=("")
  REDIS_REPLY=$(cd -- "$1" && REDISCLI_AUTH=$REDIS_PASSWORD run_limited 6 redis-cli -s redis.sock "${words[@]}" 2>/dev/null </dev/null) &&
    [[ ! $REDIS_REPLY =~ ^(\(error\)\ )?(ERR|NOAUTH|NOPERM|WRONGPASS|LOADING|MISCONF|Error|Could\ not) ]]
}

# Send one command, after AUTH if there is a password, through an open connection, and read its reply.
# Usage: _protocol_talk FD COMMAND
# Globals: REDIS_PASSWORD
# Returns: sets REDIS_REPLY; 1 if there is no answer in 5 s, or an error reply.
_protocol_talk() {
  local fd=$1 command=$2 line
  if [[ -n $REDIS_PASSWORD ]]; then
    printf 'AUTH %s\r\n' "$REDIS_PASSWORD" >&"$fd" || return 1
    IFS= read -r -t 5 -u "$fd" line && [[ $line == +OK* ]] || return 1
  fi
  printf '%s\r\n' "$command" >&"$fd" || return 1
  IFS= read -r -t 5 -u "$fd" line || return 1
  line=${line%$'\r'}
  case $line in
    '$'*)
      # LC_ALL=C: the length counts bytes.
      LC_ALL=C IFS= read -r -t 5 -d '' -N "${line#\$}" -u "$fd" REDIS_REPLY
      ;;
    -*) return 1 ;;
    *) REDIS_REPLY=${line#[+:]} ;;
  esac
}
