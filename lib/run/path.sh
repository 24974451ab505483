# SPDX-License-Identifier: MIT
# shellcheck shell=bash
# The way of the load from every client to a server: real connections to instances there, before the run.

# Start instances without data at the first and the last port of the plan, and connect to them from every other host that is a client. Print rows HOST
# STATE FOUND WANTED FIX; none if the server is the only host.
# Usage: path_check
# Globals: HOST CLIENT_IP FIRST_PORT LAST_PORT
# Returns: 1 if the instances cannot be started, with the reason on stderr
path_check() {
  local client status=0
  local -a clients=() ports=("$FIRST_PORT")
  for client in $CLIENT_IP; do hosts_same "$client" "$HOST" || clients+=("$client"); done
  ((${#clients[@]} > 0)) || return 0
  ((LAST_PORT == FIRST_PORT)) || ports+=("$LAST_PORT")
  lock_during _path_check "${clients[@]}" || status=$?
  ((status == LOCK_TAKEN)) || return "$status"
  printf '%s\twarn\tnot tried: %s\tconnections to instances\twait for that run\n' "$HOST" "$LOCK_WHY"
}

# As path_check, with the lock.
# Usage: _path_check CLIENT...
# Globals: ports of path_check
_path_check() {
  local status=0 client REPLY ADDRESS
  cleanup_push server_stop
  server_scratch "${ports[@]}" || status=1
  hosts_data "$HOST"
  ADDRESS=$REPLY
  ((status != 0)) || parallel_run $((REMOTE_RETRY + 60)) _path_try "$@" || status=1
  # The stop overwrites PARALLEL_OUT.
  ((status != 0)) || for client; do _path_rows "$client"; done
  cleanup_pop || status=1
  return "$status"
}

# Connect from one client. Usage: _path_try CLIENT   Globals: ADDRESS and ports of its callers
_path_try() {
  call_run "$1" path try "${ports[@]}"
}

# Print the row of one client.
# Usage: _path_rows CLIENT
# Globals: ADDRESS FIRST_PORT LAST_PORT
_path_rows() {
  local state=ok found='' fix=- what port why host at=$ADDRESS range="ports $FIRST_PORT to $LAST_PORT"
  [[ $at != *:* ]] || at="[$at]"
  while IFS=$'\t' read -r what port why; do
    if [[ $what == open ]]; then
      [[ $state == fail ]] || found+="${found:+, }$at:$port"
      continue
    fi
    # The last ports may be closed, and the first ones open.
    state=fail found="$at:$port: $why"
    case $why in
      'timed out'*) fix="a firewall drops the packets: let $HOST accept $range from this client" ;;
      'Connection refused') fix="let the firewall of $HOST accept $range from this client, or name an address that only $HOST has as its DATA (hosts.example)" ;;
      'No route to host' | 'Network is unreachable') fix="here: ip route get $ADDRESS; if there is a route, let the firewall of $HOST accept $range from this client" ;;
      *) fix="name an IP address of $HOST as its DATA (hosts.example)" ;;
    esac
    # The run stops the firewall before the load needs the way.
    for host in "$HOST" "$1"; do
      if [[ $TUNE_FIREWALL != off ]] && tune_would "$host" FIREWALL; then
        state=warn fix="none, if the firewall of $host is the reason: the run stops it (TUNE.firewall=$TUNE_FIREWALL)"
        break
      fi
    done
    break
  done <<<"${PARALLEL_OUT[$1]}"
  printf '%s\t%s\t%s\tconnections to instances\t%s\n' "$1" "$state" "$found" "$fix"
}
