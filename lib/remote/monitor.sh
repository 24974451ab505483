# SPDX-License-Identifier: MIT
# shellcheck shell=bash
# What memory does on the server while it is loaded: samples each second, and a look at everything at each phase's boundary.
# Needs: tier_cgroup tier_detect tier_verify monitor_sample cpus irq monitor_load
# Settings sent in front: RUN_ID, RESERVE_BYTES (for start), SERVER_ADDRESS and REDIS_PASSWORD (for mark).

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
  [[ ! -e $WORK/run-$RUN_ID/tier/cgroup ]] || MONITOR_STAT=$(<"$WORK/run-$RUN_ID/tier/cgroup")/memory.stat
  {
    echo 'set -u'
    declare -p WORK MONITOR RECORD RESERVE_BYTES MONITOR_VMSTAT MONITOR_TURN MONITOR_STAT
    declare -f
    echo monitor_loop
  } >"$MONITOR/monitor.sh"
  setsid bash "$MONITOR/monitor.sh" </dev/null >/dev/null 2>"$MONITOR/monitor.err" &
  proc_record "$MONITOR/monitor.proc" $! monitor || fail "the monitors ended at once: $(cat "$MONITOR/monitor.err")"
}

# Write down all counters as they stand, under the name of the phase that comes next; print them too.
# Usage: monitor_mark NAME
monitor_mark() {
  local file=$MONITOR/mark-$1 rows
  [[ -d $MONITOR ]] || fail "the monitors do not run"
  rows=$(
    mark_host
    mark_load
    mark_instances
    tier_state
  )
  { printf '%s\n' "$rows" && tier_verify <<<"$rows"; } >"$file.new"
  mv -f -- "$file.new" "$file"
  # The order of marks is that of this list.
  grep -qxF -- "$1" "$MONITOR/marks" 2>/dev/null || printf '%s\n' "$1" >>"$MONITOR/marks"
  cat "$file"
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

mark_instances() {
  local pid port nodes
  nodes=$(tier_memory_nodes | wc -l)
  while read -r pid _ port; do
    if redis_ask "$SERVER_ADDRESS" "$port" 'INFO all'; then
      awk -F '[:,=]' -v port="$port" '
        $1 ~ /^(used_memory|used_memory_rss|mem_fragmentation_ratio|keyspace_hits|keyspace_misses)$/ { print port "\t" $1 "\t" $2 }
        $1 ~ /^used_cpu_(user|sys)$/ { cpu += $2 }
        /^cmdstat_(get|set):/ { calls += $3 }
        END { printf "%s\tcalls\t%.0f\n%s\tused_cpu_us\t%.0f\n", port, calls, port, cpu * 1000000 }' <<<"${REDIS_REPLY//$'\r'/}"
    else
      printf '%s\tunanswered\t1\n' "$port"
    fi
    awk -v port="$port" '
      $1 == "VmRSS:" { printf "%s\trss\t%.0f\n", port, $2 * 1024 }
      $1 == "RssAnon:" { printf "%s\tanon\t%.0f\n", port, $2 * 1024 }
      $1 == "VmSwap:" { printf "%s\tswap\t%.0f\n", port, $2 * 1024 }' \
      "/proc/$pid/status" 2>/dev/null || :
    awk -v port="$port" '{ sub(/^.*\) /, ""); print port "\tmajflt\t" $10 }' "/proc/$pid/stat" 2>/dev/null || :
    # With one node it is Rss, and need not be counted page by page.
    ((nodes < 2)) || tier_pages "$pid" "$port"
  done <"$RECORD"
}

# Print the alarm, if the guard has ended the load, or is gone itself.
monitor_alarm() {
  local pid start gone=''
  if [[ -e $MONITOR/on ]]; then
    read -r pid start _ <"$MONITOR/monitor.proc"
    proc_alive "$pid" "$start" || gone=yes
  fi
  # It writes this before it ends.
  if [[ -e $MONITOR/alarm ]]; then
    cat "$MONITOR/alarm"
  elif [[ -n $gone ]]; then
    printf 'the monitors are gone, and nothing else keeps the server out of harm; the load was ended\n'
  fi
}

monitor_stop() {
  [[ -d $MONITOR ]] || return 0
  rm -f -- "$MONITOR/on"
  proc_end 5 "$MONITOR/monitor.proc" || fail "the monitors do not end"
}

# End the monitors, print their files as a tar stream, and remove them.
monitor_fetch() {
  monitor_stop
  cd "$MONITOR" || fail "$MONITOR: is gone"
  [[ -s monitor.err ]] || rm -f monitor.err
  rm -f monitor.sh monitor.proc
  tar -cf - -- *
  rm -rf -- "$MONITOR"
}
