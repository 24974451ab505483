# SPDX-License-Identifier: MIT
# shellcheck shell=bash
# How throughput grows with instances: the cookbook's tables, one row per number of instances, and the knee of each curve.

# Print the tables and knees of totals; nothing when they have one number of instances.
# Usage: scaling_tables <TOTALS
# Globals: FORMAT, as figures_tables
scaling_tables() {
  figures_run interval scaling | figures_tables
}
