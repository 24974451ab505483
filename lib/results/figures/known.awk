# SPDX-License-Identifier: MIT
# Whether compare accepts an argument: KIND (in the environment) is metric or condition, and the exit status says whether WORD is valid;
# list prints the names of metrics; alike says whether the same direction is better for all metrics in WORD, one per line. Loaded after metric.awk.

BEGIN {
  metric_init()
  if (ENVIRON["KIND"] == "list") {
    for (i = 1; i <= metrics_known; i++) line = line (i > 1 ? " " : "") metric_names[i]
    print line
    exit 0
  }
  if (ENVIRON["KIND"] == "alike") {
    for (n = split(ENVIRON["WORD"], word, "\n"); n > 0; n--) directions[metric_direction[metric_name(word[n] "")]]
    exit (1 in directions) && (-1 in directions)
  }
  exit ENVIRON["KIND"] == "metric" ? metric_name(ENVIRON["WORD"]) == "" : !metric_rule(ENVIRON["WORD"], rule)
}
