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
  [[ -n $possible ]] || { possible=$(<"$status"); } 2>/dev/null || :
  [[ ! $'\n'$possible =~ $'\n'"Cpus_allowed_list:"[[:space:]]*([^$'\n']*) ]] || printf '%s\n' "${BASH_REMATCH[1]}"
}

# The memory nodes that a process may use, as a list in the kernel's form; empty if the kernel does not report them.
# Usage: host_allowed_nodes
# Returns: sets REPLY
host_allowed_nodes() {
  local text=''
  REPLY=
  [[ -e ${TIERBENCH_ROOT-}/proc/self/status ]] || return 0
  # As a whole: line by line, the kernel would make the whole text again for each line.
  IFS= read -r -d '' text <"${TIERBENCH_ROOT-}/proc/self/status" || :
  [[ ! $'\n'$text =~ $'\n'"Mems_allowed_list:"[[:space:]]*([0-9,-]*) ]] || REPLY=${BASH_REMATCH[1]}
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
#   EXCEPT is a cgroup whose limit does not count, nor those below it
# Returns: sets ALLOWED_LIMITS: directories of ALLOWED_LEVELS with a limit below the machine's memory
host_allowed_memory() {
  local level total
  host_allowed_levels "$1" memory
  ALLOWED_LIMITS=()
  { read -r _ total _ <"${TIERBENCH_ROOT-}/proc/meminfo"; } 2>/dev/null || return 0
  for level in "${ALLOWED_LEVELS[@]}"; do
    [[ $level/ != "${2:-/none}"/* ]] || continue
    _host_allowed_limit "$level"
    [[ -z $REPLY ]] || ((REPLY >= total * 1024)) || ALLOWED_LIMITS+=("$level")
  done
}

# The limit of a cgroup's memory in bytes; empty without one. In version 1 it includes that of parents that are not visible here.
# Usage: _host_allowed_limit LEVEL [memsw]
#   memsw  the limit of memory and swap together, which only version 1 has
# Returns: sets REPLY, and ALLOWED_FILE, the file with that limit
_host_allowed_limit() {
  local name value
  local -a names=(memory.max memory.high memory.limit_in_bytes)
  [[ -z ${2-} ]] || names=("memory.$2.limit_in_bytes")
  REPLY='' ALLOWED_FILE=''
  for name in "${names[@]}"; do
    value=
    { read -r value <"$1/$name"; } 2>/dev/null || :
    _host_allowed_least "$value" "$1/$name"
  done
  _host_allowed_stat "$1"
  _host_allowed_least "${ALLOWED_STAT["hierarchical_${2:-memory}_limit"]-}" "$1/memory.stat"
}

# Keep the lower one of two limits.
# Usage: _host_allowed_least VALUE FILE
# Globals: REPLY and ALLOWED_FILE, the other limit
_host_allowed_least() {
  # Version 1 says 2^63 less a page for none.
  [[ $1 =~ ^[0-9]{1,18}$ ]] || return 0
  [[ -n $REPLY ]] && (($1 >= REPLY)) || REPLY=$1 ALLOWED_FILE=$2
}

# The limit of swap for cgroups below another cgroup. In version 1 it is of memory and swap together.
# Usage: host_allowed_swap [LEVEL]
#   LEVEL is the topmost cgroup that is visible here, if it is not given: the cgroup of a tier is below that one
# Returns: sets REPLY, bytes; ALLOWED_WHERE, its file; and ALLOWED_KIND, swap or memsw; all empty without a limit
host_allowed_swap() {
  local level=${1-}
  REPLY='' ALLOWED_WHERE='' ALLOWED_KIND=''
  [[ -n $level ]] || {
    host_allowed_levels self memory
    ((${#ALLOWED_LEVELS[@]} > 0)) || return 0
    level=${ALLOWED_LEVELS[-1]}
  }
  _host_allowed_limit "$level" memsw
  if [[ -n $REPLY ]]; then
    ALLOWED_KIND=memsw
  else
    { read -r REPLY <"$level/memory.swap.max"; } 2>/dev/null || :
    ALLOWED_FILE=$level/memory.swap.max
    [[ $REPLY =~ ^[0-9]{1,18}$ ]] && ALLOWED_KIND=swap || REPLY=
  fi
  [[ -z $REPLY ]] || ALLOWED_WHERE=${ALLOWED_FILE#"${TIERBENCH_ROOT-}"}
}

# Read the memory.stat of a cgroup.
# Returns: sets ALLOWED_STAT, by name
_host_allowed_stat() {
  local line name value
  local -a lines=()
  declare -gA ALLOWED_STAT=()
  { mapfile -t lines <"$1/memory.stat"; } 2>/dev/null || return 0
  for line in "${lines[@]}"; do
    # A regular expression for each line would take three times as long.
    name=${line% *} value=${line##* }
    [[ $name != *[!a-z_]* && $value == [0-9]* && $value != *[!0-9]* && ${#value} -le 18 ]] || continue
    ALLOWED_STAT[$name]=$value
  done
}

# The memory that is left in the cgroups of ALLOWED_LIMITS.
# Usage: host_allowed_left
# Returns: sets ALLOWED_LEFT, bytes; ALLOWED_BYTES and ALLOWED_WHERE, the lowest limit of memory and its file; and ALLOWED_SAID, a text about the limit
#   that leaves least; all empty without a limit
host_allowed_left() {
  local level kind used cache REPLY
  ALLOWED_LEFT='' ALLOWED_BYTES='' ALLOWED_WHERE='' ALLOWED_SAID=''
  for level in "${ALLOWED_LIMITS[@]}"; do
    for kind in '' memsw; do
      _host_allowed_limit "$level" "$kind"
      [[ -n $REPLY ]] || continue
      used=0
      { read -r used <"$level/memory.${kind:+$kind.}usage_in_bytes" || read -r used <"$level/memory.current"; } 2>/dev/null || :
      # The kernel drops the cache of files before it refuses memory. The names with total_ are of version 1, and include children.
      cache=$((${ALLOWED_STAT[total_inactive_file]-${ALLOWED_STAT[inactive_file]-0}} + ${ALLOWED_STAT[total_active_file]-${ALLOWED_STAT[active_file]-0}}))
      used=$((used > cache ? used - cache : 0))
      used=$((REPLY > used ? REPLY - used : 0))
      if [[ -z $ALLOWED_LEFT ]] || ((used < ALLOWED_LEFT)); then
        ALLOWED_LEFT=$used
        _host_allowed_said "$ALLOWED_FILE" "$REPLY"
      fi
      [[ -n $kind || (-n $ALLOWED_BYTES && ALLOWED_BYTES -le REPLY) ]] || ALLOWED_BYTES=$REPLY ALLOWED_WHERE=${ALLOWED_FILE#"${TIERBENCH_ROOT-}"}
    done
  done
}

# Say a limit of memory in words.
# Usage: _host_allowed_said FILE BYTES
# Returns: sets ALLOWED_SAID
_host_allowed_said() {
  ALLOWED_SAID="the limit in ${1#"${TIERBENCH_ROOT-}"} is $(($2 >> 20)) MiB"
}

# Note how often the OOM killer acted in the cgroup of a process, and how often the limits above it stopped it. Kernels before 4.13, and a process whose
# cgroup is not known, count what it did on the machine.
# Usage: host_allowed_note PROCESS
# Returns: sets ALLOWED_NOTED, lines COUNT FILE, the deepest cgroup first
host_allowed_note() {
  local level file REPLY
  ALLOWED_NOTED=()
  host_allowed_levels "$1" memory
  for file in "${ALLOWED_LEVELS[0]-/none}"/memory.{events,oom_control} "${TIERBENCH_ROOT-}/proc/vmstat"; do
    _host_allowed_count "$file" || continue
    ALLOWED_NOTED+=("$REPLY $file")
    break
  done
  for level in "${ALLOWED_LEVELS[@]}"; do
    for file in "$level"/memory.{memsw.limit_in_bytes,limit_in_bytes,max,swap.max}; do
      _host_allowed_count "$file" || continue
      # Version 1 shows only whether a limit was ever reached.
      [[ $file != *.limit_in_bytes ]] || REPLY=0
      ALLOWED_NOTED+=("$REPLY $file")
    done
  done
}

# How often the OOM killer acted, or a limit was reached.
# Usage: _host_allowed_count FILE
#   FILE counts kills, or has a limit
# Returns: sets REPLY; 1 without such a count
_host_allowed_count() {
  local name=oom_kill file=$1 text='' limit=''
  REPLY=
  case ${1##*/} in
    *.limit_in_bytes)
      # Kernels do not count it for all of these limits, but keep the maximum of usage.
      read -r limit <"$1" && read -r REPLY <"${1%limit_in_bytes}max_usage_in_bytes"
      [[ ! $limit =~ ^[0-9]{1,18}$ || ! $REPLY =~ ^[0-9]{1,18}$ ]] || REPLY=$((limit - REPLY <= 65536)) # one page, of at most 64 KiB
      ;;
    memory.max) name=oom file=${1%max}events ;;&
    memory.swap.max) name=max file=${1%max}events ;;&
    *)
      # As host_allowed_nodes.
      IFS= read -r -d '' text <"$file" || :
      [[ ! $'\n'$text =~ $'\n'"$name "([0-9]+) ]] || REPLY=${BASH_REMATCH[1]}
      ;;
  esac 2>/dev/null
  [[ $REPLY =~ ^[0-9]{1,18}$ ]]
}

# Whether the OOM killer has acted since host_allowed_note, and the limit that was reached.
# Usage: host_allowed_killed
# Globals: ALLOWED_NOTED
# Returns: sets ALLOWED_SAID, a text about the limit; 1 if the OOM killer did not act
host_allowed_killed() {
  local line file limit said='' swap='' killed='' REPLY
  for line in "${ALLOWED_NOTED[@]}"; do
    file=${line#* } limit=
    if ! _host_allowed_count "$file" || ((REPLY <= ${line%% *})); then continue; fi
    [[ ${file##*/} == memory.*limit_in_bytes || ${file##*/} == memory.*max ]] || {
      killed=yes
      continue
    }
    { read -r limit <"$file"; } 2>/dev/null || :
    # A parent without a limit counts what happens below it.
    [[ $limit =~ ^[0-9]{1,18}$ ]] || continue
    _host_allowed_said "$file" "$limit"
    # The memory of a full cgroup can be freed as long as there is swap.
    if [[ $file == */memory.swap.max ]]; then swap=${swap:-$ALLOWED_SAID}; else said=${said:-$ALLOWED_SAID}; fi
  done
  ALLOWED_SAID=${said:-no limit of a cgroup that can be read was reached}${swap:+, and $swap}
  [[ -n $killed ]]
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
