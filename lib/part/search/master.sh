# SPDX-License-Identifier: MIT
# shellcheck shell=bash
# RATE=search, CONNECTIONS=search and DRAM_RATIO=search. At the gate of a phase, run steps until the answer is known; then measure the phase at the
# answer. search.awk chooses the load of each step, or its share of DRAM (lib/part/dram/master.sh).

# The ratio of two loads that differ, or the difference of two shares of DRAM in points; and the max steps of a search for one limit, after which its
# answer is the estimate so far. In the quick form both are coarser: a figure that stays near its limit at many loads takes all steps.
readonly SEARCH_FULL="2% 80" SEARCH_QUICK="5% 24"
# The probability with which the answer is within two of these ratios, which ends a search.
readonly SEARCH_SURE=95%
_SEARCH_FOLDER=  # steps.tsv and search.tsv of the repeat
_SEARCH_PENDING= # the running step or take: PHASE KIND LIMIT LOAD TRY
_SEARCH_PROBES=  # the output of host_probe_cpu before it, lines HOST PROBE
_SEARCH_ROWS=    # the server's counters before it
_SEARCH_STEP=0   # steps so far
_SEARCH_GIVEN=   # of a step or take: requests per second, or cN for N connections
SEARCH_SECONDS=  # of a step

# Whether the current variant searches.
# Usage: search_wanted
# Globals: RATE CONNECTIONS DRAM_RATIO
search_wanted() {
  [[ $RATE == search* || $CONNECTIONS == search ]] || dram_wanted
}

# The kind of search: dram, connections or rate.
# Usage: search_what
# Returns: sets REPLY
search_what() {
  REPLY=rate
  [[ $CONNECTIONS != search ]] || REPLY=connections
  ! dram_wanted || REPLY=dram
}

# Whether a phase is searched: every phase except populate.
# Usage: search_owns PHASE
search_owns() {
  search_wanted && ! common_is_fill "$1"
}

# Refuse a search in a ledger of trials.
# Usage: search_ledger
# Returns: exits 2
search_ledger() {
  local name=RATE REPLY
  search_what
  [[ $REPLY != connections ]] || name=CONNECTIONS
  [[ $REPLY != dram ]] || name=DRAM_RATIO
  conf_refuse "$name" "a trial has no search, because its repeats are one figure; set a number"
}

# The phases for the load generator: a searched phase is repeated once per limit.
# Usage: search_phases
# Globals: LIMITS
# Returns: sets REPLY, which has the phases before
search_phases() {
  local phase limit list=''
  local -a phases
  read -r -a phases <<<"$REPLY"
  for phase in "${phases[@]}"; do
    if search_owns "$phase"; then
      for limit in $LIMITS; do list+="${limit:+ }$phase"; done
    else
      list+=" $phase"
    fi
  done
  REPLY=${list# }
}

# Print the expected steps of a search of one phase. Measured: 20 to 25 for one limit on an idle machine, about 10 for each further limit. For DRAM,
# looks are repeated until the instances have fetched their pages.
# Usage: search_expected
# Globals: LIMITS
search_expected() {
  local limits steps SEARCH_STEP SEARCH_STEPS
  limits=$(wc -w <<<"$LIMITS")
  steps=$((15 + 10 * limits))
  ! dram_wanted || steps=$((25 + 15 * limits))
  search_bounds
  echo $((steps < SEARCH_STEPS * limits ? steps : SEARCH_STEPS * limits))
}

# The ratio of two loads, and the max steps of a search for one limit.
# Usage: search_bounds
# Globals: QUICK
# Returns: sets SEARCH_STEP and SEARCH_STEPS
search_bounds() {
  local bounds=$SEARCH_FULL
  [[ $QUICK == off ]] || bounds=$SEARCH_QUICK
  SEARCH_STEP=${bounds% *} SEARCH_STEPS=${bounds#* }
}

# Print a line about the search in a plan; nothing without a search.
# Usage: search_say
search_say() {
  local what='' variant entered=$PLAN_ENTERED SEARCH_STEP SEARCH_STEPS REPLY
  search_bounds
  if [[ $DRAM_RATIO == search ]]; then
    for variant in $VARIANTS; do
      plan_enter "$variant" ''
      dram_wanted || continue
      dram_given
      printf 'search   %s: the min share of DRAM that keeps %s at %s: about %d steps of %s s per phase, at most %d per limit\n' "$variant" "${LIMITS// / and }" \
        "$([[ $RATE == search* ]] && echo "$REPLY of what ${VARIANTS%% *} keeps" || echo "$REPLY ops/s")" "$(search_expected)" "$SEARCH_TIME" \
        "$SEARCH_STEPS"
    done
    plan_enter "$entered" ''
  fi
  [[ $RATE != search* ]] || what=rate
  [[ $CONNECTIONS != search ]] || what='number of connections'
  [[ -n $what ]] || return 0
  printf 'search   the highest %s that keeps %s: about %d steps of %s s per phase, at most %d per limit\n' "$what" "${LIMITS// / and }" "$(search_expected)" \
    "$SEARCH_TIME" "$SEARCH_STEPS"
}

# Begin the searches of a repeat.
# Usage: search_fresh DIR
search_fresh() {
  _SEARCH_FOLDER=$1 _SEARCH_PENDING='' _SEARCH_PROBES='' _SEARCH_ROWS='' _SEARCH_STEP=0
  [[ ! -e $1/steps.tsv ]] || _SEARCH_STEP=$(awk 'END { print NR - 1 }' "$1/steps.tsv")
  dram_start
}

# Record a failed look: the OOM killer stopped it, or the kernel could not free enough memory. When the repeat is run again, its takes are dropped.
# Usage: search_lost DIR SHARE oom|reclaim
search_lost() {
  local base kind=seek limit=-
  IFS=$'\t' read -r base kind limit _ <<<"$_SEARCH_PENDING"
  [[ $kind == scan ]] || kind=seek
  # shellcheck disable=SC2016 # the program of awk
  LC_ALL=C write_file "$1/steps.tsv" awk -v phase="${base:-none}" -v kind="$kind" -v limit="${limit:--}" -v share="$2" -v why="$3" '
    BEGIN { FS = OFS = "\t" }
    NR == 1 { for (i = 1; i <= NF; i++) at[$i] = i; columns = NF }
    NR == 1 || $at["kind"] != "take" || why != "oom" { print; if (NR > 1 && $at["step"] + 0 > step) step = $at["step"] + 0 }
    END {
      for (i = 1; i <= columns; i++) $i = "-"
      NF = columns
      $at["phase"] = phase; $at["kind"] = kind; $at["limit"] = limit; $at["step"] = step + 1; $at["try"] = 1
      $at["ops_per_sec"] = $at["answered_percent"] = 0; $at["unsent"] = $at["errors"] = $at["client_limited"] = 0
      $at["counts"] = 1; $at["dram_share_percent"] = share; $at["lost"] = why
      print
    }' "$1/steps.tsv"
}

# All clients wait at the gate of a searched phase: read their last step, and choose the next one.
# Usage: search_turn OFFER CLIENT...
#   OFFER is the phase as the gate names it: mixed-2.5 is the sixth offer of the second mixed
# Returns: sets PARTS_DO, SEARCH_SECONDS and the output of search_load; 1 if the step cannot be read, with the reason on stderr
search_turn() {
  local phase=${1%.*} client
  shift
  for client; do foreign_mark steps "$client" "$(client_probe "$client")"; done
  monitor_mark "$(_search_mark "$phase")" || :
  [[ -z $_SEARCH_PENDING ]] || _search_take_in "$(_search_probes "$@")" "$@" || return
  _search_choose "$phase" "$@"
}

# Choose the next step after the looks so far, and set its share of DRAM. A share to which the kernel cannot reduce the instances is a failed look.
# Usage: _search_choose PHASE CLIENT...
# Returns: as search_turn
_search_choose() {
  local phase=$1 base=${1%%-*} turn=1 line word kind limit load try what status=0 REPLY
  shift
  [[ $phase != *-* ]] || turn=${phase##*-}
  line=$(_search_next "$base" "$turn") || return
  IFS=$'\t' read -r word kind limit load try _ <<<"$line"
  search_what
  what=$REPLY
  [[ $what != dram || $word != step ]] || ((try == 1)) || _search_supersede || return
  SEARCH_SECONDS=$SEARCH_TIME
  case $word in
    step)
      PARTS_DO=step
      _SEARCH_PENDING="$base"$'\t'"$kind"$'\t'"$limit"$'\t'"$load"$'\t'"$try"
      ;;
    take)
      try=$load load=$limit limit=$kind
      PARTS_DO=take
      _SEARCH_PENDING="$base"$'\t'take$'\t'"$limit"$'\t'"$load"$'\t'"$try"
      log_info "$phase: $limit: measured$( ((try == 1)) || printf ' again') at $(_search_say "$load")"
      ;;
    keep | none) _search_settle "$phase" "$line" || return ;;
    *)
      log_warn "$phase: the search returned an unknown line: '$line'"
      return 1
      ;;
  esac
  _SEARCH_GIVEN=$load
  case $what in
    connections) _SEARCH_GIVEN=c$load ;;
    rate) [[ $load != 0 ]] || _SEARCH_GIVEN=c0 ;;
    dram)
      dram_rate "$base" || return
      _SEARCH_GIVEN=$REPLY
      [[ $word != step && $word != take ]] || dram_set "$load" || status=$?
      ;;
  esac
  if ((status == 2)); then
    log_warn "$phase: the kernel cannot reduce the instances to $load % of DRAM: smaller shares are skipped"
    search_lost "$_SEARCH_FOLDER" "$load" reclaim || return
    _SEARCH_STEP=$((_SEARCH_STEP + 1)) _SEARCH_PENDING=
    monitor_mark look || :
    _search_choose "$phase" "$@"
    return
  fi
  ((status == 0)) || return
  _SEARCH_PROBES=$(_search_probes "$@") _SEARCH_ROWS=$MONITOR_ROWS
}

# The last look is repeated: it does not count.
_search_supersede() {
  # shellcheck disable=SC2016 # the program of awk
  write_file "$_SEARCH_FOLDER/steps.tsv" awk 'BEGIN { FS = OFS = "\t" }
    NR == 1 { for (i = 1; i <= NF; i++) at[$i] = i }
    NR > 1 { print row }
    { row = $0; $at["counts"] = NR == 1 ? $at["counts"] : 0; last = $0 }
    END { print last }' "$_SEARCH_FOLDER/steps.tsv"
}

# Print the name of the counters' mark at this turn. The first turn of a search ends the phase before it, and the turn after a take ends
# that take. Each of them has its own mark; a repeated take replaces its mark. Between two steps the counters are read, not kept.
_search_mark() {
  case $_SEARCH_PENDING in
    '') echo "search-$1" ;;
    *$'\t'take$'\t'*) echo "searched-$1" ;;
    *) echo look ;;
  esac
}

# Print the content of a client's start file after the time: its part of the load.
# Usage: search_load CLIENT
search_load() {
  local load=$_SEARCH_GIVEN
  [[ $load == c* ]] || load=$(shares_rate "$1" "$load")
  if [[ $PARTS_DO == take ]]; then echo "$load take"; else echo "$load $SEARCH_SECONDS"; fi
}

# Print the output of steps.awk.
# Usage: _search_next PHASE TURN
_search_next() {
  local most SEARCH_STEP SEARCH_STEPS REPLY
  shares_connections
  most=$REPLY
  search_bounds
  search_what
  [[ -e $_SEARCH_FOLDER/steps.tsv ]] || write_file "$_SEARCH_FOLDER/steps.tsv" _search_header || return
  export LIMITS SEARCH_STEP SEARCH_STEPS SEARCH_SURE # of this subshell
  SEARCH=$REPLY PHASE=$1 TURN=$2 MOST=$most \
    figures_run metric -- -f "$LIB/part/search/search.awk" -f "$LIB/part/search/steps.awk" "$_SEARCH_FOLDER/steps.tsv"
}

# Print the header of steps.tsv.
# Usage: _search_header
_search_header() {
  printf 'phase\tkind\tlimit\tstep\ttry\trate\tconnections\tops_per_sec\tavg_us\tp50_us\tp90_us\tp99_us\tp99_9_us\tp99_99_us\tmax_us\tanswered_percent\tunsent\terrors'
  printf '\tclient_limited\tsend_lag_p99_us\tfar_per_op\tforeign_server\tforeign_client\tsteal\tcounts\tdram_share_percent\tlost\n'
}

# Print the current probes of all hosts, lines HOST PROBE.
_search_probes() {
  local client
  printf '%s\n' "$MONITOR_PROBES"
  for client; do printf '%s\t%s\n' "$client" "$(client_probe "$client")"; done
}

# Add the row of the step or take that has ended.
# Usage: _search_take_in PROBES CLIENT...
_search_take_in() {
  local probes=$1 phase kind limit load try figures server client steal over far=- counts=1 connections rate share=- REPLY
  shift
  IFS=$'\t' read -r phase kind limit load try <<<"$_SEARCH_PENDING"
  parallel_run $((REMOTE_RETRY + 60)) client_step "$@" || {
    log_warn "$(parallel_failed "$@"): cannot read the row of a step"
    return 1
  }
  figures=$(_search_printed "$@" | LC_ALL=C sort -t $'\t' -k 1,1 -k 2,2n | LC_ALL=C awk -f "$LIB/part/search/step.awk") || return
  read -r server client steal over < <(_search_foreign "$probes") || :
  [[ -z $_SEARCH_ROWS ]] || far=$(_search_far)
  # The fourth try counts, because the search must end on a busy machine too.
  [[ $over == 0 ]] || ((try > 3)) || counts=0
  rate=$load connections=$CONNECTIONS
  search_what
  case $REPLY in
    connections) rate=0 connections=$load ;;
    dram)
      dram_rate "$phase" || return
      rate=$REPLY share=$load
      ;;
  esac
  _SEARCH_STEP=$((_SEARCH_STEP + 1))
  write_more "$_SEARCH_FOLDER/steps.tsv" '' printf '%s\t%s\t%s\t%s\t%s\t%s\t%s\t%s\t%s\t%s\t%s\t%s\t%s\t%s\t-\n' \
    "$phase" "$kind" "$limit" "$_SEARCH_STEP" "$try" "$rate" "$connections" "$figures" "$far" "$server" "$client" "$steal" "$counts" "$share" || return
  _SEARCH_PENDING=
  log_info "$(_search_told "$phase" "$kind" "$limit" "$load" "$counts" "$figures")$([[ $share == - ]] || echo ", far $far with $share % of DRAM")"
}

# Print the figures that the clients reported for the step, each after the number of its client.
_search_printed() {
  local client number=0
  for client; do
    number=$((number + 1))
    awk -v number="$number" 'BEGIN { FS = OFS = "\t" } $1 == "figure" { $1 = $1 OFS number } { print }' <<<"${PARALLEL_OUT[$client]}"
  done
}

# Print the CPU time of other programs during the step: on the server, the max over the clients, and the steal time; then 1 if it exceeds FOREIGN,
# else 0.
_search_foreign() {
  { _search_behind step "$_SEARCH_PROBES" && _search_behind end "$1"; } | LIMIT=$FOREIGN LC_ALL=C awk -f "$LIB/run/foreign.awk" | awk -F '\t' '
    NR == 1 || $1 != "step" { next }
    $2 ~ /^server(:|$)/ && $9 >= server + 0 { server = $9 }
    $2 !~ /^server(:|$)/ && $9 >= client + 0 { client = $9 }
    $10 >= steal + 0 { steal = $10 }
    { over += $12 }
    END { print (server == "" ? "-" : server), (client == "" ? "-" : client), (steal == "" ? "-" : steal), (over > 0) }'
}

# Print the major faults of the instances per request during the step; `-` if far memory causes no faults.
_search_far() {
  if tier_is direct; then
    echo -
  else
    monitor_waits "$_SEARCH_ROWS" "$MONITOR_ROWS" | LC_ALL=C awk '{ far = sprintf("%.6f", $1 / $2) } END { print far == "" ? "-" : far }'
  fi
}

# Print each line of a text after a word and a tab.
_search_behind() {
  awk -v word="$1" '{ print word "\t" $0 }' <<<"$2"
}

# Print a line about a step.
# Usage: _search_told PHASE KIND LIMIT LOAD COUNTS FIGURES
_search_told() {
  local ops avg p99 disturbed='; disturbed by other programs'
  IFS=$'\t' read -r ops avg _ _ p99 _ <<<"$6"
  # A phase that keeps its limit is not repeated.
  [[ $2 == take ]] || disturbed+=': repeated'
  [[ $5 == 0 ]] || disturbed=''
  printf '%s step %d%s: %s ops/s%s: avg %s us, p99 %s us%s' "$1" "$_SEARCH_STEP" "$([[ $3 == - ]] || printf ' for %s' "$3")" "${ops%.*}" \
    "$([[ $4 == 0 ]] && echo ' in a closed loop')" "$avg" "$p99" "$disturbed"
}

# Print a load with its unit.
_search_say() {
  local REPLY
  search_what
  case $REPLY in
    connections) echo "$1 connections" ;;
    dram) echo "$1 % of DRAM" ;;
    *) echo "$1 ops/s" ;;
  esac
}

# Record the answer of a limit.
# Usage: _search_settle PHASE LINE
_search_settle() {
  local phase=$1 file=$_SEARCH_FOLDER/search.tsv head word limit load state low high soft_low soft_high steps least kept looks slowest
  local unit=ops_per_sec REPLY
  dram_wanted && {
    _search_settle_dram "$@"
    return
  }
  search_what
  [[ $REPLY != connections ]] || unit=connections
  head=$'phase\tlimit\tsearch\tload\tsearch_low\tsearch_high\tsoft_low\tsoft_high\tsteps\tleast_us\tslowest_kept\tslowest_looks\tslowest\tload_unit'
  if [[ $2 == none* ]]; then
    IFS=$'\t' read -r word limit least load steps kept looks slowest <<<"$2"
    PARTS_DO=skip
    write_more "$file" "$head" printf '%s\t%s\tnone\t%s\t-\t-\t-\t-\t%s\t%s\t%s\t%s\t%s\t%s\n' "$phase" "$limit" "$load" "$steps" "$least" "$kept" \
      "$looks" "$slowest" "$unit" || return
    if [[ $least == - ]]; then
      log_warn "$phase: $limit: no load keeps it: no step had an answer to a request"
    else
      log_warn "$phase: $limit: no load keeps it: $kept of $looks looks at $(_search_say "$slowest") did; the min measured is $least us, at $(_search_say "$load")"
    fi
    return
  fi
  IFS=$'\t' read -r word limit load state low high soft_low soft_high steps <<<"$2"
  PARTS_DO=$word
  write_more "$file" "$head" printf '%s\t%s\t%s\t%s\t%s\t%s\t%s\t%s\t%s\t-\t-\t-\t-\t%s\n' "$phase" "$limit" "$state" "$load" "$low" "$high" \
    "$soft_low" "$soft_high" "$steps" "$unit" || return
  log_info "$phase: $limit: $(_search_say "$load") ($state, after $steps steps; 95 % between $low and $high)"
}

# As _search_settle, for a search for DRAM.
_search_settle_dram() {
  local phase=$1 file=$_SEARCH_FOLDER/size.tsv word limit share state low high soft_low soft_high steps least broke kept looks most
  local head=$'phase\tlimit\tsearch\tdram_share_percent\tsearch_low\tsearch_high\tsoft_low\tsoft_high\tsteps\tleast\tbroke_by\trate\tbase_bytes'
  if [[ $2 == none* ]]; then
    IFS=$'\t' read -r word limit least share steps kept looks most <<<"$2"
    PARTS_DO=skip
    write_more "$file" "$head" printf '%s\t%s\tnone\t%s\t-\t-\t-\t-\t%s\t%s\t-\t%s\t%s\n' "$phase" "$limit" "${share:--}" "$steps" "${least:--}" \
      "$(_search_rate "$phase")" "$_DRAM_BASE" || return
    log_warn "$phase: $limit: not kept even with all data in DRAM: $kept of $looks looks with $most % of DRAM did; the min measured is ${least:--}, with ${share:--} % of DRAM"
    return
  fi
  IFS=$'\t' read -r word limit share state low high soft_low soft_high steps broke <<<"$2"
  PARTS_DO=$word
  write_more "$file" "$head" printf '%s\t%s\t%s\t%s\t%s\t%s\t%s\t%s\t%s\t-\t%s\t%s\t%s\n' "$phase" "$limit" "$state" "$share" "$low" "$high" \
    "$soft_low" "$soft_high" "$steps" "$broke" "$(_search_rate "$phase")" "$_DRAM_BASE" || return
  log_info "$phase: $limit: $share % of DRAM ($state, after $steps steps; 95 % between $low and $high; below it breaks: $broke)"
}

# Print the rate during a search for DRAM.
_search_rate() {
  local REPLY
  dram_rate "${1%%-*}" && echo "$REPLY"
}
