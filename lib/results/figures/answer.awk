# SPDX-License-Identifier: MIT
# The answer of a run as text, from totals: rates that were not reached, and the sentence of ANSWER (in the environment) for each variant, phase and
# point, or for the point with the most or least of its figure. {COLUMN} in the sentence is a column of totals over the repeats, {LOW..HIGH} the min of
# one to the max of another, {ratio} the ratio of the figure to that of {base}, the first variant. MISSING in the environment: why there is no answer.

BEGIN {
  metric_init()
  which = ENVIRON["ANSWER"]
  if (match(which, /^(each|most|least) [a-z][a-z0-9_.]*: /)) {
    sentence = substr(which, RLENGTH + 1)
    split(substr(which, 1, RLENGTH - 2), part, " ")
    which = part[1]
    metric = metric_name(part[2])
    # A run of another version may have another metric.
    unknown = metric == "" ? part[2] : ""
    asked[metric_column[metric]] = 1
    answer_parse(sentence)
  }
}

FNR > 1 && !schema_is_fill($at["operation"]) {
  phase = text_unescape($at["operation"])
  sub(/-[0-9]+$/, "", phase)
  key = $at["variant"] SUBSEP $at["operation"] SUBSEP $at["point"]
  remember("cell", key)
  remember("variant", $at["variant"])
  remember("phase", phase)
  remember("point", $at["point"])
  if ($at["variant_rank"] == 1) base = $at["variant"]
  phase_of[key] = phase
  if (bound_missed($at["rate_percent"]) && (!(key in reached) || $at["rate_percent"] + 0 < reached[key])) {
    reached[key] = $at["rate_percent"] + 0
    rate[key] = $at["rate"] + 0
    missed++
  }
  if ($at["search"] == "broken") next
  if (!(metric_column[metric] in at) || $at[metric_column[metric]] == "") next
  k = ++count[key]
  for (name in asked) if (name in at) value[key, k, name] = $at[name]
  if (bound_late(metric) ? bound_row_waited(metric_column[metric]) : $at["search"] == "client" || bound_metric(metric) && bound_row()) bounded[key] = 1
}

# Split TEXT into what is printed as it is, text_before[1..names], and the names in braces after each; the rest is after the last one.
function answer_parse(text,    from, to, part) {
  while ((from = index(text, "{")) && (to = index(substr(text, from), "}"))) {
    before[++names] = substr(text, 1, from - 1)
    named[names] = substr(text, from + 1, to - 2)
    split(named[names], part, "[.][.]")
    asked[part[1]] = 1
    if (part[2] != "") asked[part[2]] = 1
    text = substr(text, from + to)
  }
  rest = text
}

# A figure of the column NAME as people read it.
function answer_number(name, value) {
  if (value == "") return "?"
  if (schema[name, "unit"] == "us" && (name in metric_alias)) return format_figure(metric_alias[name], value)
  return text_short(value)
}

# The values of the column NAME in the repeats of a cell as sorted v[1..n]; returns n.
function answer_values(key, name, v,    k, n) {
  for (k = 1; k <= count[key]; k++) if (text_is_number(value[key, k, name] "")) v[++n] = value[key, k, name] + 0
  interval_sort(v, n)
  return n + 0
}

# A column over the repeats of a cell: of counts that should be small the max, because a bad repeat must be visible; of others the median.
function answer_value(key, name,    v, n) {
  if (schema[name, "decimals"] == "text") return text_unescape(value[key, 1, name] "")
  n = answer_values(key, name, v)
  return answer_number(name, !n ? "" : (name in metric_alias) && metric_is_count(metric_alias[name]) ? v[n] : interval_median(v, n))
}

# The text for what is in braces.
function answer_part(key, text,    range, v, n, low, high, name) {
  if (text == "base") return text_unescape(base)
  if (text == "ratio") return answer_ratio(key)
  if (split(text, range, "[.][.]") == 2) {
    n = answer_values(key, range[1], v)
    low = answer_number(range[1], n ? v[1] : "")
    n = answer_values(key, range[2], v)
    high = answer_number(range[2], n ? v[n] : "")
    return low == high ? low : low " to " high
  }
  name = metric_column[metric]
  if (text != name || !bounded[key]) return answer_value(key, text)
  return (bound_late(metric) || metric_direction[metric] > 0 ? "at least " : "at most ") answer_value(key, text)
}

# The ratio of the figure to that of the first variant at the same point, as people read it.
function answer_ratio(key,    part, of_base, other) {
  split(key, part, SUBSEP)
  of_base = median_of(base SUBSEP part[2] SUBSEP part[3], metric_column[metric])
  other = median_of(key, metric_column[metric])
  return of_base > 0 ? format_ratio(metric, other / of_base) : "?"
}

# What tells a cell from others, before its sentence: variant, phase and, WITH_POINT, its point.
function answer_label(key, with_point,    part, out) {
  split(key, part, SUBSEP)
  if (size["variant"] > 1) out = text_unescape(part[1])
  if (size["phase"] > 1) out = out (out == "" ? "" : ", ") phase_of[key]
  if (with_point && size["point"] > 1) out = out (out == "" ? "" : ", ") text_unescape(part[3])
  return out == "" ? "" : out ": "
}

# Print an answer; those above 12 are only counted.
function answer_print(text) {
  if (++answers <= 12) print text_escape(text)
}

function answer_sentence(key,    i, out) {
  for (i = 1; i <= names; i++) out = out before[i] answer_part(key, named[i])
  return out rest
}

# Whether a cell has the most or least of the figure of its variant and phase, so far.
function is_better(key, group,    its) {
  its = median_of(key, metric_column[metric])
  if ((group in top) && (which == "most" ? its <= top[group] : its >= top[group])) return 0
  top[group] = its
  return 1
}

END {
  for (i = 1; i <= size["cell"]; i++) {
    key = item["cell", i]
    split(key, part, SUBSEP)
    if (count[key] && is_better(key, part[1] SUBSEP part[2])) best[part[1], part[2]] = key
    if (key in reached) answer_print((size["cell"] > 1 ? answer_label(key, 1) : "") "RATE=" text_group(rate[key], 0) " asked, " answer_number("", reached[key]) " % reached")
  }
  if (unknown != "") print "no answer: unknown metric " unknown
  if (sentence == "" || unknown != "") exit
  for (i = 1; i <= size["cell"]; i++) {
    key = item["cell", i]
    split(key, part, SUBSEP)
    if (index(sentence, "{ratio}") && part[1] == base) continue
    if (count[key] && (which == "each" || best[part[1], part[2]] == key)) {
      found++
      answer_print(answer_label(key, which == "each") answer_sentence(key))
    }
  }
  if (answers > 12) print "and " answers - 12 " more, in the tables"
  if (!found && !answers && ENVIRON["MISSING"] == "") print "no answer: no repeat has a figure for " metric_title[metric]
}
