# SPDX-License-Identifier: MIT
# shellcheck shell=bash
# Working sets: what each phase touched in a while, and which ratio of DRAM to data that predicts to be enough.

# Print the table of totals; nothing when no working set was probed.
# Usage: working_tables <TOTALS
# Globals: FORMAT, as figures_tables
working_tables() {
  figures_run interval working | figures_tables
}
