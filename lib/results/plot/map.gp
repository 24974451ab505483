# SPDX-License-Identifier: MIT
# Latency over time as a heat map, and what one side has more than another. A dotted line is the start of a phase; marks above the map are events.
# Arguments: DATA OUTPUT TITLE CORNER MOST DIFFERENCE STYLE NUMBERS. Blocks of DATA: seconds, log10 of the latency in us, requests per second or `-`
# without data; the starts of phases: seconds, row, colour, phase; then, if there are any, events: seconds, kind, row, colour. MOST is the highest number of
# requests per second, and with DIFFERENCE (1) the largest difference. NUMBERS are the last second, log10 of the lowest and of the highest latency, the
# rows of labels and events, and the kinds of events, whose names are the lines of DATA.events. Maps with equal MOST and NUMBERS have equal scales.

data = ARG1
load ARG7
most = ARG5 + 0
difference = int(ARG6)
total = word(ARG8, 1) + 0
low = word(ARG8, 2) + 0
high = word(ARG8, 3) + 0
rows = int(word(ARG8, 4))
kinds = int(word(ARG8, 5))
array shape[24] = [2, 8, 10, 4, 6, 12, 1, 3, 14, 9, 11, 5, 7, 13, 15, 2, 8, 10, 4, 6, 12, 1, 3, 14]
array event[24]
if (kinds > 0) { stats data.".events" using (event[int($0) + 1] = strcol(1), 1) nooutput }
# The colour of a number of requests: 0 is white, and a single slow one differs from it.
colour_of(n) = n == 0 ? 0 : sgn(n) * (0.15 + 0.85 * (abs(n) >= most ? 1 : log10(1 + abs(n)) / log10(1 + most)))
nothing = difference ? -1.2 : -0.2
colour_at(s) = s eq "-" ? nothing : colour_of(real(s))
# Light to dark, so that it is readable in grey; grey itself is no data.
if (difference) {
  set palette defined (-1.2 "#c9c9c9", -1.1 "#c9c9c9", -1.1 "#7f2704", -0.6 "#d94801", -0.14 "#fdd0a2", -0.1 "#ffffff", 0.1 "#ffffff", 0.14 "#c6dbef", 0.6 "#2171b5", 1 "#08306b")
} else {
  set palette defined (-0.2 "#c9c9c9", -0.1 "#c9c9c9", -0.1 "#ffffff", 0.1 "#ffffff", 0.14 "#c6dbef", 0.4 "#6baed6", 0.7 "#2171b5", 1 "#08306b")
}
set palette maxcolors 240
set cbrange [nothing:1]
set cbtics ("no data" nothing + 0.05, "0" 0)
do for [power = 0:9:most > 1e4 ? 2 : 1] {
  if (10 ** power <= most) {
    set cbtics add (sprintf("%s%.0f", difference ? "+" : "", 10.0 ** power) colour_of(10.0 ** power))
    if (difference) { set cbtics add (sprintf("-%.0f", 10.0 ** power) colour_of(-10.0 ** power)) }
  }
}
set cblabel difference ? "Requests per second more" : "Requests per second" offset 0, 0
# Marks and labels above the map have separate rows, counted from the top: shares of the height of the panel. Sizes are in points.
panel = 270.0 + 16 * rows
row_y(n) = 1.03 - 16 / panel * n
key_high = kinds > 0 ? 20 * int((kinds + 1) / 2) + 8 : 0
size_y = 130 + panel + key_high
from_top(y) = 1 - 1.0 * y / size_y
set label 100 ARG4
set title ARG3
set key at screen 0.5, (key_high + 16.0) / size_y center top horizontal maxcols 2 samplen 1
set lmargin at screen 0.14
set rmargin at screen 0.77
set tmargin at screen from_top(50)
set bmargin at screen from_top(50 + panel)
set xlabel "Seconds since the start of the first phase"
set ylabel "Latency (log scale)"
set xrange [0:total]
set yrange [low:low + (high - low) * panel / 270]
set y2range [0:1]
set arrow 1 from 0, high to total, high nohead lc rgb "#d8d8d8"
eval "set ytics (".latency_log_tics.")"
set grid front ytics
plots = "plot ARG1 index 0 using 1:2:(colour_at(strcol(3))) with image notitle, ". \
  "ARG1 index 1 using 1:(0):(0):(1) axes x1y2 with vectors nohead lw 1 dt 3 lc rgb '#444444' notitle, ". \
  "ARG1 index 1 using 1:(row_y($2)):4 axes x1y2 with labels left offset 0.3, 0 font ',9' notitle"
if (kinds > 0) {
  plots = plots.", for [k = 1:kinds] ARG1 index 2 using 1:($2 == k ? row_y($3) : NaN) axes x1y2 with points pt shape[k] ps 0.7 lw 1.5 lc rgb '#222222' title event[k]"
}
do for [kind in "svg png"] {
  if (kind eq "svg") { set terminal svg size 640, size_y dynamic noenhanced font "sans-serif,14" background "#ffffff" } \
  else { set terminal pngcairo size 1280, 2 * size_y fontscale 2 linewidth 2 pointscale 2 noenhanced font "sans,10" background "#ffffff" }
  set output ARG2.".".kind
  eval plots
  unset output
}
