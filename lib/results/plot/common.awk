# SPDX-License-Identifier: MIT
# What the data of all pictures share: names as gnuplot takes them, who stands where, blocks of data, and the line that asks for
# a picture. Variants, points and phases get numbers in the order in which people read them.

function plot_text(s) {
  s = text_unescape(s)
  gsub(/[\001-\037\177]/, "?", s)
  # The only character that means something to gnuplot in a data file.
  gsub(/"/, "'", s)
  return s
}

# Takes in who was measured, with its rank in VARIANTS, at which point, in which phase.
function plot_note(who, rank, name, op) {
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

# Puts the baseline first, as VARIANTS names them.
function plot_sort_variants(    i, j, who) {
  for (i = 2; i <= variants; i++) {
    who = variant[i]
    for (j = i - 1; j >= 1 && variant_rank[variant[j]] > variant_rank[who]; j--) variant[j + 1] = variant[j]
    variant[j + 1] = who
  }
}

# Begins the block of variant V in FILE. A variant without data gets none: gnuplot has nothing good to say of an empty block.
# Its line in FILE.names is the number of its colour, the same in all pictures, and its name.
function plot_block(file, v) {
  if (blocks[file]++) printf "\n\n" > file
  printf "%d\t%s\n", (v - 1) % 7 + 1, plot_text(variant[v]) > (file ".names")
}

# Ends the data of a picture; returns how many variants are in it.
function plot_close(file) {
  close(file)
  close(file ".names")
  return blocks[file] + 0
}

# Asks for a picture; FIRST, SECOND and THIRD are arguments 5, 6 and 8 of its script.
function plot_job(script, name, title, first, second, words, third) {
  gsub(/[\001-\010\013-\037\177]/, "?", title)
  gsub(/[\001-\010\013-\037\177]/, "?", words)
  print script, name, text_escape(title), first, second, (third == "" ? "-" : third), text_escape(words)
}
