# SPDX-License-Identifier: MIT
# shellcheck shell=bash
# FAR.events: `perf stat` counts loads from far memory without page faults on each server during a phase.

_PERF_PHASE=  # for this phase
_PERF_FOLDER= # far.tsv of the repeat
_PERF_ROWS=   # of one server: the counted events, as perf_events prints them
_PERF_CPU=    # of one server: its CPU, as _perf_identify sets it
_PERF_TOLD=   # yes after the warning that perf cannot count

# Print the events of the server in HOST, rows SCOPE EVENT NAME CPU; nothing when its CPU has none.
# Usage: perf_events
# Globals: FAR_EVENTS HOST; _PERF_CPU where it is auto
perf_events() {
  local word
  case $FAR_EVENTS in
    off) ;;
    auto) perf_lookup <<<"$_PERF_CPU" ;;
    *) for word in $FAR_EVENTS; do printf 'instance\t%s\t%s\tFAR.events\n' "$word" "$word"; done ;;
  esac
}

# Identify the CPU of the server in HOST, where the events depend on it.
# Returns: sets _PERF_CPU, VENDOR FAMILY MODEL STEPPING NAME; 1 if it cannot be identified
_perf_identify() {
  [[ $FAR_EVENTS == auto ]] || return 0
  # It is asked once, in whichever subshell that is.
  [[ -s $_REMOTE_TMP/cpu.$HOST ]] || call_run "$HOST" perf cpu >"$_REMOTE_TMP/cpu.$HOST" || return
  _PERF_CPU=$(<"$_REMOTE_TMP/cpu.$HOST")
}

# Print the events of a CPU, rows SCOPE EVENT NAME CPU.
# Usage: perf_lookup <CPU
#   CPU is a line `cpu VENDOR FAMILY MODEL STEPPING NAME`
# Globals: ROOT
perf_lookup() {
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
# Usage: perf_doctor
# Globals: DOCTOR_ALL
perf_doctor() {
  local rows PERF_EVENTS
  [[ $FAR_EVENTS != off ]] || {
    [[ -z ${DOCTOR_ALL-} ]] || _perf_possible
    return
  }
  _perf_identify || return
  rows=$(perf_events)
  if [[ -z $rows ]]; then
    printf 'warn\tno event is known for %s\tFAR.events: loads from far memory\tset FAR.events to events of this CPU (conf/far_events.tsv)\n' \
      "$(cut -f 6 <<<"$_PERF_CPU")"
    return
  fi
  PERF_EVENTS=$(_perf_words "$rows")
  call_run "$HOST" perf check
}

# Print a row about what counts far accesses on the server in HOST.
_perf_possible() {
  local cpu events
  cpu=$(call_run "$HOST" perf cpu) || return
  events=$(perf_lookup <<<"$cpu" | cut -f 2 | paste -sd ' ')
  if [[ -n $events ]]; then
    events="$events, with FAR=auto"
  else
    events="no event is known for $(cut -f 6 <<<"$cpu")"
  fi
  printf 'ok\tswapped pages: major faults; slow nodes: %s\twhat counts far accesses here\t-\n' "$events"
}

# Begin a repeat.
# Usage: perf_begin DIR
perf_begin() {
  _PERF_FOLDER=$1 _PERF_PHASE='' _PERF_TOLD=''
}

# Before a phase begins: start counting. A phase that cannot be counted is still measured. The sum without a server would be too small: if there
# are no events for the CPU of one of several servers, nothing is counted.
# Usage: perf_mark PHASE
perf_mark() {
  [[ $FAR_EVENTS != off && -z $_PERF_TOLD ]] || return 0
  servers_each _perf_learn || return 0
  _PERF_PHASE=$1
  servers_side $((REMOTE_RETRY + 60)) _perf_start || {
    _PERF_TOLD=yes _PERF_PHASE=
    # shellcheck disable=SC2086 # split into hosts on purpose
    log_warn "$(side_failed $HOST): loads from far memory are not counted: run './do_it.sh doctor' with FAR.events=$FAR_EVENTS"
    # The others would count until the end of the repeat.
    servers_call $((REMOTE_RETRY + 60)) 'perf stop' || :
  }
}

# Find the events of the server in HOST.
# Usage: _perf_learn
# Returns: sets _PERF_ROWS; 1 if its CPU has no events, or cannot be identified
_perf_learn() {
  _PERF_ROWS=
  _perf_identify || return
  _PERF_ROWS=$(perf_events)
  [[ -n $_PERF_ROWS ]]
}

# Start counting the events of the server in HOST.
# Usage: _perf_start
_perf_start() {
  local PERF_EVENTS
  PERF_EVENTS=$(_perf_words "$_PERF_ROWS")
  call_run "$HOST" perf start
}

# After a phase: stop counting, and keep the counts: of several servers, the sum of each event of a CPU.
# Usage: perf_end
perf_end() {
  [[ -n $_PERF_PHASE ]] || return 0
  servers_side $((REMOTE_RETRY + 60)) _perf_end || {
    # shellcheck disable=SC2086 # split into hosts on purpose
    log_warn "$(side_failed $HOST): loads from far memory in $_PERF_PHASE are unknown"
  }
  write_more "$_PERF_FOLDER/far.tsv" $'phase\tcpu\tscope\tevent\tname\tvalue\tpercent' _perf_sum
  _PERF_PHASE=
}

# Print the counts of the phase: of several servers, the sum of each event of a CPU.
_perf_sum() {
  servers_each _perf_counted | LC_ALL=C awk -F '\t' -v OFS='\t' -v phase="$_PERF_PHASE" '
    {
      key = $2 OFS $3 OFS $4 OFS $5
      if (seen[$1, key]++) next
      if (!(key in value)) { order[++keys] = key; value[key] = $6; share[key] = $7; next }
      value[key] = value[key] ~ /^[0-9]+$/ && $6 ~ /^[0-9]+$/ ? sprintf("%.0f", value[key] + $6) : "-"
      if ($7 + 0 < share[key] + 0) share[key] = $7
    }
    END { for (i = 1; i <= keys; i++) print phase, order[i], value[order[i]], share[order[i]] }'
}

# Stop counting on the server in HOST, and print the counts as lib/host/perf.sh does.
# Usage: _perf_end
_perf_end() {
  call_run "$HOST" perf end
}

# Print what was counted on the server in HOST, rows HOST CPU SCOPE EVENT NAME VALUE PERCENT; an event without a count has `-` and 0.
_perf_counted() {
  local counts=
  ((${SIDE_STATUS[$HOST]} != 0)) || counts=${SIDE_OUT[$HOST]}
  awk -F '\t' -v OFS='\t' -v host="$HOST" '
    FILENAME == "-" { value[$2, $3] = $4; share[$2, $3] = $5; next }
    {
      n[$1]++
      key = $1 SUBSEP n[$1]
      print host, $4, $1, $2, $3, ((key in value) ? value[key] : "-"), ((key in share) ? share[key] : 0)
    }' \
    - <(printf '%s\n' "$_PERF_ROWS") <<<"$counts"
}

# Print events as the arguments of lib/host/perf.sh.
# Usage: _perf_words ROWS
_perf_words() {
  awk -F '\t' '{ printf "%s%s %s", (NR > 1 ? " " : ""), $1, $2 }' <<<"$1"
}
