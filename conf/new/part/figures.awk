# SPDX-License-Identifier: MIT
# The change of the free memory during a phase, from NAME.tsv of the repeat: the sum of the servers.

function NAME_figures(    n, i, field, sum, found) {
  n = repeat_lines("NAME.tsv")
  for (i = 2; i <= n; i++) {
    split(repeat_line["NAME.tsv", i], field, "\t")
    if (field[1] != cell["operation"]) continue
    sum += field[2] == "after" ? field[4] : -field[4]
    found += field[2] == "after"
  }
  if (found) cell["NAME_bytes"] = text_number(sum, 0)
}
