# SPDX-License-Identifier: MIT
# Print one table per phase, limit and shape from totals: the throughput of the variants by requested hit ratio.
# Table: 100
# Needs: interval schedule bound totals
# Column: hit_asked

function percent(part) {
  return part == "" ? "" : sprintf("%.1f%%", 100 * part)
}

# Compares one variant's throughput with another's over paired repeats, with the level of their run. Sets ratio, and with two or more pairs ratio_low
# and ratio_high.
function compare(base, other,    i, n, of, r) {
  ratio = ratio_low = ratio_high = ""
  for (i = 1; i <= count[base]; i++) of[value[base, i, "repeat"]] = value[base, i, "ops_per_sec"]
  for (i = 1; i <= count[other]; i++) if (of[value[other, i, "repeat"]] > 0 && value[other, i, "ops_per_sec"] > 0) r[++n] = value[other, i, "ops_per_sec"] / of[value[other, i, "repeat"]]
  if (!n) return
  ratio = r[1]
  if (n < 2) return
  interval_paired(r, n, level)
  ratio = interval_centre
  ratio_low = interval_low
  ratio_high = interval_high
}

# Returns the sign before the ratio of two throughputs. If both are bounds, there is no ratio.
function bound(base, other,    side) {
  side = bound_side(limited[base] + 0, limited[other] + 0)
  if (side == "both") ratio = ratio_low = ratio_high = ""
  return ratio == "" ? "" : bound_ratio(side, 1)
}

# Formats a factor with three digits.
function factor(x) {
  return sprintf(x < 1 ? "%.3f" : x < 10 ? "%.2f" : "%.1f", x) "x"
}

function note(text) {
  notes[++noted] = text
}

# Prints one row: a variant at a hit ratio.
function print_row(table, asked, v,    key, first, far, line, hit, off, share, sign) {
  key = table SUBSEP asked SUBSEP v
  first = table SUBSEP asked SUBSEP item["variant", 1]
  far = table SUBSEP asked SUBSEP far_variant
  if (!count[key]) {
    if (seen_at[asked, v]) print "row", asked, v, "none"
    return
  }
  hit = median_of(key, "hit_ratio")
  share = asked
  sub(/%$/, "", share)
  off = 100 * hit - share
  if (is_far[v] && hit != "" && (off > 2 || off < -2)) note(v " at " asked ": " percent(hit) " of the requests were served by DRAM, more than 2 points off")
  line = "row" OFS asked OFS v OFS percent(hit) OFS percent(median_of(key, "hit_first")) OFS percent(median_of(key, "hit_last")) OFS parameter(median_of(key, "key_sd")) OFS (limited[key] ? ">=" : "") text_group(median_of(key, "ops_per_sec"), 0)
  if (v == item["variant", 1]) line = line OFS "" OFS ""
  else {
    compare(first, key)
    sign = bound(first, key)
    line = line OFS sign percent(ratio) OFS (ratio_low == "" ? "" : percent(ratio_low) ".." percent(ratio_high))
  }
  if (limited[key]) note(v " at " asked ": the load generator was the limit, so the server can do at least this")
  if (v == far_variant || !is_far[v]) line = line OFS "" OFS ""
  else {
    compare(far, key)
    sign = bound(far, key)
    line = line OFS (ratio == "" ? "" : sign factor(ratio)) OFS (ratio_low == "" ? "" : factor(ratio_low) ".." factor(ratio_high))
  }
  print line
}

# Formats a parameter: an SD is a number of keys, other parameters are at most 100.
function parameter(x) {
  return x == "" ? "" : x >= 100 ? text_group(x, 0) : sprintf("%.4g", x)
}

function print_table(table,    part, h, v, i, fars, between) {
  split(table, part, SUBSEP)
  noted = 0
  for (v = 1; v <= size["variant"]; v++) fars += is_far[item["variant", v]]
  between = repeats > 1 ? interval_percent(level) " between" : ""
  table_begin(table_shape(part[1], part[2], part[3], part[5]) ": operations per second" (part[4] == "" ? "" : " with " part[4]) ", by the share of requests that DRAM serves", \
    "hit_asked|text|Asked\tvariant|text|Variant\thit_ratio|right|Found\thit_first|right|First third\thit_last|right|Last third" \
    "\tkey_sd|right|" (by_sd ? "Key SD" : "Parameter") "\tops_per_sec|right|ops/s\tpercent|right|" (size["variant"] > 1 ? "% of " item["variant", 1] : "") \
    "\tpercent_interval|right|" (size["variant"] > 1 ? between : "") "\tfactor|right|" (fars > 1 ? "Factor over " far_variant : "") \
    "\tfactor_interval|right|" (fars > 1 ? between : ""))
  for (h = 1; h <= size["asked"]; h++) for (v = 1; v <= size["variant"]; v++) print_row(table, item["asked", h], item["variant", v])
  for (i = 1; i <= noted; i++) print "note", notes[i]
}

# Prints a note per point on the search for its keys.
function tell_search(    line, f, i, at_name, n, file, point, points, rounds, looks, seconds, on, order, asked_of) {
  file = text_opened(run_folder "/hit.tsv")
  while ((getline line < file) > 0) {
    n = split(line, f, "\t")
    if (f[1] == "point") {
      for (i = 1; i <= n; i++) at_name[f[i]] = i
      continue
    }
    point = f[1]
    if (!(point in rounds)) order[++points] = point
    rounds[point] = f[at_name["round"]]
    looks[point]++
    seconds[point] = f[at_name["seconds"]]
    on[point] = f[at_name["variant"]]
  }
  close(file)
  for (i = 1; i <= points; i++)
    print "note", order[i] ": keys searched on " on[order[i]] " in " rounds[order[i]] " round" (rounds[order[i]] == 1 ? "" : "s") " of " looks[order[i]] " looks, " seconds[order[i]] " s"
}

FNR == 1 { next }

NR == 2 {
  run_folder = text_unescape($at["run_folder"])
  level = schedule_of(run_folder)
}

$at["hit_asked"] != "" && $at["variant_rank"] > 0 {
  rank[$at["variant"]] = $at["variant_rank"]
  found_variant[$at["variant"]] = 1
  remember("asked", $at["hit_asked"])
  if ($at["tier_is"] ~ /(^| )limited( |$)/ || $at["hit_source"] == "info") is_far[$at["variant"]] = 1
  if (schema_is_fill($at["operation"])) next
  seen_at[$at["hit_asked"], $at["variant"]] = 1
  if ($at["key_pattern"] $at["key_pattern_used"] ~ /^(gaussian|$)/) by_sd = 1
  # The other swept settings, without the hit ratio.
  sweep = $at["sweep"]
  sub(/(, )?hit ratio [0-9.]+%/, "", sweep)
  sub(/^, /, "", sweep)
  # Only a search repeats its phase, once per limit; get-2 of PHASES is another phase than get.
  phase = $at["operation"]
  if ($at["limit"] != "") sub(/-[0-9]+$/, "", phase)
  table = phase SUBSEP $at["len"] SUBSEP $at["servers"] SUBSEP $at["limit"] SUBSEP sweep
  remember("table", table)
  if ($at["search"] == "broken") next
  key = table SUBSEP $at["hit_asked"] SUBSEP $at["variant"]
  k = ++count[key]
  if (k > repeats) repeats = k
  if (bound_row()) limited[key] = 1
  n = split("repeat ops_per_sec hit_ratio hit_first hit_last key_sd", figure, " ")
  for (i = 1; i <= n; i++) value[key, k, figure[i]] = $at[figure[i]]
}

END {
  remember_variants()
  for (v = size["variant"]; v >= 1; v--) if (is_far[item["variant", v]]) far_variant = item["variant", v]
  for (t = 1; t <= size["table"]; t++) print_table(item["table", t])
  if (size["table"]) tell_search()
}
