# SPDX-License-Identifier: MIT
# A ratio and its figures as people read them: a percentage of the base for throughput, a factor for latency and other costs.

# A factor with three significant digits: 28.9x.
function format_factor(ratio) {
  return (ratio >= 999.5 ? sprintf("%.0f", ratio) : sprintf("%.3g", ratio)) "x"
}

# A ratio in the form of its metric.
function format_ratio(metric, ratio) {
  return metric_direction[metric] > 0 ? sprintf("%.1f %%", 100 * ratio) : format_factor(ratio)
}

# Two ends of an interval in the form of a metric.
function format_range(metric, low, high) {
  return metric_direction[metric] > 0 ? sprintf("%.1f to %.1f %%", 100 * low, 100 * high) : format_factor(low) " to " format_factor(high)
}

# A figure without its unit, three significant digits unless it is a whole number: 0.77.
function format_number(metric, value) {
  return value < 999.5 && value != int(value) ? sprintf("%.3g", value) : metric_show(metric, value)
}

# A figure with its unit, three significant digits: 490 us, 1.63 ms.
function format_figure(metric, value) {
  if (metric_unit[metric] != "us") return format_number(metric, value) (metric_unit[metric] == "" ? "" : " " metric_unit[metric])
  if (value < 999.5) return sprintf("%.3g us", value)
  return value < 999500 ? sprintf("%.3g ms", value / 1000) : sprintf("%.3g s", value / 1000000)
}

# A latency in place of another: 490 us instead of 17 us. WORDS are those before the ratio (bound_words): it is at least this if the other latency is a
# bound, and at most this if the base is.
function format_instead(metric, base, other, words) {
  return (words ~ /least/ ? words : "") format_figure(metric, other) " instead of " (words ~ /most/ ? "at least " : "") format_figure(metric, base)
}
