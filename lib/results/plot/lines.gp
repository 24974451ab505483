# SPDX-License-Identifier: MIT
# A figure over time, one line per variant or other name, from the start of its first phase. A dotted line is the start of a phase.
# Arguments: DATA OUTPUT TITLE CORNER LINES MOST STYLE NUMBERS. Blocks of DATA, one per line: seconds, figure; then the starts of
# phases: seconds, row, colour, phase. MOST is the highest of the figures; NUMBERS are the last second, the rows of labels, and the name of the figure.

data = ARG1
load ARG7
variants = int(ARG5)
row = 0.066
set title ARG3
set label 100 ARG4
set xlabel "Seconds since the start of the first phase"
set ylabel ARG8[strlen(word(ARG8, 1)) + strlen(word(ARG8, 2)) + 3:*]
set xrange [0:word(ARG8, 1) * 1.01]
set yrange [0:ARG6 * 1.05 / (1 - row * word(ARG8, 2))]
set y2range [0:1]
do for [kind in "svg png"] {
  if (kind eq "svg") { set terminal svg size 640, 400 dynamic noenhanced font "sans-serif,14" background "#ffffff" } \
  else { set terminal pngcairo size 1280, 800 fontscale 2 linewidth 2 pointscale 2 noenhanced font "sans,10" background "#ffffff" }
  set output ARG2.".".kind
  plot for [v = 1:variants] ARG1 index v - 1 using 1:2 with lines lt style[v] title name[v], \
    ARG1 index variants using 1:(0):(0):(1):3 axes x1y2 with vectors nohead lw 1 dt 3 lc variable notitle, \
    ARG1 index variants using 1:(1.03 - row * $2):4:3 axes x1y2 with labels left offset 0.3, 0 font ",9" tc variable notitle
  unset output
}
