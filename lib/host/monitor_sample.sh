# SPDX-License-Identifier: MIT
# shellcheck shell=bash
# The monitors: one process that records memory counters once per second, and guards the host. No sample starts a process, so it takes well under 1 %
# of a CPU.
# Globals: MONITOR (its directory), RECORD (the instances), RESERVE_BYTES, MONITOR_STAT (memory.stat of the tier's cgroup, or empty),
#   MONITOR_APART (yes: an instance that ends is lost, and the others continue),
#   MONITOR_NODES (the directories of the nodes with memory in /sys), HIT_COUNTERS, ALLOWED_LIMITS (the cgroups that limit the memory of the instances),
#   ALLOWED_NOTED (what the OOM killer had done before)

# Counters of /proc/vmstat that concern memory tiers; a kernel may lack some of them.
# shellcheck disable=SC2034 # lib/host/monitor.sh has use for it too
MONITOR_VMSTAT=(pswpin pswpout workingset_refault_anon pgmajfault swap_ra swap_ra_hit pgpromote_success pgdemote_kswapd
  pgdemote_direct pgdemote_khugepaged pgdemote_proactive pgpromote_candidate pgpromote_candidate_nrl numa_hint_faults numa_hint_faults_local
  numa_pages_migrated numa_pte_updates numa_hit numa_miss zswpin zswpout oom_kill)

# Seconds without a sample after which the monitors are considered stopped.
MONITOR_SILENT=6

# Sample until the directory's file `on` is removed.
# Usage: host_monitor_loop
host_monitor_loop() {
  local now beat
  host_monitor_sample_record
  # Nothing is ever written to this pipe: reading from it with a limit is a pause without a process.
  exec {MONITOR_PIPE}<> <(:)
  host_monitor_sample_vmstat_open
  host_monitor_sample_nodes_open
  host_monitor_sample_instances_open
  host_monitor_cpus_open
  host_monitor_sample_groups_open
  printf 'time\tsome_us\tfull_us\n' >"$MONITOR/pressure.tsv"
  while [[ -e $MONITOR/on ]]; do
    now=${EPOCHREALTIME/[.,]/}
    # A record that was changed in the same step of the file system's clock as it was read is read again.
    [[ $RECORD -ot $MONITOR/seen ]] || {
      : >"$MONITOR/seen"
      host_monitor_sample_record
    }
    { read -r beat _ && printf '%s\n' "$beat" >"$MONITOR/beat"; } </proc/uptime
    host_monitor_sample_vmstat "$EPOCHREALTIME"
    host_monitor_sample_pressure "$EPOCHREALTIME"
    host_monitor_sample_nodes "$EPOCHREALTIME"
    host_monitor_sample_instances "$EPOCHREALTIME"
    host_monitor_cpus "${MONITOR_RAN[@]}"
    host_monitor_sample_groups "$EPOCHREALTIME"
    host_monitor_guard || return 0
    host_monitor_pause $((now + 1000000))
  done
}

# Read the list of instances; a fault removes some from the record, and adds them again.
host_monitor_sample_record() {
  local pid start port
  MONITOR_PORTS=() MONITOR_PIDS=() MONITOR_STARTS=() MONITOR_NEXT=0
  while read -r pid start port; do
    MONITOR_PIDS+=("$pid") MONITOR_STARTS+=("$start") MONITOR_PORTS+=("$port")
  done <"$RECORD"
}

# Wait until a time in microseconds. In the meantime make the kernel update the counts of the tier's cgroup ten times per second, by reading
# them. By default it updates them every two seconds, and reclaim uses these counts. In between, all pages may change from inactive to active, as
# repeatedly fetched pages do. Reclaim then ignores the active pages, finds nothing to reclaim, and calls the OOM killer while most of the swap is
# free.
# Usage: host_monitor_pause END
host_monitor_pause() {
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

# The line numbers of the wanted counters in /proc/vmstat: they do not change while the machine is up.
host_monitor_sample_vmstat_open() {
  local line name
  local -a lines
  local -A at=()
  mapfile -t lines </proc/vmstat
  for line in "${!lines[@]}"; do at[${lines[line]% *}]=$line; done
  MONITOR_LINES=()
  printf 'time' >"$MONITOR/vmstat.tsv"
  for name in "${MONITOR_VMSTAT[@]}"; do
    [[ -n ${at[$name]+set} ]] || continue
    MONITOR_LINES+=("${at[$name]}")
    printf '\t%s' "$name" >>"$MONITOR/vmstat.tsv"
  done
  echo >>"$MONITOR/vmstat.tsv"
}

# Record the counters of /proc/vmstat.
# Usage: host_monitor_sample_vmstat TIME
#   TIME in seconds since the epoch
host_monitor_sample_vmstat() {
  local row=$1 line
  local -a lines
  mapfile -t lines </proc/vmstat
  for line in "${MONITOR_LINES[@]}"; do row+=$'\t'${lines[line]#* }; done
  printf '%s\n' "$row" >>"$MONITOR/vmstat.tsv"
}

# Record the stall times of memory (PSI) since boot, in microseconds; nothing if the kernel has no PSI.
# Usage: host_monitor_sample_pressure TIME
host_monitor_sample_pressure() {
  local some full
  # The kernel may have been built or started without PSI.
  { read -r some && read -r full; } </proc/pressure/memory 2>/dev/null || return 0
  printf '%s\t%s\t%s\n' "$1" "${some##*total=}" "${full##*total=}" >>"$MONITOR/pressure.tsv"
}

# The line of anonymous memory in a node's meminfo; a server with one node has nothing to record.
host_monitor_sample_nodes_open() {
  local node
  local -a lines
  MONITOR_ANON_LINE=0
  ((${#MONITOR_NODES[@]} > 1)) || return 0
  mapfile -t lines <"${MONITOR_NODES[0]}/meminfo"
  for MONITOR_ANON_LINE in "${!lines[@]}"; do
    [[ ${lines[MONITOR_ANON_LINE]} != *' AnonPages:'* ]] || break
  done
  printf 'time' >"$MONITOR/nodes.tsv"
  for node in "${MONITOR_NODES[@]}"; do printf '\t%s' "${node##*/}" >>"$MONITOR/nodes.tsv"; done
  echo >>"$MONITOR/nodes.tsv"
}

# Record the anonymous memory of all processes on each node: counting only the instances would need a walk through their pages.
host_monitor_sample_nodes() {
  local row=$1 node kib
  local -a lines
  ((${#MONITOR_NODES[@]} > 1)) || return 0
  for node in "${MONITOR_NODES[@]}"; do
    mapfile -t lines <"$node/meminfo"
    kib=${lines[MONITOR_ANON_LINE]#*:}
    kib=${kib//[^0-9]/}
    row+=$'\t'$((${kib:-0} * 1024))
  done
  printf '%s\n' "$row" >>"$MONITOR/nodes.tsv"
}

# Begin the samples of instances. The kernel counts their resident memory in pages, of 64 KiB on some Arm hosts.
host_monitor_sample_instances_open() {
  MONITOR_SWAP_LINE=0
  MONITOR_PAGE=$(getconf PAGESIZE)
  printf 'time\tport\trss\tswap\tmajflt\n' >"$MONITOR/instances.tsv"
}

# Record the usage of the next instances in turn. Sets MONITOR_GONE to the number of an instance whose recorded process has ended, and MONITOR_RAN to
# the CPUs on which the instances ran last.
host_monitor_sample_instances() {
  local turn index line swap faults
  local -a field status
  MONITOR_GONE=''
  MONITOR_RAN=()
  for ((turn = 0; turn < MONITOR_TURN && turn < ${#MONITOR_PIDS[@]}; turn++)); do
    index=$MONITOR_NEXT
    MONITOR_NEXT=$(((MONITOR_NEXT + 1) % ${#MONITOR_PIDS[@]}))
    line=
    { read -r line <"/proc/${MONITOR_PIDS[index]}/stat"; } 2>/dev/null || :
    # Without `read`, which needs a file or a pipe for a text. The text after the name contains no pattern.
    # shellcheck disable=SC2206
    field=(${line##*) })
    # proc_start compares field 22 of proc(5), here counted from the third.
    if [[ -z $line || ${field[0]} == Z || ${field[19]} != "${MONITOR_STARTS[index]}" ]]; then
      MONITOR_GONE=$index
      continue
    fi
    # Read it in one call, because the kernel generates the text for each piece that is read. Its line numbers are constant too.
    { mapfile -t status <"/proc/${MONITOR_PIDS[index]}/status"; } 2>/dev/null || :
    [[ ${status[MONITOR_SWAP_LINE]-} == VmSwap:* ]] || host_monitor_sample_swap_line
    swap=${status[MONITOR_SWAP_LINE]-}
    swap=${swap//[^0-9]/}
    # Fields 24, 12 and 39.
    faults=${field[9]}
    MONITOR_RAN+=("${field[36]}")
    [[ $HIT_COUNTERS == majflt ]] || faults=-
    printf '%s\t%s\t%s\t%s\t%s\n' "$1" "${MONITOR_PORTS[index]}" $((field[21] * MONITOR_PAGE)) $((${swap:-0} * 1024)) "$faults"
  done >>"$MONITOR/instances.tsv"
}

# The cgroups of groups of instances, by the first port of each; with one node their memory is that of the instances.
host_monitor_sample_groups_open() {
  local port group folder=${MONITOR%/*}/tier
  MONITOR_GROUPS=()
  ((${#MONITOR_NODES[@]} > 1)) && [[ -e $folder/groups ]] || return 0
  MONITOR_FAR=$(host_tier_far "$folder")
  while read -r port group; do
    [[ " ${MONITOR_GROUPS[*]} " == *" $group "* ]] || MONITOR_GROUPS[port]=$group
  done <"$folder/groups"
  printf 'time\tport\tdram\tfar\n' >"$MONITOR/groups.tsv"
}

# Record the data of each group on near and on far nodes.
# Usage: host_monitor_sample_groups TIME
host_monitor_sample_groups() {
  local port REPLY
  for port in "${!MONITOR_GROUPS[@]}"; do
    ! host_tier_cgroup_nodes "${MONITOR_GROUPS[port]}" "$MONITOR_FAR" "$MONITOR_PAGE" || printf '%s\t%s\t%s\n' "$1" "$port" "$REPLY" >>"$MONITOR/groups.tsv"
  done
}

# The index of the swap line in `status` of the caller, the lines of /proc/PID/status.
host_monitor_sample_swap_line() {
  for MONITOR_SWAP_LINE in "${!status[@]}"; do
    [[ ${status[MONITOR_SWAP_LINE]} != VmSwap:* ]] || return 0
  done
  MONITOR_SWAP_LINE=0
}

# Whether the missing instance was removed from the record before: then a fault stopped it.
host_monitor_guard_planned() {
  local pid=${MONITOR_PIDS[MONITOR_GONE]} port=${MONITOR_PORTS[MONITOR_GONE]}
  host_monitor_sample_record
  for MONITOR_GONE in "${!MONITOR_PIDS[@]}"; do
    [[ ${MONITOR_PIDS[MONITOR_GONE]} != "$pid" || ${MONITOR_PORTS[MONITOR_GONE]} != "$port" ]] || return 1
  done
}

# Record the missing instance as lost, and guard the others.
# Usage: host_monitor_guard_lost WHY
host_monitor_guard_lost() {
  printf '%s\t%s\n' "${MONITOR_PORTS[MONITOR_GONE]}" "$1" >>"$MONITOR/lost.tsv"
  awk -v port="${MONITOR_PORTS[MONITOR_GONE]}" '$3 != port' "$RECORD" >"$RECORD.new" && mv -f -- "$RECORD.new" "$RECORD"
  host_monitor_sample_record
  MONITOR_GONE=
}

# Protect the host: if memory that must stay free is used, or an instance has exited, stop all instances.
# Returns: 1 if it stopped them, with the reason in the file `alarm`.
host_monitor_guard() {
  local index available why='' limit=''
  local -a lines
  mapfile -t -n 3 lines </proc/meminfo
  read -r _ available _ <<<"${lines[2]}"
  available=$((available * 1024))
  host_allowed_left
  if [[ -n $ALLOWED_LEFT ]]; then
    limit=" ($ALLOWED_SAID)"
    ((available < ALLOWED_LEFT)) || available=$ALLOWED_LEFT
  fi
  if ((available < RESERVE_BYTES)); then
    why="$((available >> 20)) MiB of memory are available$limit, and $((RESERVE_BYTES >> 20)) MiB must stay free (RESERVE)"
  fi
  if [[ -z $why ]]; then
    # For hundreds of instances, only the existence of the process can be checked each second. When it is the instance's turn, its identity is checked
    # too, and that it is not a zombie.
    for index in "${!MONITOR_PIDS[@]}"; do
      kill -0 "${MONITOR_PIDS[index]}" || {
        MONITOR_GONE=$index
        break
      }
    done 2>/dev/null
    if [[ -n $MONITOR_GONE ]] && host_monitor_guard_planned; then
      MONITOR_GONE=
    elif [[ -n $MONITOR_GONE ]]; then
      # Not while it is being stopped as planned.
      [[ -e $MONITOR/on ]] || return 1
      why="the instance on port ${MONITOR_PORTS[MONITOR_GONE]} has exited"
      host_monitor_sample_vmstat "$EPOCHREALTIME"
      ! host_allowed_killed || why="the OOM killer took the instance on port ${MONITOR_PORTS[MONITOR_GONE]} ($ALLOWED_SAID)"
      if [[ -n $MONITOR_APART ]]; then
        host_monitor_guard_lost "$why"
        why=
      fi
    fi
  fi
  [[ -n $why ]] || return 0
  printf '%s; the load was stopped\n' "$why" >"$MONITOR/alarm.new"
  mv -f -- "$MONITOR/alarm.new" "$MONITOR/alarm"
  proc_end 30 "$RECORD" || :
  return 1
}
