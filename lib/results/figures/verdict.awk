# SPDX-License-Identifier: MIT
# The conclusions of a comparison: the best point within a limit, rules that are met, and the verdict as text. Part of compare.awk, which reads the
# rows and compares them.

# The max operations per second of each side while every limit holds, per phase.
function print_limits(    s, i, j, k, rule, cell, holds, kept, unsure, ops, best, where, points, unknown, base, base_by_side, list, n, op_seen, op, bounded, side) {
  if (!limits) return
  print "limits", "subject", "operation", "limit", "point", "ops_per_sec", "percent_of_base", "base_bound", "other_bound"
  print "limits", "Under the limit", "Phase", "Limit", "Best point", "ops/s", "% of base", "", ""
  print "limits", "text", "text", "text", "text", 0, "percent", "text", "text"
  for (k = 1; k <= pairs; k++) {
    if (!(base_of[k] in base_by_side)) list[++n] = base_of[k]
    base_by_side[base_of[k]] = base_of[k]
    if (!(other_of[k] in base_by_side)) list[++n] = other_of[k]
    if (other_of[k] != base_of[k]) base_by_side[other_of[k]] = base_of[k]
  }
  for (j = 1; j <= n; j++) {
    s = list[j]
    for (i in op_seen) delete op_seen[i]
    for (i = 1; i <= spots; i++) {
      op = spot_operation[i]
      if (is_fill(op) || !((s, spot_point[i], op) in count_at)) continue
      if (!(op in op_seen)) {
        op_seen[op] = 1
        where[s, op] = ""
        best[s, op] = ""
      }
      cell = s SUBSEP spot_point[i] SUBSEP op
      holds = 1
      unsure = 0
      for (k = 1; k <= limits; k++) {
        metric_rule(limit_text[k], rule)
        kept = keeps(rule, s, i)
        if (kept == "") unsure = 1
        if (!kept) holds = 0
      }
      points[s, op]++
      unknown[s, op] += unsure
      ops = figure_of(cell, "ops")
      if (holds && is_bounded("ops", cell, s)) bounded[s, op] = 1
      if (holds && ops != "" && ops + 0 > best[s, op] + 0) {
        best[s, op] = ops
        where[s, op] = spot_point[i]
      }
    }
    base = base_by_side[s]
    for (i = 1; i <= spots; i++) {
      op = spot_operation[i]
      if (!(op in op_seen)) continue
      delete op_seen[op]
      if (unknown[s, op]) note("--limit: whether " label[s] ", " op " keeps it is not known at " unknown[s, op] " of " points[s, op] " points")
      side = s == base ? "" : bound_side((base, op) in bounded, (s, op) in bounded)
      print "limits", text_escape(label[s]), op, limit_line(), where[s, op] != "" ? text_escape(where[s, op]) : !unknown[s, op] ? "no point keeps it" : \
        unknown[s, op] < points[s, op] ? "no known point keeps it" : "not known", best[s, op] == "" ? "" : ((s, op) in bounded ? bound_sign(1) : "") raw(best[s, op]), \
        (side != "both" && best[s, op] != "" && best[base, op] > 0 ? bound_ratio(side, 1) text_number(100 * best[s, op] / best[base, op], 4) : ""), \
        ((base, op) in bounded ? bound_sign(1) : ""), ((s, op) in bounded ? bound_sign(1) : "")
    }
  }
}

# Whether side S keeps the limit RULE at spot I: 1 or 0, empty if that is not known.
function keeps(rule, s, i,    cell, metric, figure, holds) {
  cell = s SUBSEP spot_point[i] SUBSEP spot_operation[i]
  metric = rule["metric"]
  figure = figure_of(cell, metric)
  if (figure == "") return ""
  holds = metric_holds(rule, figure)
  # A repeat without the figure may break a limit that the others keep, and what is beyond a bound may do the contrary of the bound.
  if (holds && lacking(metric, s, i)) return ""
  if (is_bounded(metric, cell, s) && !bound_settles(bound_mirror("other", bound_late(metric)), metric_direction[metric], rule["sign"], holds)) return ""
  return holds
}

function limit_line(    k, out) {
  for (k = 1; k <= limits; k++) out = out (k > 1 ? " and " : "") limit_text[k]
  return text_escape(out)
}

# Record every --fail-if that a figure meets. With OTHER_LOAD there is no ratio: the sides were measured at different loads. SIDE has a bound.
# LACK[base] and LACK[other] of the repeats have no value: what the rest of them show passes no condition.
function judge_failures(k, i, metric, mb, mo, ratio, other_load, side, lack,    f, rule, shown, holds, bounded, worse) {
  worse = bound_late(metric)
  # There is no ratio to 0. But if less is better, 0 and 0 are equal.
  if (ratio == "" && mb == 0 && mo == 0 && metric_direction[metric] < 0) ratio = 1
  for (f = 1; f <= fail_ifs; f++) {
    metric_rule(fail_text[f], rule)
    if (rule["metric"] != metric) continue
    if (rule["percent"] && (ratio == "" || other_load)) continue
    holds = metric_holds(rule, rule["percent"] ? 100 * ratio : mo)
    # The figure itself depends on no base.
    bounded = rule["percent"] ? side : side ~ /other|both/ ? "other" : ""
    if (!bound_settles(bound_mirror(bounded, worse), metric_direction[metric], rule["sign"], holds)) {
      unsettled[f, k, i] = worse ? "requests had no answer" : "the load generator was the limit"
      continue
    }
    if (!holds && lack["other"] + (rule["percent"] ? lack["base"] : 0)) {
      unsettled[f, k, i] = "not all repeats have it"
      continue
    }
    judged_rule[f, k, i] = 1
    if (!holds) continue
    shown = rule["percent"] ? sprintf("%.1f %% of %s", 100 * ratio, label[base_of[k]]) : metric_show(metric, mo) (metric_unit[metric] == "" ? "" : " " metric_unit[metric])
    failed(label[other_of[k]] ", " spot_operation[i] " at " spot_point[i] ": " metric_title[metric] " is " shown, fail_text[f])
  }
}

# Record every --fail-if that could not be evaluated at a point and phase of the base: it must not pass silently.
function note_unjudged(    f, k, i, n, v, base, other, rule, why) {
  for (f = 1; f <= fail_ifs; f++) {
    metric_rule(fail_text[f], rule)
    for (k = 1; k <= pairs; k++)
      for (i = 1; i <= spots; i++) {
        base = base_of[k] SUBSEP spot_point[i] SUBSEP spot_operation[i]
        other = other_of[k] SUBSEP spot_point[i] SUBSEP spot_operation[i]
        if (!has_result(base_of[k], i, 1)) continue
        # The median of the repeats that kept the limit says nothing about most of them.
        if ((other in count_at) && !metric_is_count(rule["metric"]) && (n = repeats_with(broken, other)) * 2 >= count_at[other] && n) {
          failed(label[other_of[k]] ", " spot_operation[i] " at " spot_point[i] ": " metric_title[rule["metric"]] " cannot be evaluated: the limit of the search broke in " n " of " count_at[other] " repeats", fail_text[f])
          continue
        }
        if ((f, k, i) in judged_rule) continue
        if (is_fill(spot_operation[i]) && !metric_is_count(rule["metric"])) continue
        # The populate phase is not a measured phase: it is often too short for a Tx.
        if (schema_is_fill(spot_operation[i]) && (other in count_at) && !values(base, rule["metric"], v) && !values(other, rule["metric"], v)) continue
        why = ((f, k, i) in unsettled) ? unsettled[f, k, i] : !(base in count_at) ? "no result of " label[base_of[k]] " that counts" : !(other in count_at) ? (other in dropped ? "no result that counts" : "no result") : !values(other, rule["metric"], v) ? "no such figure" : \
          rule["percent"] && at_other_load(rule["metric"], base, other) ? "measured at other loads" : label[base_of[k]] (values(base, rule["metric"], v) ? " has 0" : " has no such figure")
        failed(label[other_of[k]] ", " spot_operation[i] " at " spot_point[i] ": " metric_title[rule["metric"]] " cannot be evaluated: " why, fail_text[f])
      }
    for (i = 1; i <= missing; i++) failed(missed[i], fail_text[f])
  }
}

function failed(text, rule) {
  print "failed", text_escape(text " (" rule ")")
}

# One sentence per pair and figure: the distance of the other from the base, and how certain it is.
function print_verdict(    k, m, metric, text) {
  for (k = 1; k <= pairs; k++) {
    for (m = 1; m <= 2; m++) {
      metric = m == 1 ? (((k, "ops") in compared) ? "ops" : "tx") : "p99"
      if (!((k, metric) in compared)) continue
      if (m == 2 && figures[k, metric]) {
        print "verdict", text_escape(label[other_of[k]] "'s " metric_title[metric] " is " instead(k, metric) joined(k, metric) ".")
        continue
      }
      text = label[other_of[k]]
      if (!figures[k, metric] && !((k, metric) in most_from_zero)) text = text "'s " metric_title[metric] " against " label[base_of[k]] "'s"
      else if (!figures[k, metric]) text = text " has a " metric_title[metric] " of up to " format_figure(metric, most_from_zero[k, metric]) " instead of " label[base_of[k]] "'s 0"
      else {
        if (is_one(k, metric)) text = text sprintf(" reaches %s%.1f %%", lowest_words[k, metric], 100 * lowest[k, metric]) (compared[k, metric] == 1 ? "" : " (" lowest_at[k, metric] ")")
        else text = text sprintf(" reaches %s%.1f %% (%s) to %s%.1f %% (%s)", lowest_words[k, metric], 100 * lowest[k, metric], lowest_at[k, metric], \
          highest_words[k, metric], 100 * highest[k, metric], highest_at[k, metric])
        text = text " of " label[base_of[k]] "'s " metric_title[metric]
      }
      print "verdict", text_escape(text joined(k, metric) ".")
    }
    print_compressed(k)
    if ((text = also(k)) != "") print "verdict", text_escape(label[other_of[k]] " is also " text ".")
  }
  if (few) print "verdict", few " repeat" (few == 1 ? "" : "s") ": run 3 repeats for a verdict (REDISRUNS=3)."
}

# The median of a cell's figure; empty if no repeat has it.
function median_at(s, i, figure,    v, n) {
  n = has_result(s, i) ? values(s SUBSEP spot_point[i] SUBSEP spot_operation[i], figure, v) : 0
  return n ? interval_median(v, n) : ""
}

# One sentence about the DRAM of a pair of which a side has compressed memory: at the point with the most of it. Without it, slower looks cheaper than
# it is.
function print_compressed(k,    i, at, most, held) {
  for (i = 1; i <= spots; i++) {
    if (is_fill(spot_operation[i])) continue
    held = median_at(base_of[k], i, "compressed") + median_at(other_of[k], i, "compressed")
    if (held > most && median_at(base_of[k], i, "dram") > 0 && median_at(other_of[k], i, "dram") != "") {
      most = held
      at = i
    }
  }
  if (!at) return
  print "verdict", text_escape(label[other_of[k]] " takes " dram_text(other_of[k], at) " instead of " label[base_of[k]] "'s " dram_text(base_of[k], at) \
    sprintf(" (%s, %s at %s).", format_factor(median_at(other_of[k], at, "dram") / median_at(base_of[k], at, "dram")), spot_operation[at], spot_point[at]))
}

# The DRAM of a side at spot I, with what compression takes of it for how much data.
function dram_text(s, i,    held) {
  held = median_at(s, i, "compressed")
  return text_group(median_at(s, i, "dram") / 1048576, 0) " MiB of DRAM" \
    (held > 0 ? " (" text_group(held / 1048576, 0) " MiB of it for " text_group(median_at(s, i, "uncompressed") / 1048576, 0) " MiB of compressed data)" : "")
}

# The ratio of a latency where it is lowest and highest, each with the two latencies.
function instead(k, metric,    low, of_base) {
  of_base = " of " label[base_of[k]] "'s"
  low = lowest_words[k, metric] format_factor(lowest[k, metric])
  if (compared[k, metric] == 1) return low of_base " (" format_instead(metric, lowest_base[k, metric], lowest_other[k, metric], lowest_words[k, metric]) ")"
  low = low " (" format_instead(metric, lowest_base[k, metric], lowest_other[k, metric], lowest_words[k, metric]) ", " lowest_at[k, metric] ")"
  if (is_one(k, metric)) return low of_base
  return low " to " highest_words[k, metric] format_factor(highest[k, metric]) " (" \
    format_instead(metric, highest_base[k, metric], highest_other[k, metric], highest_words[k, metric]) ", " highest_at[k, metric] ")" of_base
}

# The ratio that is farthest to one side, with the words of a bound; of several, "up to" it if it is the highest.
function farthest(k, metric, is_highest,    words) {
  words = is_highest ? highest_words[k, metric] : lowest_words[k, metric]
  return (words != "" || is_one(k, metric) ? words : is_highest ? "up to " : "down to ") format_factor(is_highest ? highest[k, metric] : lowest[k, metric])
}

# Whether all ratios of METRIC are one.
function is_one(k, metric) {
  return lowest_at[k, metric] == highest_at[k, metric]
}

# Other figures that are better or worse, without a separate sentence; one in twenty would be by chance.
function also(k,    m, metric, out, word, w, most) {
  split("worse,better", word, ",")
  for (w = 1; w <= 2; w++)
    for (m = 1; m <= shown_metrics; m++) {
      metric = want_now[m]
      if (metric == "ops" || metric == "p99" || metric == "tx" || verdicts[k, metric, word[w]] <= compared[k, metric] / 10) continue
      out = out (out == "" ? "" : "; ") word[w] " in " metric_title[metric] ": " verdicts[k, metric, word[w]] " of " compared[k, metric] \
        (figures[k, metric] ? ", " farthest(k, metric, (word[w] == "worse") == (metric_direction[metric] < 0)) : "") \
        ((k, metric) in most_from_zero ? ", from 0 to " format_number(metric, most_from_zero[k, metric]) : "")
    }
  return out
}

# The verdicts on METRIC, after a colon; empty with one or two repeats.
function joined(k, metric,    i, n, word, out, counted) {
  counted = compared[k, metric] > 1
  n = split("better,worse,same,not decided,equal,no interval,too few repeats,client limited,unanswered", word, ",")
  for (i = 1; i <= n; i++)
    if (verdicts[k, metric, word[i]] && !(few && word[i] == "too few repeats"))
      out = out (out == "" ? "" : ", ") (counted ? verdicts[k, metric, word[i]] " " : "") \
        (word[i] == "too few repeats" ? "too few repeats to tell" short_of[k, metric] : word[i] == "client limited" ? "not known, because the load generator was the limit" : \
          word[i] == "unanswered" ? "not known, because requests had no answer" : word[i] == "same" ? judge_same(same_limit[k, metric]) : word[i]) \
        (word[i] == "not decided" ? to_decide(k, metric) : "")
  if ((k, metric) in disagreed) out = out "; the robust interval differs: " (disagreed[k, metric] == "*" || counted ? "for some" : disagreed[k, metric])
  return out == "" ? "" : (counted ? "; of " compared[k, metric] " comparisons: " : ": ") out
}

# The number of further repeats that would decide the open figures.
function to_decide(k, metric,    least, most) {
  if (!((k, metric) in most_repeats)) return ""
  least = decide_round(least_repeats[k, metric])
  most = decide_round(most_repeats[k, metric])
  if (!least || !most) return ""
  return " (about " (least == most ? "" : least " to ") most " more repeat" (most == 1 ? "" : "s") " would decide)"
}
