# SPDX-License-Identifier: MIT
# From rows to what was reached while every generator was running: one line a (run, variant, point, repeat, operation).
#
# Instances that are done leave the others more of the machine, so the end of a phase measures something else. The window
# is from the latest start of a client to the first thread that was done, on the master's clock (starts.tsv). Operations
# are those of the series; a row that the window cuts counts by its share of time. Without a series every thread counts with its own rate.
# Output columns: run variant variant_rank point repeat operation len servers ops_per_sec window_us cut_percent ops client_cpu_us
# elapsed_us threads client_limited rate folder.

function at(column) {
  return (column in place_of) ? $place_of[column] : ""
}

# Starts of the clients of total T in starts.tsv: start[client], in us.
function read_starts(t,    file, line, f, i) {
  for (i in start) delete start[i]
  file = text_opened(text_unescape(folder[t] "/../starts.tsv"))
  while ((getline line < file) > 0) {
    split(line, f, "\t")
    if (f[1] == text_unescape(operation[t]) && f[3] ~ /^[0-9]+$/) start[f[2]] = f[3] + 0
  }
  close(file)
}

# Reads what each thread of member M did in its phase: sets first_done, last_done (us) and rate (operations a us, all threads).
function read_threads(m,    file, line, f, inside, words) {
  first_done = last_done = rate = 0
  file = text_opened(text_unescape(log_of[m]))
  words = " threads started - " text_unescape(operation[total_of[m]])
  while ((getline line < file) > 0) {
    if (index(line, " threads started - ")) inside = substr(line, length(line) - length(words) + 1) == words
    else if (inside && substr(line, 1, 7) == "Thread " && split(line, f, " ") > 9 && f[9] == "elapse" && f[10] > 0) {
      if (!first_done || f[10] + 0 < first_done) first_done = f[10] + 0
      if (f[10] + 0 > last_done) last_done = f[10] + 0
      rate += f[6] / f[10]
    }
  }
  close(file)
}

# Operations of member M between FROM and TO, us since its start; -1 when it has no series.
function read_series(m, from, to,    file, line, f, n, i, column, before, after, share, sum, rows) {
  file = text_opened(text_unescape(folder_of[m] "/" operation[total_of[m]] ".series.tsv"))
  if ((getline line < file) > 0) {
    n = split(line, f, "\t")
    for (i = 1; i <= n; i++) column[f[i]] = i
    while ((getline line < file) > 0) {
      split(line, f, "\t")
      rows++
      before = after
      after = f[column["time_s"]] * 1000000
      # The last row ends with the last thread; its time is rounded.
      if (after > done_of[m]) after = done_of[m]
      share = (after < to ? after : to) - (before > from ? before : from)
      if (share > 0 && after > before) sum += f[column["ops"]] * share / (after - before)
    }
  }
  close(file)
  return rows ? sum : -1
}

BEGIN { FS = OFS = "\t" }

NR == 1 {
  for (i = 1; i <= NF; i++) place_of[$i] = i
  next
}

{
  key = at("run_folder") SUBSEP at("variant") SUBSEP at("point") SUBSEP at("repeat") SUBSEP at("operation")
  if (!(key in number)) {
    t = number[key] = ++totals
    head[t] = at("run") OFS at("variant") OFS at("variant_rank") OFS at("point") OFS at("repeat") OFS at("operation") OFS at("len")
    operation[t] = at("operation")
    folder[t] = at("folder")
  }
  t = number[key]
  m = ++members
  total_of[m] = t
  folder_of[m] = at("folder")
  log_of[m] = at("filename")
  client_of[m] = text_unescape(at("client"))
  list[t] = list[t] " " m
  servers[t] += at("servers")
  threads[t] += at("threads")
  ops[t] += at("ops")
  limited[t] += at("client_limited")
  scheduled[t] += at("rate")
  if (at("client_cpu_us") == "") no_cpu[t] = 1
  cpu[t] += at("client_cpu_us")
  if (at("max_time_us") + 0 > elapsed[t]) elapsed[t] = at("max_time_us") + 0
}

END {
  print "run", "variant", "variant_rank", "point", "repeat", "operation", "len", "servers", "ops_per_sec", "window_us", "cut_percent", "ops",
    "client_cpu_us", "elapsed_us", "threads", "client_limited", "rate", "folder"
  for (t = 1; t <= totals; t++) {
    read_starts(t)
    n = split(list[t], member, " ")
    from = to = last = ""
    earliest = ""
    for (i = 1; i <= n; i++) {
      m = member[i]
      read_threads(m)
      # One client alone needs no clock but its own.
      begin[m] = n == 1 ? 0 : (client_of[m] in start) ? start[client_of[m]] : ""
      own_rate[m] = rate
      done_of[m] = last_done
      if (begin[m] == "" || !first_done) break
      if (earliest == "" || begin[m] < earliest) earliest = begin[m]
      if (from == "" || begin[m] > from) from = begin[m]
      if (to == "" || begin[m] + first_done < to) to = begin[m] + first_done
      if (last == "" || begin[m] + last_done > last) last = begin[m] + last_done
    }
    # Without the times there is no window, and without a window no figure.
    if (i <= n || to <= from) {
      print head[t], servers[t], "", "", "", ops[t], no_cpu[t] ? "" : cpu[t], elapsed[t], threads[t], limited[t], scheduled[t], folder[t]
      continue
    }
    sum = 0
    for (i = 1; i <= n; i++) {
      m = member[i]
      part = read_series(m, from - begin[m], to - begin[m])
      sum += part < 0 ? own_rate[m] * (to - from) : part
    }
    print head[t], servers[t], text_number(sum * 1000000 / (to - from), 3), text_number(to - from, 0), text_number(100 * (1 - (to - from) / (last - earliest)), 1),
      ops[t], no_cpu[t] ? "" : cpu[t], elapsed[t], threads[t], limited[t], scheduled[t], folder[t]
  }
}
