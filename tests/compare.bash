# SPDX-License-Identifier: MIT
# shellcheck shell=bash
# Runs with known figures to compare, and the output of compare for them. Load it after logs.

# Make a run of two variants with the given p50 and REPEATS repeats: run_make NAME REPEATS P50 P50_OTHER SECONDS SECONDS_OTHER
run_make() {
  local repeat
  for ((repeat = 1; repeat <= $2; repeat++)); do
    repeat_make "$1" native 1000B-4i "$repeat" c 1000 500000 4 $(($3 + repeat % 2)) $(($3 * 4)) "set:$5"
    repeat_make "$1" swap 1000B-4i "$repeat" c 1000 500000 4 $(($4 + repeat % 2)) $(($4 * 4)) "set:$6"
  done
  printf 'SCENARIO=x\nVARIANTS="native swap"\n' >"$1/run.conf"
  settings_make "$1"
}

# Write VALUE into a column of one result.tsv of run_make: result_set RUN VARIANT REPEAT COLUMN VALUE
result_set() {
  cells_set "$1/$2/1000B-4i/rep-$3/c/result.tsv" '' "$4=$5"
}

# Write the outcome of a search for a load, or for DRAM if it has a SHARE, into repeats of run_make. VARIANTS and REPEATS are patterns.
# Usage: search_set RUN VARIANTS REPEATS OUTCOME [SHARE]
search_set() {
  local folder
  # shellcheck disable=SC2231 # patterns
  for folder in "$1"/$2/1000B-4i/rep-$3; do
    if [[ $# == 5 ]]; then
      printf 'phase\tlimit\tsearch\tdram_share_percent\nset\tp99<=1ms\t%s\t%s\n' "$4" "$5" >"$folder/size.tsv"
    else
      printf 'phase\tlimit\tsearch\nset\tp99<=1ms\t%s\n' "$4" >"$folder/search.tsv"
    fi
  done
}

compare() { "$REPO/do_it.sh" compare "$@"; }

# Print columns of the comparison's CSV for a metric, joined with `|`: figure METRIC COLUMN[,COLUMN]... RUN...
figure() {
  local metric=$1 name=$2
  shift 2
  compare --format csv --metric "$metric" "$@" 2>/dev/null |
    cells -c -o '|' "${name//,/ }"
}
