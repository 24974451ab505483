# SPDX-License-Identifier: MIT
# Print a table of working sets from totals: for each phase, shape and order of keys the memory that the instances touched in 1, 4 and 16 s, and the
# predicted sufficient ratio of DRAM to data. If a tier limits DRAM in the same run, the table has its sufficient ratios.
# Table: 40
# Needs: interval totals
# Column: wss_16s_bytes

function mib(bytes) {
  return bytes == "" ? "" : sprintf("%.1f", bytes / 1048576)
}

# The share of the data in DRAM for a ratio: 1:4 is 0.25.
function share_of(ratio,    part) {
  split(ratio, part, ":")
  return part[2] > 0 ? part[1] / part[2] : ""
}

# The results of the phase's limited points of the same shape: the min ratio that was enough, and the max that was not.
function seen_of(shape,    i, key, far, enough, short, share) {
  for (i = 1; i <= keys_limited; i++) {
    key = limited[i]
    if (shape_of[key] != shape) continue
    far = median_of(key, "far")
    if (far == "") continue
    share = share_of(ratio_of[key])
    if (far < 0.01) {
      if (enough == "" || share < share_of(enough)) enough = ratio_of[key]
    } else if (short == "" || share > share_of(short)) short = ratio_of[key]
  }
  if (enough == "" && short == "") return ""
  return (enough == "" ? "" : enough " is enough") (enough != "" && short != "" ? ", " : "") (short == "" ? "" : short " is not")
}

BEGIN {
  split("wss_1s_bytes wss_4s_bytes wss_16s_bytes rss swap far", figure, " ")
}

FNR == 1 { next }

!schema_is_fill($at["operation"]) {
  ratio = $at["dram_ratio"]
  # The other swept settings, whose text begins with the ratio.
  rest = ratio == "" ? $at["sweep"] : substr($at["sweep"], length(ratio) + 3)
  held = $at["tier_is"] ~ /(^| )limited( |$)/
  shape = $at["operation"] SUBSEP $at["len"] SUBSEP $at["servers"] SUBSEP rest
  key = shape SUBSEP $at["variant"] SUBSEP ratio
  if (!(key in count)) {
    shape_of[key] = shape
    ratio_of[key] = ratio
    variant_of[key] = $at["variant"]
    limit_of[key] = held
    rest_of[key] = rest
    order[++keys] = key
    if (held && ratio != "") limited[++keys_limited] = key
  }
  count[key]++
  for (f = 1; f <= 5; f++) value[key, count[key], figure[f]] = $at[figure[f]]
  value[key, count[key], "far"] = $at["far_per_op"]
  if ($at["wss_16s_bytes"] != "") probed = 1
}

END {
  if (!probed) exit
  table_begin("Working sets: memory that all instances touched, MiB", "phase|text|Phase\tvariant|text|Variant\tpoint|text|Point\t1s|right|1 s\t4s|right|4 s" \
    "\t16s|right|16 s\tdata|right|Resident and swapped\tratio|right|Predicted DRAM:data\tseen|text|Measured in this run")
  for (i = 1; i <= keys; i++) {
    key = order[i]
    wss = median_of(key, "wss_16s_bytes")
    if (wss == "") continue
    data = median_of(key, "rss") + median_of(key, "swap")
    split(key, part, SUBSEP)
    predicted = ""
    # With limited DRAM, only pages in DRAM are counted as touched.
    if (!limit_of[key] && wss > 0 && data > 0) predicted = wss < data ? sprintf("1:%.1f", int(10 * data / wss) / 10) : "1:1.0"
    print "row", part[1], variant_of[key], part[2] " B, " part[3] " instance" (part[3] == 1 ? "" : "s") (rest_of[key] == "" ? "" : ", " rest_of[key]) \
      (ratio_of[key] == "" ? "" : ", " ratio_of[key]), \
      mib(median_of(key, "wss_1s_bytes")), mib(median_of(key, "wss_4s_bytes")), mib(wss), mib(data), predicted, limit_of[key] ? "" : seen_of(shape_of[key])
  }
  print "note", "Predicted: DRAM for the memory touched in 16 s. Measured: a ratio is enough with far accesses below 0.01 per operation."
}
