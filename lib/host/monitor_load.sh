# SPDX-License-Identifier: MIT
# shellcheck shell=bash
# CPU time and NIC traffic of the server so far, as rows SCOPE COUNTER VALUE.
# Globals: SERVER_ADDRESS

# Usage: mark_load
mark_load() {
  local device speed
  printf 'cpus\ttime_us\t%s\n' "${EPOCHREALTIME/[.,]/}"
  # Fields of proc(5), in ticks: user nice system idle iowait irq softirq steal. The time of guests is included in user.
  awk -v tick="$(getconf CLK_TCK)" '
    function us(ticks) { return sprintf("%.0f", ticks * 1000000 / tick) }
    BEGIN { OFS = "\t" }
    $1 == "cpu" { print "cpus", "busy_us", us($2 + $3 + $4 + $7 + $8 + $9) }
    $1 ~ /^cpu[0-9]/ { print $1, "irq_us", us($7 + $8); cpus++ }
    END { print "cpus", "count", cpus }' /proc/stat
  for device in $(irq_devices "$SERVER_ADDRESS" || :); do
    speed=
    { read -r speed <"/sys/class/net/$device/speed"; } 2>/dev/null || :
    # Loopback, and interfaces without a speed, have no utilisation.
    [[ $speed =~ ^[1-9][0-9]*$ ]] || continue
    printf '%s\trx_bytes\t%s\n' "$device" "$(<"/sys/class/net/$device/statistics/rx_bytes")"
    printf '%s\ttx_bytes\t%s\n' "$device" "$(<"/sys/class/net/$device/statistics/tx_bytes")"
    printf '%s\tspeed_mbit\t%s\n' "$device" "$speed"
  done
}
