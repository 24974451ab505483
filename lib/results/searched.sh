# SPDX-License-Identifier: MIT
# shellcheck shell=bash
# The answers of searches, for each phase and value size, with one column per variant: the max operations per second within each limit, and the min
# DRAM.

# Print the tables of a run's totals; nothing without a search.
# Usage: searched_tables RUN <TOTALS
# Globals: FORMAT, as figures_tables
searched_tables() {
  local totals status=0
  local -a searched sized
  mapfile -t searched < <(searched_files "$1" search.tsv)
  mapfile -t sized < <(searched_files "$1" size.tsv)
  ((${#searched[@]} + ${#sized[@]} > 0)) || return 0
  totals=$(cat)
  _searched_tables searched "${searched[@]}" <<<"$totals" || status=1
  _searched_tables sized "${sized[@]}" <<<"$totals" || status=1
  return "$status"
}

# Print the tables of one kind of search, by its program in lib/results/figures; nothing without files.
# Usage: _searched_tables PROGRAM [FILE]... <TOTALS
_searched_tables() {
  (($# == 1)) || figures_run interval bound found "$1" -- - "${@:2}" | figures_tables
}

# Print the paths of the files NAME in all complete repeats of a run.
# Usage: searched_files RUN NAME
searched_files() {
  local file
  local -a files=()
  for file in "${1%/}"/*/*/rep-*/"$2"; do
    [[ $file =~ /rep-[0-9]+/[^/]*$ && -f $file ]] || continue
    # A path must not look like an assignment or an option to awk.
    [[ $file == /* ]] || file=./$file
    files+=("$file")
  done
  ((${#files[@]} == 0)) || printf '%s\n' "${files[@]}" | LC_ALL=C sort -V
}
