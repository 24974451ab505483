# SPDX-License-Identifier: MIT
# The chance that a comparison of two variants of one run finds a difference, and the repeats that find it, from the spread of a repeat. docs/noise.md has
# the formulas. Load it after interval.awk. All its names begin with power_.

# The probability that a normal variable is below X (Abramowitz and Stegun 26.2.17; the error is below 1e-7).
function power_normal(x,    t, tail) {
  if (x < 0) return 1 - power_normal(-x)
  if (x > 8) return 1
  t = 1 / (1 + 0.2316419 * x)
  tail = t * (0.319381530 + t * (-0.356563782 + t * (1.781477937 + t * (-1.821255978 + t * 1.330274429))))
  return 1 - exp(-x * x / 2) / 2.5066282746310002 * tail
}

# The chance that N pairs of repeats, whose logarithms spread by SPREAD on each side, find the ratio 1 + SMALLEST with an interval of LEVEL: Student's
# interval of the mean does not contain 0, and is on the right side. An integral over the estimate of the spread, relative to the true one.
function power_chance(n, spread, smallest, level,    df, limit, away, s, step, weight, all, sum) {
  if (n < 3) return 0
  df = n - 1
  limit = interval_t(level, df)
  away = log(1 + smallest) / (spread * sqrt(2 / n))
  step = (1 + 6 / sqrt(2 * df)) / 200
  for (s = step / 2; s < 200 * step; s += step) {
    weight = (df - 1) * log(s) - df * (s * s - 1) / 2
    # Some awks complain about exp of less.
    weight = weight > -600 ? exp(weight) : 0
    all += weight
    sum += weight * power_normal(away - limit * s)
  }
  return sum / all
}

# The least number of repeats that find it with CHANCE; 0 if a thousand do not.
function power_repeats(chance, spread, smallest, level,    low, high, n) {
  low = 2
  for (high = 3; power_chance(high, spread, smallest, level) < chance; high *= 2) {
    if (high > 1000) return 0
    low = high
  }
  while (high - low > 1) {
    n = int((low + high) / 2)
    if (power_chance(n, spread, smallest, level) < chance) low = n
    else high = n
  }
  return high
}
