# SPDX-License-Identifier: MIT
# shellcheck shell=bash
# Memory of the nodes TIER_NODES, and of others when these are full.
#
# Is: bound direct spills
# Nodes: far
# Policy: --preferred=%
# Policies: --preferred-many=%
# Uses: TIER_NODES
# Verify: nodes
# Price: cxl

# Print a row: whether numactl accepts several nodes, and these have memory.
# Usage: host_tier_preferred_check
# Globals: TIER_MEMORY
host_tier_preferred_check() {
  if [[ $TIER_MEMORY == *[,-]* ]] && ! host_tier_check_numactl --preferred-many; then
    host_tier_row fail "numactl does not support --preferred-many" "numactl 2.0.15 or newer, or one node" "a newer numactl, or set TIER_NODES"
  else
    host_tier_check_nodes
  fi
}
