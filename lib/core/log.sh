# SPDX-License-Identifier: MIT
# shellcheck shell=bash
# Messages to the user, on stderr; stdout is for data.

# The stderr of the user, also while a caller captures a function's stderr to put the reason into a table.
exec {LOG_FD}>&2

# A file that records messages, when a run has one.
LOG_FILE=

# yes after a message could not be written: the script then exits at least with 1.
LOG_LOST=

# Print a progress message, with the time of day.
# Usage: log_info MESSAGE...
log_info() {
  _log_say "$*"
}

# Print a warning; work continues.
# Usage: log_warn MESSAGE...
log_warn() {
  _log_say "warning: $*"
}

# Print a message with the time of day, and append it to the log of the run with its date.
# Usage: _log_say TEXT
# Globals: LOG_FD LOG_FILE; sets LOG_LOST to yes if the message cannot be written
_log_say() {
  local REPLY
  log_plain "$1"
  set -- "$REPLY"
  # A message that cannot be written must not end the work; the exit status reports it.
  { printf '%(%H:%M:%S)T %s\n' -1 "$1" >&"$LOG_FD"; } 2>/dev/null || LOG_LOST=yes
  [[ -z $LOG_FILE ]] || { printf '%(%Y-%m-%dT%H:%M:%S%z)T %s\n' -1 "$1" >>"$LOG_FILE"; } 2>/dev/null || LOG_LOST=yes
}

# Replace each control character by a blank: a terminal obeys them, and a text may come from a host.
# Usage: log_plain TEXT
# Returns: sets REPLY
log_plain() {
  local LC_ALL=C
  # C1 in UTF-8. Without the blank, the bytes around it could make another one.
  REPLY=${1//$'\302'[$'\200'-$'\237']/ }
  REPLY=${REPLY//[[:cntrl:]]/ }
}

# Print a word of a command that a message proposes, as it can be pasted into a shell.
# Usage: log_word WORD
log_word() {
  printf %q "$1"
}

# Print an error in one line, and exit 1: something failed.
# Usage: die MESSAGE...
die() {
  _log_leave 1 "$@"
}

# As die, with 2: the user's arguments or files cannot be used.
# Usage: die_usage MESSAGE...
die_usage() {
  _log_leave 2 "$@"
}

# As die, with 3: a host is not fit.
# Usage: die_unfit MESSAGE...
die_unfit() {
  _log_leave 3 "$@"
}

# Print an error after the name of the script, append it to the log of the run, and exit.
# Usage: _log_leave STATUS MESSAGE...
# Globals: LOG_FILE
# Returns: exits STATUS
_log_leave() {
  local status=$1
  shift
  log_plain "$*"
  printf '%s: %s\n' "${0##*/}" "$REPLY" >&2 2>/dev/null || :
  [[ -z $LOG_FILE ]] || { printf '%(%Y-%m-%dT%H:%M:%S%z)T %s\n' -1 "$REPLY" >>"$LOG_FILE"; } 2>/dev/null || :
  exit "$status"
}

# Where the trace goes: stderr, or a file of the run.
_LOG_TRACE=$LOG_FD
_LOG_TRACED='' _LOG_TRACED_AT='' # the last command, and its line

# Print a command of the master with its file and line, before it runs: its text in the code, without the values of variables, so no password.
# Usage: log_trace LINE, in a trap for DEBUG
# Globals: TIERBENCH_DEBUG
log_trace() {
  local text=$BASH_COMMAND
  local -a line=()
  # In a trap of a signal or of EXIT, bash names the command before it all the time: there the line of the file is the command.
  if [[ $text == "$_LOG_TRACED" && $1 != "$_LOG_TRACED_AT" ]]; then
    { mapfile -t -s $(($1 - 1)) -n 1 line <"${BASH_SOURCE[1]}"; } 2>/dev/null || :
    text=${line[0]-$text}
    text=${text#"${text%%[! ]*}"}
  else
    _LOG_TRACED=$text _LOG_TRACED_AT=$1
  fi
  text=${text%%$'\n'*}
  { printf '%s:%d %s: %s\n' "${BASH_SOURCE[1]#"$ROOT/"}" "$1" "${FUNCNAME[1]}" "${text//[[:cntrl:]]/?}" >&"$_LOG_TRACE"; } 2>/dev/null || :
}

# Continue the trace in a file, if there is one.
# Usage: log_trace_file FILE
log_trace_file() {
  [[ ${TIERBENCH_DEBUG:-0} == 0 ]] || exec {_LOG_TRACE}>>"$1"
}

_LOG_PROGRESS=0 # progress lines on the screen now

# Show a block of progress lines in place of the one before; nothing when stderr is not a terminal.
# Usage: log_progress LINE...
# Globals: _LOG_PROGRESS
log_progress() {
  [[ -t 2 ]] || return 0
  local line
  ((_LOG_PROGRESS == 0)) || printf '\033[%dA' "$_LOG_PROGRESS" >&2
  for line in "$@"; do printf '\033[K%s\n' "$line" >&2; done
  _LOG_PROGRESS=$#
}

# Leave the progress lines where they are; later output goes below them.
# Usage: log_progress_end
log_progress_end() {
  _LOG_PROGRESS=0
}
