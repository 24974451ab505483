# SPDX-License-Identifier: MIT
# Write the data of the plots of searches, from the steps of all repeats: latency against throughput, and against the share of DRAM. Files:
# totals, for the order of variants; then steps.tsv, search.tsv and size.tsv of each repeat, whose paths end in VARIANT/POINT/rep-N/FILE. A
# kind is rate, connections or share; internally, a share is negative, so that a greater value is slower, as for a load. Environment: OUT,
# the directory for data. Output: as data.awk

function remember(list, name) {
  if ((list, name) in known) return
  known[list, name] = 1
  item[list, ++size[list]] = name
}

# The curve of CELL: for each load its median figure, made monotonic by pooling neighbours that fall (Ayer and others 1955). Sets x[1..n]
# and y[1..n], and returns n.
function curve(cell, figure,    n, i, j, k, l, m, list, load, w, out) {
  for (k = 1; k <= looks[cell]; k++) {
    for (j = 1; j <= m && list[j] != at_load[cell, k]; j++);
    if (j > m) list[++m] = at_load[cell, k]
  }
  interval_sort(list, m)
  for (j = 1; j <= m; j++) {
    l = 0
    for (k = 1; k <= looks[cell]; k++) if (at_load[cell, k] == list[j]) out[++l] = value[cell, k, figure]
    interval_sort(out, l)
    x[++n] = list[j]
    y[n] = interval_median(out, l)
    w[n] = l
    first[n] = n
  }
  # Levels, each of one or several loads.
  k = 0
  for (i = 1; i <= n; i++) {
    k++
    load[k] = y[i]
    out[k] = w[i]
    first[k] = i
    while (k > 1 && load[k - 1] > load[k]) {
      load[k - 1] = (load[k - 1] * out[k - 1] + load[k] * out[k]) / (out[k - 1] + out[k])
      out[k - 1] += out[k]
      k--
    }
  }
  first[k + 1] = n + 1
  for (j = 1; j <= k; j++) for (i = first[j]; i < first[j + 1]; i++) y[i] = load[j]
  return n
}

function picture(p, g, f, kind, figure,    file, name, v, i, n, cell, least, most, markers, title, limits_here, over) {
  name = "search-" p "-" g "-" f (kind == "share" ? "-1" : "")
  file = OUT "/" name ".dat"
  for (v = 1; v <= variants; v++) {
    cell = phase[p] SUBSEP point[g] SUBSEP variant[v] SUBSEP kind
    if (!looks[cell]) continue
    plot_block(file, v)
    n = curve(cell, figure)
    for (i = 1; i <= n; i++) {
      # A log scale has no 0.
      if (figure == "far" && y[i] < 0.0001) y[i] = 0.0001
      if (y[i] <= 0) continue
      printf "%s\t%s\n", shown(x[i]), y[i] > file
      if (least == "" || y[i] < least) least = y[i]
      if (y[i] > most) most = y[i]
    }
  }
  printf "\n\n" > file
  for (i = 1; i <= answers; i++) {
    if (answer_kind[i] != kind || answer_point[i] != point[g] || answer_phase[i] != phase[p] || answer_figure[i] != figure) continue
    printf "%s\t%s\t1.6\n", answer_load[i], answer_limit[i] > file
    markers++
    if (answer_limit[i] > most) most = answer_limit[i]
  }
  # gnuplot warns of an empty block: write a marker of size 0.
  if (!markers) printf "%s\t%s\t0\n", shown(x[1]), most > file
  n = plot_close(file)
  for (i = 1; i <= size["limit"]; i++) if (figure_of[item["limit", i]] == figure) limits_here = limits_here " " limit_us[item["limit", i]]
  title = metric_title[figure]
  over = kind == "share" ? "share of DRAM" : "load"
  if (n) plot_job("search", name, title " by " over ", " phase[p] ", " point[g], n, (limits_here == "" ? "-" : substr(limits_here, 2)), "Lines of " title " over " (kind == "rate" ? "the rate of requests" : \
    kind == "share" ? "the share of DRAM" : "connections") ", one for each variant, from the steps of its searches: the median at each, rising with what is harder. Dashed lines " \
    "are limits, marks the answers.", least " " most " " kind " " figure)
}

# Bars of the answers of KIND, rate or share, in phase P at point G: one group per limit, one bar per variant.
function bars(p, g, kind,    name, file, l, v, i, n, out, drawn, groups, list, w) {
  name = (kind == "share" ? "sizes-" : "limits-") p "-" g
  file = OUT "/" name ".dat"
  for (l = 1; l <= size["limit"]; l++) {
    n = 0
    for (i = 1; i <= answers; i++) n += is_answer(i, p, g, kind, item["limit", l])
    if (n) list[++groups] = item["limit", l]
  }
  w = 0.8 / variants
  for (v = 1; v <= variants; v++) {
    drawn = 0
    for (l = 1; l <= groups; l++) {
      n = 0
      for (i = 1; i <= answers; i++) if (answer_variant[i] == variant[v] && is_answer(i, p, g, kind, list[l])) out[++n] = answer_load[i]
      if (!n) continue
      interval_sort(out, n)
      if (!drawn++) plot_block(file, v)
      printf "%.4f\t%s\t%s\t%s\t%s\n", l + (v - (variants + 1) / 2) * w, interval_median(out, n), out[1], out[n], (kind == "share" ? interval_median(out, n) " %" : "") > file
    }
  }
  if (!groups) return
  printf "\n\n" > file
  for (l = 1; l <= groups; l++) print l "\t" plot_text(list[l]) > file
  n = plot_close(file)
  plot_job("bars", name, (kind == "share" ? "Min share of DRAM" : "Max operations per second") " by limit, " phase[p] ", " point[g], n, groups, "Bars of the " \
    (kind == "share" ? "min share of DRAM" : "highest rate") " that keeps a limit, a group for each limit, a bar for each variant: the median of repeats. Whiskers go from the min to " \
    "the max.", variants)
}

# Whether answer I belongs to this plot.
function is_answer(i, p, g, kind, text) {
  return answer_kind[i] == kind && answer_phase[i] == phase[p] && answer_point[i] == point[g] && answer_text[i] == text && answer_state[i] != "broken"
}

# A load or a share in the unit of the plot.
function shown(at) {
  return at < 0 ? -at : at
}

BEGIN {
  FS = OFS = "\t"
  OUT = ENVIRON["OUT"]
  metric_init()
}

FNR == 1 {
  files++
  for (i in at) delete at[i]
  for (i = 1; i <= NF; i++) at[$i] = i
  n = split(FILENAME, part, "/")
  who = part[n - 3]
  place = part[n - 2]
  repeat = substr(part[n - 1], 5)
  next
}

files == 1 {
  if ($at["variant_rank"] != "") rank_of[$at["variant"]] = $at["variant_rank"]
  if ($at["discarded"] != "") dropped[$at["variant"], $at["point"], $at["repeat"], $at["operation"]] = 1
  next
}

(who, place, repeat, $at["phase"]) in dropped { next }

"kind" in at {
  if (!$at["counts"] || $at["kind"] == "top" || $at["kind"] == "take") next
  # A failed look has no figures.
  if (("lost" in at) && $at["lost"] != "-") next
  plot_note(who, rank_of[who], place, $at["phase"])
  kind = ("dram_share_percent" in at) && $at["dram_share_percent"] != "-" ? "share" : $at["rate"] + 0 == 0 ? "connections" : "rate"
  cell = $at["phase"] SUBSEP place SUBSEP who SUBSEP kind
  k = ++looks[cell]
  at_load[cell, k] = kind == "share" ? -$at["dram_share_percent"] : $at[kind] + 0
  kinds[kind] = 1
  for (i = 1; i <= metrics_known; i++) if (metric_column[metric_names[i]] in at) value[cell, k, metric_names[i]] = $at[metric_column[metric_names[i]]] + 0
  next
}

{
  if (!metric_rule($at["limit"], rule)) next
  figure_of[$at["limit"]] = rule["metric"]
  limit_us[$at["limit"]] = rule["value"]
  remember("limit", $at["limit"])
  remember("figure", rule["metric"])
  if ($at["search"] == "none") next
  answers++
  answer_phase[answers] = $at["phase"]
  sub(/-[0-9]+$/, "", answer_phase[answers])
  answer_point[answers] = place
  answer_variant[answers] = who
  answer_text[answers] = $at["limit"]
  answer_state[answers] = $at["search"]
  answer_figure[answers] = rule["metric"]
  answer_limit[answers] = rule["value"]
  answer_kind[answers] = "dram_share_percent" in at ? "share" : "rate" in kinds ? "rate" : "connections"
  answer_load[answers] = $at["dram_share_percent" in at ? "dram_share_percent" : "load"]
}

END {
  plot_sort_variants()
  for (p = 1; p <= phases; p++) for (g = 1; g <= points; g++) for (f = 1; f <= size["figure"]; f++) {
    picture(p, g, f, "rate" in kinds ? "rate" : "connections", item["figure", f])
    if ("share" in kinds) picture(p, g, f, "share", item["figure", f])
  }
  for (p = 1; p <= phases; p++) for (g = 1; g <= points; g++) {
    bars(p, g, "rate")
    bars(p, g, "share")
  }
  # For all limits: p99, and far accesses, which explain it.
  if (!("share" in kinds)) exit
  f = size["figure"]
  n = split("p99 far", extra, " ")
  for (i = 1; i <= n; i++) {
    if (("figure", extra[i]) in known) continue
    f++
    for (p = 1; p <= phases; p++) for (g = 1; g <= points; g++) picture(p, g, f, "share", extra[i])
  }
}
