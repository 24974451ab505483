# SPDX-License-Identifier: MIT
# shellcheck shell=bash
# What NAME does on a server. A program that must run for a while is started with host_part_launch (lib/host/part.sh): it is then ended and removed
# in every case. docs/parts.md says how to find the instances.
# Needs: part

# Usage: main read|check
main() {
  "host_NAME_$1"
}

# Print `value BYTES`.
host_NAME_read() {
  awk '$1 == "MemAvailable:" { printf "value\t%.0f\n", $2 * 1024 }' /proc/meminfo
}

# Print whether it can be read, as a row STATE FOUND WANTED FIX. With the state fail no run starts; with warn it starts.
host_NAME_check() {
  if [[ -n $(host_NAME_read) ]]; then
    printf 'ok\tMemAvailable\tSETTING: /proc/meminfo\t-\n'
  else
    printf 'fail\tno MemAvailable\tSETTING: /proc/meminfo\tset SETTING=off\n'
  fi
}
