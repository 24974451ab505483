# SPDX-License-Identifier: MIT
# shellcheck shell=bash
# HIT_RATIO: before the first repeat of a point, fill instances on a variant with limited DRAM, and search for a key pattern with this hit ratio.
# The search varies one parameter: the SD of gaussian, the exponent of zipf, or the share of requests to the hot keys of hotspot.
# A look is one measurement of the hit ratio; lib/run/hit.awk chooses the next look.

declare -A _HIT_KEYS=() # by point: the found pattern, or `-` if the search failed
_HIT_POINT=             # the point whose search runs now
_HIT_ROWS=              # the server's counters before the current look
_HIT_LOOK=              # the current look: ROUND LOOK PARAMETER
_HIT_ANSWER=            # what its looks say: the last line that hit.awk printed
_HIT_BEGAN=0            # when the search began, in SECONDS
HIT_DO=                 # the next action of the clients: step or skip

# The usual number of looks of a search: two rounds.
readonly _HIT_EXPECTED=9

# The number of attempts of a search that the OOM killer stops.
readonly _HIT_TURNS=3

# Whether the current settings request a hit ratio.
# Usage: hit_wanted
# Globals: HIT_RATIO
hit_wanted() {
  [[ $HIT_RATIO != off ]]
}

# Whether waits of the current variant are counted: DRAM is limited, or the server itself counts reads from flash.
# Usage: hit_counted
# Globals: HIT_COUNTERS
hit_counted() {
  tier_is limited || [[ $HIT_COUNTERS != majflt ]]
}

# Print the line of the plan about the hit ratio.
# Usage: hit_say
hit_say() {
  hit_wanted || return 0
  printf 'hits     %s of requests served by DRAM: the run searches for the %s keys on the first variant with limited DRAM, once per point, in about %.0f s after populate\n' \
    "${HIT_RATIO// /, }" "$KEY_PATTERN" \
    "$(LC_ALL=C awk -v looks="$_HIT_EXPECTED" -v each="$SEARCH_TIME" 'BEGIN { print looks * (each + 1) }')"
}

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

# Whether a phase at the gate belongs to a search for a hit ratio.
# Usage: hit_is OFFER
hit_is() {
  [[ -n $_HIT_POINT ]] && ! common_is_fill "$1"
}

# All clients wait at the gate: record the look that they finished, and choose the next step.
# Usage: hit_turn
# Returns: sets HIT_DO and the output of hit_words; 1 if the counters could not be read
hit_turn() {
  local lines word round look parameter waits
  monitor_mark look || return
  if [[ -n $_HIT_LOOK ]]; then
    IFS=$'\t' read -r round look parameter <<<"$_HIT_LOOK"
    read -r -a waits < <(monitor_waits "$_HIT_ROWS" "$MONITOR_ROWS") || {
      log_warn "${HOST// /, }: cannot count the misses of a look"
      return 1
    }
    _hit_row "$round" "$look" "$parameter" "${waits[@]}" || return
  fi
  lines=$(_hit_next "$_HIT_POINT") || return
  [[ $lines != round* ]] || _hit_tell "${lines%%$'\n'*}"
  IFS=$'\t' read -r word round look parameter <<<"${lines##*$'\n'}"
  _HIT_LOOK=
  HIT_DO=skip
  [[ $word == look ]] || return 0
  HIT_DO=step
  _HIT_LOOK=$round$'\t'$look$'\t'$parameter
  _HIT_ROWS=$MONITOR_ROWS
}

# Print what the start file of a client contains after the time.
# Usage: hit_words
hit_words() {
  echo "c0 $SEARCH_TIME $(_hit_pattern "${_HIT_LOOK##*$'\t'}")"
}

# Search for the keys of a point on the first variant with limited DRAM.
# Usage: _hit_seek POINT
# Returns: sets _HIT_ANSWER; 1 if the search failed, with the reason on stderr
_hit_seek() {
  local point=$1 row status turn
  row=$(_hit_row_of "$point") || return
  plan_row "$row"
  # The load of the search is not a phase of the run.
  plan_row "$row" RATE=0 TIME=0 WARMUP=0 PHASES='populate get' PROBE_WSS=off FAULT=none TRACE= FAR.events=off TRACK=0 NEIGHBOUR=0 CONNECTIONS="${CONNECTIONS/search/16}"
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
    repeat_probe || status=$?
    _HIT_POINT=
    # The OOM killer may act when nearly every page in DRAM is in use.
    ((status == REPEAT_KILLED && turn < _HIT_TURNS)) || break
    log_warn "$point: the OOM killer stopped the search for its keys; the search is repeated"
  done
  _hit_ask "$point"
  return "$status"
}

# Read what the looks of a point say so far.
# Usage: _hit_ask POINT
# Returns: sets _HIT_ANSWER
_hit_ask() {
  _HIT_ANSWER=$(_hit_next "$1" | tail -n 1)
}

# Print the row of a point in the plan that the search uses.
# Usage: _hit_row_of POINT
_hit_row_of() {
  local row name variant repeat REPLY
  for row in "${PLAN_ROWS[@]}"; do
    IFS=$'\t' read -r _ variant name repeat _ <<<"$row"
    [[ $name == "$1" && $repeat == 1 ]] || continue
    plan_row "$row"
    hit_counted || continue
    printf '%s\n' "$row"
    return
  done
  tiers_with Is limited
  log_warn "$1: HIT_RATIO: no variant has limited DRAM at this point; add one with the tier $REPLY"
  return 1
}

# Delete the looks of a point: its search was interrupted, and its instances have stopped.
_hit_clean() {
  local file=$RUN/hit.tsv
  # shellcheck disable=SC2016 # the program of awk
  write_more "$file" $'point\tvariant\thit_asked\tround\tlook\tkey_sd\thit\tops\tseconds' true &&
    write_file "$file" awk -F '\t' -v point="$1" '$1 != point' "$file"
}

# Record a look in hit.tsv.
# Usage: _hit_row ROUND LOOK PARAMETER FAULTS CALLS
_hit_row() {
  local hit
  # A request can fault twice, so faults may exceed calls.
  hit=$(LC_ALL=C awk -v faults="$4" -v calls="$5" 'BEGIN { hit = 1 - faults / calls; printf "%.4f", (hit > 0 ? hit : 0) }')
  write_more "$RUN/hit.tsv" '' printf '%s\t%s\t%s\t%s\t%s\t%s\t%s\t%s\t%s\n' "$_HIT_POINT" "${ROW[variant]}" "$HIT_RATIO" "$1" "$2" "$3" "$hit" "$5" \
    $((SECONDS - _HIT_BEGAN))
}

# Print the output of hit.awk for the looks of a point so far.
# Usage: _hit_next POINT
# Globals: KEY_PATTERN HIT_RATIO DRAM_RATIO ROW
_hit_next() {
  local hot=${KEY_PATTERN#*:} file=$RUN/hit.tsv share
  [[ -e $file ]] || file=/dev/null
  share=$(LC_ALL=C awk -v a="${DRAM_RATIO%:*}" -v b="${DRAM_RATIO#*:}" -v keys="${ROW[keys]}" -v all="${ROW[set_keys]}" 'BEGIN { print (keys > 0 && b > 0 ? a / b * all / keys : 1) }')
  POINT=$1 ASKED=${HIT_RATIO%\%} KIND=${KEY_PATTERN%%:*} HOT=${hot%:*} COUNT=${ROW[keys]} SHARE=$share LC_ALL=C awk -f "$LIB/run/hit.awk" "$file"
}

# Print KEY_PATTERN with a parameter.
_hit_pattern() {
  local hot=${KEY_PATTERN#*:}
  case $KEY_PATTERN in
    hotspot:*) echo "hotspot:${hot%:*}:$1" ;;
    *) echo "${KEY_PATTERN%%:*}:$1" ;;
  esac
}

# Print a fraction as a percentage.
_hit_percent() {
  LC_ALL=C awk -v part="$1" 'BEGIN { printf "%.1f %%", 100 * part }'
}

# Log the result of a round.
# Usage: _hit_tell LINE
_hit_tell() {
  local round parameter hit looks
  IFS=$'\t' read -r _ round parameter hit looks <<<"$1"
  log_info "$_HIT_POINT: round $round: $(_hit_pattern "$parameter") hits $(_hit_percent "$hit"), after $looks looks"
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
