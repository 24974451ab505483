# SPDX-License-Identifier: MIT
# shellcheck shell=bash
# Throughput by the part of requests that DRAM serves: a table of hit ratios and variants, and how the keys for them were found.

# Print the tables of a run's totals; nothing when no hit ratio was asked for.
# Usage: hits_tables RUN <TOTALS
# Globals: FORMAT, as figures_tables
hits_tables() {
  local file=${1%/}/hit.tsv
  [[ $file == /* ]] || file=./$file
  [[ -f $file ]] || file=/dev/null
  FOUND=$file figures_run interval hits_table | figures_tables
}
