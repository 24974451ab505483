# SPDX-License-Identifier: MIT
# One row per event, over all instances, and a row `rest`: from persistence.tsv, and the latencies of the windows that windows.awk made of it.
# Variables: phase, its name. Times in s, the longest of an instance; bytes are the sum of all instances. Memory that is held, and the rate of writing, are
# those of one instance, the most and the slowest: with EVENTS.spread=one the instances have their turns, and peaks are at different times.

FNR == 1 {
  if (!files++) print "event", "phase", "instances", "failed", "fork_ms", "took_s", "cow_mb", "peak_mb", "written_mb", "write_mb_s", "from_s", "to_s", \
    "requests", "p99_us", "p99_9_us", "max_us"
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
  if ($8 > fork[n]) fork[n] = $8
  cow[n] += $9
  if ($11 > peak[n]) peak[n] = $11
  written[n] += $12
  if (seconds > 0 && (!(n in rate) || $12 / seconds < rate[n])) rate[n] = $12 / seconds
  next
}

# Of the windows, those of numbers that have events, and then the rest.
{
  for (row++; row <= events && !(row in name); row++);
  if (row > events) {
    print "rest", phase, "", "", "", "", "", "", "", "", $1, $2, $6, $10, $11, $12
    next
  }
  n = row
  ended = count[n] > failed[n]
  forked = kind[n] ~ /^(bgsave|bgrewriteaof|fullsync)$/ && ended
  print name[n], phase, count[n], failed[n] + 0, forked ? sprintf("%.3f", fork[n] / 1e3) : "", ended ? sprintf("%.3f", longest[n]) : "", \
    forked ? sprintf("%.1f", cow[n] / 1e6) : "", forked ? sprintf("%.1f", peak[n] / 1e6) : "", forked ? sprintf("%.1f", written[n] / 1e6) : "", \
    forked && n in rate ? sprintf("%.1f", rate[n] / 1e6) : "", $1, $2, $6, $10, $11, $12
}
