#!/usr/bin/env bash
# SPDX-License-Identifier: MIT
# Prints the first of COUNT consecutive free ports on this machine, for make demo: another Redis may use the default port.
#
# Usage: tools/ports.sh COUNT [FIRST]   FIRST: where to start (6379)
set -Eeuo pipefail

lib=$(cd "${BASH_SOURCE[0]%/*}/../lib" && pwd -P)
# shellcheck source=lib/shared/common.sh
. "$lib/shared/common.sh"
# shellcheck source=lib/host/ports.sh
. "$lib/host/ports.sh"

main() {
  local count=$1 base=${2:-6379} port
  local -A taken=()
  while read -r port; do taken[$port]=1; done < <(host_ports_listening)
  for (( ; base + count <= 65536; base++)); do
    for ((port = base; port < base + count; port++)); do
      [[ -z ${taken[$port]+set} ]] || continue 2
    done
    printf '%s\n' "$base"
    return
  done
  fail "no $count free ports in a row from ${2:-6379} on"
}

main "$@"
