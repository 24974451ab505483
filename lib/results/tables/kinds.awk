# SPDX-License-Identifier: MIT
# Print one table per phase and point from totals and the PHASE.commands.tsv of each client: commands by variant.
# Table: 70
# Needs: interval histogram totals
# Files: */*/rep-*/*/*.commands.tsv

# The percentile of all requests of a command, from its slots: the highest value of the slot, but at most the longest latency.
function percentile(key, share,    n, i, us, sum, rank) {
  n = split(slots_of[key], us, " ")
  interval_sort(us, n)
  rank = histogram_rank(share, samples[key])
  for (i = 1; i <= n; i++) {
    sum += slot[key, us[i]]
    if (sum < rank || sum <= 0) continue
    us[i] = us[i] + 0 < longest[key] ? us[i] + 0 : longest[key]
    return text_group(us[i], text_decimals(us[i], "latency"))
  }
  return ""
}

function print_table(table,    part, c, v, key, all) {
  split(table, part, SUBSEP)
  table_begin(table_shape(part[1], len_of[part[2]], servers_of[part[2]], sweep_of[part[2]]) ": by command, all repeats together", \
    "command|text|Command\tvariant|text|Variant\trequests|right|Requests\tpercent|right|% of all\tp50_us|right|p50 us\tp99_us|right|p99 us" \
    "\tp99_9_us|right|p99.9 us\tmisses|right|Misses\terrors|right|Errors")
  for (c = 1; c <= size["command", table]; c++)
    for (v = 1; v <= size["variant"]; v++) {
      key = table SUBSEP item["command", table, c] SUBSEP item["variant", v]
      if (!(key in ops)) continue
      all = requests[table, item["variant", v]]
      print "row", item["command", table, c], item["variant", v], text_group(ops[key], 0), (all ? sprintf("%.1f%%", 100 * ops[key] / all) : ""), percentile(key, 50), percentile(key, 99),
        percentile(key, 99.9), text_group(misses[key], 0), text_group(errors[key], 0)
    }
}

FNR == 1 {
  files++
  n = split(FILENAME, part, "/")
  phase = part[n]
  sub(/\.commands\.tsv$/, "", phase)
  variant = part[n - 4]
  point = part[n - 3]
  repeat = substr(part[n - 2], 5)
  next
}

files == 1 {
  if ($at["variant_rank"] > 0) rank[$at["variant"]] = $at["variant_rank"]
  len_of[$at["point"]] = $at["len"]
  servers_of[$at["point"]] = $at["servers"]
  sweep_of[$at["point"]] = $at["sweep"]
  counts[$at["variant"], $at["point"], $at["repeat"], $at["operation"]] = 1
  next
}

# Of a result that is discarded.
!((variant, point, repeat, phase) in counts) { next }

{
  table = phase SUBSEP point
  remember("table", table)
  remember("command" SUBSEP table, $at["command"])
  found_variant[variant] = 1
  key = table SUBSEP $at["command"] SUBSEP variant
  ops[key] += $at["ops"] + $at["late"]
  requests[table, variant] += $at["ops"] + $at["late"]
  if ($at["max_us"] + 0 > longest[key]) longest[key] = $at["max_us"] + 0
  misses[key] += $at["misses"]
  errors[key] += $at["errors"]
  n = split($at["histogram"], cell, " ")
  for (i = 1; i <= n; i++) {
    if (cell[i] !~ /^[0-9]+(\.[0-9]+)?:[0-9]+$/) continue
    split(cell[i], pair, ":")
    if (!((key, pair[1]) in slot)) slots_of[key] = slots_of[key] " " pair[1]
    slot[key, pair[1]] += pair[2]
    samples[key] += pair[2]
  }
}

END {
  remember_variants()
  for (t = 1; t <= size["table"]; t++) print_table(item["table", t])
}
