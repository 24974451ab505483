# SPDX-License-Identifier: MIT
# shellcheck shell=bash
# Figures for other programs: a run of one variant as JSON, totals and time series as OpenMetrics text; for CI, rules as JUnit's XML and figures for
# github-action-benchmark.

# Print the totals of runs as OpenMetrics text, or with `series` their time series.
# Usage: export_openmetrics totals|series RUN...
# Returns: 1 if a result could not be read completely
export_openmetrics() {
  local what=$1 rows status=0 SERIES=''
  if [[ $what == series ]]; then
    SERIES=yes
    rows=$(result_rows "${@:2}") || status=1
  else
    rows=$(result_totals "${@:2}") || status=1
  fi
  RESULT_TOLD=yes result_usable <<<"$rows" | SERIES=$SERIES figures_run openmetrics || status=1
  return "$status"
}

# Print a run of one variant as one JSON object: its totals, the summary as text, the warnings, and the notes of compare.
# Usage: export_json RUN <SECTIONS
#   SECTIONS as compare_sections prints them
# Returns: 1 if a result could not be read completely, or there is no result
export_json() {
  local totals sections status=0
  sections=$(cat)
  totals=$(result_totals "$1") || status=1
  (($(wc -l <<<"$totals") > 1)) || return 1
  printf '{"totals": '
  figures_run bound table <<<"$totals" | figures_table json
  printf ', "summary": '
  figures_run bound report <<<"$totals" | compare_prose summary '' json
  printf ', "warnings": '
  figures_run bound report <<<"$totals" | compare_prose warning '' json
  printf ', "notes": '
  compare_prose notes '' json <<<"$sections"
  printf '}\n'
  return "$status"
}

# Print figures of a run as JSON for github-action-benchmark.
# Usage: export_benchmark RUN
# Globals: METRICS, one name per line, of the same direction
# Returns: 1 if a result could not be read completely, or no result has the figures
export_benchmark() {
  local totals status=0
  totals=$(result_totals "$1") || status=1
  RESULT_TOLD=yes result_usable <<<"$totals" | METRICS=$METRICS figures_run interval bound metric totals benchmark || status=1
  return "$status"
}

# Print the rules of a comparison as JUnit's XML, with its tables as the output of the test.
# Usage: export_junit REPEATS_ONLY SECTIONS
# Globals: FAIL_IFS
export_junit() {
  {
    printf '%s\n' "$2"
    ! grep -q $'^rows\t' <<<"$2" || compare_people table "$1" "$2" | sed $'s/^/out\t/'
  } | FAIL_IFS=$FAIL_IFS NOW=$(date -u +%FT%T) figures_run junit
}
