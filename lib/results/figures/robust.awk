# SPDX-License-Identifier: MIT
# The robust interval in addition to Student's: Hodges and Lehmann's estimate with the exact interval of Wilcoxon's tests, on logarithms.
# A single outlier widens Student's interval, but hardly changes the robust interval. Within a run: the median of the means of each two logarithms of
# ratios (Walsh averages), with the interval of the signed-rank test. Between runs: the median of the differences of each two logarithms,
# with the interval of the rank-sum test. Hollander and Wolfe, "Nonparametric Statistical Methods", 3.2-3.3 and 4.2-4.3. It requires
# 6 repeats: with 5, no interval of the signed-rank test has 95 %. A higher level requires more. Above 60 repeats Student's interval is robust enough.
# Load it after interval.awk. All its names begin with robust_.

# The number of sorted averages outside each end of the interval with LEVEL, for N pairs: the largest count that the test statistic is below with a
# probability of at most 2.5 %, for 95 %. It is 0 if no interval has that level. The frequencies of the signed-rank statistic are those of sums of
# numbers out of 1..N.
function robust_signed(n, level,    i, u, top, c, sum) {
  level = interval_level(level)
  if ((n, level) in robust_signed_cut) return robust_signed_cut[n, level]
  top = int(n * (n + 1) / 4)
  c[0] = 1
  for (i = 1; i <= n; i++) for (u = top; u >= i; u--) c[u] += c[u - i]
  for (u = 0; u <= top; u++) {
    sum += c[u] / 2 ^ n
    if (sum > (1 - level) / 2) break
  }
  return robust_signed_cut[n, level] = u
}

# The same for the rank sum of N against M. Its frequencies are the coefficients of the Gaussian binomial.
function robust_sum(n, m, level,    i, u, top, c, all, sum) {
  level = interval_level(level)
  if ((n, m, level) in robust_sum_cut) return robust_sum_cut[n, m, level]
  top = int(n * m / 2)
  c[0] = all = 1
  for (i = 1; i <= n; i++) {
    for (u = top; u >= m + i; u--) c[u] -= c[u - m - i]
    for (u = i; u <= top; u++) c[u] += c[u - i]
    all = all * (m + i) / i
  }
  for (u = 0; u <= top; u++) {
    sum += c[u] / all
    if (sum > (1 - level) / 2) break
  }
  return robust_sum_cut[n, m, level] = u
}

# The robust interval of the ratio for pairs r[1..n] > 0, with LEVEL: sets robust_centre, robust_low and robust_high; returns 0, and empties them,
# with more than 60 pairs, or too few for the level.
function robust_paired(r, n, level,    i, j, x, all, v) {
  if (n > 60) return robust_of(v, 0, 0)
  for (i = 1; i <= n; i++) x[i] = log(r[i])
  for (i = 1; i <= n; i++) for (j = i; j <= n; j++) v[++all] = (x[i] + x[j]) / 2
  return robust_of(v, all, robust_signed(n, level))
}

# The same for unpaired o[1..no] and b[1..nb] > 0, with 6 to 60 of each.
function robust_ratio(b, nb, o, no, level,    i, j, x, y, all, v) {
  if (nb < 6 || no < 6 || nb > 60 || no > 60) return robust_of(v, 0, 0)
  for (i = 1; i <= nb; i++) x[i] = log(b[i])
  for (j = 1; j <= no; j++) y[j] = log(o[j])
  for (i = 1; i <= nb; i++) for (j = 1; j <= no; j++) v[++all] = y[j] - x[i]
  return robust_of(v, all, robust_sum(nb, no, level))
}

function robust_of(v, all, cut) {
  robust_centre = robust_low = robust_high = ""
  if (!all || !cut) return 0
  interval_sort(v, all)
  robust_centre = exp(interval_median(v, all))
  robust_low = exp(v[cut])
  robust_high = exp(v[all + 1 - cut])
  return 1
}
