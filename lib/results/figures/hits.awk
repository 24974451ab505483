# SPDX-License-Identifier: MIT
# The hit ratio of a phase, and of its first and last third: the fraction of requests without a major fault. Part of result.awk.
# All its names begin with hits_.

# Sets hit_ratio, hit_first and hit_last of the cell, from its far_per_op. CALLS is the number of requests to all instances,
# WARMUP the seconds of the warm-up.
function hits_fill(calls, warmup,    us, from, to, third, all) {
  if (cell["far_per_op"] == "" || schema_is_fill(cell["operation"])) return
  cell["hit_ratio"] = text_number(hits_part(cell["far_per_op"]), 6)
  us = cell["max_time_us"] + 0
  # Instances are sampled once per second, so a third of a shorter phase has too few samples.
  if (us < 6000000 || !text_is_count(cell["start_us"])) return
  third = us / 3000000
  if (!hits_served(third, us / 1000000) || !hits_marks()) return
  # The clocks of client and server may differ: move the phase between the marks.
  from = cell["start_us"] / 1000000
  if (from < hits_begun) from = hits_begun
  to = from + us / 1000000
  if (to > hits_ended) {
    to = hits_ended
    from = to - us / 1000000
  }
  hits_warmup = warmup
  hits_waits(from, from + third, to - third, to)
  # The series has only this client's requests: assume that the other clients had the same rate over time. The server counts the requests of
  # the warm-up, and the series does not.
  all = calls / hits_all * us / (us + warmup * 1000000)
  if (hits_ops[1] <= 0 || hits_ops[2] <= 0) return
  cell["hit_first"] = text_number(hits_part(hits_faults[1] / hits_ops[1] / all), 6)
  cell["hit_last"] = text_number(hits_part(hits_faults[2] / hits_ops[2] / all), 6)
}

# Returns the hit ratio for a number of waits per request. It is at least 0, as a request can wait twice.
function hits_part(waits) {
  return waits < 1 ? 1 - waits : 0
}

# Reads the series of the cell's phase, which lasts WHOLE seconds. Sets hits_ops[1] and hits_ops[2], the requests of the first and last THIRD
# seconds, and hits_all. Returns 0 if there is no series.
function hits_served(third, whole,    file, line, f, from, to) {
  hits_all = hits_ops[1] = hits_ops[2] = from = 0
  file = text_opened(name["folder"] "/" text_unescape(cell["operation"]) ".series.tsv")
  while ((getline line < file) > 0) {
    if (split(line, f, "\t") < 2 || f[1] !~ /^[0-9]+(\.[0-9]+)?$/ || !text_is_count(f[2])) continue
    to = f[1] + 0
    hits_all += f[2]
    if (to > from) {
      hits_ops[1] += f[2] * hits_common(from, to, 0, third) / (to - from)
      hits_ops[2] += f[2] * hits_common(from, to, whole - third, whole) / (to - from)
    }
    from = to
  }
  close(file)
  return hits_all > 0
}

# Returns the overlap of two intervals of time.
function hits_common(from, to, other_from, other_to) {
  if (other_from > from) from = other_from
  if (other_to < to) to = other_to
  return to > from ? to - from : 0
}

# Reads the marks around the cell's phase. Sets their times, hits_begun and hits_ended (the server's clock, seconds), and each instance's count
# of waits at these times, hits_before[port] and hits_after[port]. Returns the number of instances, 0 if a mark lacks an instance.
function hits_marks(    file, line, f, i, ports) {
  for (i in hits_before) delete hits_before[i]
  hits_begun = hits_ended = 0
  file = name["folder"]
  sub(/\/[^\/]*$/, "/server/counters.tsv", file)
  file = text_opened(file)
  while ((getline line < file) > 0) {
    if (split(line, f, "\t") != 5 || f[1] != text_unescape(cell["operation"])) continue
    if (f[2] == "cpus" && f[3] == "time_us" && text_is_count(f[4]) && text_is_count(f[5])) {
      hits_begun = f[4] / 1000000
      hits_ended = f[5] / 1000000
    }
    if (f[3] != "majflt") continue
    ports = text_is_count(f[4]) && text_is_count(f[5]) ? ports + 1 : -1000000
    hits_before[f[2]] = f[4]
    hits_after[f[2]] = f[5]
  }
  close(file)
  return hits_begun > 0 && hits_ended > hits_begun && ports > 0 ? ports : 0
}

# Spreads COUNT waits of an instance evenly from FROM to TO, and adds those from A to B to hits_faults[1], and those from C to D to
# hits_faults[2]. The interval is cut to the warm-up and the phase, because instances get no requests outside them.
function hits_spread(from, to, count, a, b, c, d) {
  if (from < a - hits_warmup) from = a - hits_warmup
  if (to > d) to = d
  if (to <= from) return
  hits_faults[1] += count * hits_common(from, to, a, b) / (to - from)
  hits_faults[2] += count * hits_common(from, to, c, d) / (to - from)
}

# Sets hits_faults[1], the waits from A to B, and hits_faults[2], those from C to D (the server's clock, seconds). The counts come from the marks
# and the samples between them.
function hits_waits(a, b, c, d,    file, line, f, when, faults, p) {
  hits_faults[1] = hits_faults[2] = 0
  for (p in hits_before) {
    when[p] = hits_begun
    faults[p] = hits_before[p]
  }
  file = name["folder"]
  sub(/\/[^\/]*$/, "/server/instances.tsv", file)
  file = text_opened(file)
  while ((getline line < file) > 0) {
    if (split(line, f, "\t") < 5 || f[1] !~ /^[0-9]+(\.[0-9]+)?$/ || !text_is_count(f[5])) continue
    if (!(f[2] in when) || f[1] + 0 <= when[f[2]] || f[1] + 0 >= hits_ended || f[5] + 0 < faults[f[2]]) continue
    hits_spread(when[f[2]], f[1] + 0, f[5] - faults[f[2]], a, b, c, d)
    when[f[2]] = f[1] + 0
    faults[f[2]] = f[5]
  }
  close(file)
  for (p in when) hits_spread(when[p], hits_ended, hits_after[p] - faults[p], a, b, c, d)
}
