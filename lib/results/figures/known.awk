# SPDX-License-Identifier: MIT
# What a user may ask compare about: KIND (in the environment) is metric or condition, and the exit status says whether WORD is such; list
# prints the names of metrics. Loaded behind metric.awk.

BEGIN {
  metric_init()
  if (ENVIRON["KIND"] == "list") {
    for (i = 1; i <= metrics_known; i++) line = line (i > 1 ? " " : "") metric_names[i]
    print line
    exit 0
  }
  exit ENVIRON["KIND"] == "metric" ? metric_name(ENVIRON["WORD"]) == "" : !metric_rule(ENVIRON["WORD"], rule)
}
