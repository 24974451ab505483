# SPDX-License-Identifier: MIT
# Print a table per phase and point of runs with events, by variant: what each event took, and the latencies in its window and in the rest of the
# phase, from events.tsv of each repeat. found.awk reads the files.
# Table: 96
# Needs: interval bound totals found
# Files: */*/rep-*/events.tsv

BEGIN { events_columns = "fork_ms took_s cow_mb peak_mb written_mb write_mb_s p99_us p99_9_us max_us failed" }

"fork_ms" in at {
  phase_of[point] = $at["phase"]
  found_row("event", "event " events_columns)
}

function print_events(p,    v, e, key) {
  table_begin(found_title(phase_of[p], p) ": events, medians of repeats; `rest` is the phase outside of them", \
    "variant|text|Variant\tevent|text|Event\tfork_ms|right|Fork ms\ttook_s|right|Took s\tcow_mb|right|Copied MB\tpeak_mb|right|Held MB\twritten_mb|right|Written MB" \
    "\twrite_mb_s|right|MB/s\tp99_us|right|p99 us\tp99_9_us|right|p99.9 us\tmax_us|right|Longest wait us\tfailed|right|Failed")
  for (v = 1; v <= size["variant"]; v++)
    for (e = 1; e <= size["event"]; e++) {
      key = "event" SUBSEP p SUBSEP item["variant", v] SUBSEP item["event", e]
      if (count[key]) print "row", item["variant", v], item["event", e], found_medians(key, events_columns)
    }
}

END {
  remember_variants()
  for (i = 1; i <= size["point"]; i++) print_events(item["point", i])
}
