#!/usr/bin/env bash
# SPDX-License-Identifier: MIT
# How often a run names a neighbour: another program that uses one CPU for 2 s of a phase, at a random moment, in every other repeat.
# Usage: foreign.sh     REPEATS=40, TIME=10s of GETs at RATE=20000 each
# Requires an idle machine. Prints for the repeats with and without a neighbour how many were named by the CPU time of other programs, and in how
# many the intervals of the phase were called disturbed.
set -Eeuo pipefail
# shellcheck source=/dev/null # followed from here, shellcheck takes three times as long
. "$(dirname "${BASH_SOURCE[0]}")/../helper.bash"
repeats=${REPEATS:-40}

# Use a CPU for 2 s in every other repeat, from a random moment of its phase on. Usage: bench_disturb
bench_disturb() {
  local repeat=0 known='' gate
  while ((repeat < repeats)); do
    sleep 0.2 # polls for the start of a phase
    gate=$(find host -name start-get -size +0 -printf '%i %T@ %p' -quit 2>/dev/null) || :
    [[ -n $gate && $gate != "$known" ]] || continue
    known=$gate repeat=$((repeat + 1))
    ((repeat % 2)) || continue
    sleep "$((RANDOM % 7)).$((RANDOM % 10))"
    timeout 2 bash -c 'while :; do :; done' || :
  done
}

trap scratch_teardown EXIT
scratch_setup
bench_disturb &
process_note "$!"
"$REPO/do_it.sh" run -s demo -v native RESULTS_DIR="$SCRATCH/results" REMOTE_DIR="$SCRATCH/host" SRV_OVERRIDE=1 VALUE_SIZES=100 KEYS=100000 \
  PHASES="populate get" TIME="${TIME:-10s}" RATE="${RATE:-20000}" REDISRUNS="$repeats" >out 2>&1 || cat out >&2
"$REPO/summary2csv.sh" --json "$SCRATCH"/results/*/ >rows.json
python3 - <<'PY'
import json
rows = json.load(open("rows.json"))
rows = rows["rows"] if isinstance(rows, dict) else rows
for name, odd in (("with a neighbour", 1), ("without", 0)):
    mine = [r for r in rows if r["operation"] == "get" and int(r["repeat"]) % 2 == odd]
    over = sum(float(r["foreign_cpu_percent"]) > 10 for r in mine)
    apart = sum(r["disturbed"] != "no" for r in mine)
    print(f"{name:18} {len(mine)} repeats   CPU time named in {over}   intervals disturbed in {apart}")
PY
