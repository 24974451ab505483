# SPDX-License-Identifier: MIT
# shellcheck shell=bash
# The topology of this host, as rows that lib/plan/place.sh reads.
# Needs: tier_detect

# Usage: main
main() {
  local node place isolated=
  { read -r isolated </sys/devices/system/cpu/isolated; } 2>/dev/null || :
  [[ -z $isolated ]] || printf '# isolated %s\n' "$isolated"
  run_limited 20 lscpu -p=CPU,CORE,SOCKET,NODE
  while IFS=$'\t' read -r node place; do
    case $place in
      far) printf '# node %s has memory and no CPU\n' "$node" ;;
      fast) printf '# node %s has memory and no CPU, and is faster than those with one\n' "$node" ;;
    esac
  done < <(tier_memory_nodes)
}
