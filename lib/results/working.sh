# SPDX-License-Identifier: MIT
# shellcheck shell=bash
# Working sets: the memory that each phase touched in a time, and the ratio of DRAM to data that this predicts to be enough.

# Print the table of totals; nothing when no working set was probed.
# Usage: working_tables <TOTALS
# Globals: FORMAT, as figures_tables
working_tables() {
  figures_run interval working | figures_tables
}
