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

# Print the key figures of one run; the header of this file is the help.
# Usage: cmd_kpi [ARGUMENT]...
cmd_kpi() {
  local path populate=''
  options_run "${BASH_SOURCE[0]}" --populate "$@" || return 0
  [[ $OPTIONS_GIVEN != *' --populate '* ]] || populate=yes
  path=$(compare_run "$OPTIONS_RUN") || exit
  RESULT_PROGRAM=kpi kpi_show "$path" "$populate" | stored_plain
}
