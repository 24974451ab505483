# SPDX-License-Identifier: MIT
# shellcheck shell=bash
# Facts of this host: its memory, and its topology as rows that lib/plan/place.sh reads.
# Needs: allowed tier_detect cpus

# Usage: main memory|all
# Globals: FACTS_CPUS, the CPUs that processes may use, as a list
main() {
  FACTS_CPUS=$(host_allowed_cpus)
  host_facts_memory
  [[ $1 != memory ]] || return 0
  host_facts_limits
  host_facts_topology
}

# Print `host`, the number of CPUs, GiB of memory as free -g counts them, bytes of memory, bytes available: those that processes may use.
# Returns: sets ALLOWED_BYTES and ALLOWED_WHERE, the limit of memory; empty without one
host_facts_memory() {
  local cpus allowed
  cpus=$(getconf _NPROCESSORS_ONLN)
  allowed=$(awk -v list="$FACTS_CPUS" "$CPUS_AWK"'BEGIN { print cpus_expand(list, cpu) }')
  host_allowed_memory self
  host_allowed_left
  awk -v cpus="$((allowed > 0 && allowed < cpus ? allowed : cpus))" -v limit="$ALLOWED_BYTES" -v left="$ALLOWED_LEFT" '
    function least(a, b) { return b == "" || a < b + 0 ? a : b + 0 }
    $1 == "MemTotal:" { total = $2 * 1024 }
    $1 == "MemAvailable:" { available = $2 * 1024 }
    END {
      total = least(total, limit)
      printf "host\t%d\t%d\t%.0f\t%.0f\n", cpus, int(total / 1073741824), total, least(available, left)
    }' "${TIERBENCH_ROOT-}/proc/meminfo"
}

# Print `limit_WHAT VALUE WHERE` for each limit of this session below what the machine has: BYTES of memory, of swap, or of both (memsw), PERCENT of a
# CPU as quota, LIST of cpus.
host_facts_limits() {
  local cpus REPLY
  cpus=$(getconf _NPROCESSORS_ONLN)
  [[ -z $ALLOWED_BYTES ]] || printf 'limit_memory\t%s\t%s\n' "$ALLOWED_BYTES" "$ALLOWED_WHERE"
  host_allowed_swap
  [[ -z $REPLY ]] || printf 'limit_%s\t%s\t%s\n' "$ALLOWED_KIND" "$REPLY" "$ALLOWED_WHERE"
  host_allowed_quota self
  [[ -z $ALLOWED_QUOTA ]] || ((ALLOWED_QUOTA >= 100 * cpus)) || printf 'limit_quota\t%s\t%s\n' "$ALLOWED_QUOTA" "$ALLOWED_WHERE"
  [[ -z $FACTS_CPUS ]] || awk -v list="$FACTS_CPUS" -v cpus="$cpus" "$CPUS_AWK"'BEGIN { exit cpus_expand(list, cpu) < cpus }' || printf 'limit_cpus\t%s\tcpuset\n' "$FACTS_CPUS"
}

# Print the CPUs that processes may use as `lscpu -p=CPU,CORE,SOCKET,NODE` does, and the isolated CPUs and the nodes without a CPU as comment lines.
# Usage: host_facts_topology
host_facts_topology() {
  local node place isolated=
  { read -r isolated </sys/devices/system/cpu/isolated; } 2>/dev/null || :
  run_limited 20 lscpu -p=CPU,CORE,SOCKET,NODE | awk -F , -v list="$FACTS_CPUS" -v isolated="$isolated" "$CPUS_AWK"'
    BEGIN {
      n = cpus_expand(list, cpu)
      for (i = 1; i <= n; i++) may[cpu[i]] = 1
      k = cpus_expand(isolated, alone)
      for (i = 1; i <= k; i++) if (!n || (alone[i] in may)) kept[++keep] = alone[i]
      if (keep) print "# isolated " cpus_compress(kept, keep)
    }
    !/^[0-9]/ || !n || (($1 + 0) in may)'
  while IFS=$'\t' read -r node place; do
    case $place in
      far) printf '# node %s has memory and no CPU\n' "$node" ;;
      fast) printf '# node %s has memory and no CPU, and is faster than those with one\n' "$node" ;;
      device) printf '# node %s has memory of a device\n' "$node" ;;
      barred) printf '# node %s has memory that processes may not use\n' "$node" ;;
    esac
  done < <(host_tier_memory_nodes all)
}
