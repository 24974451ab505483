# SPDX-License-Identifier: MIT
# shellcheck shell=bash
# The run's memory cgroup, of version 1 or 2, whichever controls memory on the host. TIERBENCH_ROOT, if set, is a prefix of the kernel's paths, so
# that a test can simulate another machine.

# Find the cgroup hierarchy that limits memory.
# Usage: host_tier_cgroup_find
# Returns: sets CGROUP_VERSION (1 or 2) and CGROUP_ROOT; 1 with WHY.
host_tier_cgroup_find() {
  local root=${TIERBENCH_ROOT-} folder type options
  CGROUP_VERSION='' CGROUP_ROOT=''
  while read -r _ folder type options _; do
    if [[ $type == cgroup && ,$options, == *,memory,* ]]; then
      CGROUP_VERSION=1 CGROUP_ROOT=$root$folder
    elif [[ $type == cgroup2 && " $(cat "$root$folder/cgroup.controllers" 2>/dev/null) " == *" memory "* ]]; then
      CGROUP_VERSION=2 CGROUP_ROOT=$root$folder
    fi
  done <"$root/proc/mounts"
  WHY="the kernel has no memory controller in cgroup v1 or v2"
  [[ -n $CGROUP_VERSION ]]
}

# Make the run's cgroup. It is at the root, not below this session, which may end before the run is cleaned up.
# Usage: host_tier_cgroup_make LIMIT SWAP
#   bytes of DRAM (0: no limit), and bytes of swap in addition
# Globals: WORK RUN_ID
# Returns: 1 with WHY.
host_tier_cgroup_make() {
  local limit=$1 swap=$2 folder
  host_tier_cgroup_find || return
  folder=$CGROUP_ROOT/tierbench-$RUN_ID
  if [[ $CGROUP_VERSION == 2 && " $(<"$CGROUP_ROOT/cgroup.subtree_control") " != *" memory "* ]]; then
    host_tier_note control "$CGROUP_ROOT" || return
    _host_tier_cgroup_set "$CGROUP_ROOT/cgroup.subtree_control" +memory || return
  fi
  host_tier_note cgroup "$folder" || return
  WHY="$folder cannot be created"
  mkdir -- "$folder" || return
  if ((limit == 0)); then
    :
  elif [[ $CGROUP_VERSION == 2 ]]; then
    # Not memory.high: the kernel suspends processes over that limit, and this delay is not the latency of a tier.
    _host_tier_cgroup_set "$folder/memory.max" "$limit" || return
    [[ ! -e $folder/memory.swap.max ]] || _host_tier_cgroup_set "$folder/memory.swap.max" "$swap" || return
  else
    _host_tier_cgroup_set "$folder/memory.limit_in_bytes" "$limit" || return
    # The file exists only if the kernel counts swap.
    [[ ! -e $folder/memory.memsw.limit_in_bytes ]] || _host_tier_cgroup_set "$folder/memory.memsw.limit_in_bytes" $((limit + swap)) || return
  fi
  # Instances read this file to find their cgroup.
  WHY="$WORK/run-$RUN_ID/tier/cgroup cannot be written (REMOTE_DIR: is its disk full?)"
  { printf '%s\n' "$folder" >"$WORK/run-$RUN_ID/tier/cgroup"; } 2>/dev/null
}

# Make a cgroup in that of the run for each group of instances. In version 2 only these contain processes, and memory.low of a child is limited by
# that of its parent: the cgroup of the run gets the sum.
# Usage: host_tier_cgroup_groups GROUPS
#   GROUPS are lines NAME MAX HIGH LOW PORT..., in bytes or -
# Globals: WORK RUN_ID CGROUP_VERSION
# Returns: 1 with WHY.
host_tier_cgroup_groups() {
  local all name max high low ports folder port low_all=0 text=''
  all=$(<"$WORK/run-$RUN_ID/tier/cgroup")
  if [[ $CGROUP_VERSION == 2 ]]; then
    _host_tier_cgroup_set "$all/cgroup.subtree_control" +memory || return
  elif [[ -e $all/memory.use_hierarchy ]]; then
    # Without it the limit of the tier would not hold for what is in these cgroups.
    _host_tier_cgroup_set "$all/memory.use_hierarchy" 1 || return
  fi
  while read -r name max high low ports; do
    folder=$all/$name
    host_tier_note cgroup "$folder" || return
    WHY="$folder cannot be created"
    mkdir -- "$folder" || return
    if [[ $CGROUP_VERSION == 2 ]]; then
      [[ $max == - ]] || _host_tier_cgroup_set "$folder/memory.max" "$max" || return
      [[ $high == - ]] || _host_tier_cgroup_set "$folder/memory.high" "$high" || return
      [[ $low == - ]] || _host_tier_cgroup_set "$folder/memory.low" "$low" || return
      low_all=$((low_all + ${low/#-/0}))
    else
      [[ $max == - ]] || _host_tier_cgroup_set "$folder/memory.limit_in_bytes" "$max" || return
      [[ $low == - ]] || _host_tier_cgroup_set "$folder/memory.soft_limit_in_bytes" "$low" || return
    fi
    for port in $ports; do text+="$port $folder"$'\n'; done
  done <<<"$1"
  ((low_all == 0)) || _host_tier_cgroup_set "$all/memory.low" "$low_all" || return
  WHY="$WORK/run-$RUN_ID/tier/groups cannot be written (REMOTE_DIR: is its disk full?)"
  { printf '%s' "$text" >"$WORK/run-$RUN_ID/tier/groups"; } 2>/dev/null
}

# The cgroups of groups of instances.
# Usage: host_tier_cgroup_list
# Globals: WORK RUN_ID
# Returns: sets CGROUP_LIST, which is empty without groups
host_tier_cgroup_list() {
  local file=$WORK/run-$RUN_ID/tier/groups
  CGROUP_LIST=()
  [[ ! -e $file ]] || mapfile -t CGROUP_LIST < <(cut -d ' ' -f 2 "$file" | sort -u)
}

# Change the limit of a cgroup with processes in it. Lower it in small steps: version 2 calls the OOM killer when it cannot reclaim enough
# for the new limit at once, and version 1 gives up.
# Usage: host_tier_cgroup_limit DIR BYTES
# Returns: 1 with WHY if a step takes longer than 20 s; the limit is then that of the last step.
host_tier_cgroup_limit() {
  local file=$1/memory.max now next step end
  [[ -e $file ]] || file=$1/memory.limit_in_bytes
  now=$(<"$file")
  step=$((now / 64 > 1 << 20 ? now / 64 : 1 << 20))
  while ((now > $2)); do
    next=$((now - step > $2 ? now - step : $2)) end=$((SECONDS + 20))
    until
      # Reclaim uses counts that reading updates.
      read -r _ <"$1/memory.stat"
      _host_tier_cgroup_set "$file" "$next"
    do
      ((SECONDS < end)) || return 1
      sleep 0.05 # between two tries
    done
    now=$next
  done
  _host_tier_cgroup_set "$file" "$2"
}

# Print the usage of a cgroup, one counter per line: NAME VALUE.
# Usage: host_tier_cgroup_usage DIR
host_tier_cgroup_usage() {
  local file name
  for file in usage_in_bytes:usage current:usage limit_in_bytes:limit max:limit high:high swap.current:swap swap.max:swap_limit \
    memsw.limit_in_bytes:memsw_limit failcnt:limit_hits; do
    name=${file#*:} file=$1/memory.${file%:*}
    [[ ! -e $file ]] || printf '%s\t%s\n' "$name" "$(<"$file")"
  done
  # Version 1 has swap and major faults in memory.stat. Version 2 has major faults there, in newer kernels also swapped pages and those that moved
  # between nodes, and OOM kills in memory.events.
  awk '$1 ~ /^(swap|pgmajfault|workingset_refault_anon|[pz]swp(in|out)|oom_kill|numa_hint_faults|pgpromote_success|pgdemote_[a-z]+)$/ { print $1 "\t" $2 }' \
    "$1/memory.stat" "$1/memory.events" "$1/memory.oom_control" 2>/dev/null || :
}

# Add up the data of a cgroup by node, without starting a process: memory.numa_stat has bytes in version 2, and pages in version 1.
# Usage: host_tier_cgroup_nodes DIR FAR PAGE
#   FAR are numbers of nodes with a blank around each, PAGE are the bytes of a page
# Returns: sets REPLY to `DRAM FAR`, bytes with a tab between them; 1 without these counts
host_tier_cgroup_nodes() {
  local line word node unit=1 dram=0 far=0
  local -a lines=()
  { mapfile -t lines <"$1/memory.numa_stat"; } 2>/dev/null || return 1
  for line in "${lines[@]}"; do
    [[ $line == anon[\ =]* ]] || continue
    [[ $line != anon=* ]] || unit=$3
    for word in ${line#anon}; do
      [[ $word == N*=* ]] || continue
      node=${word%=*}
      if [[ $2 == *" ${node#N} "* ]]; then far=$((far + ${word#*=} * unit)); else dram=$((dram + ${word#*=} * unit)); fi
    done
    REPLY=$dram$'\t'$far
    return 0
  done
  return 1
}

# Remove a cgroup, if it exists.
# Usage: _host_tier_undo_cgroup DIR
# Returns: 1 with a line on stderr if a process is in it for 20 s.
_host_tier_undo_cgroup() {
  [[ -d $1 ]] || return 0
  # A process that has ended stays in the cgroup for a moment.
  _host_tier_again 20 rmdir "$1" || host_tier_stuck "$1 cannot be removed: $(wc -l <"$1/cgroup.procs") processes are in it"
}

# Disable the memory controller for the children of a cgroup, unless a child has a limit.
# Usage: _host_tier_undo_control DIR
# Returns: 0, also if the kernel refuses.
_host_tier_undo_control() {
  local file value
  # A child of another user may need it now. The kernel refuses only if that child enables it for its own children; else its limits would be lost.
  for file in "$1"/*/memory.{min,low,high,max,swap.max}; do
    { read -r value <"$file"; } 2>/dev/null || continue
    [[ $value == max || $file == */memory.@(min|low) && $value == 0 ]] || return 0
  done
  _host_tier_write "$1/cgroup.subtree_control" -memory || :
}

# Write a value to a file of a cgroup.
# Usage: _host_tier_cgroup_set FILE VALUE
# Returns: 1 with WHY if the kernel refuses.
_host_tier_cgroup_set() {
  WHY=$( (LC_ALL=C && echo "$2" >"$1") 2>&1) && return
  WHY="$1 does not accept $2: ${WHY##*: }"
  return 1
}
