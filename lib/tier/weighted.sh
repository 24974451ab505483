# SPDX-License-Identifier: MIT
# shellcheck shell=bash
# Pages of all nodes in turn, as many of each as its weight.
#
# Is: direct divided
# Nodes: all
# Policy: --weighted-interleave=%
# Uses: TIER_NODES TIER_WEIGHTS
# Verify: shares
# Price: cxl

# Print a row: whether the kernel and numactl have weights, and the nodes have memory.
# Usage: host_tier_weighted_check
host_tier_weighted_check() {
  if [[ ! -d ${TIERBENCH_ROOT-}/sys/kernel/mm/mempolicy/weighted_interleave ]]; then
    host_tier_row fail "the kernel does not support weighted interleave" "Linux 6.9 or newer" "a newer kernel"
  elif ! host_tier_check_numactl --weighted-interleave; then
    host_tier_row fail "numactl does not support --weighted-interleave" "numactl 2.0.17 or newer" "a newer numactl"
  else
    host_tier_check_nodes
  fi
}
