# SPDX-License-Identifier: MIT
# Make one page of verified runs of many machines: a row for each machine, scenario and tier.
#
# Usage: ./do_it.sh collect [--out FILE] DIR...
#
#   DIR         a run (its directory, or its name under results/), an archive of ./do_it.sh bundle, or a directory with runs and archives
#   --out FILE  the page; default: collection.html in the current directory. Only an earlier page of collect is replaced
#
# A run enters if `verify` says that it is whole and unchanged, if the data of every result was where its tier asks for it, if one known version
# of the tool made all of it, and if its figures agree with each other. One line says why a run is refused. Each row opens the report of its run.
# The checksums protect against accidents, not against an author who rewrites them too.
# Exit status: 0 done, 1 a run was refused or the page cannot be written, 2 bad usage.
# shellcheck shell=bash

# Make the page of a collection; the header of this file is the help.
# Usage: cmd_collect [ARGUMENT]...
cmd_collect() {
  local out=collection.html path
  local -a paths=()
  ! options_asked_help "${BASH_SOURCE[0]}" "$@" || return 0
  conf_environment
  conf_read
  while (($# > 0)); do
    case $1 in
      --out)
        [[ -n ${2-} ]] || die_usage "command line: $1: the value is missing; ./do_it.sh collect --help shows the options"
        out=$2
        shift
        ;;
      --out=?*) out=${1#*=} ;;
      -*) options_unknown "$1" "${BASH_SOURCE[0]}" ;;
      *)
        [[ -n $1 ]] || die_usage "command line: DIR: empty; name runs, archives, or directories with them"
        path=$1
        [[ -e $1 ]] || path=$(compare_run "$1") || exit
        paths+=("$path")
        ;;
    esac
    shift
  done
  ((${#paths[@]} > 0)) || die_usage "command line: DIR: missing; name runs, archives, or directories with them"
  export RESULT_PROGRAM=collect
  collect_make "$out" "${paths[@]}"
}
