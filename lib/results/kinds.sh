# SPDX-License-Identifier: MIT
# shellcheck shell=bash
# What mixed phases came to by command: for each phase and point, commands and variants beside each other.

# Print the tables of a run's totals; nothing when no phase sent a mix of commands.
# Usage: kinds_tables RUN <TOTALS
# Globals: FORMAT, as figures_tables
kinds_tables() {
  local file
  local -a files=()
  for file in "${1%/}"/*/*/rep-*/*/*.commands.tsv; do
    [[ $file =~ /rep-[0-9]+/[^/]+/[^/]+$ && -f $file ]] || continue
    # No awk may take a path for an assignment or an option.
    [[ $file == /* ]] || file=./$file
    files+=("$file")
  done
  if ((${#files[@]} == 0)); then
    cat >/dev/null
  else
    figures_run interval kinds -- - "${files[@]}" | figures_tables
  fi
}
