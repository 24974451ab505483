# SPDX-License-Identifier: MIT
# The cost of memory, from totals: one table per point, phase and limit, one row per variant: at its max load, or with its min share of DRAM. PRICES in
# the environment, such as "dram=3.5 cxl=1.8 zram=dram nvme=0.08", are per GiB. Without it there is no table.
#   cost       = near GiB x dram + far GiB x price of the far memory
#   compressed memory counts with what it takes, not with the data in it; that of a cache in front of swap is DRAM
#   break-even: the price of a GiB of far memory at which 1,000 operations per second cost as much as on the first variant
# Table: 110
# Needs: interval metric prices bound totals

function shown(x) {
  return x == "" ? "" : text_group(x, x < 10 ? text_places(x, 4) : 1)
}

# The price as text at which far memory costs as much as on the first variant. If the load generator was the limit of one of both, it is a bound.
function shown_even(even, base_limited, is_limited,    side) {
  side = bound_side(base_limited, is_limited)
  if (even == "" || side == "both" || even < 0 && is_limited) return ""
  return even < 0 ? "none" : bound_ratio(side, 1) shown(even)
}

# The same after the SIGN of a bound.
function signed(sign, x) {
  return x == "" ? "" : sign shown(x)
}

# Name a variant in the note of a kind.
function note(kind, words) {
  noted[kind] = noted[kind] (noted[kind] == "" ? "" : ", ") words
}

# Print the note of a kind: its variants and TEXT.
function print_note(kind, text) {
  if (noted[kind] != "") print "note", noted[kind] ": " text
  noted[kind] = ""
}

# How many repeats of a key break LIMIT, which was not searched for them.
function breaks(key, limit,    k, n, v, cell, rule) {
  metric_rule(limit, rule)
  for (k = 1; k <= count[key]; k++) {
    split(line_of[key, k], cell, FS)
    v = cell[at[metric_column[rule["metric"]]]]
    n += v != "" && !metric_holds(rule, v + 0)
  }
  return n + 0
}

# The row of a variant: its figures are those of KEY. The first variant sets `base`, its cost of 1,000 operations per second, and base_limited.
function print_row(v, key,    cost, ops, even, near_gib, far_gib, held, less, more) {
  ops = median_of(key, "ops")
  near_gib = median_of(key, "near")
  far_gib = median_of(key, "far")
  held = median_of(key, "held")
  cost = prices_cost(near_gib, far_gib, kind_of[v])
  if (cost == "") note("priceless", kind_of[v] " (" name_of[v] ")")
  if (limited[key]) note("limited", name_of[v])
  if (sized[key]) note("sized", name_of[v])
  # Less DRAM may be enough.
  if (oversized[key]) note("oversized", name_of[v])
  less = oversized[key] ? "<=" : ""
  more = oversized[key] ? ">=" : ""
  # The throughput of an answer in DRAM was given.
  even = ""
  if (v == 1) base_limited = limited[key] + 0
  if (cost != "" && v == 1) base = 1000 * cost / ops
  else if (cost != "" && base != "" && far_gib > 0 && !sized[key]) even = (base * ops / 1000 - near_gib * prices_of("dram")) / far_gib
  print "row", name_of[v], (limited[key] ? ">=" : "") text_group(ops, 0), shown(held), signed(less, near_gib), signed(more, far_gib), signed(less, cost),
    signed(less, cost == "" ? "" : cost / held), signed(limited[key] ? "<=" : less, cost == "" ? "" : 1000 * cost / ops),
    shown_even(even, base_limited, limited[key] + 0)
}

function print_table(table,    part, v, key, n) {
  split(table, part, SUBSEP)
  table_begin(toupper(part[2]) " at " part[1] ", " part[3] ": cost of memory", "variant|text|Variant\tops_per_sec|right|ops/s\theld_gib|right|Data GiB" \
    "\tnear_gib|right|DRAM GiB\tfar_gib|right|Far GiB\tcost|right|Cost\tcost_per_gib|right|per GiB of data\tcost_per_kops|right|per 1,000 ops/s" \
    "\tbreak_even|right|Break-even, far GiB")
  base = ""
  for (v = 1; v <= most; v++) {
    key = table SUBSEP v
    if (sized[table] && (key in count) && !sized[key]) note("max", name_of[v])
    if (sized[table] && !(key in count)) {
      # A variant without a search had the same load as the others.
      key = part[1] SUBSEP part[2] SUBSEP "" SUBSEP v
      if (key in count) note("unsearched", name_of[v])
      if ((key in count) && (n = breaks(key, part[3]))) note("broken", name_of[v] " (" n " of " count[key] " repeats)")
    }
    if (key in count) print_row(v, key)
  }
  print "note", "prices per GiB: " ENVIRON["PRICES"] "; only the memory of the instances"
  print_note("sized", "with the min share of DRAM that keeps the limit at this load")
  print_note("max", "at its max load; its memory costs as much at the load of the others")
  print_note("unsearched", "measured at this load with all its memory, without a search")
  print_note("broken", "breaks the limit at this load")
  print_note("limited", "the load generator was the limit, so the server can do at least this, and 1,000 operations cost at most this")
  print_note("oversized", "the load generator was the limit with less DRAM, so less, at a lower cost, may be enough")
  if (noted["priceless"] != "") print "note", "no price for " noted["priceless"]
  noted["priceless"] = ""
}

BEGIN {
  if (ENVIRON["PRICES"] == "") exit
  prices_begin(ENVIRON["PRICES"])
  metric_init()
}

FNR == 1 { next }

# A row without a limit counts only beside the min share of DRAM of another variant.
$at["variant_rank"] > 0 && $at["ops_per_sec"] > 0 && ($at["limit"] == "" ? $at["rate"] > 0 && !schema_is_fill($at["operation"]) : $at["search"] !~ /^(broken|none)$/) && \
  prices_read(text_opened(text_unescape($at["folder"]) "/../server/counters.tsv"), $at["operation"]) {
  phase = $at["operation"]
  sub(/-[0-9]+$/, "", phase)
  table = $at["point"] SUBSEP phase SUBSEP $at["limit"]
  if ($at["limit"] != "" && !(table in seen)) {
    seen[table] = 1
    tables[++tables_known] = table
  }
  v = $at["variant_rank"] + 0
  name_of[v] = $at["variant"]
  kind_of[v] = prices_kind
  if (v > most) most = v
  key = table SUBSEP v
  k = ++count[key]
  if (bound_row()) limited[key] = 1
  if ($at["search_holds"] != "") sized[table] = sized[key] = 1
  if ($at["search_holds"] != "" && $at["search"] == "client") oversized[key] = 1
  line_of[key, k] = $0
  value[key, k, "ops"] = $at["ops_per_sec"]
  value[key, k, "near"] = prices_near
  value[key, k, "far"] = prices_far
  value[key, k, "held"] = prices_held
}

END {
  for (t = 1; t <= tables_known; t++) print_table(tables[t])
}
