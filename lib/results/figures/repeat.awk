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

# Sort the lines of the server's counters by phase: counter_line[PHASE, 1..counter_lines[PHASE]].
function counter_read(    file, line, phase_name) {
  split("", counter_line)
  split("", counter_lines)
  file = text_opened(repeat_folder "server/counters.tsv")
  while ((getline line < file) > 0) {
    phase_name = substr(line, 1, index(line, "\t") - 1)
    counter_line[phase_name, ++counter_lines[phase_name]] = line
  }
  close(file)
}

# Take the counters of a phase: counter_from and counter_to[SCOPE, NAME], before and after it; counter_port[1..counter_ports], the instances, and
# counter_name[NAME], what they have; counter_packed[data and memory], of all scopes with compressed data. Returns their number of lines.
function counter_take(phase_name,    n, i, f, key, known) {
  split("", counter_from)
  split("", counter_to)
  split("", counter_name)
  split("", counter_packed)
  counter_ports = 0
  n = (phase_name in counter_lines) ? counter_lines[phase_name] : 0
  for (i = 1; i <= n; i++) {
    split(counter_line[phase_name, i], f, "\t")
    key = f[2] SUBSEP f[3]
    counter_from[key] = f[4]
    counter_to[key] = f[5]
    if ((f[3] == "data" || f[3] == "memory") && text_is_count(f[5])) counter_packed[f[3]] += f[5]
    if (f[2] + 0 == 0) continue
    counter_name[f[3]] = 1
    if (f[2] in known) continue
    known[f[2]] = 1
    counter_port[++counter_ports] = f[2]
  }
  return n
}

# Whether a counter after the phase is a count.
function counter_known(scope, counter) {
  return ((scope, counter) in counter_to) && text_is_count(counter_to[scope, counter])
}

# A counter after the phase, 0 if it is not known.
function counter_end(scope, counter) {
  return counter_known(scope, counter) ? counter_to[scope, counter] + 0 : 0
}

# The change of a counter in the phase; empty if it is not known, or decreased.
function counter_change(scope, counter,    change) {
  if (!counter_known(scope, counter) || !text_is_count(counter_from[scope, counter])) return ""
  change = counter_to[scope, counter] - counter_from[scope, counter]
  return change < 0 ? "" : change
}
