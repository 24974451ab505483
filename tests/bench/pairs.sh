#!/usr/bin/env bash
# SPDX-License-Identifier: MIT
# How often the intervals of compare call real servers different: pairs of equal servers, and pairs with a server that wastes a known part of its CPU
# time.
# Usage: pairs.sh [PERCENT]     slowed by PERCENT (5); PAIRS=100 of REPEATS=5 repeats each; SECONDS_EACH=0.25 of GETs
# A repeat starts three private servers, the base, an equal server and a slowed server, and measures each; they take turns to be first.
# Requires an idle machine with two CPUs. KEEP=FILE keeps the figures of each repeat.
# Prints a row for equal and for slowed pairs, by throughput and by the server's CPU time per request, which other programs disturb less: the % called
# different, the ratio over all pairs, and the spread of the ratio of one repeat.
set -Eeuo pipefail
# shellcheck source=/dev/null # followed from here, shellcheck takes three times as long
. "$(dirname "${BASH_SOURCE[0]}")/../helper.bash"
percent=${1:-5} pairs=${PAIRS:-100} repeats=${REPEATS:-5} seconds=${SECONDS_EACH:-0.25}
sides=(base equal slowed)

# Measures a fresh server. Usage: bench_measure PERCENT   prints operations per second, and ns of the server's CPU time per request
bench_measure() {
  local pid before after served
  rm -rf out
  LD_PRELOAD=$SCRATCH/slow.so SLOW_PERCENT=$1 redis-server --port "$port" --bind 127.0.0.1 --save '' --appendonly no --logfile "$SCRATCH/log" &
  pid=$!
  process_note "$pid"
  until redis-cli -p "$port" ping >/dev/null 2>&1; do kill -0 "$pid"; done
  read -r before _ <"/proc/$pid/schedstat"
  OMP_NUM_THREADS=1 "$REPO/test" --phases populate,get --keys uniform --time "$seconds" --warmup 0.05 -c 16 -P 8 --out out \
    127.0.0.1 "$port" 100 5000 >/dev/null
  read -r after _ <"/proc/$pid/schedstat"
  served=$(redis-cli -p "$port" info stats | tr -d '\r' | sed -n 's/^total_commands_processed://p')
  kill "$pid"
  wait "$pid" || :
  TEST_PROCESSES=()
  awk -F '\t' -v cpu="$(((after - before) / served))" '
    NR == 1 { for (i = 1; i <= NF; i++) at[$i] = i }
    $at["operation"] == "get" { print $at["ops_per_sec"], cpu }' out/result.tsv
}

# Evaluates the pairs of one side. Usage: bench_judge NAME BASE OTHER   columns of the rows PAIR FIGURE... on stdin
bench_judge() {
  awk -v name="$1" -v base="$2" -v other="$3" -f "$REPO/lib/results/figures/interval.awk" -f "$SCRATCH/judge.awk"
}

trap scratch_teardown EXIT
scratch_setup
port=$(ports_pick 1)
"${CC:-gcc}" -std=gnu11 -D_GNU_SOURCE -O2 -Wall -Wextra -shared -fPIC -o slow.so "$REPO/tests/bench/slow.c"
cat >judge.awk <<'AWK'
function judge(ratio) {
  if (n < 2) return
  interval_paired(ratio, n)
  pairs++
  different += interval_low > 1 || interval_high < 1
  n = 0
}
$1 != pair { judge(ratio); pair = $1 }
# On a busy machine a server may get no CPU time for a whole measurement.
$base > 0 && $other > 0 { ratio[++n] = $other / $base; all++; x = log($other / $base); sum += x; squares += x * x }
END {
  judge(ratio)
  printf "%-24s %d pairs   called different %5.1f %%   ratio %.4f   spread %.1f %%\n", name, pairs, 100 * different / pairs, exp(sum / all),
    100 * sqrt((squares - sum * sum / all) / (all - 1))
}
AWK
for ((pair = 1; pair <= pairs; pair++)); do
  for ((repeat = 1; repeat <= repeats; repeat++)); do
    declare -A found=()
    for ((turn = 0; turn < 3; turn++)); do
      side=${sides[(turn + repeat) % 3]}
      found[$side]=$(bench_measure "$([[ $side == slowed ]] && echo "$percent" || echo 0)")
    done
    echo "$pair ${found[base]} ${found[equal]} ${found[slowed]}"
  done
done | tee ${KEEP:+"$KEEP"} >measured
bench_judge 'equal, throughput' 2 4 <measured
bench_judge 'slowed, throughput' 2 6 <measured
bench_judge 'equal, CPU time' 3 5 <measured
bench_judge 'slowed, CPU time' 3 7 <measured
