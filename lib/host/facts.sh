# SPDX-License-Identifier: MIT
# shellcheck shell=bash
# Facts of this host: its memory, and its topology as rows that lib/plan/place.sh reads.
# Needs: tier_detect

# Usage: main memory|all
main() {
  host_facts_memory
  [[ $1 == memory ]] || host_facts_topology
}

# Print `host`, logical CPUs, GiB of memory as free -g counts them, bytes of memory, bytes available.
host_facts_memory() {
  awk -v cpus="$(getconf _NPROCESSORS_ONLN)" '
    $1 == "MemTotal:" { total = $2 }
    $1 == "MemAvailable:" { available = $2 }
    END { printf "host\t%d\t%d\t%.0f\t%.0f\n", cpus, int(total / 1048576), total * 1024, available * 1024 }' /proc/meminfo
}

# Print the CPUs as `lscpu -p=CPU,CORE,SOCKET,NODE` does, and the isolated CPUs and the nodes without a CPU as comment lines.
# Usage: host_facts_topology
host_facts_topology() {
  local node place isolated=
  { read -r isolated </sys/devices/system/cpu/isolated; } 2>/dev/null || :
  [[ -z $isolated ]] || printf '# isolated %s\n' "$isolated"
  run_limited 20 lscpu -p=CPU,CORE,SOCKET,NODE
  while IFS=$'\t' read -r node place; do
    case $place in
      far) printf '# node %s has memory and no CPU\n' "$node" ;;
      fast) printf '# node %s has memory and no CPU, and is faster than those with one\n' "$node" ;;
    esac
  done < <(host_tier_memory_nodes)
}
