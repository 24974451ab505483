# SPDX-License-Identifier: MIT
# Far accesses (major faults) of the instances in each window of an event and in the rest, in the order of the windows, separated by blanks; nothing if
# they are not counted. Between two samples of an instance its count grows evenly. Monitors sample each second, marks at both ends of the phase, and each
# event has a sample at its begin and at its end, so that its window has its own count.
# Input: counters.tsv, persistence.tsv, instances.tsv. Variables: windows, as windows.awk prints them; phase, its name; start, when it began (us since the
# epoch); phase_s, its length, and warmup, the load before it, in s; ahead, how far the clock of counters.tsv and instances.tsv is ahead (us).

FNR == 1 {
  files++
  next
}

files == 1 && $1 == phase && $2 == "host" && $3 == "time_us" {
  begun = $4 - ahead
  ended = $5 - ahead
}

files == 1 && $1 == phase && $3 == "majflt" {
  before[$2] = $4
  after[$2] = $5
}

files == 2 && $4 == "done" {
  sample($3, $5, $13)
  if ($7 > 0) sample($3, $7, $14)
}

files == 3 { sample($2, $1 * 1e6 - ahead, $5) }

# Keep a count of an instance, in the order of time.
function sample(port, us, count,    i) {
  if (!(port in before) || count !~ /^[0-9]+$/) return
  for (i = ++samples[port]; i > 1 && at[port, i - 1] > us; i--) {
    at[port, i] = at[port, i - 1]
    faults[port, i] = faults[port, i - 1]
  }
  at[port, i] = us
  faults[port, i] = count
}

# Spread a count evenly over a span, in the part of it in which there were requests.
function spread(from, to, count,    i) {
  from = (from - start) / 1e6
  to = (to - start) / 1e6
  if (from < -warmup) from = -warmup
  if (to > phase_s) to = phase_s
  if (to <= from || count <= 0) return
  for (i = 1; i <= ranges; i++) sum[window_of[i]] += count * overlap(from, to, range_from[i], range_to[i]) / (to - from)
}

END {
  windows_count = split(windows, window, ",")
  for (w = 1; w <= windows_count; w++) {
    n = split(window[w], range, "+")
    for (i = 1; i <= n; i++) {
      window_of[++ranges] = w
      split(range[i], edge, "-")
      range_from[ranges] = edge[1] + 0
      range_to[ranges] = edge[2] + 0
    }
  }
  for (port in before) {
    if (before[port] !~ /^[0-9]+$/ || after[port] !~ /^[0-9]+$/) exit
    known++
    sample(port, begun, before[port])
    sample(port, ended, after[port])
    for (i = 2; i <= samples[port]; i++) {
      # A sample has its time a moment before its count.
      if (faults[port, i] + 0 < faults[port, i - 1] + 0) faults[port, i] = faults[port, i - 1]
      spread(at[port, i - 1], at[port, i], faults[port, i] - faults[port, i - 1])
    }
  }
  for (w = 1; known && w <= windows_count; w++) printf "%s%.1f", (w > 1 ? " " : ""), sum[w]
}
