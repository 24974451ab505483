# SPDX-License-Identifier: MIT
# Print a table per phase and point of runs with events, by variant: what each event took, and the latencies in its window and in the rest of the
# phase, from events.tsv of each repeat. Restarts have their own table. found.awk reads the files.
# Table: 96
# Needs: interval bound totals found
# Files: */*/rep-*/events.tsv

BEGIN {
  events_columns = "fork_ms took_s cow_mb peak_mb written_mb write_mb_s far_per_op p99_us p99_9_us max_us failed"
  restart_columns = "down_s load_s took_s full_s load_mb load_mb_s peak_mb p99_us p99_9_us max_us failed"
}

"fork_ms" in at {
  phase_of[point] = $at["phase"]
  found_row("event", "event " events_columns " down_s load_s full_s load_mb load_mb_s")
}

# Print the rows of a point, of restarts or of the other events, and the rest.
function print_events(p, restarts, columns, title, heads,    v, e, key, name, begun) {
  for (v = 1; v <= size["variant"]; v++)
    for (e = 1; e <= size["event"]; e++) {
      name = item["event", e]
      key = "event" SUBSEP p SUBSEP item["variant", v] SUBSEP name
      if (!count[key] || (name == "rest" ? !begun : (name ~ /^restart/) != restarts)) continue
      if (!begun++) table_begin(found_title(phase_of[p], p) ": " title, "variant|text|Variant\tevent|text|Event\t" heads \
        "\tp99_us|right|p99 us\tp99_9_us|right|p99.9 us\tmax_us|right|Longest wait us\tfailed|right|Failed")
      print "row", item["variant", v], name, found_medians(key, columns)
    }
}

END {
  remember_variants()
  for (i = 1; i <= size["point"]; i++) {
    print_events(item["point", i], 0, events_columns, "events, medians of repeats; `rest` is the phase outside of them", \
      "fork_ms|right|Fork ms\ttook_s|right|Took s\tcow_mb|right|Copied MB\tpeak_mb|right|Held MB\twritten_mb|right|Written MB\twrite_mb_s|right|MB/s\tfar_per_op|right|Far/op")
    print_events(item["point", i], 1, restart_columns, "restarts, medians of repeats; times to the first answer and to the full rate are from the start", \
      "down_s|right|Down s\tload_s|right|Load s\ttook_s|right|First answer s\tfull_s|right|Full rate s\tload_mb|right|Loaded MB\tload_mb_s|right|MB/s\tpeak_mb|right|Held MB")
  }
}
