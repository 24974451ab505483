# SPDX-License-Identifier: MIT
# shellcheck shell=bash
# The servers of a run. SERVER and SERVERS list them; code that works on a server finds it in HOST, and works with that host's state.
#
# servers_each, servers_parallel and servers_at set HOST to one server while a function runs. The function then reads and sets the variables
# of _SERVERS_OWN as if there were one server. servers_parallel has a time limit, and calls the function in a subshell, with any number of servers.

# All servers, in the order of SERVER, and the one that a function is called for; else HOST has all, separated by blanks. conf_read sets both.
SERVERS=() HOST=

# Variables that hold what is known of one host.
readonly _SERVERS_OWN=(SERVER_BYTES SERVER_FREE SERVER_LIMITS _SERVER_CPUS _SERVER_GIB _PLACE_TOPOLOGY REDIS_BINARY INSTANCE_PLAN SERVER_ADDRESS SERVER_DIRECTIVES LAUNCH_WORDS
  _DRAM_MINE)
# By host and variable, separated by a blank: its value while another host's is in the variable.
declare -A _SERVERS_STATE=()

# Whether the run has several servers.
# Usage: servers_several
servers_several() {
  ((${#SERVERS[@]} > 1))
}

# The directory of the server's files in DIR: of each of several servers its own.
# Usage: servers_folder DIR
# Globals: HOST
# Returns: sets REPLY
servers_folder() {
  REPLY=$1
  ! servers_several || hosts_folder "$1" "$HOST"
}

# Whether HOST is several servers now, and not one of them.
# Usage: servers_at_once
# Globals: HOST
servers_at_once() {
  [[ $HOST == *' '* ]]
}

# Whether a host is one of the servers.
# Usage: servers_is HOST
servers_is() {
  [[ " ${SERVERS[*]} " == *" $1 "* ]]
}

# The place of a server among all, from 0.
# Usage: servers_index HOST
# Returns: sets REPLY; 1 when it is no server
servers_index() {
  for REPLY in "${!SERVERS[@]}"; do [[ ${SERVERS[REPLY]} != "$1" ]] || return 0; done
  return 1
}

# The value of a variable of _SERVERS_OWN for one of several servers.
# Usage: servers_value HOST NAME
# Returns: sets REPLY
servers_value() {
  REPLY=${_SERVERS_STATE["$1 $2"]-}
}

# Call a function for each server in HOST, one after the other.
# Usage: servers_each FUNCTION [ARG]...
# Returns: the last status of FUNCTION that is not 0; all servers have their turn
servers_each() {
  local host status=0
  servers_at_once || {
    "$@"
    return
  }
  for host in $HOST; do servers_at "$host" "$@" || status=$?; done
  return "$status"
}

# Call a function for one server.
# Usage: servers_at HOST FUNCTION [ARG]...
# Returns: the status of FUNCTION
servers_at() {
  if [[ $HOST == "$1" ]]; then
    "${@:2}"
    return
  fi
  local HOST=$1 name status=0
  shift
  local "${_SERVERS_OWN[@]}"
  for name in "${_SERVERS_OWN[@]}"; do printf -v "$name" '%s' "${_SERVERS_STATE["$HOST $name"]-}"; done
  "$@" || status=$?
  for name in "${_SERVERS_OWN[@]}"; do _SERVERS_STATE["$HOST $name"]=${!name}; done
  return "$status"
}

# Call a function for each server in HOST, on all of them at the same time. What it sets is lost.
# Usage: servers_parallel LIMIT FUNCTION [ARG]...
#   LIMIT  seconds for each server
# Returns: sets PARALLEL_OUT and PARALLEL_STATUS, as parallel_run does; 1 when one failed
servers_parallel() {
  local limit=$1
  shift
  local -a _SERVERS_CALL=("$@")
  # shellcheck disable=SC2086 # split into hosts on purpose
  parallel_run "$limit" _servers_call $HOST
}

# Call the function of servers_parallel for one server.
# Usage: _servers_call HOST
# Globals: _SERVERS_CALL of servers_parallel
_servers_call() {
  servers_at "$1" "${_SERVERS_CALL[@]}"
}

# Print what a command prints for each server in HOST, in their order.
# Usage: servers_print LIMIT FUNCTION [ARG]...
# Returns: as servers_parallel
servers_print() {
  local status=0
  servers_parallel "$@" || status=$?
  # shellcheck disable=SC2086 # split into hosts on purpose
  parallel_print $HOST
  return "$status"
}

# Run a script on each server in HOST.
# Usage: servers_call LIMIT SCRIPT [ARG]...
# Returns: as servers_parallel
servers_call() {
  servers_print "$1" _servers_run "${@:2}"
}

# Usage: _servers_run SCRIPT [ARG]...
_servers_run() {
  call_run "$HOST" "$@"
}

# Print how far the clock of the server in HOST is ahead of the master's, in microseconds.
# Usage: servers_clock
# Returns: 1 when the host does not answer
servers_clock() {
  local try before after theirs least='' ahead=0
  # The shortest round trip gives the best answer.
  remote_is_local "$HOST" || for try in 1 2 3; do
    before=${EPOCHREALTIME/[.,]/}
    theirs=$(call_run "$HOST" clock) || return
    after=${EPOCHREALTIME/[.,]/}
    [[ -z $least ]] || ((after - before < least)) || continue
    least=$((after - before))
    ahead=$((${theirs/./} - (before + after) / 2))
  done
  echo "$ahead"
}
