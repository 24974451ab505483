# SPDX-License-Identifier: MIT
# shellcheck shell=bash
# Call hosts in parallel: one function for all of them at the same time, each in its own subshell, with a time limit for each.

declare -A SIDE_OUT=()    # by host: the output of the function in the last call
declare -A SIDE_STATUS=() # by host: what it returned; 124: stopped at the time limit

readonly _SIDE_MAX=64 # subshells at the same time
_SIDE_CALL=0
_SIDE_PIDS=()   # by index: the running subshells
_SIDE_STARTING= # the last process that was started before the subshell that is being started
_SIDE_PIPE=     # a subshell that ends writes a line CALL INDEX here
_SIDE_OWNER=    # the process whose pipe it is

# Run FUNCTION HOST for each host, in parallel. Each subshell is a copy: variables that FUNCTION sets are lost, its output is kept.
# Usage: side_run LIMIT FUNCTION HOST...
#   LIMIT  seconds for each host, from its start
# Returns: sets SIDE_OUT and SIDE_STATUS; 1 if a host failed. Output on stderr is printed in the order of hosts, and each line names its host.
side_run() {
  local limit=$1 function=$2 next=0 index status failed=0 base
  shift 2
  local -a hosts=("$@") end=() running
  SIDE_OUT=() SIDE_STATUS=()
  _side_open
  _SIDE_CALL=$((_SIDE_CALL + 1))
  base=$_REMOTE_TMP/side.$BASHPID
  # Before the first subshell starts: a signal must not leave one behind.
  cleanup_push _side_abort
  while ((next < ${#hosts[@]} || ${#_SIDE_PIDS[@]} > 0)); do
    while ((next < ${#hosts[@]} && ${#_SIDE_PIDS[@]} < _SIDE_MAX)); do
      _SIDE_STARTING=$!
      # The files cannot be made without inodes.
      { _side_shell "$next" "$function" "${hosts[next]}" </dev/null >"$base.$next.out" 2>"$base.$next.err" & } 2>/dev/null
      _SIDE_PIDS[next]=$!
      _SIDE_STARTING=
      _side_now
      end[next]=$((_SIDE_NOW + limit * 100))
      next=$((next + 1))
    done
    # All subshells have the same limit: the lowest index is due first.
    running=("${!_SIDE_PIDS[@]}") index=${running[0]} status=0
    _side_now
    if ((end[index] > _SIDE_NOW)); then
      _side_ended || continue
      wait "${_SIDE_PIDS[index]}" 2>/dev/null || status=$?
    else
      status=124
      { printf 'no answer within %s s\n' "$limit" >>"$base.$index.err"; } 2>/dev/null || :
      _side_kill "${_SIDE_PIDS[index]}"
    fi
    unset '_SIDE_PIDS[index]'
    SIDE_STATUS[${hosts[index]}]=$status
    ((status == 0)) || failed=1
  done
  cleanup_pop
  for index in "${!hosts[@]}"; do _side_read "$base.$index" "${hosts[index]}"; done
  # The reason may be that these files are not whole.
  ((failed == 0)) || write_room || :
  return "$failed"
}

# Run a function in a subshell, and wait for it. A signal to the script ends it.
# Usage: side_alone FUNCTION [ARG]...
# Returns: the status of FUNCTION
side_alone() {
  local status=0
  _side_open
  cleanup_push _side_abort
  _SIDE_STARTING=$!
  "$@" &
  _SIDE_PIDS=("$!")
  _SIDE_STARTING=
  wait "$!" 2>/dev/null || status=$?
  _SIDE_PIDS=()
  cleanup_pop
  return "$status"
}

# Print the output of the last call, in the order of hosts.
# Usage: side_print HOST...
side_print() {
  local host
  for host; do [[ -z ${SIDE_OUT[$host]-} ]] || printf '%s\n' "${SIDE_OUT[$host]}"; done
}

# Print the hosts that failed in the last call, in the order of hosts, in one line.
# Usage: side_failed HOST...
side_failed() {
  local host names=''
  for host; do ((${SIDE_STATUS[$host]-0} == 0)) || names+="${names:+, }$host"; done
  printf '%s\n' "$names"
}

# Each waiting process has its own pipe. It is open for both directions, so reading never ends early.
_side_open() {
  # As in _cleanup_run: a signal may have interrupted a read with a limit.
  read -r -t 0.01 _ </dev/null || :
  _side_left
  [[ $_SIDE_OWNER != "$BASHPID" ]] || return 0
  exec {_SIDE_PIPE}<> <(:)
  _SIDE_OWNER=$BASHPID _SIDE_PIDS=()
}

# End a subshell of a script that was killed: nothing else ends it, and it would use the hosts beside the next run.
_side_left() {
  [[ $BASHPID == "$$" || -z $_REMOTE_START ]] || proc_alive $$ "$_REMOTE_START" || {
    _side_abort
    exit 1
  }
}

# Hundredths of a second since boot: the wall clock may be set in between.
# Returns: sets _SIDE_NOW
_side_now() {
  read -r _SIDE_NOW _ </proc/uptime
  _SIDE_NOW=$((10#${_SIDE_NOW/./}))
}

# Wait up to a second for a subshell to end. A trap may call this: there, `return` without a number returns the status from before the trap. If the
# signal interrupted a read with a limit, bash blocks SIGCHLD from then on, and ended subshells stay zombies until they are waited for.
# Usage: _side_ended
# Returns: 0 and sets index of the caller; 1 if no subshell has ended
_side_ended() {
  local call
  if read -r -t 1 -u "$_SIDE_PIPE" call index; then
    # A line of an earlier call comes from a subshell that was stopped at its limit.
    if [[ $call == "$_SIDE_CALL" && -n ${_SIDE_PIDS[index]+set} ]]; then return 0; else return 1; fi
  fi
  _side_left
  # A killed subshell writes no line.
  for index in "${!_SIDE_PIDS[@]}"; do proc_start "${_SIDE_PIDS[index]}" || return 0; done
  return 1
}

# The subshell of one host. Its calls end on the host, too, at the limit of side_run.
# Usage: _side_shell INDEX FUNCTION HOST
# Globals: limit and base of side_run
_side_shell() {
  local status=0 SIDE_LIMIT=$limit _CALL_FILES=$base.$1.call
  # shellcheck disable=SC2064 # the values of now
  trap "echo $_SIDE_CALL $1 >&$_SIDE_PIPE" EXIT
  "$2" "$3"
  status=$?
  # While bash runs the EXIT trap of the script, its subshells have none.
  echo "$_SIDE_CALL $1" >&"$_SIDE_PIPE"
  trap - EXIT
  return "$status"
}

# Keep the output of a host's subshell, and pass on its errors.
# Usage: _side_read FILE HOST
_side_read() {
  local line text REPLY
  { IFS= read -r -d '' text <"$1.out"; } 2>/dev/null || :
  # The removal of a pattern takes quadratic time.
  [[ ${text: -1} != $'\n' ]] || text=${text:0:-1}
  SIDE_OUT[$2]=$text
  [[ ! -e $1.err ]] || while IFS= read -r line || [[ -n $line ]]; do
    [[ $line == *"$2"* ]] || line="$2: $line"
    log_plain "$line"
    printf '%s\n' "$REPLY" >&2
  done <"$1.err"
}

# Stop the running subshells: the script is about to end.
_side_abort() {
  local index
  # A signal may arrive before the new subshell is recorded.
  [[ -z $_SIDE_STARTING || $! == "$_SIDE_STARTING" ]] || _side_kill "$!"
  _SIDE_STARTING=
  for index in "${!_SIDE_PIDS[@]}"; do
    _side_kill "${_SIDE_PIDS[index]}"
    unset '_SIDE_PIDS[index]'
  done
}

# Stop a subshell and all its descendants, such as an ssh that would otherwise keep running.
# Usage: _side_kill PID
_side_kill() {
  local path line state parent before=0 moving='' round=0
  local -A tree=([$1]=1) parents
  # Else bash would report that it was killed.
  disown "$1" 2>/dev/null || :
  # Send STOP first, so that no process reports that another was killed. Repeat until all are stopped and no new process is found: one that
  # receives STOP in the middle of a fork stops after it. A process that the kernel does not let stop is not waited for.
  until ((${#tree[@]} == before && ${#moving} == 0 || round++ == 100)); do
    before=${#tree[@]} moving=''
    kill -s STOP "${!tree[@]}" 2>/dev/null || :
    parents=()
    for path in /proc/[0-9]*/stat; do
      { read -r line <"$path"; } 2>/dev/null || continue
      read -r state parent _ <<<"${line##*) }"
      parents[${line%% *}]=$parent
      [[ -z ${tree[${line%% *}]+set} || $state == [TtZX] ]] || moving+=.
    done
    _side_grow
  done
  kill -s KILL "${!tree[@]}" 2>/dev/null || :
}

# Add the children of the members to the tree of _side_kill.
# Globals: tree parents
_side_grow() {
  local pid size=-1
  until ((${#tree[@]} == size)); do
    size=${#tree[@]}
    for pid in "${!parents[@]}"; do [[ -z ${tree[${parents[$pid]}]+set} ]] || tree[$pid]=1; done
  done
}
