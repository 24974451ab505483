# SPDX-License-Identifier: MIT
# The open figures after a round of REDISRUNS=auto: for each other variant compared with the first, per phase and metric; with one variant, for its
# geometric mean. Input: totals of one point. Environment: VARIANTS, REDISRUNS, PRECISION, SMALLEST, ROUND. Output: lines `open
# TEXT`, `closed TEXT` and `unknown TEXT`, one per figure, and `stop 1` if no further round is needed or allowed, else `stop 0 NEXT_LOOK`.
# Load it after metric.awk, interval.awk, decide.awk, schedule.awk and bound.awk.

BEGIN {
  FS = OFS = "\t"
  metric_init()
  variants = split(ENVIRON["VARIANTS"], variant, " ")
  # Its first word is the percentage.
  metrics = split(ENVIRON["PRECISION"], metric, " ")
  round = ENVIRON["ROUND"] + 0
  schedule_range(ENVIRON["REDISRUNS"])
  min = schedule_min
  max = schedule_max
  level = schedule_level(min, max)
}

NR == 1 {
  for (i = 1; i <= NF; i++) at[$i] = i
  next
}

{
  phase = text_unescape($at["operation"])
  if (!(phase in known)) {
    known[phase] = 1
    phases[++phase_count] = phase
    if (!schema_is_fill(phase)) more_than_fill = 1
  }
  who = text_unescape($at["variant"])
  # A phase that broke the limit of its search has no figure, and latencies at the loads of searches are not compared.
  if (cell("search") == "broken") broken[who, phase]++
  else {
    limited[who, phase, $at["repeat"] + 0] = bound_row()
    if (cell("capacity_ops_per_sec") != "") by_load[who, phase] = 1
    if (cell("search_holds") != "") by_dram[who, phase] = 1
    for (i = 2; i <= metrics; i++) {
      name = metric_name(metric[i])
      if ((cell("capacity_ops_per_sec") cell("search_holds")) == "" || !bound_late(name)) value[who, phase, name, $at["repeat"] + 0] = $at[metric_column[name]]
      if (bound_late(name)) waited[who, phase, name, $at["repeat"] + 0] = bound_waited($at[metric_column[name]], name, cell("unanswered"), cell("at_least_us"))
    }
  }
  time = $at["max_time"]
  if (!((phase) in least_time) || time + 0 < least_time[phase]) least_time[phase] = time + 0
  time = cell("resolution_us") == "" ? 1 : cell("resolution_us") + 0
  if (time > least_us[phase]) least_us[phase] = time
}

# The value of a column of the line, empty if there is no such column.
function cell(name) {
  return (name in at) ? $at[name] : ""
}

# The number of rounds after which the interval is within PRECISION, if the spread remains that of these N repeats; 0 if more than 1000.
function rounds_needed(error, n, precision,    m) {
  for (m = n + 1; m <= 1000; m++) if (interval_t(level, m - 1) * error * sqrt(n / m) <= log(1 + precision)) return m
  return 0
}

# Evaluate one figure: OTHER compared with BASE, or only BASE if OTHER is empty.
function judge(base, other, phase, metric,    i, n, r, v, b, o, step, reach, says, text, precision, limit, rounds, more, base_bounded, other_bounded, side, worse, apart) {
  worse = bound_late(metric)
  apart = bound_apart(0, bound_held(metric), (base, phase) in by_load, (base, phase) in by_dram, (other, phase) in by_load, (other, phase) in by_dram)
  # A resumed run may already have later repeats; they are evaluated in their turn.
  for (i = 1; i <= round && !apart; i++) {
    b = value[base, phase, metric, i]
    o = other == "" ? b : value[other, phase, metric, i]
    if (b <= 0 || o <= 0) continue
    r[++n] = other == "" ? b : o / b
    v[n] = b + 0
    base_bounded += worse ? waited[base, phase, metric, i] : bound_metric(metric) && limited[base, phase, i]
    other_bounded += worse ? waited[other, phase, metric, i] : bound_metric(metric) && limited[other, phase, i]
  }
  side = bound_mirror(bound_side(base_bounded + 0, other_bounded + 0), worse)
  text = phase " " metric_title[metric] " of " (other == "" ? base : other)
  if (n < 2) {
    # If no repeat has the figure, further repeats will not have it either, unless a limit that broke took it.
    says = n == 0 && round >= min && !broken[base, phase] && !broken[other, phase] ? "unknown" : "open"
    print says, text ": too few repeats"
    return says == "open"
  }
  interval_paired(v, n, level)
  step = metric_resolution(metric, interval_centre, least_time[phase], least_us[phase]) / interval_centre
  precision = step > ENVIRON["PRECISION"] / 100 ? step : ENVIRON["PRECISION"] / 100
  limit = step > ENVIRON["SMALLEST"] / 100 ? step : ENVIRON["SMALLEST"] / 100
  interval_paired(r, n, level)
  reach = interval_high / interval_centre - 1
  text = text (other == "" ? "" : sprintf(": %.1f %% of %s,", 100 * interval_centre, base)) (reach < 10 ? sprintf(" +-%.1f %%", 100 * reach) : " +-1000 % or more")
  says = other == "" ? "open" : decide(interval_low, interval_high, metric_direction[metric], limit)
  if (says != "open") text = text ", " bound_verdict(side, says, worse)
  if (says != "open" || reach <= precision + 1e-9) {
    print "closed", text
    return 0
  }
  rounds = rounds_needed(interval_error, n, precision)
  more = other == "" ? 0 : decide_more(interval_centre, interval_error, interval_df, n, limit, level)
  if (more && (!rounds || n + more < rounds)) rounds = n + more
  print "open", text sprintf(" (wanted: +-%.1f %%%s; about %s rounds)", 100 * precision, other == "" ? "" : ", or a verdict", rounds ? rounds : "more than 1000")
  return 1
}

END {
  for (p = 1; p <= phase_count; p++) {
    # The populate phase is evaluated only if nothing else was measured.
    if (more_than_fill && schema_is_fill(phases[p])) continue
    for (m = 2; m <= metrics; m++)
      if (variants == 1) open += judge(variant[1], "", phases[p], metric_name(metric[m]))
      else for (i = 2; i <= variants; i++) open += judge(variant[1], variant[i], phases[p], metric_name(metric[m]))
  }
  if (round >= max || (schedule_is_look(round, min, max) && !open)) print "stop", 1
  else print "stop", 0, schedule_next(schedule_is_look(round, min, max) ? round : last_look(), min, max)
}

# The round of the previous look, or 0.
function last_look(    look, before) {
  for (look = schedule_next(0, min, max); look < round; look = schedule_next(look, min, max)) before = look
  return before + 0
}
