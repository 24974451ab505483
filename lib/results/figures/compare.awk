# SPDX-License-Identifier: MIT
# Compare totals: per point and phase, the ratio of each other side to the base.
#
# Input: `A INDEX LABEL` for each argument of the user, `V INDEX VARIANT` for the variants that were started in it, then its totals as `T INDEX ...`,
# the header first, and warnings of report.awk as `W INDEX TEXT`. A side is one variant of one argument. Environment: METRICS, RULES and
# FAIL_IFS, one per line, SMALLEST, such as 2%, and FORMS: all. Output: lines that begin with the name of a section: rows, repeats and limits
# (with the first three lines that render.awk requires), short (the same if there are one or two repeats of everything), quick, pairs, verdict, failed and
# notes. Exit status 3 if there is nothing to compare, 4 if nothing was to be compared: a run of a single variant, without METRICS, RULES and FAIL_IFS.

function col(name) {
  return (name in place_of) ? $place_of[name] : ""
}

BEGIN {
  FS = OFS = "\t"
  metric_init()
  wanted = split(ENVIRON["METRICS"], want, "\n")
  for (i = 1; i <= wanted; i++) want[i] = metric_name(want[i])
  limits = split(ENVIRON["RULES"], limit_text, "\n")
  fail_ifs = split(ENVIRON["FAIL_IFS"], fail_text, "\n")
  smallest = ENVIRON["SMALLEST"] / 100
  all_forms = ENVIRON["FORMS"] == "all"
}

$1 == "A" { argument[++arguments] = text_unescape($3); next }

# The warnings about an argument.
$1 == "W" { warning_of[++warnings] = $2; warned[warnings] = text_unescape($3); next }

# The directory of a variant, which may contain no complete result.
$1 == "V" { begun[$2, ++variants_begun[$2]] = text_unescape($3); next }

$1 == "T" && !headed[$2]++ {
  for (i in place_of) delete place_of[i]
  for (i = 1; i <= NF; i++) place_of[$i] = i
  next
}

$1 == "T" {
  id = $2 SUBSEP col("run") SUBSEP col("variant")
  if (!(id in side_by_id)) {
    s = side_by_id[id] = ++sides
    of_argument[s] = $2
    of_run[s] = text_unescape(col("run"))
    of_variant[s] = text_unescape(col("variant"))
    of_folder[s] = col("run_folder")
    rank[s] = col("variant_rank") == "" ? 9999 : col("variant_rank") + 0
  }
  if (col("quick") != "") is_quick = 1
  r = ++rows
  side_of[r] = side_by_id[id]
  named[r] = text_unescape(col("point"))
  # Logs without points still have a size and a number of servers.
  shape[r] = col("len") "B-" col("servers") "i"
  if (named[r] == "") unnamed = 1
  operation[r] = text_unescape(col("operation"))
  repeat[r] = col("repeat")
  discarded[r] = text_unescape(col("discarded"))
  tool[r] = text_unescape(col("made_by"))
  len[r] = col("len")
  keys[r] = col("keys")
  # A log alone may have the requests of a phase instead of its keys; only result.tsv has connections.
  keys_known[r] = col("connections") != ""
  servers[r] = col("servers")
  max_time[r] = col("max_time")
  fine[r] = col("resolution_us") == "" ? 1 : col("resolution_us") + 0
  # A phase that broke the limit of its search shows no throughput within that limit.
  broken[r] = col("search") == "broken"
  limited[r] = !broken[r] && bound_limited(col("client_limited"), col("rate"), col("ops_per_sec"), col("search"), col("capacity_ops_per_sec"))
  # The share is then too large: less DRAM may be enough.
  rate_percent[r] = col("rate_percent")
  value_of[r, "compressed"] = col("compressed_bytes")
  value_of[r, "uncompressed"] = col("uncompressed_bytes")
  share_limited[r] = !broken[r] && col("search") == "client" && col("search_holds") != ""
  by_dram[r] = col("search_holds") != ""
  if (by_dram[r]) searched = col("search_holds")
  by_load[r] = col("capacity_ops_per_sec") != ""
  for (i = 1; i <= metrics_known; i++)
    if ((metric_column[metric_names[i]] in place_of) && (!broken[r] || metric_is_count(metric_names[i]))) {
      value_of[r, metric_names[i]] = col(metric_column[metric_names[i]])
      if (bound_late(metric_names[i])) waited[r, metric_names[i]] = bound_waited(value_of[r, metric_names[i]], metric_names[i], col("unanswered"), col("at_least_us"))
    }
}

# The spread of N repeats around their median; for counts, their min and max; empty with one repeat.
function spread(metric, n, low, middle, high) {
  if (n < 2) return ""
  if (metric_is_count(metric)) return metric_show(metric, low) " to " metric_show(metric, high)
  return middle > 0 ? sprintf("%+.1f %+.1f %%", 100 * (low / middle - 1), 100 * (high / middle - 1)) : ""
}

function least_max_time(base, other,    i, least) {
  least = max_time[rows_at[base, 1]]
  for (i = 1; i <= count_at[base]; i++) if (max_time[rows_at[base, i]] < least) least = max_time[rows_at[base, i]]
  for (i = 1; i <= count_at[other]; i++) if (max_time[rows_at[other, i]] < least) least = max_time[rows_at[other, i]]
  return least
}

# The coarsest resolution of latencies of two cells, in us.
function most_us(base, other,    i, most) {
  for (i = 1; i <= count_at[base]; i++) if (fine[rows_at[base, i]] > most) most = fine[rows_at[base, i]]
  for (i = 1; i <= count_at[other]; i++) if (fine[rows_at[other, i]] > most) most = fine[rows_at[other, i]]
  return most
}

# Returns how many repeats of a cell have FLAG, an array by row.
function repeats_with(flag, cell,    i, n) {
  for (i = 1; i <= count_at[cell]; i++) n += flag[rows_at[cell, i]]
  return n + 0
}

# Whether METRIC does not tell which of two cells is better, because searches measured them at other loads.
function at_other_load(metric, base, other) {
  return bound_apart(bound_late(metric), bound_held(metric), repeats_with(by_load, base), repeats_with(by_dram, base), \
    repeats_with(by_load, other), repeats_with(by_dram, other))
}

# Whether METRIC of a cell is only a bound, because in a repeat the load generator was the limit, or requests had no answer; a note says so.
function is_bounded(metric, cell, s,    i, n) {
  if (bound_late(metric)) {
    for (i = 1; i <= count_at[cell]; i++) n += waited[rows_at[cell, i], metric]
    if (n) note(label[s] ": requests without an answer count with the time that they waited, so latencies are lower bounds (unanswered and at_least_us)")
    return n > 0
  }
  if ((metric == searched || metric == "cost") && repeats_with(share_limited, cell)) {
    note(label[s] ": the load generator was the limit with less DRAM, so its share of DRAM is an upper bound; use more threads, CPUs or clients")
    return 1
  }
  if (!bound_metric(metric) || !repeats_with(limited, cell)) return 0
  note(label[s] ": the load generator was the limit, so its throughput is a lower bound; use more threads, CPUs or clients")
  return 1
}

# The lowest share of its rate that a repeat of a cell reached, in %, if it missed it; else empty.
function rate_missed(cell,    i, least) {
  for (i = 1; i <= count_at[cell]; i++)
    if (bound_missed(rate_percent[rows_at[cell, i]]) && (least == "" || rate_percent[rows_at[cell, i]] < least)) least = rate_percent[rows_at[cell, i]] + 0
  return least
}

# The text after a verdict on sides of which one missed its rate.
function missed_text(k, base, other,    b, o) {
  b = rate_missed(base)
  o = rate_missed(other)
  if (b == "" && o == "") return ""
  return text_escape("; missed its rate: " (b == "" ? "" : sprintf("%s (%.1f %%)", label[base_of[k]], b)) (b != "" && o != "" ? ", " : "") (o == "" ? "" : sprintf("%s (%.1f %%)", label[other_of[k]], o)))
}

# Compare one figure of one pair at one point: print its row unless it is HIDDEN, and record its verdict.
function compare_figure(k, i, metric, hidden,    other_load, base, other, b, o, nb, no, mb, mo, ratio, says, side, mirrored, worse, direction, level, lack, sign, short) {
  # Errors count for --fail-if also during populate.
  if (is_fill(spot_operation[i]) && !metric_is_count(metric)) return
  base = base_of[k] SUBSEP spot_point[i] SUBSEP spot_operation[i]
  other = other_of[k] SUBSEP spot_point[i] SUBSEP spot_operation[i]
  nb = values(base, metric, b)
  no = values(other, metric, o)
  if (!nb || !no) return
  mb = stands_for(metric, b, nb)
  mo = stands_for(metric, o, no)
  # If neither side has errors, the row is left out, unless --metric requests it.
  if (metric_is_count(metric) && !wanted && b[nb] == 0 && o[no] == 0) hidden = 1
  other_load = at_other_load(metric, base, other)
  direction = metric_direction[metric]
  worse = bound_late(metric)
  side = bound_side(is_bounded(metric, base, base_of[k]), is_bounded(metric, other, other_of[k]))
  mirrored = bound_mirror(side, worse)
  lack["base"] = lacking(metric, base_of[k], i)
  lack["other"] = lacking(metric, other_of[k], i)
  judge_failures(k, i, metric, mb, mo, mb > 0 ? mo / mb : "", other_load, side, lack)
  if (hidden) return
  sign = bound_sign(direction, worse)
  level = judge_level(k)
  find_interval(k, base, other, metric, b, nb, o, no, level)
  ratio = mb > 0 ? mo / mb : ""
  says = judge_bound(mirrored, judge_figure(metric, b, nb, o, no, mb, mo, least_max_time(base, other), most_us(base, other), level, lack["base"] + lack["other"]), worse)
  # Two bounds have no ratio.
  if (side == "both") ratio = interval_low = interval_high = robust_centre = robust_low = robust_high = ""
  short = says == "too few repeats" ? few_text(k, base, other, nb, no) : ""
  if (other_load) {
    says = "other load"
    judge_repeats = judge_robust = ""
  }
  else remember(k, i, metric, says, ratio, mb, mo, bound_words(mirrored, direction), short)
  row = "rows"
  put(text_escape(spot_point[i]))
  put(text_escape(spot_operation[i]))
  put(metric)
  put(metric_unit[metric])
  put(metric_title[metric] ", " (metric_is_count(metric) ? "the most" : metric_unit[metric]))
  put_side(base_of[k], metric, b, nb, side ~ /base|both/ ? sign : "")
  put_side(other_of[k], metric, o, no, side ~ /other|both/ ? sign : "")
  put_percent(ratio)
  put(ratio == "" ? "" : format_ratio(metric, ratio))
  put_percent(interval_low)
  put_percent(interval_high)
  put(interval_low == "" ? "" : all_forms ? sprintf("%.1f to %.1f %%", 100 * interval_low, 100 * interval_high) : format_range(metric, interval_low, interval_high))
  put(says)
  put(says text_escape(short bound_text(side, says, label[base_of[k]], label[other_of[k]], worse)) missed_text(k, base, other) judge_more(" would decide") (judge_robust == "" || judge_robust == says ? "" : \
    sprintf("; robust: %s (%s)", judge_robust, all_forms ? sprintf("%.1f to %.1f %%", 100 * robust_low, 100 * robust_high) : format_range(metric, robust_low, robust_high))))
  put(ratio == "" ? "" : text_number(100 * ratio - 100, 4))
  put(ratio == "" ? "" : sprintf("%+.1f %%", 100 * ratio - 100))
  put(ratio == "" ? "" : text_number(ratio, 6))
  put(ratio == "" ? "" : format_factor(ratio))
  put(judge_repeats)
  put_percent(robust_centre)
  put_percent(robust_low)
  put_percent(robust_high)
  put(judge_robust)
  put(rate_missed(base))
  put(rate_missed(other))
  put(side ~ /base|both/ ? sign : "")
  put(side ~ /other|both/ ? sign : "")
  print row
  if (is_short(metric, base, mb, mo)) print "short", text_escape(spot_point[i]), text_escape(spot_operation[i]), metric_title[metric] (metric_unit[metric] == "" ? "" : ", " metric_unit[metric]), \
    text_escape(label[base_of[k]]), (side ~ /base|both/ ? sign : "") metric_show(metric, mb), text_escape(label[other_of[k]]), (side ~ /other|both/ ? sign : "") metric_show(metric, mo), \
    (ratio == "" ? "" : format_ratio(metric, ratio)) missed_text(k, base, other)
}

# Whether METRIC, MB and MO of the two sides, is in the table of a comparison that has one or two repeats of everything; BASE is a cell of it.
function is_short(metric, base, mb, mo) {
  if (!few || mb == 0 && mo == 0) return 0
  return wanted || metric_is_count(metric) || schema_when(metric_column[metric], "compare") == "few" || metric == "tx" && value_of[rows_at[base, 1], "ops"] == ""
}

# Which side has a figure in fewer than three repeats, as text after `too few repeats`; N of each side have it.
function few_text(k, base, other, nb, no,    out) {
  if (nb < 3) out = few_side(base_of[k], base, nb)
  if (no < 3) out = out (out == "" ? "" : ", ") few_side(other_of[k], other, no)
  return " (" (out == "" ? "both sides have " judge_least : out) ")"
}

function few_side(s, cell, n) {
  return label[s] " has " n (n < count_at[cell] + dropped[cell] ? " of " count_at[cell] + dropped[cell] : "")
}

# Keep the data of a figure for the verdict as text. WORDS are those before its ratio, SHORT is what few_text prints.
function remember(k, i, metric, says, ratio, mb, mo, words, short,    word) {
  word = says ~ /^same/ ? "same" : says
  verdicts[k, metric, word]++
  short_of[k, metric] = !compared[k, metric] || short_of[k, metric] == short ? short : ""
  compared[k, metric]++
  if (word == "same" && judge_limit > same_limit[k, metric]) same_limit[k, metric] = judge_limit
  if (word == "not decided" && judge_repeats == "") undecidable[k, metric]++
  if (judge_repeats != "" && (!((k, metric) in most_repeats) || judge_repeats > most_repeats[k, metric])) most_repeats[k, metric] = judge_repeats
  if (judge_repeats != "" && (!((k, metric) in least_repeats) || judge_repeats < least_repeats[k, metric])) least_repeats[k, metric] = judge_repeats
  if (judge_robust != "" && judge_robust != says) disagreed[k, metric] = disagreed[k, metric] == "" ? judge_robust : "*"
  if (interval_low != "") judged++
  if (ratio == "") {
    if (mb == 0 && (!((k, metric) in most_from_zero) || mo > most_from_zero[k, metric])) most_from_zero[k, metric] = mo
    return
  }
  if (!((k, metric) in lowest) || ratio < lowest[k, metric]) {
    lowest[k, metric] = ratio
    lowest_words[k, metric] = words
    lowest_at[k, metric] = spot_operation[i] " at " spot_point[i]
    lowest_base[k, metric] = mb
    lowest_other[k, metric] = mo
  }
  if (!((k, metric) in highest) || ratio > highest[k, metric]) {
    highest[k, metric] = ratio
    highest_words[k, metric] = words
    highest_at[k, metric] = spot_operation[i] " at " spot_point[i]
    highest_base[k, metric] = mb
    highest_other[k, metric] = mo
  }
  figures[k, metric]++
}

function put(value) {
  row = row OFS value
}

function put_percent(ratio) {
  put(ratio == "" ? "" : text_number(100 * ratio, 4))
}

# The number of repeats if each side has one or two of everything: there is no verdict. Else 0.
function few_repeats(    cell, n, most) {
  for (cell in count_at) {
    n = count_at[cell] + ((cell in dropped) ? dropped[cell] : 0)
    if (n > most) most = n
  }
  return most < 3 ? most : 0
}

# The columns of one side: name, median, min, max, repeats, and the same formatted as text, after the SIGN of a bound.
function put_side(s, metric, v, n, sign,    stands) {
  stands = stands_for(metric, v, n)
  put(text_escape(label[s]))
  put(raw(interval_median(v, n)))
  put(raw(v[1]))
  put(raw(v[n]))
  put(n)
  put(sign metric_show(metric, stands))
  put(spread(metric, n, v[1], stands, v[n]))
}

# A number with all digits, for programs.
function raw(x) {
  return text_number(x, text_places(x, 6))
}

function print_row_heads(    one_base, one_other, k) {
  one_base = one_other = 1
  for (k = 2; k <= pairs; k++) {
    if (base_of[k] != base_of[1]) one_base = 0
    if (other_of[k] != other_of[1]) one_other = 0
  }
  base_head = one_base ? text_escape(label[base_of[1]]) : "base"
  other_head = one_other ? text_escape(label[other_of[1]]) : "other"
  print "rows", "point", "operation", "metric", "unit", "_figure", "base", "base_median", "base_min", "base_max", "base_repeats", "_base", "_base_spread", \
    "other", "other_median", "other_min", "other_max", "other_repeats", "_other", "_other_spread", "percent_of_base", "_ratio", "low_percent", "high_percent", \
    "_interval", "mark", "_mark", "gain_percent", "_gain", "factor", "_factor", "more_repeats", "robust_percent", "robust_low_percent", "robust_high_percent", "robust_mark", \
    "base_rate_percent", "other_rate_percent", "base_bound", "other_bound"
  print "rows", "Point", "Phase", "", "", "Figure", one_base ? "" : "Base", "", "", "", "", base_head, "min max", \
    one_other ? "" : "Compared", "", "", "", "", other_head, "min max", all_forms ? "% of base" : "", all_forms ? "" : "of base", "", "", judge_heading(), "", "Verdict", "", all_forms ? "Gain" : "", "", \
    all_forms ? "Factor" : "", "", "", "", "", "", "", "", "", ""
  print "rows", "text", "text", "text", "text", "text", "text", "raw", "raw", "raw", "raw", "right", "right", "text", "raw", "raw", "raw", "raw", "right", "right", \
    "percent", "right", "raw", "raw", "right", "text", "text", "raw", "right", "raw", "right", "raw", "raw", "raw", "raw", "text", "raw", "raw", "text", "text"
  if (few) {
    print "short", "point", "operation", "figure", "base", "base_value", "other", "other_value", "ratio"
    print "short", "Point", "Phase", "Figure", one_base ? "" : "Base", base_head, one_other ? "" : "Compared", other_head, "of " base_head
    print "short", "text", "text", "text", "text", "right", "text", "right", "right"
  }
  print "repeats", "point", "len", "keys", "servers", "operation", "repeat", "metric", "base", "base_value", "other", "other_value", "percent_of_base", "max_time", "other_max_time", "discarded", \
    "base_bound", "other_bound"
  print "repeats", (point_tells() ? "Point" : ""), "Value size", "Keys each", "Servers", "Operation", "Repeat", "", one_base ? "" : "Base", \
    base_head " " metric_title[first_metric], one_other ? "" : "Compared", other_head " " metric_title[first_metric], "% of " base_head, base_head " max time s", \
    other_head " max time s", (any_discarded() ? "Discarded" : ""), "", ""
  print "repeats", "text", 0, 0, 0, "text", "raw", "text", "text", metric_decimals[first_metric], "text", metric_decimals[first_metric], "percent", 0, 0, "text", "text", "text"
}

# Whether a result is discarded.
function any_discarded(    r) {
  for (r = 1; r <= rows; r++) if (discarded[r] != "") return 1
  return 0
}

# Whose result of a repeat is discarded, BASE's row or OTHER's, and the kind of reason.
function discard_text(base, other) {
  return discard_side(base) (discarded[base] != "" && discarded[other] != "" ? "; " : "") discard_side(other)
}

function discard_side(r) {
  return discarded[r] == "" ? "" : label[side_of[r]] ": " substr(discarded[r], 1, index(discarded[r], ":") - 1)
}

# Whether points are more than a value size and a number of servers, which have separate columns.
function point_tells(    r, key, seen) {
  for (r = 1; r <= rows; r++) {
    key = len[r] SUBSEP servers[r]
    if ((key in seen) && seen[key] != point[r]) return 1
    seen[key] = point[r]
  }
  return 0
}

# One row per repeat, as in the guide's Table 1.
function print_repeats(    k, r, found, b, o, side, out, worse, direction, base_sign, other_sign) {
  worse = bound_late(first_metric)
  direction = metric_direction[first_metric]
  for (k = 1; k <= pairs; k++)
    for (r = 1; r <= rows; r++) {
      if (side_of[r] != base_of[k] || is_fill(operation[r])) continue
      found = row_of[other_of[k], point[r], operation[r], turn[r]]
      if (!found) continue
      b = value_of[r, first_metric]
      o = value_of[found, first_metric]
      side = worse ? bound_side(waited[r, first_metric] + 0, waited[found, first_metric] + 0) : bound_metric(first_metric) ? bound_side(limited[r], limited[found]) : ""
      base_sign = side ~ /base|both/ ? bound_sign(direction, worse) : ""
      other_sign = side ~ /other|both/ ? bound_sign(direction, worse) : ""
      out = discard_text(r, found)
      print "repeats", text_escape(point[r]), len[r], (keys_differ(r, found) ? "" : keys[r]), servers[r], toupper(text_escape(operation[r])), repeat[r], first_metric, text_escape(label[base_of[k]]), base_sign b, \
        text_escape(label[other_of[k]]), other_sign o, \
        (b > 0 && o != "" && side != "both" && out == "" ? bound_ratio(bound_mirror(side, worse), direction) text_number(100 * o / b, 4) : ""), max_time[r], max_time[found], \
        text_escape(out), base_sign, other_sign
    }
}

END {
  name_runs()
  name_sides(0)
  make_pairs()
  note_missing()
  if (!pairs) exit (arguments > 1 || missing || wanted || limits || fail_ifs ? 3 : 4)
  name_sides(1)
  shapes_tell = !shapes_hide()
  make_cells(unnamed && shapes_tell)
  if (!has_common(0, 1) && shapes_tell) make_cells(1)
  if (!has_common(0, 1)) {
    for (k = 1; k <= pairs; k++)
      note("no common points: " label[base_of[k]] " has " points_of(base_of[k]) "; " label[other_of[k]] " has " points_of(other_of[k]) "; run both with the same VALUE_SIZES, INSTANCES and axes")
    exit 3
  }
  more_than_fill = has_common(1, 1)
  if (!has_common(more_than_fill)) {
    note_gaps()
    note_warnings()
    note("nothing to compare: every result of a side is discarded")
    exit 3
  }
  for (k = 1; k <= pairs; k++)
    print "pairs", text_escape(label[base_of[k]]), of_folder[base_of[k]], text_escape(of_variant[base_of[k]]), \
      text_escape(label[other_of[k]]), of_folder[other_of[k]], text_escape(of_variant[other_of[k]])
  note_gaps()
  note_keys()
  note_tools()
  note_warnings()
  if (!wanted) wanted_now = metric_usual(want_now)
  else for (m = 1; m <= wanted; m++) want_now[wanted_now = m] = want[m]
  shown_metrics = wanted_now
  # A condition is evaluated even if its figure is not shown.
  for (m = 1; m <= wanted_now; m++) listed[want_now[m]] = 1
  for (f = 1; f <= fail_ifs; f++) {
    metric_rule(fail_text[f], rule)
    if (rule["metric"] in listed) continue
    listed[rule["metric"]] = 1
    want_now[++wanted_now] = rule["metric"]
  }
  # The guide's Tx, unless a phase was too short to have one.
  first_metric = wanted ? want[1] : "tx"
  if (!wanted) for (r = 1; r <= rows; r++) if (value_of[r, "tx"] == "" && !broken[r] && discarded[r] == "" && !is_fill(operation[r])) first_metric = "ops"
  if (is_quick) print "quick", "yes"
  few = few_repeats()
  print_row_heads()
  for (i = 1; i <= spots; i++)
    for (k = 1; k <= pairs; k++) {
      if (!((base_of[k], spot_point[i], spot_operation[i]) in count_at) || !((other_of[k], spot_point[i], spot_operation[i]) in count_at)) continue
      for (m = 1; m <= wanted_now; m++) compare_figure(k, i, want_now[m], m > shown_metrics)
    }
  print_repeats()
  print_limits()
  print_verdict()
  note_unjudged()
  if (judged >= 20) note("of " judged " verdicts, about " int(judged / 20 + 0.5) " would show a difference by chance")
}
