# SPDX-License-Identifier: MIT
# The files of the repeat of a row, each read once for all phases and clients of the repeat. Part of result.awk.

# Begin a row of the repeat in repeat_folder, which ends with a slash.
function repeat_open(    folder) {
  folder = name["folder"]
  sub(/[^\/]*$/, "", folder)
  if (folder == repeat_folder) return
  repeat_folder = folder
  split("", repeat_count)
  split("", repeat_line)
  counter_read()
}

# Read FILE of the repeat into repeat_line[FILE, 1..n]; returns n. For files that do not grow with the time of a phase.
function repeat_lines(file,    path, line, n) {
  if (file in repeat_count) return repeat_count[file]
  path = text_opened(repeat_folder file)
  while ((getline line < path) > 0) repeat_line[file, ++n] = line
  close(path)
  return repeat_count[file] = n + 0
}

# The value of a setting in the repeat, if no point sets it.
function repeat_setting(setting) {
  return stored_setting(name["run_folder"], name["variant"], setting)
}

# Fill the columns of the cell that the schema has with SOURCE from the line of its phase in FILE, whose first line names its columns. Returns whether
# there is such a line.
function repeat_columns(file, source,    n, i, k, f, column, fields, found) {
  n = repeat_lines(file)
  if (!n) return 0
  fields = split(repeat_line[file, 1], column, "\t")
  for (i = 2; i <= n; i++) {
    split(repeat_line[file, i], f, "\t")
    if (f[1] != cell["operation"]) continue
    found = 1
    for (k = 2; k <= fields; k++) if (schema[column[k], "source"] == source && f[k] != "-") cell[column[k]] = text_escape(f[k])
  }
  return found
}

BEGIN {
  # Of the host, those that are read besides its pages; others are for plots.
  split("time_us huge pswpin pswpout pressure_some_us", repeat_word, " ")
  for (repeat_i in repeat_word) counter_of_host[repeat_word[repeat_i]] = 1
}

# Read the server's counters: counter_from and counter_to[PHASE, SCOPE, NAME], before and after the phase; counter_has[PHASE] if it has some; the
# instances of a phase, counter_port[PHASE, 1..counter_ports[PHASE]], and counter_name[NAME], what of theirs is added up (tier_adds); counter_pages[NAME],
# those of the host's pages; counter_packed[PHASE, data and memory], the sums of all scopes with compressed data.
function counter_read(    file, input, key, known, begun) {
  split("", counter_from)
  split("", counter_to)
  split("", counter_has)
  split("", counter_ports)
  split("", counter_name)
  split("", counter_pages)
  split("", counter_packed)
  file = text_opened(repeat_folder "server/counters.tsv")
  # The fields of the input line are faster than those of an array.
  input = $0
  while ((getline < file) > 0) {
    if ($2 == "host" && !($3 in counter_of_host)) {
      if (index($3, "pg") != 1) continue
      counter_pages[$3] = 1
    }
    key = $1 SUBSEP $2 SUBSEP $3
    counter_from[key] = $4
    counter_to[key] = $5
    if (($3 == "data" || $3 == "memory") && text_is_count($5)) counter_packed[$1, $3] += $5
    if ($1 "\t" $2 != begun) {
      begun = $1 "\t" $2
      counter_has[$1] = 1
      if ($2 + 0 != 0 && !(begun in known)) counter_port[$1, ++counter_ports[$1]] = $2
      known[begun] = 1
    }
    if ($2 + 0 == 0) continue
    if (!($3 in counter_kind)) counter_kind[$3] = tier_adds($3)
    if (counter_kind[$3] != "") counter_name[$3] = counter_kind[$3]
  }
  close(file)
  $0 = input
}

# A counter of the cell's phase after it, as it is in the file; empty if it is missing.
function counter_text(scope, counter) {
  return ((cell["operation"], scope, counter) in counter_to) ? counter_to[cell["operation"], scope, counter] : ""
}

# Whether a counter after the phase is a count.
function counter_known(scope, counter) {
  return text_is_count(counter_text(scope, counter))
}

# A counter after the phase, 0 if it is not known.
function counter_end(scope, counter) {
  return counter_known(scope, counter) ? counter_text(scope, counter) + 0 : 0
}

# A counter before the phase; empty if it is not a count.
function counter_begin(scope, counter,    text) {
  text = ((cell["operation"], scope, counter) in counter_from) ? counter_from[cell["operation"], scope, counter] : ""
  return text_is_count(text) ? text : ""
}

# The change of a counter in the phase; empty if it is not known, or decreased.
function counter_change(scope, counter,    from, to) {
  from = counter_begin(scope, counter)
  to = counter_text(scope, counter)
  return from == "" || !text_is_count(to) || to - from < 0 ? "" : to - from
}
