# SPDX-License-Identifier: MIT
# What a plan refuses of a start from far memory; in the planner (lib/plan).

function recovery_check() {
  if (V["START"] == "warm") return
  if (is_search_wanted()) refuse("START", "conflicts with a search, whose loads bring the data back; set START=warm, or no search")
  if (V["WARMUP"] != 0) refuse("WARMUP", "conflicts with START=far, as a warm-up would bring the data back; set WARMUP=0")
  if (V["TIME"] == 0) refuse("START", "requires TIME; set a duration in which the rate comes back")
  if (!is_filled_first() || !phases_measured()) refuse("START", "requires PHASES that begin with populate, and a measured phase; set PHASES=\"populate get\"")
  if (tier_is("limited divided moves")) recovery_variants++
}

# Of all variants.
function recovery_checked() {
  if (V["START"] == "far" && !recovery_variants)
    refuse("START", "no variant has far memory; add one with the tier " tiers_with("Is", "limited divided moves"))
}

# All data is in swap at the start.
function recovery_space() {
  if (V["START"] == "far") space_more += space_of
}
