# SPDX-License-Identifier: MIT
# shellcheck shell=bash
# Where a tier hurts: what is left of the baseline by the share of the data that DRAM holds, and by the order of keys.

# Print the tables of a run; nothing when it has one ratio of DRAM to data.
# Usage: ratio_show RUN
# Globals: FORMAT, as figures_tables
ratio_show() {
  # What cannot be read whole was named with the result table.
  { result_totals "$1" 2>/dev/null || :; } | ratio_tables
}

# Print the same of totals.
# Usage: ratio_tables <TOTALS
# Globals: FORMAT, as figures_tables
ratio_tables() {
  figures_run interval ratio | figures_tables
}
