# SPDX-License-Identifier: MIT
# Totals of a run as JSON for github-action-benchmark, an array of name, unit, value, range and extra: for each variant, point and phase, the METRICS
# of the environment, one per line. The value is the median of the repeats, for counts the max. Populate counts only if nothing else was measured.

# Whether METRIC of the current line is a bound.
function is_bounded(metric) {
  return bound_late(metric) ? bound_row_waited(metric_column[metric]) : bound_metric(metric) && bound_row()
}

# Print the object of METRIC for KEY; nothing if no repeat has it.
function object(key, metric,    column, n, i, v, stands, apart, unit, sign) {
  column = metric_column[metric]
  for (i = 1; i <= count[key]; i++) if (text_is_number(value[key, i, column] "")) v[++n] = value[key, i, column] + 0
  if (!n) return
  interval_sort(v, n)
  stands = metric_is_count(metric) ? v[n] : interval_median(v, n)
  apart = stands - v[1] > v[n] - stands ? stands - v[1] : v[n] - stands
  unit = metric_unit[metric] == "" ? metric_title[metric] : metric_unit[metric]
  if (bounded[key, metric]) sign = bound_sign(metric_direction[metric], bound_late(metric))
  printf "%s\n {\"name\": %s, \"unit\": %s, ", (objects++ ? "," : "["), text_json(text_plain(key ": " metric_title[metric])), text_json(unit)
  printf "\"value\": %s, \"range\": %s, \"extra\": %s}", text_number(stands, text_places(stands, 6)), text_json("\302\261 " text_number(apart, text_places(apart, 6))), \
    text_json(n " repeat" (n == 1 ? "" : "s") ", " metric_show(metric, v[1]) " to " metric_show(metric, v[n]) " " unit \
      (sign == "" ? "" : "; a bound, " sign ": " (bound_late(metric) ? "requests had no answer" : "the load generator was the limit")))
}

BEGIN {
  metric_init()
  wanted = split(ENVIRON["METRICS"], want, "\n")
  for (i = 1; i <= wanted; i++) want[i] = metric_name(want[i])
}

FNR == 1 { next }

{
  key = ($at["variant"] == "" ? "" : text_unescape($at["variant"]) ", ") text_unescape($at["operation"]) " at " \
    ($at["point"] == "" ? $at["len"] "B-" $at["servers"] "i" : text_unescape($at["point"]))
  remember("key", key)
  is_fill[key] = schema_is_fill($at["operation"])
  measured += !is_fill[key]
  count[key]++
  for (i = 1; i <= wanted; i++) {
    # A phase that broke the limit of its search only has counts.
    if (!(metric_column[want[i]] in at) || $at["search"] == "broken" && !metric_is_count(want[i])) continue
    value[key, count[key], metric_column[want[i]]] = $at[metric_column[want[i]]]
    if (is_bounded(want[i])) bounded[key, want[i]] = 1
  }
}

END {
  for (k = 1; k <= size["key"]; k++)
    for (i = 1; i <= wanted; i++)
      if (!measured || !is_fill[item["key", k]]) object(item["key", k] "", want[i])
  if (objects) print "\n]"
  else text_complain("--format=benchmark-action", "no result has the figure")
  exit !objects
}
