# SPDX-License-Identifier: MIT
# The DRAM of each tenant over time, one plot per variant at one point, from the repeat's dram.tsv. The phases and their times are those of the plots
# over time (lib/results/plot/time.awk).

function tenants_plot(    r, file, line, f, n, i, t, name, number, points, last, most, p, rows, own) {
  r = time_first_row(plot_point, plot_variant)
  file = text_opened(folder[r] "/../dram.tsv")
  while ((getline line < file) > 0) {
    if (split(line, f, "\t") < 3 || !text_is_number(f[1]) || !text_is_number(f[3])) continue
    t = f[1] - (begin + ahead) / 1e6
    if (t < 0 || t > events_end) continue
    if (!(f[2] in number)) {
      number[f[2]] = ++n
      name[n] = f[2]
    }
    # A gap where it was not known.
    points[f[2]] = points[f[2]] (f[2] in last && t - last[f[2]] > 5 ? "\n" : "") sprintf("%.3f\t%.3f\n", t, f[3] / 1048576)
    last[f[2]] = t
    if (f[3] / 1048576 > most) most = f[3] / 1048576
    rows++
  }
  close(file)
  # A plot over time requires at least three steps.
  if (rows < 3 * n || !n || !most) return
  file = OUT "/tenants-" plot_point "-" plot_variant ".dat"
  for (i = 1; i <= n; i++) {
    plot_block_as(file, i, name[i])
    printf "%s", points[name[i]] > file
  }
  t = 0
  for (p = 1; p <= phases; p++) if (intervals[p]) own[++t] = sprintf("%.3f\t%d\t1\t7", phase_from[p], p)
  rows = time_labels(file, own, t, events_end)
  plot_close(file)
  plot_job("lines", "tenants-" plot_point "-" plot_variant, "DRAM by tenant over time, " variant[plot_variant] " at " point[plot_point] ", first repeat", n, \
    text_number(most, 3), "The memory of each tenant that is in DRAM over time, a line for each tenant, with a dotted line at the start of each phase.", \
    text_number(events_end, 3) " " rows " DRAM in MiB")
}
