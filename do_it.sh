#!/usr/bin/env bash
# SPDX-License-Identifier: MIT
# Measure Redis on different kinds of memory: edit the settings below, then run this on the master client.

# Without the last line of the settings, the shell would take this whole file for them: then it must not end with success.
false <<'# <<< settings'
# >>> settings (lib/settings reads these lines and names one that is wrong; conf/defaults.conf explains them)
# The question, and what to compare: conf/scenarios and conf/variants.
SCENARIO=imdt
VARIANTS=(native)
# Address of the server that runs the Redis instances; 127.0.0.1 is this machine, without ssh. Several: SERVER=(A B C).
SERVER=127.0.0.1
# Addresses of all clients; the first is the master, where this script runs.
CLIENT_IP=(127.0.0.1)
# Logical CPUs of the server to use; auto: all.
SERVER_CORES=auto
# Number of Redis instances, usually a multiple of the CPUs; auto: one per logical CPU.
SRV_OVERRIDE=auto
# How often each point is repeated.
REDISRUNS=3
# <<< settings

set -Eeuo pipefail
# Numbers have a decimal point in every locale; a plain user's PATH may lack system tools.
export LC_ALL=C PATH=$PATH:/usr/local/sbin:/usr/sbin:/sbin
# `bash do_it.sh` names no directory.
ROOT=$(CDPATH='' cd -- "${BASH_SOURCE[0]%"${0##*/}"}." && pwd)
LIB=$ROOT/lib MODULES=all
# Commands that need a part of the modules (lib/modules.sh): those that only read results, and stop.
case ${1-} in
  bundle | collect | compare | kpi | noise | report | verify) MODULES=results ;;
  stop) MODULES=plan ;;
esac

# shellcheck source=lib/modules.sh
. "$LIB/modules.sh"

# Print what this script does, from the commands' own header comments.
usage() {
  local file name REPLY
  options_help "$ROOT/do_it.sh"
  printf 'Usage: ./do_it.sh [COMMAND] [--help] ...\n\n'
  for file in "$LIB"/cmd/*.sh; do
    name=${file##*/}
    options_headline "$file"
    printf '  %-8s %s\n' "${name%.sh}" "$REPLY"
  done
}

main() {
  local command=run REPLY
  local -a known
  [[ ${1-} != help || -z ${2-} ]] || set -- "$2" --help
  case ${1-} in
    -h | --help | help)
      usage
      return
      ;;
    --version)
      version_read
      printf '%s\n' "$VERSION_TEXT"
      return
      ;;
    [a-z]*)
      if [[ $1 != *=* ]]; then
        command=$1
        shift
      fi
      ;;
  esac
  # For suggested commands: the arguments of this command.
  COMMAND_WORDS=("$@")
  [[ $command != */* && -r $LIB/cmd/$command.sh ]] || {
    known=("$LIB"/cmd/*.sh)
    known=("${known[@]##*/}")
    nearest_hint "$command" './do_it.sh help lists them' "${known[@]%.sh}"
    die_usage "command line: $command: unknown command; $REPLY"
  }
  cleanup_init
  # shellcheck disable=SC1090 # the command's own file
  . "$LIB/cmd/$command.sh"
  "cmd_$command" "$@"
}

# In braces, so that bash reads all of this file before it starts: the file may be replaced while it runs.
{
  if [[ ${TIERBENCH_DEBUG:-0} != 0 ]]; then
    set -o functrace
    trap 'log_trace "$LINENO"' DEBUG
  fi
  main "$@"
  exit
}
