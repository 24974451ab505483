# SPDX-License-Identifier: MIT
# shellcheck shell=bash
# Throughput by number of instances: the cookbook's tables, one row per number of instances, and the knee of each curve.

# Print the tables and knees of totals; nothing if they have only one number of instances.
# Usage: scaling_tables <TOTALS
# Globals: FORMAT, as figures_tables
scaling_tables() {
  figures_run interval bound totals scaling | figures_tables
}
