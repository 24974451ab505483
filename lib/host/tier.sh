# SPDX-License-Identifier: MIT
# shellcheck shell=bash
# Memory policies on a host, and how an instance is started in the memory of its tier.

# Set TIER_PREFIX to the arguments that start a command with a policy, in the tier's cgroup, or that of its instance, and in the groups of parts, if
# these exist.
# Usage: host_tier_prefix POLICY PORT
#   POLICY is the options of numactl, or `-` for none
# Globals: WORK RUN_ID
host_tier_prefix() {
  local folder=$WORK/run-$RUN_ID/tier cgroup='' name REPLY
  local -a policy
  TIER_PREFIX=()
  # The process enters a group before it becomes redis-server, so that all of its pages and threads are counted.
  [[ ! -e $folder/cgroup ]] || cgroup=$(<"$folder/cgroup")
  [[ ! -e $folder/groups ]] || cgroup=$(sed -n "s/^$2 //p" "$folder/groups")
  if [[ -n $cgroup ]]; then
    # shellcheck disable=SC2016 # for the shell that runs it
    TIER_PREFIX=(bash -c 'echo $$ >"$0" && exec "$@"' "$cgroup/cgroup.procs")
  fi
  _host_tier_functions
  for name in "${TIER_FUNCTIONS[@]}"; do
    if [[ $name != host_[a-z]*_group ]] || ! "$name"; then continue; fi
    # shellcheck disable=SC2016 # as above
    TIER_PREFIX+=(bash -c 'echo $$ >"$0" && exec "$@"' "$REPLY/tasks")
  done
  [[ $1 != - ]] || return 0
  read -r -a policy <<<"$1"
  TIER_PREFIX+=(numactl "${policy[@]}" --)
}

# Print the memory nodes of this host, their sizes and distances.
# Usage: host_tier_nodes
host_tier_nodes() {
  run_limited 20 numactl -H
}

# Call a function of all tiers that have it: host_tier_NAME_VERB of lib/tier/NAME.sh.
# Usage: host_tier_all VERB
host_tier_all() {
  local name
  _host_tier_functions
  for name in "${TIER_FUNCTIONS[@]}"; do
    [[ $name != host_tier_[a-z]*_"$1" ]] || "$name"
  done
}

# The functions of this script, which a process lists once: hundreds of instances need them.
# Returns: sets TIER_FUNCTIONS
_host_tier_functions() {
  [[ -v TIER_FUNCTIONS ]] || mapfile -t TIER_FUNCTIONS < <(compgen -A function host_)
}
