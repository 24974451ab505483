# SPDX-License-Identifier: MIT
# Throughput and p99 over time, a line a variant, from the start of its first phase. A vertical line is the end of a phase;
# a cross on the upper edge is an interval in which requests failed.
# Arguments: DATA OUTPUT TITLE CORNER VARIANTS MOST STYLE RANGE. Blocks of DATA, two a variant: seconds, ops/s, p99 in us, errors;
# then the ends of its phases: seconds, phase. MOST is the highest ops/s, RANGE the
# lowest and the highest p99.

data = ARG1
load ARG7
variants = int(ARG5)
most = ARG6 / 1000.0 * 1.08
set label 100 ARG4
do for [kind in "svg png"] {
  if (kind eq "svg") { set terminal svg size 640, 520 dynamic noenhanced font "sans-serif,14" background "#ffffff" } \
  else { set terminal pngcairo size 1280, 1040 fontscale 2 linewidth 2 pointscale 2 noenhanced font "sans,10" background "#ffffff" }
  set output ARG2.".".kind
  set multiplot
  set lmargin at screen 0.17
  set rmargin at screen 0.97
  set tmargin at screen 0.85
  set bmargin at screen 0.54
  set title ARG3 offset 0, 1.6
  set key at screen 0.54, screen 0.9 center horizontal
  set ylabel "Thousand ops/s"
  unset xlabel
  set format x ""
  unset logscale
  set xrange [0:*]
  set yrange [0:most]
  set ytics auto
  plot for [v = 1:variants] ARG1 index 2 * v - 2 using 1:($2 / 1000) with lines lt (v - 1) % 7 + 1 title name[v], \
    for [v = 1:variants] ARG1 index 2 * v - 2 using 1:($4 > 0 ? most * 0.98 : -most) with points pt 2 ps 1 lw 2 lc rgb "#D55E00" notitle, \
    for [v = 1:variants] ARG1 index 2 * v - 1 using 1:(0):(0):(most) with vectors nohead lw 1 dt 3 lc rgb colour[(v - 1) % 7 + 1] notitle, \
    for [v = 1:variants] ARG1 index 2 * v - 1 using 1:(most * (1.04 - 0.08 * v)):2 with labels right offset -0.3, 0 font ",9" tc rgb colour[(v - 1) % 7 + 1] notitle
  x_high = GPVAL_X_MAX
  unset title
  unset key
  set tmargin at screen 0.5
  set bmargin at screen 0.16
  set format x "%g"
  set xlabel "Seconds since the start of the first phase"
  set ylabel "p99 latency (log scale)"
  set logscale y
  set xrange [0:x_high]
  set yrange [word(ARG8, 1) / 1.5:word(ARG8, 2) * 1.5]
  eval "set ytics (".latency_tics.")"
  plot for [v = 1:variants] ARG1 index 2 * v - 2 using 1:3 with lines lt (v - 1) % 7 + 1 notitle
  unset multiplot
  unset output
}
