# SPDX-License-Identifier: MIT
# shellcheck shell=bash
# The noise of measurements that are alike, by what differs between them (tables/noise.awk).

# Print the components of the noise of runs.
# Usage: noise_show FORMAT RUN...
#   FORMAT is table, markdown, csv or json
# Returns: 1 if a result could not be read completely, or no measurement was repeated
noise_show() {
  local format=$1 totals lines status=0
  shift
  totals=$(result_totals "$@") || status=1
  lines=$(result_usable <<<"$totals" | NOISE=all FORMAT=lines tables_make "$LIB/results/tables/noise.awk" "$@") || return 1
  [[ $lines == *$'\nrow\t'*$'\n'*$'\n'*$'\nrow\t'* ]] || die "no phase was measured twice; ./do_it.sh run -s noise measures what is needed"
  case $format in
    csv | json) sed -n $'s/^row\t//p' <<<"$lines" | figures_table "$format" ;;
    *) FORMAT=$format figures_tables <<<"$lines" ;;
  esac
  return "$status"
}
