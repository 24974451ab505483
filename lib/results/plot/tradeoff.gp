# SPDX-License-Identifier: MIT
# Throughput, or memory (frontier-N), against p99 latency: one mark per point, one line per variant, and dashed limits.
# Arguments: DATA OUTPUT TITLE CORNER VARIANTS LEAST STYLE NUMBERS. Blocks of DATA, one per variant: the figure (ops/s, MiB of DRAM, or cost), p99 in us,
# and the name of the point in one of two columns, `-` in the other: names are above and below in turn, because points may be close to each other.
# Then, if there are any, the limits in us. LEAST is the lowest p99; NUMBERS are the highest as a multiple of it, the number of limits, and ops, dram or
# cost.

data = ARG1
load ARG7
label(text) = text eq "-" ? "" : text
variants = int(ARG5)
figure = word(ARG8, 3)
unit = figure eq "ops" ? 1000 : 1
set title ARG3
set label 100 ARG4
set xlabel figure eq "ops" ? "Throughput (thousand operations per second)" : figure eq "dram" ? "DRAM of the instances (MiB)" : \
  "Cost of memory for 1,000 operations per second"
set ylabel "p99 latency (log scale)"
set logscale y
eval "set ytics (".latency_tics.")"
set grid xtics
set yrange [ARG6 / 2.0:ARG6 * word(ARG8, 1) * 2.0]
set xrange [0:*]
set x2range [0:1]
set offsets 0, graph 0.06, 0, 0
drawing = "plot for [v = 1:variants] ARG1 index v - 1 using ($1 / unit):2 with linespoints lt style[v] title name[v], ". \
  "for [v = 1:variants] for [side = 0:1] ARG1 index v - 1 using ($1 / unit):2:(label(strcol(3 + side))) with labels left offset 0.7, (side ? -0.6 : 0.6) ". \
  "font ',9' tc rgb '#444444' notitle"
if (word(ARG8, 2) > 0) {
  drawing = drawing.", ARG1 index variants using (0):1:(1):(0) axes x2y1 with vectors nohead lw 1.2 dt (6, 4) lc rgb '#8a3a00' title 'limit'"
}
do for [kind in "svg png"] {
  if (kind eq "svg") { set terminal svg size 640, 400 dynamic noenhanced font "sans-serif,14" background "#ffffff" } \
  else { set terminal pngcairo size 1280, 800 fontscale 2 linewidth 2 pointscale 2 noenhanced font "sans,10" background "#ffffff" }
  set output ARG2.".".kind
  eval drawing
  unset output
}
