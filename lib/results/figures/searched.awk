# SPDX-License-Identifier: MIT
# Print one table per phase and point from totals and the search.tsv of each repeat: limits by variant. Files: the
# totals first, then search.tsv files whose paths end in VARIANT/POINT/rep-N/search.tsv. Prints lines for figures_tables: `title TEXT`, `row
# ...` and `note TEXT`.

function remember(list, name) {
  if ((list, name) in known) return
  known[list, name] = 1
  size[list]++
  item[list, size[list]] = name
}

function median_of(key, figure,    n, i, out) {
  for (i = 1; i <= count[key]; i++) if (value[key, i, figure] != "") out[++n] = value[key, i, figure] + 0
  if (!n) return ""
  interval_sort(out, n)
  return interval_median(out, n)
}

# The range of a figure over repeats: its min FROM and max TO.
function range_of(key, from, to, unit,    i, low, high) {
  for (i = 1; i <= count[key]; i++) {
    if (value[key, i, from] ~ /^[0-9.]+$/ && (low == "" || value[key, i, from] + 0 < low)) low = value[key, i, from] + 0
    if (value[key, i, to] ~ /^[0-9.]+$/ && (high == "" || value[key, i, to] + 0 > high)) high = value[key, i, to] + 0
  }
  return low == "" || high == "" || low > high ? "" : text_group(low, 0) ".." text_group(high, 0) unit
}

# One row: a variant at a limit.
function print_row(table, l, v,    key, base, ops, share, state, i, least, where, states) {
  key = table SUBSEP l SUBSEP v
  if (!count[key] && !nones[key] && !brokens[key]) return
  if (brokens[key]) note(v ", " l ": the measured phase does not keep it, though steps did" (count[key] ? ", in " brokens[key] " of " brokens[key] + count[key] " repeats, which are excluded" : "") \
    ": a longer SEARCH_TIME finds a lower load")
  if (!count[key]) {
    print "row", l, v, (brokens[key] ? "broken" : "none"), "", "", "", "", "", "", "", steps_of[key]
    return
  }
  for (i = 1; i <= count[key]; i++) states[value[key, i, "state"]]++
  ops = median_of(key, "ops_per_sec")
  base = median_of(table SUBSEP l SUBSEP item["variant", 1], "ops_per_sec")
  share = v != item["variant", 1] && base > 0 ? sprintf("%.1f%%", 100 * ops / base) : ""
  print "row", l, v, ("client" in states ? ">=" : "") text_group(ops, 0), share, by_connections ? median_of(key, "connections") : "", text_group(median_of(key, "avg_us"), 0),
    text_group(median_of(key, "p99_us"), 0), (median_of(key, "far_per_op") == "" ? "" : sprintf("%.3f", median_of(key, "far_per_op"))), \
    range_of(key, "ops_per_sec", "ops_per_sec"), range_of(key, "soft_low", "soft_high"), median_of(key, "steps")
  if ("client" in states) note(v ", " l ": the load generator was the limit above this load, so the server can do at least this: more threads, CPUs or clients")
  if ("open" in states) note(v ", " l ": not certain after SEARCH_STEPS: " states["open"] " of " count[key] " searches")
}

function note(text) {
  notes[++noted] = text
}

function print_table(table,    part, l, v, key, i, base, unit) {
  split(table, part, SUBSEP)
  noted = 0
  print "title", toupper(part[1]) " of " text_group(len_of[part[2]], 0) " B" (servers_of[part[2]] == "" ? "" : " on " servers_of[part[2]] " instance" (servers_of[part[2]] == 1 ? "" : "s")) \
    (sweep_of[part[2]] == "" ? "" : ", " sweep_of[part[2]]) ": the most operations a second within a limit"
  base = item["variant", 1]
  print "row", "limit", "variant", "ops_per_sec", "percent", "connections", "avg_us", "p99_us", "far_per_op", "repeats", "soft", "steps"
  print "row", "Limit", "Variant", "ops/s", (size["variant"] > 1 ? "% of " base : ""), (by_connections ? "Connections" : ""), "avg us", "p99 us", "far/op", \
    "Repeats, min..max", (by_connections ? "Soft range, connections" : "Soft range, ops/s"), "Steps"
  print "row", "text", "text", "right", "right", "right", "right", "right", "right", "right", "right", "right"
  for (l = 1; l <= size["limit"]; l++)
    for (v = 1; v <= size["variant"]; v++) {
      key = table SUBSEP item["limit", l] SUBSEP item["variant", v]
      print_row(table, item["limit", l], item["variant", v])
      unit = by_connections ? " connections" : " ops/s"
      if (nones[key]) note(item["variant", v] ", " item["limit", l] ": no load keeps it" (count[key] ? " in " nones[key] " of " nones[key] + count[key] " repeats" : "") \
        "; the min measured is " text_group(least_of[key], 0) " us, at " text_group(where_of[key], 0) unit)
    }
  for (i = 1; i <= noted; i++) print "note", notes[i]
}

BEGIN { FS = OFS = "\t" }

FNR == 1 {
  files++
  for (i in at) delete at[i]
  for (i = 1; i <= NF; i++) at[$i] = i
  n = split(FILENAME, part, "/")
  variant = part[n - 3]
  point = part[n - 2]
  repeat = substr(part[n - 1], 5)
  next
}

files == 1 {
  key = $at["variant"] SUBSEP $at["point"] SUBSEP $at["repeat"] SUBSEP $at["operation"]
  for (i in at) total[key, i] = $at[i]
  seen[key] = 1
  if ($at["variant_rank"] > 0) rank[$at["variant"]] = $at["variant_rank"]
  len_of[$at["point"]] = $at["len"]
  servers_of[$at["point"]] = $at["servers"]
  sweep_of[$at["point"]] = $at["sweep"]
  next
}

{
  phase = $at["phase"]
  base_phase = phase
  sub(/-[0-9]+$/, "", base_phase)
  table = base_phase SUBSEP point
  remember("table", table)
  remember("limit", $at["limit"])
  found_variant[variant] = 1
  key = table SUBSEP $at["limit"] SUBSEP variant
  steps_of[key] = $at["steps"]
  if ($at["search"] == "none") {
    nones[key]++
    if (!(key in least_of) || $at["least_us"] + 0 < least_of[key]) {
      least_of[key] = $at["least_us"] + 0
      where_of[key] = $at["load"]
    }
    next
  }
  if ($at["search"] == "broken") {
    brokens[key]++
    next
  }
  from = variant SUBSEP point SUBSEP repeat SUBSEP phase
  if (!(from in seen)) next
  k = ++count[key]
  split("ops_per_sec avg_us p99_us far_per_op connections", figure, " ")
  for (i = 1; i <= 5; i++) value[key, k, figure[i]] = total[from, figure[i]]
  value[key, k, "state"] = $at["search"]
  value[key, k, "soft_low"] = $at["soft_low"]
  value[key, k, "soft_high"] = $at["soft_high"]
  value[key, k, "steps"] = $at["steps"]
  if (total[from, "rate"] + 0 == 0) by_connections = 1
}

END {
  # In the order of VARIANTS; unknown variants come last.
  for (r = 1; r <= 1000; r++) for (v in rank) if (rank[v] == r && (v in found_variant)) remember("variant", v)
  for (v in found_variant) remember("variant", v)
  for (t = 1; t <= size["table"]; t++) print_table(item["table", t])
}
