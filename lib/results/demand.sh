# SPDX-License-Identifier: MIT
# shellcheck shell=bash
# The load of a run: how concentrated the requests are on popular keys, and the sizes of values.

# Print the table of a run; nothing if all keys are equally likely and all values have one size.
# Usage: demand_tables RUN
# Globals: FORMAT, as figures_tables
demand_tables() {
  local file
  local -a files=()
  for file in "${1%/}"/*/*/rep-*/*/result.tsv; do
    [[ $file =~ /rep-[0-9]+/[^/]+/[^/]+$ && -f $file ]] || continue
    # A path must not look like an assignment or an option to awk.
    [[ $file == /* ]] || file=./$file
    files+=("$file")
  done
  ((${#files[@]} == 0)) || figures_run demand -- "${files[@]}" | figures_tables
}
