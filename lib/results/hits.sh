# SPDX-License-Identifier: MIT
# shellcheck shell=bash
# Throughput by hit ratio: a table of hit ratios and variants, and a note on the search for the keys.

# Print the tables of a run's totals; nothing if no result has a requested hit ratio.
# Usage: hits_tables RUN <TOTALS
# Globals: FORMAT, as figures_tables
hits_tables() {
  local file=${1%/}/hit.tsv
  [[ $file == /* ]] || file=./$file
  [[ -f $file ]] || file=/dev/null
  FOUND=$file figures_run interval schedule bound totals hits_table | figures_tables
}
