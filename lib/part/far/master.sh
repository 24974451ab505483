# SPDX-License-Identifier: MIT
# shellcheck shell=bash
# FAR.events: `perf stat` counts loads from far memory without page faults on each server during a phase.

_FAR_FOLDER=            # far.tsv of the repeat
_FAR_OFF=               # yes: nothing is counted in this repeat
declare -A _FAR_ROWS=() # by server: the counted events, as _far_events prints them

# Usage: far_wanted
# Globals: FAR_EVENTS
far_wanted() {
  [[ $FAR_EVENTS != off ]]
}

# Print the events of the server in HOST, rows SCOPE EVENT NAME CPU; nothing when its CPU has none.
# Usage: _far_events CPU
# Globals: FAR_EVENTS HOST
_far_events() {
  local word
  case $FAR_EVENTS in
    auto) far_lookup <<<"$1" ;;
    *) for word in $FAR_EVENTS; do printf 'instance\t%s\t%s\tFAR.events\n' "$word" "$word"; done ;;
  esac
}

# The CPU of the server in HOST, where the events depend on it.
# Usage: _far_identify
# Returns: sets REPLY, a line `cpu VENDOR FAMILY MODEL STEPPING NAME`; 1 if it cannot be identified
_far_identify() {
  REPLY=
  [[ $FAR_EVENTS == auto ]] || return 0
  # It is asked once, in whichever subshell that is.
  [[ -s $_REMOTE_TMP/cpu.$HOST ]] || call_run "$HOST" far cpu >"$_REMOTE_TMP/cpu.$HOST" || return
  REPLY=$(<"$_REMOTE_TMP/cpu.$HOST")
}

# Print the events of a CPU, rows SCOPE EVENT NAME CPU.
# Usage: far_lookup <CPU
#   CPU is a line `cpu VENDOR FAMILY MODEL STEPPING NAME`
# Globals: ROOT
far_lookup() {
  awk -F '\t' -v OFS='\t' '
    function within(list, x,    n, i, part, edge) {
      if (list == "-") return 1
      n = split(list, part, ",")
      for (i = 1; i <= n; i++) {
        if (part[i] == x) return 1
        if (split(part[i], edge, "-") == 2 && x ~ /^[0-9]+$/ && x + 0 >= edge[1] + 0 && x + 0 <= edge[2] + 0) return 1
      }
      return 0
    }
    FILENAME == "-" { vendor = $2; family = $3; model = $4; stepping = $5; next }
    /^#/ { next }
    $1 == vendor && ($2 == "-" || $2 == family) && within($3, model) && within($4, stepping) { print $6, $7, $8, $5 }' - "$ROOT/conf/far_events.tsv"
}

# Print a row STATE FOUND WANTED FIX: whether the server in HOST can count. If FAR.events is off, it says what could count there if
# DOCTOR_ALL is not empty.
# Usage: far_doctor
# Globals: DOCTOR_ALL
far_doctor() {
  local rows PERF_EVENTS REPLY
  far_wanted || {
    [[ -z ${DOCTOR_ALL-} ]] || _far_possible
    return
  }
  _far_identify || return
  rows=$(_far_events "$REPLY")
  if [[ -z $rows ]]; then
    printf 'warn\tno event is known for %s\tFAR.events: loads from far memory\tset FAR.events to events of this CPU (conf/far_events.tsv)\n' \
      "$(cut -f 6 <<<"$REPLY")"
    return
  fi
  PERF_EVENTS=$(_far_words "$rows")
  call_run "$HOST" far check
}

# Print a row about what counts far accesses on the server in HOST.
_far_possible() {
  local cpu events
  cpu=$(call_run "$HOST" far cpu) || return
  events=$(far_lookup <<<"$cpu" | cut -f 2 | paste -sd ' ')
  if [[ -n $events ]]; then
    events="$events, with FAR=auto"
  else
    events="no event is known for $(cut -f 6 <<<"$cpu")"
  fi
  printf 'ok\tswapped pages: major faults; slow nodes: %s\twhat counts far accesses here\t-\n' "$events"
}

# Usage: far_fresh DIR
far_fresh() {
  _FAR_FOLDER=$1 _FAR_OFF=
}

# Find the events of the server in HOST. The sum without a server would be too small: if one of several servers has none, nothing is counted.
# Usage: far_ready
far_ready() {
  local REPLY
  _FAR_ROWS[$HOST]=
  ! _far_identify || _FAR_ROWS[$HOST]=$(_far_events "$REPLY")
  [[ -n ${_FAR_ROWS[$HOST]} ]] || _FAR_OFF=yes
}

# Start counting before a phase begins.
far_at_start() {
  PERF_EVENTS=$(_far_words "${_FAR_ROWS[$HOST]}")
  [[ -n $_FAR_OFF ]] || parts_ask start
}

# A phase that cannot be counted is still measured. Usage: far_lost_start HOSTS PHASE
far_lost_start() {
  _FAR_OFF=yes
  log_warn "$1: loads from far memory are not counted: run './do_it.sh doctor' with FAR.events=$FAR_EVENTS"
}

# Stop counting after the phase.
far_at_stop() {
  parts_ask end
}

# Keep the counts: of several servers, the sum of each event of a CPU.
far_got_stop() {
  [[ -n $_FAR_OFF ]] || write_more "$_FAR_FOLDER/far.tsv" $'phase\tcpu\tscope\tevent\tname\tvalue\tpercent' _far_sum
}

# As far_got_stop, when a server has no counts. Usage: far_lost_stop HOSTS NEXT_PHASE
far_lost_stop() {
  [[ -n $_FAR_OFF ]] || log_warn "$1: loads from far memory in $PARTS_PHASE are unknown"
  far_got_stop
}

# Print the counts of the phase.
_far_sum() {
  servers_each _far_counted | LC_ALL=C awk -F '\t' -v OFS='\t' -v phase="$PARTS_PHASE" '
    {
      key = $2 OFS $3 OFS $4 OFS $5
      if (seen[$1, key]++) next
      if (!(key in value)) { order[++keys] = key; value[key] = $6; share[key] = $7; next }
      value[key] = value[key] ~ /^[0-9]+$/ && $6 ~ /^[0-9]+$/ ? sprintf("%.0f", value[key] + $6) : "-"
      if ($7 + 0 < share[key] + 0) share[key] = $7
    }
    END { for (i = 1; i <= keys; i++) print phase, order[i], value[order[i]], share[order[i]] }'
}

# Print what was counted on the server in HOST, rows HOST CPU SCOPE EVENT NAME VALUE PERCENT; an event without a count has `-` and 0.
_far_counted() {
  awk -F '\t' -v OFS='\t' -v host="$HOST" '
    FILENAME == "-" { value[$2, $3] = $4; share[$2, $3] = $5; next }
    {
      n[$1]++
      key = $1 SUBSEP n[$1]
      print host, $4, $1, $2, $3, ((key in value) ? value[key] : "-"), ((key in share) ? share[key] : 0)
    }' \
    - <(printf '%s\n' "${_FAR_ROWS[$HOST]}") <<<"${PART_SAID[$HOST]}"
}

# Print events as the arguments of lib/part/far/host.sh.
# Usage: _far_words ROWS
_far_words() {
  awk -F '\t' '{ printf "%s%s %s", (NR > 1 ? " " : ""), $1, $2 }' <<<"$1"
}
