# SPDX-License-Identifier: MIT
# Print why measurements that are alike differ: how much comes from runs, starts of the instances, phases and seconds.
#
# Usage: ./do_it.sh noise [--causes] [--format FORMAT] [RUN]...
#
#   RUN              a run's directory, or its name under results/; several runs of one kind show the machine or the day.
#                    Default: the newest run
#   --causes         what is recorded and differs with the figure, such as the CPU time of other programs
#   --format FORMAT  table (default), markdown, csv or json
#
# A row is a component of variance, as the standard deviation of one phase in %, with its 95 % interval. A level with one group has none:
# its part is in the level above. The scenario `noise` has what is needed for starts, phases and seconds (docs/noise.md). With --causes, a
# row is a cause that correlates with a figure more than chance allows.
# Exit status: 0 done, 1 a result could not be read completely, or no measurement was repeated, 2 bad usage.
# shellcheck shell=bash

# Print the components of the noise of runs; the header of this file is the help.
# Usage: cmd_noise [ARGUMENT]...
cmd_noise() {
  local format=table what=noise path word
  local -a words=() runs=()
  ! options_asked_help "${BASH_SOURCE[0]}" "$@" || return 0
  conf_environment
  conf_read
  while (($# > 0)); do
    case $1 in
      --causes) what=causes ;;
      --format=*) format=${1#*=} ;;
      --format)
        (($# > 1)) || die_usage "command line: $1: the value is missing; ./do_it.sh noise --help shows the options"
        format=$2
        shift
        ;;
      -*) options_unknown "$1" "${BASH_SOURCE[0]}" ;;
      *)
        options_named "$1"
        words+=("$1")
        ;;
    esac
    shift
  done
  [[ $format =~ ^(table|markdown|csv|json)$ ]] || die_usage "command line: --format=$format: unknown format; accepted: table markdown csv json"
  ((${#words[@]} > 0)) || words=('')
  for word in "${words[@]}"; do
    path=$(compare_directory "$word") || exit
    runs+=("$path")
  done
  RESULT_PROGRAM=noise noise_show "$what" "$format" "${runs[@]}"
}
