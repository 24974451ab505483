# SPDX-License-Identifier: MIT
# shellcheck shell=bash
# The noise of measurements that are alike: by what differs between them (tables/noise.awk), what is recorded that explains it (tables/causes.awk), and
# what planned repeats find in spite of it (tables/power.awk).

# Print the noise of runs.
# Usage: noise_show WHAT FORMAT RUN...
#   WHAT is noise or causes; FORMAT is table, markdown, csv or json
# Returns: 1 if a result could not be read completely, or no measurement was repeated
noise_show() {
  local what=$1 format=$2 totals lines status=0
  shift 2
  totals=$(result_totals "$@") || status=1
  lines=$(result_usable <<<"$totals" | NOISE=all FORMAT=lines tables_make "$LIB/results/tables/$what.awk" "$1") || return 1
  [[ $lines == *$'\nrow\t'*$'\n'*$'\n'*$'\nrow\t'* ]] || die "no phase was measured twice; ./do_it.sh run -s noise measures what is needed"
  case $format in
    csv | json) sed -n $'s/^row\t//p' <<<"$lines" | figures_table "$format" ;;
    *) FORMAT=$format figures_tables <<<"$lines" ;;
  esac
  return "$status"
}

# Print what planned repeats can find, by the noise of an earlier run.
# Usage: noise_power RUN
# Globals: SMALLEST REDISRUNS TIME of the plan
# Returns: 1 if the run could not be read
noise_power() {
  local run=${1%/}
  result_totals "$run" | result_usable |
    NOISE=all FROM=${run##*/} SMALLEST=$SMALLEST REDISRUNS=$REDISRUNS TIME=$TIME tables_make "$LIB/results/tables/power.awk" "$run"
}

# Print the newest run of the scenario on the server, with three starts of a point or more.
# Usage: noise_earlier
# Globals: SCENARIO SERVER, which the run had; RESULTS_DIR
# Returns: 1 without such a run
noise_earlier() {
  local folder=${RESULTS_DIR:-$ROOT/results} run point start starts most found=''
  for run in "${folder%/}"/[0-9]*/; do
    most=0
    for point in "$run"*/*/; do
      starts=0
      for start in "$point"rep-*; do [[ ! -d $start || ${start##*/} == rep-*[!0-9]* ]] || starts=$((starts + 1)); done
      ((starts <= most)) || most=$starts
    done
    [[ $most -ge 3 && -f ${run}settings.tsv && ! -L ${run}settings.tsv ]] || continue
    # Names begin with the time of the start.
    ! SCENARIO=$SCENARIO SERVER=$SERVER awk -F '\t' '
      $1 == "-" && $2 == "-" && ($3 == "SCENARIO" || $3 == "SERVER") { same += $4 == ENVIRON[$3] }
      END { exit same != 2 }' "${run}settings.tsv" || found=${run%/}
  done
  [[ -n $found ]] && printf '%s\n' "$found"
}

# Print how many pairs of trials of `ab` find a difference, by the noise of earlier runs: the line `pairs N`, then lines for figures_tables.
# Usage: noise_trials SMALLEST REDISRUNS TIME PAIRS RUN...
#   PAIRS is their number, or empty
# Returns: 1 if a result could not be read completely, or no measurement was repeated
noise_trials() {
  local totals status=0
  totals=$(result_totals "${@:5}") || status=1
  result_usable <<<"$totals" |
    NOISE=all FORMAT=lines SMALLEST=$1 REDISRUNS=$2 TIME=$3 PAIRS=$4 tables_make "$LIB/results/tables/trials.awk" "$5" || status=1
  return "$status"
}
