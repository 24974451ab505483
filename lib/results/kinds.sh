# SPDX-License-Identifier: MIT
# shellcheck shell=bash
# Results of mixed phases by command: for each phase and point, one row per command and one column per variant.

# Print the tables of a run's totals; nothing if no phase sent a mix of commands.
# Usage: kinds_tables RUN <TOTALS
# Globals: FORMAT, as figures_tables
kinds_tables() {
  local file
  local -a files=()
  for file in "${1%/}"/*/*/rep-*/*/*.commands.tsv; do
    [[ $file =~ /rep-[0-9]+/[^/]+/[^/]+$ && -f $file ]] || continue
    # A path must not look like an assignment or an option to awk.
    [[ $file == /* ]] || file=./$file
    files+=("$file")
  done
  ((${#files[@]} == 0)) || figures_run interval histogram totals kinds -- - "${files[@]}" | figures_tables
}
