# SPDX-License-Identifier: MIT
# The node that serves each shard over time: one strip per shard, in the colour of the node, white without answers. A dotted line is the
# start of a phase or a step of a fault.
# Arguments: DATA OUTPUT TITLE CORNER NODES SHARDS STYLE NUMBERS. Blocks of DATA, one per node: from and to in seconds, shard; then the labels:
# seconds, row, text. NUMBERS are the last second and the rows of labels.

data = ARG1
load ARG7
nodes = int(ARG5)
shards = int(ARG6)
rows = int(word(ARG8, 2))
# Heights in points: a strip, the labels above the strips, and what is around both.
strip = shards > 20 ? (360.0 / shards > 4 ? 360.0 / shards : 4) : 18
high = strip * shards + 16 * rows
size_y = 150 + high
row = 16.0 / strip
set title ARG3
set label 100 ARG4
set xlabel "Seconds since the start of the first phase"
set ylabel "Shard"
unset grid
set xrange [0:word(ARG8, 1) * 1.01]
set yrange [shards - 0.5:-0.5 - row * rows]
set ytics 0, (shards > 20 ? 10 : 1), shards - 1
set tmargin at screen 1 - 40.0 / size_y
set bmargin at screen 1 - (40.0 + high) / size_y
set lmargin at screen 0.1
set rmargin at screen 0.97
set key at screen 0.535, 44.0 / size_y center horizontal maxcols auto samplen 2
do for [kind in "svg png"] {
  if (kind eq "svg") { set terminal svg size 640, size_y dynamic noenhanced font "sans-serif,14" background "#ffffff" } \
  else { set terminal pngcairo size 1280, 2 * size_y fontscale 2 linewidth 2 pointscale 2 noenhanced font "sans,10" background "#ffffff" }
  set output ARG2.".".kind
  plot for [n = 1:nodes] ARG1 index n - 1 using (($1 + $2) / 2):3:1:2:($3 - 0.4):($3 + 0.4) with boxxyerror fs solid 0.9 noborder lt style[n] title name[n], \
    ARG1 index nodes using 1:(-0.5 - row * rows):(0):(shards + row * rows) with vectors nohead lw 1 dt 3 lc rgb "#222222" notitle, \
    ARG1 index nodes using 1:(-0.5 - row * (rows - $2 + 0.5)):3 with labels left offset 0.3, 0 font ",9" tc rgb "#222222" notitle
  unset output
}
