# SPDX-License-Identifier: MIT
# shellcheck shell=bash
# One shell on each host that stays for a run. A call through it starts no ssh, and no shell on the host. A call that finds it in use or lost is made
# without it (lib/core/remote.sh).
#
# A request is a line with the length of a script and a token, and the script. The reply is a line TOKEN STATUS OUT ERR, and as many bytes of output and
# of messages (lib/host/channel.sh). A reply of another request has another token.

# By host:
declare -A _CHANNEL_TO=() _CHANNEL_FROM=()   # our ends of its pipes
declare -A _CHANNEL_PID=() _CHANNEL_START=() # its process here, and when that began
declare -A _CHANNEL_MARK=()                  # the line that both sides send first
declare -A _CHANNEL_FREE=()                  # a pipe with one byte: `n` before the first call, then `r`; empty during a call

# Skips what start-up files of the login shell did not read of our pad. Then it runs _CHANNEL_SCRIPT; its second argument is the number of bytes.
# (head of busybox reads more than it is told.)
# shellcheck disable=SC2016 # expanded on the host
readonly _CHANNEL_SHELL='until IFS= read -r _channel_text && [[ $_channel_text == "$1" ]]; do ((_channel_pad++ < 40000)) || exit; done; IFS= read -r -d "" -N "$2" _channel_text && eval "$_channel_text"'
# The most bytes of files, and of messages, in one reply; files_send sends at most 1 MiB, and the list of the files.
readonly _CHANNEL_FILES=$((4 << 20)) _CHANNEL_SAID=$((256 << 10))
_CHANNEL_SCRIPT= # what its shell runs

# Open a channel to each host that has none, or whose channel has ended. Every host has answered a call before, because a login shell that reads its
# stdin to the end would wait forever here.
# Usage: channel_open HOST...
channel_open() {
  local host
  for host; do
    _channel_serves "$host" || remote_gone "$host" || _channel_start "$host" || :
  done
}

# Open a channel to a host, after the end of any earlier one.
# Usage: _channel_start HOST
_channel_start() {
  local host=$1 mark=tierbench-channel-$RANDOM$RANDOM pipe=$_REMOTE_TMP/channel both back to from free
  local -a part
  # The length counts bytes.
  local LC_ALL=C
  mapfile -d '' part <"$LIB/host/channel.sh"
  script_shared
  printf -v _CHANNEL_SCRIPT 'REMOTE_DIR=%q\n%s' "$REMOTE_DIR" "$REPLY"
  script_modules
  _CHANNEL_SCRIPT+=$REPLY${part[0]}
  _channel_drop "$host"
  mkfifo -m 600 -- "$pipe" || return
  # Each direction alone would wait for the other. With both, the channel would be its own reader, and would wait forever after our death.
  exec {both}<>"$pipe"
  exec {from}<"$pipe"
  exec {back}>"$pipe" {both}>&-
  rm -f -- "$pipe"
  # Only the channel's process keeps this end: when it has ended, so has what we read.
  if remote_is_local "$host"; then
    exec {to}> >(RUN_OF_TIERBENCH=$RUN_ID exec bash --norc -c "$_REMOTE_ALONE$_CHANNEL_SHELL" bash "$mark" "${#_CHANNEL_SCRIPT}" 1>&"$back" 2>/dev/null)
  else
    exec {to}> >(remote_exec "$host" "env -u POSIXLY_CORRECT RUN_OF_TIERBENCH=$RUN_ID bash --norc -c '$_REMOTE_ALONE$_CHANNEL_SHELL' bash $mark ${#_CHANNEL_SCRIPT}" \
      1>&"$back" 2>"$_REMOTE_TMP/channel-said.$host")
  fi
  _CHANNEL_PID[$host]=$! _CHANNEL_MARK[$host]=$mark PROC_START=ended
  proc_start $! || :
  _CHANNEL_START[$host]=$PROC_START
  exec {back}>&- {free}<> <(:)
  printf n >&"$free"
  _CHANNEL_TO[$host]=$to _CHANNEL_FROM[$host]=$from _CHANNEL_FREE[$host]=$free
}

# Whether the process of a host's channel runs.
_channel_lives() {
  [[ -n ${_CHANNEL_FREE[$1]+set} ]] && proc_alive "${_CHANNEL_PID[$1]}" "${_CHANNEL_START[$1]}"
}

# Whether a host has a channel that no call uses, or one that a running call uses.
_channel_serves() {
  local user
  _channel_lives "$1" || return
  ! _channel_is_free "$1" || return 0
  { read -r user <"$_REMOTE_TMP/channel-user.$1"; } 2>/dev/null && [[ -e /proc/$user ]]
}

# Whether a host has a channel that no call uses.
_channel_is_free() {
  _channel_lives "$1" && read -r -t 0 -u "${_CHANNEL_FREE[$1]}"
}

# Run a script through the channel of its host. Large files, and bytes that no shell can keep, take the other way: the script then runs once more.
# Usage: channel_run HOST SCRIPT [ARG]...
# Globals: why and REMOTE_MARK of remote_raw; once of receive_files: not empty for a script that does not give the same files twice
# Returns: sets status of remote_raw; 1 if the host has no channel that can be used
# shellcheck disable=SC2154 # why and status are variables of remote_raw
channel_run() {
  local host=$1 script=$2 words='' failed=0 has_modules=yes LC_ALL=C
  shift 2
  [[ -z $REMOTE_FILE || -z ${once-} ]] || return 1
  # Checked before the text is made, which takes longer.
  _channel_is_free "$host" || return 1
  script_own "$script" "$@"
  (($# == 0)) || printf -v words ' %q' "$@"
  _channel_call "$host" "set --$words; SECONDS=0 CHANNEL=${REMOTE_FILE:+files}"$'\n'"$REPLY" || failed=$?
  # Ctrl-C ends the channel, too. The master then ends this process, or the call.
  ((failed == 0)) || proc_wait 0.2
  if ((failed == 2)) && { [[ -n $_REMOTE_ENDING ]] || ! remote_is_local "$host"; }; then
    _channel_why "$host" >"$why"
    status=$_REMOTE_LOST
    return 0
  fi
  ((failed == 0)) && [[ $CHANNEL_ERR != *'ignored null byte'* ]] || return 1
  if [[ -n $REMOTE_FILE ]]; then
    ((CHANNEL_STATUS != FILES_LARGE)) || return 1
    # Removing a pattern takes quadratic time.
    [[ ${CHANNEL_OUT: -1} != . ]] || CHANNEL_OUT=${CHANNEL_OUT:0:${#CHANNEL_OUT}-1}
  fi
  [[ ${CHANNEL_ERR: -1} != $'\n' ]] || CHANNEL_ERR=${CHANNEL_ERR:0:-1}
  [[ -z $CHANNEL_ERR ]] || _remote_said "$why" <<<"$REMOTE_MARK"$'\n'"$CHANNEL_ERR"
  # The caller checks the reply as it came from any host.
  REMOTE_REPLY=$'\n'$REMOTE_MARK$'\n'$CHANNEL_OUT
  [[ -z $CHANNEL_WHOLE || $CHANNEL_STATUS != 0 ]] || REMOTE_REPLY+=$'\n'$REMOTE_MARK.end$'\n'
  status=$CHANNEL_STATUS
  [[ -z $REMOTE_FILE ]] || printf '%s' "$REMOTE_REPLY" >"$REMOTE_FILE" || status=1
}

# Run a script through the channel of a host. During the call no other call has the channel; a call that is killed leaves it without use.
# Usage: _channel_call HOST TEXT
# Globals: REMOTE_LIMIT; REMOTE_MARK, the token
# Returns: 0: sets CHANNEL_STATUS, the script's exit status, CHANNEL_OUT, CHANNEL_ERR, and CHANNEL_WHOLE, which is empty for a reply longer than the
# limit; 1: there is no channel, or it is in use, or it had ended; 2: it was lost during the call
_channel_call() {
  local host=$1 text=$2 to from state line token out err before='' LC_ALL=C
  # Another process may take it first.
  _channel_is_free "$host" && read -r -t 0.1 -N 1 -u "${_CHANNEL_FREE[$host]}" state || return 1
  printf '%d\n' "$BASHPID" >"$_REMOTE_TMP/channel-user.$host"
  to=${_CHANNEL_TO[$host]} from=${_CHANNEL_FROM[$host]}
  if [[ $state != r ]]; then
    printf -v before '%s\n%s' "${_CHANNEL_MARK[$host]}" "$_CHANNEL_SCRIPT"
    remote_is_local "$host" || before=$_REMOTE_PAD$before
  fi
  # What did not arrive as a whole does not run.
  _channel_write "$to" "$before${#text} $REMOTE_MARK"$'\n'"$text" || return 1
  if [[ $state != r ]]; then
    # Start-up files of the login shell may print. A host that cannot keep the shell has run nothing.
    until IFS= read -r -n 4096 -u "$from" line && [[ $line == "${_CHANNEL_MARK[$host]}" ]]; do
      [[ -n $line ]] || _channel_lives "$host" || return 1
    done
  fi
  IFS=' ' read -r -n 128 -u "$from" token CHANNEL_STATUS out err || return 2
  [[ $token == "$REMOTE_MARK" && $CHANNEL_STATUS =~ ^(0|[1-9][0-9]{0,2})$ && $out =~ ^(0|[1-9][0-9]{0,9})$ && $err =~ ^(0|[1-9][0-9]{0,9})$ ]] || return 2
  ((CHANNEL_STATUS <= 255 && err <= _CHANNEL_SAID)) && [[ -z ${REMOTE_FILE-} || $out -le $_CHANNEL_FILES ]] || return 2
  # Of a longer reply the caller gets as much as shows that it is too long.
  _channel_read "$((out < REMOTE_LIMIT ? out : REMOTE_LIMIT))" || return 2
  CHANNEL_OUT=$REPLY CHANNEL_ERR='' CHANNEL_WHOLE=
  # The rest stays in the channel, which no other call can use.
  ((out < REMOTE_LIMIT)) || return 0
  _channel_read "$err" || return 2
  CHANNEL_ERR=$REPLY CHANNEL_WHOLE=yes
  printf r >&"${_CHANNEL_FREE[$host]}"
}

# Write a text to a channel, whose other end may be gone.
# Usage: _channel_write FD TEXT
# Returns: 1 if not all of it could be written
_channel_write() {
  local status=0
  # The script has a trap for this signal, its subshells have none.
  if ((BASHPID == $$)); then
    (printf '%s' "$2" >&"$1") 2>/dev/null
    return
  fi
  trap '' PIPE
  { printf '%s' "$2" >&"$1"; } 2>/dev/null || status=1
  trap - PIPE
  # A bash older than 5.2 keeps the rest, and would print it before its next output.
  ((status == 0)) || echo >/dev/null
  return "$status"
}

# Read some bytes of a reply.
# Globals: from
# Returns: sets REPLY; 1 if the channel ends before
_channel_read() {
  REPLY=
  (($1 == 0)) || IFS= read -r -d '' -N "$1" -u "$from" REPLY
}

# Print what ssh said about a channel that was lost.
_channel_why() {
  if [[ -s $_REMOTE_TMP/channel-said.$1 ]]; then cat -- "$_REMOTE_TMP/channel-said.$1"; else echo 'the connection was lost'; fi
}

# End the channels that calls of killed processes have left in use. That stops their scripts here; on another host a script ends on its own.
# Usage: channel_abandon PID...
channel_abandon() {
  local host user
  for host in "${!_CHANNEL_PID[@]}"; do
    { read -r user <"$_REMOTE_TMP/channel-user.$host"; } 2>/dev/null || continue
    [[ " $* " != *" $user "* ]] || _channel_is_free "$host" || _channel_kill "$host"
  done
}

# End all channels now, and not when this process ends.
# Usage: channel_end
channel_end() {
  local host
  for host in "${!_CHANNEL_PID[@]}"; do _channel_kill "$host"; done
}

# End the process of a host's channel, with the script that it runs.
# Usage: _channel_kill HOST
_channel_kill() {
  if _channel_is_free "$1"; then
    # It runs nothing.
    kill -s KILL "${_CHANNEL_PID[$1]}" 2>/dev/null || :
  elif _channel_lives "$1"; then
    _side_kill "${_CHANNEL_PID[$1]}"
  fi
}

# Close our ends of a channel, with which its shell ends.
# Usage: _channel_drop HOST
_channel_drop() {
  local fd
  for fd in "${_CHANNEL_TO[$1]-}" "${_CHANNEL_FROM[$1]-}" "${_CHANNEL_FREE[$1]-}"; do [[ -z $fd ]] || exec {fd}>&-; done
  unset -v '_CHANNEL_TO[$1]' '_CHANNEL_FROM[$1]' '_CHANNEL_FREE[$1]' '_CHANNEL_PID[$1]' '_CHANNEL_START[$1]' '_CHANNEL_MARK[$1]'
}
