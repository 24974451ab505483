# SPDX-License-Identifier: MIT
# The hit ratio of a phase, and of its first and last third: requests for which no instance waited for far memory. Part of result.awk.
# All its names begin with hits_.

# Fills hit_ratio, hit_first and hit_last of the cell, whose far_per_op is known; CALLS is how many requests all instances had,
# WARMUP the seconds of the warm-up.
function hits_fill(calls, warmup,    us, from, to, third, all) {
  if (cell["far_per_op"] == "" || cell["operation"] ~ /^populate/) return
  cell["hit_ratio"] = text_number(hits_part(cell["far_per_op"]), 6)
  us = cell["max_time_us"] + 0
  # Instances are sampled once a second.
  if (us < 6000000 || !text_is_count(cell["start_us"])) return
  third = us / 3000000
  if (!hits_served(third, us / 1000000) || !hits_marks()) return
  # A clock that is not the client's: the phase is between the marks.
  from = cell["start_us"] / 1000000
  if (from < hits_begun) from = hits_begun
  to = from + us / 1000000
  if (to > hits_ended) {
    to = hits_ended
    from = to - us / 1000000
  }
  hits_warmup = warmup
  hits_waits(from, from + third, to - third, to)
  # The series is of this client, and others were as fast at the same time. What was warmed up is counted by the server, and not in the series.
  all = calls / hits_all * us / (us + warmup * 1000000)
  if (hits_ops[1] <= 0 || hits_ops[2] <= 0) return
  cell["hit_first"] = text_number(hits_part(hits_faults[1] / hits_ops[1] / all), 6)
  cell["hit_last"] = text_number(hits_part(hits_faults[2] / hits_ops[2] / all), 6)
}

# What is left of 1 for waits a request: a request can wait twice.
function hits_part(waits) {
  return waits < 1 ? 1 - waits : 0
}

# Reads the series of the cell's phase: requests of the first THIRD seconds, hits_ops[1], of the last ones of WHOLE, hits_ops[2], and hits_all.
# Returns 0 where there is none.
function hits_served(third, whole,    file, line, f, from, to) {
  hits_all = hits_ops[1] = hits_ops[2] = from = 0
  file = text_opened(name["folder"] "/" text_unescape(cell["operation"]) ".series.tsv")
  while ((getline line < file) > 0) {
    if (split(line, f, "\t") < 2 || f[1] !~ /^[0-9.]+$/) continue
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

# How much two spans of time have in common.
function hits_common(from, to, other_from, other_to) {
  if (other_from > from) from = other_from
  if (other_to < to) to = other_to
  return to > from ? to - from : 0
}

# Reads the marks around the cell's phase, by the server's clock in seconds: hits_begun and hits_ended, and of each instance the waits until then,
# hits_before[port] and hits_after[port]. Returns how many instances there are, 0 where a mark lacks one.
function hits_marks(    file, line, f, i, ports) {
  for (i in hits_before) delete hits_before[i]
  hits_begun = hits_ended = 0
  file = name["folder"]
  sub(/\/[^\/]*$/, "/server/counters.tsv", file)
  file = text_opened(file)
  while ((getline line < file) > 0) {
    if (split(line, f, "\t") != 5 || f[1] != text_unescape(cell["operation"])) continue
    if (f[2] == "cpus" && f[3] == "time_us") {
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

# Adds the waits of an instance between two times, COUNT of them spread evenly, to hits_faults[1] for A to B, and to hits_faults[2] for C to D. Before the
# warm-up and after the phase nobody asks an instance for anything.
function hits_spread(from, to, count, a, b, c, d) {
  if (from < a - hits_warmup) from = a - hits_warmup
  if (to > d) to = d
  if (to <= from) return
  hits_faults[1] += count * hits_common(from, to, a, b) / (to - from)
  hits_faults[2] += count * hits_common(from, to, c, d) / (to - from)
}

# Sums up the waits from A to B, hits_faults[1], and from C to D, hits_faults[2], in seconds by the server's clock, from the marks and the samples
# between them.
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
    if (split(line, f, "\t") < 5 || !(f[2] in when) || f[1] + 0 <= when[f[2]] || f[1] + 0 >= hits_ended) continue
    hits_spread(when[f[2]], f[1] + 0, f[5] - faults[f[2]], a, b, c, d)
    when[f[2]] = f[1] + 0
    faults[f[2]] = f[5]
  }
  close(file)
  for (p in when) hits_spread(when[p], hits_ended, hits_after[p] - faults[p], a, b, c, d)
}
