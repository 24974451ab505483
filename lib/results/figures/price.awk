# SPDX-License-Identifier: MIT
# The cost of memory, from totals: one table per point, phase and limit, one row per variant. PRICE in the environment, such as "dram:3.5 cxl:1.8
# zram:dram nvme:0.08", is per GiB. Load it after prices.awk. Prints lines for figures_tables:
# `title TEXT`, `row ...` and `note TEXT`.
#   cost       = near GiB x dram + far GiB x price of the far memory
#   zram       counts with the memory that it occupies, not with the data in it
#   break-even: the price of a GiB of far memory at which 1,000 operations per second cost as much as on the first variant

function median_of(key, figure,    n, i, out) {
  for (i = 1; i <= count[key]; i++) if (value[key, i, figure] != "") out[++n] = value[key, i, figure] + 0
  if (!n) return ""
  interval_sort(out, n)
  return interval_median(out, n)
}

function shown(x) {
  return x == "" ? "" : text_group(x, x < 10 ? text_places(x, 4) : 1)
}

# The price as text at which far memory costs as much as on the first variant. If the load generator was the limit of one of both, it is a bound.
function shown_even(even, base_limited, is_limited,    side) {
  side = bound_side(base_limited, is_limited)
  if (even == "" || side == "both" || even < 0 && is_limited) return ""
  return even < 0 ? "none" : bound_ratio(side, 1) shown(even)
}

function print_table(table,    part, v, key, cost, ops, base, even, kind, near_gib, far_gib, dram, names) {
  split(table, part, SUBSEP)
  print "title", toupper(part[2]) " at " part[1] ", " part[3] ": cost of memory"
  print "row", "variant", "ops_per_sec", "held_gib", "near_gib", "far_gib", "cost", "cost_per_gib", "cost_per_kops", "break_even"
  print "row", "Variant", "ops/s", "Data GiB", "DRAM GiB", "Far GiB", "Cost", "per GiB of data", "per 1,000 ops/s", "Break-even, far GiB"
  print "row", "text", "right", "right", "right", "right", "right", "right", "right", "right"
  base = ""
  for (v = 1; v <= most; v++) {
    key = table SUBSEP v
    if (!(key in count)) continue
    if (limited[key]) names = names (names == "" ? "" : ", ") name_of[v]
    ops = median_of(key, "capacity")
    near_gib = median_of(key, "near")
    far_gib = median_of(key, "far")
    kind = prices_kind(tier_of[v])
    cost = prices_cost(near_gib, far_gib, tier_of[v])
    if (cost == "") {
      print "row", name_of[v], (limited[key] ? ">=" : "") text_group(ops, 0), shown(median_of(key, "held")), shown(near_gib), shown(far_gib), "", "", "", ""
      missing = missing (missing == "" ? "" : ", ") kind " (" name_of[v] ")"
      continue
    }
    dram = near_gib * prices_of("dram")
    even = ""
    if (v == 1) base = 1000 * cost / ops
    else if (base != "" && far_gib > 0) even = (base * ops / 1000 - dram) / far_gib
    print "row", name_of[v], (limited[key] ? ">=" : "") text_group(ops, 0), shown(median_of(key, "held")), shown(near_gib), shown(far_gib), shown(cost),
      shown(cost / median_of(key, "held")), (limited[key] ? "<=" : "") shown(1000 * cost / ops), shown_even(even, limited[table, 1] + 0, limited[key] + 0)
  }
  print "note", "prices per GiB: " ENVIRON["PRICE"] "; only the memory of the instances"
  if (names != "") print "note", names ": the load generator was the limit, so the server can do at least this, and 1,000 operations cost at most this"
  if (missing != "") print "note", "no price for " missing
  missing = ""
}

BEGIN {
  FS = OFS = "\t"
  prices_begin(ENVIRON["PRICE"])
}

NR == 1 {
  for (i = 1; i <= NF; i++) at[$i] = i
  next
}

# Never without its limit.
$at["limit"] != "" && $at["capacity_ops_per_sec"] > 0 && $at["variant_rank"] > 0 && \
  prices_read(text_opened(text_unescape($at["folder"]) "/../server/counters.tsv"), $at["operation"]) {
  phase = $at["operation"]
  sub(/-[0-9]+$/, "", phase)
  table = $at["point"] SUBSEP phase SUBSEP $at["limit"]
  if (!(table in seen)) {
    seen[table] = 1
    tables[++tables_known] = table
  }
  v = $at["variant_rank"] + 0
  name_of[v] = $at["variant"]
  tier_of[v] = $at["tier"]
  if (v > most) most = v
  key = table SUBSEP v
  k = ++count[key]
  if (bound_row()) limited[key] = 1
  value[key, k, "capacity"] = $at["capacity_ops_per_sec"]
  value[key, k, "near"] = prices_near
  value[key, k, "far"] = prices_far
  value[key, k, "held"] = prices_held
}

END {
  for (t = 1; t <= tables_known; t++) print_table(tables[t])
}
