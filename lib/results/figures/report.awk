# SPDX-License-Identifier: MIT
# The warnings about a report's results, from totals: lines `warning TEXT`, the same as `short TEXT` without the list of results, `summary TEXT`, which
# is the verdict of a run of one variant, and `told WHAT` or `untold WHAT`: whether the results can show it.

function warn(text, places) {
  print "warning", text_escape(text (places == "" ? "" : ": " places))
  print "short", text_escape(text)
}

# Record one warning of a kind: the number of rows, the first of them, and the row with the max.
function count_kind(kind, value, where) {
  if (value == "" || value + 0 <= 0) return
  if (++number[kind] <= 4) places[kind] = places[kind] (number[kind] > 1 ? "; " : "") where
  if (value + 0 > largest[kind]) {
    largest[kind] = value + 0
    largest_at[kind] = where
  }
}

# Record the warning of a part, as row_warn in result.awk writes it.
function count_part(warned, where,    part, kind) {
  if (split(warned, part, "|") != 4) return
  kind = "part " part[2]
  if (!number[kind]) part_text[++part_texts] = part[2]
  if (part[1] + 0 > largest[kind] + 0) part_most[part[2]] = part[4]
  count_kind(kind, part[1], where ": " part[3])
}

# Count each reason why a row is discarded; WHERE the row is.
function count_discards(reasons, where,    n, i, part, kind, detail) {
  n = split(reasons, part, /; /)
  for (i = 1; i <= n; i++) {
    if (part[i] ~ /^[a-z]+: /) {
      if (kind != "") count_kind("discarded " kind, 1, where detail ")")
      kind = substr(part[i], 1, index(part[i], ":") - 1)
      detail = " (" substr(part[i], index(part[i], ":") + 2)
    } else detail = detail ", " part[i]
  }
  if (kind != "") count_kind("discarded " kind, 1, where detail ")")
}

# Warn about the results of a kind: their number, and the first four of them.
function warn_listed(kind, text) {
  if (number[kind]) warn(text " in " number[kind] " of " rows " results", places[kind] (number[kind] > 4 ? "; and " number[kind] - 4 " more" : ""))
}

# Warn about the results of a kind: their number, and the one with the max, which is VALUE as text.
function warn_most(kind, text, value) {
  if (number[kind]) warn(text " in " number[kind] " of " rows " results; most in " largest_at[kind] ": " value)
}

# Spans of seconds as text: 3-4, 41-43.
function listed_spans(spans) {
  gsub(/ /, ", ", spans)
  return spans
}

# A margin as margin.awk prints it: 100 means 100 or more.
function shown_margin(percent) {
  return percent < 100 ? "+-" text_group(percent, percent < 10 ? 1 : 0) " %" : "100 % or more"
}

BEGIN {
  FS = OFS = "\t"
  asked = split("errors misses client_limited placement foreign_over", asked_name, " ")
  discards = split("placement stopped misses", discard_name, " ")
  kinds = split("errors misses mismatches timeouts lost outages", kind_name, " ")
}

NR == 1 {
  for (i = 1; i <= NF; i++) at[$i] = i
  next
}

{
  rows++
  where = text_unescape(($at["variant"] == "" ? $at["run"] : $at["variant"]) ", " $at["operation"] " at " ($at["point"] == "" ? $at["len"] " B" : $at["point"]) ", repeat " $at["repeat"])
  for (i = 1; i <= kinds; i++) count_kind(kind_name[i], $at[kind_name[i]], where)
  for (i = 1; i <= asked; i++) told[asked_name[i]] += $at[asked_name[i]] != ""
  count_kind("limited", $at["client_limited"], where)
  count_discards(text_unescape($at["discarded"]), where)
  # Less than 1 MiB is what an empty device has.
  if ($at["uncompressed_bytes"] > 1048576 && $at["compressed_bytes"] > 0.9 * $at["uncompressed_bytes"])
    count_kind("incompressible", $at["compressed_bytes"], where ": " text_group($at["compressed_bytes"] / 1048576, 1) " MiB of DRAM for " text_group($at["uncompressed_bytes"] / 1048576, 1) " MiB of data")
  if ($at["tier"] == "native") {
    count_kind("swapped", $at["swap"], where)
    # One or two pages of the program are not a warning. Swapped-out data is far too, and is reported above.
    count_kind("away", $at["far_meant"] == "" && $at["far_share"] > 0.01 && $at["far_share"] * ($at["rss"] + $at["swap"]) > 2 * $at["swap"] ? $at["far_share"] : "", where)
    count_kind("fetched", $at["far_per_op"] > 0.001 ? $at["far_per_op"] : "", where)
  }
  # 0.1 s, or 1 % of the phase: during this time only some clients loaded the server.
  if ($at["start_spread_us"] + 0 > 100000 || ($at["max_time_us"] > 0 && $at["start_spread_us"] / $at["max_time_us"] > 0.01)) count_kind("spread", $at["start_spread_us"], where)
  if (bound_missed($at["rate_percent"])) count_kind("missed", 100 - $at["rate_percent"], where ": " text_group($at["ops_per_sec"], 0) " of " text_group($at["rate"], 0) " operations per second in " \
    text_group($at["max_time_us"] / 1000000, 1) " s")
  # In an open loop, the client causes late sends.
  if ($at["rate"] + 0 > 0) count_kind("lag", $at["send_lag_p99_us"] > 1000 ? $at["send_lag_p99_us"] : "", where)
  # The speed of the populate phase is not a result.
  if (!schema_is_fill($at["operation"])) {
    timed++
    judged += $at["settled"] != ""
    count_kind("wide", $at["ops_margin_percent"] > 5 ? $at["ops_margin_percent"] : "", where)
    count_kind("wide tail", $at["p99_margin_percent"] > 25 ? $at["p99_margin_percent"] : "", where)
    count_kind("unsettled", $at["settled"] == "no", where)
    count_kind("disturbed", $at["disturbed"] != "" && $at["disturbed"] != "no", where " at " listed_spans($at["disturbed"]) " s")
    count_kind("idle policy", $at["tier_is"] ~ /(^| )moves( |$)/ && $at["moved_per_op"] != "" && $at["moved_per_op"] == 0, where)
    count_kind("warmup", $at["warmup_s"], where ": " $at["warmup_s"] " s")
  }
  count_part(text_unescape($at["warned"]), where)
  count_kind("broken", $at["search"] == "broken", where ": " text_unescape($at["limit"]))
  if ($at["foreign_over"] > 0) {
    count_kind("foreign", $at["foreign_cpu_percent"] >= $at["steal_percent"] ? $at["foreign_cpu_percent"] : "", where (", on " ($at["foreign_host"] == "server" ? "the server" : $at["foreign_host"])))
    count_kind("steal", $at["steal_percent"] > $at["foreign_cpu_percent"] ? $at["steal_percent"] : "", where)
  }
  count_kind("throttled", $at["throttled_percent"], where)
  if ($at["max_time_us"] + 0 < 1000000) brief[schema_is_fill($at["operation"])]++
  op = text_unescape($at["operation"])
  who = text_unescape($at["variant"] == "" ? $at["run"] : $at["variant"])
  place = text_unescape($at["point"] == "" ? $at["len"] " B" : $at["point"])
  if (!((who, op) in points)) order[++cells] = who SUBSEP op
  if (!((who, op, place) in repeats)) place_of[who, op, ++points[who, op]] = place
  repeats[who, op, place]++
  if (!((who, place, $at["repeat"]) in made)) {
    made[who, place, $at["repeat"]] = tool = text_unescape($at["made_by"])
    if (tool != "" && !made_by[tool]++) tool_name[++tools] = tool
  }
  if ($at["discarded"] != "") {
    dropped[who, op, place]++
    next
  }
  # What was measured beyond the limit is no answer.
  if ($at["search"] == "broken") {
    broken[who, op, place]++
    next
  }
  v = $at["ops_per_sec"] + 0
  n[who, op, place]++
  if (n[who, op, place] == 1 || v < low[who, op, place]) low[who, op, place] = v
  if (v > high[who, op, place]) high[who, op, place] = v
  if ($at["p99_us"] + 0 > p99[who, op, place]) p99[who, op, place] = $at["p99_us"] + 0
  if (bound_row()) limited[who, op, place] = 1
  if (bound_row_waited("p99_us")) waited[who, op, place] = 1
}

# The figures of a variant in a phase at one point: its repeats that kept the limit of a search, and the highest p99 of them.
function figures_at(key,    told) {
  if (n[key]) told = (limited[key] ? "at least " : "") text_group(low[key], 0) (text_group(high[key], 0) == text_group(low[key], 0) ? "" : " to " text_group(high[key], 0)) " operations per second" \
    (p99[key] ? ", p99 latency at " (waited[key] ? "least " : "most ") text_group(p99[key], text_decimals(p99[key], "latency")) " us" : "")
  if (dropped[key] && told == "" && !broken[key]) told = "no figure"
  if (dropped[key]) told = told "; " dropped[key] " of " repeats[key] " repeat" (repeats[key] == 1 ? "" : "s") " discarded"
  return told (broken[key] ? (told == "" ? "" : "; ") "the limit of the search broke in " broken[key] " of " repeats[key] " repeat" (repeats[key] == 1 ? "" : "s") : "")
}

# Repeats that differ by more than this are named: a single one of them should not be quoted.
function count_noise(    i, j, key, part) {
  for (i = 1; i <= cells; i++) {
    split(order[i], part, SUBSEP)
    # The speed of the populate phase is not a result.
    if (schema_is_fill(part[2])) continue
    for (j = 1; j <= points[order[i]]; j++) {
      key = order[i] SUBSEP place_of[order[i], j]
      if (n[key] < 2 || low[key] <= 0) continue
      repeated++
      if (high[key] / low[key] > 1.1 && ++noisy && high[key] / low[key] > noise) {
        noise = high[key] / low[key]
        noise_at = part[1] ", " part[2] " at " place_of[order[i], j] ": " text_group(low[key], 0) " to " text_group(high[key], 0) " operations per second"
      }
    }
  }
}

# The versions that made the repeats, and the number of repeats of each.
function listed_tools(    i, out) {
  for (i = 1; i <= tools; i++)
    out = out (i > 1 ? "; " : "") tool_name[i] " (" made_by[tool_name[i]] ")"
  return out
}

END {
  text["errors"] = "requests failed"
  text["misses"] = "GETs found no key"
  text["mismatches"] = "GETs returned a wrong value"
  text["timeouts"] = "requests got no reply in time"
  text["lost"] = "requests were lost with their connection"
  text["outages"] = "times an instance was unreachable"
  for (i = 1; i <= kinds; i++) warn_most(kind_name[i], text[kind_name[i]], text_group(largest[kind_name[i]] + 0, 0))
  reason["placement"] = "less than 90 % of the data was on the requested memory (placement=off)"
  reason["stopped"] = "a phase was ended before its time"
  reason["misses"] = "no GET found a key"
  for (i = 1; i <= discards; i++) warn_listed("discarded " discard_name[i], reason[discard_name[i]] ", so no comparison counts it,")
  if (tools > 1) warn("several versions of the tool made the repeats, and may measure differently: " listed_tools())
  warn_listed("missed", "the rate was not reached, so the latency is that of a growing queue,")
  warn_listed("incompressible", "nearly nothing compresses, so compression saves no DRAM,")
  warn_most("swapped", "memory of native instances was swapped out", text_group(largest["swapped"] / 1048576, 1) " MiB")
  warn_most("away", "memory of native instances was on slower nodes", text_group(100 * largest["away"], 1) " %")
  warn_most("fetched", "native instances waited for pages from swap", text_group(largest["fetched"] + 0, 3) " per operation")
  for (i = 1; i <= part_texts; i++) warn_most("part " part_text[i], part_text[i] "", part_most[part_text[i]] "")
  warn_listed("broken", "the measured phase broke the limit of its search (its throughput and latency are not compared)")
  warn_listed("idle policy", "the policy moved nothing (no page was promoted or demoted)")
  warn_listed("limited", "the client was the bottleneck, so the figures describe the client, not the server,")
  warn_most("spread", "clients did not start a phase together", text_group(largest["spread"] / 1000, 0) " ms")
  warn_most("lag", "requests left the client late (p99)", text_group(largest["lag"] + 0, 0) " us")
  warn_listed("disturbed", "disturbed (some intervals are outliers)")
  warn_listed("unsettled", "not settled (the first and the last third differ by more than their error margin)")
  warn_listed("warmup", "the figures include a warm-up")
  warn_most("wide", "the throughput of one repeat has an error margin above 5 %", shown_margin(largest["wide"] + 0))
  warn_most("wide tail", "the p99 of one repeat has an error margin above 25 %", shown_margin(largest["wide tail"] + 0))
  count_noise()
  if (noisy) warn("repeats of the same point differ by more than 10 % in throughput, in " noisy " of " repeated " cases; most in " noise_at)
  warn_most("throttled", "a quota of CPU time stopped the instances or the load generator (latency contains these stops)", text_group(largest["throttled"] + 0, 1) " % of a CPU")
  # A run with nothing but populate measures it.
  count = timed ? brief[0] : brief[1]
  if (count) warn(count " of " (timed ? timed : rows) " results took less than a second: too short for reliable figures, and for Tx combined, which counts whole seconds")
  warn_most("steal", "the hypervisor took CPU time", text_group(largest["steal"] + 0, 1) " % of a CPU")
  warn_most("foreign", "other programs used CPU time", text_group(largest["foreign"] + 0, 1) " % of a CPU")
  text["client_limited"] = "client that was the bottleneck"
  text["placement"] = "data outside the requested memory"
  text["foreign_over"] = "CPU time used by other programs"
  for (i = 1; i <= asked; i++)
    print (told[asked_name[i]] == rows ? "told" : "untold"), (i <= 2 ? asked_name[i] : text[asked_name[i]])
  print (judged == timed ? "told" : "untold"), "phase that was disturbed or not settled"
  for (i = 1; i <= cells; i++) {
    split(order[i], part, SUBSEP)
    # The speed of the populate phase is not a result, unless nothing else was measured.
    if (timed && schema_is_fill(part[2])) continue
    for (j = 1; j <= points[order[i]]; j++)
      print "summary", text_escape(part[1] ", " part[2] (points[order[i]] > 1 ? " at " place_of[order[i], j] : "") ": " figures_at(order[i] SUBSEP place_of[order[i], j]) ".")
  }
}
