# SPDX-License-Identifier: MIT
# The chance that a comparison of two variants of one run finds a difference, and the repeats that find it, from the spread of a repeat. docs/noise.md has
# the formulas. Load it after interval.awk and nested.awk. All its names begin with power_.

# The probability that a normal variable is below X (Abramowitz and Stegun 26.2.17; the error is below 1e-7).
function power_normal(x,    t, tail) {
  if (x < 0) return 1 - power_normal(-x)
  if (x > 8) return 1
  t = 1 / (1 + 0.2316419 * x)
  tail = t * (0.319381530 + t * (-0.356563782 + t * (1.781477937 + t * (-1.821255978 + t * 1.330274429))))
  return 1 - exp(-x * x / 2) / 2.5066282746310002 * tail
}

# The chance that N pairs of repeats, whose logarithms spread by SPREAD (above 0) on each side, find the ratio 1 + SMALLEST with an interval of LEVEL: Student's
# interval of the mean does not contain 0, and is on the right side. An integral over the estimate of the spread, relative to the true one.
function power_chance(n, spread, smallest, level,    df, limit, away, s, step, weight, all, sum) {
  if (n < 3) return 0
  df = n - 1
  limit = interval_t(level, df)
  away = log(1 + smallest) / (spread * sqrt(2 / n))
  # Of 2,000 steps, the chance differs by less than 0.0003.
  step = (1 + 6 / sqrt(2 * df)) / 64
  for (s = step / 2; s < 64 * step; s += step) {
    weight = (df - 1) * log(s) - df * (s * s - 1) / 2
    # Some awks complain about exp of less.
    weight = weight > -600 ? exp(weight) : 0
    all += weight
    sum += weight * power_normal(away - limit * s)
  }
  return sum / all
}

# A chance in %, as text.
function power_of_hundred(chance) {
  return sprintf("%.0f", 100 * chance)
}

# A number of repeats that power_repeats found, as text.
function power_repeats_text(n) {
  return n ? n "" : "more than 1,000"
}

# The min number of repeats that find it with CHANCE; 0 if 1,000 are too few. KNOWN: the degrees of freedom of SPREAD, as in power_expected.
function power_repeats(chance, spread, smallest, level, known,    low, high, n) {
  low = 2
  for (high = 3; power_expected(high, spread, smallest, level, known) < chance; high *= 2) {
    if (high > 1000) return 0
    low = high
  }
  while (high - low > 1) {
    n = int((low + high) / 2)
    if (power_expected(n, spread, smallest, level, known) < chance) low = n
    else high = n
  }
  return high > 1000 ? 0 : high
}

# The chance by a SPREAD that was found with KNOWN degrees of freedom: the mean over what the true spread may be, whose square is KNOWN * SPREAD^2 over
# chi squared. So a number of repeats that is chosen by it has this chance on average, however few runs SPREAD is from (Julious and Owen,
# Pharmaceutical Statistics 5, 2006). Without KNOWN, SPREAD is the true one.
function power_expected(n, spread, smallest, level, known,    i, sum) {
  if (!known) return power_chance(n, spread, smallest, level)
  for (i = 0.5; i < 50; i++) sum += power_chance(n, spread / sqrt(nested_f(i / 50, known, "many")), smallest, level)
  return sum / 50
}

# The standard deviation of the logarithm of a figure of a trial, a run of STARTS starts, by the fitted components of runs, starts and phases. WITHIN is the
# variance of a phase by its seconds. Sets power_known, its degrees of freedom by Satterthwaite: one run has none of them for runs, which count nothing.
function power_of_trial(starts, within,    l, variance, part, own, squares, k) {
  for (l = 1; l <= 3; l++) if (nested_component[l] > 0) variance += nested_component[l] / (l > 1 ? starts : 1)
  # The parts of the mean squares in it.
  if (nested_df[1] > 0) part[1] = 1 / nested_ratio[1]
  for (l = 2; l <= 3; l++) {
    if (nested_df[l] <= 0) continue
    for (k = l - 1; k > 1 && nested_df[k] <= 0; k--);
    part[l] = 1 / (nested_ratio[l] * starts) - (nested_df[k] > 0 ? 1 / (nested_ratio[k] * (k > 1 ? starts : 1)) : 0)
  }
  for (l in part) {
    k = part[l] * nested_mean_square[l]
    own += k
    squares += k * k / nested_df[l]
  }
  power_known = squares > 0 && own > 0 ? own * own / squares : 1
  return sqrt(variance + within / starts)
}
