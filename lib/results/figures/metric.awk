# SPDX-License-Identifier: MIT
# The metrics of compare, from the schema: their names for users, their column of totals, their unit and the better direction.

# Fill metric_names[1..metrics_known], in the reading order, and metric_*[NAME]; metric_direction is 1 when more is better, -1 when less is.
function metric_init(    i, n, column, name) {
  schema_read()
  for (i = 1; i <= schema_columns; i++) if (schema[schema_name[i], "metric"] != "") column[++n] = schema_name[i]
  schema_sort(column, n)
  for (i = 1; i <= n; i++) {
    name = schema[column[i], "metric"]
    metric_names[++metrics_known] = name
    metric_column[name] = column[i]
    metric_title[name] = schema[column[i], "title"]
    metric_unit[name] = schema[column[i], "unit"]
    metric_direction[name] = schema[column[i], "better"] == "more" ? 1 : -1
    metric_decimals[name] = schema[column[i], "decimals"]
    metric_alias[name] = metric_alias[column[i]] = name
  }
}

# Set out[1..n] to the default metrics and return n.
function metric_usual(out,    i, n) {
  for (i = 1; i <= metrics_known; i++) if (schema_when(metric_column[metric_names[i]], "compare") != "") out[++n] = metric_names[i]
  return n
}

# The name of a metric for a user's text, empty if it is unknown.
function metric_name(word) {
  return (word in metric_alias) ? metric_alias[word] : ""
}

# Counts: a bad repeat must not be hidden by a median.
function metric_is_count(name) {
  return metric_unit[name] == ""
}

# A value formatted as text.
function metric_show(name, value) {
  return value == "" ? "-" : text_group(value, text_decimals(value, metric_decimals[name]))
}

# The resolution of a figure: a bucket of the histogram, a whole second of max_time. LEAST is that of the latencies (resolution_us), 1 us in results of
# older versions and of other generators.
function metric_resolution(name, value, max_time, least) {
  least = least == "" ? 1 : least
  if (metric_unit[name] == "us" && schema[metric_column[name], "clients"] != "mean") return value / 1024 > least ? value / 1024 : least
  if (name == "tx") return max_time > 0 ? value / max_time : value
  return 0
}

# Read a condition such as p99<=1ms or tx<95%: sets rule[metric, sign, value, percent] and returns 1, or 0 if it is invalid.
function metric_rule(text, rule,    sign, at, number, unit, factor) {
  gsub(/[ \t]/, "", text)
  if (!match(text, /[<>]=?/)) return 0
  rule["metric"] = metric_name(substr(text, 1, RSTART - 1))
  sign = substr(text, RSTART, RLENGTH)
  text = substr(text, RSTART + RLENGTH)
  if (rule["metric"] == "" || !match(text, /^[0-9]+(\.[0-9]+)?/)) return 0
  number = substr(text, 1, RLENGTH)
  unit = substr(text, RLENGTH + 1)
  factor = 0
  rule["percent"] = unit == "%"
  if (unit == "" || unit == "%") factor = 1
  else if (metric_unit[rule["metric"]] == "us") factor = unit == "us" ? 1 : unit == "ms" ? 1000 : unit == "s" ? 1000000 : 0
  else factor = unit ~ /^[kK]$/ ? 1000 : unit == "M" ? 1000000 : unit == "G" ? 1000000000 : 0
  if (!factor) return 0
  rule["sign"] = sign
  rule["value"] = number * factor
  return 1
}

# Whether VALUE satisfies the rule.
function metric_holds(rule, value) {
  if (rule["sign"] == "<") return value < rule["value"]
  if (rule["sign"] == "<=") return value <= rule["value"]
  if (rule["sign"] == ">") return value > rule["value"]
  return value >= rule["value"]
}
