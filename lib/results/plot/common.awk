# SPDX-License-Identifier: MIT
# Shared by the data of all plots: names as gnuplot reads them, the order of variants, blocks of data, and the line that requests a plot.
# Variants, points and phases get numbers in the reading order.

function plot_text(s) {
  s = text_plain(text_unescape(s))
  # The only character with a meaning for gnuplot in a data file.
  gsub(/"/, "'", s)
  return s
}

# Record the measured variant of the current line, with its rank in VARIANTS, its base if lines name one, its point and its phase.
function plot_note(who, rank, name, op) {
  base_name[who] = ("base" in at) ? text_unescape($at["base"]) : ""
  if (!(who in variant_rank)) {
    variant_rank[who] = rank == "" ? 9999 : rank + 0
    variant[++variants] = who
  }
  if (!(name in point_seen)) {
    point_seen[name] = 1
    point[++points] = name
  }
  if (!(op in phase_seen)) {
    phase_seen[op] = 1
    phase[++phases] = op
  }
}

# Order the variants as in VARIANTS, the baseline first.
function plot_sort_variants(    i, j, who) {
  for (i = 2; i <= variants; i++) {
    who = variant[i]
    for (j = i - 1; j >= 1 && variant_rank[variant[j]] > variant_rank[who]; j--) variant[j + 1] = variant[j]
    variant[j + 1] = who
  }
}

# The number of the variant that variant V is compared with.
function plot_base(v,    b) {
  for (b = 1; b < v; b++) if (variant[b] == base_name[variant[v]]) return b
  return base_name[variant[v]] == variant[v] ? v : 1
}

# Begin the block of variant V in FILE. A variant without data gets no block: gnuplot warns of empty blocks. Its line in FILE.names is the
# number of its colour, the same in all plots, and its name.
function plot_block(file, v) {
  plot_block_as(file, v, variant[v])
}

# The same for blocks that are not variants: they have a number and a name.
function plot_block_as(file, number, name) {
  if (blocks[file]++) printf "\n\n" > file
  printf "%d\t%s\n", (number - 1) % 7 + 1, plot_text(name) > (file ".names")
}

# End the data of a plot; returns the number of its variants.
function plot_close(file) {
  close(file)
  close(file ".names")
  return blocks[file] + 0
}

# Request a plot; FIRST, SECOND and THIRD are arguments 5, 6 and 8 of its script.
function plot_job(script, name, title, first, second, words, third) {
  print script, name, text_escape(text_printable(title)), first, second, (third == "" ? "-" : third), text_escape(text_printable(words))
}
