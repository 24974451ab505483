#!/usr/bin/env bash
# SPDX-License-Identifier: MIT
# How the commands that read results grow with the number of repeats: CPU seconds and memory for copies of the sample's first repeats.
# Usage: results.sh     COUNTS="750 1500 3000" repeats, half of each variant, in POINTS=10 points; COMMANDS="csv compare report"
set -Eeuo pipefail
# shellcheck source=tests/helper.bash
. "$(dirname "${BASH_SOURCE[0]}")/../helper.bash"
trap scratch_teardown EXIT
scratch_setup
points=${POINTS:-10}

# Make a run of COUNT repeats: hard links to the files of the sample. Usage: bench_make RUN COUNT
bench_make() {
  local variant point number sample=$REPO/results/sample
  mkdir -p "$1"
  cp "$sample"/{run.conf,settings.tsv} "$1"
  for variant in native swap; do
    mkdir "$1/$variant"
    cp "$sample/$variant/variant.conf" "$1/$variant"
    for ((point = 1; point <= points; point++)); do
      mkdir "$1/$variant/${point}000B-2i"
      for ((number = 1; number <= $2 / 2 / points; number++)); do
        cp -rl "$sample/$variant/1000B-2i/rep-$((number % 3 + 1))" "$1/$variant/${point}000B-2i/rep-$number"
      done
    done
  done
  awk -F '\t' -v OFS='\t' -v points="$points" -v repeats=$(($2 / 2 / points)) '
    NR == 1 { print }
    NR == 2 || NR == 3 { for (p = 1; p <= points; p++) for (r = 1; r <= repeats; r++) { $1 = ++n; $3 = p "000B-2i"; $4 = r; print } }' "$sample/plan.tsv" >"$1/plan.tsv"
}

for count in ${COUNTS:-750 1500 3000}; do
  bench_make "run-$count" "$count"
  for command in ${COMMANDS:-csv compare report}; do
    case $command in
      csv) words=("$REPO/summary2csv.sh" "run-$count") ;;
      *) words=("$REPO/do_it.sh" "$command" "run-$count") ;;
    esac
    /usr/bin/time -f "$count repeats, $command: %U s and %S s of CPU, at most %M KiB" -o time "${words[@]}" >/dev/null 2>errors || cat errors >&2
    cat time
  done
done
