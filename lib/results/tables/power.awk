# SPDX-License-Identifier: MIT
# Print what planned repeats can find, from the noise of an earlier run: environment SMALLEST (a difference in %), REDISRUNS and TIME (of a phase) of the
# plan, FROM, the name of the run. It is no table of runs, so it has no place.
# Needs: interval margin nested schedule power totals noise

# The variance of a repeat by the fitted components, with phases of LENGTH seconds; sets repeat_df, its degrees of freedom. The mean square of starts has
# what phases and seconds add once; with K phases in a start, its part is 1/K.
function repeat_variance(length_s,    l, variance, k, squares, own) {
  for (l = 2; l <= 3; l++) if (nested_component[l] > 0) variance += nested_component[l]
  k = nested_ratio[2]
  own = nested_df[2] > 0 ? nested_mean_square[2] / k : 0
  squares = own > 0 ? own * own / nested_df[2] : 0
  if (nested_df[3] > 0) {
    l = nested_mean_square[3] * (1 - 1 / k)
    own += l
    squares += l * l / nested_df[3]
  }
  repeat_df = squares > 0 ? own * own / squares : 1
  return variance + (noise_length && length_s > 0 ? noise_second * noise_mean_variance(noise_correlation, noise_intervals(length_s)) : noise_within)
}

function print_power(cell, figure,    part, variance, chance, low, high, spread, longer) {
  if (!noise_fit(cell, figure) || nested_df[2] <= 0) return
  split(cell, part, SUBSEP)
  variance = repeat_variance(time)
  # Equal figures of all repeats say that their resolution is too coarse, and not that there is no noise.
  if (variance <= 0) return
  spread = sqrt(variance)
  chance = power_chance(repeats, spread, smallest, level)
  low = power_chance(repeats, spread * sqrt(repeat_df / quantile(0.025)), smallest, level)
  high = power_chance(repeats, spread * sqrt(repeat_df / quantile(0.975)), smallest, level)
  longer = time > 0 && noise_length ? power_repeats(0.8, sqrt(repeat_variance(4 * time)), smallest, level) : ""
  print "row", part[1], part[2], toupper(part[3]), figure, schema[figure, "heading"], text_number(100 * spread, 3), text_short(100 * spread) " %", \
    power_of_hundred(chance), power_of_hundred(chance) " of 100", power_of_hundred(low), power_of_hundred(high), power_of_hundred(low) " - " power_of_hundred(high), power_repeats(0.8, spread, smallest, level), \
    power_repeats_text(power_repeats(0.8, spread, smallest, level)), longer, (longer == "" ? "" : power_repeats_text(longer))
}

# The value that chi squared of repeat_df degrees of freedom is below with probability BELOW, of the two that make the spread larger or smaller.
function quantile(below) {
  return repeat_df * nested_f(1 - below, repeat_df, "many")
}

END {
  schema_read()
  n = noise_cells(cell_of)
  smallest = ENVIRON["SMALLEST"] / 100
  time = ENVIRON["TIME"] + 0
  repeats = ENVIRON["REDISRUNS"]
  level = 0.95
  if (schedule_range(repeats)) {
    level = schedule_level(schedule_min, schedule_max)
    repeats = schedule_max
  }
  table_begin("Power: a difference of " text_number(100 * smallest, 2) " % between two variants, by the noise of " text_escape(ENVIRON["FROM"]), noise_columns() \
    "\tspread_percent|raw|\t_spread|right|One repeat\tchance|raw|\t_chance|right|" repeats " repeats find it\tchance_low|raw|\tchance_high|raw|\t_interval|right|95 % interval" \
    "\trepeats|raw|\t_repeats|right|80 % need\trepeats_longer|raw|\t_longer|right|" (time > 0 ? "80 % with TIME=" 4 * time : ""))
  for (c = 1; c <= n; c++) for (f = 1; f <= noise_figures; f++) print_power(cell_of[c], noise_figure[f])
}
