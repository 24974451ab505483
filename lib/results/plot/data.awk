# SPDX-License-Identifier: MIT
# Write the data of the plots from totals: bars, scaling curves, throughput and memory against p99. Environment: OUT, the directory for
# data; RULES, limits of compare. Output:
# one line per plot: script, name, title, arguments 5, 6 and 8, and its description.

# Put the known values of a column in a cell into out[1..n], sorted, and return n.
function values(cell, name, out,    i, n) {
  n = 0
  for (i = 1; i <= count[cell]; i++) if (value[cell, i, name] != "") out[++n] = value[cell, i, name] + 0
  interval_sort(out, n)
  return n
}

# The ratio of CELL to the first variant's figure, as compare prints it: from pairs of repeats, because variants of one run take turns, with the level
# of the run. Sets interval_centre, interval_low and interval_high; returns 0 if there are fewer than three pairs.
function paired(first, cell, column,    i, n, by_repeat, r) {
  for (i = 1; i <= count[first]; i++) by_repeat[value[first, i, "repeat"]] = value[first, i, column]
  for (i = 1; i <= count[cell]; i++)
    if (value[cell, i, column] > 0 && by_repeat[value[cell, i, "repeat"]] > 0) r[++n] = value[cell, i, column] / by_repeat[value[cell, i, "repeat"]]
  if (n < 3) return 0
  interval_paired(r, n, level)
  return 1
}

# Whether two cells have no ratio, because searches measured them at other loads, as in compare.
function at_other_load(first, cell, column) {
  return bound_apart(column == "p99_us", column != "p99_us", by_load[first] + 0, by_dram[first] + 0, by_load[cell] + 0, by_dram[cell] + 0)
}

# Bars of a column: throughput, or the p99 latency.
function bars(p, kind, column, what,    file, g, v, b, of_base, middle, groups, list, n, label, w, drawn, low, high, ratio, intervals, first, cell, labels, side) {
  groups = 0
  for (g = 1; g <= points; g++) if ((phase[p], point[g]) in seen_at) list[++groups] = point[g]
  file = OUT "/" kind "-" p ".dat"
  w = 0.8 / variants
  of_base = variant[1]
  for (v = 1; v <= variants; v++) {
    drawn = 0
    b = plot_base(v)
    if (b != 1) of_base = "its base"
    for (g = 1; g <= groups; g++) {
      first = phase[p] SUBSEP list[g] SUBSEP variant[b]
      cell = phase[p] SUBSEP list[g] SUBSEP variant[v]
      n = values(cell, column, out)
      if (!n) continue
      if (!drawn++) plot_block(file, v)
      label = ""
      low = out[1]
      high = out[n]
      middle[v, g] = interval_median(out, n)
      if (v != b && middle[b, g] > 0 && !at_other_load(first, cell, column)) {
        ratio = middle[v, g] / middle[b, g]
        if (paired(first, cell, column)) {
          low = middle[b, g] * interval_low
          high = middle[b, g] * interval_high
          intervals++
        }
        side = kind == "bars" ? bound_side(limited[first] + 0, limited[cell] + 0) : bound_mirror(bound_side(waited[first] + 0, waited[cell] + 0), 1)
        if (groups * variants <= 50 && side != "both") label = bound_ratio(side, kind == "bars" ? 1 : -1) (kind == "bars" ? sprintf("%.0f %%", 100 * ratio) : sprintf("%.3gx", ratio))
        labels += label != ""
      }
      printf "%.4f\t%s\t%s\t%s\t%s\n", g + (v - (variants + 1) / 2) * w, middle[v, g], low, high, label > file
    }
  }
  printf "\n\n" > file
  for (g = 1; g <= groups; g++) print g "\t" plot_text(list[g]) > file
  n = plot_close(file)
  if (n) plot_job("bars", kind "-" p, (kind == "bars" ? "Throughput" : what) ", " phase[p], n, groups, "Bars of the " what " of " n " variants in the phase " phase[p] \
    (groups > 1 ? ", a group for each of " groups " points" : "") ". Whiskers go from the min to the max of the repeats" \
    (intervals ? "; those of bars with a " (kind == "bars" ? "percentage" : "multiple") " of " of_base " from three repeats or more are its " interval_percent(level) " interval" : "") \
    "." (labels ? " Over a bar is its " (kind == "bars" ? "percentage" : "multiple") " of " of_base "." : ""), variants)
}

# One plot per phase and curve (points that differ only in the number of instances), if several numbers were run.
function scaling(p, c,    file, name, g, v, n, drawn, sizes, xs) {
  for (g = 1; g <= points; g++)
    if (curve_of[point[g]] == c && ((phase[p], point[g]) in seen_at) && !(servers_of[point[g]] in xs)) {
      xs[servers_of[point[g]]] = 1
      sizes++
    }
  if (sizes < 2) return
  name = "scaling-" p "-" curve_len[c] (curve_rest[c] == "" ? "" : "-" c)
  file = OUT "/" name ".dat"
  for (v = 1; v <= variants; v++) {
    drawn = 0
    for (g = 1; g <= points; g++) {
      if (curve_of[point[g]] != c) continue
      n = values(phase[p] SUBSEP point[g] SUBSEP variant[v], "window", out)
      if (!n) continue
      if (!drawn++) plot_block(file, v)
      printf "%s\t%s\t%s\t%s\n", servers_of[point[g]], interval_median(out, n), out[1], out[n] > file
    }
  }
  n = plot_close(file)
  if (n) plot_job("scaling", name, "Throughput by number of instances, " phase[p] ", values of " text_group(curve_len[c], 0) " B" \
    (curve_rest[c] == "" ? "" : ", " curve_rest[c]), n, sizes, "Lines of throughput over the number of Redis instances, one for each variant.")
}

# Points of a figure X against the p99 latency, and the limits of p99: throughput (KIND is tradeoff), or the memory of the instances (frontier), their
# cost with prices. Lines join points that differ only in what varies along the line. There is no frontier unless X varies along one.
function scatter(p, kind, x,    file, l, g, v, n, m, cell, at_x, drawn, joined, p99, least, highest, unit, low, high, vary, named, before, i, words) {
  file = OUT "/" kind "-" p ".dat"
  unit = x == "dram_bytes" ? 1048576 : 1
  for (v = 1; v <= variants; v++) {
    drawn = 0
    for (l = 1; l <= lines[kind]; l++) for (g = 1; g <= points; g++) {
      if (line_of[kind, point[g]] != l) continue
      cell = phase[p] SUBSEP point[g] SUBSEP variant[v]
      n = values(cell, x, out)
      if (!n) continue
      at_x = interval_median(out, n) / unit
      m = values(cell, "p99_us", out)
      if (!m || interval_median(out, m) <= 0) continue
      if (!drawn++) plot_block(file, v)
      else if (l != joined) printf "\n" > file
      # Names of points at the same memory would cover each other.
      named = points <= 8 && (kind == "tradeoff" || drawn == 1 || l != joined || at_x > 1.02 * before || before > 1.02 * at_x)
      before = at_x
      if (drawn == 1 || l != joined) low = high = at_x
      if (at_x < low) low = at_x
      if (at_x > high) high = at_x
      if (high > low * 1.02) vary = 1
      joined = l
      p99 = interval_median(out, m)
      if (least == "" || p99 < least) least = p99
      if (p99 > highest) highest = p99
      # gnuplot 5.4 draws the rest of another name for an empty cell.
      printf "%s\t%s\t%s\t%s\n", at_x, p99, (named && g % 2 ? plot_text(point[g]) : "-"), (named && g % 2 == 0 ? plot_text(point[g]) : "-") > file
    }
  }
  if (limits) printf "\n\n" > file
  for (i = 1; i <= limits && least != ""; i++) {
    print limit[i] > file
    if (limit[i] < least) least = limit[i]
    if (limit[i] > highest) highest = limit[i]
  }
  n = plot_close(file)
  if (!n || kind == "frontier" && !vary) return
  words = limits ? " A dashed line is a limit of the p99 latency." : ""
  if (kind == "tradeoff") plot_job("tradeoff", "tradeoff-" p, "Throughput against p99 latency, " phase[p], n, least, \
    "Marks of throughput and p99 latency of every point, joined where only the number of instances or the rate differs; lower and further right is better." words, \
    highest / least " " limits + 0 " ops")
  else plot_job("tradeoff", "frontier-" p, (unit == 1 ? "Cost of memory" : "DRAM") " against p99 latency, " phase[p], n, least, \
    "Marks of the " (unit == 1 ? "cost of memory for 1,000 operations per second" : "DRAM that the instances take") \
    " and the p99 latency of every point, joined where only the share of DRAM differs; lower and further left is better." words, \
    highest / least " " limits + 0 " " (unit == 1 ? "cost" : "dram"))
}

# Note the line of a point in plots of KIND: points of one KEY are joined.
function line_note(kind, name, key) {
  if (!((kind, key) in line)) line[kind, key] = ++lines[kind]
  line_of[kind, name] = line[kind, key]
}

# Note the limit of p99 in a text, such as that of a search.
function limit_note(text,    rule) {
  if (text == "" || !metric_rule(text, rule) || rule["metric"] != "p99" || rule["percent"] || (rule["value"] in limit_seen)) return
  limit_seen[rule["value"]] = 1
  limit[++limits] = rule["value"]
}

BEGIN {
  FS = OFS = "\t"
  OUT = ENVIRON["OUT"]
  metric_init()
  n = split(ENVIRON["RULES"], rule_text, "\n")
  for (i = 1; i <= n; i++) limit_note(rule_text[i] "")
}

NR == 1 {
  for (i = 1; i <= NF; i++) at[$i] = i
  next
}

NR == 2 { level = schedule_of(text_unescape($at["run_folder"])) }

{
  name = $at["point"] == "" ? $at["len"] "B-" $at["servers"] "i" : text_unescape($at["point"])
  who = text_unescape($at["variant"] == "" ? $at["run"] : $at["variant"])
  op = text_unescape($at["operation"])
  plot_note(who, $at["variant_rank"], name, op)
  # A phase that broke the limit of its search shows nothing within that limit.
  if ($at["search"] == "broken") next
  rest = text_unescape($at["sweep"])
  if (!(($at["len"], rest) in curve)) {
    curve[$at["len"], rest] = ++curves
    curve_len[curves] = $at["len"]
    curve_rest[curves] = rest
  }
  curve_of[name] = curve[$at["len"], rest]
  servers_of[name] = $at["servers"]
  # The text of a sweep begins with the share of DRAM.
  without = rest
  if (index(rest ", ", text_unescape($at["dram_ratio"]) ", ") == 1) without = substr(rest, length($at["dram_ratio"]) + 3)
  line_note("frontier", name, $at["len"] SUBSEP $at["servers"] SUBSEP without)
  # Either the rate varies along a line, or the number of instances.
  without = rest
  if (sub(/(^|, )rate [^,]*/, "", without)) without = without SUBSEP $at["servers"]
  line_note("tradeoff", name, $at["len"] SUBSEP without)
  seen_at[op, name] = 1
  cell = op SUBSEP name SUBSEP who
  i = ++count[cell]
  value[cell, i, "repeat"] = $at["run"] SUBSEP $at["repeat"]
  value[cell, i, "ops_per_sec"] = $at["ops_per_sec"]
  # The figure of a point of the sweep covers the time in which all generators ran.
  value[cell, i, "window"] = $at["window_ops_per_sec"] != "" ? $at["window_ops_per_sec"] : $at["ops_per_sec"]
  value[cell, i, "p99_us"] = $at["p99_us"]
  value[cell, i, "dram_bytes"] = $at["dram_bytes"]
  if ((value[cell, i, "cost_per_kops"] = $at["cost_per_kops"]) != "") priced = 1
  limit_note(text_unescape($at["limit"]))
  if ($at["search_holds"] != "") by_dram[cell] = 1
  if ($at["capacity_ops_per_sec"] != "") by_load[cell] = 1
  if (bound_row()) limited[cell] = 1
  if (bound_row_waited("p99_us")) waited[cell] = 1
}

END {
  plot_sort_variants()
  for (p = 1; p <= phases; p++) bars(p, "bars", "ops_per_sec", "throughput")
  for (p = 1; p <= phases; p++) bars(p, "tail", "p99_us", "p99 latency")
  for (p = 1; p <= phases; p++)
    for (c = 1; c <= curves; c++) scaling(p, c)
  for (p = 1; p <= phases; p++) {
    scatter(p, "tradeoff", "ops_per_sec")
    scatter(p, "frontier", priced ? "cost_per_kops" : "dram_bytes")
  }
}
