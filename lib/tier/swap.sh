# SPDX-License-Identifier: MIT
# shellcheck shell=bash
# A cgroup limits DRAM, and the rest is in swap on a disk.
#
# Is: limited disk
# Uses: TIER_SWAP
# Verify: limit
# Price: nvme

# Make the swap.
# Usage: host_tier_swap_up
# Returns: 1 with WHY.
host_tier_swap_up() {
  host_tier_swap_make "$TIER_SPACE"
}

# Print a row for each swap target in use.
# Usage: host_tier_swap_detect
host_tier_swap_detect() {
  local path kind size used priority
  [[ ! -e $DETECT_ROOT/proc/swaps ]] || while read -r path kind size used priority; do
    [[ $path == /* && $path != /dev/zram* ]] || continue
    printf 'swap\t%s\t%s of %d MiB, %d used, priority %s\n' "$path" "$kind" $((size >> 10)) $((used >> 10)) "$priority"
  done <"$DETECT_ROOT/proc/swaps"
}

# Print the swap files of runs whose directory was removed.
# Usage: host_tier_swap_lost
host_tier_swap_lost() {
  local path label
  while read -r path _; do
    # Blanks are octal numbers there.
    printf -v path %b "$path"
    label=${path##*/tierbench-}
    # If the path does not exist here, it is of another mount namespace.
    [[ $path == */tierbench-*.swap && -f $path && ! -L $path && -O $path ]] || continue
    _host_tier_lost_row swap "${label%.swap}" "$path"
    _host_tier_lost_row file "${label%.swap}" "$path"
  done <"${TIERBENCH_ROOT-}/proc/swaps"
}
