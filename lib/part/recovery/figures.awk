# SPDX-License-Identifier: MIT
# The phase after START=far: the share of data that was out of DRAM, from recovery.tsv, and how soon the rate was back, from the series of a client.

function recovery_figures(    n, i, f, out, all, to) {
  n = repeat_lines("recovery.tsv")
  for (i = 1; i <= n; i++) {
    if (split(repeat_line["recovery.tsv", i], f, "\t") != 5 || f[1] != cell["operation"] || !text_is_count(f[4]) || !text_is_count(f[5])) continue
    out += f[4]
    all += f[5]
  }
  if (!all) return
  cell["start_far_percent"] = text_number(100 * out / all, 1)
  to = counter_text("tier", "far_bytes")
  if (text_is_count(to) && phase_to > phase_from) cell["recovery_pages_per_sec"] = text_number((out > to ? out - to : 0) / 4096 / ((phase_to - phase_from) / 1000000), 0)
  recovery_rate(series_read(1, text_opened(name["folder"] "/" cell["operation"] ".series.tsv"), 0))
  if (out < 0.9 * all) row_warn("START=far: less than 90 % of the data was out of DRAM", 100 - 100 * out / all, cell["operation"] ": " text_number(100 * out / all, 1) " %", "")
}

# Fill the times until 90 and 99 % of the final rate, that of the last third of N intervals.
function recovery_rate(n,    i, ops, seconds, final) {
  # The last interval can be a fragment.
  if (n > 1 && series_to[1, n] - series_from[1, n] < (series_to[1, 1] - series_from[1, 1]) / 2) n--
  if (n < 6) return
  for (i = n - int(n / 3) + 1; i <= n; i++) {
    ops += series_ops[1, i]
    seconds += series_to[1, i] - series_from[1, i]
  }
  if (ops <= 0 || seconds <= 0) return
  final = ops / seconds
  cell["recovery_final_ops_per_sec"] = text_number(final, 3)
  cell["recovery_90_s"] = recovery_time(n, 0.9 * final)
  cell["recovery_99_s"] = recovery_time(n, 0.99 * final)
}

# The start of the first of N intervals that has a rate; empty without one.
function recovery_time(n, rate,    i) {
  for (i = 1; i <= n; i++)
    if (series_to[1, i] > series_from[1, i] && series_ops[1, i] / (series_to[1, i] - series_from[1, i]) >= rate) return text_number(series_from[1, i], 3)
  return ""
}
