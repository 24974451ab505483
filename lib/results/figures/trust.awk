# SPDX-License-Identifier: MIT
# Why a reader can trust the answer: one line per reason, `STATE NAME TEXT`; STATE is ok, wrong or unknown. Input: totals, then sections of compare.awk
# if any. Populate counts only if nothing else was measured. Figures are the worst of all results.

# Print a reason. KNOWN: whether the results have the figure; WRONG: what is wrong, or empty.
function reason(name, known, text, wrong) {
  print (!known ? "unknown" : wrong == "" ? "ok" : "wrong"), name, text_escape(known ? text (wrong == "" ? "" : "; " wrong) : "not recorded")
}

# The same of a column that must be in all results.
function reason_of(name, column, text, wrong) {
  if (has[column] == results || !has[column]) reason(name, has[column] > 0, text, wrong)
  else print "unknown", name, text_escape("recorded in " has[column] " of " results " results; there " text (wrong == "" ? "" : "; " wrong))
}

# Keep the max of a column of the current line; worst[NAME] is missing if no line has it.
function keep(name, value) {
  if (value == "") return
  has[name]++
  if (!(name in worst) || value + 0 > worst[name]) worst[name] = value + 0
}

function count_of(n, what) {
  return n ? what " in " n " of " results " results" : ""
}

# Read the current line of totals.
function take(    n) {
  results++
  n = $at["variant"] SUBSEP $at["point"] SUBSEP $at["operation"] SUBSEP $at["run"]
  repeats[n] += $at["discarded"] == ""
  has["placement"] += $at["placement"] != ""
  if ($at["placed_percent"] ~ /^[0-9.]+$/) keep("away", 100 - $at["placed_percent"])
  misplaced += $at["placement"] == "off"
  if ($at["client_cpu_us"] != "" && $at["threads"] * $at["max_time_us"] > 0) keep("client", 100 * $at["client_cpu_us"] / $at["threads"] / $at["max_time_us"])
  limited += $at["client_limited"] > 0
  keep("foreign", $at["foreign_cpu_percent"])
  keep("steal", $at["steal_percent"])
  disturbed += $at["foreign_over"] > 0
  keep("throttled", $at["throttled_percent"])
  keep("margin", $at["ops_margin_percent"])
  if ($at["made_by"] != "" && !tool[$at["made_by"]]++) tools[++versions] = text_unescape($at["made_by"])
}

BEGIN { FS = OFS = "\t" }

FNR == 1 {
  files++
  if (files == 1) for (i = 1; i <= NF; i++) at[$i] = i
}

files == 1 && FNR > 1 {
  line[++lines] = $0
  measured += !schema_is_fill($at["operation"])
}

# Of a comparison: the column names, the headings, the kinds, then a row for each figure.
files == 2 && $1 == "rows" {
  compared++
  if (compared == 1) for (i = 1; i <= NF; i++) in_rows[$i] = i
  if (compared == 2) level = $in_rows["_interval"]
  if (compared < 4) next
  verdicts += $in_rows["low_percent"] != ""
  undecided += $in_rows["mark"] ~ /^not decided/
  if ($in_rows["metric"] == "ops" && $in_rows["low_percent"] != "" && $in_rows["percent_of_base"] > 0)
    keep("interval", 50 * ($in_rows["high_percent"] - $in_rows["low_percent"]) / $in_rows["percent_of_base"])
}

END {
  for (i = 1; i <= lines; i++) {
    $0 = line[i]
    if (!measured || !schema_is_fill($at["operation"])) take()
  }
  if (!results) exit
  reason_of("placement proven", "placement", ("away" in worst) ? text_group(100 - worst["away"], worst["away"] > 0 ? 1 : 0) " %" : "yes", count_of(misplaced, "under 90 %"))
  reason_of("client CPU", "client", text_group(worst["client"] + 0, 0) " % of its threads", count_of(limited, "the client was the limit"))
  reason_of("CPU of other programs", "foreign", text_group(worst["foreign"] + 0, 1) " % of a CPU" (worst["steal"] > 0 ? ", of the hypervisor " text_group(worst["steal"] + 0, 1) " %" : ""), \
    count_of(disturbed, "over the limit"))
  reason_of("throttled", "throttled", text_group(worst["throttled"] + 0, worst["throttled"] > 0 ? 1 : 0) " % of a CPU", worst["throttled"] > 0 ? "a quota stopped the instances or the client" : "")
  for (i in repeats) if (n == "" || repeats[i] < n) n = repeats[i]
  reason("repeats", 1, "n = " n, n < 3 ? "an interval requires 3" : "")
  if ("interval" in worst) reason(level, 1, "throughput +-" text_group(worst["interval"] + 0, 1) " %", undecided ? undecided " of " verdicts " figures not decided" : "")
  else reason_of("margin of one repeat", "margin", "throughput +-" text_group(worst["margin"] + 0, 1) " %", worst["margin"] > 5 ? "above 5 %" : "")
  reason("version", versions, tools[1] "", versions > 1 ? "and " versions - 1 " more" : tools[1] ~ /changed/ ? "with changes that no commit has" : "")
}
