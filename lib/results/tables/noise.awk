# SPDX-License-Identifier: MIT
# Print where the noise of measurements that are alike comes from: components of variance by run, start, phase and second, and between instances and
# clients (docs/noise.md). Without NOISE=all in the environment only those of measurements with three starts and a repeated phase.
# Table: 120
# Needs: interval margin nested totals noise

# A component as the standard deviation of a figure in %.
function spread(component) {
  return component == "" ? "" : text_number(100 * nested_root(component), 4)
}

# A spread as people read it.
function shown(percent) {
  return percent == "" ? "" : text_short(percent + 0) " %"
}

function counted(n, word) {
  return text_group(n, 0) " " word (n == 1 ? "" : "s")
}

# Print a row: a component of FIGURE at LEVEL with its interval, its SHARE of the variance, and the DATA behind it.
function level_row(cell, figure, level, component, low, high, share, data,    part) {
  split(cell, part, SUBSEP)
  print "row", part[1], part[2], toupper(part[3]), figure, metric_heading(figure), level, (component == "" ? "" : text_number(10000 * component, 6)), spread(component), shown(spread(component)), spread(low), spread(high), \
    (low == "" ? "" : text_short(spread(low) + 0) " - " shown(spread(high))), (share == "" ? "" : text_number(100 * share, 2)), data
}

function metric_heading(figure) {
  return schema[figure, "heading"]
}

# The groups of a LEVEL that has no component.
function lack(level, groups) {
  lacks = 1
  if (level > noise_levels) return "no series of five intervals in each phase"
  return level == 1 ? counted(groups, "run") : "1 in each " noise_level[level - 1]
}

function print_figure(cell, figure,    n, l, sum, most, data, share, word, named) {
  n = noise_fit(cell, figure)
  if (!n) return
  sum = noise_within
  for (l = 1; l <= noise_levels; l++) if (nested_component[l] > 0) sum += nested_component[l]
  for (l = 1; l <= noise_levels; l++) {
    data = nested_df[l] > 0 ? counted(nested_groups[l], noise_level[l]) : lack(l, nested_groups[l])
    share = nested_component[l] == "" || sum <= 0 ? "" : nested_component[l] > 0 ? nested_component[l] / sum : 0
    level_row(cell, figure, noise_level[l], nested_component[l], nested_low[l], nested_high[l], share, data)
    if (share > most) { most = share; word = noise_level[l] }
  }
  if (!noise_length) level_row(cell, figure, "second", "", "", "", "", lack(4))
  else {
    share = sum > 0 ? noise_within / sum : ""
    level_row(cell, figure, "second", noise_within, noise_within / nested_f(0.025, noise_within_df, "many"), noise_within / nested_f(0.975, noise_within_df, "many"), share, \
      text_short(noise_length) " in each phase, worth " text_short(noise_worth) " independent ones; one spreads by " shown(spread(noise_second)))
    if (share > most) { most = share; word = "second" }
  }
  if (most > 0) advise(cell, figure, word, most)
  for (named = 1; named <= 2; named++) print_units(cell, figure, named == 1 ? "client" : "instance")
}

# Print what differs between the instances, or the clients, of a phase: it is part of no other row.
function print_units(cell, figure, kind,    n) {
  n = noise_units(cell, figure, kind)
  # Figures of a coarse resolution may be equal everywhere.
  if (n < 2 || nested_high[1] + nested_high[2] == 0) return
  level_row(cell, figure, kind, nested_component[1], nested_low[1], nested_high[1], "", counted(n, kind) ", the same in every start")
  if (nested_component[2] != "") level_row(cell, figure, kind " in a start", nested_component[2], nested_low[2], nested_high[2], "", "other ones in every start")
}

function advise(cell, figure, level, share,    part, word) {
  split(cell, part, SUBSEP)
  word = level == "run" ? "compare within one run, where it cancels" : level == "start" ? "more starts (REDISRUNS)" : level == "phase" ? "more phases, so more starts (REDISRUNS)" : "longer phases (TIME)"
  note[++notes] = toupper(part[3]) (size["variant of noise"] > 1 ? " of " part[1] : "") (size["point of noise"] > 1 ? " at " part[2] : "") ", " metric_heading(figure) ": " \
    text_number(100 * share, 0) " % of the variance comes from the " level "; what helps: " word
}

END {
  schema_read()
  n = noise_cells(cell_of)
  if (!n) exit
  table_begin("Noise: the standard deviation of one phase by what differs between measurements that are alike", noise_columns() \
    "\tlevel|text|Level\tvariance|raw|\tspread_percent|raw|\t_spread|right|Spread\tlow_percent|raw|\thigh_percent|raw|\t_interval|right|95 % interval\tshare_percent|percent|Share\tdata|text|Data")
  for (c = 1; c <= n; c++) for (f = 1; f <= noise_figures; f++) print_figure(cell_of[c], noise_figure[f])
  for (c = 1; c <= notes; c++) print "note", note[c]
  if (lacks) print "note", "A level without a spread lacks groups: what it adds is in the level above. The scenario noise measures all but runs, and several of its runs these too."
}
