# SPDX-License-Identifier: MIT
# Print the first reason why the results of a run prove nothing, or no line: the data of each row was where its tier asks for it, the version MADE (in
# the environment) made it, and its figures agree. Input: rows, their totals, then totals with the percentiles of the histograms.

# Print a reason about the current line.
function wrong(why) {
  if (!found++) print text_plain(text_unescape($at["variant"] ", " $at["operation"] " at " $at["point"]) ", repeat " $at["repeat"] ": " why)
  exit
}

# Whether two numbers differ by more than one in a hundred, and by more than LEAST.
function differ(a, b, least) {
  return a - b > 0.01 * b && a - b > least || b - a > 0.01 * b && b - a > least
}

BEGIN { FS = "\t" }

FNR == 1 {
  files++
  for (i = 1; i <= NF; i++) {
    at[$i] = i
    if (files == 2) schema_see($i)
    if (files == 2 && schema[$i, "clients"] == "histogram") percentile[++percentiles] = $i
  }
  next
}

files == 1 {
  rows++
  tier = text_unescape($at["tier"])
  asked = stored_setting(text_unescape($at["run_folder"]), text_unescape($at["variant"]), "TIER")
  made = text_unescape($at["made_by"])
  if (made != ENVIRON["MADE"]) wrong("made by " (made == "" ? "an unknown version" : made) ", and the run by " ENVIRON["MADE"])
  if ($at["placement"] == "off") wrong("less than 90 % of the data was on the requested memory")
  if ($at["placement"] != "ok") wrong("placement is not proven: tier " (tier == "" ? asked : tier) " does not say where the data is")
  if ($at["placed_percent"] + 0 < 90) wrong("placement is ok, but " $at["placed_percent"] + 0 " % of the data was on the requested memory")
  if (tier != asked) wrong("server/counters.tsv is of tier " tier ", and the settings of tier " asked)
  if (!($at["max_time_us"] > 0) || differ($at["ops_per_sec"] + 0, 1000000 * $at["ops"] / $at["max_time_us"], 1))
    wrong("result.tsv has " $at["ops_per_sec"] " requests per second, and " $at["ops"] " requests in " $at["max_time_us"] / 1000000 " s")
}

files == 2 {
  for (i = 1; i <= percentiles; i++) value[FNR, i] = $at[percentile[i]]
}

files == 3 {
  for (i = 1; i <= percentiles; i++)
    if (differ(value[FNR, i] + 0, $at[percentile[i]] + 0, 1))
      wrong("result.tsv has " percentile[i] " " value[FNR, i] + 0 ", and the histogram " $at[percentile[i]] + 0)
}

END { if (!rows && !found) print "has no complete result" }
