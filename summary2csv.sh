#!/usr/bin/env bash
# SPDX-License-Identifier: MIT
# Summary: Prints the results of runs as CSV, one row per repeat, client and phase.
# Usage: summary2csv.sh [--total] [--json | --excel[=POINT]] [RUN_OR_FILE...] > results.csv
#
#   --total  all clients together, one row per repeat and phase; percentiles come from merged histograms
#   --json   an array of objects with the same columns
#   --excel  for a spreadsheet that opens the file: with the decimal point of the locale, semicolons between columns if that is a comma, and a
#            byte order mark; --excel=, or --excel=. if the spreadsheet has another locale
#
# RUN_OR_FILE is a run's directory, a part of one, or its name under RESULTS_DIR (default: results/); a directory of redis.log.* files;
# or such a file, also of the format that the evaluation guide's program writes. Without an argument: the newest run in RESULTS_DIR.
# Unfinished repeats are left out. If a file cannot be read completely, a message on stderr names it, every valid row is printed, and the exit status
# is 1. The exit status is 2 for an unknown option.
set -Eeuo pipefail
# The decimal point of the locale, for --excel.
printf -v POINT %.1f 0
export POINT=${POINT:1:1}
# Numbers have a decimal point in every locale; a plain user's PATH may lack system tools.
export LC_ALL=C PATH=$PATH:/usr/local/sbin:/usr/sbin:/sbin

# The script may be called through a symbolic link, such as one in a directory of PATH.
ROOT=$(cd -- "$(dirname -- "$(readlink -f -- "${BASH_SOURCE[0]}")")" && pwd)
LIB=$ROOT/lib MODULES=results
# shellcheck source=lib/modules.sh
. "$LIB/modules.sh"

main() {
  local newest word path level=csv format=csv
  local -a paths=()
  while (($# > 0)); do
    case $1 in
      -h | --help)
        sed -n 's/^# \{0,1\}//; /^Summary:/,/^set /{/^set /!p}' "$ROOT/summary2csv.sh"
        return 0
        ;;
      --total) level=total ;;
      --json) format=json ;;
      --excel) format=excel ;;
      --excel=[.,]) format=excel POINT=${1#*=} ;;
      --)
        shift
        break
        ;;
      -?*)
        printf 'summary2csv.sh: command line: %s: unknown option; --help lists them\n' "$1" >&2
        return 2
        ;;
      *) break ;;
    esac
    shift
  done
  [[ -z ${TIERBENCH_RESULTS_DIR-} ]] || RESULTS_DIR=$TIERBENCH_RESULTS_DIR
  if (($# == 0)); then
    if ! newest=$(result_newest); then
      printf 'summary2csv.sh: RESULTS_DIR=%s: no run; name a run, or ./do_it.sh makes one\n' "${RESULTS_DIR:-results}" >&2
      return 1
    fi
    set -- "$newest"
  fi
  for word; do
    # A name that is not found is reported when it is read.
    path=$(compare_resolve "$word") || path=$word
    paths+=("$path")
  done
  set -- "${paths[@]}"
  if [[ $level == total ]]; then result_totals "$@"; else result_rows "$@"; fi | result_columns "$level" "$format"
}

main "$@"
