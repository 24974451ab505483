# SPDX-License-Identifier: MIT
# Make plots and one self-contained report.html of a run.
#
# Usage: ./do_it.sh report [--detail N] [--price TEXT] [RUN]
#
#   RUN           a run's directory, or its name under results/; default: the newest run
#   --detail N    draw latency by percentile, by thread and over time for at most N points (default 4), or all
#   --price TEXT  also the cost of memory within a limit of a search: prices of one GiB, such as 'dram=3.5 cxl=1.8 zram=dram nvme=0.08'
#
# Writes RUN/report.html, which needs no network and no other file, and RUN/plots/ with every plot as SVG and PNG.
# Prints the path of the page on stdout.
# Exit status: 0 done, 1 a result could not be read completely or a plot could not be drawn, 2 bad usage.
# shellcheck shell=bash

# Make plots and report.html of one run, and print the path of the page; the header of this file is the help.
# Usage: cmd_report [ARGUMENT]...
cmd_report() {
  local word='' path PLOT_DETAIL=4
  ! options_asked_help "${BASH_SOURCE[0]}" "$@" || return 0
  conf_environment
  conf_read
  while (($# > 0)); do
    case $1 in
      --detail | --price)
        (($# > 1)) || die_usage "command line: $1: the value is missing; ./do_it.sh report --help shows the options"
        _report_option "$1" "$2"
        shift
        ;;
      --detail=* | --price=*) _report_option "${1%%=*}" "${1#*=}" ;;
      -*) options_unknown "$1" "${BASH_SOURCE[0]}" ;;
      *)
        options_named "$1"
        [[ -z $word ]] || die_usage "command line: $1: too many arguments; accepted: one run (compare takes several)"
        word=$1
        ;;
    esac
    shift
  done
  command -v gnuplot >/dev/null || die "gnuplot is not installed (make deps)"
  path=$(compare_run "$word") || exit
  [[ -d $path ]] || die_usage "command line: $word: not a directory of results; ./do_it.sh list names runs"
  RESULT_PROGRAM=report report_make "$path"
}

# Take one option with its value.
# Usage: _report_option OPTION VALUE
# Returns: sets PLOT_DETAIL of the caller, or PRICES
_report_option() {
  if [[ $1 == --price ]]; then
    price_take "$2"
  elif [[ $2 =~ ^(all|[1-9][0-9]{0,3})$ ]]; then
    PLOT_DETAIL=$2
  else
    die_usage "command line: --detail=$2: invalid; accepted: a whole number from 1 to 9999, or all"
  fi
}
