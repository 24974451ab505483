# SPDX-License-Identifier: MIT
# Print a run's key figures in the form of the Redis-Memtier workload, and the same figures for all requests together.
#
# Usage: ./do_it.sh kpi [--populate] [RUN]
#
#   RUN         a run's directory, or a part of one; default: the newest run
#   --populate  list the populate phase too
#
# For each repeat and measured phase: a block of lines per instance; the workload's totals, whose P99 is the mean of the instances'
# P99; then the totals of all requests, whose percentiles come from merged histograms. KB/s counts the bytes of commands and
# replies. An asterisk marks the primary figure.
# Exit status: 0 done, 1 a result could not be read completely or has no figures of its instances, 2 bad usage.
# shellcheck shell=bash

cmd_kpi() {
  local word='' path populate=''
  ! options_asked_help "${BASH_SOURCE[0]}" "$@" || return 0
  conf_environment
  conf_resolve
  while (($# > 0)); do
    case $1 in
      --populate) populate=yes ;;
      -*) die_usage "command line: $1: unknown option; ./do_it.sh kpi --help lists them" ;;
      *)
        [[ -z $word ]] || die_usage "command line: $1: too many arguments; accepted: one run"
        word=$1
        ;;
    esac
    shift
  done
  path=$(compare_run "$word") || exit
  RESULT_PROGRAM=kpi kpi_show "$path" "$populate"
}
