# SPDX-License-Identifier: MIT
# shellcheck shell=bash
# Far loads: the time that they should cost by the latencies of doctor --probe, against the CPU time that was seen.

# Print the table of a run's totals; nothing without latencies of its server, far loads, or a baseline.
# Usage: expected_tables RUN <TOTALS
# Globals: FORMAT, as figures_tables
expected_tables() {
  local -a files=("${1%/}"/env/*/memory.tsv) servers=("${1%/}"/env/*/tiers.tsv)
  # The latencies of several servers differ, and of some they may be unknown.
  [[ ${#servers[@]} == 1 && ${#files[@]} == 1 && -f ${files[0]} ]] || return 0
  { cat -- "${files[0]}" && cat; } | figures_run interval totals expected | figures_tables
}
