# SPDX-License-Identifier: MIT
# shellcheck shell=bash
# The effect of a tier: throughput in % of the baseline by the share of the data in DRAM, and by the order of keys.

# Print the tables of totals; nothing if they have only one ratio of DRAM to data.
# Usage: ratio_tables <TOTALS
# Globals: FORMAT, as figures_tables
ratio_tables() {
  figures_run interval bound totals ratio | figures_tables
}
