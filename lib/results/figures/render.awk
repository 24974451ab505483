# SPDX-License-Identifier: MIT
# Print a table: FORMAT in the environment is table, markdown or html (text), csv, excel or json (for programs). Input, tab-separated and
# escaped as in text.awk: a line of column names, a line of headings, a line of kinds, then rows. Kinds: text; right for text that is
# aligned like a number; raw for an unformatted number; percent; a number of decimals, with commas between thousands; or digits, which is 4 decimals, and
# 4 significant digits below 1. A number may begin with >= or <=: text formats print it, json has it in NAME_bound, unless the table has such a column.
# A column with an empty heading is not in text formats; a column whose name begins with _ is not in csv and json.
# OPTIONAL in the environment has the headings of columns that a narrow page leaves out, with | between them; an interval has no level there.

# Characters, not bytes: continuation bytes of UTF-8 take no column.
function shown_length(s) {
  if (s !~ /[\200-\277]/) return length(s)
  gsub(/[\200-\277]/, "", s)
  return length(s)
}

function blanks(n) {
  while (length(blank) < n) blank = blank "                                "
  return substr(blank, 1, n)
}

function shown(s, i) {
  s = text_unescape(s)
  if (kind[i] == "text") return text_plain(s)
  if (kind[i] == "right") return text_plain(s == "" ? "-" : s)
  if (s == "") return "-"
  if (s ~ /^[<>]=/) return substr(s, 1, 2) shown(substr(s, 3), i)
  if (kind[i] == "percent") return text_group(s, 1) "%"
  return kind[i] == "raw" ? s : text_group(s, text_decimals(s, kind[i]))
}

BEGIN {
  FS = "\t"
  format = ENVIRON["FORMAT"]
  # A byte order mark says to a spreadsheet that the text is UTF-8.
  if (format == "excel") printf "\357\273\277"
  separator = format == "excel" && ENVIRON["POINT"] == "," ? ";" : ","
  # Most cells need no change for a spreadsheet: words, whole numbers, and decimals that it reads as such.
  as_is = "^([0-9A-Za-z/][0-9A-Za-z_/:-]*" (format == "csv" ? "|[0-9]+[.]([0-9][0-9]?|[0-9][0-9][0-9][0-9]+)" : "") ")$"
  if (format == "json") printf "["
  for (i = split(ENVIRON["OPTIONAL"], name, "|"); i > 0; i--) optional[name[i]] = 1
}

NR == 1 { columns = split($0, column, "\t"); next }
NR == 2 {
  split($0, heading, "\t")
  for (i = 1; i <= columns; i++) heading[i] = text_plain(text_unescape(heading[i]))
  next
}
NR == 3 {
  split($0, kind, "\t")
  for_programs()
  if (format ~ /^(csv|excel)$/) for (i = 1; i <= count; i++) printf "%s%s", text_csv(column[programs[i]], separator), (i < count ? separator : "\n")
  if (format == "json") for (i = 1; i <= count; i++) name[i] = text_json(column[programs[i]])
  if (format == "html") render_html("<table>\n<thead><tr>", "th", " scope=\"col\"", "</tr></thead>")
  next
}

# Where no width is needed, rows are printed at once, because there may be many.
format ~ /^(csv|excel)$/ { render_csv(); next }
format == "json" { render_json(); next }
format == "html" { render_html((rows++ ? "" : "<tbody>\n") "<tr>", "td", "", "</tr>"); next }

{
  rows++
  for (i = 1; i <= columns; i++) value[rows, i] = $i
}

# The columns for programs, in programs[1..count].
function for_programs(    i) {
  count = 0
  for (i = 1; i <= columns; i++) if (column[i] !~ /^_/) {
    programs[++count] = i
    is_column[column[i]] = 1
  }
}

# The sign of a cell whose number is a bound; empty if another column has it.
function bound_of(i,    v) {
  v = text_unescape($i)
  return kind[i] !~ /^(text|right)$/ && v ~ /^[<>]=/ && !((column[i] "_bound") in is_column) ? substr(v, 1, 2) : ""
}

# A cell for programs: a number as such.
function bare(i,    v) {
  v = text_unescape($i)
  if (kind[i] !~ /^(text|right)$/) sub(/^[<>]=/, "", v)
  return v
}

# A cell for a spreadsheet. With a decimal comma, 2.304 is 2304 there. With one more zero it is the same number for every other reader.
function sheet(i,    v) {
  v = bare(i)
  if (kind[i] ~ /^(text|right)$/ || v !~ /^-?[0-9]+\.[0-9]+$/) return v
  if (format == "csv") return v ~ /\.[0-9][0-9][0-9]$/ ? v "0" : v
  sub(/\./, ENVIRON["POINT"], v)
  return v
}

function render_csv(    i, v, line) {
  for (i = 1; i <= count; i++) {
    v = $programs[i]
    line = line (i > 1 ? separator : "") (v == "" || v ~ as_is ? v : text_csv(sheet(programs[i]), separator))
  }
  print line
}

function render_json(    i, v, sign) {
  printf "%s\n {", (rows++ ? "," : "")
  for (i = 1; i <= count; i++) {
    v = bare(programs[i])
    printf "%s%s: %s", (i > 1 ? ", " : ""), name[i],
      (v == "" ? "null" : kind[programs[i]] !~ /^(text|right)$/ && v ~ /^-?(0|[1-9][0-9]*)(\.[0-9]+)?$/ ? v : text_json(v))
    sign = bound_of(programs[i])
    if (sign != "") printf ", %s: %s", text_json(column[programs[i]] "_bound"), text_json(sign)
  }
  printf "}"
}

function render_text(    r, i, s, wide, line, n) {
  for (i = 1; i <= columns; i++) {
    if (heading[i] == "") continue
    wide[i] = shown_length(heading[i])
    for (r = 1; r <= rows; r++) {
      value[r, i] = shown(value[r, i], i)
      n = shown_length(value[r, i])
      if (n > wide[i]) wide[i] = n
    }
  }
  for (r = -1; r <= rows; r++) {
    line = ""
    for (i = 1; i <= columns; i++) {
      if (heading[i] == "") continue
      s = r == -1 ? heading[i] : r == 0 ? "" : value[r, i]
      n = wide[i] - shown_length(s)
      s = kind[i] == "text" ? s blanks(n) : blanks(n) s
      if (r == 0) gsub(/ /, "-", s)
      line = line (line == "" ? "" : "  ") s
    }
    sub(/ +$/, "", line)
    print line
  }
}

function render_markdown(    r, i, line) {
  for (r = -1; r <= rows; r++) {
    line = "|"
    for (i = 1; i <= columns; i++) {
      if (heading[i] == "") continue
      line = line " " (r == -1 ? text_markdown(heading[i]) : r == 0 ? (kind[i] == "text" ? ":--" : "--:") : text_markdown(shown(value[r, i], i))) " |"
    }
    print line
  }
}

# The attribute of a cell for report.css.
function html_class(i, s,    class, title) {
  title = heading[i]
  sub(/^[0-9.]+ % /, "", title)
  class = ((title in optional) ? " opt" : "") (kind[i] == "text" ? "" : " n")
  if (heading[i] == "Verdict") class = class (s ~ /^worse(;|$)/ ? " worse" : s ~ /^better(;|$)/ ? " better" : "")
  return class == "" ? "" : " class=\"" substr(class, 2) "\""
}

# Print a row of HTML, between BEGUN and ENDED: the headings, or the current line. KIND is th or td.
function render_html(begun, kind_of, attribute, ended,    i, s) {
  printf "%s", begun
  for (i = 1; i <= columns; i++) {
    if (heading[i] == "") continue
    s = kind_of == "th" ? heading[i] : shown($i, i)
    printf "<%s%s%s>%s</%s>", kind_of, attribute, html_class(i, s), text_html(s), kind_of
  }
  print ended
}

END {
  if (format ~ /^(csv|excel)$/) exit
  if (format == "json") print "\n]"
  else if (format == "markdown") render_markdown()
  else if (format == "html") print (rows ? "</tbody></table>" : "</table>")
  else render_text()
}
