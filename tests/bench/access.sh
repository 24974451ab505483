#!/usr/bin/env bash
# SPDX-License-Identifier: MIT
# The smallest difference of the time of one access that can be seen here: delays of known size in a server, and what one connection without pipeline
# measures of them.
# Usage: access.sh [NS...]     delays in ns (0 100 200 500); SERVERS=9 pairs of servers for each, TURNS=11 of SECONDS_EACH=0.1 of GETs for each pair
# Two private servers have the same program (slow.c), one with the delay, and are measured in turns. Their shift is the median over turns. Two equal
# servers differ by the places of their memory, so each pair of servers is new. Requires a quiet machine with two CPUs.
# Prints for each delay: the p50 without it, the median of the shifts of all pairs with its 95 % interval (order statistics), and whether it excludes 0.
set -Eeuo pipefail
# shellcheck source=/dev/null # followed from here, shellcheck takes three times as long
. "$(dirname "${BASH_SOURCE[0]}")/../helper.bash"
delays=("$@") servers=${SERVERS:-9} turns=${TURNS:-11} seconds=${SECONDS_EACH:-0.1}
((${#delays[@]} > 0)) || delays=(0 100 200 500)

# Starts a server that waits NS ns at each read. Usage: bench_start NS PORT
bench_start() {
  LD_PRELOAD=$SCRATCH/slow.so SLOW_NS=$1 redis-server --port "$2" --bind 127.0.0.1 --save '' --appendonly no --logfile "$SCRATCH/log" &
  process_note $!
  until redis-cli -p "$2" ping >/dev/null 2>&1; do kill -0 "$!"; done
  "$REPO/test" --phases populate --out out 127.0.0.1 "$2" 100 10000 >/dev/null
}

# Prints the p50 of single GETs in us. Usage: bench_p50 PORT
bench_p50() {
  "$REPO/test" --no-flush --phases get --keys uniform --time "$seconds" --out out 127.0.0.1 "$1" 100 10000 >/dev/null
  awk -F '\t' 'NR == 1 { for (i = 1; i <= NF; i++) at[$i] = i } $at["operation"] == "get" { print $at["p50_us"] }' out/result.tsv
}

# Prints the median of a column. Usage: bench_median COLUMN FILE
bench_median() {
  cut -d ' ' -f "$1" "$2" | sort -n | awk '{ v[NR] = $1 } END { print NR % 2 ? v[(NR + 1) / 2] : (v[NR / 2] + v[NR / 2 + 1]) / 2 }'
}

trap scratch_teardown EXIT
scratch_setup
export OMP_NUM_THREADS=1
"${CC:-gcc}" -std=gnu11 -D_GNU_SOURCE -O2 -Wall -Wextra -shared -fPIC -o slow.so "$REPO/tests/bench/slow.c"
port=$(ports_pick 2)
printf '%-8s %10s %12s %22s  %s\n' 'delay ns' 'p50 us' 'shift ns' '95 % interval ns' found
for delay in "${delays[@]}"; do
  for ((pair = 0; pair < servers; pair++)); do
    bench_start 0 "$port"
    bench_start "$delay" $((port + 1))
    for ((turn = 0; turn < turns; turn++)); do
      if ((turn % 2)); then base=$(bench_p50 "$port") slow=$(bench_p50 $((port + 1))); else slow=$(bench_p50 $((port + 1))) base=$(bench_p50 "$port"); fi
      echo "$base $slow"
    done | awk '{ print $1, ($2 - $1) * 1000 }' >turns
    echo "$(bench_median 1 turns) $(bench_median 2 turns)"
    kill "${TEST_PROCESSES[@]%%:*}" 2>/dev/null
    wait || :
    TEST_PROCESSES=()
  done >pairs
  awk -v delay="$delay" -v base="$(bench_median 1 pairs)" -v shift="$(bench_median 2 pairs)" '
    { v[NR] = $1 }
    END {
      # The largest rank k that the median is below in at most 2.5 % of cases.
      for (p = 0.5 ^ NR; k < NR / 2 && sum + p <= 0.025; p = p * (NR - k + 1) / k) { sum += p; k++ }
      if (k < 1) k = 1
      low = v[k]
      high = v[NR + 1 - k]
      printf "%-8s %10.3f %12.0f %12.0f .. %-6.0f  %s\n", delay, base, shift, low, high, (low > 0 || high < 0 ? "yes" : "no")
    }' < <(cut -d ' ' -f 2 pairs | sort -n)
done
