# SPDX-License-Identifier: MIT
# shellcheck shell=bash
# HIT_RATIO: runs the search for a point before its first repeat, and keeps the pattern that it found; master.sh has its looks.

declare -A _HIT_KEYS=() # by point: the found pattern, or `-` if the search failed

# The number of attempts of a search that the OOM killer stops.
readonly _HIT_TURNS=3

# Search for the pattern with the hit ratio of a row's point if it is not known yet, and enter the row with it as KEY_PATTERN.
# Usage: hit_settle ROW
#   ROW is in force before and afterwards
# Globals: RUN PLAN_ROWS
# Returns: 1 if there is no such pattern, or the search failed, with the reason on stderr
hit_settle() {
  local point=${ROW[point]}
  hit_wanted || return 0
  [[ -n ${_HIT_KEYS[$point]+set} ]] || {
    # A resumed run may have the answer in hit.tsv.
    _hit_ask "$point"
    [[ $_HIT_ANSWER != look* ]] || _hit_seek "$point" || {
      plan_row "$1"
      _HIT_KEYS[$point]=-
      log_warn "$point: the search for the keys of HIT_RATIO=$HIT_RATIO failed; ./do_it.sh run --resume $(log_word "$RUN") tries again"
      return 1
    }
    plan_row "$1"
    _hit_take "$point"
  }
  if [[ ${_HIT_KEYS[$point]} == - ]]; then
    log_warn "$point: skipped: no keys found for HIT_RATIO=$HIT_RATIO"
    return 1
  fi
  plan_row "$1" KEY_PATTERN="${_HIT_KEYS[$point]}"
}

# Search for the keys of a point on the first variant with limited DRAM.
# Usage: _hit_seek POINT
# Returns: sets _HIT_ANSWER; 1 if the search failed, with the reason on stderr
_hit_seek() {
  local point=$1 row status turn
  row=$(_hit_row_of "$point") || return
  plan_row "$row"
  # The load of the search is not a phase of the run.
  plan_row "$row" RATE=0 TIME=0 WARMUP=0 PHASES='populate get' FAULT=none TRACK_WRITES=0 CONNECTIONS="${CONNECTIONS/search/16}"
  [[ $GENERATOR == test ]] || {
    log_warn "$point: HIT_RATIO: $GENERATOR of the variant ${ROW[variant]} does not support it; name a variant with limited DRAM and GENERATOR=test before it"
    return 1
  }
  # After a suspension of the master, another run may have the server and its settings.
  repeat_tune "${ROW[variant]}" || return
  log_info "$point: searching on ${ROW[variant]} for $KEY_PATTERN keys of which DRAM serves $HIT_RATIO"
  for ((turn = 1; turn <= _HIT_TURNS; turn++)); do
    status=0
    _hit_clean "$point" || return
    _HIT_POINT=$point _HIT_LOOK='' _HIT_BEGAN=$SECONDS
    repeat_probe hit || status=$?
    _HIT_POINT=
    # The OOM killer may act when nearly every page in DRAM is in use.
    ((status == REPEAT_KILLED && turn < _HIT_TURNS)) || break
    log_warn "$point: the OOM killer stopped the search for its keys; the search is repeated"
  done
  _hit_ask "$point"
  return "$status"
}

# Print the row of a point in the plan that the search uses.
# Usage: _hit_row_of POINT
_hit_row_of() {
  local row name variant repeat
  for row in "${PLAN_ROWS[@]}"; do
    IFS=$'\t' read -r _ variant name repeat _ <<<"$row"
    [[ $name == "$1" && $repeat == 1 ]] || continue
    plan_row "$row"
    hit_counted || continue
    printf '%s\n' "$row"
    return
  done
  log_warn "$1: HIT_RATIO: no variant's accesses to far memory can be counted at this point; remove the point's values from SWEEP"
  return 1
}

# Delete the looks of a point: its search was interrupted, and its instances have stopped.
_hit_clean() {
  local file=$RUN/hit.tsv
  # shellcheck disable=SC2016 # the program of awk
  write_more "$file" $'point\tvariant\thit_asked\tround\tlook\tkey_sd\thit\tops\tseconds' true &&
    write_file "$file" awk -F '\t' -v point="$1" '$1 != point' "$file"
}

# Store the answer of the search for a point's keys, and log it.
# Usage: _hit_take POINT
_hit_take() {
  local point=$1 word parameter hit rounds
  IFS=$'\t' read -r word parameter hit rounds <<<"$_HIT_ANSWER"
  _HIT_KEYS[$point]=-
  case $word in
    found)
      _HIT_KEYS[$point]=$(_hit_pattern "$parameter")
      log_info "$point: HIT_RATIO=$HIT_RATIO: ${_HIT_KEYS[$point]} hits $(_hit_percent "$hit"), after $rounds rounds"
      ;;
    closest)
      if LC_ALL=C awk -v hit="$hit" -v asked="${HIT_RATIO%\%}" 'BEGIN { off = 100 * hit - asked; exit off > 2 || off < -2 }'; then _HIT_KEYS[$point]=$(_hit_pattern "$parameter"); fi
      log_warn "$point: HIT_RATIO=$HIT_RATIO: not met after $rounds rounds; the closest is $(_hit_pattern "$parameter"), which hits $(_hit_percent "$hit")"
      ;;
    never)
      # The line is `never KIND PARAMETER HIT`, so the variables are shifted: parameter is KIND, hit is PARAMETER, rounds is HIT.
      if [[ $parameter == alike ]]; then
        log_warn "$point: HIT_RATIO=$HIT_RATIO: not possible with DRAM_RATIO=$DRAM_RATIO: uniform keys already hit $(_hit_percent "$rounds")"
      else
        log_warn "$point: HIT_RATIO=$HIT_RATIO: not possible with DRAM_RATIO=$DRAM_RATIO: even $(_hit_pattern "$hit") hits only $(_hit_percent "$rounds")"
      fi
      ;;
    *) log_warn "$point: HIT_RATIO=$HIT_RATIO: the search for its keys returned an unknown line: '$_HIT_ANSWER'" ;;
  esac
}
