# SPDX-License-Identifier: MIT
# Show how far a run is, from another terminal, without asking any host.
#
# Usage: ./do_it.sh watch [--once] [RUN]
#
#   RUN     a run's directory, or its name under results/; default: the newest run
#   --once  print the progress once
#
# Prints the repeat and the time left, for each client its phase, rate and p99 of the last interval, and each new message of the run.
# Ends with the run.
# Exit status: 0 the run has ended, or its progress was printed once; 1 it does not run on this machine; 2 bad usage.
# shellcheck shell=bash

# Show the progress of a run until it ends; the header of this file is the help.
# Usage: cmd_watch [ARGUMENT]...
cmd_watch() {
  local run text shown='' seen=0
  local -a lines=() messages=()
  options_run "${BASH_SOURCE[0]}" --once "$@" || return 0
  run=$(compare_run "$OPTIONS_RUN") || exit
  [[ -d $run ]] || die_usage "command line: $OPTIONS_RUN: not a directory of results; ./do_it.sh list names runs"
  _watch_lives "$run" || die "$run: does not run on this machine"
  # Messages of before are in the log.
  [[ ! -f $run/run.log ]] || mapfile -t messages <"$run/run.log"
  seen=${#messages[@]}
  while :; do
    messages=()
    [[ ! -f $run/run.log || $OPTIONS_GIVEN == *--once* ]] || mapfile -t -s "$seen" messages <"$run/run.log"
    _watch_messages
    text=$(_watch_rows "$run")
    if [[ -n $text && $text != "$shown" ]]; then
      shown=$text
      mapfile -t lines < <(progress_lines <<<"$text" | stored_plain)
      if _watch_redraws; then log_progress "${lines[@]}"; else printf '%s\n' "${lines[@]}"; fi
    fi
    _watch_lives "$run" || break
    [[ $OPTIONS_GIVEN != *--once* || -z $text ]] || return 0
    sleep 1
  done
  log_progress_end
  [[ ! -e $run/run.lock ]] || die "$run: its master has ended without a word; ./do_it.sh run --resume $(log_word "$run") continues it"
  printf 'the run has ended: ./do_it.sh report %q\n' "$run"
}

# Print new messages of the run above the progress.
# Globals: messages, seen and shown of cmd_watch
_watch_messages() {
  ((${#messages[@]} > 0)) || return 0
  log_progress_end
  printf '%s\n' "${messages[@]}" | stored_plain
  seen=$((seen + ${#messages[@]}))
  ! _watch_redraws || shown=''
}

# Whether the progress takes the place of the one before.
_watch_redraws() { [[ -t 1 && -t 2 ]]; }

# Print the rows of run.now, if they are whole.
# Usage: _watch_rows RUN
_watch_rows() {
  local text=''
  [[ -f $1/run.now && ! -L $1/run.now ]] || return 0
  { IFS= read -r -d '' -n 65536 text <"$1/run.now"; } 2>/dev/null || :
  [[ $text != *$'\nend\n' ]] || printf '%s' "${text%end$'\n'}"
}

# Whether the master of a run is a process of this machine.
# Usage: _watch_lives RUN
_watch_lives() {
  owner_read "$1/run.lock" && owner_here && proc_alive "$OWNER_PID" "$OWNER_START"
}
