# SPDX-License-Identifier: MIT
# The hit ratio of a phase, and of its first and last third: the fraction of requests without a major fault.

function hit_figures(    us, from, to, third, all) {
  if (cell["far_per_op"] == "" || schema_is_fill(cell["operation"])) return
  cell["hit_ratio"] = text_number(hit_part(cell["far_per_op"]), 6)
  hit_judge()
  us = cell["max_time_us"] + 0
  # Instances are sampled once per second, so a third of a shorter phase has too few samples.
  if (us < 6000000 || !text_is_count(cell["start_us"])) return
  third = us / 3000000
  if (!hit_served(third, us / 1000000) || !hit_marks()) return
  # The clocks of client and server may differ: move the phase between the marks.
  from = cell["start_us"] / 1000000
  if (from < hit_begun) from = hit_begun
  to = from + us / 1000000
  if (to > hit_ended) {
    to = hit_ended
    from = to - us / 1000000
  }
  hit_waits(from, from + third, to - third, to)
  # The series has only this client's requests: assume that the other clients had the same rate over time. The server counts the requests of
  # the warm-up, and the series does not.
  all = phase_calls / hit_all * us / (us + phase_warmup * 1000000)
  if (hit_ops[1] <= 0 || hit_ops[2] <= 0) return
  cell["hit_first"] = text_number(hit_part(hit_faults[1] / hit_ops[1] / all), 6)
  cell["hit_last"] = text_number(hit_part(hit_faults[2] / hit_ops[2] / all), 6)
}

# Warn of a hit ratio that differs from the requested one. With all data in DRAM there are no such waits.
function hit_judge(    asked, off) {
  asked = cell["hit_asked"]
  if (asked == "" || cell["tier_is"] !~ /(^| )limited( |$)/ && cell["hit_source"] != "info") return
  off = 100 * cell["hit_ratio"] - asked
  if (off < 0) off = -off
  if (off > 2) row_warn("the hit ratio differs from HIT_RATIO", off, sprintf("%.1f", 100 * cell["hit_ratio"]) " % for " asked, "off by " text_group(off, 1) " points")
}

# Returns the hit ratio for a number of waits per request. It is at least 0, as a request can wait twice.
function hit_part(waits) {
  return waits < 1 ? 1 - waits : 0
}

# Reads the series of the cell's phase, which lasts WHOLE seconds. Sets hit_ops[1] and hit_ops[2], the requests of the first and last THIRD
# seconds, and hit_all. Returns 0 if there is no series.
function hit_served(third, whole,    file, line, f, from, to) {
  hit_all = hit_ops[1] = hit_ops[2] = from = 0
  file = text_opened(name["folder"] "/" text_unescape(cell["operation"]) ".series.tsv")
  while ((getline line < file) > 0) {
    if (split(line, f, "\t") < 2 || f[1] !~ /^[0-9]+(\.[0-9]+)?$/ || !text_is_count(f[2])) continue
    to = f[1] + 0
    hit_all += f[2]
    if (to > from) {
      hit_ops[1] += f[2] * hit_common(from, to, 0, third) / (to - from)
      hit_ops[2] += f[2] * hit_common(from, to, whole - third, whole) / (to - from)
    }
    from = to
  }
  close(file)
  return hit_all > 0
}

# Returns the overlap of two intervals of time.
function hit_common(from, to, other_from, other_to) {
  if (other_from > from) from = other_from
  if (other_to < to) to = other_to
  return to > from ? to - from : 0
}

# Takes the marks around the cell's phase. Sets their times, hit_begun and hit_ended (the server's clock, seconds), and each instance's count
# of waits at these times, hit_before[port] and hit_after[port]. Returns the number of instances, 0 if a mark lacks an instance.
function hit_marks(    i, p, ports) {
  split("", hit_before)
  if (counter_change("cpus", "time_us") <= 0) return 0
  hit_begun = counter_begin("cpus", "time_us") / 1000000
  hit_ended = counter_end("cpus", "time_us") / 1000000
  for (i = 1; i <= counter_ports[cell["operation"]]; i++) {
    p = counter_port[cell["operation"], i]
    if (counter_text(p, "majflt") == "") continue
    hit_before[p] = counter_begin(p, "majflt")
    hit_after[p] = counter_text(p, "majflt")
    if (hit_before[p] == "" || !text_is_count(hit_after[p])) return 0
    ports++
  }
  return ports + 0
}

# Spreads COUNT waits of an instance evenly from FROM to TO, and adds those from A to B to hit_faults[1], and those from C to D to
# hit_faults[2]. The interval is cut to the warm-up and the phase, because instances get no requests outside them.
function hit_spread(from, to, count, a, b, c, d) {
  if (from < a - phase_warmup) from = a - phase_warmup
  if (to > d) to = d
  if (to <= from) return
  hit_faults[1] += count * hit_common(from, to, a, b) / (to - from)
  hit_faults[2] += count * hit_common(from, to, c, d) / (to - from)
}

# Sets hit_faults[1], the waits from A to B, and hit_faults[2], those from C to D (the server's clock, seconds). The counts come from the marks
# and the samples between them.
function hit_waits(a, b, c, d,    file, line, f, when, faults, p) {
  hit_faults[1] = hit_faults[2] = 0
  for (p in hit_before) {
    when[p] = hit_begun
    faults[p] = hit_before[p]
  }
  file = text_opened(repeat_folder "server/instances.tsv")
  while ((getline line < file) > 0) {
    if (split(line, f, "\t") < 5 || f[1] !~ /^[0-9]+(\.[0-9]+)?$/ || !text_is_count(f[5])) continue
    if (!(f[2] in when) || f[1] + 0 <= when[f[2]] || f[1] + 0 >= hit_ended || f[5] + 0 < faults[f[2]]) continue
    hit_spread(when[f[2]], f[1] + 0, f[5] - faults[f[2]], a, b, c, d)
    when[f[2]] = f[1] + 0
    faults[f[2]] = f[5]
  }
  close(file)
  for (p in when) hit_spread(when[p], hit_ended, hit_after[p] - faults[p], a, b, c, d)
}
