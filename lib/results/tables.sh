# SPDX-License-Identifier: MIT
# shellcheck shell=bash
# The tables that only some runs have. Each is an awk program in lib/results/tables/, or lib/part/NAME/table.awk of a part. Its header has
#   # Table: PLACE            its place among the tables, a number that no other table has
#   # Needs: NAME...          programs of lib/results/figures/ that are loaded before it
#   # Files: PATTERN...       files of the run that it gets after the totals; there is no table without one of them
#   # Column: NAME            there is no table if no total has a value in this column
# It prints lines for figures_tables, or nothing.

# Print all tables of a run.
# Usage: tables_print RUN <TOTALS
# Globals: FORMAT, as figures_tables
# Returns: 1 if a table could not be made
tables_print() {
  local totals filled file line status=0 REPLY
  local -a place=() files
  totals=$(cat)
  filled=$(_tables_filled <<<"$totals")
  parts_files table.awk
  mapfile -t files <<<"${REPLY#$'\n'}"
  for file in "$LIB"/results/tables/*.awk "${files[@]}"; do
    while IFS= read -r line && [[ $line == '#'* ]]; do
      [[ $line != '# Table: '* ]] || place[${line#'# Table: '}]=$file
    done <"$file"
  done
  for file in "${place[@]}"; do
    tables_make "$file" "$1" "$filled" <<<"$totals" || status=1
  done
  return "$status"
}

# Print the names of the columns that have a value in a total.
# Usage: _tables_filled <TOTALS
_tables_filled() {
  awk -F '\t' '
    NR == 1 { n = split($0, name); next }
    { for (i = 1; i <= n; i++) if ($i != "") filled[i] = 1 }
    END { for (i in filled) printf "%s ", name[i] }'
}

# Print the tables of one program.
# Usage: tables_make FILE RUN [COLUMNS] <TOTALS
#   COLUMNS as _tables_filled prints them, if they are known
# Globals: FORMAT, as figures_tables; lines: print what the program prints and an empty line, for a later call of figures_tables
tables_make() {
  local line pattern
  local -a needs=() patterns=() files=()
  while IFS= read -r line && [[ $line == '#'* ]]; do
    case $line in
      '# Needs: '*) read -r -a needs <<<"${line#'# Needs: '}" ;;
      '# Files: '*) read -r -a patterns <<<"${line#'# Files: '}" ;;
      '# Column: '*) [[ " ${3-${line#'# Column: '}} " == *" ${line#'# Column: '} "* ]] || return 0 ;;
    esac
  done <"$1"
  for pattern in "${patterns[@]}"; do tables_files "$2" "$pattern"; done
  ((${#patterns[@]} == 0 || ${#files[@]} > 0)) || return 0
  if [[ ${FORMAT-} == lines ]]; then
    figures_run "${needs[@]}" -- -f "$1" - "${files[@]}" && echo
  else
    figures_run "${needs[@]}" -- -f "$1" - "${files[@]}" | figures_tables
  fi
}

# The paths of files of a run, of repeats only those that are complete.
# Usage: tables_files RUN PATTERN
# Returns: adds to files of the caller
tables_files() {
  local run=${1%/} file
  local -a found=()
  # A path must not look like an assignment or an option to awk.
  [[ $run == /* ]] || run=./$run
  # shellcheck disable=SC2231 # a pattern
  for file in "$run"/$2; do
    [[ ! -f $file || ${file#"$run"} =~ /rep-[0-9]*[^0-9/] ]] || found+=("$file")
  done
  ((${#found[@]} < 2)) || mapfile -t found < <(printf '%s\n' "${found[@]}" | LC_ALL=C sort -V)
  files+=("${found[@]}")
}
