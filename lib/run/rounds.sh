# SPDX-License-Identifier: MIT
# shellcheck shell=bash
# Rounds: one repeat of every variant per round; REDISRUNS rounds, or with auto until the figures are precise or decided.

# How often a disturbed repeat is run again; the last try counts in any case.
_ROUNDS_AGAIN=2

# Run a repeat, like repeat_run. With REDISRUNS=auto a repeat that other programs disturbed is renamed to rep-N.disturbed-TIME, and run again.
# Usage: rounds_repeat DIR SIZE INSTANCES KEYS REPEAT
# Returns: as repeat_run
rounds_repeat() {
  local folder=$1 stamp why again
  while :; do
    repeat_run "$@" || return
    [[ $REDISRUNS == auto:* ]] || return 0
    why=$(rounds_disturbed "$folder")
    [[ -n $why ]] || return 0
    again=$(compgen -G "$folder.disturbed-*" | wc -l) || :
    ((again < _ROUNDS_AGAIN)) || {
      log_warn "disturbed again ($why); it counts, as it was run $((_ROUNDS_AGAIN + 1)) times"
      return 0
    }
    printf -v stamp '%(%Y%m%d-%H%M%S)T-%d' -1 $((again + 1))
    mv -T -- "$folder" "$folder.disturbed-$stamp" || return
    log_warn "disturbed ($why): kept as $folder.disturbed-$stamp, and run again"
  done
}

# Print what disturbed a repeat in the compared phases; nothing if it was not disturbed.
# Usage: rounds_disturbed DIR
rounds_disturbed() {
  local phase foreign steal
  [[ -r $1/foreign.tsv ]] || return 0
  while IFS=$'\t' read -r phase _ _ _ _ _ _ _ foreign steal _; do
    ! common_is_fill "$phase" || continue
    printf '%s: others used %s %% of a CPU, the hypervisor took %s %%\n' "$phase" "$foreign" "$steal"
    return
  done < <(foreign_over "$1/foreign.tsv")
}

# Print the open figures of a point after a round.
# Usage: rounds_look POINT ROUND
# Globals: RUN VARIANTS PRECISION SMALLEST REDISRUNS
# Returns: 0 if the point needs no further round, 1 if it does
rounds_look() {
  local name=$1 round=$2 lines variant stop next open
  local -a folders=()
  [[ $REDISRUNS == auto:* ]] || return 1
  for variant in $VARIANTS; do
    [[ ! -d $RUN/$variant/$name ]] || folders+=("$RUN/$variant/$name")
  done
  lines=$(
    export PRECISION SMALLEST VARIANTS REDISRUNS
    result_totals "${folders[@]}" 2>/dev/null | result_usable | ROUND=$round figures_run metric interval decide schedule bound rounds
  ) || :
  IFS=$'\t' read -r _ stop next < <(grep $'^stop\t' <<<"$lines") || stop=0 next=''
  open=$(sed -n $'s/^open\t//p' <<<"$lines")
  if [[ $stop == 1 && -z $open ]]; then
    log_info "$name: precise or decided after $round rounds: $(sed -n $'s/^[cu][a-z]*\t//p' <<<"$lines" | paste -sd ';' | sed 's/;/; /g')"
  elif [[ $stop == 1 ]]; then
    log_warn "$name: not precise after $round rounds (REDISRUNS=$REDISRUNS): ${open//$'\n'/; }"
  elif [[ -n $open ]]; then
    log_info "$name, after round $round: $(grep -c '' <<<"$open") of $(grep -vc $'^stop\t' <<<"$lines") figures open: ${open//$'\n'/; }; the next look is after round ${next:-?}"
  else
    log_info "$name, after round $round: no figure open; the next look is after round ${next:-?}"
  fi
  [[ $stop == 1 ]]
}
