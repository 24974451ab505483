#!/usr/bin/env bash
# SPDX-License-Identifier: MIT
# Summary: Prints the results of runs as CSV, one row a repeat, client and phase.
# Usage: summary2csv.sh [RUN_OR_FILE...] > results.csv
#
# RUN_OR_FILE is a folder under results/ (or a part of one), a folder of redis.log.* files, or such a file, also of the
# format the evaluation guide's program writes. Without an argument: the newest run in RESULTS_DIR (default: results/).
# Repeats that were not finished are left out. A file that cannot be read whole is named on stderr, every good row is
# printed all the same, and the exit status is 1; it is 2 for an unknown option.
set -Eeuo pipefail

# Reached through a link too, such as one in a folder of PATH.
here=$(cd -- "$(dirname -- "$(readlink -f -- "${BASH_SOURCE[0]}")")" && pwd)
# shellcheck source=lib/result.sh
. "$here/lib/result.sh"

main() {
  local newest
  case ${1-} in
    -h | --help)
      sed -n 's/^# \{0,1\}//; /^Summary:/,/^set /{/^set /!p}' "$here/summary2csv.sh"
      return 0
      ;;
    --) shift ;;
    -?*)
      printf 'summary2csv.sh: unknown option %s; --help says what there is\n' "$1" >&2
      return 2
      ;;
  esac
  if (($# == 0)); then
    if ! newest=$(result_newest); then
      printf 'summary2csv.sh: no run in %s yet; ./do_it.sh makes one\n' "${RESULTS_DIR:-results/}" >&2
      return 1
    fi
    set -- "$newest"
  fi
  result_csv "$@"
}

main "$@"
