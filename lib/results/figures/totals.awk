# SPDX-License-Identifier: MIT
# What programs of tables share: AT[column] of rows with a header, lists without repetition, medians of figures, and the start of a table. Load it after
# interval.awk and before the program.

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

# Remember the variants of found_variant in the list `variant`: in the order of VARIANTS, which is their RANK; unknown ones last.
function remember_variants(    r, v) {
  for (r = 1; r <= 1000; r++) for (v in rank) if (rank[v] == r && (v in found_variant)) remember("variant", v)
  for (v in found_variant) remember("variant", v)
}

# Print the start of a table: its title, and its columns NAME|KIND|HEADING, with tabs between them (render.awk explains kinds).
function table_begin(title, columns,    n, i, column, name_of, names, kinds, headings) {
  print "title", title
  n = split(columns, column, "\t")
  for (i = 1; i <= n; i++) {
    match(column[i], /^[^|]*\|[^|]*\|/)
    split(column[i], name_of, "|")
    names = names OFS name_of[1]
    kinds = kinds OFS name_of[2]
    headings = headings OFS substr(column[i], RLENGTH + 1)
  }
  print "row" names
  print "row" headings
  print "row" kinds
}

# What a table is about, for its title: its phase, the size of values, the number of instances, and the other swept settings.
function table_shape(phase, len, servers, sweep) {
  return toupper(phase) " of " text_group(len, 0) " B" (servers == "" ? "" : " on " servers " instance" (servers == 1 ? "" : "s")) (sweep == "" ? "" : ", " sweep)
}

# The median of VALUE[key, 1..COUNT[key], figure], of those that are numbers; empty without one.
function median_of(key, figure,    n, i, out) {
  for (i = 1; i <= count[key]; i++) if (text_is_number(value[key, i, figure] "")) out[++n] = value[key, i, figure] + 0
  if (!n) return ""
  interval_sort(out, n)
  return interval_median(out, n)
}
