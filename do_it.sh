#!/usr/bin/env bash
# SPDX-License-Identifier: MIT
# Measure what Redis does on a server's memory: edit the settings below, then run this on the master client.

# >>> settings (lib/conf.sh reads these lines and names one that is wrong; conf/defaults.conf explains and lists all)
# The question, and what to compare: conf/scenarios and conf/variants.
SCENARIO=imdt
VARIANTS=(native)
# Address of the server that runs the Redis instances; 127.0.0.1 is this machine, without ssh.
SERVER=127.0.0.1
# Addresses of all clients; the first is the master, where this script runs.
CLIENT_IP=(127.0.0.1)
# Logical CPUs of the server to use; auto: all.
SERVER_CORES=auto
# Number of Redis instances, usually a multiple of the CPUs; auto: one a logical CPU.
SRV_OVERRIDE=auto
# How often each point is repeated.
REDISRUNS=3
# <<< settings

set -Eeuo pipefail
ROOT=$(cd "$(dirname "${BASH_SOURCE[0]}")" && pwd)
LIB=$ROOT/lib

# shellcheck source=lib/log.sh
for module in log cleanup alias conf options hosts remote remote/common remote/cpus tier place launch generator tune plan fill lock server client monitor trace \
  sysinfo doctor repeat links result warnings table; do
  # shellcheck disable=SC1090 # one of the list above
  . "$LIB/$module.sh"
done

# Print what this script does, from the commands' own header comments.
usage() {
  local file
  options_help "$ROOT/do_it.sh"
  printf 'Usage: ./do_it.sh [COMMAND] [--help] ...\n\n'
  for file in "$LIB"/cmd/*.sh; do
    printf '  %-8s %s\n' "$(basename "$file" .sh)" "$(sed -n '2s/^# //p' "$file")"
  done
}

main() {
  local command=run
  case ${1-} in
    -h | --help)
      usage
      return
      ;;
    [a-z]*)
      if [[ $1 != *=* ]]; then
        command=$1
        shift
      fi
      ;;
  esac
  [[ -r $LIB/cmd/$command.sh ]] || die_usage "there is no command $command (./do_it.sh --help)"
  cleanup_init
  alias_read "$ROOT/conf/aliases.tsv"
  conf_defaults "$ROOT/conf/defaults.conf"
  conf_file block "$ROOT/do_it.sh" "$(grep -m 1 '^# >>> settings' "$ROOT/do_it.sh")" "# <<< settings"
  # shellcheck disable=SC1090 # the command's own file
  . "$LIB/cmd/$command.sh"
  "cmd_$command" "$@"
}

# In braces, so that bash has read all of this file before it starts, and the file may be replaced while it runs.
{
  main "$@"
  exit
}
