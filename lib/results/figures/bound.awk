# SPDX-License-Identifier: MIT
# The verdicts that a throughput supports when the load generator was its limit: the server can do at least as much. Part of compare.awk
# and rounds.awk, and of the tables of searches, hit ratios, scaling, DRAM ratios, policies and cost.
# A side is bounded if that holds for any of its repeats; SIDE is `base`, `other`, `both`, or empty without a bound.
# All names begin with bound_.

# Whether the load generator was the limit of a result: in a closed loop, of a rate that it missed, or of the answer of a search.
function bound_limited(client_limited, rate, ops_per_sec, search, capacity) {
  return client_limited > 0 && (rate + 0 == 0 || ops_per_sec < 0.99 * rate) || search == "client" && capacity != ""
}

# Whether the load generator can bound METRIC: throughput, and costs per throughput.
function bound_metric(metric) {
  return metric_unit[metric] ~ /^(ops\/s|bit\/s|per_kops)$/
}

# Returns SIDE, from whether the base and the other are bounded.
function bound_side(base, other) {
  return base && other ? "both" : base ? "base" : other ? "other" : ""
}

# The verdict SAYS if the bound supports it, else `client limited`. A better base only makes the other worse, and a better other only makes it
# better; nothing follows from two bounds.
function bound_verdict(side, says) {
  if (side == "" || side == "base" && says == "worse" || side == "other" && says == "better") return says
  return side != "both" && says ~ /^(not decided|no interval|too few repeats)$/ ? says : "client limited"
}

# The sign before a measured ratio that is a bound of the true ratio; empty without a bound, and with two, from which nothing follows.
function bound_ratio(side, direction) {
  if (side != "base" && side != "other") return ""
  return bound_lowers(side, direction) ? "<=" : ">="
}

# The same in words.
function bound_words(side, direction) {
  side = bound_ratio(side, direction)
  return side == "" ? "" : side == "<=" ? "at most " : "at least "
}

# Whether the true ratio is below the measured one rather than above it.
function bound_lowers(side, direction) {
  return (side == "base") == (direction > 0)
}

# Whether a condition with SIGN, which the measured value meets or not (HOLDS), is known to do the same for the true value.
function bound_settles(side, direction, sign, holds) {
  if (side == "" || side == "both") return side == ""
  return bound_lowers(side, direction) == ((sign ~ /</) == (holds != 0))
}

# The sign before a bounded figure.
function bound_sign(direction) {
  return direction > 0 ? ">=" : "<="
}

# Whether a latency is a lower bound, because requests without an answer count with the time that they had waited: UNANSWERED of them, the shortest of
# these waits being AT_LEAST. All of them are in the mean.
function bound_waited(value, metric, unanswered, at_least) {
  return unanswered > 0 && (metric == "avg" || value + 0 >= at_least + 0)
}

# The text after a verdict on a latency: what requests without an answer do to it. BASE and OTHER are the names of the sides.
function bound_waited_text(side, says, base, other) {
  if (side == "" || says !~ /^(worse|better|unanswered)$/) return ""
  base = side == "both" ? "both" : side == "base" ? base : other
  return says == "unanswered" ? " (" base ")" : "; by at least this (" base " has requests without an answer)"
}

# The throughput OPS in % of BASE as text; empty if both are bounds, from which nothing follows.
function bound_percent(base, ops, base_limited, is_limited,    side) {
  side = bound_side(base_limited, is_limited)
  return base > 0 && side != "both" ? bound_ratio(side, 1) sprintf("%.1f%%", 100 * ops / base) : ""
}

# The line below a table with bounds.
function bound_note() {
  return "The load generator was the limit of some figures: >= and <= are bounds, and two bounds have no ratio; use more threads, CPUs or clients."
}

# The text after a verdict: what the bound does to it. BASE and OTHER are the names of the sides.
function bound_text(side, says, base, other) {
  if (side == "" || says !~ /^(worse|better|client limited)$/) return ""
  base = side == "both" ? "both" : side == "base" ? base : other
  return says == "client limited" ? " (" base ")" : "; by at least this (" base " is client limited)"
}
