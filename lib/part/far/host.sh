# SPDX-License-Identifier: MIT
# shellcheck shell=bash
# Count loads from far memory with `perf stat` on the instances' processes during a phase.
# Needs: part
# TIERBENCH_ROOT, if set, is a prefix of the kernel's paths, so that a test can simulate another machine.
# Reads check start: PERF_EVENTS
#   PERF_EVENTS are pairs `instance EVENT` or `socket EVENT`, one after the other

# Usage: main cpu|check|start|end
main() {
  [[ $1 == cpu || $1 == check ]] || host_part far
  "host_far_$1"
}

# Print the CPU of this host: `cpu VENDOR FAMILY MODEL STEPPING NAME`, as conf/far_events.tsv names CPUs.
host_far_cpu() {
  local file=${TIERBENCH_ROOT-}/proc/cpuinfo
  [[ -r $file ]] || file=/dev/null
  LC_ALL=C awk -F '[ \t]*:[ \t]*' '
    function set(name, value) { if (!(name in of)) of[name] = value }
    $1 == "vendor_id" || $1 == "CPU implementer" { set("vendor", $2) }
    $1 == "cpu family" { set("family", $2) }
    $1 == "model" || $1 == "CPU part" { set("model", $2) }
    $1 == "stepping" { set("stepping", $2) }
    $1 == "model name" { set("name", $2) }
    function shown(name) { gsub(/[^ -~]/, "", of[name]); return of[name] == "" ? "-" : of[name] }
    END { print "cpu\t" shown("vendor") "\t" shown("family") "\t" shown("model") "\t" shown("stepping") "\t" shown("name") }' \
    "$file"
}

# Read PERF_EVENTS. Returns: sets PERF_instance and PERF_socket, arrays of options of perf for each scope.
host_far_events() {
  local word scope=
  PERF_instance=() PERF_socket=()
  for word in $PERF_EVENTS; do
    if [[ -z $scope ]]; then
      scope=$word
      continue
    fi
    if [[ $scope == socket ]]; then PERF_socket+=(-e "$word"); else PERF_instance+=(-e "$word"); fi
    scope=
  done
}

# Start counting; perf is already counting when this returns.
host_far_start() {
  local pid start pids='' scope
  host_part_fresh
  host_far_events
  while read -r pid start _; do
    ! proc_alive "$pid" "$start" || pids+=${pids:+,}$pid
  done <"$WORK/run-$RUN_ID/server/instances.proc"
  # An instance has a few threads, and each needs one file per event.
  ulimit -n "$(ulimit -Hn)" 2>/dev/null || :
  ((${#PERF_instance[@]} == 0)) || host_far_launch instance "${PERF_instance[@]}" -p "$pids"
  ((${#PERF_socket[@]} == 0)) || host_far_launch socket "${PERF_socket[@]}" -a
  host_part_made
}

# Start perf for the events of one scope, and wait until it counts.
# Usage: host_far_launch SCOPE OPTION...
host_far_launch() {
  local scope=$1 answer='' said
  shift
  mkfifo -- "$PART/$scope.ask" "$PART/$scope.answer"
  # The text output of perf is not used. perf gets the command to begin, and acknowledges it.
  host_part_launch perf perf stat -x '|' -o "$PART/$scope.out" --control "fifo:$PART/$scope.ask,$PART/$scope.answer" -D -1 "$@" >"$PART/$scope.log" 2>&1 || :
  exec {PERF_ASK}<>"$PART/$scope.ask" {PERF_ANSWER}<>"$PART/$scope.answer"
  echo enable >&"$PERF_ASK"
  read -r -t 10 -u "$PERF_ANSWER" answer || :
  exec {PERF_ASK}>&- {PERF_ANSWER}>&-
  [[ $answer == ack* ]] && return 0
  said=$(said_why <"$PART/$scope.log")
  host_part_end || :
  fail "perf does not count: $said"
}

# Stop counting, and print `count SCOPE NUMBER VALUE PERCENT` for each event in the order of PERF_EVENTS. VALUE is - if it was not counted, and
# PERCENT is the share of the time in which it had a counter. The output of perf remains until the next start or stop: the master repeats a call after
# a lost link.
host_far_end() {
  local scope
  proc_signal INT "$PART/proc"
  proc_gone 30 "$PART/proc" || host_part_end || fail "perf does not end"
  for scope in instance socket; do
    [[ ! -e $PART/$scope.out ]] || host_far_counts "$scope" <"$PART/$scope.out"
  done
}

# Print the rows of host_far_end for the events of one scope.
# Usage: host_far_counts SCOPE <OUTPUT_OF_PERF
host_far_counts() {
  LC_ALL=C awk -F '|' -v scope="$1" '
    /^#/ || NF < 5 { next }
    {
      n++
      print "count\t" scope "\t" n "\t" ($1 ~ /^[0-9]+(\.[0-9]+)?$/ ? sprintf("%.0f", $1) : "-") "\t" ($5 ~ /^[0-9]+(\.[0-9]+)?$/ ? $5 : 0)
    }'
}

# Print whether this host can count the events of PERF_EVENTS, as a row STATE FOUND WANTED FIX.
host_far_check() {
  local scope out why='' level='' odd
  local wanted="FAR.events: loads from far memory"
  if ! command -v perf >/dev/null; then
    printf 'warn\tperf is missing\t%s\tinstall: linux-perf (Debian), linux-tools (Ubuntu), perf (Fedora); phases are measured anyway\n' "$wanted"
    return
  fi
  host_far_events
  out=$(
    ((${#PERF_instance[@]} == 0)) || host_far_try instance "${PERF_instance[@]}"
    ((${#PERF_socket[@]} == 0)) || host_far_try socket "${PERF_socket[@]}" -a
  )
  odd=$(awk -F '\t' '$1 == "count" && $4 == "-" { n++ } END { print n + 0 }' <<<"$out")
  why=$(awk -F '\t' '$1 == "why" { print $2; exit }' <<<"$out")
  { read -r level <"${TIERBENCH_ROOT-}/proc/sys/kernel/perf_event_paranoid"; } 2>/dev/null || level=
  if [[ -z $why ]] && ((odd == 0)); then
    if awk -F '\t' '$1 == "count" && $5 < 100 { found = 1 } END { exit !found }' <<<"$out"; then
      printf 'warn\tcounters are shared: events are counted for a part of the time and scaled\t%s\tsysctl kernel.nmi_watchdog=0 frees one, here\n' "$wanted"
    else
      printf 'ok\t%s\t%s\t-\n' "$(command -v perf)" "$wanted"
    fi
  elif ((EUID != 0)) && [[ $level =~ ^[0-9]+$ ]] && ((level > 1)); then
    printf 'warn\tperf_event_paranoid is %s\t%s\tsysctl kernel.perf_event_paranoid=%s, here; phases are measured anyway\n' "$level" "$wanted" \
      "$([[ $PERF_EVENTS == *socket* ]] && echo 0 || echo 1)"
  else
    printf 'warn\t%s\t%s\ta machine, or a virtual machine or container with a PMU; phases are measured anyway\n' \
      "${why:-$odd event(s) cannot be counted here}" "$wanted"
  fi
}

# Count for a moment: prints the rows of host_far_counts, or `why TEXT`.
# Usage: host_far_try SCOPE OPTION...
host_far_try() {
  local scope=$1 out status=0
  shift
  # A child that only counts: perf does not count a process that never runs.
  out=$(run_limited 20 perf stat -x '|' "$@" -- bash -c 'for ((i = 0; i < 20000; i++)); do :; done' 2>&1) || status=$?
  if ((status != 0)); then
    printf 'why\t%s\n' "$(said_why <<<"$out" | tr -d '[:cntrl:]')"
  else
    host_far_counts "$scope" <<<"$out"
  fi
}
