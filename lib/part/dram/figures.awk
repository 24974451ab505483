# SPDX-License-Identifier: MIT
# The answer of a search for the min share of DRAM, from the repeat's size.tsv. Such a search holds the load.

function dram_figures() {
  if (!repeat_columns("size.tsv", "search.tsv") || cell["search"] == "broken") return
  repeat_columns("size.tsv", "size.tsv")
  if (cell["dram_share_percent"] != "") cell["search_holds"] = "dram_share"
}
