# SPDX-License-Identifier: MIT
# Print a table of starts from far memory from totals: for each phase, variant and point, how soon the rate was back. The first variant is the baseline
# of the final rate.
# Table: 98
# Needs: interval totals
# Column: start_far_percent

FNR == 1 { next }

# A variant without far memory is a row only if another one in the phase starts from there.
!schema_is_fill($at["operation"]) {
  shape = $at["operation"] SUBSEP $at["len"] SUBSEP $at["servers"] SUBSEP $at["sweep"]
  key = shape SUBSEP $at["variant"]
  if (!(key in count)) {
    shape_of[key] = shape
    order[++keys] = key
    if (!(shape in base)) base[shape] = key
  }
  count[key]++
  value[key, count[key], "far"] = $at["start_far_percent"]
  value[key, count[key], "s90"] = $at["recovery_90_s"]
  value[key, count[key], "s99"] = $at["recovery_99_s"]
  value[key, count[key], "first90"] = $at["recovery_first_90_s"]
  value[key, count[key], "first99"] = $at["recovery_first_99_s"]
  value[key, count[key], "pages"] = $at["recovery_pages_per_sec"]
  value[key, count[key], "final"] = $at["recovery_final_ops_per_sec"] == "" ? $at["ops_per_sec"] : $at["recovery_final_ops_per_sec"]
  if ($at["start_far_percent"] != "") is_far[shape] = 1
}

function shown(key, name, places,    x) {
  x = median_of(key, name)
  return x == "" ? "" : text_group(x, places)
}

END {
  for (i = 1; i <= keys && !begun; i++) begun = is_far[shape_of[order[i]]]
  if (!begun) exit
  table_begin("Start from far memory: until the rate is back", "phase|text|Phase\tvariant|text|Variant\tpoint|text|Point\tfar|right|% out of DRAM" \
    "\ts90|right|90 % after s\ts99|right|99 % after s\tfirst90|right|90 % of first after s\tfirst99|right|99 % of first after s" \
    "\tpages|right|Pages/s\tfinal|right|Final ops/s\tpart|right|% of the first variant")
  for (i = 1; i <= keys; i++) {
    key = order[i]
    if (!is_far[shape_of[key]]) continue
    split(key, part, SUBSEP)
    first = median_of(base[shape_of[key]], "final")
    print "row", part[1], part[5], part[2] " B, " part[3] " instance" (part[3] == 1 ? "" : "s") (part[4] == "" ? "" : ", " part[4]), \
      shown(key, "far", 1), shown(key, "s90", 2), shown(key, "s99", 2), shown(key, "first90", 2), shown(key, "first99", 2), \
      shown(key, "pages", 0), shown(key, "final", 0), \
      (first > 0 ? text_group(100 * median_of(key, "final") / first, 1) : "")
  }
  print "note", "The final rate is that of the last third of a phase. Times are until 90 and 99 % of it, or of that of the first variant. A variant without a value in % out of DRAM began warm."
}
