# SPDX-License-Identifier: MIT
# shellcheck shell=bash
# The INFO of all instances, without one process for each of them.
# Globals: SERVER_ADDRESS WORK RUN_ID

# Instances that one process asks at the same time, with a connection to each.
readonly _INFO_TOGETHER=150
# Time limit in seconds for the answers of all of them.
readonly _INFO_LIMIT=10

# Print the INFO of every instance of a record, each under a line `### instance PORT`; `# no answer` for an instance that does not answer.
# Usage: host_info_all RECORD
host_info_all() {
  local port
  local -a ports=()
  while read -r _ _ port; do
    ports+=("$port")
    ((${#ports[@]} < _INFO_TOGETHER)) || {
      _host_info_some "${ports[@]}"
      ports=()
    }
  done <"$1"
  ((${#ports[@]} == 0)) || _host_info_some "${ports[@]}"
}

# When an instance of a group does not answer, each is asked separately: the silent instance then costs its own time limit and blocks no
# other answer.
_host_info_some() {
  local port
  # The shell reports on stderr that a process was killed.
  { ! (_host_info_together "$@"); } 2>/dev/null || return 0
  for port; do
    protocol_ask "$SERVER_ADDRESS" "$port" 'INFO all' || REDIS_REPLY='# no answer'
    printf '### instance %s\n%s\n' "$port" "${REDIS_REPLY//$'\r'/}"
  done
}

# Send all requests before reading the first INFO, so that the instances work in parallel. One time limit covers all of them: `read -t`
# costs two system calls per byte.
# Returns: 1 when one does not answer, and ends the shell when there is no answer within _INFO_LIMIT; nothing is printed then
_host_info_together() {
  local port fd self=$BASHPID line text='' LC_ALL=C PROTOCOL_PID PROTOCOL_START PROTOCOL_PASSWORD
  local -a links=()
  # With TLS an instance has a socket in its directory and no open port.
  [[ ! -e $WORK/run-$RUN_ID/server/tls.crt ]] || return
  for port; do
    { exec {fd}<>"/dev/tcp/$SERVER_ADDRESS/$port"; } 2>/dev/null || return
    links+=("$fd")
    # After the connection, as protocol_ask.
    protocol_proven "$port" || return
    printf 'AUTH %s\r\n' "$PROTOCOL_PASSWORD" >&"$fd" || return
  done
  exec {fd}> >(_host_info_guard "$self")
  # used_memory includes the buffers of this request, which are 20 KiB larger if both requests are read together.
  for fd in "${links[@]}"; do
    IFS= read -r -u "$fd" line && [[ $line == +OK* ]] && printf 'INFO all\r\n' >&"$fd" || return
  done
  for fd in "${links[@]}"; do
    # The length counts bytes, as LC_ALL=C does.
    { IFS= read -r -u "$fd" line && [[ $line == '$'* ]]; } || break
    line=${line%$'\r'}
    IFS= read -r -d '' -N "${line#\$}" -u "$fd" REDIS_REPLY || break
    text+="### instance $1"$'\n'$REDIS_REPLY$'\n'
    shift
  done
  # printf would write line by line.
  (($# == 0)) && tr -d '\r' <<<"${text%$'\n'}"
}

# Kill a process that waits too long for answers. When it has ended, this read sees the end of the pipe.
_host_info_guard() {
  read -r -t "$_INFO_LIMIT" || (($? <= 128)) || kill -s KILL "$1"
}
