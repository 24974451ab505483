# SPDX-License-Identifier: MIT
# shellcheck shell=bash
# Memory policies on a host.

# Put the words that start a command with a policy into TIER_PREFIX.
# Usage: tier_prefix POLICY
#   POLICY is words of numactl, or `-` for none
tier_prefix() {
  TIER_PREFIX=()
  [[ $1 != - ]] || return 0
  read -r -a TIER_PREFIX <<<"$1"
  TIER_PREFIX=(numactl "${TIER_PREFIX[@]}" --)
}

# Print the memory nodes of this host, their sizes and distances.
# Usage: tier_nodes
tier_nodes() {
  numactl -H
}
