# SPDX-License-Identifier: MIT
# Write the data of the plots from histograms and time series, for a few points: latency by percentile, latency of every thread, and events
# over time (time.awk). Input: rows of result.sh. Environment: OUT, the directory for data; DETAIL, the number of points. Output: as
# data.awk. A histogram that cannot be read completely is named on stderr and left out, and the exit status is 1.

# 1 / (1 - p) of the K-th level, from 0, at which latencies are compared: five levels for each halving of 1 - p, as in PHASE.hgrm.
function level_scale(k) {
  return 10 * 2 ^ int(k / 5) / (10 - k % 5)
}

# Read the latencies of a repeat at all levels from the percentiles that HdrHistogram prints: reached[0..]. Returns their number, 0 if the file is not
# complete.
function levels_read(path,    file, line, f, n, whole) {
  file = text_opened(path)
  n = 0
  while ((getline line < file) > 0) {
    if (split(line, f, " ") < 3 || !text_is_number(f[1]) || !text_is_count(f[3])) continue
    # The slowest of f[3] requests ends the list.
    if (f[2] == 1) {
      whole = 1
      while (level_scale(n) <= f[3]) reached[n++] = f[1]
    }
    # It has two decimals.
    else if (f[4] < level_scale(n) * 1.001 + 0.006 && f[4] > level_scale(n) * 0.999 - 0.006) reached[n++] = f[1]
  }
  close(file)
  return whole ? n : 0
}

# The same from sorted buckets with N samples.
function levels_find(n,    k, i, acc) {
  i = acc = 0
  for (k = 0; level_scale(k) <= n; k++) {
    while (i < buckets && acc < histogram_rank(100 - 100 / level_scale(k), n)) acc += bucket[order[++i]]
    reached[k] = order[i ? i : 1]
  }
  return k
}

# The same of the repeat whose clients have the rows FIRST to LAST of a cell.
function levels_take(p, g, v, first, last,    r, i, n, all) {
  r = row_of[p, g, v, first]
  if (first == last && ours[r] && (n = levels_read(folder[r] "/" phase[p] ".hgrm"))) return n
  histogram_clear()
  for (i = first; i <= last; i++) {
    r = row_of[p, g, v, i]
    if (histogram[r] == "") continue
    n = histogram_add(histogram[r], ours[r], phase[p])
    if (!n && ours[r]) {
      text_complain(histogram[r], "the histogram is missing or truncated; not plotted")
      failed = 1
    }
    all += n
  }
  histogram_sort(buckets)
  return levels_find(all)
}

# Latency by percentile of each variant: the median, the min and the max of its repeats at each level that all of them have.
function percentile(p, g,    file, v, i, k, n, repeats, levels, most, first, at_level, sorted, band, many) {
  file = OUT "/percentile-" p "-" g ".dat"
  most = 10
  for (v = 1; v <= variants; v++) {
    repeats = 0
    first = 1
    for (i = 1; i <= cell_rows[p, g, v]; i++) {
      # The clients of a repeat are next to each other.
      if (i < cell_rows[p, g, v] && repeat[row_of[p, g, v, i + 1]] == repeat[row_of[p, g, v, i]]) continue
      n = levels_take(p, g, v, first, i)
      first = i + 1
      if (!n) continue
      if (repeats++ == 0 || n < levels) levels = n
      for (k = 0; k < n; k++) at_level[repeats, k] = reached[k] + 0
    }
    if (!repeats) continue
    plot_block(file, v)
    if (band != "") band = band "\n\n"
    if (repeats > 1) many = 1
    for (k = 0; k < levels; k++) {
      for (i = 1; i <= repeats; i++) sorted[i] = at_level[i, k]
      interval_sort(sorted, repeats)
      print level_scale(k) "\t" interval_median(sorted, repeats) > file
      band = band sprintf("%.6g\t%s\t%s\n", level_scale(k), sorted[1], sorted[repeats])
    }
    if (level_scale(levels - 1) > most) most = level_scale(levels - 1)
  }
  if (band != "") printf "\n\n%s", band > file
  n = plot_close(file)
  if (n) plot_job("percentile", "percentile-" p "-" g, "Latency by percentile, " phase[p] " at " point[g], n, \
    text_number(int(log(most) / log(10)) + 1, 0), "Lines of latency over the share of requests that were at least as fast, one for each variant, on a scale where every further nine has the same width." \
    (many ? " A line is the median of the repeats, and a band goes from their min to their max." : ""))
}

# Latency of every thread in one repeat of one variant; the threads of several clients are next to each other.
function heat(p, g, v,    file, i, r, base, t, n, f, line, share, b, seen, wide, slot, top) {
  file = OUT "/heat-" p "-" g "-" v ".dat"
  base = 0
  for (i = 1; i <= cell_rows[p, g, v]; i++) {
    r = row_of[p, g, v, i]
    if (repeat[r] != repeat[row_of[p, g, v, 1]] || histogram[r] == "") continue
    for (b in share) delete share[b]
    for (t in seen) delete seen[t]
    wide = 0
    if ((getline line < text_opened(histogram[r])) > 0)
      while ((getline line < text_opened(histogram[r])) > 0) {
        n = split(line, f, " ")
        if (n < 4 || f[1] < 1) continue
        slot = int(log(f[1]) / log(10) * 12)
        wide = n - 3
        for (t = 1; t <= wide; t++)
          if (f[t + 1] > 0) {
            share[t, slot] += f[t + 1]
            seen[t] += f[t + 1]
            if (slot > top) top = slot
          }
      }
    close(text_opened(histogram[r]))
    if (wide && !base) plot_block(file, v)
    for (t = 1; t <= wide; t++)
      for (slot = 0; slot <= top; slot++)
        if ((t, slot) in share) printf "%d\t%.5f\t%.5g\n", base + t - 1, (slot + 0.5) / 12, 100 * share[t, slot] / seen[t] > file
    base += wide
  }
  plot_close(file)
  # A plot of two threads has no more information than the percentiles.
  if (base > 2) plot_job("heat", "heat-" p "-" g "-" v, "Latency of every thread, " variant[v] ", " phase[p] " at " point[g], base, 0, \
    "Heat map of " base " threads and their latencies: a thread whose instance is slower stands out as a column that reaches higher.")
}

BEGIN {
  FS = OFS = "\t"
  OUT = ENVIRON["OUT"]
  # By directory and phase: the intervals of all clients.
  while ((getline line < (OUT "/intervals")) > 0) {
    split(line, field, FS)
    each[text_unescape(field[1])] = OUT "/" field[2]
  }
}

NR == 1 {
  for (i = 1; i <= NF; i++) at[$i] = i
  next
}

{
  r = ++rows
  row_point[r] = text_unescape($at["point"] == "" ? $at["len"] "B" : $at["point"])
  row_variant[r] = text_unescape($at["variant"] == "" ? $at["run"] : $at["variant"])
  row_phase[r] = text_unescape($at["operation"])
  plot_note(row_variant[r], $at["variant_rank"], row_point[r], row_phase[r])
  repeat[r] = $at["repeat"]
  folder[r] = text_unescape($at["folder"])
  histogram[r] = text_unescape($at["histogram"])
  ours[r] = $at["tsv"] + 0
  start[r] = ("start_us" in at) ? $at["start_us"] : ""
  port[r] = ("port" in at) ? $at["port"] : ""
  instances[r] = $at["servers"]
  far_per_op[r] = $at["far_per_op"]
  shift_of[r] = ("shift" in at) ? $at["shift"] : ""
  hit_asked[r] = ("hit_asked" in at) ? $at["hit_asked"] : ""
}

END {
  plot_sort_variants()
  for (i = 1; i <= variants; i++) number_v[variant[i]] = i
  for (i = 1; i <= points; i++) number_g[point[i]] = i
  for (i = 1; i <= phases; i++) number_p[phase[i]] = i
  for (r = 1; r <= rows; r++) {
    p = number_p[row_phase[r]]
    g = number_g[row_point[r]]
    v = number_v[row_variant[r]]
    row_of[p, g, v, ++cell_rows[p, g, v]] = r
  }
  # Spread over all points, including the first and the last.
  wanted = ENVIRON["DETAIL"] == "all" || ENVIRON["DETAIL"] + 0 > points ? points : ENVIRON["DETAIL"] + 0
  for (i = 1; i <= wanted; i++) {
    g = wanted == 1 ? points : 1 + int((i - 1) * (points - 1) / (wanted - 1) + 0.5)
    for (p = 1; p <= phases; p++) percentile(p, g)
    time_draw(g)
    for (p = 1; p <= phases; p++)
      for (v = 1; v <= variants; v++) heat(p, g, v)
  }
  exit failed
}
