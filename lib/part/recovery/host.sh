# SPDX-License-Identifier: MIT
# shellcheck shell=bash
# Push the pages of the instances out of DRAM, through the cgroup of the tier, and count what is out of DRAM.
# Needs: part cpus tier_cgroup tier_verify

# KiB per instance that stay in DRAM: what Redis itself touches all the time.
RECOVERY_KEPT=2048

# Usage: main check | swap | look NODES
main() {
  [[ $1 == check ]] || host_part recovery
  "host_recovery_$1" "${@:2}"
}

# Print whether the pages of a cgroup can be swapped out on request, as a row STATE FOUND WANTED FIX. The root cgroup has no such files.
host_recovery_check() {
  host_tier_cgroup_find || return 0
  if [[ $CGROUP_VERSION == 2 ]] && compgen -G "$CGROUP_ROOT/*/memory.max" >/dev/null && ! compgen -G "$CGROUP_ROOT/*/memory.reclaim" >/dev/null; then
    printf 'fail\tno memory.reclaim\tSTART=far: Linux 5.19\tset START=warm\n'
  else
    printf 'ok\tcgroup version %s\tSTART=far\t-\n' "$CGROUP_VERSION"
  fi
}

# Swap out, and print the counts.
# Usage: host_recovery_swap
host_recovery_swap() {
  host_recovery_instances
  host_recovery_reclaim "$(<"$WORK/run-$RUN_ID/tier/cgroup")"
  host_recovery_look ''
}

# Read the instances.
# Usage: host_recovery_instances
# Returns: sets RECOVERY_PID, by port
host_recovery_instances() {
  local pid start port
  declare -gA RECOVERY_PID=()
  while read -r pid start port; do
    proc_alive "$pid" "$start" || fail "the instance on port $port has exited"
    RECOVERY_PID[$port]=$pid
  done <"$WORK/run-$RUN_ID/server/instances.proc"
}

# Print `away PORT OUT ALL` for each instance: bytes in swap or on these nodes, and all of its data.
# Usage: host_recovery_look NODES
host_recovery_look() {
  local port pid
  host_recovery_instances
  for port in "${!RECOVERY_PID[@]}"; do
    pid=${RECOVERY_PID[$port]}
    {
      awk -v OFS='\t' '$1 == "Swap:" || $1 == "Anonymous:" { print "-", $1, $2 * 1024 }' "/proc/$pid/smaps_rollup"
      host_tier_pages "$pid" "$port"
    } | awk -F '\t' -v port="$port" -v nodes="$1" "$CPUS_AWK"'
      BEGIN { for (n = nodes == "" ? 0 : cpus_expand(nodes, list); n > 0; n--) is_far["node" list[n]] = 1 }
      $2 == "Swap:" { swap = $3 }
      $2 == "Anonymous:" { resident = $3 }
      $2 ~ /^node/ { pages += $3 }
      $2 in is_far { far += $3 }
      END { printf "away\t%s\t%.0f\t%.0f\n", port, swap + far, swap + (pages > 0 ? pages : resident) }'
  done
}

# Swap out the pages of a cgroup. Version 2 has a file for that; lowering its limit would call the OOM killer where too little can be reclaimed.
# Usage: host_recovery_reclaim DIR
host_recovery_reclaim() {
  local limit used tries kept=$((${#RECOVERY_PID[@]} * RECOVERY_KEPT << 10))
  if [[ -e $1/memory.max ]]; then
    [[ -e $1/memory.reclaim ]] || fail "START=far: memory.reclaim is missing; it requires Linux 5.19"
    for ((tries = 0; tries < 20; tries++)); do
      used=$(<"$1/memory.current")
      ((used > kept)) || return 0
      # The kernel reports an error if it reclaims less; the counts decide.
      { echo $((used - kept)) >"$1/memory.reclaim"; } 2>/dev/null || :
    done
    return
  fi
  # Not that of the cgroup, which a call before this one may have lowered.
  limit=$(awk -F '\t' '$1 == "limit" { print $2 }' "$WORK/run-$RUN_ID/tier/asked")
  host_tier_cgroup_limit "$1" "$kept" || :
  host_tier_cgroup_limit "$1" "$limit" || fail "START=far: the limit of DRAM cannot be restored: $WHY"
}
