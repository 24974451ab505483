# SPDX-License-Identifier: MIT
# Latency by load, or by share of DRAM, one line per variant, from the steps of searches; dashed lines are limits, marks are answers.
# Arguments: DATA OUTPUT TITLE CORNER VARIANTS LIMITS STYLE NUMBERS. Blocks of DATA, one per variant: load, us; then the answers: load, limit in us,
# size of the mark. LIMITS are in us, `-` for none; NUMBERS are the lowest and the highest figure, `rate`, `connections` or `share`, and the figure:
# `far` for far accesses per operation instead of latency.

data = ARG1
load ARG7
variants = int(ARG5)
by_rate = word(ARG8, 3) eq "rate"
scale = by_rate ? 1000.0 : 1.0
set title ARG3
set label 100 ARG4
by_share = word(ARG8, 3) eq "share"
far = word(ARG8, 4) eq "far"
set xlabel by_share ? "Share of DRAM (%)" : by_rate ? "Requests (thousand a second)" : "Connections of each thread"
set ylabel far ? "Far accesses an operation (log scale)" : "Latency (log scale)"
set logscale y
if (!far) { eval "set ytics (".latency_tics.")" }
set grid xtics
if (by_share) { set xrange [100:0] } else { set xrange [0:*] }
set yrange [word(ARG8, 1) / 1.5:word(ARG8, 2) * 1.5]
limits = ARG6 eq "-" ? "" : ARG6
do for [l = 1:words(limits)] {
  set arrow l from graph 0, first word(limits, l) to graph 1, first word(limits, l) nohead dt 2 lw 1.2 lc rgb "#444444"
}
do for [kind in "svg png"] {
  if (kind eq "svg") { set terminal svg size 640, 400 dynamic noenhanced font "sans-serif,14" background "#ffffff" } \
  else { set terminal pngcairo size 1280, 800 fontscale 2 linewidth 2 pointscale 2 noenhanced font "sans,10" background "#ffffff" }
  set output ARG2.".".kind
  plot for [v = 1:variants] ARG1 index v - 1 using ($1 / scale):2 with lines lt style[v] title name[v], \
    ARG1 index variants using ($1 / scale):2:3 with points pt 6 ps variable lw 2 lc rgb "#000000" notitle
  unset output
}
