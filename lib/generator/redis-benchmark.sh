#!/usr/bin/env bash
# SPDX-License-Identifier: MIT
# redis-benchmark in the place of ./test: the same words, the same gate between phases, the same log and result.tsv.
#
# One process an instance, as in the Cloud Onload Redis Cookbook. What redis-benchmark cannot tell (misses, errors by kind,
# percentiles over several instances, a series) stays empty. It takes the password as an argument, so that local users
# of the client can see it while it runs.
set -Eeuo pipefail

PIDS=()

# End the processes that run, when this one is ended.
give_up() {
  local pid
  for pid in "${PIDS[@]}"; do kill -TERM "$pid" 2>/dev/null || :; done
  exit 143
}

# Usage: main OPTION... HOST PORT SIZE KEYS
main() {
  local phase
  INSTANCES=1 CONNECTIONS=1 PIPELINE=1 PHASES=set,get REQUESTS=0 PATTERN=uniform
  while [[ ${1-} == --* ]]; do
    case $1 in
      --instances) INSTANCES=$2 ;;
      --connections) CONNECTIONS=$2 ;;
      --pipeline) PIPELINE=$2 ;;
      --phases) PHASES=$2 ;;
      --requests) REQUESTS=$2 ;;
      --keys) PATTERN=$2 ;;
      # What has no counterpart here; --no-verify stands alone.
      --no-verify) set -- "$1" "$@" ;;
      *) ;;
    esac
    shift 2
  done
  HOST=$1 PORT=$2 SIZE=$3 KEYS=$4
  EACH=$((REQUESTS > 0 ? REQUESTS / INSTANCES : KEYS))
  # redis-benchmark sends whole pipelines and counts what was asked for, so whole pipelines are asked for.
  EACH=$(((EACH + PIPELINE - 1) / PIPELINE * PIPELINE))
  VERSION=$(redis-benchmark --version)
  trap give_up TERM INT
  printf 'threads = %d start_port = %d value_len = %d key_count = %d\n' "$INSTANCES" "$PORT" "$SIZE" "$KEYS"
  printf 'operation\thost\tport\tinstances\tthreads\tconnections\tpipeline\trate\tarrival\tlen\tkeys\tpattern\tstart_us\telapsed_us\tmax_time_us\tops' >result.tsv
  printf '\tops_per_sec\tbytes\tavg_us\tp50_us\tp99_us\tmax_us\tclient_cpu_us\tinterrupted\tversion\n' >>result.tsv
  for phase in ${PHASES//,/ }; do
    gate "$phase"
    run_phase "$phase"
  done
  printf '%s : Complete.\n' "$(date)"
}

# Say that this is ready for a phase, and wait for the time to do so.
gate() {
  local start
  : >"ready-$1"
  until [[ -s start-$1 ]]; do sleep 0.01; done # the pace of looking
  start=$(<"start-$1")
  start=${start/./}
  until ((${EPOCHREALTIME/[.,]/} >= start)); do sleep 0.001; done
}

run_phase() {
  local phase=$1 i pid before after failed=0 start=${EPOCHREALTIME/[.,]/}
  before=$(cpu_us)
  printf '%s : %d threads started - %s\n' "$(date)" "$INSTANCES" "$phase"
  PIDS=()
  for ((i = 0; i < INSTANCES; i++)); do
    load "$phase" $((PORT + i)) >"$phase.$i.csv" &
    PIDS+=($!)
  done
  for pid in "${PIDS[@]}"; do wait "$pid" || failed=1; done
  after=$(cpu_us)
  for ((i = 0; i < INSTANCES; i++)); do
    figures "$phase" "$phase.$i.csv" $((${EPOCHREALTIME/[.,]/} - start)) || {
      printf 'port %d: redis-benchmark printed no figures for %s: %s\n' $((PORT + i)) "$phase" "$(tail -n 1 "$phase.$i.csv")" >&2
      return 1
    }
  done >"$phase.figures"
  ((!failed)) || return 1
  awk -F '\t' -v phase="$phase" -v port="$PORT" '{
    printf "Thread %3d: port %d %s %d keys - elapse %d usecs , max time %d , average %d , max average %d\n", NR - 1, port + NR - 1, phase, $1, $2, $5, $3, $3 }' "$phase.figures"
  awk -F '\t' -v OFS='\t' -v phase="$phase" -v host="$HOST" -v port="$PORT" -v connections="$CONNECTIONS" -v pipeline="$PIPELINE" -v len="$SIZE" \
    -v keys="$KEYS" -v pattern="$PATTERN" -v start="$start" -v cpu=$((after - before)) -v version="$VERSION" '
    { ops += $1; if ($2 > longest) longest = $2; sum += $1 * $3; if ($5 > max) max = $5; p50 = $4; p99 = $6; known += $3 != "" }
    END {
      # Percentiles of several processes cannot be put together.
      if (NR > 1) p50 = p99 = ""
      printf "%s\t%s\t%d\t%d\t%d\t%d\t%d\t0\tclosed\t%d\t%d\t%s\t%s\t%d\t%d\t%.0f\t%.3f\t%.0f\t%s\t%s\t%s\t%s\t%s\t0\t%s\n", phase, host, port, NR, NR, connections,
        pipeline, len, keys, pattern, start, longest, longest, ops, ops * 1000000 / longest, ops * len, known ? sprintf("%.1f", sum / ops) : "", p50, p99, known ? max : "", cpu, version
    }' "$phase.figures" >>result.tsv
  rm -f -- "$phase".*.csv "$phase.figures"
  printf '%s : %d threads finished - %s\n' "$(date)" "$INSTANCES" "$phase"
}

# The load of one phase on one instance; populate sets every key once, under the names that redis-benchmark gives to keys.
load() {
  local phase=$1 port=$2
  if [[ $phase == populate ]]; then
    awk -v keys="$KEYS" -v size="$SIZE" 'BEGIN {
      value = sprintf("%" size "s", "")
      gsub(/ /, "x", value)
      for (i = 0; i < keys; i++) printf "*3\r\n$3\r\nSET\r\n$16\r\nkey:%012d\r\n$%d\r\n%s\r\n", i, size, value
    }' | redis-cli -h "$HOST" -p "$port" --pipe
  else
    exec redis-benchmark -h "$HOST" -p "$port" --user peer -a none -n "$EACH" -P "$PIPELINE" -c "$CONNECTIONS" -d "$SIZE" -r "$KEYS" -t "$phase" --csv
  fi
}

# Print OPS ELAPSED_US AVG_US P50_US MAX_US P99_US of one instance; redis-benchmark before 6.2 tells the rate alone.
# Usage: figures PHASE FILE WALL_US
figures() {
  if [[ $1 == populate ]]; then
    grep -q "errors: 0, replies: $KEYS\$" "$2" && printf '%s\t%s\t\t\t\t\n' "$KEYS" "$3"
    return
  fi
  awk -F '","' -v ops="$EACH" -v name="\"${1^^}" '
    $1 == name && $2 + 0 > 0 {
      printf "%d\t%.0f", ops, ops * 1000000 / $2
      if (NF >= 8) printf "\t%.0f\t%.0f\t%.0f\t%.0f\n", $3 * 1000, $5 * 1000, $8 * 1000, $7 * 1000
      else printf "\t\t\t\t\n"
      found = 1
    }
    END { exit !found }' "$2"
}

# Print the CPU time of all processes of ours that have ended, in us.
cpu_us() {
  # The shell's account of its children, fields 16 and 17 of proc(5), counted from the third.
  awk -v tick="$(getconf CLK_TCK)" '{ sub(/^.*\) /, ""); printf "%.0f\n", ($14 + $15) * 1000000 / tick }' "/proc/$$/stat"
}

main "$@"
