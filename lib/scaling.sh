# SPDX-License-Identifier: MIT
# shellcheck shell=bash
# How throughput grows with instances: the cookbook's tables, a row a number of instances, and where each curve bends.

# Print the tables and knees of a run; nothing when it has one number of instances.
# Usage: scaling_show RUN
# Globals: FORMAT, as figures_tables
scaling_show() {
  # What cannot be read whole was named with the result table.
  { result_rows "$1" 2>/dev/null || :; } | figures_run window | scaling_tables
}

# Print the same of what window.awk prints.
# Usage: scaling_tables <WINDOWS
# Globals: FORMAT, as figures_tables
scaling_tables() {
  figures_run interval scaling | figures_tables
}
