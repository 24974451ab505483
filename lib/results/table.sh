# SPDX-License-Identifier: MIT
# shellcheck shell=bash
# Print tab-separated rows as an aligned table.

# Align the columns of the rows on stdin; a column of numbers, other than the first, is right-aligned.
# Usage: table_print <ROWS
table_print() {
  awk -F '\t' '
    {
      for (i = 1; i <= NF; i++) {
        cell[NR, i] = $i
        if (length($i) > width[i]) width[i] = length($i)
        if (i == 1 || NR > 1 && $i !~ /^[0-9,.%-]*$/) text[i] = 1
      }
      if (NF > columns) columns = NF
    }
    END {
      for (r = 1; r <= NR; r++) {
        line = ""
        for (i = 1; i <= columns; i++) {
          pad = sprintf("%" (width[i] - length(cell[r, i])) "s", "")
          line = line (i > 1 ? "  " : "") (text[i] ? cell[r, i] pad : pad cell[r, i])
        }
        sub(/ +$/, "", line)
        print line
      }
    }'
}

# Find the number of columns of stdout: COLUMNS if set, else the width of the terminal.
# Usage: table_width
# Returns: sets TABLE_WIDTH; 0: there is no limit
table_width() {
  TABLE_WIDTH=0
  if [[ ${COLUMNS-} =~ ^[1-9][0-9]{0,3}$ ]]; then
    TABLE_WIDTH=$COLUMNS
  elif [[ -t 1 ]]; then
    # In the substitution, stdout is the pipe to `read`.
    { read -r _ TABLE_WIDTH < <(stty size <&3 2>/dev/null) || TABLE_WIDTH=0; } 3>&1
  fi
}
