# SPDX-License-Identifier: MIT
# The far memory that was touched in a phase, and the pages that were migrated, by the counters of DAMON.

# The min number of aggregations.
BEGIN { damon_least = 3 }

function damon_figures(    moved) {
  cell["far_wss_bytes"] = damon_touched()
  moved = counter_change("damon", "moved_pages")
  phase_moved += moved
  phase_moves += moved != ""
}

# Returns the mean bytes of the slow nodes that were accessed within one sample (100 ms); empty if DAMON did not monitor the whole phase, or had fewer
# than three aggregations.
function damon_touched(    i, all, touched, samples, change) {
  # The highest number of accesses that an aggregation counts.
  while (counter_text("damon", "access" (samples + 1)) != "") samples++
  if (!samples) return ""
  for (i = 0; i <= samples; i++) {
    change = counter_change("damon", "access" i)
    if (change == "") return ""
    all += change
    touched += change * i / samples
  }
  i = counter_end("damon", "far_bytes")
  return i <= 0 || all / i < damon_least ? "" : text_number(touched / all * i, 0)
}
