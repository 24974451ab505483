# SPDX-License-Identifier: MIT
# shellcheck shell=bash
# How throughput grows with instances: the cookbook's tables, a row a number of instances, and where each curve bends.

_SCALING_LIB=$(cd -- "$(dirname -- "${BASH_SOURCE[0]}")" && pwd)

# Print what was reached in the window in which every generator was running, a line a repeat and phase (see window.awk).
# Usage: scaling_windows RUN...
scaling_windows() {
  result_rows "$@" 2>/dev/null | LC_ALL=C awk -f "$_SCALING_LIB/text.awk" -f "$_SCALING_LIB/window.awk"
}

# Print the tables and knees of a run; nothing when it has one number of instances.
# Usage: scaling_show RUN
# Globals: FORMAT, as render.awk takes it (default: table)
scaling_show() {
  local line rows='' FORMAT=${FORMAT:-table}
  export FORMAT
  while IFS= read -r line; do
    if [[ $line == row$'\t'* ]]; then
      rows+=${line#row$'\t'}$'\n'
      continue
    fi
    _scaling_rows "$rows"
    rows=''
    [[ $line != table$'\t'* ]] || printf '\n'
    compare_prose "${line%%$'\t'*}" '' <<<"$line"
    [[ $line != table$'\t'* ]] || printf '\n'
  done < <(scaling_windows "$1" | LC_ALL=C awk -f "$_SCALING_LIB/text.awk" -f "$_SCALING_LIB/interval.awk" -f "$_SCALING_LIB/scaling.awk")
}

_scaling_rows() {
  [[ -n $1 ]] || return 0
  printf '%s' "$1" | LC_ALL=C awk -f "$_SCALING_LIB/text.awk" -f "$_SCALING_LIB/render.awk"
  printf '\n'
}
