# SPDX-License-Identifier: MIT
# What the tables of searches share (in lib/part): totals and the files of repeats are read, values of repeats become one. Files: the
# totals first, then those whose paths end in VARIANT/POINT/rep-N/NAME.

FNR == 1 {
  files++
  n = split(FILENAME, part, "/")
  variant = part[n - 3]
  point = part[n - 2]
  repeat = substr(part[n - 1], 5)
  next
}

files == 1 {
  from = $at["variant"] SUBSEP $at["point"] SUBSEP $at["repeat"] SUBSEP $at["operation"]
  for (i in at) total[from, i] = $at[i]
  seen[from] = 1
  if ($at["variant_rank"] > 0) rank[$at["variant"]] = $at["variant_rank"]
  len_of[$at["point"]] = $at["len"]
  servers_of[$at["point"]] = $at["servers"]
  sweep_of[$at["point"]] = $at["sweep"]
  next
}

# Take the figures of repeat K of a key from the totals of FROM: the columns in NAMES.
function found_take(key, k, from, names,    i, n, column) {
  n = split(names, column, " ")
  for (i = 1; i <= n; i++) {
    value[key, k, column[i]] = total[from, column[i]]
    if (column[i] ~ /_us$/ && bound_waited(total[from, column[i]] + 0, column[i], total[from, "unanswered"] + 0, total[from, "at_least_us"] + 0)) waited[key, column[i]] = 1
  }
}

# A latency of a key as text: a lower bound if requests of a repeat had no answer.
function found_latency(key, column) {
  if ((key, column) in waited) found_late = 1
  return ((key, column) in waited ? bound_sign(-1, 1) : "") text_group(median_of(key, column), text_decimals(median_of(key, column), "latency"))
}

# The range of a figure over repeats: the min of FROM in found_low and the max of TO in found_high, each empty where no repeat has it.
function found_range(key, from, to,    i) {
  found_low = found_high = ""
  for (i = 1; i <= count[key]; i++) {
    if (value[key, i, from] ~ /^[0-9.]+$/ && (found_low == "" || value[key, i, from] + 0 < found_low)) found_low = value[key, i, from] + 0
    if (value[key, i, to] ~ /^[0-9.]+$/ && (found_high == "" || value[key, i, to] + 0 > found_high)) found_high = value[key, i, to] + 0
  }
}

# Take a row of a repeat's file: its name, in the list of TABLE, and its figures. Their columns are COLUMNS, the name first.
function found_row(table, columns,    n, i, column, key) {
  n = split(columns, column, " ")
  remember("point", point)
  found_variant[variant] = 1
  remember(table, $at[column[1]])
  key = table SUBSEP point SUBSEP variant SUBSEP $at[column[1]]
  ++count[key]
  for (i = 2; i <= n; i++) value[key, count[key], column[i]] = $at[column[i]]
}

# The medians of columns of a key as people read them, by tabs.
function found_medians(key, columns,    n, i, column, m, text) {
  n = split(columns, column, " ")
  for (i = 1; i <= n; i++) {
    m = median_of(key, column[i])
    text = text (i > 1 ? "\t" : "") (m == "" ? "" : text_short(m))
  }
  return text
}

# The start of a table's title: its phase and point. Sets found_place.
function found_title(phase, point) {
  found_place = phase " at " point
  return table_shape(phase, len_of[point], servers_of[point], sweep_of[point])
}

# Note a text for the end of the table.
function found_note(text) {
  notes[++noted] = text
}

# Note why repeats of variant V have no answer for limit L. Without an answer in any repeat (ANSWERED is 0), the answer of the run prints it too.
function found_missing(v, l, why, answered) {
  found_note(v ", " l ": " why)
  if (!answered) missing[++lacking] = v ", " (size["table"] > 1 ? found_place ", " : "") l ": no answer: " why
}

function found_notes(    i) {
  for (i = 1; i <= noted; i++) print "note", notes[i]
  for (i = 1; i <= lacking; i++) print "missing", missing[i]
  if (found_late) print "note", bound_note_late()
  noted = lacking = found_late = 0
}
