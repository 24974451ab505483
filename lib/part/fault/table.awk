# SPDX-License-Identifier: MIT
# Print two tables per phase and point of runs with a fault, by variant: the windows between its steps, and the figures of the failover, from
# windows.tsv and failover.tsv of each repeat. found.awk reads the files.
# Table: 95
# Needs: interval bound totals found
# Files: */*/rep-*/windows.tsv */*/rep-*/failover.tsv

# The min and max of a figure over repeats.
function fault_range(key, column) {
  found_range(key, column, column)
  return found_low == "" ? "" : text_short(found_low) ".." text_short(found_high)
}

function print_windows(p,    v, w, key) {
  table_begin(found_title(phase_of[p], p) ": windows between the steps of the fault, medians of repeats", \
    "variant|text|Variant\twindow|text|Window\tfrom_s|right|From s\tto_s|right|To s\tops_per_sec|right|ops/s\tof_before_percent|right|% of before" \
    "\tp50_us|right|p50 us\tp99_us|right|p99 us\tslow_percent|right|Slow %\terrors|right|Errors")
  for (v = 1; v <= size["variant"]; v++)
    for (w = 1; w <= size["window"]; w++) {
      key = "window" SUBSEP p SUBSEP item["variant", v] SUBSEP item["window", w]
      if (count[key]) print "row", item["variant", v], item["window", w], \
        found_medians(key, "from_s to_s ops_per_sec of_before_percent p50_us p99_us slow_percent errors")
    }
}

function print_figures(p,    v, f, key) {
  table_begin(found_title(phase_of[p], p) ": figures of the failover", \
    "variant|text|Variant\tfigure|text|Figure\tmedian|right|Median\trange|right|Repeats, min..max\trepeats|right|Repeats")
  for (v = 1; v <= size["variant"]; v++)
    for (f = 1; f <= size["figure"]; f++) {
      key = "figure" SUBSEP p SUBSEP item["variant", v] SUBSEP item["figure", f]
      if (found_medians(key, "value") != "") print "row", item["variant", v], item["figure", f], found_medians(key, "value"), fault_range(key, "value"), count[key]
    }
}

"window" in at { found_row("window", "window from_s to_s ops_per_sec of_before_percent p50_us p99_us slow_percent errors") }
"figure" in at && $at["figure"] == "phase" { phase_of[point] = $at["value"] }
"figure" in at { found_row("figure", "figure value") }

END {
  remember_variants()
  for (i = 1; i <= size["point"]; i++) {
    print_windows(item["point", i])
    print_figures(item["point", i])
  }
}
