# SPDX-License-Identifier: MIT
# The error of one repeat, from the interval series of its clients (PHASE.series.tsv).
# Neighbouring intervals are correlated, so they have less information than the same number of independent intervals. The intervals are combined into
# batches (of 1, 2, 4
# ... until there are fewer than 20), and the remaining autocorrelation between batch means widens the error: the effective sample size is
# batches * (1 - r) / (1 + r). r is the correlation of neighbours. The bias (1 + 3 r) / batches of its estimate in a short series is added
# back (Kendall, "Note on bias in the estimation of autocorrelation", Biometrika 41, 1954). The margin is Student's, at 95 %. The percentiles of the
# intervals are used as batch quantiles: their spread gives the error of the percentile of the phase.
#
# Load it after interval.awk and text.awk. All its names begin with margin_, those of its input data with series_.

# With fewer intervals, the estimate of the correlation is too imprecise.
BEGIN {
  margin_least = 10
  # The latency that series_tail takes.
  series_figure = "p99_us"
  margin_number = "^[0-9][0-9]?[0-9]?[0-9]?[0-9]?[0-9]?[0-9]?[0-9]?[0-9]?[0-9]?[0-9]?[0-9]?([.][0-9]+)?$"
  margin_columns = split("ops_margin_percent p99_margin_percent settled disturbed warmup_s", margin_column, " ")
}

# Read the series of client number C, whose phase began OFFSET seconds after the first client's: series_from, series_to, series_ops and
# series_tail[C, 1..series_rows[C]]. Returns the number of its rows; 0 also for a file with other fields than numbers.
function series_read(c, file, offset,    line, f, n, i, at, before, now) {
  series_rows[c] = 0
  if ((getline line < file) > 0) {
    n = split(line, f, "\t")
    for (i = 1; i <= n; i++) at[f[i]] = i
  }
  while (("time_s" in at) && ("ops" in at) && (getline line < file) > 0) {
    split(line, f, "\t")
    now = f[at["time_s"]]
    if (now !~ margin_number || f[at["ops"]] !~ margin_number || now < before) {
      series_rows[c] = 0
      break
    }
    i = ++series_rows[c]
    series_from[c, i] = before + offset
    series_to[c, i] = now + offset
    series_ops[c, i] = f[at["ops"]] + 0
    series_tail[c, i] = (series_figure in at) && f[at[series_figure]] ~ margin_number ? f[at[series_figure]] + 0 : ""
    before = now
  }
  close(file)
  return series_rows[c]
}

# Take the whole intervals of a series, up to UNTIL seconds of its phase (when its first thread was done; empty: all of it). Returns the
# number of intervals.
function margin_take(c, offset, until,    r, i, step) {
  margin_rows[c] = 0
  step = series_to[c, 1] - offset
  for (r = 1; r <= series_rows[c]; r++) {
    # After the end of a thread, an interval contains only the others; the rest of an interval does not count.
    if (until != "" && series_to[c, r] - offset > until + step / 20) break
    if (series_to[c, r] - series_from[c, r] <= step / 2) continue
    i = ++margin_rows[c]
    margin_from[c, i] = series_from[c, r]
    margin_to[c, i] = series_to[c, r]
    margin_ops[c, i] = series_ops[c, r]
    margin_tail[c, i] = series_tail[c, r]
  }
  return margin_rows[c]
}

# Scale both figures in one step.
function margin_read(c, file, offset, until) {
  return series_read(c, file, offset) ? margin_take(c, offset, until) : 0
}

# Add up clients 1..CLIENTS by time. In the intervals of the first client that all others cover, operations are added, each other client's
# by its share of time. The p99 is that of the worst client, because percentiles do not add. Sets margin_x (operations per second), margin_y
# (p99), margin_start and margin_end, 1..n; returns n.
function margin_merge(clients,    n, r, c, q, from, to, sum, worst, covered, part, whole, at) {
  n = 0
  for (c = 2; c <= clients; c++) at[c] = 1
  for (r = 1; r <= margin_rows[1]; r++) {
    from = margin_from[1, r]
    to = margin_to[1, r]
    sum = margin_ops[1, r]
    worst = margin_tail[1, r]
    whole = 1
    for (c = 2; c <= clients; c++) {
      while (at[c] < margin_rows[c] && margin_to[c, at[c]] <= from) at[c]++
      covered = 0
      for (q = at[c]; q <= margin_rows[c] && margin_from[c, q] < to; q++) {
        part = (margin_to[c, q] < to ? margin_to[c, q] : to) - (margin_from[c, q] > from ? margin_from[c, q] : from)
        if (part <= 0) continue
        covered += part
        sum += margin_ops[c, q] * part / (margin_to[c, q] - margin_from[c, q])
        if (part > (to - from) / 2 && margin_tail[c, q] > worst) worst = margin_tail[c, q]
      }
      if (covered < (to - from) * 0.95) whole = 0
    }
    if (!whole) continue
    margin_start[++n] = from
    margin_end[n] = to
    margin_x[n] = sum / (to - from)
    margin_y[n] = worst
  }
  return n
}

# The variance of the mean of x[1..n], n >= 2: sets margin_mean and margin_df too.
function margin_variance(x, n,    size, batches, b, i, y, sum, around, neighbours, r) {
  for (size = 1; int(n / (2 * size)) >= 10; size *= 2);
  batches = int(n / size)
  margin_mean = margin_mean_of(x, n)
  for (b = 1; b <= batches; b++) {
    y[b] = 0
    for (i = 1; i <= size; i++) y[b] += x[(b - 1) * size + i] / size
    sum += y[b]
  }
  for (b = 1; b <= batches; b++) {
    y[b] -= sum / batches
    around += y[b] * y[b]
    if (b > 1) neighbours += y[b] * y[b - 1]
  }
  r = around > 0 ? neighbours / around : 0
  r += (1 + 3 * r) / batches
  r = r < 0 ? 0 : r > 0.95 ? 0.95 : r
  margin_df = batches * (1 - r) / (1 + r) - 1
  if (margin_df < 1) margin_df = 1
  return around / (batches - 1) / batches * (1 + r) / (1 - r) * batches * size / n
}

# The 95 % margin of the mean of x[1..n], in % of it; 100 means 100 % or more; empty if there are too few data.
function margin_percent(x, n,    variance, percent) {
  if (n < margin_least) return ""
  variance = margin_variance(x, n)
  if (margin_mean <= 0) return ""
  percent = 100 * interval_t(0.95, margin_df) * sqrt(variance) / margin_mean
  return percent < 100 ? percent : 100
}

function margin_mean_of(x, n,    i, sum) {
  for (i = 1; i <= n; i++) sum += x[i]
  return sum / n
}

# The median of x[from..to].
function margin_median(x, from, to,    i, n, v) {
  for (i = from; i <= to; i++) v[++n] = x[i]
  interval_sort(v, n)
  return interval_median(v, n)
}

# Mark outliers of x[1..n] in margin_apart, and return how many there are. An outlier is further from the straight line through the medians
# of the first and the last third than 5 deviations of the others (by the median of their distances), and than LEAST. Its neighbours that
# are half as far away belong to it. At most a third of the values can be outliers.
function margin_find_apart(x, n, least,    i, k, low, slope, v, away, limit, count) {
  k = int(n / 3)
  low = margin_median(x, 1, k)
  slope = (margin_median(x, n + 1 - k, n) - low) / (n - k)
  for (i = 1; i <= n; i++) {
    away[i] = x[i] - low - slope * (i - (k + 1) / 2)
    v[i] = away[i] < 0 ? -away[i] : away[i]
  }
  interval_sort(v, n)
  limit = 5 * 1.4826 * interval_median(v, n)
  if (limit < least) limit = least
  for (i = 1; i <= n; i++) margin_apart[i] = away[i] > limit ? 1 : away[i] < -limit ? -1 : 0
  for (i = 2; i <= n; i++) if (!margin_apart[i] && away[i] * margin_apart[i - 1] > limit / 2) margin_apart[i] = margin_apart[i - 1]
  for (i = n - 1; i >= 1; i--) if (!margin_apart[i] && away[i] * margin_apart[i + 1] > limit / 2) margin_apart[i] = margin_apart[i + 1]
  for (i = 1; i <= n; i++) count += margin_apart[i] != 0
  if (count <= n / 3) return count
  for (i = 1; i <= n; i++) margin_apart[i] = 0
  return 0
}

# Whether the means of the first and of the last third of x[first..n] differ by no more than the margin of their difference at LEVEL, or by
# no more than LEAST. The noise is that of the last two thirds around a straight line, because a warm-up is not noise.
function margin_settled(x, first, n, level, least,    k, i, m, t, a, b, along, squares, rest, early, late, variance) {
  m = n - first + 1
  k = int(m / 3)
  for (i = 0; i < k; i++) {
    early += x[first + i] / k
    late += x[n - i] / k
  }
  m -= k
  for (i = 1; i <= m; i++) a += x[n - m + i] / m
  for (i = 1; i <= m; i++) {
    t = i - (m + 1) / 2
    along += t * x[n - m + i]
    squares += t * t
  }
  b = along / squares
  for (i = 1; i <= m; i++) rest[i] = x[n - m + i] - a - b * (i - (m + 1) / 2)
  # The variance of a mean of m intervals, relative to that of the difference of two means of k.
  variance = margin_variance(rest, m) * m * 2 / k
  a = early > late ? early - late : late - early
  return a <= least || a <= interval_t(level, margin_df) * sqrt(variance)
}

# Evaluate the intervals 1..n of margin_merge for a phase: sets margin_of[...], by the names of columns: ops_margin_percent and
# p99_margin_percent, settled (yes or no), disturbed (no, or spans of seconds such as `3-4 41-43`) and warmup_s (seconds at the start that
# differ from the rest; 0: none). Unknown values are empty. In an OPEN loop the schedule sets the throughput, so the last three use the logarithm of
# the p99, because a p99 is sometimes many times its median.
function margin_judge(n, open,    i, m, x, y, known, least, first, apart) {
  margin_of["ops_margin_percent"] = margin_shown(margin_percent(margin_x, n), 2)
  for (i = 1; i <= n; i++) if (margin_y[i] > 0) y[++known] = margin_y[i]
  margin_of["p99_margin_percent"] = margin_shown(margin_percent(y, known), 1)
  margin_of["settled"] = margin_of["disturbed"] = margin_of["warmup_s"] = ""
  if (n < margin_least || (open && known < n)) return
  for (i = 1; i <= n; i++) x[i] = open ? log(y[i]) : margin_x[i]
  # Smaller differences than these do not matter: 1 % and 5 %; for a p99 a factor of 1.25, and of 2.
  least = open ? log(1.25) : 0.01 * margin_mean_of(margin_x, n)
  apart = margin_find_apart(x, n, open ? log(2) : 5 * least)
  margin_of["disturbed"] = apart ? margin_spans(n) : "no"
  # Outliers are reported already, and are not a trend.
  first = 0
  if (apart) while (margin_apart[first + 1]) first++
  if (first) margin_of["warmup_s"] = margin_shown(margin_end[first], 3)
  for (i = 1; i <= n; i++)
    if (!margin_apart[i]) {
      x[++m] = x[i]
      known = i
      margin_place[m] = i
    }
  margin_of["settled"] = margin_settled(x, 1, m, 0.99, least) ? "yes" : "no"
  if (margin_of["warmup_s"] == "") margin_of["warmup_s"] = 0
  if (margin_of["settled"] == "yes") return
  # Use strict limits, because an interval just within the limits does not end the warm-up.
  for (i = 2; i <= m / 2 && m - i + 1 >= margin_least; i++)
    if (margin_settled(x, i, m, 0.9, least)) {
      margin_of["warmup_s"] = margin_shown(margin_end[margin_place[i - 1]], 3)
      break
    }
}

function margin_shown(x, decimals) {
  return x == "" ? "" : text_number(x, decimals)
}

# The seconds of outliers, except for those from the start on; `no` when there are no others. Two with one interval between them are joined.
function margin_spans(n,    i, last, out, from) {
  i = 1
  while (i <= n && margin_apart[i]) i++
  for (; i <= n + 1; i++) {
    if (i <= n && margin_apart[i]) {
      if (from == "") from = margin_start[i]
      last = i
    } else if (from != "" && (i > n || i - last > 1)) {
      out = out (out == "" ? "" : " ") text_number(from, 1) "-" text_number(margin_end[last], 1)
      from = ""
    }
  }
  return out == "" ? "no" : out
}
