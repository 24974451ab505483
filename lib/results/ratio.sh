# SPDX-License-Identifier: MIT
# shellcheck shell=bash
# Where a tier hurts: the remaining part of the baseline by the share of the data that DRAM holds, and by the order of keys.

# Print the tables of totals; nothing when they have one ratio of DRAM to data.
# Usage: ratio_tables <TOTALS
# Globals: FORMAT, as figures_tables
ratio_tables() {
  figures_run interval ratio | figures_tables
}
