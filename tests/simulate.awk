# SPDX-License-Identifier: MIT
# Simulated repeats: how often the intervals contain the truth, and how often they find a real difference.
#
# Usage: awk -f interval.awk -f robust.awk -f random.awk -f simulate.awk ROUNDS CASE...
#   CASE is METHOD:SHAPE:REPEATS:DIFFERENCE, such as paired:normal:10:5 for a difference of 5 %.
# METHOD: paired, welch, signed or ranks. SHAPE: normal, skewed (the sum of four exponentials, like delays) or outliers (one repeat
# in ten is four times as noisy); repeats spread by 5 %. Output: each CASE and the % of rounds whose interval does not contain 1.

function repeat_of(shape,    spread) {
  if (shape == "skewed") return exp(0.05 * (-log(uniform() * uniform() * uniform() * uniform()) - 4) / 2)
  spread = 0.05
  if (shape == "outliers" && uniform() < 0.1) spread = 0.2
  return exp(spread * gauss())
}

function apart(method, n,    j, r) {
  if (method == "welch") {
    interval_ratio(base, n, other, n)
    return interval_low > 1 || interval_high < 1
  }
  if (method == "ranks") {
    robust_ratio(base, n, other, n)
    return robust_low > 1 || robust_high < 1
  }
  for (j = 1; j <= n; j++) r[j] = other[j] / base[j]
  if (method == "paired") {
    interval_paired(r, n)
    return interval_low > 1 || interval_high < 1
  }
  robust_paired(r, n)
  return robust_low > 1 || robust_high < 1
}

BEGIN {
  for (a = 2; a < ARGC; a++) {
    seed = 20261122
    split(ARGV[a], part, ":")
    found = 0
    for (k = 0; k < ARGV[1]; k++) {
      for (i = 1; i <= part[3]; i++) {
        base[i] = repeat_of(part[2])
        other[i] = repeat_of(part[2]) * (1 - part[4] / 100)
      }
      found += apart(part[1], part[3])
    }
    printf "%s %.1f\n", ARGV[a], 100 * found / ARGV[1]
  }
}
