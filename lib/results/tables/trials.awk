# SPDX-License-Identifier: MIT
# Print how many pairs of trials of `ab` find a difference, by the noise of earlier runs: environment SMALLEST (a difference in %), REDISRUNS and TIME
# (of a phase) of the sides, PAIRS, their number or empty. The first line is `pairs N`: PAIRS, or how many find it in each figure of throughput; 0 if 1,000
# are too few. Without `Table:` it is not a table of a run.
# Needs: interval margin nested schedule power totals noise

# Find what CELL and FIGURE need, as the next of found_*[1..found].
function find(cell, figure,    within, spread) {
  if (!noise_fit(cell, figure) || nested_df[1] <= 0 && nested_df[2] <= 0) return
  within = noise_within
  if (time > 0 && noise_length) within = noise_second * noise_mean_variance(noise_correlation, noise_intervals(time))
  spread = power_of_trial(starts, within)
  # Equal figures of all runs say that their resolution is too coarse, and not that there is no noise.
  if (spread <= 0) return
  found_cell[++found] = cell
  found_figure[found] = figure
  found_spread[found] = spread
  found_known[found] = power_known
  found_need[found] = power_repeats(0.8, spread, smallest, 0.95, power_known)
  if (nested_df[1] <= 0) no_runs = 1
}

END {
  schema_read()
  n = noise_cells(cell_of)
  smallest = ENVIRON["SMALLEST"] / 100
  starts = ENVIRON["REDISRUNS"] + 0
  time = ENVIRON["TIME"] + 0
  for (c = 1; c <= n; c++) for (f = 1; f <= noise_figures; f++) find(cell_of[c], noise_figure[f])
  if (!found) exit 1
  pairs = ENVIRON["PAIRS"]
  if (pairs == "") for (f = 1; f <= found; f++) if (found_figure[f] == "ops_per_sec") {
    if (!found_need[f]) { pairs = 0; break }
    if (found_need[f] > pairs) pairs = found_need[f]
  }
  print "pairs", pairs + 0
  table_begin("Power: a difference of " text_number(100 * smallest, 2) " % between the sides", noise_columns() \
    "\tspread_percent|raw|\t_spread|right|One trial\tchance|raw|\t_chance|right|" pairs " pairs find it\tpairs_needed|raw|\t_pairs|right|80 % need")
  for (f = 1; f <= found; f++) {
    split(found_cell[f], part, SUBSEP)
    chance = power_of_hundred(power_expected(pairs + 0, found_spread[f], smallest, 0.95, found_known[f]))
    print "row", part[1], part[2], toupper(part[3]), found_figure[f], schema[found_figure[f], "heading"], text_number(100 * found_spread[f], 3), \
      text_short(100 * found_spread[f]) " %", chance, chance " of 100", found_need[f], power_repeats_text(found_need[f])
  }
  if (no_runs) print "note", "One run does not show what other runs and boots add, so the chance is too large: name three runs or more (--noise)."
}
