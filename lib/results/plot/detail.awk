# SPDX-License-Identifier: MIT
# Write the data of the plots from histograms and time series, for a few points: latency by percentile, latency of every thread, and events
# over time (time.awk). Input: rows of result.sh. Environment: OUT, the directory for data; DETAIL, the number of points. Output: as
# data.awk. A histogram that cannot be read completely is named on stderr and left out, and the exit status is 1.

# Note the latencies of a repeat with N samples, whose buckets are sorted, at ten shares of each further nine: band_low and band_high. The band ends
# where the shortest repeat does.
function band_note(n,    i, k, acc, steps) {
  steps = int(10 * log(n) / log(10) + 1e-9)
  if (band_repeats++ == 0 || steps < band_steps) band_steps = steps
  for (i = k = 0; k <= band_steps; k++) {
    while (acc / n <= 1 - 10 ^ (-k / 10) && i < buckets) acc += bucket[order[++i]]
    if (band_repeats == 1 || order[i] + 0 < band_low[k]) band_low[k] = order[i] + 0
    if (band_repeats == 1 || order[i] + 0 > band_high[k]) band_high[k] = order[i] + 0
  }
}

# The band as lines of data.
function band_text(    k, text) {
  for (k = 0; k <= band_steps; k++) text = text sprintf("%.6g\t%s\t%s\n", 10 ^ (k / 10), band_low[k], band_high[k])
  return text
}

# Latency by percentile, over all clients and repeats of each variant, and the min and max of its repeats.
function percentile(p, g,    file, v, i, j, r, n, all, acc, most, share, total, band, repeats) {
  file = OUT "/percentile-" p "-" g ".dat"
  most = 10
  for (v = 1; v <= variants; v++) {
    split("", total)
    all = band_repeats = acc = 0
    histogram_clear()
    for (i = 1; i <= cell_rows[p, g, v]; i++) {
      r = row_of[p, g, v, i]
      if (histogram[r] != "") {
        n = histogram_add(histogram[r], ours[r], phase[p])
        if (!n && ours[r]) {
          text_complain(histogram[r], "the histogram is missing or truncated; not plotted")
          failed = 1
        }
        acc += n
      }
      # The clients of a repeat are next to each other.
      if (!acc || i < cell_rows[p, g, v] && repeat[row_of[p, g, v, i + 1]] == repeat[r]) continue
      histogram_sort(buckets)
      band_note(acc)
      for (j = 1; j <= buckets; j++) total[order[j]] += bucket[order[j]]
      all += acc
      acc = 0
      histogram_clear()
    }
    if (!all) continue
    for (j in total) bucket[order[++buckets] = j] = total[j]
    histogram_sort(buckets)
    plot_block(file, v)
    band = band "\n\n" band_text()
    if (band_repeats > 1) repeats = 1
    if (all > most) most = all
    acc = 0
    for (i = 1; i <= buckets; i++) {
      share = acc / all
      print 1 / (1 - share) "\t" order[i] > file
      acc += bucket[order[i]]
    }
    # The curve ends at 1/(1-p) = `all`, the number of samples.
    print all "\t" order[buckets] > file
  }
  if (band != "") printf "%s", band > file
  n = plot_close(file)
  if (n) plot_job("percentile", "percentile-" p "-" g, "Latency by percentile, " phase[p] " at " point[g], n, \
    text_number(int(log(most) / log(10)) + 1, 0), "Lines of latency over the share of requests that were at least as fast, one for each variant, on a scale where every further nine has the same width." \
    (repeats ? " A band goes from the min to the max of its repeats." : ""))
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
