# SPDX-License-Identifier: MIT
# The node that serves each shard of a cluster over time, one plot per variant at one point. Part of detail.awk; time.awk has read the phases
# and their times, events.awk the steps of a fault.

# Read the node of each instance from server/cluster.tsv. Returns the number of instances.
function shards_nodes(file, node_of,    line, f, n) {
  while ((getline line < file) > 0) {
    if (split(line, f, "\t") < 4 || f[1] !~ /^[0-9]+$/ || f[2] !~ /^[0-9]+$/) continue
    node_of[f[1]] = f[2] + 0
    n++
  }
  close(file)
  return n
}

# End the strip of a shard, and begin another strip at FROM in the colour of NODE; 0: no answers.
function shards_turn(shard, from, node) {
  if (strip_node[shard] > 0) strips[strip_node[shard]] = strips[strip_node[shard]] sprintf("%.3f\t%.3f\t%d\n", strip_from[shard], strip_to[shard], shard)
  if (node > 0 && strip_last[shard] > 0 && strip_last[shard] != node) strip_turns++
  if (node > 0) strip_last[shard] = node
  strip_node[shard] = node
  strip_from[shard] = from
}

# Draw the shards of variant V at point G, with the times that time_read has set.
function shards_draw(g, v,    r, p, i, file, line, f, n, from, to, last, node, node_of, shards, most, seen, rows, nodes, words) {
  r = time_first_row(g, v)
  if (r == "" || !shards_nodes(text_opened(folder[r] "/../server/cluster.tsv"), node_of)) return
  for (i in strips) delete strips[i]
  for (i in strip_node) delete strip_node[i]
  for (i in strip_last) delete strip_last[i]
  strip_turns = shards = most = 0
  for (p = 1; p <= phases; p++)
    for (i = 1; i <= cell_rows[p, g, v]; i++) {
      r = row_of[p, g, v, i]
      if (repeat[r] != repeat[row_of[p, g, v, 1]]) continue
      for (n in last) delete last[n]
      file = text_opened(folder[r] "/" phase[p] ".shards.tsv")
      while ((getline line < file) > 0) {
        if (split(line, f, "\t") < 5 || f[1] !~ /^[0-9.]+$/ || f[2] !~ /^[0-9]+$/) continue
        from = phase_from[p] + (f[2] in last ? last[f[2]] : 0)
        to = phase_from[p] + f[1]
        last[f[2]] = f[1]
        n = f[3]
        sub(/^.*:/, "", n)
        node = f[4] > 0 ? node_of[n] : 0
        if (!(f[2] in seen)) shards++
        if (++seen[f[2]] > most) most = seen[f[2]]
        if (strip_node[f[2]] != node || strip_to[f[2]] != from) shards_turn(f[2], from, node)
        strip_to[f[2]] = to
      }
      close(file)
    }
  # A plot over time requires at least three steps.
  if (most < 3) return
  for (i in seen) shards_turn(i, 0, 0)
  file = OUT "/shards-" g "-" v ".dat"
  for (node in strips) if (node + 0 > nodes) nodes = node + 0
  for (node = 1; node <= nodes; node++) {
    if (!(node in strips)) continue
    plot_block_as(file, node, "node " node)
    printf "%s", strips[node] > file
  }
  rows = shards_labels(file, v)
  n = plot_close(file)
  words = "A strip for each of " shards " shards over time, in the colour of the node that serves it, and white where nothing was answered. Shards came to another node " \
    strip_turns (strip_turns == 1 ? " time." : " times.")
  plot_job("shards", "shards-" g "-" v, "Which node serves which shard, " variant[v] " at " point[g] ", first repeat", n, shards, words, \
    text_number(events_end, 3) " " rows)
}

# Write the starts of phases and the steps of a fault as a block: seconds, row of the label, text. Each kind is named where it is first seen.
# Returns the number of rows.
function shards_labels(file, v,    p, i, n, e, f, at, text, kind, row, ends, named, most) {
  for (p = 1; p <= phases; p++) if (intervals[p]) { at[++n] = phase_from[p]; text[n] = phase[p] }
  for (e = 1; e <= events; e++) {
    if (event_of[e] != v) continue
    split(event_at[e], f, "\t")
    kind = event_name[f[2]]
    if (kind !~ /^(node down|taken over|not taken over|node up|resync ends|failed back|not failed back)$/ || kind in named) continue
    named[kind] = 1
    at[++n] = f[1]; text[n] = kind
  }
  for (i = 2; i <= n; i++)
    for (p = i; p > 1 && at[p - 1] > at[p]; p--) {
      e = at[p]; at[p] = at[p - 1]; at[p - 1] = e
      e = text[p]; text[p] = text[p - 1]; text[p - 1] = e
    }
  printf "\n\n" > file
  for (i = 1; i <= n; i++) {
    # A letter takes about a hundredth of the width.
    for (row = 1; (row in ends) && ends[row] > at[i]; row++) ;
    ends[row] = at[i] + events_end * 0.013 * (length(text[i]) + 1)
    if (row > most) most = row
    printf "%.3f\t%d\t%s\n", at[i], row, plot_text(text[i]) > file
  }
  return most
}
