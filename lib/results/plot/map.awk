# SPDX-License-Identifier: MIT
# Latency over time as a heat map: requests per second by time and latency, from the interval logs. A side is a variant; another program may take other
# sides. Time has MAP_COLUMNS columns of equal width, latency 20 slots per decade, as `./test --windows each` prints them. In order: map_clear, map_take
# for each phase of a side, map_raster for each side, map_write. map_total (s), map_low, map_high (slots) and map_most (requests per second in a
# slot) are the limits, of all sides together; a program that has its own sets them before map_write. Part of detail.awk.

BEGIN { MAP_COLUMNS = 200 }

function map_clear(    i) {
  for (i in map_intervals) delete map_intervals[i]
  for (i in map_rate) delete map_rate[i]
  for (i in map_covered) delete map_covered[i]
  map_total = map_low = map_high = map_most = 0
}

# Read the intervals of a phase of SIDE, which began at second AT, from FILE.
function map_take(side, at, file,    line, f, n) {
  while ((getline line < file) > 0) {
    if (split(line, f, "\t") < 3 || f[2] <= f[1]) continue
    n = ++map_intervals[side]
    map_from[side, n] = at + f[1]
    map_to[side, n] = at + f[2]
    map_slots[side, n] = f[3]
    if (at + f[2] > map_total) map_total = at + f[2]
  }
  close(file)
}

# Spread the intervals of SIDE over the columns. A column without an interval has no data.
function map_raster(side,    width, i, c, k, n, slot, part, share, taken) {
  width = map_total / MAP_COLUMNS
  for (i = 1; i <= map_intervals[side]; i++) {
    n = split(map_slots[side, i], slot, " ")
    for (c = int(map_from[side, i] / width); c < MAP_COLUMNS && c * width < map_to[side, i]; c++) {
      taken = (map_to[side, i] < (c + 1) * width ? map_to[side, i] : (c + 1) * width) - (map_from[side, i] > c * width ? map_from[side, i] : c * width)
      map_covered[side, c] += taken
      share = taken / (map_to[side, i] - map_from[side, i])
      for (k = 1; k <= n; k++) {
        split(slot[k], part, ":")
        map_rate[side, c, part[1] + 0] += share * part[2]
        if (!map_high || part[1] < map_low) map_low = part[1] + 0
        if (part[1] >= map_high) map_high = part[1] + 1
      }
    }
  }
  for (c = 0; c < MAP_COLUMNS; c++)
    for (k = map_low; k < map_high; k++)
      if ((side, c, k) in map_rate) {
        # Seconds that are hardly measured say little of a rate.
        if (map_covered[side, c] < width / 4) delete map_rate[side, c, k]
        else {
          map_rate[side, c, k] /= map_covered[side, c]
          if (map_rate[side, c, k] > map_most) map_most = map_rate[side, c, k]
        }
      }
}

# Write the map of SIDE, or with BASE what SIDE has more than it: seconds, log10 of the latency in us, requests per second, or `-` without data.
function map_write(file, side, base,    width, c, k, rate) {
  width = map_total / MAP_COLUMNS
  for (c = 0; c < MAP_COLUMNS; c++)
    for (k = map_low; k < map_high; k++) {
      rate = "-"
      if (map_known(side, c, width) && (base == "" || map_known(base, c, width)))
        rate = sprintf("%.6g", map_rate[side, c, k] - (base == "" ? 0 : map_rate[base, c, k]))
      printf "%.4f\t%.3f\t%s\n", (c + 0.5) * width, (k + 0.5) / 20 - 3, rate > file
    }
}

function map_known(side, column, width) {
  return map_covered[side, column] >= width / 4
}

# The limits for map.gp: seconds, log10 of the lowest and of the highest latency in us.
function map_limits() {
  return sprintf("%.3f %.3f %.3f", map_total, map_low / 20 - 3, map_high / 20 - 3)
}

# Draw a map for each variant at point G and, in a comparison, of what it has more than its base. LABEL[1..n], as time_labels takes them.
function map_draw(g, label, n,    v) {
  for (v = 1; v <= variants; v++) if (map_intervals[v]) map_raster(v)
  for (v = 1; v <= variants; v++) {
    map_plot(g, label, n, v, v)
    if (base_name[variant[v]] != "" && plot_base(v) != v) map_plot(g, label, n, v, plot_base(v))
  }
}

# Draw the map of variant V, or if B is another one, of their difference, with the starts of phases and the events of V.
function map_plot(g, label, n, v, b,    i, f, file, name, rows, drawn, own, owned) {
  if (map_intervals[v] < 3 || map_intervals[b] < 3 || !map_most) return
  name = "map-" g "-" v (b == v ? "" : "-" b)
  file = OUT "/" name ".dat"
  plot_block(file, v)
  map_write(file, v, b == v ? "" : b)
  for (i = 1; i <= n; i++) if (split(label[i], f, "\t") && f[3] == v) own[++owned] = f[1] "\t" f[2] "\t1"
  rows = time_labels(file, own, owned, total)
  drawn = events_print(file, rows, v)
  plot_close(file)
  plot_job("map", name, "Latency over time, " variant[v] (b == v ? "" : " minus " variant[b]) " at " point[g] ", first repeat", text_number(map_most, 3), b != v, \
    (b == v ? "Heat map of time and latency; the colour is the number of requests per second in a twentieth of a decade of latency, with the same scale for all variants. White is no request, grey is no data." : \
      "Difference of two heat maps: blue is where " variant[v] " has more requests per second, orange where " variant[b] " has. Grey is where one of them has no data.") \
    (drawn ? events_words() : ""), map_limits() " " rows + drawn " " (drawn ? event_kinds : 0))
}
