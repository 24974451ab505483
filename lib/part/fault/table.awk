# SPDX-License-Identifier: MIT
# Print two tables per phase and point of runs with a fault, by variant: the windows between its steps, and the figures of the failover, from
# windows.tsv and failover.tsv of each repeat. found.awk reads the files.
# Table: 95
# Needs: interval bound totals found
# Files: */*/rep-*/windows.tsv */*/rep-*/failover.tsv

# Take a row of a repeat: its name, in the list of TABLE, and the figures in these columns, of which the first is not a number.
function fault_take(table, columns,    n, i, column, key) {
  n = split(columns, column, " ")
  remember("point", point)
  found_variant[variant] = 1
  remember(table, $at[column[1]])
  key = table SUBSEP point SUBSEP variant SUBSEP $at[column[1]]
  ++count[key]
  for (i = 2; i <= n; i++) value[key, count[key], column[i]] = $at[column[i]]
}

# A median as people read it.
function fault_median(key, column,    m) {
  m = median_of(key, column)
  return m == "" ? "" : text_short(m)
}

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
      if (count[key]) print "row", item["variant", v], item["window", w], fault_median(key, "from_s"), fault_median(key, "to_s"), fault_median(key, "ops_per_sec"), \
        fault_median(key, "of_before_percent"), fault_median(key, "p50_us"), fault_median(key, "p99_us"), fault_median(key, "slow_percent"), fault_median(key, "errors")
    }
}

function print_figures(p,    v, f, key) {
  table_begin(found_title(phase_of[p], p) ": figures of the failover", \
    "variant|text|Variant\tfigure|text|Figure\tmedian|right|Median\trange|right|Repeats, min..max\trepeats|right|Repeats")
  for (v = 1; v <= size["variant"]; v++)
    for (f = 1; f <= size["figure"]; f++) {
      key = "figure" SUBSEP p SUBSEP item["variant", v] SUBSEP item["figure", f]
      if (fault_median(key, "value") != "") print "row", item["variant", v], item["figure", f], fault_median(key, "value"), fault_range(key, "value"), count[key]
    }
}

"window" in at { fault_take("window", "window from_s to_s ops_per_sec of_before_percent p50_us p99_us slow_percent errors") }
"figure" in at && $at["figure"] == "phase" { phase_of[point] = $at["value"] }
"figure" in at { fault_take("figure", "figure value") }

END {
  remember_variants()
  for (i = 1; i <= size["point"]; i++) {
    print_windows(item["point", i])
    print_figures(item["point", i])
  }
}
