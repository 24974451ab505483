# SPDX-License-Identifier: MIT
# shellcheck shell=bash
# Working sets: the memory that each phase touched in a given time, and the predicted sufficient ratio of DRAM to data.

# Print the table of totals; nothing if no working set was probed.
# Usage: working_tables <TOTALS
# Globals: FORMAT, as figures_tables
working_tables() {
  figures_run interval totals working | figures_tables
}
