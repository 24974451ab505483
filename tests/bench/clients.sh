#!/usr/bin/env bash
# SPDX-License-Identifier: MIT
# The overhead of a run as clients are added: network namespaces with an sshd each, almost no load.
# Usage: clients.sh     COUNTS="1 4 16 32" clients, INSTANCES=32, PHASES="set get"; prints for each count the seconds of a run with one repeat, and of
# each further one of REPEATS=3, with the CPU time of the master
set -Eeuo pipefail
counts=${COUNTS:-1 4 16 32} instances=${INSTANCES:-32} phases=${PHASES:-set get} repeats=${REPEATS:-3}
export NETNS_CLIENTS=${counts##* }
repo=$(cd "$(dirname "${BASH_SOURCE[0]}")/../.." && pwd -P)
# shellcheck source=/dev/null # followed from here, shellcheck takes three times as long
. "$repo/tests/helper.bash"
# shellcheck source=tests/netns.bash
. "$repo/tests/netns.bash"
skip() { printf 'clients.sh: %s\n' "$*" >&2 && exit 1; }

# Run with CLIENTS clients and REPEATS repeats. Usage: bench_run CLIENTS REPEATS   Prints the seconds it took, and the CPU seconds of the master
bench_run() {
  local number clients='' TIMEFORMAT='%R %U %S'
  for ((number = 1; number <= $1; number++)); do clients+=" ${NETNS_ADDRESS[client$number]}"; done
  rm -rf -- "$SCRATCH/results"
  {
    time netns_exec client1 "$repo/do_it.sh" run -s demo SERVER="${NETNS_ADDRESS[server]}" CLIENT_IP="${clients# }" SSH_CONFIG="$NETNS_SSH_CONFIG" \
      SRV_OVERRIDE="$instances" PHASES="$phases" KEYS=10 VALUE_SIZES=100 RESERVE=1M REDISRUNS="$2" RESULTS_DIR="$SCRATCH/results" \
      REMOTE_DIR="$SCRATCH/host" >"$SCRATCH/out" 2>&1
  } 2>"$SCRATCH/time" || {
    cat "$SCRATCH/out" >&2
    return 1
  }
  awk '{ print $1, $2 + $3 }' "$SCRATCH/time"
}

# Whether no run is under way: one that was interrupted needs its hosts until it has restored them.
bench_idle() {
  local each
  for each in $(netns_processes client1); do
    ! grep -saz 'do_it\.sh' "/proc/${each%%:*}/cmdline" >/dev/null || return 1
  done
}

trap 'wait_within 120 bench_idle || :; netns_down; scratch_teardown' EXIT
scratch_setup
netns_up "$SCRATCH"
for count in $counts; do
  bench_run "$count" 1 >/dev/null # the load generator is copied to the clients once
  one=$(bench_run "$count" 1)
  all=$(bench_run "$count" "$repeats")
  awk -v count="$count" -v more=$((repeats - 1)) '{ printf "%2d clients: %6.2f s for a run with one repeat (CPU of the master %.2f s), %6.2f s for each repeat more (%.2f s)\n", \
    count, $1, $2, ($3 - $1) / more, ($4 - $2) / more }' <<<"$one $all"
done
