# SPDX-License-Identifier: MIT
# Print one table per phase and shape from totals: rows are orders of keys and variants, columns are DRAM:DATA.
# Table: 20
# Needs: interval bound totals
# Column: dram_ratio

# The figures of the table; the throughput of the baseline is a number, that of other variants a percentage of it. Without results of the
# baseline all are numbers. Where the load generator was the limit, throughput is a bound, and p99 where requests had no answer.
function shown(table, keys, variant, ratio, figure,    key, first, x) {
  key = table SUBSEP keys SUBSEP variant SUBSEP ratio
  x = median_of(key, figure)
  if (x == "") return ""
  if (figure == "far_per_op") return sprintf("%.3f", x)
  if (figure != "ops_per_sec") {
    if (waited[key]) late++
    return (waited[key] ? bound_sign(-1, 1) : "") text_group(x, text_decimals(x, "latency"))
  }
  if (limited[key]) bounds++
  if (baseline == "" || variant == baseline) return (limited[key] ? bound_sign(1) : "") text_group(x, 0)
  first = table SUBSEP keys SUBSEP baseline SUBSEP ratio
  return bound_percent(median_of(first, figure), x, limited[first] + 0, limited[key] + 0)
}

# Rows of one variant and order of keys.
function print_rows(table, keys, v,    f, r, line) {
  for (f = 1; f <= 3; f++) {
    if (name[f] == "far_per_op" && v == 1) continue
    line = "row" OFS (keys == "-" ? "" : keys) OFS variants[v] OFS (f == 1 && v > 1 && baseline != "" ? "% of " baseline : title[f])
    for (r = 1; r <= size["ratio"]; r++) line = line OFS shown(table, keys, variants[v], item["ratio", r], name[f])
    print line
  }
}

function print_table(table,    part, k, v, r, columns) {
  split(table, part, SUBSEP)
  for (r = 1; r <= size["ratio"]; r++) columns = columns "\t" item["ratio", r] "|right|" item["ratio", r]
  table_begin(table_shape(part[1], part[2], part[3], "") ", by DRAM:data", "keys|text|" (size["keys"] > 1 ? "Keys" : "") "\tvariant|text|Variant\tfigure|text|Figure" columns)
  bounds = late = 0
  for (k = 1; k <= size["keys"]; k++)
    for (v = 1; v <= most; v++) if (v in variants) print_rows(table, item["keys", k], v)
  if (bounds) print "note", bound_note()
  if (late) print "note", bound_note_late()
}

BEGIN {
  split("ops_per_sec p99_us far_per_op", name, " ")
  split("ops/s|p99 us|far/op", title, "|")
}

FNR == 1 { next }

$at["dram_ratio"] != "" && !schema_is_fill($at["operation"]) && $at["variant_rank"] > 0 {
  ratio = $at["dram_ratio"]
  # The other swept settings, whose text begins with the ratio.
  keys = substr($at["sweep"], length(ratio) + 3)
  if (keys == "") keys = "-"
  table = $at["operation"] SUBSEP $at["len"] SUBSEP $at["servers"]
  variants[$at["variant_rank"] + 0] = $at["variant"]
  if ($at["variant_rank"] > most) most = $at["variant_rank"] + 0
  remember("table", table)
  remember("keys", keys)
  remember("ratio", ratio)
  # A phase that broke the limit of its search shows nothing within that limit.
  if ($at["search"] == "broken") next
  key = table SUBSEP keys SUBSEP $at["variant"] SUBSEP ratio
  count[key]++
  for (f = 1; f <= 3; f++) value[key, count[key], name[f]] = $at[name[f]]
  if (bound_row()) limited[key] = 1
  if (bound_row_waited("p99_us")) waited[key] = 1
}

END {
  if (1 in variants) baseline = variants[1]
  for (t = 1; t <= size["table"]; t++) print_table(item["table", t])
}
