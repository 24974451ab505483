# SPDX-License-Identifier: MIT
# shellcheck shell=bash
# NIC traffic of the server so far, as rows SCOPE COUNTER VALUE.
# Globals: SERVER_ADDRESS

# Find the NICs that carry the load, once per repeat.
# Usage: host_monitor_load_devices
# Returns: sets MONITOR_DEVICES to those that have a utilisation
host_monitor_load_devices() {
  local device speed
  MONITOR_DEVICES=()
  for device in $(host_irq_devices "$SERVER_ADDRESS" || :); do
    speed=
    { read -r speed <"/sys/class/net/$device/speed"; } 2>/dev/null || :
    # Loopback, and interfaces without a speed, have no utilisation.
    [[ ! $speed =~ ^[1-9][0-9]*$ ]] || MONITOR_DEVICES+=("$device")
  done
}

# Print the received and sent bytes of each NIC, and its speed in Mbit/s.
# Usage: host_monitor_load_nics
# Globals: MONITOR_DEVICES
host_monitor_load_nics() {
  local device counter value
  for device in "${MONITOR_DEVICES[@]}"; do
    for counter in statistics/rx_bytes statistics/tx_bytes speed; do
      read -r value <"/sys/class/net/$device/$counter"
      [[ $counter != speed ]] || counter=speed_mbit
      printf '%s\t%s\t%s\n' "$device" "${counter#*/}" "$value"
    done
  done
}
