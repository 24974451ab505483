# SPDX-License-Identifier: MIT
# The 95 % interval of a ratio of two medians, by bootstrap over repeats.
#
# The bootstrap draws repeats with replacement and takes the median of each draw; how far these medians spread is the
# standard error. With a handful of repeats the outcomes can be counted instead of drawn: a draw's median is one of the
# values (or the mean of two), each with a probability that follows from the binomial distribution. So this is the limit
# of infinitely many draws, and the same on every machine. Few repeats know little of their own spread, which the plain
# percentiles of a bootstrap hide: so the interval is estimate * exp(+-t * error * sqrt(n / (n - 1))), t being Student's.

# Sorts v[1..n].
function interval_sort(v, n,    i, j, value) {
  for (i = 2; i <= n; i++) {
    value = v[i]
    for (j = i - 1; j >= 1 && v[j] > value; j--) v[j + 1] = v[j]
    v[j + 1] = value
  }
}

# The median of sorted v[1..n].
function interval_median(v, n) {
  return n % 2 ? v[(n + 1) / 2] : (v[n / 2] + v[n / 2 + 1]) / 2
}

function binomial(n, k,    i, c) {
  c = 1
  for (i = 1; i <= k; i++) c = c * (n - k + i) / i
  return c
}

# At least K of N independent draws fall where one does with probability P.
function at_least(n, k, p,    i, sum) {
  if (p >= 1) return 1
  sum = 0
  for (i = k; i <= n; i++) sum += binomial(n, i) * p ^ i * (1 - p) ^ (n - i)
  return sum
}

# Weights of the medians that draws of n can have, kept in weight_* by n: pairs (low, high) of places in the sorted values.
function interval_weights(n,    m, i, j, w, own, count) {
  if (n in weight_count) return
  m = int((n + 1) / 2)
  count = 0
  for (i = 1; i <= n; i++) {
    # The draw's m-th smallest is the i-th value.
    own = at_least(n, m, i / n) - at_least(n, m, (i - 1) / n)
    if (n % 2 == 0)
      for (j = i + 1; j <= n; j++) {
        w = binomial(n, m) * ((i / n) ^ m - ((i - 1) / n) ^ m) * (((n - j + 1) / n) ^ (n - m) - ((n - j) / n) ^ (n - m))
        own -= w
        count++
        weight_low[n, count] = i
        weight_high[n, count] = j
        weight[n, count] = w
      }
    count++
    weight_low[n, count] = i
    weight_high[n, count] = i
    weight[n, count] = own
  }
  weight_count[n] = count
}

function student(df,    t) {
  if (!student_known) student_known = split("12.706 4.303 3.182 2.776 2.571 2.447 2.365 2.306 2.262 2.228 2.201 2.179 2.160 2.145 2.131" \
    " 2.120 2.110 2.101 2.093 2.086 2.080 2.074 2.069 2.064 2.060 2.056 2.052 2.048 2.045 2.042", student_t, " ")
  return df <= student_known ? student_t[df] : 1.96 + 2.5 / df
}

# The interval of median(o) / median(b), both sorted and above 0: sets interval_low and interval_high.
# The degrees of freedom are Welch's: where one side has few repeats that spread and the other many that do not, hardly more is
# known than the few tell.
function interval_ratio(b, nb, o, no,    of_b, of_o, all) {
  of_b = interval_widened(b, nb)
  of_o = interval_widened(o, no)
  all = of_b + of_o
  interval_of(interval_median(o, no) / interval_median(b, nb), all,
    all > 0 ? all * all / (of_b * of_b / (nb - 1) + of_o * of_o / (no - 1)) : 1)
}

# The interval of the median of pairwise ratios r[1..n], sorted and above 0.
function interval_paired(r, n) {
  interval_of(interval_median(r, n), interval_widened(r, n), n - 1)
}

function interval_of(estimate, variance, df,    reach) {
  # A hair more, for what is whole can come out of floating point a little less.
  reach = exp(student(int(df + 1e-9)) * sqrt(variance))
  interval_low = estimate / reach
  interval_high = estimate * reach
}

function interval_widened(v, n) {
  return interval_variance(v, n) * n / (n - 1)
}

# The variance of the logarithm of the median over all draws from sorted v[1..n].
function interval_variance(v, n,    i, x, sum, squares) {
  interval_weights(n)
  for (i = 1; i <= weight_count[n]; i++) {
    # Against the smallest value, so that equal repeats give exactly nothing.
    x = log((v[weight_low[n, i]] + v[weight_high[n, i]]) / 2 / v[1])
    sum += weight[n, i] * x
    squares += weight[n, i] * x * x
  }
  return squares > sum * sum ? squares - sum * sum : 0
}
