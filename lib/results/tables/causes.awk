# SPDX-License-Identifier: MIT
# Print what is recorded of measurements that are alike and differs with their figures: the columns that the schema marks with `cause`, and the time.
# Which measurements, and NOISE=all: as noise.awk. Of the levels that can be told apart, the one that adds most is looked at.
# Table: 121
# Needs: interval margin nested totals noise

# A whole number from 1 to N, the same in every awk (Park and Miller's generator, whose products stay exact).
function draw(n) {
  seed = (seed * 16807) % 2147483647
  return 1 + int(seed / 2147483647 * n)
}

# The level of the fitted components whose groups differ most; 0 if none adds anything that seconds do not explain.
function largest_level(    l, best) {
  for (l = 1; l <= noise_levels; l++)
    if (nested_component[l] > 0 && (l > 1 || nested_groups[1] > 4) && (!best || nested_component[l] > nested_component[best])) best = l
  return best + 0
}

# The value of a cause in total T: a number or empty.
function cause_value(t, name) {
  if (name == "time") return noise_total(t, "start_us") > 0 ? noise_total(t, "start_us") / 1000000 : ""
  return text_is_number(noise_total(t, name) "") ? noise_total(t, name) + 0 : ""
}

function cause_title(name) {
  return name == "time" ? "time since the first" : schema[name, "title"]
}

function cause_shown(name, value) {
  return text_short(value) (name == "time" ? " s" : schema[name, "unit"] == "" || schema[name, "unit"] == "share" ? "" : " " schema[name, "unit"])
}

# Make the groups of CELL at LEVEL: y[1..n], the mean of the figure's logarithm around that of its group at the level above, from[u] and to[u], the first
# and last one in that group, and the totals in it, members[u, 1..count[u]].
function groups_make(cell, level,    k, u, place, parent, above, sum, n) {
  groups = 0
  split("", y)
  split("", count)
  for (k = 1; k <= size[cell]; k++) {
    if (!(nested_group[k, level] in place)) {
      place[nested_group[k, level]] = ++groups
      above[groups] = level > 1 ? nested_group[k, level - 1] : ""
    }
    u = place[nested_group[k, level]]
    y[u] += nested_y[k]
    members[u, ++count[u]] = item[cell, k]
  }
  for (u = 1; u <= groups; u++) {
    y[u] /= count[u]
    from[u] = u > 1 && above[u] == above[u - 1] ? from[u - 1] : u
  }
  for (u = groups; u >= 1; u--) to[u] = u < groups && from[u + 1] == from[u] ? to[u + 1] : u
  centre(y)
  for (u = 1; u <= groups; u++) figure_of[u] = y[u]
}

# Take the mean of its groups at the level above from each value.
function centre(v,    u, k, mean) {
  for (u = 1; u <= groups; u = to[u] + 1) {
    mean = 0
    for (k = u; k <= to[u]; k++) mean += v[k] / (to[u] - u + 1)
    for (k = u; k <= to[u]; k++) v[k] -= mean
  }
}

# Keep a cause as x[c, 1..groups], of length 1 and around the groups above, and as raw[c, 1..groups], if all have it and it differs.
function cause_take(name,    u, k, value, v, sum) {
  for (u = 1; u <= groups; u++) {
    v[u] = 0
    for (k = 1; k <= count[u]; k++) {
      value = cause_value(members[u, k], name)
      if (value == "") return
      v[u] += value / count[u]
    }
    raw[causes + 1, u] = v[u]
  }
  centre(v)
  for (u = 1; u <= groups; u++) sum += v[u] * v[u]
  # What differs by rounding only is equal.
  for (u = 1; u <= groups; u++) if (nested_square(raw[causes + 1, u]) * 1e-12 >= sum) return
  cause[++causes] = name
  for (u = 1; u <= groups; u++) x[causes, u] = v[u] / sqrt(sum)
}

function correlation(c, v,    u, sum) {
  for (u = 1; u <= groups; u++) sum += x[c, u] * v[u]
  return sum
}

# Take a cause away from the figure and the other causes: what is left of them is what it does not explain. A cause that goes along with it is dropped.
function cause_away(taken,    c, u, part, sum) {
  for (c = 1; c <= causes; c++) {
    if (c == taken || (c in done)) continue
    part = sum = 0
    for (u = 1; u <= groups; u++) part += x[c, u] * x[taken, u]
    for (u = 1; u <= groups; u++) {
      x[c, u] -= part * x[taken, u]
      sum += x[c, u] * x[c, u]
    }
    if (sum < 0.1) done[c] = 1
    else for (u = 1; u <= groups; u++) x[c, u] /= sqrt(sum)
  }
  for (u = 1; u <= groups; u++) y[u] -= r[taken] * x[taken, u]
}

# The number of orders of the groups within those above, at most a million.
function orders_of(    u, k, n) {
  n = 1
  for (u = 1; u <= groups; u = to[u] + 1) for (k = 2; k <= to[u] - u + 1; k++) if (n < 1e6) n *= k
  return n
}

# Find r[c], the correlation of each cause with y, and p[c]: how often the strongest of all causes that are left correlates as much in a random order.
function causes_judge(    c, u, k, t, sum, v, value, most, hits) {
  for (u = 1; u <= groups; u++) sum += y[u] * y[u]
  for (u = 1; u <= groups; u++) v[u] = y[u] = sum > 0 ? y[u] / sqrt(sum) : 0
  for (c = 1; c <= causes; c++) {
    r[c] = correlation(c, y)
    hits[c] = 1
  }
  seed = 20261128
  for (t = 1; t <= 2000; t++) {
    for (u = 1; u <= groups; u++) {
      k = u + draw(to[u] - u + 1) - 1
      value = v[u]
      v[u] = v[k]
      v[k] = value
    }
    most = 0
    for (c = 1; c <= causes; c++) {
      if (c in done) continue
      value = correlation(c, v)
      if (value < 0) value = -value
      if (value > most) most = value
    }
    for (c = 1; c <= causes; c++) if (most >= (r[c] < 0 ? -r[c] : r[c]) - 1e-9) hits[c]++
  }
  for (c = 1; c <= causes; c++) p[c] = hits[c] / 2001
}

# The mean of cause C in the third of the groups with the lowest (SIGN 1) or highest (-1) figure.
function third_of(c, sign,    u, n, v, limit, sum, found) {
  for (u = 1; u <= groups; u++) v[u] = sign * figure_of[u]
  interval_sort(v, groups)
  limit = v[groups < 6 ? 1 : int(groups / 3)]
  for (u = 1; u <= groups; u++) if (sign * figure_of[u] <= limit) { sum += raw[c, u]; found++ }
  return sum / found
}

# The 95 % interval of a correlation by Fisher's transformation, as text.
function correlation_interval(value, above,    n, z, reach) {
  n = groups - above + 1
  if (n < 4 || value * value > 0.9999999) return ""
  z = log((1 + value) / (1 - value)) / 2
  reach = 1.959964 / sqrt(n - 3)
  return sprintf("%.2f to %.2f", tanh(z - reach), tanh(z + reach))
}

function tanh(z) {
  return (exp(2 * z) - 1) / (exp(2 * z) + 1)
}

function cause_row(cell, figure, level, name, text, value, interval, best, worst, explains, chance,    part) {
  split(cell, part, SUBSEP)
  print "row", part[1], part[2], toupper(part[3]), figure, schema[figure, "heading"], level, name, text, (value == "" ? "" : text_number(value, 3)), interval, best, worst, \
    (explains == "" ? "" : text_number(100 * explains, 1)), (chance == "" ? "" : text_number(chance, 4))
}

function print_causes(cell, figure,    level, i, c, best, shown, more, above, u, left) {
  if (!noise_fit(cell, figure)) return
  level = largest_level()
  if (!level) {
    cause_row(cell, figure, "", "", "no start and no phase differs by more than its seconds", "", "", "", "", "", "")
    return
  }
  groups_make(cell, level)
  if (orders_of() < 100) {
    cause_row(cell, figure, noise_level[level], "", counted(groups, noise_level[level]) ": too few to tell a cause from chance", "", "", "", "", "", "")
    return
  }
  causes = 0
  split("", done)
  for (i = 1; i <= known_causes; i++) cause_take(known_cause[i])
  cause_take("time")
  for (u = 1; u <= groups; u = to[u] + 1) above++
  more = schema[figure, "better"] == "more" ? 1 : -1
  for (left = 1; shown < 3; left -= left * r[best] * r[best]) {
    causes_judge()
    best = 0
    for (c = 1; c <= causes; c++) if (!(c in done) && (!best || r[c] * r[c] > r[best] * r[best])) best = c
    if (!best || p[best] > 0.05) break
    done[best] = 1
    shown++
    cause_row(cell, figure, noise_level[level], cause[best], cause_title(cause[best]), r[best], correlation_interval(r[best], above + shown - 1), \
      cause_shown(cause[best], third_of(best, -more)), cause_shown(cause[best], third_of(best, more)), left * r[best] * r[best], p[best])
    cause_away(best)
  }
  if (!shown) cause_row(cell, figure, noise_level[level], "", "nothing recorded explains it" (best ? "; the nearest of " causes ": " cause_title(cause[best]) : ""), \
    (best ? r[best] : ""), (best ? correlation_interval(r[best], above) : ""), "", "", (best ? r[best] * r[best] : ""), (best ? p[best] : ""))
}

function counted(n, word) {
  return text_group(n, 0) " " word (n == 1 ? "" : "s")
}

END {
  known_causes = schema_list("cause", known_cause)
  n = noise_cells(cell_of)
  if (!n) exit
  table_begin("Causes: what is recorded and differs with the figure, in the level that adds most; p counts how often the strongest of all causes looks like that by chance", \
    noise_columns() "\tlevel|text|Level\tcause|text|\t_cause|text|Cause\tcorrelation|2|Correlation\tinterval|right|95 % interval\tbest|right|Best third\tworst|right|Worst third" \
    "\texplains_percent|percent|Explains\tp|4|p")
  for (c = 1; c <= n; c++) for (f = 1; f <= noise_figures; f++) print_causes(cell_of[c], noise_figure[f])
}
