# SPDX-License-Identifier: MIT
# shellcheck shell=bash
# The kinds of memory of this host, as rows KIND WHERE DETAIL. TIERBENCH_ROOT, if set, is a prefix of the kernel's paths, so that a test can simulate
# another machine.

# Print a row for each node with memory, for caches of a node, and what the tiers detect. KIND is dram, memory-mode, pmem, cxl, hbm, slow (a
# node without a CPU of unknown kind), device (memory of a GPU or another device), barred (a cpuset of this session excludes the node), or of a tier;
# a last row `all` lists the kinds. Rows `unused` are of memory that no node has yet, with the command for it, and rows `failing` of memory with
# errors.
# Usage: host_tier_detect
host_tier_detect() {
  local rows kind kinds='' line DETECT_ROOT=${TIERBENCH_ROOT-}
  rows=$(
    host_tier_detect_caches
    host_tier_all detect
    while IFS= read -r line; do printf 'unused\t%s: %s\n' "${line%$'\t'*}" "${line##*$'\t'}"; done < <(host_tier_ready)
    while IFS= read -r line; do printf 'failing\t%s\n' "$line"; done < <(host_tier_ready_errors)
  )
  printf '%s\n' "$rows"
  while IFS=$'\t' read -r kind _; do
    [[ $kind == unused || $kind == failing ]] || [[ ", $kinds," == *", $kind,"* ]] || kinds+=${kinds:+, }$kind
  done <<<"$rows"
  [[ $kinds != dram ]] || kinds='DRAM only'
  printf 'all\thost\t%s\n' "$kinds"
}

# Print the rows of host_tier_detect about nodes and modules, which tell where DRAM is a cache of slower memory.
# Usage: host_tier_detect_caches
host_tier_detect_caches() {
  DETECT_ROOT=${TIERBENCH_ROOT-}
  _host_tier_detect_nodes
  _host_tier_detect_modules
}

# Print the nodes with memory for data of a run, and their class: NODE cpu|far|fast. fast is a node without a CPU that is faster than the nodes
# with CPUs.
# Usage: host_tier_memory_nodes [all]
#   all  other nodes with memory, too: `device`, memory of a GPU or another device, and `barred`, which a cpuset of this session excludes
host_tier_memory_nodes() {
  local node place
  while IFS=$'\t' read -r node place; do
    [[ $place != far ]] || ! _host_tier_detect_device "$node" || place=device
    [[ $place != far ]] || ! _host_tier_detect_faster "$node" || place=fast
    [[ $place != device && $place != barred || ${1-} == all ]] || continue
    printf '%s\t%s\n' "$node" "$place"
  done < <(_host_tier_detect_places)
}

# Print the nodes that have memory, and whether they have a CPU: NODE cpu|far, or barred.
# Usage: _host_tier_detect_places
_host_tier_detect_places() {
  local root=${TIERBENCH_ROOT-}/sys/devices/system/node node place allowed=''
  host_allowed_nodes
  _host_tier_detect_list "$REPLY"
  allowed=$REPLY
  _host_tier_detect_line "$root/has_memory"
  _host_tier_detect_list "$REPLY"
  for node in $REPLY; do
    place=cpu
    _host_tier_detect_line "$root/node$node/cpulist"
    [[ -n $REPLY ]] || place=far
    # The kernel may set this up for a device that has none at the moment.
    [[ $place == cpu ]] || ! grep -qs 'MemTotal: *0 kB' "$root/node$node/meminfo" || continue
    [[ -z $allowed || $allowed == *" $node "* ]] || place=barred
    printf '%s\t%s\n' "$node" "$place"
  done
}

# Whether the memory of a node without a CPU belongs to a GPU or another device: its driver says so or has added it, the device itself is on that node, or the node
# is nearest to an initiator of requests that has no CPUs.
# Usage: _host_tier_detect_device NODE
_host_tier_detect_device() {
  local root=${TIERBENCH_ROOT-} file initiator start block nearest='' REPLY
  for file in "$root"/proc/driver/nvidia/gpus/*/numa_status; do
    [[ -e $file ]] || continue
    ! grep -qE "^Node:[[:space:]]*$1\$" "$file" || return 0
  done
  for file in "$root"/sys/bus/pci/devices/*/class; do
    _host_tier_detect_line "$file"
    # Display controllers and processing accelerators.
    [[ $REPLY == 0x03* || $REPLY == 0x12* ]] || continue
    _host_tier_detect_line "${file%/class}/numa_node"
    [[ $REPLY != "$1" ]] || return 0
  done
  # Memory that a driver has added has the name of that driver. Other users than root see no addresses.
  _host_tier_detect_line "$root/sys/devices/system/memory/block_size_bytes"
  block=$REPLY
  [[ ! $block =~ ^[1-9a-f][0-9a-f]{0,14}$ ]] || while read -r start; do
    [[ ! -e $root/sys/devices/system/node/node$1/memory$((16#$start / 16#$block)) ]] || return 0
  done < <(sed -nE '/\((kmem|virtio_mem)\)$/d; s/^ *([0-9a-f]{1,15})-[0-9a-f]+ : System RAM \(.*\)$/\1/p' "$root/proc/iomem" 2>/dev/null)
  for initiator in "$root/sys/devices/system/node/node$1/access0/initiators"/node*; do
    [[ -e $initiator || -L $initiator ]] || continue
    _host_tier_detect_line "$root/sys/devices/system/node/${initiator##*/}/cpulist"
    [[ -z $REPLY ]] || return 1
    nearest=$initiator
  done
  [[ -n $nearest ]]
}

# Print a row for each node with memory, and a row for each DRAM cache in front of a node.
# Usage: _host_tier_detect_nodes
_host_tier_detect_nodes() {
  local node kind place folder cache index
  # A kernel without NUMA lists no node.
  if [[ ! -e $DETECT_ROOT/sys/devices/system/node/has_memory ]]; then
    _host_tier_detect_total "$DETECT_ROOT/proc/meminfo"
    printf 'dram\thost\t%s, no NUMA\n' "$REPLY"
  fi
  while IFS=$'\t' read -r node place; do
    folder=$DETECT_ROOT/sys/devices/system/node/node$node
    kind=dram
    case $place in
      far | fast) kind=$(_host_tier_detect_far "$node" "$place") ;;
      device | barred) kind=$place ;;
    esac
    printf '%s\tnode%s\t%s\n' "$kind" "$node" "$(_host_tier_detect_node "$node" "$folder")$(host_tier_ready_node "$node" "$place")"
    for index in "$folder"/memory_side_cache/index*; do
      [[ -e $index/size ]] || continue
      cache="$(_host_tier_detect_read "$index/size") bytes in lines of $(_host_tier_detect_read "$index/line_size")"
      cache+=", indexing $(_host_tier_detect_read "$index/indexing"), write policy $(_host_tier_detect_read "$index/write_policy")"
      printf 'memory-mode\tnode%s\tDRAM is a cache in front of this node: %s\n' "$node" "$cache"
    done
  done < <(host_tier_memory_nodes all)
}

# The facts of a node: size, CPUs, tier, and the firmware's figures of the path to it.
_host_tier_detect_node() {
  local node=$1 folder=$2 text cpus what
  # A node's own count can be too low while memory is still being initialised; with one node, the whole machine's count is right.
  _host_tier_detect_line "$DETECT_ROOT/sys/devices/system/node/has_memory"
  if [[ $REPLY == 0 ]]; then _host_tier_detect_total "$DETECT_ROOT/proc/meminfo"; else _host_tier_detect_total "$folder/meminfo"; fi
  text=$REPLY
  _host_tier_detect_line "$folder/cpulist"
  cpus=$REPLY
  text+=", ${cpus:+CPUs $cpus}"
  [[ -n $cpus ]] || text+="no CPU"
  _host_tier_detect_tier "$node"
  text+="${REPLY:+, memory tier $REPLY}"
  for what in read_latency:ns write_latency:ns read_bandwidth:MB/s write_bandwidth:MB/s; do
    _host_tier_detect_path "$node" "${what%:*}"
    text+="${REPLY:+, ${what%:*} $REPLY ${what#*:}}"
  done
  printf '%s\n' "${text//_/ }"
}

# The kind of a node without a CPU: by the bus of its memory, else by its speed compared with the nodes with CPUs.
# Usage: _host_tier_detect_far NODE far|fast
_host_tier_detect_far() {
  local node=$1 device path other=''
  for device in "$DETECT_ROOT"/sys/bus/dax/devices/dax*; do
    [[ $(_host_tier_detect_read "$device/target_node") == "$node" && $(readlink -- "$device/driver") == */kmem ]] || continue
    path=$(readlink -f -- "$device")
    case $path in
      */ndbus*) echo pmem ;;
      */cxl* | */region[0-9]*) echo cxl ;;
      # Memory that the firmware reserves (hmem) can be of any kind.
      *)
        other=yes
        break
        ;;
    esac
    return
  done
  if [[ $2 == fast ]]; then
    echo hbm
  elif [[ -n $other ]]; then
    echo slow
  elif compgen -G "$DETECT_ROOT/sys/bus/cxl/devices/mem*" >/dev/null; then
    echo cxl
  elif grep -q 'System RAM (kmem)' "$DETECT_ROOT/proc/iomem" 2>/dev/null; then
    echo pmem
  else
    echo slow
  fi
}

# Whether a node is in a faster tier than a node with CPUs, or has more bandwidth according to the firmware. Its latency must not be higher: an
# expander can have more bandwidth than a socket's DRAM, and still be far.
# Usage: _host_tier_detect_faster NODE
_host_tier_detect_faster() {
  local other place tier bandwidth latency REPLY DETECT_ROOT=${TIERBENCH_ROOT-}
  _host_tier_detect_tier "$1"
  tier=$REPLY
  _host_tier_detect_path "$1" read_bandwidth
  bandwidth=$REPLY
  _host_tier_detect_path "$1" read_latency
  latency=$REPLY
  while IFS=$'\t' read -r other place; do
    [[ $place == cpu ]] || continue
    _host_tier_detect_path "$other" read_latency
    [[ -z $latency || -z $REPLY || $latency -le $REPLY ]] || continue
    _host_tier_detect_tier "$other"
    [[ -z $tier || -z $REPLY || $tier -ge $REPLY ]] || return 0
    _host_tier_detect_path "$other" read_bandwidth
    [[ -z $bandwidth || -z $REPLY || $bandwidth -le $REPLY ]] || return 0
  done < <(_host_tier_detect_places)
  return 1
}

# Print a figure of the firmware about the path from the nearest CPUs to a node; nothing if it is missing or 0.
# Usage: host_tier_figure NODE FIGURE
host_tier_figure() {
  local REPLY DETECT_ROOT=${TIERBENCH_ROOT-}
  _host_tier_detect_path "$@"
  [[ -z $REPLY ]] || printf '%s\n' "$REPLY"
}

# As host_tier_figure. access1 is the path from CPUs; access0, which older kernels have alone, may be that of an accelerator.
# Usage: _host_tier_detect_path NODE FIGURE
# Globals: DETECT_ROOT
# Returns: sets REPLY
_host_tier_detect_path() {
  local node=$DETECT_ROOT/sys/devices/system/node/node$1 way=access1
  [[ -e $node/access1/initiators ]] || way=access0
  _host_tier_detect_line "$node/$way/initiators/$2"
  [[ $REPLY =~ ^[1-9][0-9]{0,9}$ ]] || REPLY=
}

# Print the number of the memory tier that a node is in; a smaller one is faster.
# Usage: host_tier_number NODE
host_tier_number() {
  local REPLY DETECT_ROOT=${TIERBENCH_ROOT-}
  _host_tier_detect_tier "$1"
  [[ -z $REPLY ]] || printf '%s\n' "$REPLY"
}

# As host_tier_number.
# Usage: _host_tier_detect_tier NODE
# Globals: DETECT_ROOT
# Returns: sets REPLY, which is empty if the kernel has no memory tiers
_host_tier_detect_tier() {
  local file
  for file in "$DETECT_ROOT"/sys/devices/virtual/memory_tiering/memory_tier*/nodelist; do
    [[ -e $file ]] || continue
    _host_tier_detect_line "$file"
    _host_tier_detect_list "$REPLY"
    [[ $REPLY == *" $1 "* ]] || continue
    file=${file%/nodelist}
    REPLY=${file##*memory_tier}
    return
  done
  REPLY=
}

# Persistent memory modules, which Memory Mode does not show otherwise: by Intel's tool, or by the firmware's table.
_host_tier_detect_modules() {
  local tool count
  # `Volatile | DDR | PMem modules | total`, in older versions `MemoryCapacity=SIZE`.
  tool=$(_host_tier_detect_tool ipmctl) && "$tool" show -memoryresources 2>/dev/null | awk -F '[|=]' '
    $1 ~ /^ *(MemoryCapacity|Volatile) *$/ && $(NF > 2 ? 3 : 2) + 0 > 0 { gsub(/ +/, " "); print "memory-mode\tmodules\tby ipmctl: " $0; exit }'
  tool=$(_host_tier_detect_tool dmidecode) && count=$("$tool" -t 17 2>/dev/null | awk -v RS= '
    # One paragraph per device; it may have both lines.
    /Memory Technology: Intel[^\n]*(persistent|Optane)|Type: Logical non-volatile/ { count++ }
    END { print count + 0; exit !count }') &&
    printf 'pmem\tmodules\t%s persistent memory modules, by dmidecode\n' "$count"
  return 0
}

# Print the path of a program in the directories of the system.
# Usage: _host_tier_detect_tool PROGRAM
# Globals: DETECT_ROOT
# Returns: 1 if it is missing
_host_tier_detect_tool() {
  local folder
  for folder in /usr/sbin /usr/bin /sbin; do
    [[ -x $DETECT_ROOT$folder/$1 ]] || continue
    echo "$DETECT_ROOT$folder/$1"
    return
  done
  return 1
}

# The MemTotal of a meminfo, in MiB with the unit; nothing if it has no such line.
# Returns: sets REPLY
_host_tier_detect_total() {
  local line
  REPLY=
  [[ ! -e $1 ]] || while IFS= read -r line; do
    [[ $line =~ MemTotal:\ +([0-9]{1,15})\  ]] || continue
    REPLY="$((BASH_REMATCH[1] / 1024)) MiB"
    return
  done <"$1"
}

# The first line of a file, or nothing.
# Returns: sets REPLY
_host_tier_detect_line() {
  REPLY=
  { IFS= read -r REPLY <"$1"; } 2>/dev/null || :
}

# As _host_tier_detect_line, printed.
_host_tier_detect_read() {
  _host_tier_detect_line "$1"
  printf '%s' "$REPLY"
}

# The numbers of a list in the kernel's form: 0-2,4.
# Returns: sets REPLY, with blanks around each number; empty without one
_host_tier_detect_list() {
  local part node
  REPLY=
  for part in ${1//,/ }; do
    [[ $part =~ ^([0-9]{1,5})(-([0-9]{1,5}))?$ ]] || continue
    for ((node = 10#${BASH_REMATCH[1]}; node <= 10#${BASH_REMATCH[3]:-${BASH_REMATCH[1]}}; node++)); do REPLY="${REPLY:- }$node "; done
  done
}
