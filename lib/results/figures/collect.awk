# SPDX-License-Identifier: MIT
# The rows of a run in a collection, one for each variant, from totals that count: machine, its system, scenario, tier, variant, phase, point,
# throughput, its part of the first variant, p99, far accesses, repeats, and when it began, in s. Figures are medians of the phase and point with the highest throughput; populate counts
# only if nothing else was measured. Load it after interval.awk and totals.awk.

# Describe the first server of the run in FOLDER in two fields: what it is, and what runs on it. An address says nothing to others.
function machine_of(folder,    server, n, file, line, f, is, label) {
  n = split(stored_setting(folder, "-", "SERVER"), server, " ")
  file = server[1]
  gsub(/:/, "+", file)
  if (file !~ /^[A-Za-z0-9][A-Za-z0-9._+-]*$/) file = "-"
  file = text_opened(folder "/env/" file "/env.tsv")
  while ((getline line < file) > 0) if (split(line, f, "\t") > 1 && f[2] != "-") is[f[1]] = text_plain(f[2])
  close(file)
  label = stored_setting(folder, "-", "LABEL")
  return text_plain(label ~ /^(none)?$/ ? "" : label ": ") (("cpu.model" in is) ? is["cpu.model"] : "not described") \
    (("cpu.count" in is) ? ", " is["cpu.count"] " CPUs" : "") (("memory.kib" in is) ? ", " text_number(is["memory.kib"] / 1048576, 0) " GiB" : "") \
    (("machine.hypervisor" in is) ? ", a guest of " is["machine.hypervisor"] : "") (n > 1 ? ", one of " n " servers" : "") \
    "\t" is["os.name"] (("kernel.release" in is) ? ", Linux " is["kernel.release"] : "")
}

# The median of a figure of KEY, after the sign of a bound.
function shown(key, name, decimals,    x) {
  x = median_of(key, name)
  return x == "" ? "" : sign[key, name] text_group(x, decimals == "" ? text_decimals(x, "latency") : decimals)
}

# The key of variant V with the highest throughput.
function best_of(v,    k, key, most, best) {
  for (k = 1; k <= size["of " v]; k++) {
    key = item["of " v, k]
    if (measured && is_fill[key] || best != "" && median_of(key, "ops") <= most) continue
    best = key
    most = median_of(key, "ops")
  }
  return best
}

FNR == 2 { machine = machine_of(text_unescape($at["run_folder"])) }

FNR == 1 { next }

$at["search"] == "broken" { next }

{
  variant = text_unescape($at["variant"])
  key = variant "\t" $at["operation"] "\t" $at["point"]
  remember("variants", variant)
  remember("of " variant, key)
  cell_of[key] = text_plain(text_unescape($at["operation"])) "\t" text_plain(text_unescape($at["point"]))
  tier_of[variant] = text_plain(text_unescape($at["tier"]))
  scenario = text_plain(text_unescape($at["scenario"])) ($at["quick"] == "" ? "" : " (quick)")
  if ($at["variant_rank"] == 1) base = variant
  is_fill[key] = schema_is_fill($at["operation"])
  measured += !is_fill[key]
  count[key]++
  value[key, count[key], "ops"] = $at["ops_per_sec"]
  value[key, count[key], "p99"] = $at["p99_us"]
  value[key, count[key], "far"] = $at["far_per_op"]
  # A search for a load and one for DRAM answer different questions.
  found_by[key] = $at["search_holds"] != "" ? "dram" : $at["capacity_ops_per_sec"] != "" ? "load" : ""
  if (bound_row()) sign[key, "ops"] = bound_sign(1)
  if (bound_row_waited("p99_us")) sign[key, "p99"] = bound_sign(-1, 1)
  if (!began || $at["start_us"] + 0 < began) began = $at["start_us"] + 0
}

END {
  for (v = 1; v <= size["variants"]; v++) {
    variant = item["variants", v]
    key = best_of(variant "")
    if (key == "") continue
    of_base = base substr(key, length(variant) + 1)
    side = bound_side(sign[of_base, "ops"] != "", sign[key, "ops"] != "")
    part = ""
    if (variant != base && median_of(of_base, "ops") > 0 && side != "both" && found_by[key] == found_by[of_base])
      part = bound_ratio(side, 1) text_group(100 * median_of(key, "ops") / median_of(of_base, "ops"), 1) " %"
    print machine, scenario, tier_of[variant], text_plain(variant), cell_of[key], \
      shown(key, "ops", 0), part, shown(key, "p99"), shown(key, "far", 4), count[key], int(began / 1000000)
  }
}
