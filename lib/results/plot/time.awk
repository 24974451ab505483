# SPDX-License-Identifier: MIT
# Events and figures over time at one point, in the first repeat of each variant: throughput, p99, waits for far memory, and events
# (events.awk). Part of detail.awk, which reads the rows.
#
# Time is in seconds since a variant's first phase began. Each figure is of an interval, and is drawn as a line from its start to its end,
# so that a phase of one interval is visible too.

# Read the series of variant V at point G: begin (us since the epoch, on the clients' clock), and for each phase p interval[p,
# 1..intervals[p], from|to|ops|p99|errors|misses], phase_from[p] and phase_to[p]. Returns the number of intervals.
function time_read(g, v,    p, i, r, k, n, f, line, series) {
  for (i in interval) delete interval[i]
  for (i in intervals) delete intervals[i]
  begin = ""
  n = 0
  for (p = 1; p <= phases; p++)
    if (cell_rows[p, g, v]) {
      r = row_of[p, g, v, 1]
      if (start[r] != "" && (begin == "" || start[r] + 0 < begin)) begin = start[r] + 0
    }
  for (p = 1; p <= phases && begin != ""; p++) {
    for (i = 1; i <= cell_rows[p, g, v]; i++) {
      r = row_of[p, g, v, i]
      if (repeat[r] != repeat[row_of[p, g, v, 1]]) continue
      if (i == 1) phase_from[p] = phase_to[p] = (start[r] - begin) / 1e6
      series = text_opened(folder[r] "/" phase[p] ".series.tsv")
      k = 0
      while ((getline line < series) > 0) {
        if (split(line, f, "\t") < 7 || f[1] !~ /^[0-9.]+$/) continue
        # The k-th interval of all clients: their operations together, and the p99 of the worst client.
        k++
        interval[p, k, "ops"] += f[2]
        interval[p, k, "errors"] += f[3]
        interval[p, k, "misses"] += f[4]
        if (f[7] > interval[p, k, "p99"]) interval[p, k, "p99"] = f[7] + 0
        if (f[1] > interval[p, k, "to"]) interval[p, k, "to"] = f[1] + 0
        if (k > intervals[p]) intervals[p] = k
      }
      close(series)
    }
    for (k = 1; k <= intervals[p]; k++) {
      interval[p, k, "to"] += phase_from[p]
      interval[p, k, "from"] = phase_to[p]
      phase_to[p] = interval[p, k, "to"]
    }
    n += intervals[p]
  }
  return n
}

# Write throughput and p99 of the variant that was read.
function time_throughput(file, v,    p, k, span, rate, p99, none) {
  plot_block(file, v)
  # The line of a load generator without p99 is below the panel, because gnuplot requires a point.
  none = 0.001
  for (p = 1; p <= phases; p++) for (k = 1; k <= intervals[p]; k++) if (interval[p, k, "p99"] > 0) none = "NaN"
  for (p = 1; p <= phases; p++) {
    for (k = 1; k <= intervals[p]; k++) {
      span = interval[p, k, "to"] - interval[p, k, "from"]
      if (span <= 0) continue
      rate = interval[p, k, "ops"] / span
      p99 = interval[p, k, "p99"]
      if (rate > fastest) fastest = rate
      if (p99 > 0 && (calm == "" || p99 < calm)) calm = p99
      if (p99 > worst) worst = p99
      time_line(file, interval[p, k, "from"], interval[p, k, "to"], sprintf("%.2f", rate) "\t" (p99 > 0 ? p99 : none))
    }
    # A gap between the phases, because nothing was measured there.
    if (intervals[p]) printf "\n" > file
  }
}

function time_line(file, from, to, value) {
  printf "%.3f\t%s\n%.3f\t%s\n", from, value, to, value > file
}

# Write waits for far memory per operation: the sampled major faults of the instances, per operation of each interval. Without such counts nothing is
# written. With a requested hit ratio, ASKED in percent, write the hit ratio instead, in percent; it is at least 0, as an
# operation can wait twice.
function time_far(file, g, v, asked,    p, r, k, line, f, n, samples, now, seen, when, faults, waits, known, ports, span, share, drawn, before) {
  r = time_first_row(g, v)
  if (far_per_op[r] == "") return
  samples = text_opened(folder[r] "/../server/instances.tsv")
  while ((getline line < samples) > 0) {
    # With other HIT_COUNTERS than page faults, the value is `-`.
    if (split(line, f, "\t") < 5 || f[2] !~ /^[0-9]+$/ || f[5] !~ /^[0-9]+$/) continue
    now = f[1] - (begin + ahead) / 1e6
    if (!(f[2] in seen)) {
      seen[f[2]] = 1
      ports++
    } else if (f[5] + 0 >= faults[f[2]] + 0) time_spread(when[f[2]], now, f[5] - faults[f[2]], waits, known)
    when[f[2]] = now
    faults[f[2]] = f[5]
  }
  close(samples)
  if (!ports) return
  for (p = 1; p <= phases; p++) {
    before = drawn
    for (k = 1; k <= intervals[p]; k++) {
      span = interval[p, k, "to"] - interval[p, k, "from"]
      # If less than half of it is known, it is not estimated.
      if (interval[p, k, "ops"] <= 0 || span <= 0 || known[p, k] < ports * span / 2) continue
      if (!drawn++) plot_block(file, v)
      share = waits[p, k] * ports * span / known[p, k] / interval[p, k, "ops"]
      if (share > farthest) farthest = share
      if (asked != "") {
        share = share < 1 ? 100 * (1 - share) : 0
        if (share < lowest) lowest = share
      }
      time_line(file, interval[p, k, "from"], interval[p, k, "to"], sprintf("%.5f", share))
    }
    if (drawn > before) printf "\n" > file
  }
}

# Spread the waits of an instance between two samples over the intervals between them; between phases there are no requests. Adds to
# waits[p, k], and the known time to known[p, k].
function time_spread(from, to, count, waits, known,    p, k, active, share, length_of_one) {
  for (p = 1; p <= phases; p++) if (intervals[p]) active += overlap(from, to, phase_from[p], phase_to[p])
  if (active <= 0) return
  for (p = 1; p <= phases; p++) {
    if (!intervals[p] || overlap(from, to, phase_from[p], phase_to[p]) <= 0) continue
    # Intervals have roughly the same length; one of microseconds has length 0 as written.
    length_of_one = interval[p, 1, "to"] - interval[p, 1, "from"]
    k = length_of_one > 0 ? int((from - phase_from[p]) / length_of_one) : 1
    if (k < 1) k = 1
    if (k > intervals[p]) k = intervals[p]
    while (k > 1 && interval[p, k, "from"] > from) k--
    for (; k <= intervals[p] && interval[p, k, "from"] < to; k++) {
      share = overlap(from, to, interval[p, k, "from"], interval[p, k, "to"])
      if (share <= 0) continue
      waits[p, k] += count * share / active
      known[p, k] += share
    }
  }
}

function time_first_row(g, v,    p) {
  for (p = 1; p <= phases; p++) if (cell_rows[p, g, v]) return row_of[p, g, v, 1]
}

# How far the server's clock is ahead of the clients', in us: 0, unless the marks of its counters contradict that. A phase starts after the
# mark before it and ends before the mark after it.
function time_ahead(g, v,    p, file, line, f, low, high) {
  file = text_opened(folder[time_first_row(g, v)] "/../server/counters.tsv")
  low = high = ""
  while ((getline line < file) > 0) {
    if (split(line, f, "\t") < 5 || f[2] != "cpus" || f[3] != "time_us") continue
    for (p = 1; p <= phases; p++)
      if (phase[p] == f[1] && intervals[p]) {
        if (low == "" || f[4] - begin - phase_from[p] * 1e6 > low) low = f[4] - begin - phase_from[p] * 1e6
        if (high == "" || f[5] - begin - phase_to[p] * 1e6 < high) high = f[5] - begin - phase_to[p] * 1e6
      }
  }
  close(file)
  return low != "" && low > 0 ? low : high != "" && high < 0 ? high : 0
}

# Returns the requested hit ratio of point G in percent, or nothing.
function time_asked(g,    p, v, r) {
  for (p = 1; p <= phases; p++)
    for (v = 1; v <= variants; v++) {
      if (!cell_rows[p, g, v]) continue
      r = hit_asked[row_of[p, g, v, 1]]
      sub(/%$/, "", r)
      if (r ~ /^[0-9]+(\.[0-9]+)?$/) return r
    }
  return ""
}

# Draw the data of point G.
function time_draw(g,    time, far, v, p, i, n, longest, label, label_count, asked) {
  asked = time_asked(g)
  lowest = asked == "" ? 100 : asked + 0
  time = OUT "/time-" g ".dat"
  far = OUT (asked == "" ? "/far-" : "/hits-") g ".dat"
  fastest = farthest = worst = longest = total = 0
  calm = ""
  events_clear()
  map_clear()
  label_count = 0
  for (v = 1; v <= variants; v++) {
    n = time_read(g, v)
    if (!n) continue
    if (n > longest) longest = n
    ahead = time_ahead(g, v)
    time_throughput(time, v)
    time_far(far, g, v, asked)
    events_series(v)
    events_shift(g, v)
    events_server(g, v)
    shards_draw(g, v)
    plot_point = g
    plot_variant = v
    parts_plot()
    for (p = 1; p <= phases; p++)
      if (intervals[p]) {
        label[++label_count] = sprintf("%.3f\t%d\t%d", phase_from[p], p, v)
        if (phase_to[p] > total) total = phase_to[p]
        i = folder[row_of[p, g, v, 1]] "/" phase[p]
        if (i in each) map_take(v, phase_from[p], each[i])
      }
  }
  # A plot over time requires at least three steps.
  if (longest > 2) {
    i = time_labels(time, label, label_count, total)
    n = i + events_print(time, i)
    i = plot_close(time)
    plot_job("time", "time-" g, "Throughput and p99 over time at " point[g] ", first repeat", i, text_number(fastest, 2), \
      "Two panels over time: operations per second and p99 latency, a line for each variant, with a dotted line at the start of each phase." events_words(), \
      (worst > 0 ? calm " " worst : "1 1000") " " text_number(total, 3) " " n " " event_kinds)
    if (farthest > 0) {
      n = time_labels(far, label, label_count, total)
      i = plot_close(far)
      if (asked == "") plot_job("lines", "far-" g, "Waits for far memory over time at " point[g] ", first repeat", i, text_number(farthest, 5), \
        "How often an instance waited for a page from swap, for each operation over time, a line for each variant, with a dotted line at the start of each phase.", text_number(total, 3) " " n " Waits for a page from swap per operation")
      else plot_job("hits", "hits-" g, "Hit ratio over time at " point[g] ", first repeat", i, text_number(lowest, 2), \
        "The part of the operations that DRAM served over time, a line for each variant, with a dashed line at the requested hit ratio and a dotted line at the start of each phase.", \
        text_number(total, 3) " " n " " asked)
    }
    map_draw(g, label, label_count)
  }
}

# Write where phases start as a block: seconds, row of its label from the top, colour, phase. LABEL[1..n] has their seconds, phases, rows and, if not
# that of the row, colours; the plot shows SPAN seconds. Returns the number of rows: more if a phase is too short for its name.
function time_labels(file, label, n, span,    i, f, row, most, ends) {
  printf "\n\n" > file
  most = 0
  for (i = 1; i <= n; i++) {
    split(label[i], f, "\t")
    for (row = f[3]; (row in ends) && ends[row] > f[1]; row += variants) ;
    # A letter takes about a hundredth of the width.
    ends[row] = f[1] + span * 0.013 * (length(phase[f[2]]) + 1)
    if (row > most) most = row
    printf "%.3f\t%d\t%d\t%s\n", f[1], row, (f[4] ? f[4] : (f[3] - 1) % 7 + 1), plot_text(phase[f[2]]) > file
  }
  return most
}
