# SPDX-License-Identifier: MIT
# Compute the verdict for an interval of a ratio, and the number of further repeats that would decide.
# LIMIT is the smallest difference that matters, as a fraction: 0.02 is SMALLEST=2%. Load it after interval.awk.
# All its names begin with decide_.

# The verdict on an interval LOW..HIGH of a ratio: same (all of it within 1 +- LIMIT), better or worse (it does not contain 1), or open.
# DIRECTION is 1 if more is better, -1 if less is better.
function decide(low, high, direction, limit) {
  # A small tolerance, because equal values can differ slightly in floating point.
  if (low >= 1 - limit - 1e-9 && high <= 1 + limit + 1e-9) return "same"
  if (low > 1) return direction > 0 ? "better" : "worse"
  if (high < 1) return direction > 0 ? "worse" : "better"
  return "open"
}

# The number of further repeats per side that would decide with a chance of about 80 %, from the data of N repeats: CENTRE, the ERROR of its
# logarithm, DF degrees of freedom, the LEVEL of the interval. It assumes that centre and spread are the true values. Returns 0 if no number up to
# 1000 is enough. After m repeats the interval reaches (t + 0.84) * error * sqrt(N / m) to each side, 0.84 being the normal quantile of 80 %. It
# decides when that is less than the distance from the centre to 1, or from the centre to the nearer limit of `same`.
function decide_more(centre, error, df, n, limit, level,    off, way, lack, enough, m) {
  off = centre > 1 ? log(centre) : -log(centre)
  # The nearer limit of `same`, by the logarithm: above 1 that is 1 + LIMIT.
  way = centre > 1 ? log(1 + limit) - off : limit < 1 ? -log(1 - limit) - off : off
  if (off > way) way = off
  lack = n
  enough = n
  while (!decide_enough(enough, error, df, n, way, level)) {
    if (enough >= n + 1000) return 0
    lack = enough
    enough = enough * 2 > n + 1000 ? n + 1000 : enough * 2
  }
  while (enough - lack > 1) {
    m = int((lack + enough) / 2)
    if (decide_enough(m, error, df, n, way, level)) enough = m
    else lack = m
  }
  # An open figure with a better chance than that still needs one repeat.
  return enough > n ? enough - n : 1
}

function decide_enough(m, error, df, n, way, level) {
  return (interval_t(interval_level(level), df * (m - 1) / (n - 1)) + 0.84) * error * sqrt(n / m) < way
}

# The number as text: two significant digits.
function decide_round(more) {
  return more < 100 ? more : int(more / 10 + 0.5) * 10
}
