# SPDX-License-Identifier: MIT
# shellcheck shell=bash
# The master's side of the monitors: counters around every phase, the placement of the data, and the guard of the server.

_MONITOR_ON=   # they run on the servers now
_MONITOR_LAST= # the phase that runs, or none
_MONITOR_NEXT=0
declare -A _MONITOR_LOST=() # servers that did not answer the last look at their guard
readonly _MONITOR_ANSWER=40 # seconds in which a server answers such a look, also if it must be connected again
MONITOR_ALARM=              # why the guard has ended the load of this repeat
MONITOR_ROWS=               # the counters at the last mark, as lib/host/monitor.sh prints them, of all servers
# By server: the same of it alone.
declare -A MONITOR_ROWS_OF=()
MONITOR_PROBES= # CPU time on the servers at the last mark, lines NAME PROBE: see monitor_name and lib/host/probe.sh

# Start the monitors on the server in HOST, after its instances.
# Globals: SERVER_BYTES RESERVE ROW; calls and askers of _parts_ask
monitor_at_instances() {
  local REPLY
  # Tenants have their own instances.
  MONITOR_APART=${ROW[tenants]:+yes}
  fill_reserve_of "$SERVER_BYTES"
  RESERVE_BYTES=$REPLY
  calls+=($'monitor\tstart')
  askers+=("monitor instances")
}

# The monitors of a repeat have started.
# Globals: CLUSTER_TABLE, and ROW with the expected used_memory after all keys are set
monitor_got_instances() {
  MONITOR_ALARM=
  # Until a fault, which makes replicas masters: the figures of its phase stay empty.
  MONITOR_REPLICAS=
  ! cluster_on || MONITOR_REPLICAS=$(awk -F '\t' '$4 == "replica" { print $1 }' <<<"$CLUSTER_TABLE")
  _MONITOR_PLANNED=${ROW[data_bytes]} _MONITOR_LAST='' _MONITOR_NEXT=0
  _MONITOR_ON=yes
}

# The name of a server among the hosts of a repeat: `server`, and of several `server:HOST`.
# Usage: monitor_name HOST
# Returns: sets REPLY
monitor_name() {
  REPLY=server
  ! servers_several || REPLY=server:$1
}

# Read all counters, alone.
# Usage: monitor_mark NEXT_PHASE
#   search-PHASE and searched-PHASE stand around what a search measures; `look` reads the counters and keeps nothing
# Returns: as monitor_lost_mark; sets MONITOR_ROWS, MONITOR_ROWS_OF and MONITOR_PROBES
monitor_mark() {
  parts_at mark "$1"
}

# Every repeat has monitors.
# Usage: monitor_wanted
monitor_wanted() { :; }

# Read all counters between two phases. The server keeps them under that name, unless it is `look`.
# Usage: monitor_at_mark NEXT_PHASE
monitor_at_mark() {
  [[ -z $_MONITOR_ON ]] || parts_ask mark "$1"
}

# Take the counters, and print the placement of the data after the phase that has ended.
# Usage: monitor_got_mark NEXT_PHASE
monitor_got_mark() {
  local host
  MONITOR_ROWS='' MONITOR_ROWS_OF=() MONITOR_PROBES='' _MONITOR_NEXT=0
  for host in $HOST; do _monitor_take "$host" "$1"; done
  # A mark checks the guard too.
  [[ $'\n'$MONITOR_ROWS == *$'\nalarm\t'* ]] || _MONITOR_NEXT=$((SECONDS + 2))
  _MONITOR_LAST=$1
}

# A phase whose counters are unknown is measured, but it needs an end.
# Usage: monitor_lost_mark HOSTS NEXT_PHASE
monitor_lost_mark() {
  MONITOR_ROWS='' MONITOR_ROWS_OF=() MONITOR_PROBES='' _MONITOR_NEXT=0
  log_warn "$1: cannot read the counters before $2"
  [[ $2 != end ]]
}

# Take in the counters of one server.
# Usage: _monitor_take HOST NEXT_PHASE
_monitor_take() {
  local rows=${PART_SAID[$1]} phase=$2 name probe='' REPLY
  MONITOR_ROWS+=${MONITOR_ROWS:+$'\n'}$rows
  MONITOR_ROWS_OF[$1]=$rows
  monitor_name "$1"
  name=$REPLY
  [[ ! $'\n'$rows =~ $'\nmachine\t'([^$'\n']*) ]] || probe=${BASH_REMATCH[1]}
  MONITOR_PROBES+=${MONITOR_PROBES:+$'\n'}$name$'\t'$probe
  if _monitor_between "$phase"; then phase=steps; fi
  foreign_mark "$phase" "$name" "$probe"
  _monitor_silent "$1" "$2" "$rows"
  [[ -z $_MONITOR_LAST ]] || _monitor_between "$_MONITOR_LAST" || servers_at "$1" _monitor_tell "$_MONITOR_LAST" "$rows"
}

# Print the waits for far memory and the requests of the instances between two marks, WAITS REQUESTS; nothing when one of both is not known.
# They are counted as HIT_COUNTERS says; of HITS/MISSES, their sum is the number of requests.
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

# Whether a mark begins no phase.
_monitor_between() {
  [[ $1 == search* || $1 == look ]]
}

# Check at intervals, or now, whether the guard has stopped the load or has exited.
# Usage: monitor_alarm [now]
# Returns: 1 if it has, with the reason on stderr.
monitor_alarm() {
  local host bad=0 said=$_REMOTE_TMP/alarm
  [[ -n $_MONITOR_ON ]] || return 0
  [[ ${1-} == now ]] || ((SECONDS >= _MONITOR_NEXT)) || return 0
  _MONITOR_NEXT=$((SECONDS + 2))
  # The next look is due soon, so this one is not repeated.
  CALL_RETRY=0 servers_parallel "$_MONITOR_ANSWER" _monitor_alarm 2>"$said" || :
  for host in $HOST; do
    _monitor_look "$host" "${PARALLEL_STATUS[$host]}" "${PARALLEL_OUT[$host]}" "$said" || bad=1
  done
  return "$bad"
}

# Tell what one server said of its guard.
# Usage: _monitor_look HOST STATUS ALARM ERRORS
# Returns: 1 if the load must end
_monitor_look() {
  case $2 in
    0)
      [[ -z ${_MONITOR_LOST[$1]+set} ]] || log_info "$1 answers again"
      unset -v '_MONITOR_LOST[$1]'
      [[ -n $3 ]] || return 0
      log_progress_end
      MONITOR_ALARM=$3
      log_warn "$1: guard: $MONITOR_ALARM"
      ;;
    124 | 255)
      [[ -z ${_MONITOR_LOST[$1]+set} ]] || return 0
      _MONITOR_LOST[$1]=yes
      log_progress_end
      log_warn "$1 does not answer ($(if (($2 == 124)); then echo "no answer within $_MONITOR_ANSWER s"; else remote_reason "$4"; fi)), so its guard cannot be checked; trying again"
      return 0
      ;;
    *)
      cat -- "$4" >&2
      log_warn "$1: the guard cannot be asked"
      ;;
  esac
  return 1
}

# Print why the server in HOST is not guarded, or its load was stopped; nothing if all is well.
# Usage: _monitor_alarm
_monitor_alarm() {
  call_run "$HOST" monitor alarm
}

# The monitors have sent what they recorded, and have stopped. Of several servers, DIR gets the sum of their counters and the samples of all instances,
# with times of the master's clock.
# Usage: monitor_end DIR
monitor_end() {
  _MONITOR_ON=
  ! servers_several || _monitor_join "$1"
}

# Join what the servers recorded into the files of a run with one server.
# Usage: _monitor_join DIR
_monitor_join() {
  local host part name REPLY
  local -a counters=() names=(instances.tsv) files
  servers_parallel $((REMOTE_RETRY + 60)) servers_clock || return
  for host in "${SERVERS[@]}"; do
    hosts_folder "$1" "$host"
    [[ ! -e $REPLY/counters.tsv ]] || counters+=("ahead=${PARALLEL_OUT[$host]}" "host=$host" "$REPLY/counters.tsv")
    # The reason of the guard is looked for here.
    [[ ! -e $REPLY/alarm ]] || write_more "$1/alarm" '' cat -- "$REPLY/alarm" || return
    [[ ! -e $REPLY/info.before ]] || { write_more "$1/info.before" '' cat -- "$REPLY/info.before" && rm -- "$REPLY/info.before"; } || return
  done
  ((${#counters[@]} == 0)) || LC_ALL=C write_file "$1/counters.tsv" awk -f "$LIB/run/servers.awk" "${counters[@]}" || return
  for part in "${PARTS[@]}"; do ! parts_row "$part" merge || names+=("$REPLY"); done
  for name in "${names[@]}"; do
    files=()
    for host in "${SERVERS[@]}"; do
      hosts_folder "$1" "$host"
      [[ ! -e $REPLY/$name ]] || files+=("ahead=${PARALLEL_OUT[$host]}" "$REPLY/$name")
    done
    ((${#files[@]} == 0)) || write_file "$1/$name" _monitor_merge "${files[@]}" || return
  done
}

# Print the samples of several servers in the order of their times, with the first header, if there is one.
# Usage: _monitor_merge ahead=US FILE [ahead=US FILE]...
#   US: how far the clock of the file's server is ahead of the master's
_monitor_merge() {
  LC_ALL=C awk '
    BEGIN { FS = OFS = "\t" }
    $1 !~ /^[0-9.]+$/ { if (!heads++) { print; fflush() } next }
    { $1 = sprintf("%.6f", $1 - ahead / 1e6); print | "LC_ALL=C sort -s -k 1,1n" }' "$@"
}

# Write counters.tsv of the server in HOST, with each phase's before and after, from the marks that it sent.
# Usage: monitor_counters DIR
monitor_counters() {
  local folder=$1 mark
  local -a marks=() files=()
  [[ -e $folder/marks ]] || return 0
  mapfile -t -n 100 marks <"$folder/marks"
  for mark in "${marks[@]}"; do
    if [[ ! $mark =~ ^((populate|set|get|mixed|replay)(-[1-9][0-9]?)?|search(ed)?-(set|get|mixed|replay)(-[1-9][0-9]?)?|end)$ || ! -f $folder/mark-$mark ]]; then
      log_warn "$HOST: invalid files from 'monitor fetch': marks has the line '$mark'"
      return "$REPLY_BAD"
    fi
    files+=("$folder/mark-$mark")
  done
  MARKS="${marks[*]}" LC_ALL=C write_file "$folder/counters.tsv" awk -f "$LIB/run/counters.awk" "${files[@]}" || return
  rm -f -- "$folder/marks" "${files[@]}"
}

# Name the instances that did not report their counters before a phase.
# Usage: _monitor_silent HOST PHASE ROWS
_monitor_silent() {
  local ports
  [[ $3 == *$'\tunanswered\t'* ]] || return 0
  ports=$(awk -F '\t' '$2 == "unanswered" { printf " %s", $1 }' <<<"$3")
  [[ -z $ports ]] || log_warn "$1: no answer to INFO before $2 from port$ports; figures that require it stay empty"
}

# Print one line about the placement of the data, and warn if it is not on the requested memory.
_monitor_tell() {
  local text REPLY where=
  spread_part "$_MONITOR_PLANNED" "${POINT_INSTANCES-0}"
  text=$(exec awk -F '\t' -v planned="$REPLY" '
    $1 ~ /^[0-9]+$/ { sum[$2] += $3 }
    $1 == "tier" { tier[$2] = $3 }
    $1 == "cgroup" { cgroup[$2] = $3 }
    # Of compressed memory.
    $2 == "data" || $2 == "memory" { packer = $1; packed[$2] = $3 }
    $2 == "unanswered" { silent = 1 }
    $2 ~ /^node[0-9]+$/ && !($2 in seen) { seen[$2] = 1; list[++nodes] = $2 }
    function mib(bytes) { return sprintf("%.1f MiB", bytes / 1048576) }
    END {
      if (silent || !(sum["used_memory"] > 0)) printf "used_memory not known"
      else printf "used_memory %s (%+.1f %% of plan)", mib(sum["used_memory"]), 100 * (sum["used_memory"] / planned - 1)
      printf ", Rss %s, swap %s", mib(sum["rss"]), mib(sum["swap"])
      for (i = 1; i <= nodes; i++) printf ", %s %s", list[i], mib(sum[list[i]])
      # Without a limit, version 2 has max, and version 1 has 2^63 less a page.
      if ("usage" in cgroup) printf ", cgroup %s%s", mib(cgroup["usage"]), cgroup["limit"] ~ /^[0-9]+$/ && cgroup["limit"] < 2 ^ 60 ? " of " mib(cgroup["limit"]) : ""
      if (packer != "") printf ", %s %s of DRAM for %s", packer, mib(packed["memory"]), mib(packed["data"])
      if (tier["data_bytes"] > 0 && tier["far_bytes"] != "-") printf "; %.1f %% far", 100 * tier["far_bytes"] / tier["data_bytes"]
      printf "; placement %s%s", tier["placement"], tier["placed_percent"] == "-" ? "" : " (" tier["placed_percent"] " % of the data as requested)"
    }' <<<"$2")
  ! servers_several || where="$HOST: "
  log_info "${where}after $1: $text"
  # The checks of the server's memory counted what was planned.
  [[ ! $text =~ \(\+([1-9][0-9]+\.[0-9]\ %)\ of\ plan ]] ||
    log_warn "${where}used_memory is ${BASH_REMATCH[1]} above the plan; FILL measures what a key takes on this server, KEYS estimates it by Redis 7"
  [[ $text != *"; placement off"* ]] || log_warn "less than 90 % of the data is on the requested memory: rows are marked placement=off"
}
