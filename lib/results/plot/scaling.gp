# SPDX-License-Identifier: MIT
# Throughput by number of instances, one line per variant: the median of repeats, whiskers from the min to the max.
# Arguments: DATA OUTPUT TITLE CORNER VARIANTS UNUSED STYLE. Blocks of DATA, one per variant: instances, median, min, max.

data = ARG1
load ARG7
variants = int(ARG5)
set title ARG3
set label 100 ARG4
set xlabel "Redis instances"
set ylabel "Throughput (thousand operations a second)"
set yrange [0:*]
set offsets graph 0.03, graph 0.03, graph 0.05, 0
do for [kind in "svg png"] {
  if (kind eq "svg") { set terminal svg size 640, 400 dynamic noenhanced font "sans-serif,14" background "#ffffff" } \
  else { set terminal pngcairo size 1280, 800 fontscale 2 linewidth 2 pointscale 2 noenhanced font "sans,10" background "#ffffff" }
  set output ARG2.".".kind
  plot for [v = 1:variants] ARG1 index v - 1 using 1:($2 / 1000):xtic(1) with linespoints lt style[v] title name[v], \
    for [v = 1:variants] ARG1 index v - 1 using 1:($2 / 1000):($3 / 1000):($4 / 1000) with yerrorbars lt style[v] dt 1 lw 1.2 notitle
  unset output
}
