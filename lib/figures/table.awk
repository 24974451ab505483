# SPDX-License-Identifier: MIT
# Lays out totals as the table that a run ends with, a row a repeat as in the guide's Table 1, for render.awk.
# Columns that would say the same in every row (run, variant, point, repeat) are left out of what people read.

function vary(column, value) {
  if (!(column in first)) first[column] = value
  else if (first[column] != value) varies[column] = 1
}

BEGIN { FS = OFS = "\t" }

NR == 1 {
  for (i = 1; i <= NF; i++) at[$i] = i
  next
}

{
  rows++
  for (name in at) cell[rows, name] = $at[name]
  # A server that keeps all in DRAM, as it was asked to, is not worth three columns.
  if ($at["far_per_op"] > 0 || $at["far_share"] > 0.005) far = tiers = 1
  if ($at["placement"] == "off") tiers = 1
  vary("run", $at["run"])
  vary("variant", $at["variant"])
  vary("point", $at["point"])
  vary("len", $at["len"])
  vary("repeat", $at["repeat"])
  # A point that is told by its value size needs no column of its own.
  if (($at["len"] in point_of) && point_of[$at["len"]] != $at["point"]) point_tells = 1
  point_of[$at["len"]] = $at["point"]
  # The baseline is the variant that VARIANTS names first; without VARIANTS there is none.
  if ($at["variant_rank"] == 1) base[$at["run"], $at["point"], $at["repeat"], $at["operation"]] = $at["ops_per_sec"]
}

END {
  print "run", "variant", "point", "repeat", "len", "keys", "servers", "operation", "tx_bps", "ops_per_sec", "percent_of_baseline",
    "p50_us", "p99_us", "p99_9_us", "max_time", "errors", "misses", "far_per_op", "far_percent", "placement"
  print varies["run"] ? "Run" : "", varies["variant"] ? "Variant" : "", point_tells ? "Point" : "", varies["repeat"] ? "Repeat" : "",
    "Value size", "Keys each", "Servers", "Operation", "Tx combined bit/s", "ops/s", varies["variant"] ? "% of baseline" : "",
    "p50 us", "p99 us", "p99.9 us", "Max time s", "Errors", "Misses", \
    far ? "Far/op" : "", far ? "% far" : "", tiers ? "Placement" : ""
  print "text", "text", "text", "raw", 0, 0, 0, "text", 0, 0, "percent", 0, 0, 0, 0, 0, 0, 3, "percent", "text"
  for (r = 1; r <= rows; r++) {
    b = base[cell[r, "run"], cell[r, "point"], cell[r, "repeat"], cell[r, "operation"]]
    print cell[r, "run"], cell[r, "variant"], cell[r, "point"], cell[r, "repeat"], cell[r, "len"], cell[r, "keys"], cell[r, "servers"],
      toupper(cell[r, "operation"]), cell[r, "tx_bps"], cell[r, "ops_per_sec"],
      (b > 0 && cell[r, "ops_per_sec"] != "") ? sprintf("%.4f", 100 * cell[r, "ops_per_sec"] / b) : "",
      cell[r, "p50_us"], cell[r, "p99_us"], cell[r, "p99_9_us"], cell[r, "max_time"], cell[r, "errors"], cell[r, "misses"],
      cell[r, "far_per_op"], cell[r, "far_share"] == "" ? "" : 100 * cell[r, "far_share"], cell[r, "placement"]
  }
}
