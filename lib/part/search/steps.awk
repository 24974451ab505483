# SPDX-License-Identifier: MIT
# Read steps.tsv and print the next step of the search, as returned by search_next of search.awk. Environment: PHASE, whose rows count; LIMITS SEARCH
# SEARCH_STEP SEARCH_SURE SEARCH_STEPS, as in master.sh; MOST, the number of connections; TURN, the number of the limit at the gate, from 1.

BEGIN {
  FS = OFS = "\t"
  search_begin(ENVIRON["LIMITS"], ENVIRON["SEARCH"], ENVIRON["SEARCH_STEP"] + 0, ENVIRON["SEARCH_SURE"] + 0, ENVIRON["SEARCH_STEPS"], ENVIRON["MOST"])
}

FNR == 1 {
  for (i = 1; i <= NF; i++) at[$i] = i
  next
}

$at["phase"] == ENVIRON["PHASE"] {
  for (i = 1; i <= metrics_known; i++)
    if (metric_column[metric_names[i]] in at) figure[rows + 1, metric_names[i]] = $at[metric_column[metric_names[i]]]
  search_add($at["kind"], $at["limit"], $at[by_dram ? "dram_share_percent" : by_rate ? "rate" : "connections"], $at["try"], $at["counts"] + 0, $at["client_limited"] + 0,
    $at["answered_percent"] >= 99 && $at["errors"] == 0 && $at["unsent"] == 0, $at["ops_per_sec"],
    ("lost" in at) && $at["lost"] != "-" ? $at["lost"] : "")
}

END { print search_next(ENVIRON["TURN"] + 0) }
