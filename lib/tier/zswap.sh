# SPDX-License-Identifier: MIT
# shellcheck shell=bash
# As swap, with a compressed cache of the kernel in front of the disk.
#
# Is: limited disk
# Uses: TIER_SWAP
# Verify: limit
# Price: nvme

# Print a row: whether the kernel has zswap, and there is space for the swap.
# Usage: host_tier_zswap_check
host_tier_zswap_check() {
  host_tier_check_limited || return 0
  if [[ ! -e ${TIERBENCH_ROOT-}/sys/module/zswap/parameters/enabled ]]; then
    host_tier_row fail "the kernel has no zswap" "zswap" "a kernel with CONFIG_ZSWAP"
  else
    host_tier_check_swap
  fi
}

# Make the swap.
# Usage: host_tier_zswap_up
# Returns: 1 with WHY.
host_tier_zswap_up() {
  host_tier_swap_make "$TIER_SPACE"
}

# Print a row with the compressor of zswap and its max share of memory; nothing if zswap is off.
# Usage: host_tier_zswap_detect
host_tier_zswap_detect() {
  local folder=$DETECT_ROOT/sys/module/zswap/parameters
  _host_tier_detect_line "$folder/enabled"
  [[ $REPLY == [Y1] ]] || return 0
  _host_tier_detect_line "$folder/compressor"
  printf 'zswap\thost\tcompressed by %s' "$REPLY"
  _host_tier_detect_line "$folder/max_pool_percent"
  printf ', up to %s %% of memory\n' "$REPLY"
}

# Print the data in the cache, and the memory that they take. The kernel counts by cgroup in version 2 only; else it is that of the host.
# Usage: host_tier_zswap_state DIR
host_tier_zswap_state() {
  local -a files=()
  [[ ! -e $1/cgroup ]] || files+=("$(<"$1/cgroup")/memory.stat")
  awk '
    $1 == "zswap" || $1 == "Zswap:" && memory == "" { memory = $2 * ($3 == "kB" ? 1024 : 1) }
    $1 == "zswapped" || $1 == "Zswapped:" && data == "" { data = $2 * ($3 == "kB" ? 1024 : 1) }
    END { if (memory != "" && data != "") printf "zswap\tdata\t%.0f\nzswap\tmemory\t%.0f\n", data, memory }' "${files[@]}" "${TIERBENCH_ROOT-}/proc/meminfo"
}
