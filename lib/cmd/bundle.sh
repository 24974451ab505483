# SPDX-License-Identifier: MIT
# Pack a finished run into one archive for another machine.
#
# Usage: ./do_it.sh bundle [RUN]
#
#   RUN  a run's directory, or its name under results/; default: the newest run
#
# The run is verified first, and packed only if no file is missing, changed or added. Writes NAME.tar.gz, with the name of the run, to the current
# directory; no file is overwritten. Two archives of one run are equal. Prints the checksum of the archive and its path.
# `verify`, `report`, `compare` and `kpi` accept an archive wherever they accept a run: it is then unpacked
# below RESULTS_DIR/received, once.
# Exit status: 0 done, 1 the run is not whole or the archive cannot be written, 2 bad usage.
# shellcheck shell=bash

# Pack one run; the header of this file is the help.
# Usage: cmd_bundle [ARGUMENT]...
cmd_bundle() {
  local path
  options_run "${BASH_SOURCE[0]}" '' "$@" || return 0
  path=$(compare_run "$OPTIONS_RUN") || exit
  [[ -d $path ]] || die_usage "command line: $OPTIONS_RUN: not a directory of results; ./do_it.sh list names runs"
  bundle_make "$path"
}
