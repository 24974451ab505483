# SPDX-License-Identifier: MIT
# Components of variance of nested groups, by the method of moments, with intervals. docs/noise.md has the formulas and their sources.
#
# Load it after interval.awk. All its names begin with nested_. Input: nested_y[1..n], and nested_group[k, level], the group of value k at each
# level; a group at level 3 belongs to one group at level 2, and so on. Output, by level: nested_component (may be below 0), nested_low,
# nested_high, nested_df, nested_groups.

# The probability that F of DF1 and DF2 degrees of freedom is below X.
function nested_below(x, df1, df2) {
  return interval_beta(df1 * x / (df1 * x + df2), df1 / 2, df2 / 2)
}

# The value that F of DF1 and DF2 degrees of freedom exceeds with probability TAIL. DF2 may be `many`: then it is that of chi squared / DF1.
function nested_f(tail, df1, df2,    key, low, high, i, x) {
  key = tail SUBSEP df1 SUBSEP df2
  if (key in nested_quantile) return nested_quantile[key]
  if (df2 == "many") df2 = 100000
  low = 0
  for (high = 1; nested_below(high, df1, df2) < 1 - tail && high < 1e12; high *= 4);
  for (i = 1; i <= 60 && high - low > 1e-9 * high; i++) {
    x = (low + high) / 2
    if (nested_below(x, df1, df2) < 1 - tail) low = x
    else high = x
  }
  return nested_quantile[key] = high
}

function nested_square(x) {
  return x * x
}

# The interval of the difference of the expectations of two independent mean squares: sets nested_from and nested_to.
function nested_difference(above, df_above, below, df_below,    tail, f, g, h, cross) {
  tail = 0.025
  if (below <= 0) {
    nested_from = above / nested_f(tail, df_above, "many")
    nested_to = above / nested_f(1 - tail, df_above, "many")
    return
  }
  f = nested_f(tail, df_above, df_below)
  g = 1 - 1 / nested_f(tail, df_above, "many")
  h = 1 / nested_f(1 - tail, df_below, "many") - 1
  cross = (nested_square(f - 1) - nested_square(g * f) - h * h) / f
  nested_from = above - below - nested_root(nested_square(g * above) + nested_square(h * below) + cross * above * below)
  f = nested_f(1 - tail, df_above, df_below)
  h = 1 / nested_f(1 - tail, df_above, "many") - 1
  g = 1 - 1 / nested_f(tail, df_below, "many")
  cross = (nested_square(1 - f) - nested_square(h * f) - g * g) / f
  nested_to = above - below + nested_root(nested_square(h * above) + nested_square(g * below) + cross * above * below)
}

function nested_root(x) {
  return x > 0 ? sqrt(x) : 0
}

# The components of nested_y[1..n] at LEVELS levels, of which the last has one value per group. WITHIN is the variance of a value by what is below the
# last level, with WITHIN_DF degrees of freedom. SHARE is the part of the degrees of freedom below level 1 that is left (1: all of them).
# A level without degrees of freedom has no component: its variance is in the level above.
function nested_fit(n, levels, within, within_df, share,    k, l, m, mean, sum, size, at, squares, part, weight, ratio, base, df) {
  for (k = 1; k <= n; k++) mean += nested_y[k] / n
  nested_groups[0] = 1
  for (l = 1; l <= levels; l++) nested_groups[l] = 0
  for (k = 1; k <= n; k++) {
    nested_group[k, 0] = ""
    for (l = 0; l <= levels; l++) {
      at = l SUBSEP nested_group[k, l]
      if (l && !(at in size)) nested_groups[l]++
      size[at]++
      sum[at] += nested_y[k] - mean
    }
  }
  # squares[l]: of the sums of the groups at l. part[l, m]: what a component of 1 at level m adds to its expectation.
  for (k = 1; k <= n; k++)
    for (l = 0; l <= levels; l++) {
      at = l SUBSEP nested_group[k, l]
      squares[l] += nested_square(sum[at] / size[at])
      for (m = 1; m <= levels; m++) part[l, m] += m <= l ? 1 : size[m SUBSEP nested_group[k, m]] / size[at]
    }
  # From the last level up. weight[l, m] is the part of the mean square at m (of WITHIN: levels + 1) in what is expected at l without a component there.
  for (l = levels; l >= 1; l--) {
    nested_df[l] = (nested_groups[l] - nested_groups[l - 1]) * (l > 1 ? share : 1)
    nested_component[l] = nested_low[l] = nested_high[l] = ""
    if (nested_df[l] <= 0) continue
    nested_mean_square[l] = (squares[l] - squares[l - 1]) / nested_df[l]
    for (m = l; m <= levels; m++) ratio[m] = (part[l, m] - part[l - 1, m]) / (nested_groups[l] - nested_groups[l - 1])
    for (m = 1; m <= levels + 1; m++) weight[l, m] = m > levels
    for (m = l + 1; m <= levels; m++) {
      if (nested_df[m] <= 0) continue
      weight[l, m] += ratio[m] / nested_ratio[m]
      for (k = m + 1; k <= levels + 1; k++) weight[l, k] -= ratio[m] / nested_ratio[m] * weight[m, k]
    }
    base = df = 0
    for (m = l + 1; m <= levels + 1; m++) {
      k = m > levels ? within : nested_df[m] > 0 ? nested_mean_square[m] : 0
      base += weight[l, m] * k
      if (k > 0) df += nested_square(weight[l, m] * k) / (m > levels ? within_df : nested_df[m])
    }
    nested_ratio[l] = ratio[l]
    nested_component[l] = (nested_mean_square[l] - base) / ratio[l]
    nested_difference(nested_mean_square[l], nested_df[l], base, base > 0 && df > 0 ? base * base / df : 1)
    nested_low[l] = nested_from > 0 ? nested_from / ratio[l] : 0
    nested_high[l] = nested_to > 0 ? nested_to / ratio[l] : 0
  }
}
