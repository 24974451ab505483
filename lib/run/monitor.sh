# SPDX-License-Identifier: MIT
# shellcheck shell=bash
# The master's side of the monitors: counters around every phase, the placement of the data, and the guard of the server.

_MONITOR_ON=   # whether they run on the server now
_MONITOR_LAST= # the phase that runs, or none
_MONITOR_NEXT=0
MONITOR_ALARM= # the reason why the guard stopped the load of this repeat
MONITOR_ROWS=  # the counters at the last mark, as lib/host/monitor.sh prints them

# Start the monitors of a repeat, after its instances have started.
# Usage: monitor_start PLANNED_BYTES
#   PLANNED_BYTES is the expected used_memory after all keys are set
# Globals: SERVER SERVER_BYTES
monitor_start() {
  local RESERVE_BYTES
  MONITOR_ALARM=
  _MONITOR_PLANNED=$1 _MONITOR_LAST='' _MONITOR_NEXT=0 _MONITOR_OFF=
  RESERVE_BYTES=$(fill_reserve "$SERVER_BYTES")
  remote_run -e RUN_ID -e RESERVE_BYTES -e HIT_COUNTERS -e SERVER_ADDRESS -e REDIS_PASSWORD "$SERVER" monitor start || return
  _MONITOR_ON=yes
}

# Read all counters between two phases, and print the placement of the data after the phase that has ended.
# Usage: monitor_mark NEXT_PHASE
#   search-PHASE and searched-PHASE enclose the steps of a search; `look` reads the counters without keeping them
# Returns: sets MONITOR_ROWS, all counters
monitor_mark() {
  local rows phase=$1
  [[ -n $_MONITOR_ON ]] || return 0
  MONITOR_ROWS=
  _MONITOR_NEXT=0
  rows=$(remote_run -e RUN_ID -e RUN_OWNER -e SERVER_ADDRESS -e REDIS_PASSWORD -e HIT_COUNTERS "$SERVER" monitor mark "$1") || {
    log_warn "$SERVER: cannot read the counters before $1"
    return 1
  }
  MONITOR_ROWS=$rows
  # A mark checks the guard too.
  [[ $'\n'$rows == *$'\nalarm\t'* ]] || _MONITOR_NEXT=$((SECONDS + 2))
  if _monitor_between "$1"; then phase=steps; fi
  monitor_machine
  neighbour_mark "$phase" server "$REPLY"
  _monitor_silent "$1" "$rows"
  [[ -z $_MONITOR_LAST ]] || _monitor_between "$_MONITOR_LAST" || _monitor_tell "$_MONITOR_LAST" "$rows"
  _MONITOR_LAST=$1
}

# The output of probe_cpu at the last mark; empty if the mark has none.
# Usage: monitor_machine
# Returns: sets REPLY
monitor_machine() {
  REPLY=
  [[ ! $'\n'$MONITOR_ROWS =~ $'\nmachine\t'([^$'\n']*) ]] || REPLY=${BASH_REMATCH[1]}
}

# Print the waits for far memory and the requests of the instances between two marks, WAITS REQUESTS; nothing if a value is unknown. HIT_COUNTERS
# selects the counters; with HITS/MISSES, the sum of both is the number of requests.
# Usage: monitor_waits BEFORE AFTER
#   BEFORE and AFTER are the values of MONITOR_ROWS at both marks
monitor_waits() {
  printf '%s\n' $'before\t'"${1//$'\n'/$'\nbefore\t'}" $'after\t'"${2//$'\n'/$'\nafter\t'}" | LC_ALL=C awk -F '\t' '
    $3 == "far_misses" { $3 = "majflt" }
    $3 ~ /^(majflt|calls|far_hits)$/ { sum[$3] += $1 == "before" ? -$4 : $4; seen[$1, $3]++ }
    $3 == "unanswered" { silent = 1 }
    END {
      if (silent || !(("before", "majflt") in seen) || seen["before", "majflt"] != seen["after", "majflt"] || sum["majflt"] < 0) exit
      requests = ("after", "far_hits") in seen ? sum["far_hits"] + sum["majflt"] : sum["calls"]
      if (requests > 0) printf "%.0f %.0f\n", sum["majflt"], requests
    }'
}

# Whether a mark begins steps of a search or the probe of a working set, which are not phases.
_monitor_between() {
  [[ $1 == search* || $1 == look ]] || wss_is "$1"
}

# Check at intervals, or now, whether the guard has stopped the load or has exited.
# Usage: monitor_alarm [now]
# Returns: 1 if it has, with the reason on stderr.
monitor_alarm() {
  local why status=0
  [[ -n $_MONITOR_ON ]] || return 0
  [[ ${1-} == now ]] || ((SECONDS >= _MONITOR_NEXT)) || return 0
  _MONITOR_NEXT=$((SECONDS + 2))
  why=$(remote_run -e RUN_ID "$SERVER" monitor alarm) || status=$?
  ((status != REPLY_BAD)) || return 1
  ((status == 0)) || return 0
  [[ -n $why ]] || return 0
  log_progress_end
  MONITOR_ALARM=$why
  log_warn "$SERVER: guard: $why"
  return 1
}

# Stop the monitors and write their records: the samples, and counters.tsv with the values before and after each phase.
# Usage: monitor_fetch DIR
monitor_fetch() {
  local folder=$1 mark
  local -a marks=() files=()
  [[ -n $_MONITOR_ON ]] || return 0
  _MONITOR_ON=
  receive_files "$folder" -e RUN_ID "$SERVER" monitor fetch || return
  [[ -e $folder/marks ]] || return 0
  mapfile -t -n 100 marks <"$folder/marks"
  for mark in "${marks[@]}"; do
    if [[ ! $mark =~ ^((populate|set|get|mixed|replay)(-[1-9][0-9]?)?|search(ed)?-(set|get|mixed)(-[1-9][0-9]?)?|end)$ || ! -f $folder/mark-$mark ]]; then
      log_warn "$SERVER: invalid files from 'monitor fetch': marks has the line '$mark'"
      return "$REPLY_BAD"
    fi
    files+=("$folder/mark-$mark")
  done
  MARKS="${marks[*]}" LC_ALL=C awk -f "$LIB/run/counters.awk" "${files[@]}" >"$folder/counters.tsv" || return
  rm -f -- "$folder/marks" "${files[@]}"
}

# Record that the monitors of the repeat are stopped.
# Usage: monitor_forget
monitor_forget() {
  _MONITOR_ON=
}

# Stop the monitors, in any state of the repeat.
# Usage: monitor_stop
monitor_stop() {
  monitor_forget
  remote_run -e RUN_ID "$SERVER" monitor stop
}

# Name the instances that did not report their counters before a phase.
_monitor_silent() {
  local ports
  [[ $2 == *$'\tunanswered\t'* ]] || return 0
  ports=$(awk -F '\t' '$2 == "unanswered" { printf " %s", $1 }' <<<"$2")
  [[ -z $ports ]] || log_warn "$SERVER: no answer to INFO before $1 from port$ports; figures that require it stay empty"
}

# Print one line about the placement of the data, and warn if it is not on the requested memory.
_monitor_tell() {
  local text
  text=$(awk -F '\t' -v planned="$_MONITOR_PLANNED" '
    $1 ~ /^[0-9]+$/ { sum[$2] += $3 }
    $1 == "tier" { tier[$2] = $3 }
    $1 == "cgroup" { cgroup[$2] = $3 }
    $2 == "unanswered" { silent = 1 }
    $2 ~ /^node[0-9]+$/ && !($2 in seen) { seen[$2] = 1; list[++nodes] = $2 }
    function mib(bytes) { return sprintf("%.1f MiB", bytes / 1048576) }
    END {
      if (silent || !(sum["used_memory"] > 0)) printf "used_memory not known"
      else printf "used_memory %s (%+.1f %% of plan)", mib(sum["used_memory"]), 100 * (sum["used_memory"] / planned - 1)
      printf ", Rss %s, swap %s", mib(sum["rss"]), mib(sum["swap"])
      for (i = 1; i <= nodes; i++) printf ", %s %s", list[i], mib(sum[list[i]])
      if ("usage" in cgroup) printf ", cgroup %s of %s", mib(cgroup["usage"]), mib(cgroup["limit"])
      if (tier["data_bytes"] > 0 && tier["far_bytes"] != "-") printf "; %.1f %% far", 100 * tier["far_bytes"] / tier["data_bytes"]
      printf "; placement %s%s", tier["placement"], tier["placed_percent"] == "-" ? "" : " (" tier["placed_percent"] " % of the data as requested)"
    }' <<<"$2")
  log_info "after $1: $text"
  [[ $text != *"; placement off"* ]] || log_warn "less than 90 % of the data is on the requested memory: rows are marked placement=off"
}
