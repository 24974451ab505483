#!/usr/bin/env bash
# SPDX-License-Identifier: MIT
# The cost of one check of many instances: INFO of all, and the mark between two phases.
# Usage: instances.sh     COUNT=288 small instances on this machine; prints the median of five, in seconds
set -Eeuo pipefail
# shellcheck source=tests/helper.bash
. "$(dirname "${BASH_SOURCE[0]}")/../helper.bash"
run() { status=0 && output=$("$@") || status=$?; }
trap scratch_teardown EXIT
scratch_setup
master "RESERVE=1M LOCK_DIR=$SCRATCH/lock REDISBASE=$(ports_pick "${COUNT:-288}")" '
  cleanup_push server_stop
  ROW[instances]='"${COUNT:-288}"' ROW[data_bytes]=1000000
  server_point "${ROW[instances]}"
  parts_begin "" && parts_at instances
  cleanup_push servers_call 60 ended
  measure() {
    local start i
    for i in 1 2 3 4 5; do
      start=${EPOCHREALTIME/[.,]/}
      "$@" >/dev/null
      printf "%d\n" $((${EPOCHREALTIME/[.,]/} - start))
    done | sort -n | awk -v what="$1" "NR == 3 { printf \"%-14s %.2f s\n\", what, \$1 / 1e6 }"
  }
  mark() { call_run "$SERVER" monitor mark end; }
  measure server_info
  measure mark'
printf '%s\n' "$output"
((status == 0)) || printf '%s\n' "$STDERR" >&2
exit "$status"
