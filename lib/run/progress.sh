# SPDX-License-Identifier: MIT
# shellcheck shell=bash
# The progress of a run: the repeat and the time left, and the message about kept repeats when the run is stopped.

_PROGRESS_NUMBER=0 # of the repeat that runs now
_PROGRESS_ALL=0    # repeats of the run
_PROGRESS_BEGAN=0  # when it began, in SECONDS
_PROGRESS_DONE=0   # number of repeats that this process has run
_PROGRESS_SPENT=0  # their time in seconds
_PROGRESS_NEW=     # yes if the current repeat had not been run before
_PROGRESS_FILE=    # for ./do_it.sh watch

# Record that a repeat begins.
# Usage: progress_repeat NUMBER ALL DIR
progress_repeat() {
  if [[ -n $_PROGRESS_NEW ]]; then
    _PROGRESS_DONE=$((_PROGRESS_DONE + 1))
    _PROGRESS_SPENT=$((_PROGRESS_SPENT + SECONDS - _PROGRESS_BEGAN))
  fi
  _PROGRESS_NUMBER=$1 _PROGRESS_ALL=$2 _PROGRESS_BEGAN=$SECONDS
  # A resumed run skips repeats that are done.
  _PROGRESS_NEW=yes
  [[ ! -e $3 ]] || _PROGRESS_NEW=
}

# Keep the progress in RUN/run.now while this script runs: ./do_it.sh watch reads it, and asks no host.
# Usage: progress_open RUN
progress_open() {
  _PROGRESS_FILE=$1/run.now
  cleanup_push rm -f -- "$_PROGRESS_FILE"
}

# Write the progress to run.now, and show it on a terminal.
# Usage: progress_show ROW...
#   ROW  a client, a tab and its status: PHASE DONE TOTAL OPS_PER_SEC P99_US ELAPSED_S, separated by tabs
progress_show() {
  local text REPLY
  local -a lines
  progress_words
  printf -v text '%s\n' "$REPLY" "$@"
  # In place and without a process, because it is written all the time: a reader waits for the end.
  [[ -z $_PROGRESS_FILE ]] || { printf '%send\n' "$text" >"$_PROGRESS_FILE"; } 2>/dev/null || :
  [[ -t 2 ]] || return 0
  mapfile -t lines < <(progress_lines <<<"${text%$'\n'}")
  log_progress "${lines[@]}"
}

# How far the run is: `repeat 3 of 12, about 4 min left`. The time is known after one repeat.
# Usage: progress_words
# Returns: sets REPLY
progress_words() {
  local left words
  REPLY="repeat $_PROGRESS_NUMBER of $_PROGRESS_ALL"
  ((_PROGRESS_DONE > 0)) || return 0
  left=$((_PROGRESS_SPENT * (_PROGRESS_ALL - _PROGRESS_NUMBER + 1) / _PROGRESS_DONE - (SECONDS - _PROGRESS_BEGAN)))
  words=$REPLY
  _progress_time "$left"
  REPLY="$words, $REPLY left"
}

# A time in words.
# Usage: _progress_time SECONDS
# Returns: sets REPLY
_progress_time() {
  if (($1 < 100)); then
    REPLY="about $(($1 > 0 ? $1 : 1)) s"
  elif (($1 < 6000)); then
    REPLY="about $((($1 + 30) / 60)) min"
  else
    REPLY="about $((($1 + 1800) / 3600)) h"
  fi
}

# Print how many repeats a run has yet to do, and the time of the plan for them.
# Usage: progress_plan RUN
progress_plan() {
  local row count=0 seconds=0 shorter='' REPLY
  for row in "${PLAN_ROWS[@]}"; do
    plan_values "$row"
    [[ ! -e $1/${ROW[variant]}/${ROW[point]}/rep-${ROW[repeat]} ]] || continue
    count=$((count + 1)) seconds=$((seconds + ${ROW[seconds]%.*}))
  done
  [[ $QUICK == on ]] || ((seconds < 600)) || shorter='; -q gives a first answer in about 2 min'
  [[ $REDISRUNS != auto:* ]] || printf 'at most '
  _progress_time "$seconds"
  printf '%d repeat%s, %s%s\n' "$count" "$( ((count == 1)) || echo s)" "$REPLY" "$shorter"
}

# Print the first line as it is, and a line for each row of progress_show.
# Usage: progress_lines <ROWS
progress_lines() {
  LC_ALL=C awk -F '\t' '
    NR == 1 { print; next }
    {
      share = $4 > 0 ? $3 / $4 : 0
      # Without any progress, or with an unknown end, there is no estimate.
      left = share > 0 ? sprintf("%.0f s left", $7 * (1 - share) / share) : ""
      line = sprintf("%-22s %-8s %5.1f %%  %10.0f ops/s  p99 %8.0f us  %12s", $1, $2 == "" ? "waiting" : $2, share * 100, $5, $6, left)
      sub(/ +$/, "", line)
      print line
    }'
}

# After a signal, print which repeats are kept and how to resume. Called last at exit.
# Usage: progress_leave
# Globals: RUN CLEANUP_STATUS
progress_leave() {
  local whole all=''
  ((CLEANUP_STATUS > 128)) || return 0
  if [[ -z ${RUN-} ]]; then
    log_info "stopped before anything was measured; the hosts were restored"
    return
  fi
  ((_PROGRESS_ALL == 0)) || all=" of $_PROGRESS_ALL"
  whole=$(find "$RUN" -mindepth 3 -maxdepth 3 -type d -name 'rep-*' ! -name '*.*' | wc -l)
  log_info "stopped; kept: $whole$all whole repeats in $RUN"
  log_info "the rest: ./do_it.sh run --resume $(log_word "$RUN")"
}
