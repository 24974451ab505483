# SPDX-License-Identifier: MIT
# CPU time of other programs in a phase, from the repeat's foreign.tsv: of the server or the row's client, whichever has more. Part of result.awk.

function foreign_fill(    file, n, i, f) {
  file = "foreign.tsv"
  # The name in older runs.
  if (!repeat_lines(file)) file = "neighbours.tsv"
  n = repeat_lines(file)
  for (i = 1; i <= n; i++) {
    if (split(repeat_line[file, i], f, "\t") < 12 || f[1] != cell["operation"] || (f[2] !~ /^server(:|$)/ && f[2] != name["client"])) continue
    if (cell["foreign_cpu_percent"] == "" || f[9] > cell["foreign_cpu_percent"] + 0) {
      cell["foreign_cpu_percent"] = f[9]
      cell["foreign_host"] = text_escape(f[2])
    }
    if (cell["steal_percent"] == "" || f[10] > cell["steal_percent"] + 0) cell["steal_percent"] = f[10]
    if ((13 in f) && f[4] > 0 && f[13] >= 10000 * f[4] * cell["throttled_percent"]) cell["throttled_percent"] = text_number(f[13] / f[4] / 10000, 1)
    if (cell["foreign_over"] == "" || f[12] > 0) cell["foreign_over"] = f[12] + 0
  }
}
