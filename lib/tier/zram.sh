# SPDX-License-Identifier: MIT
# shellcheck shell=bash
# A cgroup limits DRAM, and the rest is in a swap device of compressed memory.
#
# Is: limited compressed
# Uses: ZRAM_ALGORITHM
# Verify: limit
# Price: zram

# Print a row: whether the kernel has zram, with the requested algorithm.
# Usage: host_tier_zram_check
# Globals: ZRAM_ALGORITHM TIER_LIMIT TIER_SPACE CGROUP_VERSION
host_tier_zram_check() {
  local known SWAP_DEVICE=''
  host_tier_check_limited || return 0
  # Without a device there is no such file.
  known=$(cat "${TIERBENCH_ROOT-}"/sys/block/zram*/comp_algorithm 2>/dev/null | sed -n 1p) || :
  if [[ ! -e ${TIERBENCH_ROOT-}/sys/class/zram-control/hot_add ]]; then
    host_tier_row fail "the kernel has no zram, or its module is not loaded" "zram" "modprobe zram"
  elif [[ $ZRAM_ALGORITHM != auto && -n $known && " ${known//[][]/} " != *" $ZRAM_ALGORITHM "* ]]; then
    host_tier_row fail "zram supports ${known//[][]/}" "$ZRAM_ALGORITHM" "set ZRAM_ALGORITHM"
  elif host_tier_check_first; then
    host_tier_row ok "cgroup v$CGROUP_VERSION; zram${known:+ with ${known//[][]/}}" "$((TIER_LIMIT >> 20)) MiB of DRAM, $((TIER_SPACE >> 20)) MiB of zram" -
  fi
}

# Make a zram device of TIER_SPACE bytes and enable swap on it.
# Usage: host_tier_zram_up
# Globals: TIER_SPACE ZRAM_ALGORITHM RUN_ID
# Returns: 1 with WHY.
host_tier_zram_up() {
  local number device end
  # The kernel uses the lowest free number. The record is updated as soon as the number is known.
  for ((number = 0; ; number++)); do [[ -e /sys/block/zram$number ]] || break; done
  host_tier_note zram-next "$number" || return
  WHY="no zram device can be added"
  number=$(cat /sys/class/zram-control/hot_add) || return
  host_tier_note_instead zram "$number" || {
    # Its number may differ from the record, and no program uses it yet.
    _host_tier_write /sys/class/zram-control/hot_remove "$number" || WHY+="; /dev/zram$number stays"
    return 1
  }
  device=/sys/block/zram$number
  if [[ $ZRAM_ALGORITHM != auto ]]; then
    WHY="zram does not support $ZRAM_ALGORITHM, only $(<"$device/comp_algorithm")"
    _host_tier_write "$device/comp_algorithm" "$ZRAM_ALGORITHM" || return
  fi
  WHY="zram refuses a size of $TIER_SPACE"
  _host_tier_write "$device/disksize" "$TIER_SPACE" || return
  # udev, if it runs, makes the node.
  end=$((SECONDS + 10))
  until [[ -b /dev/zram$number ]]; do
    WHY="/dev/zram$number does not appear"
    ((SECONDS < end)) || return
    sleep 0.05 # between two polls
  done
  WHY="/dev/zram$number: mkswap fails"
  mkswap -L "tb-${RUN_ID##*-}" "/dev/zram$number" >/dev/null 2>&1 || return
  _host_tier_swap_on "/dev/zram$number"
}

# Print a row for each zram device with a size.
# Usage: host_tier_zram_detect
host_tier_zram_detect() {
  local size device data memory
  for device in "$DETECT_ROOT"/sys/block/zram*; do
    _host_tier_detect_line "$device/disksize"
    size=${REPLY:-0}
    [[ $size != 0 ]] || continue
    # Another run may remove its device at any moment.
    _host_tier_detect_line "$device/mm_stat"
    read -r data _ memory _ <<<"$REPLY"
    [[ -n $memory ]] || continue
    _host_tier_detect_line "$device/comp_algorithm"
    if [[ $REPLY =~ .*\[(.*)\] ]]; then REPLY=${BASH_REMATCH[1]}; else REPLY=; fi
    printf 'zram\t%s\t%d MiB, compressed by %s, %d MiB in %d MiB\n' "${device##*/}" $((size >> 20)) "$REPLY" $((data >> 20)) $((memory >> 20))
  done
}

# Reset and remove a zram device, if it exists.
# Usage: _host_tier_undo_zram NUMBER
# Returns: 1 with a line on stderr if the kernel refuses for 10 s.
_host_tier_undo_zram() {
  local device=/sys/block/zram$1
  [[ -e $device ]] || return 0
  # The kernel releases a swap device a moment after swapoff.
  _host_tier_again 10 _host_tier_write "$device/reset" 1 || host_tier_stuck "/dev/zram$1 cannot be reset"
  _host_tier_again 10 _host_tier_write /sys/class/zram-control/hot_remove "$1" || host_tier_stuck "/dev/zram$1 cannot be removed"
}

# The run may have ended between the line and the device; then the device is empty, or does not exist.
_host_tier_undo_zram_next() {
  [[ $(cat "/sys/block/zram$1/disksize" 2>/dev/null) == 0 ]] || return 0
  _host_tier_again 10 _host_tier_write /sys/class/zram-control/hot_remove "$1" || host_tier_stuck "/dev/zram$1 cannot be removed"
}

# Print the devices of runs whose directory was removed.
# Usage: host_tier_zram_lost
host_tier_zram_lost() {
  local path label
  while read -r path _; do
    [[ $path == /dev/zram* ]] || continue
    label=$(host_tier_swap_label "$path")
    [[ $label =~ ^tb-[0-9a-f]{8}$ ]] || continue
    _host_tier_lost_row swap "*-${label#tb-}" "$path"
    _host_tier_lost_row zram "*-${label#tb-}" "${path#/dev/zram}"
  done <"${TIERBENCH_ROOT-}/proc/swaps"
}
