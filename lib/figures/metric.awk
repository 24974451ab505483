# SPDX-License-Identifier: MIT
# The figures that are compared: what users call them, which column of totals holds them, their unit and which way is better.

# metric_add NAME COLUMN TITLE UNIT DIRECTION DECIMALS: DIRECTION is 1 when more is better, -1 when less is.
function metric_add(name, column, title, unit, direction, decimals) {
  metric_names[++metrics_known] = name
  metric_column[name] = column
  metric_title[name] = title
  metric_unit[name] = unit
  metric_direction[name] = direction
  metric_decimals[name] = decimals
  metric_alias[name] = metric_alias[column] = name
}

function metric_init() {
  metric_add("tx", "tx_bps", "Tx combined", "bit/s", 1, 0)
  metric_add("ops", "ops_per_sec", "throughput", "ops/s", 1, 0)
  metric_add("avg", "avg_us", "average latency", "us", -1, 1)
  metric_add("p50", "p50_us", "p50 latency", "us", -1, 0)
  metric_add("p90", "p90_us", "p90 latency", "us", -1, 0)
  metric_add("p99", "p99_us", "p99 latency", "us", -1, 0)
  metric_add("p99.9", "p99_9_us", "p99.9 latency", "us", -1, 0)
  metric_add("p99.99", "p99_99_us", "p99.99 latency", "us", -1, 0)
  metric_add("max", "max_us", "longest latency", "us", -1, 0)
  metric_add("far", "far_per_op", "far accesses", "per op", -1, 4)
  metric_add("cpu", "client_cpu_per_op", "client CPU", "us/op", -1, 2)
  metric_add("errors", "errors", "errors", "", -1, 0)
  metric_add("misses", "misses", "misses", "", -1, 0)
}

# The name of a metric for what a user wrote, empty when there is none.
function metric_name(word) {
  return (word in metric_alias) ? metric_alias[word] : ""
}

# What is counted and not measured: a repeat that is bad must not vanish in a median.
function metric_is_count(name) {
  return metric_unit[name] == ""
}

# A value as people read it.
function metric_show(name, value) {
  return value == "" ? "-" : text_group(value, metric_decimals[name])
}

# The smallest difference that the way of measuring can tell: a bucket of the histogram, a whole second of max_time.
function metric_resolution(name, value, max_time) {
  if (metric_unit[name] == "us" && name != "avg") return value / 1024 > 1 ? value / 1024 : 1
  if (name == "tx") return max_time > 0 ? value / max_time : value
  return 0
}

# Reads a condition such as p99<=1ms or tx<95%: sets rule[metric, sign, value, percent] and returns 1, or 0 when it is none.
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

# Whether VALUE is as the rule says.
function metric_holds(rule, value) {
  if (rule["sign"] == "<") return value < rule["value"]
  if (rule["sign"] == "<=") return value <= rule["value"]
  if (rule["sign"] == ">") return value > rule["value"]
  return value >= rule["value"]
}
