# SPDX-License-Identifier: MIT
# Shared by all plots. The plot sets `data` to its data file first. Colours are Okabe and Ito's, which are distinguishable with colour
# blindness; dashes, marks and lightness distinguish them in grey.

set encoding utf8
set datafile separator "\t"
set datafile missing "NaN"
set datafile commentschars "\001"
set termoption noenhanced

array colour[7] = ["#0072B2", "#E69F00", "#009E73", "#CC79A7", "#56B4E9", "#D55E00", "#000000"]
set linetype 1 lc rgb colour[1] lw 2.2 pt 7 ps 0.9 dt 1
set linetype 2 lc rgb colour[2] lw 2.2 pt 5 ps 0.9 dt (9, 4)
set linetype 3 lc rgb colour[3] lw 2.2 pt 9 ps 1.0 dt (3, 3)
set linetype 4 lc rgb colour[4] lw 2.2 pt 11 ps 1.0 dt (10, 3, 3, 3)
set linetype 5 lc rgb colour[5] lw 2.2 pt 13 ps 1.0 dt (16, 4)
set linetype 6 lc rgb colour[6] lw 2.2 pt 3 ps 0.9 dt (5, 3)
set linetype 7 lc rgb colour[7] lw 2.2 pt 2 ps 0.9 dt 1

set border 3 lc rgb "#444444"
set tics nomirror out
set grid ytics lc rgb "#d8d8d8" lt 1 lw 0.7
set style fill solid 0.9 border lc rgb "#333333"
set title noenhanced offset 0,0.3
set key outside bottom center horizontal noenhanced samplen 4 height 0.4
# The run's name, so that a copied plot still names its source.
set label 100 at screen 0.99, 0.025 right noenhanced tc rgb "#555555" font ",9"

# Labels for ticks of a latency in microseconds: 1, 2, 5, 10 ..., also for the logarithm of the latency.
latency_tics = ""
latency_log_tics = ""
do for [power = 0:9] {
  unit = power < 3 ? "µs" : power < 6 ? "ms" : "s"
  scale = 10.0 ** (power < 3 ? 0 : power < 6 ? 3 : 6)
  do for [step in "1 2 5"] {
    us = step * 10.0 ** power
    latency_tics = latency_tics.sprintf('%s"%g %s" %g', strlen(latency_tics) ? ", " : "", us / scale, unit, us)
    latency_log_tics = latency_log_tics.sprintf('%s"%g %s" %.4f', strlen(latency_log_tics) ? ", " : "", us / scale, unit, log10(us))
  }
}

# The variants of this plot, one line each: the number of its colour, which is the same in all plots, and its name. Read as data, so that no
# name is ever read as a command.
stats data.".names" using 0 nooutput
array style[STATS_records]
array name[STATS_records]
stats data.".names" using (style[int($0) + 1] = int($1), name[int($0) + 1] = strcol(2), 1) nooutput
