#!/usr/bin/env bash
# SPDX-License-Identifier: MIT
# Client CPU and throughput, compared with other load generators and a floor (floor.c), on one private Redis: server on CPU 0, clients in turn on CPU 1.
# Usage: client-cpu.sh [LOAD...]     LOAD: OPERATION,CONNECTIONS,PIPELINE,SIZE,REQUESTS[,OPTION...]; ROUNDS=5 of all in turn
# Prints medians: us of client CPU (user and system) per operation, and our value divided by each; then the same for ops/s. The floor has no
# ops/s: its few keys are in the caches of the server, and the server limits its speed.
# redis-benchmark and memtier_benchmark take part if they are installed; so does cachecannon, for 3 s per round because it has no request count.
set -Eeuo pipefail
# shellcheck source=/dev/null # followed from here, shellcheck takes three times as long
. "$(dirname "${BASH_SOURCE[0]}")/../helper.bash"
loadgen=$REPO/test rounds=${ROUNDS:-5} keys=100000
export OMP_NUM_THREADS=1

# Runs a command on CPU 1. Usage: bench_run OPERATIONS COMMAND...   prints CPU and wall time in microseconds per operation
bench_run() {
  local n=$1 TIMEFORMAT='%U %S %R' out
  shift
  out=$({ time taskset -c 1 "$@" >/dev/null 2>"$SCRATCH/err"; } 2>&1) || { cat "$SCRATCH/err" >&2 && return 1; }
  awk -v n="$n" '{ printf "%.4f %.4f\n", ($1 + $2) / n * 1e6, $3 / n * 1e6 }' <<<"$out"
}

# Prints the number of GETs and SETs that the server has answered.
bench_served() {
  redis-cli -p "$REDIS_PORT" info commandstats | awk -F '[=,]' '/^cmdstat_[gs]et:/ { n += $2 } END { print n + 0 }'
}

# Runs cachecannon, whose operations are counted only by the server. Usage: bench_cannon OPERATION CONNECTIONS PIPELINE SIZE
bench_cannon() {
  local before after out
  cat >"$SCRATCH/cannon.toml" <<END
[general]
duration = "3s"
warmup = "0s"
threads = 1
cpu_list = "1"
[target]
endpoints = ["127.0.0.1:$REDIS_PORT"]
protocol = "resp"
[connection]
connections = $2
pipeline_depth = $3
[workload.keyspace]
length = 16
count = $keys
distribution = "uniform"
[workload.commands]
get = $([[ $1 == get ]] && echo 100 || echo 0)
set = $([[ $1 == set ]] && echo 100 || echo 0)
[workload.values]
length = $4
END
  before=$(bench_served)
  out=$(bench_run 1 timeout 30 cachecannon "$SCRATCH/cannon.toml")
  after=$(bench_served)
  awk -v n=$((after - before)) '{ printf "%.4f %.4f\n", $1 / n, $2 / n }' <<<"$out"
}

# Runs one program once. Usage: bench_one PROGRAM OPERATION CONNECTIONS PIPELINE SIZE REQUESTS [OPTION...]
bench_one() {
  local program=$1 op=$2 c=$3 p=$4 d=$5 n=$6 ratio=1:0
  shift 6
  [[ $op == set ]] || ratio=0:1
  case $program in
    test) bench_run "$n" "$loadgen" --no-flush --phases "$op" --keys uniform -c "$c" -P "$p" --requests "$n" --out "$SCRATCH/out" "$@" \
      127.0.0.1 "$REDIS_PORT" "$d" "$keys" ;;
    floor) bench_run "$n" "$SCRATCH/floor" "$REDIS_PORT" "$c" "$p" "$d" "$n" "$op" ;;
    floor-read) bench_run "$n" "$SCRATCH/floor" "$REDIS_PORT" "$c" "$p" "$d" "$n" "$op" read ;;
    redis-benchmark) bench_run "$n" redis-benchmark -h 127.0.0.1 -p "$REDIS_PORT" -c "$c" -P "$p" -d "$d" -n "$n" -r "$keys" -t "$op" -q ;;
    memtier_benchmark) bench_run "$n" memtier_benchmark -s 127.0.0.1 -p "$REDIS_PORT" -t 1 -c "$c" --pipeline "$p" -d "$d" -n $((n / c)) --ratio "$ratio" \
      --key-prefix '' --key-maximum $((keys - 1)) --hide-histogram ;;
    cachecannon) bench_cannon "$op" "$c" "$p" "$d" ;;
  esac
}

# Measures one load with all programs in turn and prints its rows. Usage: bench_load OPERATION CONNECTIONS PIPELINE SIZE REQUESTS [OPTION...]
bench_load() {
  local op=$1 c=$2 p=$3 d=$4 i program figures file=$SCRATCH/figures
  local -a programs=(test floor)
  [[ $c != 1 ]] || programs+=(floor-read)
  for program in redis-benchmark memtier_benchmark cachecannon; do
    ! command -v "$program" >/dev/null || programs+=("$program")
  done
  : >"$file"
  "$loadgen" --no-flush --phases set -c 20 -P 32 --out "$SCRATCH/fill" 127.0.0.1 "$REDIS_PORT" "$d" "$keys" >/dev/null
  # Separate keys, so that their GETs find them.
  ! command -v redis-benchmark >/dev/null ||
    redis-benchmark -h 127.0.0.1 -p "$REDIS_PORT" -c 50 -P 32 -d "$d" -n $((2 * keys)) -r "$keys" -t set -q >/dev/null
  ! command -v cachecannon >/dev/null || bench_cannon set 20 32 "$d" >/dev/null
  for ((i = 0; i < rounds; i++)); do
    for program in "${programs[@]}"; do
      figures=$(bench_one "$program" "$@")
      echo "$i $program $figures" >>"$file"
    done
  done
  echo "$op, $c connections, pipeline $p, $d B${6:+ ${*:6}}"
  awk -v order="${programs[*]}" '
    function median(list, n,   v, i, j, t) {
      split(list, v, " ")
      for (i = 2; i <= n; i++) for (j = i; j > 1 && v[j - 1] + 0 > v[j] + 0; j--) { t = v[j]; v[j] = v[j - 1]; v[j - 1] = t }
      return n % 2 ? v[(n + 1) / 2] : (v[n / 2] + v[n / 2 + 1]) / 2
    }
    $2 == "test" { cpu = $3; wall = $4 }
    { n[$2]++; cpus[$2] = cpus[$2] " " $3; walls[$2] = walls[$2] " " $4; cheaper[$2] = cheaper[$2] " " cpu / $3; faster[$2] = faster[$2] " " $4 / wall }
    END {
      for (i = 1; i <= split(order, name, " "); i++) {
        p = name[i]
        printf "  %-18s %9.3f us/op  %5.2f", p, median(cpus[p], n[p]), median(cheaper[p], n[p])
        if (p ~ /^floor/) print ""
        else printf "  %10.0f ops/s  %5.2f\n", 1e6 / median(walls[p], n[p]), median(faster[p], n[p])
      }
    }' "$file"
}

trap scratch_teardown EXIT
scratch_setup
"${CC:-gcc}" -std=gnu11 -D_GNU_SOURCE -O2 -o floor "$REPO/tests/bench/floor.c"
redis_start --loglevel warning
taskset -acp 0 "$REDIS_PID" >/dev/null
(($#)) || set -- \
  set,200,128,128,2000000 get,200,128,128,2000000,--no-verify get,200,128,128,2000000 \
  set,50,1,128,100000 get,50,1,128,100000,--no-verify \
  set,50,32,1024,500000 get,50,32,1024,500000,--no-verify \
  set,1,1,1000,30000 get,1,1,1000,30000,--no-verify
echo 'program              client CPU, ours to it   throughput, ours to it'
for load in "$@"; do
  IFS=, read -ra words <<<"$load"
  bench_load "${words[@]}"
done
