# SPDX-License-Identifier: MIT
# shellcheck shell=bash
# DAMON, the kernel's access monitor: its configuration as a value of tuning, which host_tune.sh applies.

# The configuration of DAMON from the current settings, in the form of host_damon_targets.
# Usage: damon_tuning
# Globals: DAMON DAMON_HOT DAMON_COLD DAMON_QUOTA TIER
# Returns: sets REPLY
damon_tuning() {
  local far
  # As in the check of the placement, a node that the instances are bound to is treated as slow.
  place_memory_nodes_of far
  far=$REPLY
  ! tier_is bound || far=$(tier_policy) far=${far##*=}
  place_memory_nodes_of all
  REPLY=$(awk -v far="$far" -v all="$REPLY" -v mode="$DAMON" -v knobs="$DAMON_HOT $DAMON_COLD $DAMON_QUOTA" "$CPUS_AWK"'
    BEGIN {
      n = cpus_expand(far, slow)
      for (i = 1; i <= n; i++) { is_slow[slow[i]] = 1; text = text (i > 1 ? "," : "") slow[i] }
      n = cpus_expand(all, node)
      for (i = 1; i <= n; i++) if (!(node[i] in is_slow)) fast = fast (fast == "" ? "" : ",") node[i]
      print mode, (text == "" ? "-" : text), (fast == "" ? "-" : fast) (mode == "migrate" ? " " knobs : "")
    }')
}
