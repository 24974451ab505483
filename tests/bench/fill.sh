#!/usr/bin/env bash
# SPDX-License-Identifier: MIT
# How near FILL comes to its target: the memory that was planned, and that of the instances with all keys.
# Usage: fill.sh [SERVER...]     SERVER: paths of redis-server or valkey-server; default: the installed one and those of tools/releases.sh
#   CASES='instances FILL "SIZES" SETTING...', one per line, replaces the list below. Takes 5 minutes per server.
# Prints a row per size: server, settings, FILL, size, keys, planned and used bytes, and by how many % they are off the target.
set -Eeuo pipefail
# shellcheck source=/dev/null # followed from here, shellcheck takes three times as long
for file in helper cluster fill; do . "$(dirname "${BASH_SOURCE[0]}")/../$file.bash"; done
REPO=$(cd "$(dirname "${BASH_SOURCE[0]}")/../.." && pwd -P)

# Sizes of COMMANDS and distributions are those of values.
CASES=${CASES-'
1 64M 10,100,1000,4096,100K
1 300M 10,100,1000,4096,100K
1 64M 10,100,1000,4096,100K EXPIRE=1h
1 300M 10,1000,100K EXPIRE=1h
3 64M 10,1000,4096 CLUSTER=on REPLICAS=0
3 300M 10,100,1000 CLUSTER=on REPLICAS=0 EXPIRE=1h
3 150M 10,100,1000,100K CLUSTER=on REPLICAS=1
3 300M 10,1000 CLUSTER=on REPLICAS=1 EXPIRE=1h
1 64M 1000 VALUE_DISTRIBUTION=etc DATA=random
1 64M 1000 VALUE_DISTRIBUTION=10-300 DATA=random
1 100M 1000 VALUE_DISTRIBUTION=lognormal:1000:1500 DATA=random
1 64M 20,100 COMMANDS=hget-10:1
1 64M 20,100 COMMANDS=lrange-20:1
1 64M 20,100 COMMANDS=zrange-10:1
1 64M 100 COMMANDS=get:2,hget-5:1,incr:1,xadd:1
'}

# The program's name and version. Usage: bench_server PROGRAM
bench_server() { "$1" --version | sed -nE 's/^([A-Za-z]+) server v=([0-9.]+).*/\1 \2/p'; }

# Measure one case. Usage: bench_case PROGRAM INSTANCES FILL SIZES [SETTING]...
bench_case() {
  local program=$1 words="${*:5}"
  FILL_WORDS=(REDIS="$program" "${@:5}") FILL_PHASES=set,get
  [[ $words != *COMMANDS=* ]] || FILL_WORDS+=(PHASES='populate mixed') FILL_PHASES=populate,get
  export FILL_PHASES
  # shellcheck disable=SC2086 # a list of sizes
  fill_rows "$2" "$3" ${4//,/ } 2>"$SCRATCH/err" | awk -v server="$(bench_server "$program")" -v words="${words:--}" -v fill="$3" '
    { printf "%-14s %-44s %-5s %7d %9d %11d %11d  planned %+.2f  used %+.2f\n", server, words, fill, $1, $2, $4, $5, 100 * ($4 / $3 - 1), 100 * ($5 / $3 - 1) }
    END { if (!NR) print server, words, fill ": failed" }' || tail -n 2 "$SCRATCH/err"
}

scratch_setup
trap scratch_teardown EXIT
servers=("$@")
((${#servers[@]} > 0)) || servers=("$(command -v redis-server)" "$REPO"/build/releases/*/*-server)
for server in "${servers[@]}"; do
  while read -r -a words; do
    ((${#words[@]} == 0)) || bench_case "$(realpath -s -- "$server")" "${words[@]}"
  done <<<"$CASES"
done
