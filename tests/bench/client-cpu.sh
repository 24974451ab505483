#!/usr/bin/env bash
# SPDX-License-Identifier: MIT
# Client CPU for each operation beside redis-benchmark, on one private Redis: server on CPU 0, clients in turn on CPU 1.
# Usage: client-cpu.sh     ROUNDS=5 pairs of each load; prints medians
set -Eeuo pipefail
# shellcheck source=tests/helper.bash
. "$(dirname "${BASH_SOURCE[0]}")/../helper.bash"
loadgen=$REPO/test
rounds=${ROUNDS:-5} keys=100000
export OMP_NUM_THREADS=1

# Runs a command on CPU 1. Usage: bench_cpu OPERATIONS COMMAND...   prints its user and system time in microseconds an operation
bench_cpu() {
  local n=$1 TIMEFORMAT='%U %S' out
  shift
  out=$({ time taskset -c 1 "$@" >/dev/null 2>"$SCRATCH/err"; } 2>&1) || { cat "$SCRATCH/err" >&2 && return 1; }
  awk -v n="$n" '{ printf "%.4f\n", ($1 + $2) / n * 1e6 }' <<<"$out"
}

# The median of the numbers on stdin.
bench_median() {
  sort -n | awk '{ v[NR] = $1 } END { print (NR % 2) ? v[(NR + 1) / 2] : (v[NR / 2] + v[NR / 2 + 1]) / 2 }'
}

# Measures one load in pairs. Usage: bench_pair OPERATION CONNECTIONS PIPELINE SIZE OPERATIONS [OPTION...]
bench_pair() {
  local op=$1 c=$2 p=$3 d=$4 n=$5 i ours theirs file
  shift 5
  file=$SCRATCH/$op-$c-$p-$d-$#
  for ((i = 0; i < rounds; i++)); do
    "$loadgen" --no-flush --phases set -c 20 -P 32 --out "$SCRATCH/fill" 127.0.0.1 "$REDIS_PORT" "$d" "$keys" >/dev/null
    ours=$(bench_cpu "$n" "$loadgen" --no-flush --phases "$op" --keys uniform -c "$c" -P "$p" --requests "$n" --out "$SCRATCH/out" "$@" \
      127.0.0.1 "$REDIS_PORT" "$d" "$keys")
    theirs=$(bench_cpu "$n" redis-benchmark -h 127.0.0.1 -p "$REDIS_PORT" -c "$c" -P "$p" -d "$d" -n "$n" -r "$keys" -t "$op" -q)
    echo "$ours $theirs" >>"$file"
  done
  printf '%-3s c=%-4s P=%-4s %5s B %-12s %8.3f us/op, redis-benchmark %8.3f, ratio %.2f\n' "$op" "$c" "$p" "$d" "$*" \
    "$(cut -d' ' -f1 "$file" | bench_median)" "$(cut -d' ' -f2 "$file" | bench_median)" "$(awk '{ print $1 / $2 }' "$file" | bench_median)"
}

trap scratch_teardown EXIT
scratch_setup
redis_start --loglevel warning
taskset -acp 0 "$REDIS_PID" >/dev/null
redis-benchmark -h 127.0.0.1 -p "$REDIS_PORT" -c 50 -P 64 -d 128 -n 1000000 -r "$keys" -t set -q >/dev/null # so that its GETs hit too
bench_pair set 200 128 128 2000000
bench_pair get 200 128 128 2000000 --no-verify
bench_pair set 50 1 128 100000
bench_pair get 50 1 128 100000 --no-verify
bench_pair get 1 1 1000 30000 --no-verify
bench_pair get 50 16 1000 300000 --no-verify
bench_pair get 50 16 1000 300000
