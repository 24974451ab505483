# SPDX-License-Identifier: MIT
# What a plan refuses of a hit ratio; in the planner (lib/plan).

function hit_check(    i, n, pattern, name) {
  hit_counted += is_counted()
  if (V["HIT_RATIO"] == "off") return
  trace_needs("HIT_RATIO", "off")
  n = words("KEY_PATTERN", pattern)
  for (i = 1; i <= n; i++) {
    if (pattern[i] ~ /^(gaussian|zipf)$|^hotspot:/) continue
    name = pattern[i]
    sub(/:.*/, "", name)
    if (pattern[i] ~ /^(gaussian|zipf):/) refuse("KEY_PATTERN", pattern[i] " sets the parameter that HIT_RATIO searches for; set KEY_PATTERN=" name)
    refuse("KEY_PATTERN", pattern[i] " has no popular keys for HIT_RATIO=" V["HIT_RATIO"] "; set KEY_PATTERN=gaussian, zipf or hotspot:K:R")
  }
  if (V["DRAM_RATIO"] == "search") refuse("DRAM_RATIO", "conflicts with HIT_RATIO=" V["HIT_RATIO"] "; set DRAM_RATIO to a ratio such as 1:4")
  if (!is_filled_first()) refuse("HIT_RATIO", "requires PHASES that begin with populate; set PHASES=\"populate get\"")
  if (V["KEY_PATTERN.shift"] != "off") refuse("KEY_PATTERN.shift", "conflicts with HIT_RATIO=" V["HIT_RATIO"] ", as popular keys move; set KEY_PATTERN.shift=off")
  if (V["COMMANDS"] != "off") refuse("COMMANDS", "conflicts with HIT_RATIO=" V["HIT_RATIO"] ", which counts GET and SET; set COMMANDS=off")
  if (V["CLUSTER"] != "off") refuse("HIT_RATIO", "does not support a cluster; set CLUSTER=off")
}

# Of all variants.
function hit_checked() {
  if (V["HIT_RATIO"] != "off" && !hit_counted)
    refuse("HIT_RATIO", "no variant's accesses to far memory can be counted; add one with the tier " tiers_with("Is", "limited"))
}
