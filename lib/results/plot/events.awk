# SPDX-License-Identifier: MIT
# Events on a server or a client during the measurement, as marks over time: from the series, KEY_PATTERN.shift, the logs of the instances, and the
# kernel's counters. Part of detail.awk; time.awk has read the series.

function events_clear(    i) {
  for (i in event_number) delete event_number[i]
  for (i in event_seen) delete event_seen[i]
  for (i in event_row) delete event_row[i]
  events = event_kinds = event_rows = 0
}

# Add an event of variant V; the same event of another instance in the same second is not added again.
function event_add(v, seconds, kind) {
  if (kind == "" || seconds < 0 || seconds > events_end + 1 || ((v, int(seconds), kind) in event_seen)) return
  event_seen[v, int(seconds), kind] = 1
  if (!(kind in event_number)) {
    event_name[++event_kinds] = kind
    event_number[kind] = event_kinds
    event_count[event_kinds] = 0
  }
  if (!(v in event_row)) event_row[v] = ++event_rows
  event_count[event_number[kind]]++
  event_at[++events] = sprintf("%.3f\t%d", seconds, event_number[kind])
  event_of[events] = v
}

# Events recorded by the load generators.
function events_series(v,    p, k, middle, span) {
  events_end = 0
  for (p = 1; p <= phases; p++) if (intervals[p] && phase_to[p] > events_end) events_end = phase_to[p]
  for (p = 1; p <= phases; p++)
    for (k = 1; k <= intervals[p]; k++) {
      span = interval[p, k, "to"] - interval[p, k, "from"]
      middle = interval[p, k, "from"] + span / 2
      if (interval[p, k, "errors"] > 0) event_add(v, middle, "requests failed")
      if (interval[p, k, "misses"] > 0) event_add(v, middle, "keys not found")
      # The rest of a phase after its last whole interval may be empty.
      if (interval[p, k, "ops"] == 0 && span > (interval[p, 1, "to"] - interval[p, 1, "from"]) / 2) event_add(v, middle, "nothing answered")
    }
}

# The moves of the popular keys, by KEY_PATTERN.shift of each phase.
function events_shift(g, v,    p, every, at) {
  for (p = 1; p <= phases; p++) {
    every = intervals[p] ? shift_of[row_of[p, g, v, 1]] + 0 : 0
    if (every > 0) for (at = phase_from[p] + every; at < phase_to[p]; at += every) event_add(v, at, "popular keys move")
  }
}

# Events from the kernel's counters in FILE: the OOM killer, and where a second with a MiB or more of moved pages follows one with less. Returns the
# time of the first sample, or "".
function events_kernel(v, file,    line, f, at, i, n, first, when, kind, kinds, now, moved, was, moves) {
  kinds = split("OOM killer\tpages promoted\tpages demoted\tpages migrated", kind, "\t")
  while ((getline line < file) > 0) {
    n = split(line, f, "\t")
    if (f[1] == "time") {
      for (i = 1; i <= n; i++) at[f[i]] = i
      continue
    }
    when = f[1] - (begin + ahead) / 1e6
    now[1] = f[at["oom_kill"]] + 0
    now[2] = f[at["pgpromote_success"]] + 0
    now[3] = f[at["pgdemote_kswapd"]] + f[at["pgdemote_direct"]] + f[at["pgdemote_khugepaged"]] + f[at["pgdemote_proactive"]]
    # The kernel counts promoted pages among the migrated ones.
    now[4] = f[at["numa_pages_migrated"]] - now[2]
    for (i = 1; i <= kinds; i++) {
      moves = first != "" && now[i] - was[i] >= (i == 1 ? 1 : 256)
      if (moves && (i == 1 || !moved[i])) event_add(v, when, kind[i])
      moved[i] = moves
      was[i] = now[i]
    }
    if (first == "") first = f[1] + 0
  }
  close(file)
  return first
}

# Events from the server's own files.
function events_server(g, v,    r, p, i, n, had, first, now) {
  r = time_first_row(g, v)
  first = events_kernel(v, text_opened(folder[r] "/../server/vmstat.tsv"))
  events_fault(v, text_opened(folder[r] "/../server/events.tsv"))
  if (first == "") return
  for (p = 1; p <= phases; p++)
    for (i = 1; i <= cell_rows[p, g, v]; i++) {
      r = row_of[p, g, v, i]
      if (repeat[r] != repeat[row_of[p, g, v, 1]] || port[r] !~ /^[0-9]+$/) continue
      # The replicas of a cluster have the higher ports.
      for (n = 0; n < instances[r] || had; n++)
        if (!((port[r] + n) in now)) {
          now[port[r] + n] = 1
          had = events_log(v, text_opened(folder[r] "/../server/redis-" (port[r] + n) ".log"), first)
        }
    }
}

# The steps of a fault, with the server's time.
function events_fault(v, file,    line, f) {
  while ((getline line < file) > 0) {
    split(line, f, "\t")
    if (f[1] ~ /^[0-9]+$/ && f[3] ~ /^(node down|taken over|not taken over|node up|resync ends|failed back|not failed back)$/) event_add(v, (f[1] - begin - ahead) / 1e6, f[3])
  }
  close(file)
}

# Read the log of an instance from the time at which it was ready. Its lines have the server's local time. The time zone is found with the
# first sample, which was taken moments later: zones differ by quarters of an hour. Returns whether the file exists.
function events_log(v, file, first,    line, ready, when, zone, lines) {
  while ((getline line < file) > 0) {
    lines++
    if (line !~ /^[0-9]+:[A-Z] [0-9]+ [A-Z][a-z][a-z] [0-9]+ [0-9:.]+ [-.*#] /) continue
    if (!ready) {
      if (line !~ /Ready to accept connections/) continue
      ready = 1
      zone = (event_seconds(line) - first) / 900
      zone = 900 * int(zone + (zone < 0 ? -0.5 : 0.5))
      continue
    }
    event_add(v, event_seconds(line) - zone - (begin + ahead) / 1e6, event_kind(line))
  }
  close(file)
  return lines > 0
}

# Seconds since the epoch of a log line's time, as if it were UTC.
function event_seconds(line,    f, clock, month, year, days) {
  split(line, f, " ")
  split(f[5], clock, ":")
  month = (index("JanFebMarAprMayJunJulAugSepOctNovDec", f[3]) + 2) / 3
  # Years begin in March here, so that the leap day is their last day.
  year = f[4] - (month <= 2)
  days = 365 * year + int(year / 4) - int(year / 100) + int(year / 400) + int((153 * (month + (month > 2 ? -3 : 9)) + 2) / 5) + f[2] - 1 - 719468
  return days * 86400 + clock[1] * 3600 + clock[2] * 60 + clock[3]
}

# The meaning of a line of an instance's log for its clients; empty for irrelevant lines.
function event_kind(line) {
  if (line ~ /Background saving started/) return "snapshot begins"
  if (line ~ /^[0-9]+:M .*(Background saving terminated with success|DB saved on disk)/) return "snapshot ends"
  if (line ~ /Background saving error|Background saving terminated by|Can.t save in background/) return "snapshot fails"
  if (line ~ /Background append only file rewriting started/) return "AOF rewrite begins"
  if (line ~ /Background AOF rewrite finished successfully/) return "AOF rewrite ends"
  if (line ~ /Asynchronous AOF fsync is taking too long/) return "AOF waits for the disk"
  if (line ~ /Ready to accept connections/) return "instance restarted"
  if (line ~ /Out Of Memory/) return "out of memory"
  if (line ~ /closed .*output buffer limits/) return "connection cut off"
  if (line ~ /Marking node .* as failing \(quorum reached\)/) return "node failing"
  if (line ~ /Failover election won/) return "election won"
  if (line ~ /MASTER|[Mm]aster|[Rr]eplica|[Ss]lave|[Rr]esync/) return "replication"
  return line ~ /^[^#]* # / ? "Redis warns" : ""
}

# Write the events, or with V only those of a variant, as a block: seconds, kind, row from the top below the ROWS of labels, colour; returns the number of
# rows.
function events_print(file, rows, v,    e) {
  if (v == "" ? !events : !(v in event_row)) return 0
  printf "\n\n" > file
  for (e = 1; e <= events; e++)
    if (v == "" || event_of[e] == v) printf "%s\t%d\t%d\n", event_at[e], rows + (v == "" ? event_row[event_of[e]] : 1), (event_of[e] - 1) % 7 + 1 > file
  for (e = 1; e <= event_kinds; e++) print event_name[e] > (file ".events")
  close(file ".events")
  return v == "" ? event_rows : 1
}

# The kinds of events in words.
function events_words(    e, out) {
  for (e = 1; e <= event_kinds; e++) out = out (e > 1 ? ", " : "") event_name[e] " (" event_count[e] ")"
  return out == "" ? "" : " Marked above the lines: " out "."
}
