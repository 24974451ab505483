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

# Fill the search results of the cell's phase from the repeat's FOUND: search.tsv for the max load, or size.tsv for the min DRAM.
function fill_search(found,    file, line, n, f, i, column, broken) {
  file = name["folder"]
  sub(/\/[^\/]*$/, "/" found, file)
  file = text_opened(file)
  while ((getline line < file) > 0) {
    n = split(line, f, "\t")
    if (!column[1]) for (i = 1; i <= n; i++) column[i] = f[i]
    if (f[1] != cell["operation"]) continue
    broken = f[3] == "broken"
    for (i = 2; i <= n; i++)
      if ((schema[column[i], "source"] == "search.tsv" || schema[column[i], "source"] == "size.tsv" && !broken) && f[i] != "-") cell[column[i]] = text_escape(f[i])
    if (found == "search.tsv" && !broken) cell["capacity_ops_per_sec"] = cell["ops_per_sec"]
  }
  close(file)
}

# Fill the working set of the cell's phase from the repeat's wss.tsv.
function fill_wss(    file, line, f, column, sum) {
  file = name["folder"]
  sub(/\/[^\/]*$/, "/wss.tsv", file)
  file = text_opened(file)
  while ((getline line < file) > 0) {
    split(line, f, "\t")
    column = "wss_" f[3] "s_bytes"
    if (f[1] == cell["operation"] && schema[column, "source"] == "wss.tsv" && text_is_count(f[4])) sum[column] += f[4]
  }
  close(file)
  for (column in sum) cell[column] = text_number(sum[column], 0)
}

# Fill the memory cost of the cell's phase from --price, if a limit was searched in the phase, or another variant's min DRAM at the same rate.
function fill_cost(    file, cost) {
  if (ENVIRON["PRICES"] == "" || cell["search"] == "broken") return
  if (cell["limit"] == "" && (stored_setting(name["run_folder"], "-", "DRAM_RATIO") != "search" || cell["rate"] + 0 == 0 || schema_is_fill(cell["operation"]))) return
  prices_begin(ENVIRON["PRICES"])
  file = name["folder"]
  sub(/\/[^\/]*$/, "/server/counters.tsv", file)
  if (!prices_read(text_opened(file), cell["operation"])) return
  cost = prices_cost(prices_near, prices_far, prices_kind)
  if (cost != "") cell["memory_cost"] = text_number(cost, text_places(cost, 12))
}

# Fill the effect of a fault in the cell's phase from the repeat's failover.tsv: one figure per line, the phase first.
function fill_failover(    file, line, f, mine) {
  file = name["folder"]
  sub(/\/[^\/]*$/, "/failover.tsv", file)
  file = text_opened(file)
  while ((getline line < file) > 0) {
    split(line, f, "\t")
    if (f[1] == "phase") mine = f[2] == cell["operation"]
    if (mine && schema[f[1], "source"] == "failover.tsv" && f[2] ~ /^[0-9.]+$/) cell[f[1]] = f[2]
  }
  close(file)
}

# Whether the server's counters of OPERATION are no sum: a fault restarted processes, or made replicas, which repeat the writes of their masters, masters.
# In the repeat with the directory FOLDER/.
function restarted_in(folder, operation,    line, f, started) {
  if (!discard_fault(folder, operation)) return 0
  while ((getline line < (folder "server/events.tsv")) > 0) {
    split(line, f, "\t")
    if (f[3] == "node up" && f[4] != "continued" || f[3] == "taken over") started = 1
  }
  close(folder "server/events.tsv")
  return started + 0
}

# Set name[run, scenario, variant, point, repeat, client, directory ...] from the path and name of a log.
function place(path, verbatim,    real, n, part, rest, stamp, i, folder) {
  for (i in name) delete name[i]
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
    name["variant_rank"] = (folder, name["variant"]) in rank_of ? rank_of[folder, name["variant"]] : ""
    name["run_folder"] = folder
  } else if (!verbatim) name["run"] = part[n - 1]
  return 1
}

# Read the result.tsv in a log's directory into tsv[row, column]; returns its number of rows, -1 if the file does not exist, -2 if it is invalid.
function read_tsv(file,    line, n, i, column, cell, rows, columns, status) {
  for (i in tsv) delete tsv[i]
  for (i in tsv_used) delete tsv_used[i]
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
  for (i in cell) delete cell[i]
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

# Fill tier, tier_is, far_per_op, used_memory, rss, swap, far_share and placement from the server's counters of the cell's phase. All of the server's
# figures cover all clients together, and so does far_per_op: how often an instance had to wait for a page from swap (its major faults), or what
# HIT_COUNTERS counts, per command of the load as Redis counts them. The host's count of such pages includes other programs. Memory that the CPU accesses
# directly causes no faults, so far_per_op is then empty. It is also empty if an instance did not report a figure, because the sum of the others would
# be too small, and if a process was started again during the phase, because the counts of the first one are lost.
function fill_tier(    file, shown, line, f, differs, sum, told, known, port, ports, lacks, seen, tier, i, text, moved, moves, torn, requests, restarted, bytes) {
  shown = name["folder"]
  sub(/\/[^\/]*$/, "/server/counters.tsv", shown)
  file = text_opened(shown)
  phase_calls = phase_from = phase_to = 0
  damon_begin()
  cold_begin()
  tier["tier"] = tier["is"] = tier["far_bytes"] = tier["data_bytes"] = tier["placement"] = ""
  differs["calls"] = differs["majflt"] = differs["far_hits"] = differs["far_misses"] = differs["used_cpu_us"] = 1
  differs["rss"] = differs["swap"] = differs["used_memory"] = 0
  while ((getline line < file) > 0) {
    split(line, f, "\t")
    if (f[1] != cell["operation"]) continue
    seen = 1
    if (f[2] == "tier") tier[f[3]] = f[5]
    if (f[2] == "damon" || f[2] == "resctrl") damon_take(f)
    if (f[2] == "cold") cold_take(f)
    if (f[3] == "data" || f[3] == "memory") compressed_take(f)
    if (f[2] == "host" && f[3] == "time_us" && text_is_count(f[4]) && text_is_count(f[5])) {
      phase_from = f[4]
      phase_to = f[5]
    }
    # Pages of all processes that were promoted or demoted: no kernel counts them by process.
    if (f[2] == "host" && f[3] ~ /^pg(promote_success|demote_[a-z]+)$/) {
      if (text_is_count(f[4]) && text_is_count(f[5])) {
        moved += f[5] - f[4]
        moves++
      } else torn = 1
    }
    if (f[2] !~ /^[0-9]+$/) continue
    if (!(f[2] in known)) port[++ports] = f[2]
    known[f[2]] = 1
    if (f[3] == "unanswered") lacks[f[2]] = 1
    if (f[3] ~ /^(rss|swap|node[0-9]+)$/ && text_is_count(f[5])) bytes[f[3]] += f[5]
    if (!(f[3] in differs)) continue
    if (!text_is_count(f[5]) || (differs[f[3]] && !text_is_count(f[4]))) lacks[f[2]] = 1
    else {
      told[f[3]]++
      # A process that was started again counts from 0.
      if (differs[f[3]] && f[5] + 0 < f[4] + 0) restarted = 1
      sum[f[3]] += differs[f[3]] ? f[5] - f[4] : f[5]
    }
  }
  close(file)
  if (!seen) return
  for (i = 1; i <= ports; i++) if (port[i] in lacks) text = text " " port[i]
  if (text != "" && !((file, cell["operation"]) in warned)) {
    warned[file, cell["operation"]] = 1
    text_complain(shown, "counters of phase " cell["operation"] " are missing for port" text "; figures that require them are left empty")
  }
  if (!restarted) restarted = restarted_in(substr(file, 1, length(file) - length("server/counters.tsv")), cell["operation"])
  for (i in differs) if (told[i] < ports || restarted && differs[i]) delete sum[i]
  phase_calls = sum["calls"] + 0
  if (sum["calls"] > 0 && "majflt" in sum && tier["is"] !~ /(^| )direct( |$)/) {
    cell["far_per_op"] = text_number(sum["majflt"] / sum["calls"], 6)
    cell["hit_source"] = "majflt"
  }
  # The server's own counters, of HIT_COUNTERS. If a counter decreases, it is not a count.
  requests = told["far_hits"] ? ("far_hits" in sum ? sum["far_hits"] + sum["far_misses"] : 0) : phase_calls
  if ("far_misses" in sum && sum["far_misses"] >= 0 && requests > 0) {
    cell["far_per_op"] = text_number(sum["far_misses"] / requests, 6)
    cell["hit_source"] = "info"
  }
  damon_fill(phase_calls)
  cold_fill(tier["far"])
  moved += damon_moved()
  moves += damon_moved() != ""
  if (moves && !torn && phase_calls > 0) cell["moved_per_op"] = text_number(moved / phase_calls, 6)
  if (phase_calls > 0 && "used_cpu_us" in sum) cell["server_cpu_us_per_op"] = text_number(sum["used_cpu_us"] / phase_calls, 3)
  if (phase_from) cell["settle_s"] = settle_read(substr(file, 1, length(file) - length("counters.tsv")) "nodes.tsv", phase_from, phase_to)
  if (phase_from) cell["neighbour_gb_s"] = antagonist_read(substr(file, 1, length(file) - length("counters.tsv")) "antagonist.tsv", phase_from, phase_to)
  if ("used_memory" in sum) cell["used_memory"] = text_number(sum["used_memory"], 0)
  if ("rss" in sum) cell["rss"] = text_number(sum["rss"], 0)
  if ("swap" in sum) cell["swap"] = text_number(sum["swap"], 0)
  if (text_is_count(tier["data_bytes"]) && text_is_count(tier["far_bytes"]) && tier["data_bytes"] > 0) cell["far_share"] = text_number(tier["far_bytes"] / tier["data_bytes"], 4)
  # gawk 5.2 crashes when a function gets elements that do not exist.
  compressed_fill(cell["rss"] "", cell["swap"] "", tier["far_bytes"] "")
  discard_placed(bytes, tier["placement"], tier["placed_percent"])
  cell["tier"] = text_escape(tier["tier"])
  cell["tier_is"] = text_escape(tier["is"])
}

# Fill the columns of the source neighbours.tsv from the repeat's file: those of the server or the row's client, whichever has more of each.
function fill_neighbours(    file, line, f) {
  file = name["folder"]
  sub(/\/[^\/]*$/, "/neighbours.tsv", file)
  file = text_opened(file)
  while ((getline line < file) > 0) {
    if (split(line, f, "\t") < 12 || f[1] != cell["operation"] || (f[2] !~ /^server(:|$)/ && f[2] != name["client"])) continue
    if (cell["foreign_cpu_percent"] == "" || f[9] > cell["foreign_cpu_percent"] + 0) {
      cell["foreign_cpu_percent"] = f[9]
      cell["foreign_host"] = text_escape(f[2])
    }
    if (cell["steal_percent"] == "" || f[10] > cell["steal_percent"] + 0) cell["steal_percent"] = f[10]
    if ((13 in f) && f[4] > 0 && f[13] >= 10000 * f[4] * cell["throttled_percent"]) cell["throttled_percent"] = text_number(f[13] / f[4] / 10000, 1)
    if (cell["foreign_over"] == "" || f[12] > 0) cell["foreign_over"] = f[12] + 0
  }
  close(file)
}

# Fill the error margins of phase P from its series (margin.awk), for this client only.
function fill_margin(p,    i) {
  if (!margin_read(1, text_opened(name["folder"] "/" phase[p, "operation"] ".series.tsv"), 0, phase[p, "shortest"] / 1000000)) return
  margin_judge(margin_merge(1), cell["rate"] > 0)
  for (i = 1; i <= margin_columns; i++) cell[margin_column[i]] = margin_of[margin_column[i]]
}

# Rows are kept until the end: the header is known only when the axes of every run have been seen. Columns are only added after the others,
# so a row that is kept as text lacks only empty columns at its end.
function keep_row(    i, out) {
  numbers_check()
  out = cell[column_name[1]]
  for (i = 2; i <= columns_out; i++) out = out "\t" cell[column_name[i]]
  kept[++rows_out] = out
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
    if ("point" in name) {
      axes_fill()
      fill_tier()
      axes_used(r)
      hits_fill(phase_calls, r ? tsv[r, "warmup_s"] + 0 : 0)
      fill_neighbours()
      fill_search("search.tsv")
      fill_search("size.tsv")
      fill_cost()
      fill_failover()
      fill_wss()
      far_fill()
    }
    if (r) {
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
