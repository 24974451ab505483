# SPDX-License-Identifier: MIT
# shellcheck shell=bash
# CXL devices, persistent memory and hot-added memory of this host: what is not ready as a node, with the command that makes it ready; what shares a
# node; errors. TIERBENCH_ROOT, if set, is a prefix of the kernel's paths, so that a test can simulate another machine.

# Print memory that no node has, from the device to the node: WHERE DETAIL COMMAND. It belongs to a device without a region, a region that is off, a
# namespace that does not exist, a dax device of programs, or blocks that are offline.
# Usage: host_tier_ready
host_tier_ready() {
  local READY_ROOT=${TIERBENCH_ROOT-} REPLY
  _host_tier_ready_cxl
  _host_tier_ready_pmem
  _host_tier_ready_dax
  _host_tier_ready_blocks
}

# CXL memory devices that are off, or of which no region uses the memory, and regions that are off.
# Usage: _host_tier_ready_cxl
# Globals: READY_ROOT
_host_tier_ready_cxl() {
  local bus=$READY_ROOT/sys/bus/cxl/devices device region kind used
  for device in "$bus"/mem*; do
    [[ -e $device ]] || continue
    _host_tier_ready_used "$device"
    used=$REPLY
    for kind in ram pmem; do
      _host_tier_ready_mib "$device/$kind/size"
      [[ $REPLY != 0 && " $used " != *" $kind "* ]] || continue
      printf '%s\tCXL, %s MiB of %s' "${device##*/}" "$REPLY" "$kind"
      if [[ ! -L $device/driver ]]; then
        printf ' in a device that is off\tcxl enable-memdev %s\n' "${device##*/}"
      else
        _host_tier_ready_decoder "$(readlink -f -- "$device")" "$kind"
        printf ' without a region\tcxl create-region -m -t %s -d %s %s\n' "$kind" "$REPLY" "${device##*/}"
      fi
    done
  done
  for region in "$bus"/region*; do
    [[ -e $region && ! -L $region/driver ]] || continue
    _host_tier_ready_mib "$region/size"
    [[ $REPLY == 0 ]] || printf '%s\tCXL, %s MiB in a region that is off\tcxl enable-region %s\n' "${region##*/}" "$REPLY" "${region##*/}"
  done
}

# The kinds of memory of a CXL memory device that regions use: ram, pmem or both. Decoders that the firmware has committed may have no region: their
# memory belongs to the system already.
# Usage: _host_tier_ready_used DEVICE
# Globals: READY_ROOT
# Returns: sets REPLY
_host_tier_ready_used() {
  local port decoder used='' known
  for port in "$READY_ROOT"/sys/bus/cxl/devices/endpoint*; do
    [[ -e $port/uport && $(readlink -f -- "$port/uport") == "$(readlink -f -- "$1")" ]] || continue
    known=$used
    for decoder in "$port"/decoder*.*; do
      _host_tier_detect_line "$decoder/region"
      [[ -n $REPLY ]] || continue
      _host_tier_detect_line "$decoder/mode"
      used+=" $REPLY"
    done
    _host_tier_detect_line "$port/decoders_committed"
    [[ ! $REPLY =~ ^[1-9] || $used != "$known" ]] || used+=' ram pmem'
  done
  REPLY=$used
}

# The root decoder for a region of a CXL memory device: of its host bridge and for its kind of memory; one that interleaves nothing, if there is one.
# Usage: _host_tier_ready_decoder PATH ram|pmem
#   PATH of the device, without links
# Globals: READY_ROOT
# Returns: sets REPLY; DECODER if none is known
_host_tier_ready_decoder() {
  local decoder port ways found=DECODER
  for decoder in "$READY_ROOT"/sys/bus/cxl/devices/root*/decoder*; do
    _host_tier_detect_line "$decoder/cap_$2"
    [[ $REPLY == 1 ]] || continue
    _host_tier_detect_line "$decoder/interleave_ways"
    ways=$REPLY
    _host_tier_detect_line "$decoder/target_list"
    for port in ${REPLY//,/ }; do
      [[ $port =~ ^[0-9]+$ && $1 == "$(readlink -f -- "${decoder%/*}/dport$port")"/* ]] || continue
      [[ $found != DECODER && $ways != 1 ]] || found=${decoder##*/}
    done
  done
  REPLY=$found
}

# Regions of persistent memory without a namespace, and namespaces that are off, or in a mode for files.
# Usage: _host_tier_ready_pmem
# Globals: READY_ROOT
_host_tier_ready_pmem() {
  local region size name mode
  for region in "$READY_ROOT"/sys/bus/nd/devices/region*; do
    _host_tier_ready_mib "$region/size"
    size=$REPLY
    _host_tier_ready_mib "$region/available_size"
    [[ $size != 0 && $REPLY == "$size" ]] || continue
    printf '%s\tpmem, %s MiB without a namespace\tndctl create-namespace --mode=devdax --region=%s\n' "${region##*/}" "$size" "${region##*/}"
  done
  for name in "$READY_ROOT"/sys/bus/nd/devices/namespace*; do
    _host_tier_ready_mib "$name/size"
    size=$REPLY
    _host_tier_detect_line "$name/mode"
    # The dax device has the row.
    [[ $size != 0 && $REPLY != dax ]] || continue
    # ndctl has other names than the kernel.
    case $REPLY in
      memory) mode=fsdax ;;
      safe) mode=sector ;;
      *) mode=raw ;;
    esac
    _host_tier_detect_line "$name/holder"
    name=${name##*/}
    printf '%s\tpmem, %s MiB in ' "$name" "$size"
    if [[ -z $REPLY && ! -L $READY_ROOT/sys/bus/nd/devices/$name/driver ]]; then
      printf 'a namespace that is off\tndctl enable-namespace %s\n' "$name"
    else
      printf '%s mode\tndctl create-namespace -f -e %s --mode=devdax\n' "$mode" "$name"
    fi
  done
}

# Devices of memory that programs map directly, or that nothing uses.
# Usage: _host_tier_ready_dax
# Globals: READY_ROOT
_host_tier_ready_dax() {
  local device driver
  for device in "$READY_ROOT"/sys/bus/dax/devices/dax*; do
    [[ -e $device ]] || continue
    driver=$(readlink -- "$device/driver") || :
    [[ $driver != */kmem ]] || continue
    _host_tier_ready_mib "$device/size"
    [[ $REPLY != 0 ]] || continue
    printf '%s\t%s, %s MiB in devdax mode\tdaxctl reconfigure-device --mode=system-ram %s\n' "${device##*/}" "$(_host_tier_ready_kind "$device")" "$REPLY" "${device##*/}"
  done
}

# Blocks of memory that are offline, by node.
# Usage: _host_tier_ready_blocks
# Globals: READY_ROOT
_host_tier_ready_blocks() {
  local folder=$READY_ROOT/sys/devices/system/memory file node device size
  local -A blocks=()
  # One process for thousands of blocks, with short names because all are arguments.
  while IFS= read -r file; do
    [[ $file =~ ^memory([0-9]{1,9})/state$ ]] || continue
    for node in "$folder/${file%/state}"/node*; do
      [[ ! -e $node ]] || blocks[${node##*/node}]+=${blocks[${node##*/node}]:+,}${BASH_REMATCH[1]}
    done
  done < <(cd "$folder" 2>/dev/null && grep -slx offline memory*/state)
  ((${#blocks[@]} > 0)) || return 0
  _host_tier_detect_line "$folder/block_size_bytes"
  [[ $REPLY =~ ^[0-9a-f]{1,12}$ ]] || return 0
  size=$((16#$REPLY >> 20))
  for node in "${!blocks[@]}"; do
    file=${blocks[$node]//[0-9]/}
    printf 'node%s\t%s MiB offline\t' "$node" $(((${#file} + 1) * size))
    _host_tier_ready_devices "$node"
    for device in "${READY_DEVICES[@]}"; do
      printf 'daxctl online-memory %s\n' "${device##*/}"
      continue 2
    done
    printf 'chmem --enable --zone Movable --blocks %s\n' "$(awk -v list="${blocks[$node]}" "$CPUS_AWK"'BEGIN { n = cpus_expand(list, b); print cpus_compress(b, n) }')"
  done
}

# The dax devices that are memory of a node, or could be.
# Usage: _host_tier_ready_devices NODE
# Globals: READY_ROOT
# Returns: sets READY_DEVICES
_host_tier_ready_devices() {
  local device REPLY
  READY_DEVICES=()
  for device in "$READY_ROOT"/sys/bus/dax/devices/dax*; do
    _host_tier_detect_line "$device/target_node"
    [[ $REPLY != "$1" || $(readlink -- "$device/driver") != */kmem ]] || READY_DEVICES+=("$device")
  done
}

# Print the kind of memory of a dax device, by its bus.
# Usage: _host_tier_ready_kind DEVICE
_host_tier_ready_kind() {
  case $(readlink -f -- "$1") in
    */ndbus*) echo pmem ;;
    */cxl* | */region[0-9]*) echo cxl ;;
    *) echo reserved ;;
  esac
}

# Print what the memory of a node consists of, and whether the kernel keeps its own data out of it, as text behind the facts of the node.
# Usage: host_tier_ready_node NODE cpu|far|fast
host_tier_ready_node() {
  local READY_ROOT=${TIERBENCH_ROOT-} device kind text='' kinds=' ' REPLY
  [[ $2 != cpu ]] || kinds=' dram '
  _host_tier_ready_devices "$1"
  for device in "${READY_DEVICES[@]}"; do
    kind=$(_host_tier_ready_kind "$device")
    [[ $kinds == *" $kind "* ]] || kinds+="$kind "
    _host_tier_ready_mib "$device/size"
    text+=", $REPLY MiB of it $kind (${device##*/})"
  done
  # Two kinds or more.
  [[ ! $kinds =~ ^\ .+\ .+\ $ ]] || printf '%s' "$text"
  [[ $2 == cpu ]] || awk -v node="$1" '
    $1 == "Node" { here = $2 == node ","; zone = $4 }
    here && $1 == "managed" { if (zone == "Movable") movable += $2; else other += $2 }
    END {
      if (movable && !other) printf ", movable"
      else if (movable) printf ", %d %% movable", 100 * movable / (movable + other)
      else if (other) printf ", not movable"
    }' "$READY_ROOT/proc/zoneinfo" 2>/dev/null || :
}

# Print nodes with CPUs that contain other memory than DRAM: NODE DEVICES.
# Usage: host_tier_ready_mixed
host_tier_ready_mixed() {
  local READY_ROOT=${TIERBENCH_ROOT-} node place
  while IFS=$'\t' read -r node place; do
    [[ $place == cpu ]] || continue
    _host_tier_ready_devices "$node"
    READY_DEVICES=("${READY_DEVICES[@]##*/}")
    ((${#READY_DEVICES[@]} == 0)) || printf '%s\t%s\n' "$node" "${READY_DEVICES[*]}"
  done < <(host_tier_memory_nodes)
}

# Print errors of memory that the kernel knows: WHERE DETAIL.
# Usage: host_tier_ready_errors
host_tier_ready_errors() {
  local READY_ROOT=${TIERBENCH_ROOT-} file REPLY
  for file in "$READY_ROOT"/sys/devices/system/node/node*/memory_failure/total; do
    _host_tier_detect_line "$file"
    [[ ! $REPLY =~ ^[1-9][0-9]{0,9}$ ]] || _host_tier_ready_error "${file%/memory_failure/total}" "$REPLY pages with uncorrectable errors (poison)"
  done
  for file in "$READY_ROOT"/sys/bus/nd/devices/region*/badblocks; do
    _host_tier_detect_line "$file"
    [[ -z $REPLY ]] || _host_tier_ready_error "${file%/badblocks}" "bad blocks (poison), the first at sector ${REPLY%% *}"
  done
  for file in "$READY_ROOT"/sys/bus/nd/devices/nmem*/nfit/flags; do
    _host_tier_detect_line "$file"
    [[ -z $REPLY ]] || _host_tier_ready_error "${file%/nfit/flags}" "health: $REPLY"
  done
}

# Usage: _host_tier_ready_error PATH DETAIL
_host_tier_ready_error() {
  printf '%s\t%s\n' "${1##*/}" "$2"
}

# The size in a file, decimal or hexadecimal, in MiB.
# Usage: _host_tier_ready_mib FILE
# Returns: sets REPLY; 0 without a size
_host_tier_ready_mib() {
  _host_tier_detect_line "$1"
  if [[ $REPLY =~ ^(0x[0-9a-f]{1,15}|[1-9][0-9]{0,17})$ ]]; then REPLY=$((REPLY >> 20)); else REPLY=0; fi
}
