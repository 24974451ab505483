# SPDX-License-Identifier: MIT
# The verdicts that a bounded figure supports. If the load generator was the limit of a throughput, the server can do at least as much: the truth is
# better than the figure. If requests had no answer, their latency is at least as long: the truth is worse. Part of compare.awk, rounds.awk and the
# programs of tables.
# A side is bounded if that holds for any of its repeats; SIDE is `base`, `other`, `both`, or empty without a bound. Where the truth is worse, use the
# mirrored side: it changes a ratio as if the other side were better.
# All names begin with bound_.

# Whether the load generator was the limit of a result: in a closed loop, of a rate that it missed, or of the answer of a search.
function bound_limited(client_limited, rate, ops_per_sec, search, capacity) {
  return client_limited > 0 && (rate + 0 == 0 || ops_per_sec < 0.99 * rate) || search == "client" && capacity != ""
}

# The same of the current line of totals, whose columns have their places in at.
function bound_row() {
  return ("client_limited" in at) && bound_limited($at["client_limited"], $at["rate"], $at["ops_per_sec"], $at["search"], $at["capacity_ops_per_sec"])
}

# Whether a result did not reach its rate, of which it has PERCENT: its schedule was late.
function bound_missed(percent) {
  return percent != "" && percent + 0 < 99
}

# Whether the load generator can bound METRIC: throughput, and costs per throughput.
function bound_metric(metric) {
  return metric_unit[metric] ~ /^(ops\/s|bit\/s|per_kops)$/
}

# Whether a search for DRAM holds METRIC at a part of a load: throughput.
function bound_held(metric) {
  return metric_unit[metric] ~ /^(ops\/s|bit\/s)$/
}

# Whether searches measured two sides at other loads, so that a figure does not tell which is better: a latency (LATE), if both were searched; and
# throughput (HELD), if only one of them was searched for DRAM, because such a search holds a part of a load. LOAD and DRAM: what a side was searched for.
function bound_apart(late, held, base_load, base_dram, other_load, other_dram) {
  if (!base_load && !base_dram || !other_load && !other_dram) return 0
  return late || held && !base_dram != !other_dram
}

# Returns SIDE, from whether the base and the other are bounded.
function bound_side(base, other) {
  return base && other ? "both" : base ? "base" : other ? "other" : ""
}

# Whether the truth beyond a bound of METRIC is worse.
function bound_late(metric) {
  return metric_unit[metric] == "us"
}

# SIDE, or the mirrored one if the truth is WORSE.
function bound_mirror(side, worse) {
  return !worse || side !~ /^(base|other)$/ ? side : side == "base" ? "other" : "base"
}

# The verdict SAYS if the bound supports it, else `client limited`, or `unanswered` where the truth is WORSE. A better base only makes the other worse,
# and a better other only makes it better; nothing follows from two bounds.
function bound_verdict(side, says, worse) {
  if (side == "" || side == "base" && says == "worse" || side == "other" && says == "better") return says
  return side != "both" && says ~ /^(not decided|no interval|too few repeats)$/ ? says : worse ? "unanswered" : "client limited"
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
function bound_sign(direction, worse) {
  return (direction > 0) == !worse ? ">=" : "<="
}

# Whether a latency is a lower bound, because requests without an answer count with the time that they had waited: UNANSWERED of them, the shortest of
# these waits being AT_LEAST. METRIC is its name or its column. All of them are in the mean.
function bound_waited(value, metric, unanswered, at_least) {
  return unanswered > 0 && (metric ~ /^avg/ || value + 0 >= at_least + 0)
}

# The same of a column of the current line of totals.
function bound_row_waited(column) {
  return ("unanswered" in at) && bound_waited($at[column], column, $at["unanswered"], $at["at_least_us"])
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

# The line below a table with latencies that are bounds.
function bound_note_late() {
  return "Latencies with >= are lower bounds: requests without an answer count with the time that they waited."
}

# The text after a verdict: what the bound of SIDE, not mirrored, does to it. BASE and OTHER are the names of the sides.
function bound_text(side, says, base, other, worse) {
  if (side == "" || says !~ /^(worse|better|client limited|unanswered)$/) return ""
  base = side == "both" ? "both" : side == "base" ? base : other
  return says ~ /^(worse|better)$/ ? "; by at least this (" base (worse ? " has requests without an answer)" : " is client limited)") : " (" base ")"
}
