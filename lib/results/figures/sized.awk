# SPDX-License-Identifier: MIT
# Print one table per phase and point from totals and the size.tsv of each repeat: the min share of DRAM at which a load keeps a limit, by variant.
# Files: the totals first, then size.tsv files whose paths end in VARIANT/POINT/rep-N/size.tsv. Prints lines for figures_tables:
# `title TEXT`, `row ...` and `note TEXT`.

function remember(list, name) {
  if ((list, name) in known) return
  known[list, name] = 1
  item[list, ++size[list]] = name
}

function median_of(key, figure,    n, i, out) {
  for (i = 1; i <= count[key]; i++) if (value[key, i, figure] ~ /^[0-9.]+$/) out[++n] = value[key, i, figure] + 0
  if (!n) return ""
  interval_sort(out, n)
  return interval_median(out, n)
}

# The range of a figure over repeats: its min FROM and max TO.
function range_of(key, from, to,    i, low, high) {
  for (i = 1; i <= count[key]; i++) {
    if (value[key, i, from] ~ /^[0-9.]+$/ && (low == "" || value[key, i, from] + 0 < low)) low = value[key, i, from] + 0
    if (value[key, i, to] ~ /^[0-9.]+$/ && (high == "" || value[key, i, to] + 0 > high)) high = value[key, i, to] + 0
  }
  if (high == "") return ""
  return (low == "" ? "" : low) ".." high
}

# The reasons why repeats break the limit, each once.
function words_of(key,    i, out) {
  for (i = 1; i <= count[key]; i++)
    if (value[key, i, "broke_by"] != "-" && index(" " out " ", " " value[key, i, "broke_by"] " ") == 0) out = out (out == "" ? "" : " ") value[key, i, "broke_by"]
  return out
}

# The memory that zram uses after a phase, in bytes.
function zram_of(folder, phase,    file, line, f, bytes) {
  file = text_opened(text_unescape(folder) "/../server/counters.tsv")
  while ((getline line < file) > 0) {
    split(line, f, "\t")
    if (f[1] == phase && f[2] == "zram" && f[3] == "memory" && f[5] != "-") bytes = f[5]
  }
  close(file)
  return bytes + 0
}

function note(text) {
  notes[++noted] = text
}

# One row: a variant at a limit.
function print_row(l, v, key,    far, i, open, client) {
  if (brokens[key]) note(v ", " l ": the measured phase does not keep it, though steps did, in " brokens[key] " of " brokens[key] + nones[key] + count[key] " repeats: a longer SEARCH_TIME finds a higher share")
  if (nones[key]) note(v ", " l ": not kept with all data in DRAM, in " nones[key] " of " brokens[key] + nones[key] + count[key] " repeats: set a lower RATE or SEARCH_LOAD")
  if (!count[key]) {
    if (nones[key] + brokens[key]) print "row", l, v, (brokens[key] ? "broken" : "none"), "", "", "", "", "", "", "", "", steps_of[key]
    return
  }
  far = median_of(key, "far_per_op")
  print "row", l, v, median_of(key, "share") "%", range_of(key, "low", "high"), range_of(key, "share", "share"), text_group(median_of(key, "bytes") / 1048576, 1),
    text_group(median_of(key, "ops_per_sec"), 0), text_group(median_of(key, "avg_us"), 0), text_group(median_of(key, "p99_us"), 0), (far == "" ? "" : sprintf("%.3f", far)),
    words_of(key), median_of(key, "steps")
  for (i = 1; i <= count[key]; i++) {
    open += value[key, i, "state"] == "open"
    client += value[key, i, "state"] == "client"
  }
  if (client) note(v ", " l ": with less DRAM the load generator was the limit in " client " of " count[key] " searches, so less may do: more threads, CPUs or clients")
  if (open) note(v ", " l ": not certain after SEARCH_STEPS: " open " of " count[key] " searches")
  if (zram[key]) note(v ": MiB include what zram keeps in memory; the share does not")
}

function print_table(table,    part, l, v, i) {
  split(table, part, SUBSEP)
  noted = 0
  print "title", toupper(part[1]) " of " text_group(len_of[part[2]], 0) " B" (servers_of[part[2]] == "" ? "" : " on " servers_of[part[2]] " instance" (servers_of[part[2]] == 1 ? "" : "s")) \
    (sweep_of[part[2]] == "" ? "" : ", " sweep_of[part[2]]) ": the min share of DRAM at which " text_group(rate_of[table], 0) " ops/s keep a limit"
  print "row", "limit", "variant", "dram_share_percent", "between", "repeats", "dram_mib", "ops_per_sec", "avg_us", "p99_us", "far_per_op", "broke_by", "steps"
  print "row", "Limit", "Variant", "DRAM share", "95 % between", "Repeats, min..max", "DRAM MiB", "ops/s", "avg us", "p99 us", "far/op", "With less breaks", "Steps"
  print "row", "text", "text", "right", "right", "right", "right", "right", "right", "right", "right", "text", "right"
  for (l = 1; l <= size["limit"]; l++)
    for (v = 1; v <= size["variant"]; v++) print_row(item["limit", l], item["variant", v], table SUBSEP item["limit", l] SUBSEP item["variant", v])
  for (i = 1; i <= noted; i++) print "note", notes[i]
}

BEGIN { FS = OFS = "\t" }

FNR == 1 {
  files++
  for (i in at) delete at[i]
  for (i = 1; i <= NF; i++) at[$i] = i
  n = split(FILENAME, part, "/")
  variant = part[n - 3]
  point = part[n - 2]
  repeat = substr(part[n - 1], 5)
  next
}

files == 1 {
  from = $at["variant"] SUBSEP $at["point"] SUBSEP $at["repeat"] SUBSEP $at["operation"]
  for (i in at) total[from, i] = $at[i]
  seen[from] = 1
  if ($at["variant_rank"] > 0) rank[$at["variant"]] = $at["variant_rank"]
  len_of[$at["point"]] = $at["len"]
  servers_of[$at["point"]] = $at["servers"]
  sweep_of[$at["point"]] = $at["sweep"]
  next
}

{
  phase = $at["phase"]
  sub(/-[0-9]+$/, "", phase)
  table = phase SUBSEP point
  remember("table", table)
  remember("limit", $at["limit"])
  found_variant[variant] = 1
  if ($at["rate"] > rate_of[table] + 0) rate_of[table] = $at["rate"]
  key = table SUBSEP $at["limit"] SUBSEP variant
  steps_of[key] = $at["steps"]
  from = variant SUBSEP point SUBSEP repeat SUBSEP $at["phase"]
  if ($at["search"] == "none") nones[key]++
  else if ($at["search"] == "broken") brokens[key]++
  else if (from in seen) {
    k = ++count[key]
    split("ops_per_sec avg_us p99_us far_per_op", figure, " ")
    for (i = 1; i <= 4; i++) value[key, k, figure[i]] = total[from, figure[i]]
    value[key, k, "state"] = $at["search"]
    value[key, k, "share"] = $at["dram_share_percent"]
    value[key, k, "low"] = $at["search_low"]
    value[key, k, "high"] = $at["search_high"]
    value[key, k, "steps"] = $at["steps"]
    value[key, k, "broke_by"] = $at["broke_by"]
    held = zram_of(total[from, "folder"], $at["phase"])
    value[key, k, "bytes"] = sprintf("%.0f", $at["base_bytes"] * $at["dram_share_percent"] / 100 + held)
    if (held) zram[key] = 1
  }
}

END {
  # In the order of VARIANTS.
  for (r = 1; r <= 1000; r++) for (v in rank) if (rank[v] == r && (v in found_variant)) remember("variant", v)
  for (v in found_variant) remember("variant", v)
  for (t = 1; t <= size["table"]; t++) print_table(item["table", t])
}
