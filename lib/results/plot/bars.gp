# SPDX-License-Identifier: MIT
# Bars of the variants' throughput, or p99 latency (OUTPUT is tail-N), one group per point: the median of repeats, and whiskers. Also bars of search
# results, one group per limit: rates (limits-N-N), shares of DRAM (sizes-N-N).
# Arguments: DATA OUTPUT TITLE CORNER VARIANTS GROUPS STYLE PLACES. Blocks of DATA, one per variant: position, median, ends of the whisker, label;
# then a block with the position and name of each group. PLACES is the max number of bars in a group.

data = ARG1
load ARG7
variants = int(ARG5)
groups = int(ARG6)
set title ARG3
set label 100 ARG4
tail = strstrt(ARG2, "/tail-") > 0
share = strstrt(ARG2, "/sizes-") > 0
# As the labels of an axis, 5 s is easier to read than 5e+06.
stats data index 0:(variants - 1) using ($4 > $2 ? $4 : $2) nooutput name "end"
ms = tail && end_max >= 10000
seconds = tail && end_max >= 2000000
set ylabel tail ? "p99 latency (".(seconds ? "s" : ms ? "ms" : "µs").")" : share ? "Share of DRAM (%)" : "Throughput (thousand operations per second)"
unit = seconds ? 1000000 : ms || !tail && !share ? 1000 : 1
set yrange [0:*]
set offsets 0, 0, graph 0.08, 0
set xrange [0.4:groups + 0.6]
width = 0.8 / ARG8
set boxwidth width * 0.94
set xtics noenhanced
if (groups > 4) { set xtics rotate by -35 font ",11" }
# Many groups use the whole width of a page.
size_x = groups * variants > 16 ? 1280 : 640
do for [kind in "svg png"] {
  if (kind eq "svg") { set terminal svg size size_x, 400 dynamic noenhanced font "sans-serif,14" background "#ffffff" } \
  else { set terminal pngcairo size 2 * size_x, 800 fontscale 2 linewidth 2 pointscale 2 noenhanced font "sans,10" background "#ffffff" }
  set output ARG2.".".kind
  plot for [v = 1:variants] ARG1 index v - 1 using 1:($2 / unit) with boxes dt 1 lw 1 lc rgb colour[style[v]] title name[v], \
    for [v = 1:variants] ARG1 index v - 1 using 1:($3 / unit):(0):(($4 - $3) / unit) with vectors heads size screen 0.006, 90 lc rgb "#222222" dt 1 lw 1.4 notitle, \
    for [v = 1:variants] ARG1 index v - 1 using 1:($4 / unit):5 with labels offset 0, 0.8 font groups * variants > 8 ? ",8" : ",11" notitle, \
    ARG1 index variants using 1:(0):xtic(2) with points ps 0 notitle
  unset output
}
