# SPDX-License-Identifier: MIT
# Read load generator logs, ours and the guide's, with the result.tsv in the same directory, and print one row per phase.
#
# Input, one line each, tab-separated, names escaped as in text.awk:
#   D GIVEN REAL      a directory as the user named it, and where it really is (for the names in the path)
#   F PATH [VERBATIM] a log to read; VERBATIM when the user named the file itself
#   E MESSAGE         a problem found during the search for logs
# Output: a header, then rows, tab-separated and escaped, with the columns of the schema. Exit status 1 if a file could not be read completely;
# complete rows are printed.

function complain(path, what) {
  text_complain(path, what)
  failed = 1
}

# An absolute path without . and .. in it.
function absolute(path,    n, i, depth, part, kept, out) {
  if (path !~ /^\//) path = start_folder "/" path
  n = split(path, part, "/")
  depth = 0
  for (i = 1; i <= n; i++) {
    if (part[i] == "" || part[i] == ".") continue
    if (part[i] == "..") {
      if (depth > 0) depth--
    } else kept[++depth] = part[i]
  }
  out = ""
  for (i = 1; i <= depth; i++) out = out "/" kept[i]
  return out
}

# Read the scenario and the order of the variants from the settings of the run in DIR, and its axes with their values from its plan.tsv. Without
# settings, the scenario is the run's NAME without its time.
function read_run(folder, name,    n, i, word) {
  if (folder in scenario_of) return
  scenario_of[folder] = stored_setting(folder, "-", "SCENARIO")
  if (scenario_of[folder] == "") {
    scenario_of[folder] = name
    sub(/^[0-9][0-9TZ:_-]*-/, "", scenario_of[folder])
  }
  n = split(stored_setting(folder, "-", "VARIANTS"), word, " ")
  for (i = n; i >= 1; i--) rank_of[folder, word[i]] = i
  read_plan(folder)
}

# An axis without a column gets a new column after the others.
function see_axis(name) {
  schema_see(name)
  if (schema[name, "source"] != "plan.tsv" || (name in is_axis)) return
  is_axis[name] = 1
  axis[++axes] = name
  column_name[++columns_out] = name
}

# Read the plan's values of the axes of the run in DIR: of_plan[directory, variant, point, column]. Axes are the columns behind `sweep`, before
# `places`; logs have the first two, value_size and instances, as len and servers.
function read_plan(folder,    line, file, n, i, f, column, at) {
  file = text_opened(folder "/plan.tsv")
  while ((getline line < file) > 0) {
    if (line ~ /^#/) continue
    n = split(line, f, "\t")
    if (!("point" in at)) {
      for (i = 1; i <= n; i++) {
        at[f[i]] = i
        column[i] = f[i]
        if ("sweep" in at && !("places" in at) && i > at["sweep"] && f[i] !~ /^(value_size|instances)$/) see_axis(f[i])
      }
      continue
    }
    for (i = 1; i <= n; i++) if (column[i] in is_axis) of_plan[folder, f[at["variant"]], f[at["point"]], column[i]] = f[i] == "-" ? "" : f[i]
  }
  close(file)
}

# Fill the memory cost of the cell's phase from --price, if a limit was searched in the phase, or another variant's min DRAM at the same rate.
function fill_cost(    cost) {
  if (ENVIRON["PRICES"] == "" || cell["search"] == "broken") return
  if (cell["limit"] == "" && (stored_setting(name["run_folder"], "-", "DRAM_RATIO") != "search" || cell["rate"] + 0 == 0 || schema_is_fill(cell["operation"]))) return
  prices_begin(ENVIRON["PRICES"])
  if (!prices_read(text_opened(repeat_folder "server/counters.tsv"), cell["operation"])) return
  cost = prices_cost(prices_near, prices_far, prices_kind)
  if (cost != "") cell["memory_cost"] = text_number(cost, text_places(cost, 12))
}

# Set name[run, scenario, variant, point, repeat, client, directory ...] from the path and name of a log.
function place(path, verbatim,    real, n, part, rest, stamp, i, folder) {
  split("", name)
  real = path
  if (given != "" && !verbatim) real = actual substr(path, length(given) + 1)
  real = absolute(real)
  n = split(real, part, "/")
  name["folder"] = path ~ /\// ? path : "./" path
  sub(/\/[^\/]*$/, "", name["folder"])
  # redis.log.CLIENT.STAMP.REPEAT; a client may have dots in its name.
  rest = part[n]
  if (rest ~ /^redis\.log\..+\.[^.]+\.[0-9]+$/) {
    rest = substr(rest, 11)
    match(rest, /\.[^.]+\.[0-9]+$/)
    stamp = substr(rest, RSTART + 1)
    name["client"] = text_host(substr(rest, 1, RSTART - 1))
    name["repeat"] = substr(stamp, index(stamp, ".") + 1)
  }
  if (n >= 7 && part[n - 2] ~ /^rep-/) {
    if (part[n - 2] !~ /^rep-[0-9]+$/) return 0
    name["client"] = text_host(part[n - 1])
    name["repeat"] = substr(part[n - 2], 5)
    name["point"] = part[n - 3]
    name["variant"] = part[n - 4]
    name["run"] = part[n - 5]
    folder = ""
    for (i = 2; i <= n - 5; i++) folder = folder "/" part[i]
    read_run(folder, name["run"])
    name["scenario"] = scenario_of[folder]
    name["quick"] = stored_setting(folder, "-", "QUICK") == "on" ? "yes" : ""
    name["variant_rank"] = (folder, name["variant"]) in rank_of ? rank_of[folder, name["variant"]] : ""
    name["run_folder"] = folder
  } else if (!verbatim) name["run"] = part[n - 1]
  return 1
}

# Read the result.tsv in a log's directory into tsv[row, column]; returns its number of rows, -1 if the file does not exist, -2 if it is invalid.
function read_tsv(file,    line, n, i, column, cell, rows, columns, status) {
  split("", tsv)
  split("", tsv_used)
  status = (getline line < file)
  if (status < 0) {
    close(file)
    return -1
  }
  if (status == 0) {
    complain(shown_tsv, "is empty")
    close(file)
    return -2
  }
  columns = split(line, column, "\t")
  rows = 0
  while ((status = (getline line < file)) > 0) {
    n = split(line, cell, "\t")
    if (n != columns) {
      complain(shown_tsv, "line " (rows + 2) " has " n " columns instead of " columns "; the file is truncated or from another program")
      close(file)
      return -2
    }
    rows++
    for (i = 1; i <= n; i++) tsv[rows, column[i]] = cell[i]
  }
  close(file)
  return rows
}

# Whether row R of result.tsv has text in COLUMN: other load generators write fewer columns, and - means none.
function tsv_has(r, column) {
  return tsv[r, column] != "" && tsv[r, column] != "-"
}

# The row of result.tsv for phase P of the log, or 0; each row is used once.
function tsv_row(p, rows,    r) {
  for (r = 1; r <= rows; r++)
    if (!(r in tsv_used) && tsv[r, "operation"] == phase[p, "operation"]) {
      tsv_used[r] = 1
      return r
    }
  return 0
}

# The difference between result.tsv and the log for phase P; empty if they agree.
function disagreement(p, r,    out) {
  out = ""
  if (tsv[r, "len"] != phase[p, "len"]) out = out ", len " tsv[r, "len"] " against " phase[p, "len"]
  if (tsv[r, "threads"] != phase[p, "threads"]) out = out ", threads " tsv[r, "threads"] " against " phase[p, "threads"]
  if (tsv[r, "max_time_us"] != phase[p, "longest"]) out = out ", longest thread " tsv[r, "max_time_us"] " us against " phase[p, "longest"] " us"
  if (tsv[r, "ops"] != "" && tsv[r, "ops"] + 0 != phase[p, "keys_sum"]) out = out ", operations " tsv[r, "ops"] " against " phase[p, "keys_sum"]
  return substr(out, 3)
}

# Fill cell[column], escaped, for phase P; r is its row of result.tsv or 0. A value of result.tsv contains no tab or line break, and a
# backslash in it is the generator's own escape.
function fill_cells(path, p, r,    i, us, seconds, bits) {
  split("", cell)
  if (r) for (i = 1; i <= tsv_columns; i++) if ((r, tsv_column[i]) in tsv) cell[tsv_column[i]] = tsv[r, tsv_column[i]]
  us = phase[p, "longest"]
  seconds = int(us / 1000000)
  cell["filename"] = text_escape(path)
  cell["clients"] = sections
  cell["len"] = phase[p, "len"]
  cell["servers"] = (r && tsv[r, "instances"] > 0) ? tsv[r, "instances"] : phase[p, "servers"]
  cell["instance_keys"] = r ? tsv[r, "keys"] : phase[p, "keys"]
  # If threads share an instance, or run for a given time, each line has the requests of its thread; keys is the number per instance.
  if (r && cell["servers"] != phase[p, "threads"]) cell["keys"] = int(phase[p, "keys_sum"] / cell["servers"])
  else cell["keys"] = phase[p, "keys"]
  cell["max_time"] = seconds
  cell["operation"] = text_escape(phase[p, "operation"])
  cell["threads"] = phase[p, "threads"]
  cell["max_time_us"] = us
  cell["first_done_us"] = phase[p, "shortest"]
  cell["threads_ops_per_sec"] = text_number(phase[p, "own_rates"] * 1000000, 3)
  # keys_sum is servers * keys. With misses, values of several sizes, or other commands, only the sum of bytes gives the payload.
  bits = phase[p, "keys_sum"] * phase[p, "len"] * 8
  if (r && text_is_count(tsv[r, "bytes"]) && (tsv[r, "misses"] > 0 || tsv_has(r, "sizes") || tsv_has(r, "commands"))) bits = tsv[r, "bytes"] * 8
  cell["tx_bps"] = seconds ? text_number(bits / seconds, 6) : ""
  if (!r) {
    cell["ops"] = text_number(phase[p, "keys_sum"], 0)
    cell["ops_per_sec"] = us ? text_number(phase[p, "keys_sum"] * 1000000 / us, 3) : ""
    cell["avg_us"] = phase[p, "mean"] == "" ? "" : text_number(phase[p, "mean"], 3)
    cell["max_us"] = phase[p, "slowest"]
    cell["errors"] = phase[p, "errors"]
  }
  for (i in name) cell[i] = text_escape(name[i])
  if (phase[p, "histogram"] != "") cell["histogram"] = text_escape(name["folder"] "/" phase[p, "histogram"])
  cell["tsv"] = r ? 1 : 0
}

# Add a warning to the row, which report.awk prints once for all rows with this TEXT: for the row with the largest AMOUNT, its DETAILS and MOST.
function row_warn(text, amount, details, most) {
  cell["warned"] = text_escape(amount "|" text "|" details "|" most)
}

# Fill the error margins of phase P from its series (margin.awk), for this client only.
function fill_margin(p,    i) {
  if (!margin_read(1, text_opened(name["folder"] "/" phase[p, "operation"] ".series.tsv"), 0, phase[p, "shortest"] / 1000000)) return
  margin_judge(margin_merge(1), cell["rate"] > 0)
  for (i = 1; i <= margin_columns; i++) cell[margin_column[i]] = margin_of[margin_column[i]]
}

# Rows are kept until the end: the header is known only when the axes of every run have been seen. Columns are only added after the others,
# so a row that is kept as text lacks only empty columns at its end.
function keep_row(    i, value, out) {
  for (i = 1; i <= columns_out; i++) {
    value = cell[column_name[i]]
    # Most are plain numbers.
    if (value != "" && (value !~ /^[0-9]+(\.[0-9]+)?$/ || length(value) > 18)) value = numbers_checked(column_name[i], value)
    out = out "\t" value
  }
  kept[++rows_out] = substr(out, 2)
  wide[rows_out] = columns_out
}

function take_file(path, verbatim,    file, rows, p, r, what, tsv_file) {
  if (!place(path, verbatim)) {
    complain(path, "belongs to an unfinished repeat; excluded")
    return
  }
  file = text_opened(path)
  read_log(file)
  if (problem != "") complain(path, substr(problem, 3))
  shown_tsv = name["folder"] "/result.tsv"
  rows = read_tsv(text_opened(shown_tsv))
  if (rows == -2) return
  for (p = 1; p <= phases; p++) {
    r = 0
    if (rows >= 0) {
      r = tsv_row(p, rows)
      if (!r) {
        complain(shown_tsv, "has no row for phase " phase[p, "operation"] " of the log")
        continue
      }
      if (tsv[r, "interrupted"] > 0) {
        complain(path, "phase " phase[p, "operation"] " was interrupted")
        continue
      }
      if ((what = disagreement(p, r)) != "") {
        complain(shown_tsv, "disagrees with the log about phase " phase[p, "operation"] ": " what)
        continue
      }
    }
    fill_cells(path, p, r)
    phase_cut = phase_torn = 0
    repeat_open()
    if ("point" in name) {
      phase_warmup = r ? tsv[r, "warmup_s"] + 0 : 0
      axes_fill()
      parts_phase()
      tier_fill()
      axes_used(r)
      foreign_fill()
      parts_figures()
      tier_moved()
      fill_cost()
    }
    if (r) {
      discard_recorded()
      discard_fill(r)
      fill_margin(p)
    }
    keep_row()
  }
  for (r = 1; r <= rows; r++)
    if (!(r in tsv_used)) complain(path, "has no complete phase " tsv[r, "operation"] ", which its result.tsv has")
}

BEGIN {
  FS = "\t"
  start_folder = ENVIRON["PWD"]
  schema_read()
  for (i = 1; i <= schema_columns; i++) {
    if (schema_in_rows(schema_name[i])) column_name[++columns_out] = schema_name[i]
    if (schema[schema_name[i], "source"] == "plan.tsv") {
      axis[++axes] = schema_name[i]
      is_axis[schema_name[i]] = 1
    }
    if (schema[schema_name[i], "source"] == "result.tsv") tsv_column[++tsv_columns] = schema_name[i]
  }
}

$1 == "D" { given = text_unescape($2); actual = text_unescape($3) }
$1 == "F" { take_file(text_unescape($2), $3) }
$1 == "E" { complain(text_unescape($2), text_unescape($3)) }

END {
  for (i = 1; i <= columns_out; i++) printf "%s%s", column_name[i], (i < columns_out ? "\t" : "\n")
  for (r = 1; r <= rows_out; r++) {
    for (i = wide[r]; i < columns_out; i++) kept[r] = kept[r] "\t"
    print kept[r]
  }
  exit failed
}
