# SPDX-License-Identifier: MIT
# shellcheck shell=bash
# All memory is what the kernel chooses, which is DRAM.
#
# Is: free
# Verify: memory
# Price: dram

# Print a warning if DRAM is a cache of slower memory or shares a node with it, and a row about swap: data may be elsewhere than in DRAM.
# Usage: host_tier_native_check
host_tier_native_check() {
  local rows kind where detail
  local -a swaps=()
  rows=$'\n'$(host_tier_detect_caches && host_tier_all detect)
  for kind in vsmp memory-mode; do
    [[ $rows != *$'\n'"$kind"$'\t'* ]] ||
      host_tier_row warn "DRAM is a cache of slower memory ($kind), so the share of the data in DRAM is unknown" "all of the data in DRAM" "boot the server without it"
  done
  while IFS=$'\t' read -r where detail; do
    host_tier_row warn "node $where contains DRAM and other memory ($detail), so the share of the data in DRAM is unknown" "all of the data in DRAM" \
      "daxctl reconfigure-device --mode=devdax --force ${detail%% *}"
  done < <(host_tier_ready_mixed)
  [[ ! -e ${TIERBENCH_ROOT-}/proc/swaps ]] || mapfile -t swaps <"${TIERBENCH_ROOT-}/proc/swaps"
  if ((${#swaps[@]} > 1)); then
    host_tier_row warn "the server has swap, and may use it" "all of the data in memory" "swapoff -a, if nothing there needs it"
  else
    host_tier_row ok "no swap" "all of the data in memory" -
  fi
}
