#!/usr/bin/env bash
# SPDX-License-Identifier: MIT
# Runs the demo scenario on this machine: DRAM against compressed memory or swap where doctor finds that this user can use it, else DRAM alone.
#
# Usage: tools/demo.sh [NAME=VALUE]...   settings of the run
set -Eeuo pipefail

main() {
  local root variant with=''
  local -a words
  root=$(cd "${BASH_SOURCE[0]%/*}/.." && pwd -P)
  words=(-s demo REDISBASE="$("$root/tools/ports.sh" 2)" "$@")
  for variant in zram swap; do
    ! "$root/do_it.sh" doctor "${words[@]}" -v native -v "$variant" >/dev/null 2>&1 || with=$variant
    [[ -z $with ]] || break
  done
  [[ -n $with ]] || printf 'demo: DRAM alone: neither zram nor swap can be used here; ./do_it.sh doctor -s demo -v zram says why\n' >&2
  # Three repeats are enough for a verdict. Values compress as those of users do. With a fixed time, a slow machine takes no longer.
  [[ -z $with ]] || words=(VALUE_SIZES=1000 REDISRUNS=3 PHASES="populate get" KEY_PATTERN=uniform DATA=compressible:3 TIME=4
    "${words[@]}" -v native -v "$with")
  "$root/do_it.sh" run "${words[@]}"
}

main "$@"
