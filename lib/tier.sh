# SPDX-License-Identifier: MIT
# shellcheck shell=bash
# Which memory the instances get: the master's side of NUMA policies and of DRAM in front of slower storage.

# Whether the tier gives the instances less DRAM than they have data.
# Usage: tier_limited
# Globals: TIER
tier_limited() {
  [[ $TIER == swap || $TIER == zram || $TIER == zswap ]]
}

# Print the words of numactl that keep a process's memory, and with `with-cpus` its CPUs too, on a node.
# Usage: tier_bind NODE [with-cpus]
tier_bind() {
  printf '%s--membind=%s\n' "${2:+--cpunodebind=$1 }" "$1"
}

# Print the command that starts another with a policy, as words.
# Usage: tier_command POLICY
tier_command() {
  [[ -z $1 ]] || printf 'numactl %s\n' "$1"
}
