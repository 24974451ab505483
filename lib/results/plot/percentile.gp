# SPDX-License-Identifier: MIT
# Latency by percentile, one line per variant, over all clients: the median of its repeats; each further nine has the same width.
# Arguments: DATA OUTPUT TITLE CORNER VARIANTS NINES STYLE. Blocks of DATA, one per variant: 1/(1-p), latency in us; then, one per variant:
# 1/(1-p), the min and the max of its repeats.

data = ARG1
load ARG7
variants = int(ARG5)
set title ARG3
set label 100 ARG4
set xlabel "Share of requests that were at least as fast"
set ylabel "Latency (log scale)"
set logscale xy
set xrange [1:10 ** ARG6]
set xtics ("50 %%" 2, "90 %%" 10, "99 %%" 100, "99.9 %%" 1e3, "99.99 %%" 1e4, "99.999 %%" 1e5, "99.9999 %%" 1e6, "99.99999 %%" 1e7)
if (ARG6 > 6) { set xtics font ",10" }
eval "set ytics (".latency_tics.")"
set grid xtics
set yrange [*:*] noextend
do for [kind in "svg png"] {
  if (kind eq "svg") { set terminal svg size 640, 400 dynamic noenhanced font "sans-serif,14" background "#ffffff" } \
  else { set terminal pngcairo size 1280, 800 fontscale 2 linewidth 2 pointscale 2 noenhanced font "sans,10" background "#ffffff" }
  set output ARG2.".".kind
  plot for [v = 1:variants] ARG1 index variants + v - 1 using 1:2:3 with filledcurves fs transparent solid 0.25 noborder fc rgb colour[style[v]] notitle, \
    for [v = 1:variants] ARG1 index v - 1 using 1:2 with lines lt style[v] title name[v]
  unset output
}
