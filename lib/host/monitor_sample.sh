# SPDX-License-Identifier: MIT
# shellcheck shell=bash
# The monitors: one process that writes down once a second what memory does, and guards the host. It forks nothing, so that
# it costs well under 1 % of a CPU.
# Globals: MONITOR (its directory), RECORD (the instances), RESERVE_BYTES, MONITOR_STAT (memory.stat of the tier's cgroup, or empty)

# What of /proc/vmstat tells of memory tiers; the kernel may not have all of them.
# shellcheck disable=SC2034 # lib/host/monitor.sh has use for it too
MONITOR_VMSTAT=(pswpin pswpout workingset_refault_anon pgmajfault swap_ra swap_ra_hit pgpromote_success pgdemote_kswapd
  pgdemote_direct pgdemote_khugepaged pgdemote_proactive pgpromote_candidate pgpromote_candidate_nrl numa_hint_faults numa_hint_faults_local
  numa_pages_migrated numa_pte_updates numa_hit numa_miss zswpin zswpout oom_kill)

# Seconds without a sample after which the monitors are taken for stopped.
MONITOR_SILENT=6
# How many instances are looked at in a second; more than that take turns.
MONITOR_TURN=32

# Sample until the directory's file `on` is gone.
# Usage: monitor_loop
monitor_loop() {
  local now beat
  MONITOR_SWAP_LINE=0
  sample_record
  # Nobody ever writes to this pipe: reading from it with a limit is a pause that needs no process.
  exec {MONITOR_PIPE}<> <(:)
  sample_vmstat_open
  printf 'time\tsome_us\tfull_us\n' >"$MONITOR/pressure.tsv"
  printf 'time\tport\trss\tswap\tmajflt\n' >"$MONITOR/instances.tsv"
  while [[ -e $MONITOR/on ]]; do
    now=${EPOCHREALTIME/[.,]/}
    [[ ! $RECORD -nt $MONITOR/beat ]] || sample_record
    { read -r beat _ && printf '%s\n' "$beat" >"$MONITOR/beat"; } </proc/uptime
    sample_vmstat "$EPOCHREALTIME"
    sample_pressure "$EPOCHREALTIME"
    sample_instances "$EPOCHREALTIME"
    guard || return 0
    pause $((now + 1000000))
  done
}

# Read which instances there are; a fault takes some off the record, and puts them on it again.
sample_record() {
  local pid start port
  MONITOR_PORTS=() MONITOR_PIDS=() MONITOR_STARTS=() MONITOR_NEXT=0
  while read -r pid start port; do
    MONITOR_PIDS+=("$pid") MONITOR_STARTS+=("$start") MONITOR_PORTS+=("$port")
  done <"$RECORD"
}

# Wait until a time in microseconds. Meanwhile have the kernel count the cgroup of the tier anew, ten times a second, by reading
# what it counts. By itself it does so every two seconds, and goes by these counts when it reclaims: if all pages have turned
# from inactive to active meanwhile, as those do that are fetched again and again, it looks for none among them, finds none to
# take, and calls the OOM killer while most of the swap is free.
# Usage: pause END
pause() {
  local left
  while :; do
    left=$(($1 - ${EPOCHREALTIME/[.,]/}))
    ((left >= 10000)) || left=10000
    [[ -z $MONITOR_STAT ]] || ((left < 100000)) || left=100000
    ((left < 1000000)) || left=999999
    printf -v left '0.%06d' "$left"
    read -r -t "$left" -u "$MONITOR_PIPE" || :
    [[ -z $MONITOR_STAT ]] || read -r _ <"$MONITOR_STAT" || :
    ((${EPOCHREALTIME/[.,]/} < $1)) || return 0
  done
} 2>/dev/null

# Where the wanted counters stand in /proc/vmstat: their lines do not move while the machine is up.
sample_vmstat_open() {
  local line name
  local -a lines
  local -A at=()
  mapfile -t lines </proc/vmstat
  for line in "${!lines[@]}"; do at[${lines[line]% *}]=$line; done
  MONITOR_LINES=()
  printf 'time' >"$MONITOR/vmstat.tsv"
  for name in "${MONITOR_VMSTAT[@]}"; do
    [[ -v "at[$name]" ]] || continue
    MONITOR_LINES+=("${at[$name]}")
    printf '\t%s' "$name" >>"$MONITOR/vmstat.tsv"
    [[ $name != oom_kill ]] || MONITOR_OOM_LINE=${at[$name]}
  done
  echo >>"$MONITOR/vmstat.tsv"
  MONITOR_OOM=${lines[MONITOR_OOM_LINE]#* }
}

sample_vmstat() {
  local row=$1 line
  local -a lines
  mapfile -t lines </proc/vmstat
  for line in "${MONITOR_LINES[@]}"; do row+=$'\t'${lines[line]#* }; done
  printf '%s\n' "$row" >>"$MONITOR/vmstat.tsv"
  MONITOR_OOM_NOW=${lines[MONITOR_OOM_LINE]#* }
}

sample_pressure() {
  local some full
  # The kernel may have been built or started without it.
  { read -r some && read -r full; } </proc/pressure/memory 2>/dev/null || return 0
  printf '%s\t%s\t%s\n' "$1" "${some##*total=}" "${full##*total=}" >>"$MONITOR/pressure.tsv"
}

# Write down what the next instances in turn use; leaves in MONITOR_GONE the number of one that is no longer what was recorded.
sample_instances() {
  local turn index line swap
  local -a field status
  MONITOR_GONE=
  for ((turn = 0; turn < MONITOR_TURN && turn < ${#MONITOR_PIDS[@]}; turn++)); do
    index=$MONITOR_NEXT
    MONITOR_NEXT=$(((MONITOR_NEXT + 1) % ${#MONITOR_PIDS[@]}))
    line=
    { read -r line <"/proc/${MONITOR_PIDS[index]}/stat"; } 2>/dev/null || :
    # Not by read, which needs a file or a pipe of its own for a text. Nothing behind the name is a pattern.
    # shellcheck disable=SC2206
    field=(${line##*) })
    # Field 22 of proc(5), counted from the third, is what proc_start compares.
    if [[ -z $line || ${field[0]} == Z || ${field[19]} != "${MONITOR_STARTS[index]}" ]]; then
      MONITOR_GONE=$index
      continue
    fi
    # At once, for the kernel makes the text anew for each piece that is read. Its lines do not move either.
    { mapfile -t status <"/proc/${MONITOR_PIDS[index]}/status"; } 2>/dev/null || :
    [[ ${status[MONITOR_SWAP_LINE]-} == VmSwap:* ]] || sample_swap_line
    swap=${status[MONITOR_SWAP_LINE]-}
    swap=${swap//[^0-9]/}
    # Fields 24 and 12.
    printf '%s\t%s\t%s\t%s\t%s\n' "$1" "${MONITOR_PORTS[index]}" $((field[21] * 4096)) $((${swap:-0} * 1024)) "${field[9]}"
  done >>"$MONITOR/instances.tsv"
}

# Where `status` of the caller, the lines of /proc/PID/status, tells of swap.
sample_swap_line() {
  for MONITOR_SWAP_LINE in "${!status[@]}"; do
    [[ ${status[MONITOR_SWAP_LINE]} != VmSwap:* ]] || return 0
  done
  MONITOR_SWAP_LINE=0
}

# Whether the instance that is gone was taken off the record before: then a fault ended it.
guard_planned() {
  local pid=${MONITOR_PIDS[MONITOR_GONE]} port=${MONITOR_PORTS[MONITOR_GONE]}
  sample_record
  for MONITOR_GONE in "${!MONITOR_PIDS[@]}"; do
    [[ ${MONITOR_PIDS[MONITOR_GONE]} != "$pid" || ${MONITOR_PORTS[MONITOR_GONE]} != "$port" ]] || return 1
  done
}

# Keep the host out of harm: when memory that must stay free is used, or an instance is gone, all instances are ended.
# Returns: 1 when it had to, with the reason in the file `alarm`.
guard() {
  local index available why=''
  local -a lines
  mapfile -t -n 3 lines </proc/meminfo
  read -r _ available _ <<<"${lines[2]}"
  if ((available * 1024 < RESERVE_BYTES)); then
    why="$((available >> 10)) MiB of memory are available, and $((RESERVE_BYTES >> 20)) MiB must stay free (RESERVE)"
  fi
  if [[ -z $why ]]; then
    # Whether there is such a process at all is all that can be asked of hundreds in each second; whether it is still ours, and no
    # zombie, is seen in its turn.
    for index in "${!MONITOR_PIDS[@]}"; do
      kill -0 "${MONITOR_PIDS[index]}" || {
        MONITOR_GONE=$index
        break
      }
    done 2>/dev/null
    if [[ -n $MONITOR_GONE ]] && guard_planned; then
      MONITOR_GONE=
    elif [[ -n $MONITOR_GONE ]]; then
      # Not when it is being stopped as planned.
      [[ -e $MONITOR/on ]] || return 1
      why="the instance on port ${MONITOR_PORTS[MONITOR_GONE]} is gone"
      sample_vmstat "$EPOCHREALTIME"
      ((MONITOR_OOM_NOW == MONITOR_OOM)) || why="the OOM killer took the instance on port ${MONITOR_PORTS[MONITOR_GONE]}"
    fi
  fi
  [[ -n $why ]] || return 0
  printf '%s; the load was ended\n' "$why" >"$MONITOR/alarm.new"
  mv -f -- "$MONITOR/alarm.new" "$MONITOR/alarm"
  proc_end 30 "$RECORD" || :
  return 1
}
