#!/usr/bin/env bash
# SPDX-License-Identifier: MIT
# Whether `ab` finds a planted difference of 2 % in 80 % of the comparisons with the pairs of trials that it printed before, and none of 0 % in 95 %, also
# when the machine drifts. The pairs are those by the noise of earlier runs (figures/power.awk); verdicts are those of `compare` on pairs.
# Usage: ab.sh     TRIALS=1000, comparisons of each row; SHAPES: earlier runs, starts of a run, phases of a start, spreads of runs, starts and phases in %,
#                  drift from the first to the last trial in %
set -Eeuo pipefail
REPO=$(cd "${BASH_SOURCE[0]%/*}/../.." && pwd)
figures=$REPO/lib/results/figures
printf '%-34s %7s %9s %9s %9s %12s\n' 'runs starts phases spreads drift' pairs '2 % found' '0 % found' 'one by one' '0 %, A first'
while read -r shape; do
  LC_ALL=C awk -v shape="$shape" -v trials="${TRIALS:-1000}" -v seed=20261128 -f "$figures/interval.awk" -f "$figures/nested.awk" -f "$figures/power.awk" -f "$REPO/tests/random.awk" -f "$REPO/tests/ab.awk"
done <<<"${SHAPES-3 1 1 1 0 0 0
3 3 2 .5 1 1 0
4 3 2 1 .5 .5 3
6 1 1 1 0 0 3
8 1 1 1 0 0 0
8 3 1 1 1.5 0 10
20 1 1 2 0 0 3}"
