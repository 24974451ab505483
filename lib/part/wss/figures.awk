# SPDX-License-Identifier: MIT
# The working set of a phase, from the repeat's wss.tsv: the sum of the instances for each time.

function wss_figures(    n, i, f, column, sum) {
  n = repeat_lines("wss.tsv")
  for (i = 1; i <= n; i++) {
    split(repeat_line["wss.tsv", i], f, "\t")
    column = "wss_" f[3] "s_bytes"
    if (f[1] == cell["operation"] && schema[column, "source"] == "wss.tsv" && text_is_count(f[4])) sum[column] += f[4]
  }
  for (column in sum) cell[column] = text_number(sum[column], 0)
}
