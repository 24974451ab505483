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

# Read the server's counters: counter_from and counter_to[PHASE, SCOPE, NAME], before and after the phase; counter_lines[PHASE]; the instances of a phase,
# counter_port[PHASE, 1..counter_ports[PHASE]], and counter_name[NAME], what instances have; counter_pages[NAME], those of the host's
# pages (its others are for plots); counter_packed[PHASE, data and memory], the sums of all scopes with compressed data.
function counter_read(    file, line, f, key, known) {
  split("", counter_from)
  split("", counter_to)
  split("", counter_lines)
  split("", counter_ports)
  split("", counter_name)
  split("", counter_pages)
  split("", counter_packed)
  file = text_opened(repeat_folder "server/counters.tsv")
  while ((getline line < file) > 0) {
    split(line, f, "\t")
    counter_lines[f[1]]++
    if (f[2] == "host" && f[3] != "time_us") {
      if (index(f[3], "pg") == 1) counter_pages[f[3]] = 1
      else if (f[3] !~ /^(huge|pswpin|pswpout|pressure_some_us)$/) continue
    }
    key = f[1] SUBSEP f[2] SUBSEP f[3]
    counter_from[key] = f[4]
    counter_to[key] = f[5]
    if ((f[3] == "data" || f[3] == "memory") && text_is_count(f[5])) counter_packed[f[1], f[3]] += f[5]
    if (f[2] + 0 == 0) continue
    counter_name[f[3]] = 1
    key = f[1] SUBSEP f[2]
    if (key in known) continue
    known[key] = 1
    counter_port[f[1], ++counter_ports[f[1]]] = f[2]
  }
  close(file)
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
