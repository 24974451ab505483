# SPDX-License-Identifier: MIT
# Print totals as the table at the end of a run, one row per repeat as in the guide's Table 1, for render.awk. Its columns are those that the schema
# marks with `table`, in the order of their places. Conditions: varies: not the same in every row. point: the value size does not name the point.
# variant: there are several. missed: a result missed its rate. far: far memory was used. tiers: or should have been. used: not 0 everywhere. The
# name of a column: that one is used.

# A percentile of the row; requests without an answer count with the time that they waited, so it is a lower bound.
function percentile(name) {
  return (bound_row_waited(name) ? bound_sign(-1, 1) : "") $at[name]
}

# The throughput of row R, the current one, in % of the baseline.
function percent_of_baseline(r,    key, side) {
  key = $at["run"] SUBSEP $at["point"] SUBSEP $at["repeat"] SUBSEP $at["operation"]
  if (!(key in base) || $at["ops_per_sec"] == "" || $at["search"] == "broken" || $at["discarded"] != "" || base_ops[key] <= 0) return ""
  if (base[key] == r) return "100.0000"
  side = bound_side(base_limited[key], bound_row() + 0)
  return side != "both" ? bound_ratio(side, 1) sprintf("%.4f", 100 * $at["ops_per_sec"] / base_ops[key]) : ""
}

# The kinds of the reasons why a row is discarded, without their details.
function kinds_of(reasons,    n, i, part, out) {
  n = split(reasons, part, /; /)
  for (i = 1; i <= n; i++) if (part[i] ~ /^[a-z]+: /) out = out (out == "" ? "" : ", ") substr(part[i], 1, index(part[i], ":") - 1)
  return out
}

# Whether a column with the condition WHEN is shown.
function wanted(name, when) {
  if (when == "varies") return varies[name]
  if (when == "variant") return varies["variant"]
  if (when == "point") return point_tells
  if (when == "far") return far
  if (when == "missed") return missed
  if (when == "tiers") return tiers
  return when == "always" ? 1 : used[when == "used" ? name : when]
}

# The value of row R, the current one, in the column NAME.
function figure(r, name) {
  if (name == "percent_of_baseline") return percent_of_baseline(r)
  if (name == "far_percent") return $at["far_share"] == "" ? "" : 100 * $at["far_share"]
  if (!(name in at)) return ""
  if (name ~ /^(ops_per_sec|tx_bps)$/ && $at[name] != "" && bound_row()) return bound_sign(1) $at[name]
  if (name == "operation") return toupper($at[name])
  if (name == "discarded") return kinds_of($at[name])
  return schema[name, "clients"] == "histogram" ? percentile(name) : $at[name]
}

BEGIN { FS = OFS = "\t" }

NR == 1 {
  for (i = 1; i <= NF; i++) {
    schema_see($i)
    at[$i] = i
  }
  columns = schema_list("table", column)
  schema_sort(column, columns)
  for (i = 1; i <= columns; i++) {
    if (column[i] in at) watched[column[i]] = at[column[i]]
    name = schema_when(column[i], "table")
    if (name in at) watched[name] = at[name]
  }
  next
}

{
  line[++rows] = $0
  for (name in watched) {
    if (rows == 1) first[name] = $watched[name]
    else if ($watched[name] != first[name]) varies[name] = 1
    if ($watched[name] != "" && $watched[name] != "0") used[name] = 1
  }
  # If all data was in DRAM, as requested, three more columns are not needed.
  if ($at["far_per_op"] > 0 || $at["far_share"] > 0.005) far = tiers = 1
  if ($at["placement"] == "off") tiers = 1
  if (bound_missed($at["rate_percent"])) missed = 1
  # A point that is identified by its value size needs no separate column.
  if (($at["len"] in point_of) && point_of[$at["len"]] != $at["point"]) point_tells = 1
  point_of[$at["len"]] = $at["point"]
  # The baseline is the first variant in VARIANTS; without VARIANTS there is no baseline. A phase that broke the limit of its search, or is discarded,
  # is not used as a baseline.
  if ($at["variant_rank"] == 1 && $at["search"] != "broken" && $at["discarded"] == "") {
    name = $at["run"] SUBSEP $at["point"] SUBSEP $at["repeat"] SUBSEP $at["operation"]
    base[name] = rows
    base_ops[name] = $at["ops_per_sec"] + 0
    base_limited[name] = bound_row() + 0
  }
}

END {
  for (i = 1; i <= columns; i++) printf "%s%s", column[i], (i < columns ? OFS : "\n")
  for (i = 1; i <= columns; i++)
    printf "%s%s", (wanted(column[i], schema_when(column[i], "table")) ? schema[column[i], "heading"] : ""), (i < columns ? OFS : "\n")
  for (i = 1; i <= columns; i++) printf "%s%s", schema[column[i], "decimals"], (i < columns ? OFS : "\n")
  for (r = 1; r <= rows; r++) {
    $0 = line[r]
    for (i = 1; i <= columns; i++) printf "%s%s", figure(r, column[i]), (i < columns ? OFS : "\n")
  }
}
