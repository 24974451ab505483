# SPDX-License-Identifier: MIT
# What a plan refuses of a search for DRAM; in the planner (lib/plan).

function dram_check() {
  if (V["DRAM_RATIO"] != "search") return
  dram_variants += is_dram_searched()
  if (V["CONNECTIONS"] == "search") refuse("CONNECTIONS", "conflicts with DRAM_RATIO=search; set CONNECTIONS to a number, and RATE")
  if (V["RATE"] == 0) refuse("DRAM_RATIO", "requires a load; set RATE to a number, or to search:80% for that part of the first variant's rate")
  if (rate_varies()) refuse("DRAM_RATIO", "conflicts with a rate over time; set RATE to one number, or to search:80%")
  if (!is_filled_first())
    refuse("DRAM_RATIO", "requires PHASES that begin with populate; 100 % of DRAM is the memory of the data after populate")
  if (is_dram_searched() && is_rate_searched() && VARIANT == VARIANT_NAME[1])
    refuse("DRAM_RATIO", "with RATE=search, requires a first variant with all data in DRAM; set VARIANTS=\"native " VARIANT "\"")
}

# Of all variants.
function dram_checked() {
  if (V["DRAM_RATIO"] == "search" && !dram_variants) refuse("DRAM_RATIO", "no variant has limited DRAM; add one with the tier " tiers_with("Is", "limited divided"))
}
