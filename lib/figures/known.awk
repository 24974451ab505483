# SPDX-License-Identifier: MIT
# Exits 0 when WORD (in the environment) is the name of a figure, or with KIND condition a condition such as p99<=1ms.

BEGIN {
  metric_init()
  exit !(ENVIRON["KIND"] == "metric" ? metric_name(ENVIRON["WORD"]) != "" : metric_rule(ENVIRON["WORD"], rule))
}
