# SPDX-License-Identifier: MIT
# shellcheck shell=bash
# The noise of measurements that are alike: by what differs between them (tables/noise.awk), and what is recorded that explains it (tables/causes.awk).

# Print the noise of runs.
# Usage: noise_show WHAT FORMAT RUN...
#   WHAT is noise or causes; FORMAT is table, markdown, csv or json
# Returns: 1 if a result could not be read completely, or no measurement was repeated
noise_show() {
  local what=$1 format=$2 totals lines status=0
  shift 2
  totals=$(result_totals "$@") || status=1
  lines=$(result_usable <<<"$totals" | NOISE=all FORMAT=lines tables_make "$LIB/results/tables/$what.awk" "$@") || return 1
  [[ $lines == *$'\nrow\t'*$'\n'*$'\n'*$'\nrow\t'* ]] || die "no phase was measured twice; ./do_it.sh run -s noise measures what is needed"
  case $format in
    csv | json) sed -n $'s/^row\t//p' <<<"$lines" | figures_table "$format" ;;
    *) FORMAT=$format figures_tables <<<"$lines" ;;
  esac
  return "$status"
}
