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
  recovery_rates(name["folder"])
  if (out < 0.9 * all) row_warn("START=far: less than 90 % of the data was out of DRAM", 100 - 100 * out / all, cell["operation"] ": " text_number(100 * out / all, 1) " %", "")
}

# Fill the final rate of the phase, and the times until 90 and 99 % of it and of that of the run's first variant: of the same client in the same repeat,
# from the series in FOLDER, which is that of the client. Series 1 is its own, 2 that of the first variant.
function recovery_rates(folder,    series, final, variant, part, n) {
  series = "/" cell["operation"] ".series.tsv"
  final = recovery_final(1, text_opened(folder series))
  if (!final) return
  cell["recovery_final_ops_per_sec"] = text_number(final, 3)
  cell["recovery_90_s"] = recovery_time(1, 0.9 * final)
  cell["recovery_99_s"] = recovery_time(1, 0.99 * final)
  split(stored_setting(name["run_folder"], "-", "VARIANTS"), variant, " ")
  # It becomes a part of a path.
  if (variant[1] !~ /^[A-Za-z0-9][^\/]*$/) return
  n = split(folder, part, "/")
  final = recovery_final(2, text_opened(name["run_folder"] "/" variant[1] "/" name["point"] "/rep-" name["repeat"] "/" part[n] series))
  if (!final) return
  cell["recovery_first_90_s"] = recovery_time(1, 0.9 * final)
  cell["recovery_first_99_s"] = recovery_time(1, 0.99 * final)
}

# Read the series C of FILE. Returns the rate of the last third of its intervals; 0 if they are too few.
function recovery_final(c, file,    n, i, ops, seconds) {
  n = series_read(c, file, 0)
  # The last interval can be a fragment.
  if (n > 1 && series_to[c, n] - series_from[c, n] < (series_to[c, 1] - series_from[c, 1]) / 2) series_rows[c] = --n
  if (n < 6) return 0
  for (i = n - int(n / 3) + 1; i <= n; i++) {
    ops += series_ops[c, i]
    seconds += series_to[c, i] - series_from[c, i]
  }
  return ops > 0 && seconds > 0 ? ops / seconds : 0
}

# The start of the first interval of the series C that has a rate; empty without one.
function recovery_time(c, rate,    i) {
  for (i = 1; i <= series_rows[c]; i++)
    if (series_to[c, i] > series_from[c, i] && series_ops[c, i] / (series_to[c, i] - series_from[c, i]) >= rate) return text_number(series_from[c, i], 3)
  return ""
}
