# SPDX-License-Identifier: MIT
# shellcheck shell=bash
# Run the awk programs of lib/results/figures/, which compute figures from rows, and print their tables and prose.

_FIGURES=$LIB/results/figures

# Run programs of lib/results/figures/ as one, together with text.awk and schema.awk. Numbers are the same in every locale.
# Usage: figures_run NAME... [-- ARGUMENT...]
#   ARGUMENT is for awk: a file, or a further program as -f FILE
# Returns: awk's status
figures_run() {
  local -a programs=(-f "$_FIGURES/text.awk" -f "$_FIGURES/schema.awk")
  while (($# > 0)) && [[ $1 != -- ]]; do
    programs+=(-f "$_FIGURES/$1.awk")
    shift
  done
  LC_ALL=C SCHEMA=$LIB/results/schema.tsv awk "${programs[@]}" "${@:2}"
}

# Print a table in the input form of render.awk.
# Usage: figures_table FORMAT <TABLE
#   FORMAT is table, markdown, csv, json or html
figures_table() {
  FORMAT=$1 figures_run render
}

# Print escaped lines as prose, each after PREFIX.
# Usage: figures_prose PREFIX [FORMAT] <LINES
#   FORMAT is table (default), markdown, html or json, which is an array of strings
figures_prose() {
  PREFIX=$1 FORMAT=${2:-table} figures_run prose
}

# Print several tables with their notes: lines `title TEXT`, then `row ...` for render.awk, then `note TEXT` if any. An empty line separates the
# tables of different programs.
# Usage: figures_tables <LINES
# Globals: FORMAT: table (default), markdown or html; lines: print LINES and an empty line, for a later call
figures_tables() {
  local line rows='' after='' title='\n%s\n\n' table='%s\n' note='%s\n'
  local -a lines
  if [[ ${FORMAT-} == lines ]]; then
    mapfile -t lines
    printf '%s\n' "${lines[@]}" ''
    return
  fi
  [[ ${FORMAT-} != html ]] || title='<h3>%s</h3>\n' table='<div class="wide">\n%s\n</div>\n' note='<p>%s</p>\n'
  while IFS= read -r line || [[ -n $rows ]]; do
    if [[ $line == row$'\t'* ]]; then
      rows+=${line#*$'\t'}$'\n'
      continue
    fi
    if [[ -n $rows ]]; then
      # shellcheck disable=SC2059 # one of those above
      printf "$table" "$(figures_table "${FORMAT:-table}" <<<"${rows%$'\n'}")"
      rows='' after=$'\n'
    fi
    # shellcheck disable=SC2059 # as above
    case $line in
      title$'\t'*) printf "$title" "$(figures_prose '' "${FORMAT:-table}" <<<"${line#*$'\t'}")" ;;
      note$'\t'*)
        printf "%s$note" "$after" "$(figures_prose '' "${FORMAT:-table}" <<<"${line#*$'\t'}")"
        after=''
        ;;
      '') after='' ;;
    esac
  done
}
