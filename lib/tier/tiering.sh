# SPDX-License-Identifier: MIT
# shellcheck shell=bash
# The kernel promotes and demotes pages between nodes.
#
# Is: free direct moves
# Price: cxl

# Print a row: whether there is a slower node, and the kernel can move pages between it and the others.
# Usage: host_tier_tiering_check
host_tier_tiering_check() {
  local nodes faster ready
  host_tier_check_far
  if ! grep -q far <<<"$nodes"; then
    host_tier_row fail "every node has a CPU$faster: there is one tier" "a slower node to demote to" "${ready:-another server}"
  elif [[ ! -e ${TIERBENCH_ROOT-}/proc/sys/kernel/numa_balancing ]]; then
    host_tier_row fail "the kernel has no NUMA balancing" "kernel.numa_balancing" "a kernel with CONFIG_NUMA_BALANCING"
  elif [[ ! -e ${TIERBENCH_ROOT-}/sys/kernel/mm/numa/demotion_enabled ]]; then
    host_tier_row fail "the kernel cannot demote" "/sys/kernel/mm/numa/demotion_enabled" "Linux 5.18 or newer"
  else
    host_tier_row ok "$(cut -f 1 <<<"$nodes" | wc -l) nodes, $(grep -c far <<<"$nodes") without a CPU" "two tiers" -
  fi
}
