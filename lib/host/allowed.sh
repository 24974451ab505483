# SPDX-License-Identifier: MIT
# shellcheck shell=bash
# What processes of this host may use: CPUs and memory nodes (cpusets), memory and CPU time (cgroups of version 1 and 2, all parents that are
# visible here). TIERBENCH_ROOT, if set, is a prefix of the kernel's paths, so that a test can simulate another machine.

# Print the CPUs that a process may be pinned to, as a list; nothing if the kernel does not report them.
# Usage: host_allowed_cpus
host_allowed_cpus() {
  local status=${TIERBENCH_ROOT-}/proc/self/status possible=
  # The mask of this process may be narrower: with isolated CPUs it is. The kernel cuts a wide mask to the cpuset.
  if [[ -z ${TIERBENCH_ROOT-} ]] && { read -r possible </sys/devices/system/cpu/possible; } 2>/dev/null; then
    possible=$(run_limited 10 taskset -c "$possible" cat "$status" 2>/dev/null) || possible=
  fi
  if [[ -n $possible ]]; then printf '%s\n' "$possible"; else cat -- "$status" 2>/dev/null || :; fi | sed -n 's/^Cpus_allowed_list:[[:space:]]*//p'
}

# The memory nodes that a process may use, as a list in the kernel's form; empty if the kernel does not report them.
# Usage: host_allowed_nodes
# Returns: sets REPLY
host_allowed_nodes() {
  local line
  REPLY=
  [[ -e ${TIERBENCH_ROOT-}/proc/self/status ]] || return 0
  while IFS= read -r line; do
    [[ $line != Mems_allowed_list:* ]] || REPLY=${line##*[[:space:]]}
  done <"${TIERBENCH_ROOT-}/proc/self/status"
}

# The cgroup of a process and its parents in the hierarchy of a controller, as directories, up to the root that is visible here.
# Usage: host_allowed_levels PROCESS CONTROLLER
#   PROCESS is a pid or self
# Returns: sets ALLOWED_LEVELS; empty without such a hierarchy
host_allowed_levels() {
  local root=${TIERBENCH_ROOT-} line names path='' kind=cgroup2 top='' at=''
  local -a lines field
  ALLOWED_LEVELS=()
  { mapfile -t lines <"$root/proc/$1/cgroup"; } 2>/dev/null || return 0
  # NUMBER:CONTROLLERS:PATH; version 2 has no controllers there.
  for line in "${lines[@]}"; do
    names=${line#*:}
    names=${names%%:*}
    if [[ ,$names, == *",$2,"* ]]; then
      kind=cgroup path=${line#*:*:}
      break
    fi
    [[ -n $names ]] || path=${line#*:*:}
  done
  { mapfile -t lines <"$root/proc/self/mountinfo"; } 2>/dev/null || return 0
  for line in "${lines[@]}"; do
    # The fields before ` - ` vary in number: ROOT and the directory are the fourth and the fifth.
    names=${line#* - }
    [[ $names == "$kind "* ]] || continue
    [[ $kind == cgroup2 || ,${names##* }, == *",$2,"* ]] || continue
    read -r -a field <<<"$line"
    at=$root${field[4]//\\040/ } top=${field[3]//\\040/ }
    break
  done
  [[ -n $at ]] || return 0
  # A container may see its own part only: the mount then begins at its cgroup.
  [[ $top == / ]] || if [[ $path/ == "$top"/* ]]; then path=${path#"$top"}; else path=; fi
  [[ $path != */..* ]] || path=
  path=${path%/}
  while :; do
    [[ ! -d $at$path ]] || ALLOWED_LEVELS+=("$at$path")
    [[ -n $path ]] || break
    path=${path%/*}
  done
}

# Find the cgroups that limit the memory of a process.
# Usage: host_allowed_memory PROCESS [EXCEPT]
#   EXCEPT is a cgroup whose own limit does not count
# Returns: sets ALLOWED_LIMITS: directories of ALLOWED_LEVELS with a limit below the machine's memory
host_allowed_memory() {
  local level total
  host_allowed_levels "$1" memory
  ALLOWED_LIMITS=()
  { read -r _ total _ <"${TIERBENCH_ROOT-}/proc/meminfo"; } 2>/dev/null || return 0
  for level in "${ALLOWED_LEVELS[@]}"; do
    [[ $level != "${2-}" ]] || continue
    _host_allowed_limit "$level"
    [[ -z $REPLY ]] || ((REPLY >= total * 1024)) || ALLOWED_LIMITS+=("$level")
  done
}

# The limit of a cgroup's memory in bytes; empty without one. In version 1 it includes that of parents that are not visible here.
# Returns: sets REPLY
_host_allowed_limit() {
  local name value least=''
  for name in memory.max memory.high memory.limit_in_bytes; do
    value=
    { read -r value <"$1/$name"; } 2>/dev/null || :
    # Version 1 says 2^63 less a page for none.
    [[ $value =~ ^[0-9]{1,18}$ ]] && { [[ -z $least ]] || ((value < least)); } && least=$value
  done
  _host_allowed_stat "$1"
  value=${ALLOWED_STAT[hierarchical_memory_limit]-}
  [[ $value =~ ^[0-9]{1,18}$ ]] && { [[ -z $least ]] || ((value < least)); } && least=$value
  REPLY=$least
}

# Read the memory.stat of a cgroup.
# Returns: sets ALLOWED_STAT, by name
_host_allowed_stat() {
  local line
  local -a lines=()
  declare -gA ALLOWED_STAT=()
  { mapfile -t lines <"$1/memory.stat"; } 2>/dev/null || return 0
  for line in "${lines[@]}"; do
    [[ ! $line =~ ^([a-z_]+)\ ([0-9]{1,18})$ ]] || ALLOWED_STAT[${BASH_REMATCH[1]}]=${BASH_REMATCH[2]}
  done
}

# The memory that is left in the cgroups of ALLOWED_LIMITS.
# Usage: host_allowed_left
# Returns: sets ALLOWED_LEFT, bytes, and ALLOWED_BYTES and ALLOWED_WHERE, the lowest limit and its file; all empty without a limit
host_allowed_left() {
  local level used cache REPLY
  ALLOWED_LEFT='' ALLOWED_BYTES='' ALLOWED_WHERE=''
  for level in "${ALLOWED_LIMITS[@]}"; do
    _host_allowed_limit "$level"
    [[ -n $REPLY ]] || continue
    used=0
    { read -r used <"$level/memory.current" || read -r used <"$level/memory.usage_in_bytes"; } 2>/dev/null || :
    # The kernel drops the cache of files before it refuses memory. The names with total_ are of version 1, and include children.
    cache=$((${ALLOWED_STAT[total_inactive_file]-${ALLOWED_STAT[inactive_file]-0}} + ${ALLOWED_STAT[total_active_file]-${ALLOWED_STAT[active_file]-0}}))
    used=$((used > cache ? used - cache : 0))
    used=$((REPLY > used ? REPLY - used : 0))
    [[ -n $ALLOWED_LEFT ]] && ((ALLOWED_LEFT <= used)) || ALLOWED_LEFT=$used
    [[ -n $ALLOWED_BYTES ]] && ((ALLOWED_BYTES <= REPLY)) || ALLOWED_BYTES=$REPLY ALLOWED_WHERE=${level#"${TIERBENCH_ROOT-}"}
  done
}

# The lowest quota of CPU time of a process, over its cgroup and all parents.
# Usage: host_allowed_quota PROCESS
# Returns: sets ALLOWED_QUOTA, in percent of one CPU, and ALLOWED_WHERE, its cgroup; both empty without a quota
host_allowed_quota() {
  local level quota period
  host_allowed_levels "$1" cpu
  ALLOWED_QUOTA='' ALLOWED_WHERE=''
  for level in "${ALLOWED_LEVELS[@]}"; do
    quota='' period=''
    { read -r quota period <"$level/cpu.max" || { read -r quota <"$level/cpu.cfs_quota_us" && read -r period <"$level/cpu.cfs_period_us"; }; } 2>/dev/null || :
    # `max` or -1: there is no quota.
    [[ $quota =~ ^[1-9][0-9]{0,14}$ && $period =~ ^[1-9][0-9]{0,14}$ ]] || continue
    quota=$((quota * 100 / period))
    ((quota > 0)) || quota=1
    [[ -n $ALLOWED_QUOTA ]] && ((ALLOWED_QUOTA <= quota)) || ALLOWED_QUOTA=$quota ALLOWED_WHERE=${level#"${TIERBENCH_ROOT-}"}
  done
}

# The files in which the kernel counts how often a quota stopped these processes, each once.
# Usage: host_allowed_stats PROCESS...
# Returns: sets ALLOWED_STATS
host_allowed_stats() {
  local process level seen=' ' text known=$'\n'
  ALLOWED_STATS=()
  for process; do
    # The instances of a run have the same cgroup.
    text=
    { IFS= read -r -d '' text <"${TIERBENCH_ROOT-}/proc/$process/cgroup"; } 2>/dev/null || :
    [[ $known != *$'\n'"$text"$'\n'* ]] || continue
    known+=$text$'\n'
    host_allowed_levels "$process" cpu
    for level in "${ALLOWED_LEVELS[@]}"; do
      [[ $seen != *" $level "* && -e $level/cpu.stat ]] || continue
      seen+="$level "
      ALLOWED_STATS+=("$level/cpu.stat")
    done
  done
}

# The microseconds for which a quota stopped processes, and in how many periods, since their cgroups exist.
# Usage: host_allowed_throttled FILE...
#   FILE as host_allowed_stats gives them
# Returns: sets REPLY, both separated by a tab
host_allowed_throttled() {
  local file name value time=0 periods=0
  for file; do
    [[ -e $file ]] || continue
    while read -r name value; do
      [[ $value =~ ^[0-9]{1,18}$ ]] || continue
      case $name in
        nr_throttled) periods=$((periods + value)) ;;
        throttled_usec) time=$((time + value)) ;;
        # Version 1 counts nanoseconds.
        throttled_time) time=$((time + value / 1000)) ;;
      esac
    done <"$file"
  done 2>/dev/null
  REPLY=$time$'\t'$periods
}
