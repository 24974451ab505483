# SPDX-License-Identifier: MIT
# shellcheck shell=bash
# The end of a run: its tables and its verdict. The report uses the same results, which are read once.

# Print the tables of a run, and keep the results in DATA for report_make.
# Usage: ending_show RUN DATA
# Returns: 1 if a result could not be read completely
ending_show() {
  local data=$2 text status=0
  report_read "$1" "$data" || status=1
  cat -- "$data/problems" >&2
  report_settings "$1"
  text=$(_ending_text "$1" "$data") || status=1
  # In one write, so that a full output gives one error line.
  { printf '%s\n' "$text"; } 2>/dev/null || {
    log_warn "cannot write the tables; is the disk full, or the pipe closed?"
    status=1
  }
  return "$status"
}

# Print every repeat, and then what a user reads first: warnings, the answer, and the tables behind it.
# Usage: _ending_text RUN DATA
# Returns: 1 if a table could not be made
_ending_text() {
  local data=$2 warnings status=0
  result_table <"$data/totals" || status=1
  warnings=$(report_warnings "$1" "$data" short | stored_plain)
  printf '%s\n' "${warnings:+$'\n'warning: ${warnings//$'\n'/$'\n'warning: }$'\n'}"
  report_answer "$data"
  _ending_compare "$(<"$data/sections")"
  figures_tables <"$data/tables" || status=1
  return "$status"
}

# With several variants: the other variants compared with the first, and figures that the guide does not have.
# Usage: _ending_compare SECTIONS
_ending_compare() {
  local REPLY TITLE
  [[ $1 == *$'\nrows\t'* ]] || return 0
  compare_shown "$1"
  printf '\n%s\n\n' "$TITLE"
  compare_section "$REPLY" table <<<"$1"
}
