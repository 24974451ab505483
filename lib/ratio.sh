# SPDX-License-Identifier: MIT
# shellcheck shell=bash
# Where a tier hurts: what is left of the baseline by the share of the data that DRAM holds, and by the order of keys.

# Print the tables of a run; nothing when it has one ratio of DRAM to data.
# Usage: ratio_show RUN
# Globals: LIB; FORMAT, as render.awk takes it (default: table)
ratio_show() {
  local line rows='' FORMAT=${FORMAT:-table}
  export FORMAT
  while IFS= read -r line; do
    if [[ $line == row$'\t'* ]]; then
      rows+=${line#row$'\t'}$'\n'
    else
      _ratio_rows "$rows"
      rows=''
      printf '\n%s\n\n' "${line#title$'\t'}"
    fi
  done < <(result_totals "$1" 2>/dev/null | LC_ALL=C awk -f "$LIB/text.awk" -f "$LIB/interval.awk" -f "$LIB/ratio.awk")
  _ratio_rows "$rows"
}

_ratio_rows() {
  [[ -n $1 ]] || return 0
  printf '%s' "$1" | LC_ALL=C awk -f "$LIB/text.awk" -f "$LIB/render.awk"
}
