# SPDX-License-Identifier: MIT
# One row per event, over all instances, and a row `rest`: from persistence.tsv, and the latencies of the windows that windows.awk made of it.
# Variables: phase, its name; start, when it began (us since the epoch); full, what full.awk prints; far, what
# far.awk prints.
# Times: the longest of an instance, in s. Bytes: the sum over instances. peak_mb and write_mb_s are of one instance, the highest and the slowest,
# because with EVENTS.spread=one peaks do not coincide.

BEGIN {
  split(far, accesses, " ")
  n = split(full, until, " ")
  for (i = 1; i <= n; i++) {
    split(until[i], f, ":")
    full_s[f[1]] = f[2]
  }
}

# A figure, if it is wanted.
function figure(wanted, format, value) {
  return wanted ? sprintf(format, value) : ""
}

FNR == 1 {
  if (!files++) print "event", "phase", "instances", "failed", "fork_ms", "took_s", "cow_mb", "peak_mb", "written_mb", "write_mb_s", "from_s", "to_s", \
    "requests", "p99_us", "p99_9_us", "max_us", "down_s", "load_s", "full_s", "load_mb", "load_mb_s", "far_per_op"
  next
}

files == 1 {
  n = $1
  if (n > events) events = n
  if (!(n in name)) {
    kind[n] = $2
    # The second of a kind is another event.
    name[n] = $2 (++named[$2] > 1 ? " " named[$2] : "")
  }
  count[n]++
  if ($4 != "done") {
    failed[n]++
    next
  }
  # Defragmentation lasts until the load ends.
  seconds = $7 > 0 ? ($7 - $6) / 1e6 : 0
  if (seconds > longest[n]) longest[n] = seconds
  if (kind[n] == "restart") {
    if ($7 - $5 > down[n]) down[n] = $7 - $5
    if (!(n in begun) || $6 < begun[n]) begun[n] = $6
    if ($10 > loaded[n]) loaded[n] = $10
    # By the log of the instance, which has milliseconds.
    seconds = $10
  }
  if ($8 > fork[n]) fork[n] = $8
  cow[n] += $9
  if ($11 > peak[n]) peak[n] = $11
  written[n] += $12
  if (seconds > 0 && (!(n in rate) || $12 / seconds < rate[n])) rate[n] = $12 / seconds
  next
}

# Of the windows, those of numbers that have events, and then the rest.
{
  far_per_op = figure(accesses[FNR - 1] != "" && $6 > 0, "%.4f", accesses[FNR - 1] / ($6 > 0 ? $6 : 1))
  for (row++; row <= events && !(row in name); row++);
  if (row > events) {
    print "rest", phase, "", "", "", "", "", "", "", "", $1, $2, $6, $10, $11, $12, "", "", "", "", "", far_per_op
    next
  }
  n = row
  ended = count[n] > failed[n]
  forked = ended && kind[n] ~ /^(bgsave|bgrewriteaof|fullsync)$/
  back = ended && kind[n] == "restart"
  print name[n], phase, count[n], failed[n] + 0, figure(forked, "%.3f", fork[n] / 1e3), figure(ended, "%.3f", longest[n]), \
    figure(forked, "%.1f", cow[n] / 1e6), figure(forked || back, "%.1f", peak[n] / 1e6), figure(forked, "%.1f", written[n] / 1e6), \
    figure(forked && n in rate, "%.1f", rate[n] / 1e6), $1, $2, $6, $10, $11, $12, figure(back, "%.3f", down[n] / 1e6), figure(back, "%.3f", loaded[n]), \
    figure(back && n in full_s, "%.3f", full_s[n] - (begun[n] - start) / 1e6), figure(back, "%.1f", written[n] / 1e6), \
    figure(back && n in rate, "%.1f", rate[n] / 1e6), far_per_op
}
