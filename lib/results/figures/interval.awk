# SPDX-License-Identifier: MIT
# The interval of a ratio of geometric means over repeats, from logarithms.
# Within a run variants take turns, so repeat i of one variant pairs with repeat i of another: Student's interval of the mean of the logarithms of
# their ratios. Repeats of two runs have no pairs: Welch's interval of the difference of the two means of logarithms (Welch, "The
# generalization of 'Student's' problem", Biometrika 34, 1947), with fractional degrees of freedom. The exponential of the centre is the
# ratio of geometric means.
#
# Load it with `awk -f interval.awk -f PROGRAM`. All its names begin with interval_.

# Sort v[1..n] (Shell's method: a figure has few repeats, but there are many pairs of figures).
function interval_sort(v, n,    gap, i, j, value) {
  for (gap = 1; gap < n / 3; gap = 3 * gap + 1);
  for (; gap >= 1; gap = int(gap / 3))
    for (i = gap + 1; i <= n; i++) {
      value = v[i]
      for (j = i - gap; j >= 1 && v[j] > value; j -= gap) v[j + gap] = v[j]
      v[j + gap] = value
    }
}

# The median of sorted v[1..n].
function interval_median(v, n) {
  return n % 2 ? v[(n + 1) / 2] : (v[n / 2] + v[n / 2 + 1]) / 2
}

# The logarithm of the gamma function for x > 0: recursion up to 10, then Stirling's series (error below 1e-12).
function interval_log_gamma(x,    shift) {
  for (shift = 0; x < 10; x++) shift += log(x)
  return (x - 0.5) * log(x) - x + 0.9189385332046727 + 1 / (12 * x) - 1 / (360 * x ^ 3) + 1 / (1260 * x ^ 5) - shift
}

# The regularised incomplete beta function I_x(a, b), by its continued fraction (Abramowitz and Stegun 26.5.8, Lentz's method).
function interval_beta(x, a, b,    m, c, d, h, term, step) {
  if (x <= 0) return 0
  if (x >= 1) return 1
  if (x > (a + 1) / (a + b + 2)) return 1 - interval_beta(1 - x, b, a)
  c = 1
  d = 1 / (1 - (a + b) * x / (a + 1))
  h = d
  for (m = 1; m <= 300; m++) {
    term = m * (b - m) * x / ((a + 2 * m - 1) * (a + 2 * m))
    d = 1 / (1 + term * d)
    c = 1 + term / c
    h *= c * d
    term = -(a + m) * (a + b + m) * x / ((a + 2 * m) * (a + 2 * m + 1))
    d = 1 / (1 + term * d)
    c = 1 + term / c
    step = c * d
    h *= step
    if (step > 1 - 1e-13 && step < 1 + 1e-13) break
  }
  return exp(interval_log_gamma(a + b) - interval_log_gamma(a) - interval_log_gamma(b) + a * log(x) + b * log(1 - x)) * h / a
}

# Student's quantile: of DF degrees of freedom (> 0, also fractional), |T| is at most this with probability LEVEL, such as 0.95.
# Newton's steps from below: the probability is concave in t > 0, so that they never pass the solution.
function interval_t(level, df,    t, i, step, scale) {
  # Welch's formula needs no more than three digits, and the same numbers of repeats occur often, so cache the quantile.
  df = df < 200 ? int(df * 1000 + 0.5) / 1000 : int(df + 0.5)
  if ((level, df) in interval_quantile) return interval_quantile[level, df]
  scale = exp(interval_log_gamma((df + 1) / 2) - interval_log_gamma(df / 2)) / sqrt(3.141592653589793 * df)
  t = 0.5
  for (i = 1; i <= 200; i++) {
    step = (level - 1 + interval_beta(df / (df + t * t), df / 2, 0.5)) / (2 * scale * exp(-(df + 1) / 2 * log(1 + t * t / df)))
    t += step
    if (step < 1e-9 * t) break
  }
  return interval_quantile[level, df] = t
}

# Mean and variance of the logarithms of v[1..n] > 0: sets interval_mean, returns the variance. Relative to the first value, so that equal
# repeats give exactly 0.
function interval_logs(v, n,    i, x, sum, squares, mean) {
  for (i = 1; i <= n; i++) sum += log(v[i] / v[1])
  mean = sum / n
  for (i = 1; i <= n; i++) {
    x = log(v[i] / v[1]) - mean
    squares += x * x
  }
  interval_mean = mean + log(v[1])
  return n > 1 ? squares / (n - 1) : 0
}

# The level of an interval that has no other one (schedule.awk).
function interval_level(level) {
  return level == "" ? 0.95 : level
}

# A level as text: 95 %, 98.9 %.
function interval_percent(level) {
  return level == "" ? "95 %" : sprintf("%.1f %%", 100 * level)
}

# The interval of the geometric mean of paired ratios r[1..n] > 0, n >= 2, with LEVEL.
# Sets interval_centre, interval_low and interval_high (ratios), interval_error (the standard error of the logarithm of the
# centre) and interval_df.
function interval_paired(r, n, level,    variance) {
  variance = interval_logs(r, n)
  interval_of(interval_mean, sqrt(variance / n), n - 1, level)
}

# The interval of the ratio of the geometric means of the unpaired o[1..no] and b[1..nb], all > 0 and at least two of each; sets the same
# variables.
function interval_ratio(b, nb, o, no, level,    of_b, of_o, all, mean) {
  of_b = interval_logs(b, nb) / nb
  mean = interval_mean
  of_o = interval_logs(o, no) / no
  all = of_b + of_o
  interval_of(interval_mean - mean, sqrt(all), all > 0 ? all * all / (of_b * of_b / (nb - 1) + of_o * of_o / (no - 1)) : nb + no - 2, level)
}

function interval_of(mean, error, df, level,    reach) {
  reach = exp(error > 0 ? interval_t(interval_level(level), df) * error : 0)
  interval_centre = exp(mean)
  interval_low = interval_centre / reach
  interval_high = interval_centre * reach
  interval_error = error
  interval_df = df
}
