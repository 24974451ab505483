# SPDX-License-Identifier: MIT
# Print one table per phase and point from totals and the search.tsv of each repeat: limits by variant.
# found.awk reads the files.
# Table: 80
# Needs: interval bound totals found
# Files: */*/rep-*/search.tsv

# The range of a figure over repeats, as text.
function range_of(key, from, to) {
  found_range(key, from, to)
  return found_low == "" || found_high == "" || found_low > found_high ? "" : text_group(found_low, 0) ".." text_group(found_high, 0)
}

# How many looks at the slowest load of the ladder kept a limit that no load keeps, as text.
function looks_of(key, unit) {
  if (!looks[key]) return ""
  return ": " kept[key] " of " looks[key] " looks at " text_group(slowest_low[key], 0) (slowest_high[key] > slowest_low[key] ? ".." text_group(slowest_high[key], 0) : "") unit " did"
}

# How many of all repeats of a key, as text; empty if all of them.
function repeats_of(n, key,    all) {
  all = count[key] + nones[key] + brokens[key]
  return n < all ? ", in " n " of " all " repeats" : ""
}

# Whether the load generator was the limit in a repeat of a key, so that its throughput is a lower bound.
function is_limited(key,    i) {
  for (i = 1; i <= count[key]; i++) if (value[key, i, "state"] == "client" || value[key, i, "client_limited"] > 0) return 1
  return 0
}

# The share of OPS, the throughput of a key, in that of the first variant, as text.
function share_of(key, ops, first) {
  return key == first ? "" : bound_percent(median_of(first, "ops_per_sec"), ops, is_limited(first), is_limited(key))
}

# One row: a variant at a limit.
function print_row(table, l, v,    key, ops, i, states) {
  key = table SUBSEP l SUBSEP v
  if (!count[key] && !nones[key] && !brokens[key]) return
  if (brokens[key]) found_missing(v, l, "the measured phase breaks the limit, although steps kept it" repeats_of(brokens[key], key) \
    (count[key] ? ", which are excluded" : "") ": a longer SEARCH_TIME finds a lower load", count[key] + 0)
  if (!count[key]) {
    print "row", l, v, (brokens[key] ? "broken" : "none"), "", "", "", "", "", "", "", steps_of[key]
    return
  }
  for (i = 1; i <= count[key]; i++) states[value[key, i, "state"]]++
  ops = median_of(key, "ops_per_sec")
  print "row", l, v, (is_limited(key) ? ">=" : "") text_group(ops, 0), share_of(key, ops, table SUBSEP l SUBSEP item["variant", 1]), by_connections ? median_of(key, "connections") : "", found_latency(key, "avg_us"),
    found_latency(key, "p99_us"), (median_of(key, "far_per_op") == "" ? "" : sprintf("%.3f", median_of(key, "far_per_op"))), \
    range_of(key, "ops_per_sec", "ops_per_sec"), range_of(key, "soft_low", "soft_high"), median_of(key, "steps")
  if (is_limited(key)) found_note(v ", " l ": the load generator was the limit " ("client" in states ? "above" : "at") " this load, so the server can do at least this: use more threads, CPUs or clients")
  if (fell[key]) found_note(v ", " l ": in " fell[key] " of " count[key] " repeats, the measured phase kept the limit only at a lower load than the steps: a longer SEARCH_TIME agrees better")
  if ("open" in states) found_note(v ", " l ": not certain after all steps: " states["open"] " of " count[key] " searches")
}

function print_table(table,    part, l, v, key, unit) {
  split(table, part, SUBSEP)
  table_begin(found_title(part[1], part[2]) ": max operations per second within a limit", \
    "limit|text|Limit\tvariant|text|Variant\tops_per_sec|right|ops/s\tpercent|right|" (size["variant"] > 1 ? "% of " item["variant", 1] : "") \
    "\tconnections|right|" (by_connections ? "Connections" : "") "\tavg_us|right|avg us\tp99_us|right|p99 us\tfar_per_op|right|far/op" \
    "\trepeats|right|Repeats, min..max\tsoft|right|" (by_connections ? "Soft range, connections" : "Soft range, ops/s") "\tsteps|right|Steps")
  for (l = 1; l <= size["limit"]; l++)
    for (v = 1; v <= size["variant"]; v++) {
      key = table SUBSEP item["limit", l] SUBSEP item["variant", v]
      print_row(table, item["limit", l], item["variant", v])
      unit = by_connections ? " connections" : " ops/s"
      if (nones[key]) found_missing(item["variant", v], item["limit", l], "no load keeps it" repeats_of(nones[key], key) looks_of(key, unit) \
        ((key in least_of) ? "; the min measured is " text_group(least_of[key], 0) " us, at " text_group(where_of[key], 0) unit : "; no step had an answer to a request"), count[key] + 0)
    }
  found_notes()
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
  if ($at["load_unit"] == "connections") by_connections = 1
  if ($at["search"] == "none") {
    nones[key]++
    if ($at["least_us"] ~ /^[0-9]/ && (!(key in least_of) || $at["least_us"] + 0 < least_of[key])) {
      least_of[key] = $at["least_us"] + 0
      where_of[key] = $at["load"]
    }
    if ($at["slowest_looks"] > 0) {
      kept[key] += $at["slowest_kept"]
      if (!looks[key] || $at["slowest"] + 0 < slowest_low[key]) slowest_low[key] = $at["slowest"] + 0
      if (!looks[key] || $at["slowest"] + 0 > slowest_high[key]) slowest_high[key] = $at["slowest"] + 0
      looks[key] += $at["slowest_looks"]
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
  fell[key] += $at["search_low"] ~ /^[0-9]/ && $at["load"] + 0 < $at["search_low"] + 0
  found_take(key, k, from, "ops_per_sec avg_us p99_us far_per_op connections")
  value[key, k, "state"] = $at["search"]
  # In a closed loop. A searched rate is kept.
  value[key, k, "client_limited"] = by_connections ? total[from, "client_limited"] + 0 : 0
  value[key, k, "soft_low"] = $at["soft_low"]
  value[key, k, "soft_high"] = $at["soft_high"]
  value[key, k, "steps"] = $at["steps"]
}

END {
  remember_variants()
  for (t = 1; t <= size["table"]; t++) print_table(item["table", t])
}
