# SPDX-License-Identifier: MIT
# Check that a run's directory is complete and unchanged: compare its files with the checksums that the run wrote.
#
# Usage: ./do_it.sh verify [RUN]
#
#   RUN  a run's directory, or its name under results/; default: the newest run
#
# Prints the version that made the run, and every file that is missing, changed or added. Reports, plots, the run's log and
# incomplete repeats are not checked. The checksums protect against accidents, not against an attacker who rewrites them too.
# The last line is the result:
#
#   whole and unchanged            every file of a run that ended is as it was; `made by several versions of the tool` may follow
#   unchanged, not complete        a repeat failed or was interrupted; ./do_it.sh run --resume RUN continues the run
#   unchanged; not known if whole  the run did not end: it has no list of all repeats
#   N problems                     files are missing, changed or added
#
# Exit status: 0 whole and unchanged, 1 not, 2 bad usage.
# shellcheck shell=bash

# Compare the files of one run with their checksums; the header of this file is the help.
# Usage: cmd_verify [ARGUMENT]...
cmd_verify() {
  local path
  options_run "${BASH_SOURCE[0]}" '' "$@" || return 0
  path=$(compare_run "$OPTIONS_RUN") || exit
  [[ -d $path ]] || die_usage "command line: $OPTIONS_RUN: not a directory of results; ./do_it.sh list names runs"
  verify_show "$path" | stored_plain
}
