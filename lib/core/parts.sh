# SPDX-License-Identifier: MIT
# shellcheck shell=bash
# The parts of a run: each feature is a directory lib/part/NAME. What it declares is in its part.tsv, rows KIND FIELD... (docs/parts.md).

PARTS=()                # in the order in which they begin
declare -A PART_ROWS=() # by part and kind, with a blank between them: the fields of its rows, one row per line

# Read what the parts declare, once.
# Usage: parts_read
# Returns: sets PARTS and PART_ROWS
parts_read() {
  local part kind fields
  ((${#PARTS[@]} == 0)) || return 0
  while read -r part || [[ -n $part ]]; do
    [[ -n $part && $part != '#'* ]] || continue
    PARTS+=("$part")
    [[ -e $LIB/part/$part/part.tsv ]] || continue
    while IFS=$'\t' read -r kind fields; do
      [[ -z $kind || $kind == '#'* ]] || PART_ROWS["$part $kind"]+=$fields$'\n'
    done <"$LIB/part/$part/part.tsv"
  done <"$LIB/part/list"
}

# The fields of the only row of a kind.
# Usage: parts_row PART KIND
# Returns: sets REPLY; 1 without such a row
parts_row() {
  REPLY=${PART_ROWS["$1 $2"]-}
  REPLY=${REPLY%%$'\n'*}
  [[ -n $REPLY ]]
}
