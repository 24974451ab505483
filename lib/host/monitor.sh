# SPDX-License-Identifier: MIT
# shellcheck shell=bash
# Memory counters of the server under load: samples each second, and all counters at each phase's boundary.
# Needs: protocol tier_cgroup allowed tier_detect tier_verify monitor_sample monitor_cpus cpus irq monitor_load probe info tier/* part/*/host_tune
# Reads start mark: HIT_COUNTERS SERVER_ADDRESS
# Reads start: RESERVE_BYTES MONITOR_APART
# Reads mark: LOAD_COMMANDS MONITOR_REPLICAS

# Usage: main start|mark NAME|alarm|fetch
main() {
  workdir_open
  MONITOR=$WORK/run-$RUN_ID/monitor
  RECORD=$WORK/run-$RUN_ID/server/instances.proc
  case $1 in
    mark)
      owner_keep
      host_monitor_mark "$2"
      ;;
    alarm)
      # The instances of a run that has lost this host are not its instances any more.
      if [[ -z ${RUN_OPEN-} ]] || owner_keeps; then host_monitor_alarm; else REPLY=$OWNER_WHY; fi
      [[ -z $REPLY ]] || printf '%s\n' "$REPLY"
      ;;
    *) "host_monitor_$1" ;;
  esac
}

# Start the monitors as a separate process, and keep INFO before the load. A call that is repeated after a lost link starts over.
# Usage: host_monitor_start
# Globals: MONITOR RECORD RESERVE_BYTES HIT_COUNTERS
host_monitor_start() {
  owner_open
  if [[ -e $MONITOR ]]; then
    host_monitor_stop
    rm -rf -- "$MONITOR"
  fi
  mkdir -- "$MONITOR"
  : >"$MONITOR/on"
  MONITOR_STAT=
  mapfile -t MONITOR_NODES < <(host_tier_memory_nodes all)
  MONITOR_NODES=("${MONITOR_NODES[@]%%$'\t'*}")
  MONITOR_NODES=("${MONITOR_NODES[@]/#//sys/devices/system/node/node}")
  [[ ! -e $WORK/run-$RUN_ID/tier/cgroup ]] || MONITOR_STAT=$(<"$WORK/run-$RUN_ID/tier/cgroup")/memory.stat
  host_monitor_load_devices
  host_monitor_allowed
  # Marks read what does not change while the instances run.
  { declare -p MONITOR_NODES MONITOR_DEVICES ALLOWED_STATS >"$MONITOR/machine.sh" && host_info_all "$RECORD" >"$MONITOR/info.before"; } 2>/dev/null ||
    fail "$MONITOR: cannot be written (REMOTE_DIR: is its disk full?)"
  {
    echo 'set -u'
    declare -p WORK MONITOR RECORD RESERVE_BYTES MONITOR_APART HIT_COUNTERS MONITOR_VMSTAT MONITOR_TURN MONITOR_STAT MONITOR_NODES ALLOWED_LIMITS ALLOWED_NOTED
    declare -f
    echo host_monitor_loop
  } >"$MONITOR/monitor.sh"
  setsid bash "$MONITOR/monitor.sh" </dev/null >/dev/null 2>"$MONITOR/monitor.err" &
  proc_started "$MONITOR/monitor.proc" $! monitor || fail "the monitors ended at once: $(cat "$MONITOR/monitor.err")"
}

# Find what limits the instances: CPU time of their cgroups, and memory of those that are not the tier's own.
# Returns: sets ALLOWED_STATS, ALLOWED_LIMITS and ALLOWED_NOTED
host_monitor_allowed() {
  local pid group
  local -a pids=() noted=()
  while read -r pid _; do pids+=("$pid"); done <"$RECORD"
  host_allowed_stats "${pids[@]}"
  host_allowed_memory "${pids[0]-self}" "${MONITOR_STAT%/memory.stat}"
  # The OOM killer may act in any group of instances.
  host_tier_cgroup_list
  for group in "${CGROUP_LIST[@]}"; do
    read -r pid <"$group/cgroup.procs" || continue
    host_allowed_note "$pid"
    noted+=("${ALLOWED_NOTED[@]}")
  done
  ((${#noted[@]} > 0)) || host_allowed_note "${pids[0]-self}"
  ((${#noted[@]} == 0)) || ALLOWED_NOTED=("${noted[@]}")
}

# Record all counters under the name of the next phase (`look`: do not record). Print them too, `machine` with the output of host_probe_cpu, and
# `alarm` with that of host_monitor_alarm if there is one.
# Usage: host_monitor_mark NAME
host_monitor_mark() {
  local file=$MONITOR/mark-$1 rows
  local -a marks=()
  [[ -e $MONITOR/machine.sh ]] || fail "the monitors do not run"
  # shellcheck source=/dev/null
  . "$MONITOR/machine.sh"
  rows=$(
    # First, because INFO touches pages that the kernel may then promote or fetch from swap, which the others count.
    host_monitor_mark_instances
    host_monitor_mark_host
    host_monitor_mark_cpus
    host_monitor_mark_parts
    host_tier_state
    # Last, because counting pages may take seconds, and the phase starts next.
    printf 'host\ttime_us\t%s\n' "${EPOCHREALTIME/[.,]/}"
  )
  rows+=$'\n'$(exec <<<"$rows" && host_tier_verify)
  [[ $1 == look ]] || {
    printf '%s\n' "$rows" >"$file.new" && mv -f -- "$file.new" "$file" &&
      # This list has the order of marks.
      { [[ ! -e $MONITOR/marks ]] || mapfile -t marks <"$MONITOR/marks"; } &&
      { [[ " ${marks[*]} " == *" $1 "* ]] || printf '%s\n' "$1" >>"$MONITOR/marks"; }
  } 2>/dev/null || fail "$file: cannot be written (REMOTE_DIR: is its disk full?)"
  printf '%s\n' "$rows"
  host_monitor_await_guard
  host_monitor_alarm
  [[ -z $REPLY ]] || printf 'alarm\t%s\n' "$REPLY"
  host_monitor_used
  host_probe_row "$REPLY" "$RECORD" "$MONITOR/monitor.proc" "${RECORD%/*}/wrappers.proc" "$WORK/run-$RUN_ID"/*.part/proc
}

# The CPU time of instances that have ended, in microseconds (host_start_used). Returns: sets REPLY
host_monitor_used() {
  local file used
  REPLY=0
  for file in "${RECORD%/*}"/used-*; do ! { read -r used <"$file"; } 2>/dev/null || REPLY=$((REPLY + used)); done
}

# Counters of the host, its CPUs and its NICs. Rows SCOPE COUNTER VALUE.
host_monitor_mark_host() {
  local IFS='|'
  local -a files=(/proc/vmstat /proc/meminfo)
  # The kernel may have been built or started without it.
  ! { : </proc/pressure/memory; } 2>/dev/null || files+=(/proc/pressure/memory)
  host_monitor_load_nics
  printf 'cpus\ttime_us\t%s\n' "${EPOCHREALTIME/[.,]/}"
  # Ticks of user mode (proc(5)) are hundredths of a second on every machine but Alpha. Fields of /proc/stat: user nice system idle iowait irq
  # softirq steal. The time of guests is included in user.
  awk -v names="${MONITOR_VMSTAT[*]}" '
    function us(ticks) { return sprintf("%.0f", ticks * 10000) }
    BEGIN { n = split(names, name, "|"); for (i = 1; i <= n; i++) wanted[name[i]] = 1; OFS = "\t" }
    FILENAME == "/proc/stat" && $1 == "cpu" { print "cpus", "busy_us", us($2 + $3 + $4 + $7 + $8 + $9) }
    FILENAME == "/proc/stat" && $1 == "intr" { printf "cpus\tinterrupts\t%.0f\n", $2 }
    FILENAME == "/proc/stat" && $1 ~ /^cpu[0-9]/ { print $1, "irq_us", us($7 + $8); cpus++ }
    FILENAME == "/proc/vmstat" && $1 in wanted { print "host", $1, $2 }
    FILENAME == "/proc/meminfo" && $1 == "MemAvailable:" { printf "host\tavailable\t%.0f\n", $2 * 1024 }
    FILENAME == "/proc/meminfo" && $1 == "AnonHugePages:" { printf "host\thuge\t%.0f\n", $2 * 1024 }
    FILENAME == "/proc/pressure/memory" { sub(/^.*total=/, "", $NF); print "host\tpressure_" $1 "_us\t" $NF }
    END { print "cpus", "count", cpus }' /proc/stat "${files[@]}"
}

# A server other than Redis may lack fields of INFO: print no row for them. An instance without requests has no cmdstat_get, but it has those of other
# commands. Calls are those of the load: GET, SET and LOAD_COMMANDS, without commands that only the master and the generators' checks send. A replica
# repeats the writes of its master, so those of MONITOR_REPLICAS, a list of ports, do not count.
# Usage: host_monitor_mark_instances
# Globals: RECORD HIT_COUNTERS LOAD_COMMANDS MONITOR_REPLICAS
host_monitor_mark_instances() {
  local pid port
  host_info_all "$RECORD" | LC_ALL=C awk -F : -v counters="$HIT_COUNTERS" -v asked="get set${LOAD_COMMANDS//+/}" -v replicas="${MONITOR_REPLICAS//$'\n'/ }" '
    function finish(port) {
      if (!answered) return
      if (counted) printf "%s\tcalls\t%.0f\n", port, (port in repeats ? 0 : calls)
      if (timed == 2) printf "%s\tused_cpu_us\t%.0f\n", port, cpu * 1000000
      # A single one of two counters is useless.
      if (misses == "" || (hit_field != "" && hits == "")) return
      if (hit_field != "") printf "%s\tfar_hits\t%s\n", port, hits
      printf "%s\tfar_misses\t%s\n", port, misses
    }
    BEGIN {
      miss_field = counters
      if (sub(/^.*\//, "", miss_field)) { hit_field = counters; sub(/\/.*$/, "", hit_field) }
      n = split("used_memory used_memory_rss mem_fragmentation_ratio keyspace_hits keyspace_misses", name, " ")
      for (i = 1; i <= n; i++) wanted[name[i]] = 1
      n = split(asked, name, " ")
      for (i = 1; i <= n; i++) loads["cmdstat_" name[i]] = 1
      n = split(replicas, name, " ")
      for (i = 1; i <= n; i++) repeats[name[i]] = 1
    }
    # Strings are compared: with 288 instances, to match 57,600 lines with several patterns takes more time than INFO itself.
    substr($0, 1, 13) == "### instance " { finish(port); port = substr($0, 14); answered = 1; calls = cpu = counted = timed = 0; hits = misses = ""; next }
    $0 == "# no answer" { print port "\tunanswered\t1"; answered = 0; next }
    $1 in wanted && $2 ~ /^[0-9.]+$/ { print port "\t" $1 "\t" $2 }
    $1 == "used_cpu_user" || $1 == "used_cpu_sys" { cpu += $2; timed++ }
    substr($1, 1, 8) == "cmdstat_" {
      counted = 1
      # A subcommand counts with its command, and a module may name its commands in capitals.
      command = tolower($1)
      sub(/\|.*/, "", command)
      if (command in loads) { split($2, part, /[=,]/); calls += part[2] }
    }
    counters != "majflt" && $1 == hit_field && $2 ~ /^[0-9]+$/ { hits = $2 }
    counters != "majflt" && $1 == miss_field && $2 ~ /^[0-9]+$/ { misses = $2 }
    END { finish(port) }'
  LC_ALL=C awk -v OFS='\t' -v counters="$HIT_COUNTERS" '
    BEGIN { name["VmRSS:"] = "rss"; name["RssAnon:"] = "anon"; name["VmSwap:"] = "swap" }
    {
      file = "/proc/" $1 "/status"
      while ((getline line < file) > 0) {
        split(line, f, " ")
        if (f[1] in name) printf "%s\t%s\t%.0f\n", $3, name[f[1]], f[2] * 1024
      }
      close(file)
      file = "/proc/" $1 "/stat"
      if ((getline line < file) > 0) {
        sub(/^.*\) /, "", line)
        split(line, f, " ")
        # A server that reads from flash itself has no page faults.
        if (counters == "majflt") print $3, "majflt", f[10]
      }
      close(file)
    }' "$RECORD" 2>/dev/null || : # mawk gives up when a process ends while it is read
  # With one node the figure is Rss, and pages need not be counted.
  ((${#MONITOR_NODES[@]} < 2)) || while read -r pid _ port; do host_tier_pages "$pid" "$port"; done <"$RECORD"
}

# Print what parts have the kernel count (host_tune.sh of a part), and where the memory of a part is that wants it known (host_part_counted), rows `PART
# COUNTER BYTES`: its bytes, those swapped out, and with several nodes those on each node.
host_monitor_mark_parts() {
  local pid part name
  for name in "${TUNE_PARTS[@]}"; do "host_${name}_counts"; done
  for part in "$WORK/run-$RUN_ID"/*.part; do
    [[ -e $part/counted ]] || continue
    name=${part##*/} name=${name%.part}
    while read -r pid _; do
      cat "/proc/$pid/status" 2>/dev/null || :
      ((${#MONITOR_NODES[@]} < 2)) || host_tier_pages "$pid" "$name"
    done <"$part/proc" | LC_ALL=C awk -v OFS='\t' -v part="$name" '
      $1 == "RssAnon:" || $1 == "VmSwap:" { sum[$1 == "VmSwap:" ? "swap" : "resident"] += $2 * 1024 }
      $1 == part { sum[$2] += $3 }
      END { for (name in sum) printf "%s\t%s\t%.0f\n", part, name, sum[name] }'
  done
}

# Let the guard look at an instance that has ended, because only it knows why: it looks once a second, and may be stopped after this mark.
# Usage: host_monitor_await_guard
# Globals: MONITOR RECORD
host_monitor_await_guard() {
  local pid start gone end=$((SECONDS + 4))
  while [[ -e $MONITOR/on && ! -e $MONITOR/alarm ]] && ((SECONDS < end)); do
    gone=
    while read -r pid start _; do proc_alive "$pid" "$start" || gone=yes; done <"$RECORD"
    [[ -n $gone ]] || return 0
    proc_wait 0.1
  done
}

# The reason if the guard has stopped the load, has exited, or is suspended; else empty.
# Returns: sets REPLY
host_monitor_alarm() {
  local pid start line up beat='' gone=''
  if [[ -e $MONITOR/on ]]; then
    read -r pid start _ <"$MONITOR/monitor.proc"
    proc_alive "$pid" "$start" || gone="are gone"
    read -r up _ </proc/uptime
    { read -r beat <"$MONITOR/beat"; } 2>/dev/null || :
    line=
    { read -r line <"/proc/$pid/stat"; } 2>/dev/null || :
    if [[ ${line##*) } == [Tt]* ]]; then
      gone="were stopped by a signal (SIGSTOP)"
    elif [[ -n $beat ]] && ((${up%.*} - ${beat%.*} >= MONITOR_SILENT)); then
      gone="did nothing for $((${up%.*} - ${beat%.*})) s"
    fi
  fi
  REPLY=
  # The guard writes this before it ends.
  if [[ -e $MONITOR/alarm ]]; then
    IFS= read -r REPLY <"$MONITOR/alarm" || :
  elif [[ -n $gone ]]; then
    ! workdir_full || gone+=" ($REPLY)"
    REPLY="the monitors $gone, so the server is not guarded; the load was stopped"
  fi
}

# Stop the monitors, if they were started; their files stay.
# Usage: host_monitor_stop
# Globals: MONITOR
host_monitor_stop() {
  [[ -d $MONITOR ]] || return 0
  rm -f -- "$MONITOR/on"
  proc_end 5 "$MONITOR/monitor.proc" || fail "the monitors do not end"
}

# Stop the monitors and send their files. The files are kept until `ended`, because they are sent again if the link is cut after the last byte.
host_monitor_fetch() {
  host_monitor_stop
  cd "$MONITOR" 2>/dev/null || fail "$MONITOR: is missing"
  [[ -s monitor.err ]] || rm -f monitor.err
  files_send -- *.tsv marks mark-* alarm monitor.err info.before
}
