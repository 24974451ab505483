# SPDX-License-Identifier: MIT
# shellcheck shell=bash
# The answers of searches, for each phase and value size, with one column per variant: the max operations per second within each limit, and the min
# DRAM.

# Print the tables of a run's totals; nothing without a search.
# Usage: searched_tables RUN <TOTALS
# Globals: FORMAT, as figures_tables
searched_tables() {
  local totals status=0
  totals=$(cat)
  _searched_tables searched "$1" search.tsv <<<"$totals" || status=1
  _searched_tables sized "$1" size.tsv <<<"$totals" || status=1
  return "$status"
}

# Usage: _searched_tables PROGRAM RUN FILE <TOTALS
_searched_tables() {
  local -a files=()
  mapfile -t files < <(searched_files "$2" "$3")
  if ((${#files[@]} == 0)); then
    cat >/dev/null
  else
    figures_run interval found "$1" -- - "${files[@]}" | figures_tables
  fi
}

# Print the paths of the files NAME in all complete repeats of a run.
# Usage: searched_files RUN NAME
searched_files() {
  local file
  for file in "${1%/}"/*/*/rep-*/"$2"; do
    [[ ! $file =~ /rep-[0-9]+/[^/]*$ || ! -f $file ]] || printf '%s\n' "$(_searched_path "$file")"
  done | LC_ALL=C sort -V
}

# Print a path so that awk does not read it as an assignment or an option.
# Usage: _searched_path PATH
_searched_path() {
  if [[ $1 == /* ]]; then printf '%s\n' "$1"; else printf './%s\n' "$1"; fi
}
