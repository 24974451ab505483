# SPDX-License-Identifier: MIT
# From totals to a table for each phase and shape: the throughput of each policy against DRAM alone, by cold memory in front of the instances,
# and where their memory is.
# Table: 30
# Needs: interval bound totals
# Column: cold_memory

# A cell of the table: throughput, its percentage of DRAM alone, p99, or MiB. Where the load generator was the limit, throughput is a bound, and p99
# where requests had no answer.
function shown(table, v, filler, figure,    key, first, x) {
  key = table SUBSEP variants[v] SUBSEP filler
  x = median_of(key, figure == "percent" ? "ops_per_sec" : figure)
  if (x == "") return ""
  if (figure ~ /bytes$/) return sprintf("%.1f", x / 1048576)
  if (figure == "p99_us") {
    if (waited[key]) late++
    return (waited[key] ? bound_sign(-1, 1) : "") text_group(x, text_decimals(x, "latency"))
  }
  if (limited[key]) bounds++
  if (figure == "ops_per_sec") return (limited[key] ? bound_sign(1) : "") text_group(x, 0)
  first = table SUBSEP baseline SUBSEP "0"
  return bound_percent(median_of(first, "ops_per_sec"), x, key != first && limited[first], key != first && limited[key])
}

function print_table(table,    part, v, i, f, line, columns) {
  split(table, part, SUBSEP)
  for (i = 1; i <= size["filler"]; i++) columns = columns "\t" item["filler", i] "|right|" item["filler", i]
  table_begin(table_shape(part[1], part[2], part[3], part[4]) ", by cold memory in front of them", "variant|text|Variant\tfigure|text|Figure" columns)
  bounds = late = 0
  for (v = 1; v <= most; v++) {
    if (!(v in variants)) continue
    for (f = 1; f <= figures; f++) {
      if (name[f] == "percent" && median_of(table SUBSEP baseline SUBSEP "0", "ops_per_sec") == "") continue
      line = ""
      for (i = 1; i <= size["filler"]; i++) line = line OFS shown(table, v, item["filler", i], name[f])
      print "row", variants[v], (name[f] == "percent" ? "% of " baseline " at 0" : title[f]) line
    }
  }
  if (bounds) print "note", bound_note()
  if (late) print "note", bound_note_late()
}

BEGIN {
  figures = split("ops_per_sec percent p99_us far_bytes cold_far_bytes", name, " ")
  split("ops/s||p99 us|data on slow nodes, MiB|cold memory there, MiB", title, "|")
}

FNR == 1 { next }

$at["cold_memory"] != "" && !schema_is_fill($at["operation"]) && $at["variant_rank"] > 0 {
  variants[$at["variant_rank"] + 0] = $at["variant"]
  if ($at["variant_rank"] > most) most = $at["variant_rank"] + 0
  # The other swept settings.
  rest = $at["sweep"]
  sub(/(, )?cold memory [0-9.]+[KMG%]?/, "", rest)
  sub(/^, /, "", rest)
  table = $at["operation"] SUBSEP $at["len"] SUBSEP $at["servers"] SUBSEP rest
  remember("table", table)
  remember("filler", $at["cold_memory"])
  # A phase that broke the limit of its search shows nothing within that limit.
  if ($at["search"] == "broken") next
  key = table SUBSEP $at["variant"] SUBSEP $at["cold_memory"]
  i = ++count[key]
  value[key, i, "ops_per_sec"] = $at["ops_per_sec"]
  if (bound_row()) limited[key] = 1
  if (bound_row_waited("p99_us")) waited[key] = 1
  value[key, i, "p99_us"] = $at["p99_us"]
  value[key, i, "cold_far_bytes"] = $at["cold_far_bytes"]
  if ($at["far_share"] != "") value[key, i, "far_bytes"] = $at["far_share"] * ($at["rss"] + $at["swap"])
}

END {
  if (1 in variants) baseline = variants[1]
  for (t = 1; t <= size["table"]; t++) print_table(item["table", t])
  if (size["table"]) print "note", "Medians of repeats; memory as it is at the end of a phase."
}
