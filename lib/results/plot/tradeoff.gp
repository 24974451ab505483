# SPDX-License-Identifier: MIT
# Throughput against p99 latency, one mark per point and one line per variant.
# Arguments: DATA OUTPUT TITLE CORNER VARIANTS LEAST STYLE MOST. Blocks of DATA, one per variant: ops/s, p99 in us, and the name of the point in one
# of two columns, `-` in the other: names are above and below in turn, because points may be close to each other.
# LEAST is the lowest p99, MOST the highest as a multiple of it.

data = ARG1
load ARG7
label(text) = text eq "-" ? "" : text
variants = int(ARG5)
set title ARG3
set label 100 ARG4
set xlabel "Throughput (thousand operations per second)"
set ylabel "p99 latency (log scale)"
set logscale y
eval "set ytics (".latency_tics.")"
set grid xtics
set yrange [ARG6 / 2.0:ARG6 * ARG8 * 2.0]
set xrange [0:*]
set offsets 0, graph 0.06, 0, 0
do for [kind in "svg png"] {
  if (kind eq "svg") { set terminal svg size 640, 400 dynamic noenhanced font "sans-serif,14" background "#ffffff" } \
  else { set terminal pngcairo size 1280, 800 fontscale 2 linewidth 2 pointscale 2 noenhanced font "sans,10" background "#ffffff" }
  set output ARG2.".".kind
  plot for [v = 1:variants] ARG1 index v - 1 using ($1 / 1000):2 with linespoints lt style[v] title name[v], \
    for [v = 1:variants] for [side = 0:1] ARG1 index v - 1 using ($1 / 1000):2:(label(strcol(3 + side))) with labels left offset 0.7, (side ? -0.6 : 0.6) font ",9" tc rgb "#444444" notitle
  unset output
}
