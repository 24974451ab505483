# SPDX-License-Identifier: MIT
# Whether compare accepts an argument: KIND (in the environment) is metric or condition, and the exit status says whether WORD is valid;
# list prints the names of metrics. Loaded after metric.awk.

BEGIN {
  metric_init()
  if (ENVIRON["KIND"] == "list") {
    for (i = 1; i <= metrics_known; i++) line = line (i > 1 ? " " : "") metric_names[i]
    print line
    exit 0
  }
  exit ENVIRON["KIND"] == "metric" ? metric_name(ENVIRON["WORD"]) == "" : !metric_rule(ENVIRON["WORD"], rule)
}
