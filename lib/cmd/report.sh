# SPDX-License-Identifier: MIT
# Make plots and one self-contained report.html of a run.
#
# Usage: ./do_it.sh report [--detail N] [RUN]
#
#   RUN         a run's directory, or its name under results/; default: the newest run
#   --detail N  draw latency by percentile, by thread and over time for at most N points (default 4), or all
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
  conf_resolve
  while (($# > 0)); do
    case $1 in
      --detail | --detail=*)
        if [[ $1 == --detail ]]; then
          (($# > 1)) || die_usage "command line: --detail: the value is missing; accepted: a number, or all"
          shift
        fi
        PLOT_DETAIL=${1#--detail=}
        [[ $PLOT_DETAIL =~ ^(all|[1-9][0-9]{0,3})$ ]] || die_usage "command line: --detail=$PLOT_DETAIL: invalid; accepted: a whole number from 1 to 9999, or all"
        ;;
      -*)
        nearest_option "$1" "${BASH_SOURCE[0]}"
        die_usage "command line: $1: unknown option; $REPLY"
        ;;
      *)
        [[ -n $1 ]] || die_usage "command line: RUN: empty; name a run, or leave it out for the newest one"
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
