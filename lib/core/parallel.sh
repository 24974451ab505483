# SPDX-License-Identifier: MIT
# shellcheck shell=bash
# Call hosts in parallel: one function for all of them at the same time, each in its own subshell, with a time limit for each.

declare -A PARALLEL_OUT=()    # by host: the output of the function in the last call
declare -A PARALLEL_STATUS=() # by host: what it returned; 124: stopped at the time limit

readonly _PARALLEL_MAX=64 # subshells at the same time
_PARALLEL_CALL=0
_PARALLEL_PIDS=()   # by index: the running subshells
_PARALLEL_STARTING= # the last process that was started before the subshell that is being started
_PARALLEL_PIPE=     # a subshell that ends writes a line CALL INDEX here
_PARALLEL_OWNER=    # the process whose pipe it is

# Run FUNCTION HOST for each host, in parallel. Each subshell is a copy: variables that FUNCTION sets are lost, its output is kept.
# Usage: parallel_run LIMIT FUNCTION HOST...
#   LIMIT  seconds for each host, from its start
# Returns: sets PARALLEL_OUT and PARALLEL_STATUS; 1 if a host failed. Output on stderr is printed in the order of hosts, and each line names its host.
parallel_run() {
  local limit=$1 function=$2 next=0 index status failed=0 base
  shift 2
  local -a hosts=("$@") end=() running
  PARALLEL_OUT=() PARALLEL_STATUS=()
  _parallel_open
  _PARALLEL_CALL=$((_PARALLEL_CALL + 1))
  base=$_REMOTE_TMP/parallel.$BASHPID
  # Before the first subshell starts: a signal must not leave one behind.
  cleanup_push _parallel_abort
  while ((next < ${#hosts[@]} || ${#_PARALLEL_PIDS[@]} > 0)); do
    while ((next < ${#hosts[@]} && ${#_PARALLEL_PIDS[@]} < _PARALLEL_MAX)); do
      _PARALLEL_STARTING=$!
      # The files cannot be made without inodes.
      { _parallel_shell "$next" "$function" "${hosts[next]}" </dev/null >"$base.$next.out" 2>"$base.$next.err" & } 2>/dev/null
      _PARALLEL_PIDS[next]=$!
      _PARALLEL_STARTING=
      _parallel_now
      end[next]=$((_PARALLEL_NOW + limit * 100))
      next=$((next + 1))
    done
    # All subshells have the same limit: the lowest index is due first.
    running=("${!_PARALLEL_PIDS[@]}") index=${running[0]} status=0
    _parallel_now
    if ((end[index] > _PARALLEL_NOW)); then
      _parallel_ended || continue
      wait "${_PARALLEL_PIDS[index]}" 2>/dev/null || status=$?
    else
      status=124
      { printf 'no answer within %s s\n' "$limit" >>"$base.$index.err"; } 2>/dev/null || :
      _parallel_kill "${_PARALLEL_PIDS[index]}"
    fi
    unset '_PARALLEL_PIDS[index]'
    PARALLEL_STATUS[${hosts[index]}]=$status
    ((status == 0)) || failed=1
  done
  cleanup_pop
  for index in "${!hosts[@]}"; do _parallel_read "$base.$index" "${hosts[index]}"; done
  # The reason may be that these files are not whole.
  ((failed == 0)) || write_room || :
  return "$failed"
}

# Run a function in a subshell, and wait for it. A signal to the script ends it.
# Usage: parallel_alone FUNCTION [ARG]...
# Returns: the status of FUNCTION
parallel_alone() {
  local status=0
  _parallel_open
  cleanup_push _parallel_abort
  _PARALLEL_STARTING=$!
  "$@" &
  _PARALLEL_PIDS=("$!")
  _PARALLEL_STARTING=
  wait "$!" 2>/dev/null || status=$?
  _PARALLEL_PIDS=()
  cleanup_pop
  return "$status"
}

# Print the output of the last call, in the order of hosts.
# Usage: parallel_print HOST...
parallel_print() {
  local host
  for host; do [[ -z ${PARALLEL_OUT[$host]-} ]] || printf '%s\n' "${PARALLEL_OUT[$host]}"; done
}

# Print the hosts that failed in the last call, in the order of hosts, in one line.
# Usage: parallel_failed HOST...
parallel_failed() {
  local host names=''
  for host; do ((${PARALLEL_STATUS[$host]-0} == 0)) || names+="${names:+, }$host"; done
  printf '%s\n' "$names"
}

# Each waiting process has its own pipe. It is open for both directions, so reading never ends early.
_parallel_open() {
  # As in _cleanup_run: a signal may have interrupted a read with a limit.
  read -r -t 0.01 _ </dev/null || :
  _parallel_left
  [[ $_PARALLEL_OWNER != "$BASHPID" ]] || return 0
  exec {_PARALLEL_PIPE}<> <(:)
  _PARALLEL_OWNER=$BASHPID _PARALLEL_PIDS=()
}

# End a subshell of a script that was killed: nothing else ends it, and it would use the hosts beside the next run.
_parallel_left() {
  [[ $BASHPID == "$$" || -z $_REMOTE_START ]] || proc_alive $$ "$_REMOTE_START" || {
    _parallel_abort
    exit 1
  }
}

# Hundredths of a second since boot: the wall clock may be set in between.
# Returns: sets _PARALLEL_NOW
_parallel_now() {
  read -r _PARALLEL_NOW _ </proc/uptime
  _PARALLEL_NOW=$((10#${_PARALLEL_NOW/./}))
}

# Wait up to a second for a subshell to end. A trap may call this: there, `return` without a number returns the status from before the trap. If the
# signal interrupted a read with a limit, bash blocks SIGCHLD from then on, and ended subshells stay zombies until they are waited for.
# Usage: _parallel_ended
# Returns: 0 and sets index of the caller; 1 if no subshell has ended
_parallel_ended() {
  local call
  if read -r -t 1 -u "$_PARALLEL_PIPE" call index; then
    # A line of an earlier call comes from a subshell that was stopped at its limit.
    if [[ $call == "$_PARALLEL_CALL" && -n ${_PARALLEL_PIDS[index]+set} ]]; then return 0; else return 1; fi
  fi
  _parallel_left
  # A killed subshell writes no line.
  for index in "${!_PARALLEL_PIDS[@]}"; do proc_start "${_PARALLEL_PIDS[index]}" || return 0; done
  return 1
}

# The subshell of one host. Its calls end on the host, too, at the limit of parallel_run.
# Usage: _parallel_shell INDEX FUNCTION HOST
# Globals: limit and base of parallel_run
_parallel_shell() {
  local status=0 PARALLEL_LIMIT=$limit _CALL_FILES=$base.$1.call
  # shellcheck disable=SC2064 # the values of now
  trap "echo $_PARALLEL_CALL $1 >&$_PARALLEL_PIPE" EXIT
  "$2" "$3"
  status=$?
  # While bash runs the EXIT trap of the script, its subshells have none.
  echo "$_PARALLEL_CALL $1" >&"$_PARALLEL_PIPE"
  trap - EXIT
  return "$status"
}

# Keep the output of a host's subshell, and pass on its errors.
# Usage: _parallel_read FILE HOST
_parallel_read() {
  local line text REPLY
  { IFS= read -r -d '' text <"$1.out"; } 2>/dev/null || :
  # The removal of a pattern takes quadratic time.
  [[ ${text: -1} != $'\n' ]] || text=${text:0:-1}
  PARALLEL_OUT[$2]=$text
  [[ ! -e $1.err ]] || while IFS= read -r line || [[ -n $line ]]; do
    [[ $line == *"$2"* ]] || line="$2: $line"
    log_plain "$line"
    printf '%s\n' "$REPLY" >&2
  done <"$1.err"
}

# Stop the running subshells: the script is about to end.
_parallel_abort() {
  local index
  # A signal may arrive before the new subshell is recorded.
  [[ -z $_PARALLEL_STARTING || $! == "$_PARALLEL_STARTING" ]] || _parallel_kill "$!"
  _PARALLEL_STARTING=
  for index in "${!_PARALLEL_PIDS[@]}"; do
    _parallel_kill "${_PARALLEL_PIDS[index]}"
    unset '_PARALLEL_PIDS[index]'
  done
}

# Stop a subshell and all its descendants, such as an ssh that would otherwise keep running.
# Usage: _parallel_kill PID
_parallel_kill() {
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
    _parallel_grow
  done
  kill -s KILL "${!tree[@]}" 2>/dev/null || :
}

# Add the children of the members to the tree of _parallel_kill.
# Globals: tree parents
_parallel_grow() {
  local pid size=-1
  until ((${#tree[@]} == size)); do
    size=${#tree[@]}
    for pid in "${!parents[@]}"; do [[ -z ${tree[${parents[$pid]}]+set} ]] || tree[$pid]=1; done
  done
}
