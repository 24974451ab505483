# SPDX-License-Identifier: MIT
# What a plan refuses of cold memory; in the planner (lib/plan).

# Refuse COLD_MEMORY where the memory of the instances does not depend on it.
function cold_check() {
  if (V["COLD_MEMORY"] !~ /[1-9]/) return
  if (!tier_is("free"))
    refuse("COLD_MEMORY", "conflicts with TIER=" V["TIER"] ", which limits or places the memory of instances; use variants with the tier " \
      tiers_with("Is", "free"))
  if (V["PLACEMENT"] ~ /^(numa|split)$/ && V["SERVER_NUMACTL"] == "")
    refuse("COLD_MEMORY", "conflicts with PLACEMENT=" V["PLACEMENT"] ", which binds instances to nodes; set PLACEMENT=spread")
  if (numactl_memory() != "")
    refuse("COLD_MEMORY", "conflicts with " numactl_memory() " in SERVER_NUMACTL, which places the memory of instances; leave it out")
}
