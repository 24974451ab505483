# SPDX-License-Identifier: MIT
# The hit ratio over time, one line per variant, from the start of its first phase. A dotted line is the start of a phase, a dashed line the
# requested hit ratio.
# Arguments: DATA OUTPUT TITLE CORNER VARIANTS LOWEST STYLE NUMBERS. Blocks of DATA, one per variant: seconds, percent; then the starts of phases:
# seconds, row, colour, phase. LOWEST is the lowest of the figures; NUMBERS are the last second, the rows of labels, and the requested
# hit ratio in percent.

data = ARG1
load ARG7
variants = int(ARG5)
row = 0.066
asked = word(ARG8, 3) + 0
low = int(ARG6 / 10) * 10
set title ARG3
set label 100 ARG4
set xlabel "Seconds since the start of the first phase"
set ylabel "Operations that DRAM served, %"
set xrange [0:word(ARG8, 1) * 1.01]
set yrange [low:low + (101 - low) / (1 - row * word(ARG8, 2))]
set y2range [0:1]
# Not in the key, which would reach the name of the run.
set label 101 sprintf("requested: %g %%", asked) at graph 0.01, first asked offset 0, 0.6 font ",9" tc rgb "#666666"
set ytics (0, 10, 20, 30, 40, 50, 60, 70, 80, 90, 95, 100)
do for [kind in "svg png"] {
  if (kind eq "svg") { set terminal svg size 640, 400 dynamic noenhanced font "sans-serif,14" background "#ffffff" } \
  else { set terminal pngcairo size 1280, 800 fontscale 2 linewidth 2 pointscale 2 noenhanced font "sans,10" background "#ffffff" }
  set output ARG2.".".kind
  plot for [v = 1:variants] ARG1 index v - 1 using 1:2 with lines lt style[v] title name[v], \
    asked with lines lw 1 dt 2 lc rgb "#666666" notitle, \
    ARG1 index variants using 1:(0):(0):(1):3 axes x1y2 with vectors nohead lw 1 dt 3 lc variable notitle, \
    ARG1 index variants using 1:(1.03 - row * $2):4:3 axes x1y2 with labels left offset 0.3, 0 font ",9" tc variable notitle
  unset output
}
