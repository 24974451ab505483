# SPDX-License-Identifier: MIT
# shellcheck shell=bash
# Tables whose first line has the names of the columns: cells are read and written by name.

# Print columns of each row, joined with blanks; ? for a column that is not there.
# Usage: cells [-c] [-o BETWEEN] [-w NAME=VALUE] NAME[ NAME]... [FILE...]   Returns: 0
#   -c: the table is CSV; -o: in place of the blanks; -w: only rows with this cell
cells() {
  local separator=$'\t' between=' ' where=''
  while [[ $1 == -* ]]; do
    case $1 in
      -c) separator=, ;;
      -o)
        between=$2
        shift
        ;;
      -w)
        where=$2
        shift
        ;;
    esac
    shift
  done
  awk -F "$separator" -v names="$1" -v between="$between" -v where="${where%%=*}" -v is="${where#*=}" '
    BEGIN { n = split(names, name, " ") }
    FNR == 1 {
      split("", at)
      for (i = 1; i <= NF; i++) at[$i] = i
      next
    }
    where == "" || where in at && $at[where] "" == is {
      for (i = 1; i <= n; i++) printf "%s%s", (name[i] in at) ? $at[name[i]] : "?", i < n ? between : "\n"
    }' "${@:2}"
}

# Write cells of a table; a column that is not there is added.
# Usage: cells_set FILE NAME=VALUE|"" CELL=VALUE...   Returns: 0
#   NAME=VALUE: only in rows with this cell
cells_set() {
  local file=$1 where=$2 cell
  shift 2
  for cell; do
    awk -F '\t' -v OFS='\t' -v where="${where%%=*}" -v is="${where#*=}" -v name="${cell%%=*}" -v value="${cell#*=}" '
      NR == 1 {
        for (i = 1; i <= NF; i++) at[$i] = i
        if (!(name in at)) $(at[name] = NF + 1) = name
      }
      NR > 1 && (where == "" || where in at && $at[where] "" == is) { $at[name] = value }
      { print }' "$file" >"$file.new"
    mv "$file.new" "$file"
  done
}
