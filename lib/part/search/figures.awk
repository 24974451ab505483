# SPDX-License-Identifier: MIT
# The answer of a search for the max load within a limit, from the repeat's search.tsv.

function search_figures() {
  if (repeat_columns("search.tsv", "search.tsv") && cell["search"] != "broken") cell["capacity_ops_per_sec"] = cell["ops_per_sec"]
}
