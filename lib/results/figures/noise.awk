# SPDX-License-Identifier: MIT
# The noise of measurements that are alike: figures of a phase by run, start of the instances and phase, from totals and the files of the load
# generators. Load it after interval.awk, margin.awk, nested.awk and totals.awk; all its names begin with noise_.
#
# Measurements are alike if variant, point and phase are equal; get-2 is a get. The files of a client are found by the starts.tsv of its repeat: a run may
# have more files than a command line takes.

BEGIN {
  noise_figures = split("ops_per_sec p50_us p99_us", noise_figure, " ")
  noise_levels = split("run start phase", noise_level, " ")
}

# Take a line of totals; not of populate, whose length is its data.
FNR > 1 && !schema_is_fill($at["operation"]) && $at["run_folder"] != "" {
  noise_i = $at["operation"]
  sub(/-[0-9]+$/, "", noise_i)
  noise_i = $at["variant"] SUBSEP $at["point"] SUBSEP noise_i
  remember("noise", noise_i)
  noise_start = $at["run_folder"] SUBSEP $at["repeat"]
  if (!((noise_i, noise_start) in noise_phases)) noise_starts[noise_i]++
  if (++noise_phases[noise_i, noise_start] == 2) noise_repeated[noise_i]++
  remember(noise_i, NR)
  noise_line[NR] = $0
}

# The value of a column of total T.
function noise_total(t, name) {
  if (t != noise_split) split(noise_line[t], noise_value, FS)
  noise_split = t
  return name in at ? noise_value[at[name]] : ""
}

# Put the measurements that a table shows into out[1..n]; returns n. The tables of every run have those with three starts and a repeated phase, which tell
# the levels apart; NOISE=all in the environment: all of them.
function noise_cells(out,    c, cell, n, part) {
  for (c = 1; c <= size["noise"]; c++) {
    cell = item["noise", c]
    if (ENVIRON["NOISE"] != "all" && (noise_starts[cell] < 3 || !noise_repeated[cell])) continue
    out[++n] = cell
    split(cell, part, SUBSEP)
    remember("variant of noise", part[1])
    remember("point of noise", part[2])
  }
  return n + 0
}

# The first columns of a table, for table_begin: the variant and the point are shown if they vary.
function noise_columns() {
  return "variant|text|" (size["variant of noise"] > 1 ? "Variant" : "") "\tpoint|text|" (size["point of noise"] > 1 ? "Point" : "") \
    "\tphase|text|Phase\tmetric|text|\t_figure|text|Figure"
}

# Put FIGURE of the measurements of CELL into nested_y and nested_group; returns how many there are, 0 also if one of them has no such figure.
function noise_take(cell, figure,    k, t) {
  for (k = 1; k <= size[cell]; k++) {
    t = item[cell, k]
    if (!text_is_number(noise_total(t, figure) "") || noise_total(t, figure) <= 0) return 0
    nested_y[k] = log(noise_total(t, figure))
    nested_group[k, 1] = noise_total(t, "run_folder")
    nested_group[k, 2] = nested_group[k, 1] SUBSEP noise_total(t, "repeat")
    nested_group[k, 3] = k
  }
  return size[cell]
}

# The files of total T whose names end in KIND.tsv, one for each client, in noise_file[1..n]; returns n.
function noise_files_of(t, kind,    folder, n, i, file, line, f) {
  folder = text_unescape(noise_total(t, "run_folder") "/" noise_total(t, "variant") "/" noise_total(t, "point") "/rep-" noise_total(t, "repeat"))
  if (!(folder in noise_clients)) {
    noise_clients[folder] = ""
    file = text_opened(folder "/starts.tsv")
    while ((getline line < file) > 0) {
      split(line, f, "\t")
      if (f[1] == "phase" || f[2] ~ /[\/ ]/ || index(noise_clients[folder] " ", " " f[2] " ")) continue
      noise_clients[folder] = noise_clients[folder] " " f[2]
    }
    close(file)
  }
  n = split(noise_clients[folder], noise_file, " ")
  for (i = 1; i <= n; i++) {
    # The name of a host's directory: hosts_folder in lib/core/hosts.sh.
    gsub(/:/, "+", noise_file[i])
    noise_file[i] = folder "/" noise_file[i] "/" noise_total(t, "operation") "." kind ".tsv"
  }
  return n
}

# The values of FIGURE in the seconds of total T, relative to the phase, in noise_x[1..n]; returns n. The mean of throughput is that of its seconds; a
# percentile is close to the geometric mean of theirs.
function noise_read(t, figure,    c, n, i) {
  series_figure = figure
  n = noise_files_of(t, "series")
  for (c = 1; c <= n; c++) if (!margin_read(c, text_opened(noise_file[c]), 0, "")) return 0
  if (!n) return 0
  n = margin_merge(n)
  for (i = 1; i <= n; i++) {
    if (figure != "ops_per_sec" && !(margin_y[i] > 0)) return 0
    noise_x[i] = figure == "ops_per_sec" ? margin_x[i] : log(margin_y[i])
  }
  if (figure != "ops_per_sec") return n
  c = margin_mean_of(noise_x, n)
  for (i = 1; i <= n; i++) noise_x[i] /= c
  return n
}

# How many intervals a phase of SECONDS has, by noise_interval.
function noise_intervals(seconds,    n) {
  n = int(seconds / noise_interval + 0.5)
  return n < 1 ? 1 : n
}

# The variance of FIGURE of a phase of CELL by its seconds: sets noise_within and noise_within_df, noise_second, the variance of a second, noise_length,
# the seconds of a phase, noise_interval, how long one is, noise_worth, how many independent ones these are worth, and noise_correlation, that of neighbours.
# All are 0 without a series of five seconds of each phase.
# Seconds are correlated, as an autoregression of order 1: their variance and the correlation of neighbours are those of all phases together. Both are
# found around the mean of a phase, which takes part of them away: the values that explain what is found are the solution.
function noise_seconds(cell, figure,    k, n, i, mean, around, neighbours, seconds, pairs, r, last) {
  noise_within = noise_within_df = noise_second = noise_length = noise_worth = noise_correlation = 0
  for (k = 1; k <= size[cell]; k++) {
    n = noise_read(item[cell, k], figure)
    if (n < 5) return
    mean = margin_mean_of(noise_x, n)
    for (i = 1; i <= n; i++) {
      around += nested_square(noise_x[i] - mean)
      if (i > 1) neighbours += (noise_x[i] - mean) * (noise_x[i - 1] - mean)
    }
    seconds += n
    noise_interval = (margin_end[n] - margin_start[1]) / n
  }
  pairs = seconds - size[cell]
  n = noise_length = seconds / size[cell]
  for (i = 1; i <= 100; i++) {
    noise_second = around / seconds + noise_within
    # The product of the last value and the mean.
    last = noise_second * (1 - noise_power(r, n)) / (n * (1 - r))
    r = noise_second > 0 ? (neighbours / pairs + ((n + 1) * noise_within - 2 * last) / (n - 1)) / noise_second : 0
    r = r < 0 ? 0 : r > 0.95 ? 0.95 : r
    noise_within = noise_second * noise_mean_variance(r, n)
  }
  noise_correlation = r
  noise_within_df = pairs / (1 + 2 * (1 + r) / (1 - r))
  if (noise_within_df < 1) noise_within_df = 1
  noise_worth = noise_within > 0 ? noise_second / noise_within : n
}

# R to the power N, for 0 <= R < 1; awks complain about exp of less.
function noise_power(r, n) {
  return r > 0 && n * log(r) > -600 ? exp(n * log(r)) : 0
}

# The variance of the mean of N values with variance 1 whose neighbours have the correlation R.
function noise_mean_variance(r, n,    k, sum, power) {
  power = 1
  for (k = 1; k < n; k++) {
    power *= r
    sum += (1 - k / n) * power
  }
  return (1 + 2 * sum) / n
}

# The components of FIGURE of CELL; returns the number of measurements, 0 if there are too few.
function noise_fit(cell, figure,    n) {
  n = noise_take(cell, figure)
  if (n < 2) return 0
  noise_seconds(cell, figure)
  nested_fit(n, 3, noise_within, noise_within_df, 1)
  if (noise_length && nested_component[3] != "" && nested_component[3] < 0) {
    noise_pool()
    nested_fit(n, 3, noise_within, noise_within_df, 1)
  }
  return n
}

# Combine what seconds and phases say of the variance of a phase by its seconds: phases that spread less than seconds explain add nothing, so both are
# estimates of it. Few seconds with a strong correlation do not tell their variance alone. Call it after nested_fit; it changes what noise_seconds sets.
function noise_pool(    before, low, high, r, i) {
  before = noise_within
  noise_within = (noise_within_df * before + nested_df[3] * nested_mean_square[3]) / (noise_within_df + nested_df[3])
  noise_within_df += nested_df[3]
  # What seconds vary around the mean of their phase stays.
  noise_second += noise_within - before
  high = 0.95
  for (i = 1; i <= 40; i++) {
    r = (low + high) / 2
    if (noise_second * noise_mean_variance(r, noise_length) < noise_within) low = r
    else high = r
  }
  noise_correlation = low + 0
  noise_worth = noise_within > 0 ? noise_second / noise_within : noise_length
  if (noise_worth > noise_length) noise_worth = noise_length
}

# Differences inside of a phase: UNITS are instances or clients. Sets the components of a unit (nested_*[1]: the same in every start) and of a unit
# in a start (2); returns the number of units, 0 if there is one, or a phase lacks some of them.
function noise_units(cell, figure, kind,    k, c, n, f, i, line, unit, y, count, units, named, sum, start, want, rows, at_column, file) {
  want = figure == "ops_per_sec" ? "ops" : figure
  for (k = 1; k <= size[cell]; k++) {
    n = noise_files_of(item[cell, k], "instances")
    split("", y)
    split("", count)
    units = sum = 0
    for (c = 1; c <= n; c++) {
      split("", at_column)
      file = text_opened(noise_file[c])
      while ((getline line < file) > 0) {
        split(line, f, "\t")
        if (!("ports" in at_column)) {
          for (i in f) at_column[f[i]] = i
          continue
        }
        line = f[at_column[want]]
        if (!text_is_number(line "") || line <= 0) continue
        i = split(noise_file[c], unit, "/")
        unit[1] = unit[i - 1] (kind == "client" ? "" : SUBSEP f[at_column["ports"]])
        if (!(unit[1] in count)) units++
        count[unit[1]]++
        y[unit[1]] += log(line)
      }
      close(file)
    }
    if (units < 2 || named && units != named) return 0
    named = units
    start = noise_total(item[cell, k], "run_folder") SUBSEP noise_total(item[cell, k], "repeat")
    for (i in y) sum += y[i] / count[i] / units
    for (i in y) {
      rows++
      nested_y[rows] = y[i] / count[i] - sum
      nested_group[rows, 1] = i
      nested_group[rows, 2] = i SUBSEP start
      nested_group[rows, 3] = rows
    }
  }
  if (!named) return 0
  nested_fit(rows, 3, 0, 1, 1 - 1 / named)
  # The deviations of N units from their mean spread less than the units do.
  nested_df[1] = nested_groups[1] == named ? nested_df[1] : 0
  return named
}
