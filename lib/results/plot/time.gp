# SPDX-License-Identifier: MIT
# Throughput and p99 over time, one line per variant, from the start of its first phase. A dotted line is the start of a phase;
# marks above the lines, in the colour of their variant, are events.
# Arguments: DATA OUTPUT TITLE CORNER VARIANTS MOST STYLE NUMBERS. Blocks of DATA, one per variant: seconds, ops/s, p99 in us; then the
# starts of phases: seconds, row, colour, phase; then, if there are any, events: seconds, kind, row, colour.
# MOST is the highest ops/s; NUMBERS are the lowest and the highest p99, the last second, the rows of labels and events, and the
# kinds of events, whose names are the lines of DATA.events.

data = ARG1
load ARG7
variants = int(ARG5)
kinds = int(word(ARG8, 5))
array shape[24] = [2, 8, 10, 4, 6, 12, 1, 3, 14, 9, 11, 5, 7, 13, 15, 2, 8, 10, 4, 6, 12, 1, 3, 14]
array event[24]
if (kinds > 0) { stats data.".events" using (event[int($0) + 1] = strcol(1), 1) nooutput }
# Marks and labels above the lines have separate rows, counted from the top: shares of the height of the panel. Sizes are in points.
rows = int(word(ARG8, 4))
high = 182 + (rows > 2 ? 16 * (rows - 2) : 0)
row = 16.0 / high
row_y(n) = 1.035 - row * n
most = ARG6 / 1000.0 * 1.05 / (1 - row * rows)
key_high = kinds > 0 ? 20 * int((kinds + 1) / 2) + 28 : 0
size_y = 338 + high + key_high
from_top(y) = 1 - 1.0 * y / size_y
set label 100 ARG4
# An iteration over nothing still runs once, so optional data comes after the required data.
upper = "plot for [v = 1:variants] ARG1 index v - 1 using 1:($2 / 1000) with lines lt style[v] title name[v], ". \
  "ARG1 index variants using 1:(0):(0):(1):3 axes x1y2 with vectors nohead lw 1 dt 3 lc variable notitle, ". \
  "ARG1 index variants using 1:(row_y($2)):4:3 axes x1y2 with labels left offset 0.3, 0 font ',9' tc variable notitle"
lower = "plot for [v = 1:variants] ARG1 index v - 1 using 1:3 with lines lt style[v] notitle, ". \
  "ARG1 index variants using 1:(0):(0):(1):3 axes x1y2 with vectors nohead lw 1 dt 3 lc variable notitle"
if (kinds > 0) {
  upper = upper.", for [k = 1:kinds] ARG1 index variants + 1 using 1:($2 == k ? row_y($3) : NaN):4 axes x1y2 with points pt shape[k] ps 0.7 lw 1.5 lc variable notitle"
  lower = lower.", for [k = 1:kinds] NaN with points pt shape[k] ps 0.7 lw 1.5 lc rgb '#222222' title event[k]"
}
do for [kind in "svg png"] {
  if (kind eq "svg") { set terminal svg size 640, size_y dynamic noenhanced font "sans-serif,14" background "#ffffff" } \
  else { set terminal pngcairo size 1280, 2 * size_y fontscale 2 linewidth 2 pointscale 2 noenhanced font "sans,10" background "#ffffff" }
  set output ARG2.".".kind
  set multiplot
  set lmargin at screen 0.17
  set rmargin at screen 0.97
  set tmargin at screen from_top(78)
  set bmargin at screen from_top(78 + high)
  set title ARG3 offset 0, 1.6
  set key at screen 0.54, from_top(52) center horizontal maxcols auto samplen 4
  set ylabel "Thousand ops/s"
  unset xlabel
  set format x ""
  unset logscale
  set xrange [0:word(ARG8, 3) * 1.01]
  set yrange [0:most]
  set y2range [0:1]
  set ytics auto
  eval upper
  unset title
  set key at screen 0.5, (key_high - 4.0) / size_y center top horizontal maxcols 2 samplen 1
  set tmargin at screen from_top(99 + high)
  set bmargin at screen from_top(265 + high)
  set format x "%g"
  set xlabel "Seconds since the start of the first phase"
  set ylabel "p99 latency (log scale)"
  set logscale y
  set yrange [word(ARG8, 1) / 1.5:word(ARG8, 2) * 1.5]
  eval "set ytics (".latency_tics.")"
  eval lower
  unset multiplot
  unset output
}
