# SPDX-License-Identifier: MIT
# Print one table per phase and point from totals and the size.tsv of each repeat: the min share of DRAM at which a load keeps a limit, by variant.
# found.awk reads the files.
# Table: 90
# Needs: interval bound totals found
# Files: */*/rep-*/size.tsv

# The range of a figure over repeats, as text: from the min of FROM to the max of TO. An end that a repeat does not know is empty.
function range_of(key, from, to,    i) {
  found_range(key, from, to)
  for (i = 1; i <= count[key]; i++) {
    if (value[key, i, from] == "-") found_low = ""
    if (value[key, i, to] == "-") found_high = ""
  }
  return found_low found_high == "" ? "" : found_low ".." found_high
}

# The reasons why repeats break the limit, each once.
function words_of(key,    i, out) {
  for (i = 1; i <= count[key]; i++)
    if (value[key, i, "broke_by"] != "-" && index(" " out " ", " " value[key, i, "broke_by"] " ") == 0) out = out (out == "" ? "" : " ") value[key, i, "broke_by"]
  return out
}

# One row: a variant at a limit.
function print_row(l, v, key,    all, far, i, open, client, sign) {
  all = " of " brokens[key] + nones[key] + count[key] " repeats: "
  if (brokens[key]) found_missing(v, l, "the measured phase breaks the limit, although steps kept it, in " brokens[key] all "a longer SEARCH_TIME finds a higher share", count[key] + 0)
  if (nones[key]) found_missing(v, l, "not kept with all data in DRAM, in " nones[key] all "set a lower RATE, such as search:50%", count[key] + 0)
  if (!count[key]) {
    if (nones[key] + brokens[key]) print "row", l, v, (brokens[key] ? "broken" : "none"), "", "", "", "", "", "", "", "", steps_of[key]
    return
  }
  for (i = 1; i <= count[key]; i++) {
    open += value[key, i, "state"] == "open"
    client += value[key, i, "state"] == "client"
  }
  sign = client ? "<=" : ""
  far = median_of(key, "far_per_op")
  print "row", l, v, sign median_of(key, "share") "%", range_of(key, "low", "high"), range_of(key, "share", "share"), sign text_group(median_of(key, "bytes") / 1048576, 1),
    text_group(median_of(key, "ops_per_sec"), 0), found_latency(key, "avg_us"), found_latency(key, "p99_us"), (far == "" ? "" : sprintf("%.3f", far)),
    words_of(key), median_of(key, "steps")
  if (client) found_note(v ", " l ": with less DRAM the load generator was the limit in " client " of " count[key] " searches, so less DRAM may be enough: use more threads, CPUs or clients")
  if (fell[key]) found_note(v ", " l ": in " fell[key] " of " count[key] " repeats, the measured phase kept the limit only with more DRAM than the steps: a longer SEARCH_TIME agrees better")
  if (open) found_note(v ", " l ": not certain after all steps: " open " of " count[key] " searches")
  if (zram[key]) found_note(v ": MiB include the memory that compression takes; the share does not")
}

function print_table(table,    part, l, v, i) {
  split(table, part, SUBSEP)
  table_begin(found_title(part[1], part[2]) ": the min share of DRAM at which " text_group(rate_low[table], 0) \
    (rate_high[table] > rate_low[table] ? ".." text_group(rate_high[table], 0) : "") " ops/s keep a limit", \
    "limit|text|Limit\tvariant|text|Variant\tdram_share_percent|right|DRAM share\tbetween|right|95 % between\trepeats|right|Repeats, min..max\tdram_mib|right|DRAM MiB" \
    "\tops_per_sec|right|ops/s\tavg_us|right|avg us\tp99_us|right|p99 us\tfar_per_op|right|far/op\tbroke_by|text|With less breaks\tsteps|right|Steps")
  for (l = 1; l <= size["limit"]; l++)
    for (v = 1; v <= size["variant"]; v++) print_row(item["limit", l], item["variant", v], table SUBSEP item["limit", l] SUBSEP item["variant", v])
  found_notes()
}

{
  phase = $at["phase"]
  sub(/-[0-9]+$/, "", phase)
  table = phase SUBSEP point
  remember("table", table)
  remember("limit", $at["limit"])
  found_variant[variant] = 1
  # With RATE=search each repeat has its own.
  if (!(table in rate_low) || $at["rate"] + 0 < rate_low[table]) rate_low[table] = $at["rate"] + 0
  if ($at["rate"] + 0 > rate_high[table] + 0) rate_high[table] = $at["rate"] + 0
  key = table SUBSEP $at["limit"] SUBSEP variant
  steps_of[key] = $at["steps"]
  from = variant SUBSEP point SUBSEP repeat SUBSEP $at["phase"]
  if ($at["search"] == "none") nones[key]++
  else if ($at["search"] == "broken") brokens[key]++
  else if (from in seen) {
    k = ++count[key]
    found_take(key, k, from, "ops_per_sec avg_us p99_us far_per_op")
    value[key, k, "state"] = $at["search"]
    value[key, k, "share"] = $at["dram_share_percent"]
    value[key, k, "low"] = $at["search_low"]
    value[key, k, "high"] = $at["search_high"]
    value[key, k, "steps"] = $at["steps"]
    fell[key] += $at["search_high"] ~ /^[0-9]/ && $at["dram_share_percent"] + 0 > $at["search_high"] + 0
    value[key, k, "broke_by"] = $at["broke_by"]
    held = total[from, "compressed_bytes"] + 0
    value[key, k, "bytes"] = sprintf("%.0f", $at["base_bytes"] * $at["dram_share_percent"] / 100 + held)
    if (held) zram[key] = 1
  }
}

END {
  remember_variants()
  for (t = 1; t <= size["table"]; t++) print_table(item["table", t])
}
