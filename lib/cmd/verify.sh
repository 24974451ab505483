# SPDX-License-Identifier: MIT
# Check that a run's directory is complete and unchanged: compare its files with the checksums that the run wrote.
#
# Usage: ./do_it.sh verify [RUN]
#
#   RUN  a run's directory, or its name under results/; default: the newest run
#
# Prints the version that made the run, and every file that is missing, changed or added. Reports, plots, the run's log and
# incomplete repeats are not checked. The checksums protect against accidents, not against an attacker who rewrites them too.
# The last line is 'whole and unchanged' or the number of problems.
# Exit status: 0 whole and unchanged, 1 not, 2 bad usage.
# shellcheck shell=bash

cmd_verify() {
  local word='' path
  ! options_asked_help "${BASH_SOURCE[0]}" "$@" || return 0
  conf_environment
  conf_resolve
  while (($# > 0)); do
    case $1 in
      -*) die_usage "command line: $1: unknown option; ./do_it.sh verify --help lists them" ;;
      *)
        [[ -z $word ]] || die_usage "command line: $1: too many arguments; accepted: one run"
        word=$1
        ;;
    esac
    shift
  done
  path=$(compare_run "$word") || exit
  [[ -d $path ]] || die_usage "command line: $word: not a directory of results; ./do_it.sh list names runs"
  verify_show "$path"
}
