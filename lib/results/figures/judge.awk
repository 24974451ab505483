# SPDX-License-Identifier: MIT
# The row of compare for one figure: its interval, the verdict on it, and the robust interval. Part of compare.awk, which reads the rows.

# Whether the sides of a pair are variants of one run. They take turns, so a drift affects both repeats of a pair and cancels in their ratio.
function judge_paired(k) {
  return of_folder[base_of[k]] != "" && of_folder[base_of[k]] == of_folder[other_of[k]]
}

# The level of the intervals of a pair, and a note about it; empty (95 %) unless both are of a run with REDISRUNS=auto.
function judge_level(k,    level) {
  level = judge_paired(k) ? schedule_of(text_unescape(of_folder[base_of[k]])) : ""
  if (level != "") note("REDISRUNS=auto: intervals have the level " interval_percent(level) " instead of 95 %, because the run looked at its figures several times")
  return level
}

# The heading of the intervals of all pairs, without a level if they have several.
function judge_heading(    k, level) {
  level = judge_level(1)
  for (k = 2; k <= pairs; k++) if (judge_level(k) != level) return "interval"
  return interval_percent(level) " interval"
}

# Find the interval of other : base with LEVEL: sets interval_* and robust_*, all empty without an interval, and judge_least, the repeats of the side
# that has fewer. A count has no interval, because its largest repeat is compared; and 0 has no logarithm.
function find_interval(k, base, other, metric, b, nb, o, no, level,    r) {
  interval_centre = interval_low = interval_high = robust_centre = robust_low = robust_high = ""
  judge_least = nb < no ? nb : no
  if (metric_is_count(metric) || b[1] <= 0 || o[1] <= 0) return
  if (judge_paired(k)) {
    judge_least = ratios(base, other, metric, r)
    # Fewer than three repeats have a centre, but nearly no information about the spread.
    if (judge_least >= 2) interval_paired(r, judge_least, level)
    else if (judge_least == 1) interval_centre = r[1]
    if (judge_least >= 3) robust_paired(r, judge_least, level)
  } else if (judge_least >= 2) {
    interval_ratio(b, nb, o, no, level)
    if (judge_least >= 3) robust_ratio(b, nb, o, no, level)
  } else {
    interval_logs(b, nb)
    r[1] = interval_mean
    interval_logs(o, no)
    interval_centre = exp(interval_mean - r[1])
  }
  if (judge_least < 3) interval_low = interval_high = ""
}

# The verdict on one figure whose sides are MB and MO, from an interval with LEVEL; LACK of their repeats have no value. Sets judge_limit (the limit of
# `same`, as a fraction), judge_repeats (how many more would decide; empty when not applicable) and judge_robust (the verdict by the robust interval;
# empty without one).
function judge_figure(metric, b, nb, o, no, mb, mo, least_time, least_us, level, lack,    resolution, hidden, says) {
  judge_repeats = judge_robust = ""
  # The figures are rounded: they cannot show a smaller difference. A small tolerance for floating point.
  resolution = metric_resolution(metric, mb, least_time, least_us) * 1.000001
  hidden = (mo > mb ? mo - mb : mb - mo) <= resolution
  judge_limit = mb > 0 && resolution / mb > smallest ? resolution / mb : smallest
  if (interval_low == "") {
    # A count, or a 0, that is equal in every repeat needs no interval.
    if (!lack && (metric_is_count(metric) || b[1] <= 0 || o[1] <= 0) && b[1] == b[nb] && o[1] == o[no] && b[1] == o[1]) return "equal"
    if (judge_least < 3) return "too few repeats"
    if (lack) return "no interval"
    # Every repeat of one side is above every repeat of the other.
    if (b[nb] < o[1]) return metric_direction[metric] > 0 ? "better" : "worse"
    if (o[no] < b[1]) return metric_direction[metric] > 0 ? "worse" : "better"
    return "no interval"
  }
  if (robust_low != "") judge_robust = judge_text(decide(robust_low, robust_high, metric_direction[metric], judge_limit), hidden)
  says = decide(interval_low, interval_high, metric_direction[metric], judge_limit)
  # More repeats cannot improve the resolution of the figure.
  if (says == "open") judge_repeats = decide_more(interval_centre, interval_error, interval_df, judge_least, judge_limit, level)
  return judge_text(says, hidden)
}

# The verdict SAYS that is left when the figure of SIDE is a bound (bound.awk). More repeats at the same limit do not decide.
function judge_bound(side, says, worse) {
  if (side == "") return says
  judge_repeats = ""
  says = bound_verdict(side, says, worse)
  if (says ~ /^(client limited|unanswered)$/ || bound_verdict(side, judge_robust) != judge_robust) judge_robust = ""
  return says
}

# The text for the result of decide(). A difference HIDDEN by the resolution of the figure does not count.
function judge_text(says, hidden) {
  if (says == "same") return judge_same(judge_limit)
  return says == "open" || hidden ? "not decided" : says
}

function judge_same(limit) {
  # Rounded up: the text must not claim a smaller limit than the one used.
  return "same within " text_number(int(limit * 1000 + 0.999) / 10, 1) " %"
}

# The number of further repeats that would decide, as text after a verdict; empty if not applicable.
function judge_more(words) {
  if (judge_repeats == "") return ""
  return judge_repeats ? ", about " text_group(decide_round(judge_repeats), 0) " more repeat" (judge_repeats == 1 ? "" : "s") words : ", more than 1,000 more repeats"
}
