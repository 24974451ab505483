# SPDX-License-Identifier: MIT
# From the latencies of doctor --probe and totals to a table: the time that loads from far memory should add to an operation, and the CPU time that
# instances took more than the baseline's.
# Table: 60
# Needs: interval totals
# Column: far_loads_per_op
# Files: env/*/tiers.tsv env/*/memory.tsv

function remember_least(list, key, x) {
  if (!((list, key) in least) || x < least[list, key]) least[list, key] = x
}

# Set near and far, the latencies in ns: of the nearest node with a CPU; of the slow nodes, each from its nearest socket, or without them of nodes of
# other sockets. Returns 0 if both are not known.
function latencies(    i, n, sum, count, k) {
  for (i = 1; i <= pairs; i++) {
    if (place[pair_node[i]] == "cpu" && (near == "" || latency[i] < near)) near = latency[i]
    remember_least("node", pair_node[i], latency[i])
  }
  for (n in place) if (place[n] == "far" && (("node", n) in least)) { sum += least["node", n]; count++ }
  if (!count)
    for (i = 1; i <= pairs; i++) {
      k = pair_node[i]
      if (place[k] == "cpu" && latency[i] > least["node", k]) { sum += latency[i]; count++ }
    }
  if (count) far = sum / count
  return near != "" && far > near
}

# The latencies of several servers differ, and of some they may be unknown.
FNR == 1 {
  files++
  input = FILENAME
  sub(/^.*\//, "", input)
  seen[input]++
}

input == "memory.tsv" && $1 == "node" && $2 ~ /^[0-9]+$/ && $3 ~ /^(cpu|far|fast)$/ { place[$2] = $3; next }

input == "memory.tsv" && $1 == "pair" && $3 ~ /^[0-9]+$/ && $4 ~ /^[0-9]+(\.[0-9]+)?$/ && $4 > 0 {
  pair_node[++pairs] = $3
  latency[pairs] = $4 + 0
  next
}

files > 1 || FNR == 1 { next }

!schema_is_fill($at["operation"]) && $at["variant_rank"] > 0 {
  shape = $at["operation"] SUBSEP $at["point"]
  key = shape SUBSEP $at["variant"]
  if ($at["variant_rank"] == 1) base = $at["variant"]
  if (!(key in count)) {
    order[++keys] = key
    shape_of[key] = shape
    variant_of[key] = $at["variant"]
  }
  i = ++count[key]
  value[key, i, "loads"] = $at["far_loads_per_op"]
  value[key, i, "cpu"] = $at["server_cpu_us_per_op"]
}

END {
  if (base == "" || seen["tiers.tsv"] > 1 || seen["memory.tsv"] != 1 || !latencies()) exit
  for (i = 1; i <= keys; i++) {
    key = order[i]
    here = median_of(key, "loads")
    there = median_of(shape_of[key] SUBSEP base, "loads")
    cpu = median_of(key, "cpu")
    base_cpu = median_of(shape_of[key] SUBSEP base, "cpu")
    if (variant_of[key] == base || here == "" || there == "" || cpu == "" || base_cpu == "") continue
    if (!printed++) {
      table_begin("Far loads: expected against seen, more than " base, "phase|text|Phase\tvariant|text|Variant\tpoint|text|Point" \
        "\tloads|right|Far loads/op\tns|right|ns each\texpected|right|Expected us/op\tseen|right|Seen us/op")
    }
    split(key, part, SUBSEP)
    loads = here - there
    print "row", part[1], variant_of[key], part[2], sprintf("%.3f", loads), sprintf("%.0f", far - near), sprintf("%.2f", loads * (far - near) / 1000), \
      sprintf("%.2f", cpu - base_cpu)
  }
  if (!printed) exit
  print "note", "Expected: far loads times the latency of far memory less that of near memory, " sprintf("%.0f and %.0f", far, near) " ns by doctor --probe." \
    " Seen: CPU time of the instances. Loads that overlap cost less than expected; stores and prefetches are not counted."
}
