# SPDX-License-Identifier: MIT
# Latency of every thread of one variant as a heat map: a thread whose instance is slow stands out as a column that is higher.
# Arguments: DATA OUTPUT TITLE CORNER THREADS UNUSED STYLE. DATA: thread, log10 of the latency in us, % of the thread's requests.

data = ARG1
load ARG7
set title ARG3
set label 100 ARG4
set xlabel "Thread (colour: % of the thread's requests, log scale)"
set ylabel "Latency (log scale)"
set logscale cb
set cbrange [0.001:100]
set cbtics ("0.001" 0.001, "0.01" 0.01, "0.1" 0.1, "1" 1, "10" 10, "100" 100)
# Light to dark throughout, so that it is readable in grey.
set palette defined (0 "#f7fbff", 1 "#deebf7", 2 "#c6dbef", 3 "#9ecae1", 4 "#6baed6", 5 "#4292c6", 6 "#2171b5", 7 "#08519c", 8 "#08306b")
eval "set ytics (".latency_log_tics.")"
set yrange [*:*] noextend
set xrange [-0.5:int(ARG5) - 0.5]
set grid front ytics
set xtics 1
if (int(ARG5) > 16) { set xtics autofreq }
set rmargin at screen 0.84
# Space for the name in the corner below a long label.
set bmargin 4.8
unset key
do for [kind in "svg png"] {
  if (kind eq "svg") { set terminal svg size 640, 400 dynamic noenhanced font "sans-serif,14" background "#ffffff" } \
  else { set terminal pngcairo size 1280, 800 fontscale 2 linewidth 2 pointscale 2 noenhanced font "sans,10" background "#ffffff" }
  set output ARG2.".".kind
  plot ARG1 using 1:2:(0.5):(1.0 / 24):3 with boxxyerror fs solid 1 noborder lc palette
  unset output
}
