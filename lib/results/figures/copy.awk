# SPDX-License-Identifier: MIT
# The table of a comparison as plain text of 72 columns, from its sections: a line for each figure, below the sides, the phase and the point.
# No figure is cut.

function cut(text, width) {
  return length(text) > width ? substr(text, 1, width - 1) "~" : text
}

# The end of a name: the names of sides often begin alike.
function cut_name(text, width) {
  return length(text) > width ? "~" substr(text, length(text) - width + 2) : text
}

# A cell of the current line, from a column that one of the two tables has.
function cell(name, other) {
  return text_plain(text_unescape((name in at) ? $at[name] : (other in at) ? $at[other] : ""))
}

BEGIN { FS = "\t" }

{ line[++lines] = $0 }
$1 == "short" { short = 1 }

END {
  section = short ? "short" : "rows"
  for (i = 1; i <= lines; i++) {
    $0 = line[i]
    if ($1 != section) continue
    # The names of the columns, the headings, the kinds, then the rows.
    if (++rows == 1) for (k = 1; k <= NF; k++) at[$k] = k
    if (rows <= 3) continue
    spot = cell("operation") " at " cell("point")
    sides = cell("base") SUBSEP cell("other")
    if (sides != last_sides || spot != last_spot) printf "\n%-22s %13s %13s %7s\n", cut(spot, 22), cut_name(cell("base"), 13), cut_name(cell("other"), 13), "of base"
    last_sides = sides
    last_spot = spot
    verdict = cell("_mark")
    sub(/[,;].*/, "", verdict)
    out = sprintf("  %-20s %13s %13s %7s %s", cut(cell("_figure", "figure"), 20), cell("_base", "base_value"), cell("_other", "other_value"), \
      cut(cell("_ratio", "ratio"), 7), cut(verdict, 13))
    sub(/ +$/, "", out)
    print out
  }
}
