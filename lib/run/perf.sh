# SPDX-License-Identifier: MIT
# shellcheck shell=bash
# FAR_EVENTS: `perf stat` counts loads from far memory without page faults on the server during a phase.

_PERF_ON=     # yes while perf counts
_PERF_PHASE=  # for this phase
_PERF_FOLDER= # far.tsv of the repeat
_PERF_ROWS=   # the counted events, as perf_events prints them
_PERF_CPU=    # the server's CPU: VENDOR FAMILY MODEL STEPPING NAME
_PERF_TOLD=   # yes after the warning that perf cannot count

# Print the events of the server, rows SCOPE EVENT NAME CPU; nothing when its CPU has none.
# Usage: perf_events
# Globals: FAR_EVENTS SERVER
# Returns: 1 if the server's CPU cannot be identified
perf_events() {
  local word
  case $FAR_EVENTS in
    off) ;;
    auto)
      [[ -n $_PERF_CPU ]] || _PERF_CPU=$(remote_run "$SERVER" perf cpu) || return
      perf_lookup <<<"$_PERF_CPU"
      ;;
    *) for word in $FAR_EVENTS; do printf 'instance\t%s\t%s\tFAR_EVENTS\n' "$word" "$word"; done ;;
  esac
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

# Print a row STATE FOUND WANTED FIX: whether the server can count; nothing if FAR_EVENTS is off.
# Usage: perf_doctor
perf_doctor() {
  local rows PERF_EVENTS
  [[ $FAR_EVENTS != off ]] || return 0
  rows=$(perf_events) || return
  if [[ -z $rows ]]; then
    printf 'warn\tno event is known for %s\tFAR_EVENTS: loads from far memory\tset FAR_EVENTS to events of this CPU (conf/far_events.tsv)\n' \
      "$(cut -f 6 <<<"$_PERF_CPU")"
    return
  fi
  PERF_EVENTS=$(_perf_words "$rows")
  remote_run -e PERF_EVENTS "$SERVER" perf check
}

# Begin a repeat.
# Usage: perf_begin DIR
perf_begin() {
  _PERF_FOLDER=$1 _PERF_ON='' _PERF_PHASE='' _PERF_TOLD=''
}

# Before a phase begins: start counting. A phase that cannot be counted is still measured.
# Usage: perf_mark PHASE
perf_mark() {
  local PERF_EVENTS
  [[ $FAR_EVENTS != off && -z $_PERF_TOLD ]] || return 0
  _PERF_ROWS=$(perf_events) || _PERF_ROWS=
  [[ -n $_PERF_ROWS ]] || return 0
  PERF_EVENTS=$(_perf_words "$_PERF_ROWS")
  _PERF_ON=yes _PERF_PHASE=$1
  remote_run -e RUN_ID -e RUN_OWNER -e PERF_EVENTS "$SERVER" perf start || {
    _PERF_TOLD=yes _PERF_PHASE=
    log_warn "$SERVER: loads from far memory are not counted: run './do_it.sh doctor' with FAR_EVENTS=$FAR_EVENTS"
  }
}

# After a phase: stop counting, and keep the counts.
# Usage: perf_end
perf_end() {
  local counts
  [[ -n $_PERF_PHASE ]] || return 0
  counts=$(remote_run -e RUN_ID "$SERVER" perf end) || {
    log_warn "$SERVER: loads from far memory in $_PERF_PHASE are unknown"
    counts=
  }
  [[ -e $_PERF_FOLDER/far.tsv ]] || printf 'phase\tcpu\tscope\tevent\tname\tvalue\tpercent\n' >"$_PERF_FOLDER/far.tsv"
  awk -F '\t' -v OFS='\t' -v phase="$_PERF_PHASE" '
    FILENAME == "-" { value[$2, $3] = $4; share[$2, $3] = $5; next }
    {
      n[$1]++
      key = $1 SUBSEP n[$1]
      print phase, $4, $1, $2, $3, ((key in value) ? value[key] : "-"), ((key in share) ? share[key] : 0)
    }' \
    - <(printf '%s\n' "$_PERF_ROWS") <<<"$counts" >>"$_PERF_FOLDER/far.tsv"
  _PERF_PHASE=
}

# Stop counting, in any state of the repeat.
# Usage: perf_stop
perf_stop() {
  [[ -n $_PERF_ON ]] || return 0
  _PERF_ON='' _PERF_PHASE=''
  remote_run -e RUN_ID "$SERVER" perf stop
}

# Print events as the arguments of lib/host/perf.sh.
# Usage: _perf_words ROWS
_perf_words() {
  awk -F '\t' '{ printf "%s%s %s", (NR > 1 ? " " : ""), $1, $2 }' <<<"$1"
}
