# SPDX-License-Identifier: MIT
# shellcheck shell=bash
# What INFO says of all instances, without a process for each of them.
# Globals: SERVER_ADDRESS REDIS_PASSWORD WORK RUN_ID

# Instances that are asked at the same time, by one process, which has a connection to each.
readonly _INFO_TOGETHER=150
# Seconds that the answers of all of them may take.
readonly _INFO_LIMIT=10

# Print what INFO says of every instance of a record, each under a line `### instance PORT`; `# no answer` for one that gives none.
# Usage: info_all RECORD
info_all() {
  local port
  local -a ports=()
  while read -r _ _ port; do
    ports+=("$port")
    ((${#ports[@]} < _INFO_TOGETHER)) || {
      _info_some "${ports[@]}"
      ports=()
    }
  done <"$1"
  ((${#ports[@]} == 0)) || _info_some "${ports[@]}"
}

# When one of them does not answer, each is asked by itself: it then costs its own time limit and no other's answer.
_info_some() {
  local port
  # The shell says on stderr that one was killed.
  [[ -z $REDIS_PASSWORD ]] || { ! (_info_together "$@"); } 2>/dev/null || return 0
  for port; do
    redis_ask "$SERVER_ADDRESS" "$port" 'INFO all' || REDIS_REPLY='# no answer'
    printf '### instance %s\n%s\n' "$port" "${REDIS_REPLY//$'\r'/}"
  done
}

# All are asked before the first is listened to: while one is read, the others work. One time limit is for all of them: `read -t` costs
# two calls of the kernel for every byte.
# Returns: 1 when one does not answer, and ends the shell when there is no answer within _INFO_LIMIT; nothing is printed then
_info_together() {
  local port fd self=$BASHPID line text='' LC_ALL=C
  local -a links=()
  for port; do
    # With TLS an instance has a socket in its directory and no open port.
    [[ ! -S $WORK/run-$RUN_ID/server/data-$port/redis.sock ]] || return
    { exec {fd}<>"/dev/tcp/$SERVER_ADDRESS/$port"; } 2>/dev/null || return
    links+=("$fd")
    printf 'AUTH %s\r\nINFO all\r\n' "$REDIS_PASSWORD" >&"$fd" || return
  done
  exec {fd}> >(_info_guard "$self")
  for fd in "${links[@]}"; do
    # The length counts bytes, as LC_ALL=C does.
    { IFS= read -r -u "$fd" line && [[ $line == +OK* ]] && IFS= read -r -u "$fd" line && [[ $line == '$'* ]]; } || break
    line=${line%$'\r'}
    IFS= read -r -d '' -N "${line#\$}" -u "$fd" REDIS_REPLY || break
    text+="### instance $1"$'\n'$REDIS_REPLY$'\n'
    shift
  done
  # printf would write line by line.
  (($# == 0)) && tr -d '\r' <<<"${text%$'\n'}"
}

# End a process that waits for answers too long. One that is done closes what this reads from.
_info_guard() {
  read -r -t "$_INFO_LIMIT" || (($? <= 128)) || kill -s KILL "$1"
}
