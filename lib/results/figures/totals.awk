# SPDX-License-Identifier: MIT
# What programs of tables share: AT[column] of rows with a header, lists without repetition, and medians of figures. Load it after interval.awk and
# before the program.

BEGIN { FS = OFS = "\t" }

FNR == 1 {
  split("", at)
  for (i = 1; i <= NF; i++) at[$i] = i
}

# Add a name to a list, ITEM[list, 1..SIZE[list]], unless it is there.
function remember(list, name) {
  if ((list, name) in known) return
  known[list, name] = 1
  item[list, ++size[list]] = name
}

# The median of VALUE[key, 1..COUNT[key], figure], without empty values; empty without values.
function median_of(key, figure,    n, i, out) {
  for (i = 1; i <= count[key]; i++) if (value[key, i, figure] != "") out[++n] = value[key, i, figure] + 0
  if (!n) return ""
  interval_sort(out, n)
  return interval_median(out, n)
}
