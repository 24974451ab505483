# SPDX-License-Identifier: MIT
# shellcheck shell=bash
# The progress of a run: the repeat and the time left, and the message about kept repeats when the run is stopped.

_PROGRESS_NUMBER=0 # of the repeat that runs now
_PROGRESS_ALL=0    # repeats of the run
_PROGRESS_BEGAN=0  # when it began, in SECONDS
_PROGRESS_DONE=0   # number of repeats that this process has run
_PROGRESS_SPENT=0  # their time in seconds
_PROGRESS_NEW=     # yes if the current repeat had not been run before

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

# Print the progress: `repeat 3 of 12, about 4 min left`. The time is known after one repeat.
# Usage: progress_words
progress_words() {
  local left
  printf 'repeat %d of %d' "$_PROGRESS_NUMBER" "$_PROGRESS_ALL"
  ((_PROGRESS_DONE > 0)) || return 0
  left=$((_PROGRESS_SPENT * (_PROGRESS_ALL - _PROGRESS_NUMBER + 1) / _PROGRESS_DONE - (SECONDS - _PROGRESS_BEGAN)))
  printf ', %s left' "$(_progress_time "$left")"
}

# Print a time in words.
# Usage: _progress_time SECONDS
_progress_time() {
  if (($1 < 100)); then
    printf 'about %d s' $(($1 > 0 ? $1 : 1))
  elif (($1 < 6000)); then
    printf 'about %d min' $((($1 + 30) / 60))
  else
    printf 'about %d h' $((($1 + 1800) / 3600))
  fi
}

# Print how many repeats a run has yet to do, and the time of the plan for them.
# Usage: progress_plan RUN
progress_plan() {
  local row count=0 seconds=0 shorter=''
  for row in "${PLAN_ROWS[@]}"; do
    plan_values "$row"
    [[ ! -e $1/${ROW[variant]}/${ROW[point]}/rep-${ROW[repeat]} ]] || continue
    count=$((count + 1)) seconds=$((seconds + ${ROW[seconds]%.*}))
  done
  ((seconds < 600)) || shorter='; shorter: FILL=1G REDISRUNS=1'
  [[ $REDISRUNS != auto:* ]] || printf 'at most '
  printf '%d repeat%s, %s%s\n' "$count" "$( ((count == 1)) || echo s)" "$(_progress_time "$seconds")" "$shorter"
}

# Print a client's progress line: PHASE DONE TOTAL OPS_PER_SEC P99_US ELAPSED_S are its status.
# Usage: progress_client CLIENT STATUS
progress_client() {
  local phase count total rate p99 elapsed
  IFS=$'\t' read -r phase count total rate p99 elapsed _ <<<"$2"
  LC_ALL=C awk -v client="$1" -v phase="${phase:-waiting}" -v count="${count:-0}" -v total="${total:-0}" \
    -v rate="${rate:-0}" -v p99="${p99:-0}" -v elapsed="${elapsed:-0}" 'BEGIN {
      share = total > 0 ? count / total : 0
      # Without any progress, or with an unknown end, there is no estimate.
      left = share > 0 ? sprintf("%.0f s left", elapsed * (1 - share) / share) : ""
      line = sprintf("%-22s %-8s %5.1f %%  %10.0f ops/s  p99 %8.0f us  %12s", client, phase, share * 100, rate, p99, left)
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
