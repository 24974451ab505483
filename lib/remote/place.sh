# SPDX-License-Identifier: MIT
# shellcheck shell=bash
# The topology of this host, as rows that lib/place.sh reads.

# Usage: main
main() {
  local node isolated=
  { read -r isolated </sys/devices/system/cpu/isolated; } 2>/dev/null || :
  [[ -z $isolated ]] || printf '# isolated %s\n' "$isolated"
  lscpu -p=CPU,CORE,SOCKET,NODE
  for node in /sys/devices/system/node/node[0-9]*; do
    [[ -e $node/cpulist && -z $(<"$node/cpulist") ]] || continue
    ! grep -q 'MemTotal: *0 kB' "$node/meminfo" || continue
    printf '# node %s has memory and no CPU\n' "${node##*/node}"
  done
}
