# SPDX-License-Identifier: MIT
# shellcheck shell=bash
# The end of a run: its tables and its verdict. The report uses the same results, which are read once.

# Print the tables of a run, and keep the results in DATA for report_make.
# Usage: ending_show RUN DATA
# Globals: VARIANTS
# Returns: 1 if a result could not be read completely
ending_show() {
  local data=$2 text status=0
  report_read "$1" "$data" || status=1
  cat -- "$data/problems" >&2
  text=$(_ending_text "$data") || status=1
  # In one write, so that a full output gives one error line.
  { printf '%s\n' "$text"; } 2>/dev/null || {
    log_warn "cannot write the tables; is the disk full, or the pipe closed?"
    status=1
  }
  return "$status"
}

# Print the tables and the verdict.
# Usage: _ending_text DATA
# Returns: 1 if a table could not be made
_ending_text() {
  local data=$1 status=0
  result_table <"$data/totals" || status=1
  _ending_compare "$data/sections"
  _ending_alarms "$data/totals"
  figures_tables <"$data/tables" || status=1
  _ending_verdict "$data"
  return "$status"
}

# With several variants: the guide's Table 1, with the other variants compared with the first, and below it figures that the guide does not have.
_ending_compare() {
  grep $'^rows\t' "$1" >/dev/null || return 0
  printf '\nEach repeat against %s\n\n' "${VARIANTS%% *}"
  compare_section repeats table <"$1"
  printf '\nMedian of repeats against %s\n\n' "${VARIANTS%% *}"
  compare_section rows table <"$1"
}

# Warn about results that do not show what was asked: discarded ones, and loads that were not reached.
_ending_alarms() {
  local line
  while IFS= read -r line; do log_warn "$line"; done < <(figures_run bound report <"$1" | compare_prose alarm '')
}

# The run's summary in words: the verdict of a comparison, or the figures of a single variant.
_ending_verdict() {
  local verdict
  verdict=$(compare_prose verdict '' <"$1/sections")
  [[ -n $verdict ]] || verdict=$(report_summary <"$1/totals") || :
  [[ -z $verdict ]] || printf '\n%s\n' "$verdict"
}
