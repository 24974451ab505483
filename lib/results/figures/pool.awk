# SPDX-License-Identifier: MIT
# Make one total of the repeats P.R of a trial (trials.awk), the repeat P: drift and reboots act on trials, so repeats of a trial are not independent.
# A figure is the geometric mean of the repeats that are not discarded, or their arithmetic mean with a 0; a count is their max. Other totals stay as
# they are.

BEGIN {
  FS = OFS = "\t"
  metric_init()
  for (i = 1; i <= metrics_known; i++) if (metric_is_count(metric_names[i])) is_count[metric_column[metric_names[i]]] = 1
}

NR == 1 {
  for (i = 1; i <= NF; i++) {
    at[$i] = i
    name[i] = $i
  }
  columns = NF
}

NR == 1 || $at["repeat"] !~ /^[0-9]+\.[0-9]+$/ {
  print
  next
}

{
  sub(/\..*/, "", $at["repeat"])
  key = $at["run_folder"] SUBSEP $at["variant"] SUBSEP $at["point"] SUBSEP $at["operation"] SUBSEP $at["repeat"]
  if (!(key in first)) order[++trials] = key
  if (!(key in first) || $at["discarded"] == "" && !counted[key]) first[key] = $0
  if ($at["discarded"] == "") total[key, ++counted[key]] = $0
}

END {
  for (t = 1; t <= trials; t++) {
    n = counted[order[t]]
    for (r = 1; r <= n; r++) {
      split(total[order[t], r], row, FS)
      for (i = 1; i <= columns; i++) field[r, i] = row[i]
    }
    $0 = first[order[t]]
    for (i = 1; i <= columns; i++) if (name[i] != "repeat" && name[i] != "start_us") $i = pooled(i, n)
    print
  }
}

# The value of column I of N totals that stands for a trial: that of the first one, unless all known ones are numbers that differ.
function pooled(i, n,    r, v, known, same, logs, sum, most) {
  same = 1
  for (r = 1; r <= n; r++) {
    v = field[r, i]
    if (v "" != $i "") same = 0
    if (v == "") continue
    if (!text_is_number(v "")) return $i
    if (!known++ || v + 0 > most) most = v + 0
    sum += v
    if (v <= 0) logs = "none"
    else if (logs != "none") logs += log(v)
  }
  if (same || !known) return $i
  v = (name[i] in is_count) ? most : logs == "none" ? sum / known : exp(logs / known)
  return text_number(v, text_places(v, 9))
}
