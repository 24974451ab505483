# SPDX-License-Identifier: MIT
# shellcheck shell=bash
# HIT_RATIO: before the first repeat of a point, fill instances on a variant with limited DRAM, and search for a key pattern with this hit ratio.
# The search varies one parameter: the SD of gaussian, the exponent of zipf, or the share of requests to the hot keys of hotspot.
# A look is one measurement of the hit ratio; hit.awk chooses the next look.

_HIT_POINT=  # the point whose search runs now
_HIT_ROWS=   # the server's counters before the current look
_HIT_LOOK=   # the current look: ROUND LOOK PARAMETER
_HIT_ANSWER= # what its looks say: the last line that hit.awk printed
_HIT_BEGAN=0 # when the search began, in SECONDS

# The usual number of looks of a search: two rounds.
readonly _HIT_EXPECTED=9

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

# Whether a phase at the gate belongs to a search for a hit ratio.
# Usage: hit_owns OFFER
hit_owns() {
  [[ -n $_HIT_POINT ]] && ! common_is_fill "$1"
}

# All clients wait at the gate: record the look that they finished, and choose the next step.
# Usage: hit_turn
# Returns: sets PARTS_DO and the output of hit_load; 1 if the counters could not be read
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
  PARTS_DO=skip
  [[ $word == look ]] || return 0
  PARTS_DO=step
  _HIT_LOOK=$round$'\t'$look$'\t'$parameter
  _HIT_ROWS=$MONITOR_ROWS
}

# Print what the start file of a client contains after the time.
# Usage: hit_load
hit_load() {
  echo "c0 $SEARCH_TIME $(_hit_pattern "${_HIT_LOOK##*$'\t'}")"
}

# Read what the looks of a point say so far.
# Usage: _hit_ask POINT
# Returns: sets _HIT_ANSWER
_hit_ask() {
  _HIT_ANSWER=$(_hit_next "$1" | tail -n 1)
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
  POINT=$1 ASKED=${HIT_RATIO%\%} KIND=${KEY_PATTERN%%:*} HOT=${hot%:*} COUNT=${ROW[keys]} SHARE=$share LC_ALL=C awk -f "$LIB/part/hit/hit.awk" "$file"
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
