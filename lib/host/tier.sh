# SPDX-License-Identifier: MIT
# shellcheck shell=bash
# Memory policies on a host, and the way of an instance into the memory that its tier gives it.

# Put the words that start a command with a policy, in the tier's cgroup if there is one, into TIER_PREFIX.
# Usage: tier_prefix POLICY
#   POLICY is words of numactl, or `-` for none
# Globals: WORK RUN_ID
tier_prefix() {
  local cgroup=$WORK/run-$RUN_ID/tier/cgroup
  local -a policy
  TIER_PREFIX=()
  if [[ -e $cgroup ]]; then
    # It goes in by itself, before it is redis-server: every page of it is charged there.
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
