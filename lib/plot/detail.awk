# SPDX-License-Identifier: MIT
# Writes the data of the pictures that come from histograms and time series, for a few points: latency by percentile,
# latency of every thread, and what happened over time. Input: rows of result.sh.
# Environment: OUT, the folder for data; DETAIL, how many points are drawn. Output: as data.awk.

function plot_text(s) {
  s = text_unescape(s)
  gsub(/[\001-\037\177]/, "?", s)
  gsub(/"/, "'", s)
  return s
}

function write_names(file,    v) {
  for (v = 1; v <= variants; v++) print plot_text(variant[v]) > (file ".names")
  close(file ".names")
}

function job(script, name, title, a, b, words, c) {
  print script, name, text_escape(title), a, b, (c == "" ? "-" : c), text_escape(words)
}

function opened(path) {
  return path ~ /^\// ? path : "./" path
}

# Latency by percentile, over all clients and repeats of each variant.
function percentile(p, g,    file, v, i, r, all, acc, used, most, share) {
  file = OUT "/percentile-" p "-" g ".dat"
  used = 0
  most = 10
  for (v = 1; v <= variants; v++) {
    if (v > 1) printf "\n\n" > file
    histogram_clear()
    all = 0
    for (i = 1; i <= cell_rows[p, g, v]; i++) {
      r = row_of[p, g, v, i]
      if (histogram[r] != "") all += histogram_add(histogram[r], ours[r])
    }
    if (!all) {
      print "NaN\tNaN" > file
      continue
    }
    used++
    if (all > most) most = all
    histogram_sort(buckets)
    acc = 0
    for (i = 1; i <= buckets; i++) {
      share = acc / all
      print 1 / (1 - share) "\t" histogram_top(order[i]) > file
      acc += bucket[order[i]]
    }
    # The last sample ends where one in `all` would be slower.
    print all "\t" histogram_top(order[buckets]) > file
  }
  close(file)
  write_names(file)
  if (used) job("percentile", "percentile-" p "-" g, "Latency by percentile, " phase[p] " at " point[g], variants, \
    text_number(int(log(most) / log(10)) + 1, 0), "Lines of latency over the share of requests that were at least as fast, one for each variant, on a scale that gives every nine the same room.")
}

# Latency of every thread in one repeat of one variant; the threads of several clients stand side by side.
function heat(p, g, v,    file, i, r, base, t, n, f, line, share, b, seen, wide, slot, top) {
  file = OUT "/heat-" p "-" g "-" v ".dat"
  base = 0
  for (i = 1; i <= cell_rows[p, g, v]; i++) {
    r = row_of[p, g, v, i]
    if (repeat[r] != repeat[row_of[p, g, v, 1]] || histogram[r] == "") continue
    for (b in share) delete share[b]
    for (t in seen) delete seen[t]
    wide = 0
    if ((getline line < opened(histogram[r])) > 0)
      while ((getline line < opened(histogram[r])) > 0) {
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
    close(opened(histogram[r]))
    for (t = 1; t <= wide; t++)
      for (slot = 0; slot <= top; slot++)
        if ((t, slot) in share) printf "%d\t%.5f\t%.5g\n", base + t - 1, (slot + 0.5) / 12, 100 * share[t, slot] / seen[t] > file
    base += wide
  }
  if (!base) return
  close(file)
  write_names(file)
  if (base > 1) job("heat", "heat-" p "-" g "-" v, "Latency of every thread, " variant[v] ", " phase[p] " at " point[g], base, 0, \
    "Heat map of " base " threads and their latencies: a thread whose instance is slower stands out as a column that reaches higher.")
}

# Throughput and p99 over time, in the first repeat of each variant, all phases one after another.
function timeline(g,    file, v, p, i, r, line, f, n, k, status, begin, ends, series, slot, ops, p99, bad, most, used, before, length_of, fastest, longest, calm, worst) {
  file = OUT "/time-" g ".dat"
  used = 0
  for (v = 1; v <= variants; v++) {
    if (v > 1) printf "\n\n" > file
    begin = ""
    for (p = 1; p <= phases; p++) {
      if (!cell_rows[p, g, v]) continue
      r = row_of[p, g, v, 1]
      if (start[r] != "" && (begin == "" || start[r] + 0 < begin)) begin = start[r] + 0
    }
    n = 0
    ends = ""
    for (p = 1; p <= phases && begin != ""; p++) {
      for (k in ops) { delete ops[k]; delete p99[k]; delete bad[k]; delete length_of[k] }
      most = 0
      for (i = 1; i <= cell_rows[p, g, v]; i++) {
        r = row_of[p, g, v, i]
        if (repeat[r] != repeat[row_of[p, g, v, 1]]) continue
        series = opened(folder[r] "/" phase[p] ".series.tsv")
        k = before = 0
        while ((status = (getline line < series)) > 0) {
          if (split(line, f, "\t") < 7 || f[1] !~ /^[0-9.]+$/) continue
          # The k-th interval of every client: what they did together, and the p99 of the client that was worst off.
          k++
          ops[k] += f[2]
          bad[k] += f[3]
          if (f[7] + 0 > p99[k]) p99[k] = f[7] + 0
          if (f[1] - before > length_of[k]) length_of[k] = f[1] - before
          before = f[1]
          slot[k] = f[1]
          if (k > most) most = k
        }
        close(series)
      }
      r = row_of[p, g, v, 1]
      for (k = 1; k <= most; k++)
        if (length_of[k] > 0) {
          printf "%.3f\t%.2f\t%s\t%d\n", (start[r] - begin) / 1e6 + slot[k], ops[k] / length_of[k], (p99[k] > 0 ? p99[k] : "NaN"), bad[k] > file
          if (ops[k] / length_of[k] > fastest) fastest = ops[k] / length_of[k]
          if (p99[k] > 0 && (calm == "" || p99[k] < calm)) calm = p99[k]
          if (p99[k] > worst) worst = p99[k]
          n++
        }
      # A gap between the phases, for nothing was measured there.
      if (most) {
        printf "\n" > file
        ends = ends sprintf("%.3f\t%s\n", (start[r] - begin) / 1e6 + slot[most], plot_text(phase[p]))
      }
    }
    if (!n) print "NaN\tNaN\tNaN\t0" > file
    else used++
    printf "\n\n%s", (ends == "" ? "NaN\tnone\n" : ends) > file
    if (n > longest) longest = n
  }
  close(file)
  write_names(file)
  if (used && longest > 2) job("time", "time-" g, "Throughput and p99 over time at " point[g] ", first repeat", variants, fastest, \
    "Two panels over time: operations a second and p99 latency, a line for each variant, with a dotted line at the end of each phase.", (worst > 0 ? calm " " worst : "1 1000"))
}

BEGIN {
  FS = OFS = "\t"
  OUT = ENVIRON["OUT"]
}

NR == 1 {
  for (i = 1; i <= NF; i++) at[$i] = i
  next
}

{
  name = text_unescape($at["point"] == "" ? $at["len"] "B" : $at["point"])
  who = text_unescape($at["variant"] == "" ? $at["run"] : $at["variant"])
  op = text_unescape($at["operation"])
  if (!(who in variant_rank)) {
    variant_rank[who] = $at["variant_rank"] == "" ? 9999 : $at["variant_rank"] + 0
    variant[++variants] = who
  }
  if (!(name in point_seen)) {
    point_seen[name] = 1
    point[++points] = name
  }
  if (!(op in phase_seen)) {
    phase_seen[op] = 1
    phase[++phases] = op
  }
  r = ++rows
  row_point[r] = name
  row_variant[r] = who
  row_phase[r] = op
  repeat[r] = $at["repeat"]
  folder[r] = text_unescape($at["folder"])
  histogram[r] = text_unescape($at["histogram"])
  ours[r] = $at["tsv"] + 0
  start[r] = ("start_us" in at) ? $at["start_us"] : ""
}

END {
  for (i = 2; i <= variants; i++) {
    who = variant[i]
    for (j = i - 1; j >= 1 && variant_rank[variant[j]] > variant_rank[who]; j--) variant[j + 1] = variant[j]
    variant[j + 1] = who
  }
  for (i = 1; i <= variants; i++) number_v[variant[i]] = i
  for (i = 1; i <= points; i++) number_g[point[i]] = i
  for (i = 1; i <= phases; i++) number_p[phase[i]] = i
  for (r = 1; r <= rows; r++) {
    p = number_p[row_phase[r]]
    g = number_g[row_point[r]]
    v = number_v[row_variant[r]]
    row_of[p, g, v, ++cell_rows[p, g, v]] = r
  }
  # Spread over all points, the first and the last among them.
  wanted = ENVIRON["DETAIL"] == "all" || ENVIRON["DETAIL"] + 0 > points ? points : ENVIRON["DETAIL"] + 0
  for (i = 1; i <= wanted; i++) {
    g = wanted == 1 ? points : 1 + int((i - 1) * (points - 1) / (wanted - 1) + 0.5)
    for (p = 1; p <= phases; p++) percentile(p, g)
    timeline(g)
    for (p = 1; p <= phases; p++)
      for (v = 1; v <= variants; v++) heat(p, g, v)
  }
}
