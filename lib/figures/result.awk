# SPDX-License-Identifier: MIT
# Reads load generator logs, ours and the guide's, with the result.tsv beside them, and prints one row a phase.
#
# Input, a line each, tab-separated, names escaped as in text.awk:
#   D GIVEN REAL      a folder as the user named it, and where it really is (for the names in the path)
#   F PATH [VERBATIM] a log to read; VERBATIM when the user named the file itself
#   E MESSAGE         something found wrong while looking for logs
# Output: a header, then rows, tab-separated and escaped. The first columns are those of the CSV; behind them come all
# other columns of result.tsv, and for the table, compare and report: folder, run_folder (absolute), variant_rank (place of
# the variant in VARIANTS), histogram (the file of the phase), tsv (1 when there is a result.tsv), instance_keys (the keys of an
# instance, where `keys` is what a phase made of requests to it) and tier (the variant's).
# Exit status 1 when anything could not be read whole; what was whole is printed all the same.

function complain(path, what) {
  printf "%s: %s: %s\n", program, path, what > "/dev/stderr"
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

# Reads the scenario and the order of the variants from the run.conf of the run in FOLDER; without one, the scenario is
# what is left of the run's NAME after its time.
function read_conf(folder, name,    line, file, n, i, word) {
  if (folder in scenario_of) return
  scenario_of[folder] = name
  sub(/^[0-9][0-9TZ:_-]*-/, "", scenario_of[folder])
  file = text_opened(folder "/run.conf")
  while ((getline line < file) > 0) {
    if (line ~ /^SCENARIO=/) scenario_of[folder] = unquoted(substr(line, 10))
    if (line ~ /^VARIANTS=/) {
      n = split(unquoted(substr(line, 10)), word, " ")
      for (i = n; i >= 1; i--) rank_of[folder, word[i]] = i
    }
  }
  close(file)
}

function unquoted(value) {
  return value ~ /^".*"$/ || value ~ /^'.*'$/ ? substr(value, 2, length(value) - 2) : value
}

# Sets name[run, scenario, variant, point, repeat, client, folder ...] from where a log lies and what it is called.
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
    name["client"] = substr(rest, 1, RSTART - 1)
    name["repeat"] = substr(stamp, index(stamp, ".") + 1)
  }
  if (n >= 7 && part[n - 2] ~ /^rep-/) {
    if (part[n - 2] !~ /^rep-[0-9]+$/) return 0
    name["client"] = part[n - 1]
    name["repeat"] = substr(part[n - 2], 5)
    name["point"] = part[n - 3]
    name["variant"] = part[n - 4]
    name["run"] = part[n - 5]
    folder = ""
    for (i = 2; i <= n - 5; i++) folder = folder "/" part[i]
    read_conf(folder, name["run"])
    name["scenario"] = scenario_of[folder]
    name["variant_rank"] = (folder, name["variant"]) in rank_of ? rank_of[folder, name["variant"]] : ""
    name["run_folder"] = folder
  } else if (!verbatim) name["run"] = part[n - 1]
  return 1
}

# Reads result.tsv beside a log into tsv[row, column]; returns its number of rows, -1 when there is none, -2 when it is broken.
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
  for (i = 1; i <= columns; i++) see_column(column[i])
  rows = 0
  while ((status = (getline line < file)) > 0) {
    n = split(line, cell, "\t")
    if (n != columns) {
      complain(shown_tsv, "line " (rows + 2) " has " n " columns and not " columns "; the file is cut short or not ours")
      close(file)
      return -2
    }
    rows++
    for (i = 1; i <= n; i++) tsv[rows, column[i]] = cell[i]
  }
  close(file)
  return rows
}

# A column of result.tsv that has no place yet gets one behind the others.
function see_column(column) {
  if (column == "" || (column in place_of)) return
  place_of[column] = ++columns_out
  column_name[columns_out] = column
}

# The row of result.tsv that is the phase P of the log, 0 when none is; each is used once.
function tsv_row(p, rows,    r) {
  for (r = 1; r <= rows; r++)
    if (!(r in tsv_used) && tsv[r, "operation"] == phase[p, "operation"]) {
      tsv_used[r] = 1
      return r
    }
  return 0
}

# What result.tsv and the log say differently about phase P; empty when they agree.
function disagreement(p, r,    out) {
  out = ""
  if (tsv[r, "len"] != phase[p, "len"]) out = out ", len " tsv[r, "len"] " against " phase[p, "len"]
  if (tsv[r, "threads"] != phase[p, "threads"]) out = out ", threads " tsv[r, "threads"] " against " phase[p, "threads"]
  if (tsv[r, "max_time_us"] != phase[p, "longest"]) out = out ", longest thread " tsv[r, "max_time_us"] " us against " phase[p, "longest"] " us"
  if (tsv[r, "ops"] != "" && tsv[r, "ops"] + 0 != phase[p, "keys_sum"]) out = out ", operations " tsv[r, "ops"] " against " phase[p, "keys_sum"]
  return substr(out, 3)
}

# Fills cell[column], escaped, for phase P; r is its row of result.tsv or 0. A value of result.tsv holds no tab or line break,
# and a backslash in it is the generator's own escape.
function fill_cells(path, p, r,    i, us, seconds, bits) {
  for (i in cell) delete cell[i]
  if (r) for (i = 1; i <= columns_out; i++) if ((r, column_name[i]) in tsv) cell[column_name[i]] = tsv[r, column_name[i]]
  us = phase[p, "longest"]
  seconds = int(us / 1000000)
  cell["filename"] = text_escape(path)
  cell["clients"] = sections
  cell["len"] = phase[p, "len"]
  cell["servers"] = (r && tsv[r, "instances"] > 0) ? tsv[r, "instances"] : phase[p, "servers"]
  cell["instance_keys"] = r ? tsv[r, "keys"] : phase[p, "keys"]
  # Threads that share an instance, or that run for a time, say what each of them did; keys is what each instance got.
  if (r && cell["servers"] != phase[p, "threads"]) cell["keys"] = int(phase[p, "keys_sum"] / cell["servers"])
  else cell["keys"] = phase[p, "keys"]
  cell["max_time"] = seconds
  cell["operation"] = text_escape(phase[p, "operation"])
  cell["threads"] = phase[p, "threads"]
  cell["max_time_us"] = us
  # keys_sum is servers * keys. With values of several sizes, or GETs that found nothing, only the sum of bytes tells what was carried.
  bits = phase[p, "keys_sum"] * phase[p, "len"] * 8
  if (r && text_is_count(tsv[r, "bytes"]) && (tsv[r, "misses"] > 0 || tsv[r, "sizes"] != "" && tsv[r, "sizes"] != "-")) bits = tsv[r, "bytes"] * 8
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

# Fills tier, far_per_op, used_memory, rss, swap, far_share and placement from what the server's counters say of the cell's phase.
# All of the server's figures are of all clients together, and so is far_per_op: how often an instance had to wait for a page
# from swap (its major faults), by what Redis counted of SET and GET. The host's count of such pages has those of everybody else
# in it. Memory that the CPU reaches by itself is fetched unseen, so there it stays empty. So does what an instance did not tell
# that was asked: the sum of the others is not the figure.
function fill_tier(    file, shown, line, f, differs, sum, told, known, port, ports, lacks, seen, tier, i, text) {
  shown = name["folder"]
  sub(/\/[^\/]*$/, "/server/counters.tsv", shown)
  file = text_opened(shown)
  tier["tier"] = tier["far_bytes"] = tier["data_bytes"] = tier["placement"] = ""
  differs["calls"] = differs["majflt"] = 1
  differs["rss"] = differs["swap"] = differs["used_memory"] = 0
  while ((getline line < file) > 0) {
    split(line, f, "\t")
    if (f[1] != cell["operation"]) continue
    seen = 1
    if (f[2] == "tier") tier[f[3]] = f[5]
    if (f[2] !~ /^[0-9]+$/) continue
    if (!(f[2] in known)) port[++ports] = f[2]
    known[f[2]] = 1
    if (f[3] == "unanswered") lacks[f[2]] = 1
    if (!(f[3] in differs)) continue
    if (f[5] == "-" || (differs[f[3]] && f[4] == "-")) lacks[f[2]] = 1
    else {
      told[f[3]]++
      sum[f[3]] += differs[f[3]] ? f[5] - f[4] : f[5]
    }
  }
  close(file)
  if (!seen) return
  for (i = 1; i <= ports; i++) if (port[i] in lacks) text = text " " port[i]
  if (text != "" && !((file, cell["operation"]) in warned)) {
    warned[file, cell["operation"]] = 1
    printf "%s: %s: not all counters of phase %s are known of port%s; what needs them is left empty\n", program, shown, cell["operation"], text > "/dev/stderr"
  }
  for (i in differs) if (told[i] < ports) delete sum[i]
  if (sum["calls"] > 0 && "majflt" in sum && tier["tier"] !~ /^(bind|preferred|interleave|weighted|tiering|imdt)$/)
    cell["far_per_op"] = text_number(sum["majflt"] / sum["calls"], 6)
  if ("used_memory" in sum) cell["used_memory"] = text_number(sum["used_memory"], 0)
  if ("rss" in sum) cell["rss"] = text_number(sum["rss"], 0)
  if ("swap" in sum) cell["swap"] = text_number(sum["swap"], 0)
  if (tier["data_bytes"] > 0 && tier["far_bytes"] != "-") cell["far_share"] = text_number(tier["far_bytes"] / tier["data_bytes"], 4)
  cell["placement"] = text_escape(tier["placement"])
  cell["tier"] = text_escape(tier["tier"])
}

# Rows are kept until the end: the header is known only when every result.tsv has been seen. Columns are only ever added
# behind the others, so a row that is kept as text lacks nothing but empty columns at its end.
function keep_row(    i, out) {
  out = cell[column_name[1]]
  for (i = 2; i <= columns_out; i++) out = out "\t" cell[column_name[i]]
  kept[++rows_out] = out
  wide[rows_out] = columns_out
}

function take_file(path, verbatim,    file, rows, p, r, what, tsv_file) {
  if (!place(path, verbatim)) {
    complain(path, "belongs to a repeat that was not finished; left out")
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
    if ("point" in name) fill_tier()
    keep_row()
  }
  for (r = 1; r <= rows; r++)
    if (!(r in tsv_used)) complain(path, "has no whole phase " tsv[r, "operation"] ", which result.tsv beside it has")
}

BEGIN {
  FS = "\t"
  program = ENVIRON["RESULT_PROGRAM"]
  start_folder = ENVIRON["PWD"]
  columns_out = split("filename clients len servers keys max_time operation run scenario variant point repeat client threads" \
    " connections pipeline rate ops ops_per_sec tx_bps avg_us p50_us p90_us p99_us p99_9_us p99_99_us max_us max_time_us" \
    " errors misses folder run_folder variant_rank histogram tsv instance_keys tier far_per_op used_memory rss swap far_share placement", column_name, " ")
  for (i = 1; i <= columns_out; i++) place_of[column_name[i]] = i
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
