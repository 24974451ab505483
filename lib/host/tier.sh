# SPDX-License-Identifier: MIT
# shellcheck shell=bash
# Memory policies on a host, and how an instance is started in the memory of its tier.

# Set TIER_PREFIX to the arguments that start a command with a policy, in the tier's cgroup if there is one.
# Usage: tier_prefix POLICY
#   POLICY is words of numactl, or `-` for none
# Globals: WORK RUN_ID
tier_prefix() {
  local cgroup=$WORK/run-$RUN_ID/tier/cgroup
  local -a policy
  TIER_PREFIX=()
  if [[ -e $cgroup ]]; then
    # The process enters the cgroup itself, before it becomes redis-server: every page of it is charged there.
    # shellcheck disable=SC2016 # for the shell that runs it
    TIER_PREFIX=(bash -c 'echo $$ >"$0/cgroup.procs" && exec "$@"' "$(<"$cgroup")")
  fi
  [[ $1 != - ]] || return 0
  read -r -a policy <<<"$1"
  TIER_PREFIX+=(numactl "${policy[@]}" --)
}

# Print the memory nodes of this host, their sizes and distances.
# Usage: tier_nodes
tier_nodes() {
  run_limited 20 numactl -H
}
