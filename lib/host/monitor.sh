# SPDX-License-Identifier: MIT
# shellcheck shell=bash
# Memory counters of the server under load: samples each second, and all counters at each phase's boundary.
# Needs: protocol tier_cgroup tier_detect tier_verify monitor_sample cpus irq monitor_load probe info damon resctrl
# Settings sent in front: RUN_ID, HIT_COUNTERS (for start and mark), RESERVE_BYTES (for start), SERVER_ADDRESS, REDIS_PASSWORD and RUN_OWNER
# (for mark).

# Usage: main start|mark NAME|alarm|stop|fetch
main() {
  work_open
  MONITOR=$WORK/run-$RUN_ID/monitor
  RECORD=$WORK/run-$RUN_ID/server/instances.proc
  case $1 in
    mark) monitor_mark "$2" ;;
    stop)
      monitor_stop
      rm -rf -- "$MONITOR"
      run_close
      ;;
    *) "monitor_$1" ;;
  esac
}

monitor_start() {
  monitor_stop
  rm -rf -- "$MONITOR"
  mkdir -p -- "$MONITOR"
  : >"$MONITOR/on"
  MONITOR_STAT=
  mapfile -t MONITOR_NODES < <(tier_memory_nodes | sed 's#^\([0-9]*\).*#/sys/devices/system/node/node\1#')
  [[ ! -e $WORK/run-$RUN_ID/tier/cgroup ]] || MONITOR_STAT=$(<"$WORK/run-$RUN_ID/tier/cgroup")/memory.stat
  {
    echo 'set -u'
    declare -p WORK MONITOR RECORD RESERVE_BYTES HIT_COUNTERS MONITOR_VMSTAT MONITOR_TURN MONITOR_STAT MONITOR_NODES
    declare -f
    echo monitor_loop
  } >"$MONITOR/monitor.sh"
  setsid bash "$MONITOR/monitor.sh" </dev/null >/dev/null 2>"$MONITOR/monitor.err" &
  proc_started "$MONITOR/monitor.proc" $! monitor || fail "the monitors ended at once: $(cat "$MONITOR/monitor.err")"
}

# Record all counters under the name of the next phase (`look`: do not record). Print them too, and `machine` with the output of
# probe_cpu.
# Usage: monitor_mark NAME
monitor_mark() {
  local file=$MONITOR/mark-$1 rows
  [[ -d $MONITOR ]] || fail "the monitors do not run"
  rows=$(
    mark_host
    mark_load
    mark_instances
    tier_state
    damon_counts
    resctrl_counts
    # Last, because counting pages may take seconds, and the phase starts next.
    printf 'host\ttime_us\t%s\n' "${EPOCHREALTIME/[.,]/}"
  )
  rows+=$'\n'$(tier_verify <<<"$rows")
  [[ $1 == look ]] || {
    printf '%s\n' "$rows" >"$file.new" && mv -f -- "$file.new" "$file" &&
      # This list has the order of marks.
      { grep -qxF -- "$1" "$MONITOR/marks" || printf '%s\n' "$1" >>"$MONITOR/marks"; }
  } 2>/dev/null || fail "$file: cannot be written (REMOTE_DIR: is its disk full?)"
  printf '%s\n' "$rows"
  probe_row 0 "$RECORD" "$MONITOR/monitor.proc" "${RECORD%/*}/wrappers.proc" "$WORK/run-$RUN_ID/trace.proc" "$WORK/run-$RUN_ID/perf.proc" \
    "$WORK/run-$RUN_ID/antagonist.proc"
}

# Rows SCOPE COUNTER VALUE.
mark_host() {
  local IFS='|'
  awk -v names="${MONITOR_VMSTAT[*]}" '
    BEGIN { n = split(names, name, "|"); for (i = 1; i <= n; i++) wanted[name[i]] = 1; OFS = "\t" }
    FILENAME == "/proc/vmstat" && $1 in wanted { print "host", $1, $2 }
    FILENAME == "/proc/meminfo" && $1 == "MemAvailable:" { printf "host\tavailable\t%.0f\n", $2 * 1024 }' /proc/vmstat /proc/meminfo
  awk '{ sub(/^.*total=/, "", $NF); print "host\tpressure_" $1 "_us\t" $NF }' /proc/pressure/memory 2>/dev/null || :
}

# A server other than Redis may lack fields of INFO: print no row for them. An instance without requests has no cmdstat_get, but it has those of other
# commands.
mark_instances() {
  local pid port nodes
  info_all "$RECORD" | LC_ALL=C awk -F '[:,=]' -v counters="$HIT_COUNTERS" '
    function finish(port) {
      if (!answered) return
      if (counted) printf "%s\tcalls\t%.0f\n", port, calls
      if (timed == 2) printf "%s\tused_cpu_us\t%.0f\n", port, cpu * 1000000
      # A single one of two counters is useless.
      if (misses == "" || (hit_field != "" && hits == "")) return
      if (hit_field != "") printf "%s\tfar_hits\t%s\n", port, hits
      printf "%s\tfar_misses\t%s\n", port, misses
    }
    BEGIN {
      miss_field = counters
      if (sub(/^.*\//, "", miss_field)) { hit_field = counters; sub(/\/.*$/, "", hit_field) }
    }
    /^### instance / { finish(port); port = substr($0, 14); answered = 1; calls = cpu = counted = timed = 0; hits = misses = ""; next }
    /^# no answer$/ { print port "\tunanswered\t1"; answered = 0; next }
    $1 ~ /^(used_memory|used_memory_rss|mem_fragmentation_ratio|keyspace_hits|keyspace_misses)$/ && $2 ~ /^[0-9.]+$/ { print port "\t" $1 "\t" $2 }
    $1 ~ /^used_cpu_(user|sys)$/ { cpu += $2; timed++ }
    /^cmdstat_/ { counted = 1 }
    /^cmdstat_(get|set):/ { calls += $3 }
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
  nodes=$(tier_memory_nodes | wc -l)
  ((nodes < 2)) || while read -r pid _ port; do tier_pages "$pid" "$port"; done <"$RECORD"
}

# Print the alarm, if the guard has stopped the load, has exited, or is suspended.
monitor_alarm() {
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
  # The guard writes this before it ends.
  if [[ -e $MONITOR/alarm ]]; then
    cat "$MONITOR/alarm"
  elif [[ -n $gone ]]; then
    printf 'the monitors %s, and nothing else keeps the server out of harm; the load was ended\n' "$gone"
  fi
}

monitor_stop() {
  [[ -d $MONITOR ]] || return 0
  rm -f -- "$MONITOR/on"
  proc_end 5 "$MONITOR/monitor.proc" || fail "the monitors do not end"
}

# Stop the monitors and send their files. The files are kept until `stop`, because they are sent again if the link is cut after the last byte.
monitor_fetch() {
  monitor_stop
  cd "$MONITOR" 2>/dev/null || fail "$MONITOR: is gone"
  [[ -s monitor.err ]] || rm -f monitor.err
  files_send -- *.tsv marks mark-* alarm monitor.err
}
