# SPDX-License-Identifier: MIT
# shellcheck shell=bash
# Run the awk programs of lib/results/figures/, which compute figures from rows, and print their tables and prose.

_FIGURES=$LIB/results/figures

# Run programs of lib/results/figures/ as one, together with text.awk, schema.awk and stored.awk. Numbers are the same in every locale.
# Usage: figures_run NAME... [-- ARGUMENT...]
#   ARGUMENT is for awk: a file, or a further program as -f FILE
# Returns: awk's status
figures_run() {
  local REPLY
  local -a programs=(-f "$_FIGURES/text.awk" -f "$_FIGURES/schema.awk" -f "$_FIGURES/stored.awk")
  while (($# > 0)) && [[ $1 != -- ]]; do
    programs+=(-f "$_FIGURES/$1.awk")
    shift
  done
  parts_columns
  LC_ALL=C SCHEMA=$REPLY awk "${programs[@]}" "${@:2}"
}

# Print a table in the input form of render.awk.
# Usage: figures_table FORMAT <TABLE
#   FORMAT is table, markdown, csv, excel, json or html
# Globals: POINT, the decimal point of excel
figures_table() {
  FORMAT=$1 figures_run render
}

# Print escaped lines as prose, each after PREFIX.
# Usage: figures_prose PREFIX [FORMAT] <LINES
#   FORMAT is table (default), markdown or json, which is an array of strings
figures_prose() {
  PREFIX=$1 FORMAT=${2:-table} figures_run prose
}

# Print several tables with their notes: lines `title TEXT`, then `row ...` for render.awk, then `note TEXT` if any. An empty line separates the
# tables of different programs.
# Usage: figures_tables <LINES
# Globals: FORMAT: table (default), markdown or html, which are blocks of the report
figures_tables() {
  local line rows='' after='' FORMAT=${FORMAT:-table}
  while IFS= read -r line || [[ -n $rows ]]; do
    if [[ $line == row$'\t'* ]]; then
      rows+=${line#*$'\t'}$'\n'
      continue
    fi
    if [[ -n $rows ]]; then
      _figures_part table "${rows%$'\n'}"
      rows='' after=$'\n'
    fi
    case $line in
      title$'\t'*) _figures_part title "${line#*$'\t'}" ;;
      note$'\t'*)
        printf '%s' "$after"
        _figures_part note "${line#*$'\t'}"
        after=''
        ;;
      '') after='' ;;
    esac
  done
}

# Print a part of figures_tables.
# Usage: _figures_part title|table|note TEXT
# Globals: FORMAT
_figures_part() {
  case $FORMAT:$1 in
    html:table) template_print table -- figures_table html <<<"$2" ;;
    html:*) template_print "$1" text="$(figures_prose '' <<<"$2")" ;;
    *:table) figures_table "$FORMAT" <<<"$2" ;;
    *:title) printf '\n%s\n\n' "$(figures_prose '' "$FORMAT" <<<"$2")" ;;
    *:note) figures_prose '' "$FORMAT" <<<"$2" ;;
  esac
}
