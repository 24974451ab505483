# SPDX-License-Identifier: MIT
# shellcheck shell=bash
# Policies against DRAM alone: throughput by variant and by cold memory in front of the instances, and where their memory is.

# Print the tables of totals; nothing when COLD_MEMORY was not swept.
# Usage: policies_tables <TOTALS
# Globals: FORMAT, as figures_tables
policies_tables() {
  figures_run interval bound totals policies | figures_tables
}
