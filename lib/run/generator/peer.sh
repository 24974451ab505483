#!/usr/bin/env bash
# SPDX-License-Identifier: MIT
# Another load generator in place of ./test: the same options, the same gate between phases, the same log and result.tsv.
# Usage: peer.sh COMMON ADAPTER OPTION... HOST PORT SIZE KEYS
#
# COMMON is lib/shared/common.sh.
# One process per instance, as in the Cloud Onload Redis Cookbook. ADAPTER is the file for one program; it has
#   adapter_version                   print the program's name and version
#   adapter_each REQUESTS             print REQUESTS of an instance, rounded as the program requires
#   adapter_load PHASE PORT STEM      become the load of a phase on an instance; what it writes goes to STEM.*
#   adapter_watch                     return when the load is done, with the us that the i-th process was at it in TOOK[i]; one that
#                                     has no better way does without
#   adapter_figures PHASE STEM US     read that, the load having taken US, and print a row, empty where the program cannot tell:
#                                     ops, elapsed, average and longest time, p50, p90, p99, p99.9, p99.99 (all in us), sets, misses,
#                                     error replies, lost. STEM.slots and STEM.seconds may hold `US COUNT` and `SECOND COUNT`
# and sees HOST (of the instance) SIZE KEYS PREFIX PATTERN CONNECTIONS PIPELINE INSTANCES THREADS (of an instance) EACH TIME
# RATE (of all) RATIO DATA LOAD_USER.
# The login to instances is a user without a password, so that no password is on a command line.
set -Eeuo pipefail
export LC_ALL=C

WATCH=

# Stop the running processes when this process is stopped, or its screen session ends, whose HUP redis-benchmark ignores.
give_up() {
  trap '' TERM INT HUP
  kill_loads
  [[ -z $WATCH ]] || kill -KILL "$WATCH" 2>/dev/null || :
  exit 143
}

# Kill the running processes: also if an instance is silent, because they would not exit. PIDS lacks one that was started just now, and has those that
# have ended, whose numbers may belong to other processes. TERM can be lost in a process that bash has just forked.
kill_loads() {
  local pid
  for pid in $(jobs -pr); do kill -KILL "$pid" 2>/dev/null || :; done
}

# Usage: main OPTION... HOST PORT SIZE KEYS
main() {
  local phase REPLY
  INSTANCES=1 CONNECTIONS=1 PIPELINE=1 PHASES=set,get REQUESTS=0 TIME=0 RATE=0 RATIO=1:10 PATTERN=uniform DATA=pattern TIMEOUT=30
  LOAD_USER='' HOSTS='' PREFIX=
  PASSWORDS=()
  while [[ ${1-} == --* ]]; do
    case $1 in
      --instances) INSTANCES=$2 ;;
      --connections) CONNECTIONS=$2 ;;
      --pipeline) PIPELINE=$2 ;;
      --phases) PHASES=$2 ;;
      --requests) REQUESTS=$2 ;;
      --time) TIME=$2 ;;
      --rate) RATE=$2 ;;
      --ratio) RATIO=$2 ;;
      --keys) PATTERN=$2 ;;
      --key-prefix) PREFIX=$2 ;;
      --data) DATA=$2 ;;
      --timeout) TIMEOUT=$2 ;;
      --user) LOAD_USER=$2 ;;
      --hosts) HOSTS=$2 ;;
      --passwords)
        IFS=, read -r -a PASSWORDS <<<"${REDISCLI_AUTH-}"
        set -- "$1" "$@"
        ;;
      # Options without a counterpart here; these have no argument.
      --no-verify | --allow-misses) set -- "$1" "$@" ;;
      *) ;;
    esac
    shift 2
  done
  HOST=$1 PORT=$2 SIZE=$3 KEYS=$4
  THREADS=$(((${OMP_NUM_THREADS:-$INSTANCES} + INSTANCES - 1) / INSTANCES))
  EACH=$(adapter_each $((REQUESTS > 0 ? (REQUESTS + INSTANCES - 1) / INSTANCES : KEYS)))
  VERSION=$(adapter_version)
  TICKS=$(getconf CLK_TCK)
  trap give_up TERM INT HUP
  trap kill_loads USR1
  printf 'threads = %d start_port = %d value_len = %d key_count = %d\n' $((INSTANCES * THREADS)) "$PORT" "$SIZE" "$KEYS"
  printf 'operation\thost\tport\tinstances\tthreads\tconnections\tpipeline\trate\tarrival\tlen\tkeys\tpattern\tdata\tratio\tstart_us' >result.tsv
  printf '\telapsed_us\tmax_time_us\tops\tsets\tops_per_sec\tbytes\tavg_us\tp50_us\tp90_us\tp99_us\tp99_9_us\tp99_99_us\tmax_us' >>result.tsv
  printf '\terrors\terror_replies\tmisses\tlost\tlatency_from\tclient_cpu_us\tinterrupted\tversion\n' >>result.tsv
  # shellcheck disable=SC2086 # split into phases on purpose
  common_phases ${PHASES//,/ }
  for phase in $REPLY; do
    gate "$phase"
    run_phase "$phase"
  done
  printf '%s : Complete.\n' "$(date)"
}

# Report that this generator is ready for a phase, and wait for its start time.
gate() {
  local start
  : >"ready-$1"
  until [[ -s start-$1 ]]; do
    [[ -e ready-$1 || -s start-$1 ]] || fail "ready-$1 was removed before the phase was started"
    sleep 0.01
  done
  start=$(<"start-$1")
  start=${start/./}
  until ((${EPOCHREALTIME/[.,]/} >= start)); do sleep 0.001; done
}

# The address of the instance on a port: HOST, or what --hosts says of the ports from another one on: PORT=ADDRESS,...
# Usage: address PORT
# Returns: sets REPLY
address() {
  local each
  REPLY=$HOST
  for each in ${HOSTS//,/ }; do ((${each%%=*} > $1)) || REPLY=${each#*=}; done
}

# Run a phase on all instances, one process for each, and write its figures, log lines and row.
# Usage: run_phase PHASE
#   PHASE as common_phases names it; adapters get it without the number
# Returns: 1 if a process failed, has no figures, or a request failed
run_phase() {
  local phase=$1 i pid before used failed=0 start=${EPOCHREALTIME/[.,]/} took name REPLY
  cpu_us
  before=$CPU_US
  printf '%s : %d threads started - %s\n' "$(date)" $((INSTANCES * THREADS)) "$phase"
  PIDS=()
  for ((i = 0; i < INSTANCES; i++)); do
    address $((PORT + i))
    HOST=$REPLY REDISCLI_AUTH=${PASSWORDS[i]-} adapter_load "${phase%-*}" $((PORT + i)) "$phase.$i" &
    PIDS+=($!)
  done
  watch_instances &
  WATCH=$!
  disown "$WATCH" # no process waits for it
  TOOK=()
  ! declare -F adapter_watch >/dev/null || adapter_watch
  for pid in "${PIDS[@]}"; do wait "$pid" || failed=1; done
  cpu_us
  # TERM could arrive before its traps are set.
  kill -KILL "$WATCH" 2>/dev/null || :
  WATCH=
  used=$((CPU_US - before))
  took=$((${EPOCHREALTIME/[.,]/} - start))
  for ((i = 0; i < INSTANCES; i++)); do
    adapter_figures "${phase%-*}" "$phase.$i" "${TOOK[i]:-$took}" || {
      printf 'port %d: no figures for %s\n' $((PORT + i)) "$phase" >&2
      return 1
    }
  done >"$phase.figures"
  ((!failed)) || return 1
  name=$(histogram "$phase")
  series "$phase"
  thread_lines "$phase"
  printf '%s : %d threads finished - %s\n' "$(date)" $((INSTANCES * THREADS)) "$phase"
  [[ -z $name ]] || printf 'Histogram saved to file %s\n' "$name"
  failed=$(result_row "$phase" "$start" "$used" "$name")
  rm -f -- "$phase".[0-9]* "$phase.figures" "$phase.slots"
  [[ $failed == 0 ]]
}

# Send PING to every instance three times within the reply timeout, each on its own connection, and end the load when an instance does not
# answer in that time. Whether the load itself makes progress cannot be seen from here.
watch_instances() {
  local i fd never pause status words='AUTH peer none' REPLY
  local -a link=()
  # A closed connection is for the programs to notice.
  trap '' PIPE USR1
  pause=$(awk -v limit="$TIMEOUT" 'BEGIN { printf "%.3f", limit / 3 }')
  # Nothing is ever written to the pipe: reading from it is a pause without a process.
  exec {never}<> <(:)
  for ((i = 0; i < INSTANCES; i++)); do
    address $((PORT + i))
    ! { exec {fd}<>"/dev/tcp/$REPLY/$((PORT + i))"; } 2>/dev/null || link[i]=$fd
  done
  while kill -0 $$ 2>/dev/null; do
    for i in "${!link[@]}"; do
      { printf '%s\r\n' "$words" >&"${link[i]}"; } 2>/dev/null || unset 'link[$i]'
    done
    for i in "${!link[@]}"; do
      # An error reply is an answer too.
      status=0
      IFS= read -r -t "$TIMEOUT" -u "${link[i]}" _ || status=$?
      ((status)) || continue
      ((status > 128)) || {
        unset 'link[$i]'
        continue
      }
      printf 'port %d: no reply in %s s\n' $((PORT + i)) "$TIMEOUT" >&2
      while kill -USR1 $$ 2>/dev/null; do read -r -t "$pause" -u "$never" _ || :; done
      return
    done
    words=PING
    read -r -t "$pause" -u "$never" _ || :
  done
}

# The log's lines, the slowest last, because the guide's summary reads the last one. Threads of one process get an even share of its
# figures.
thread_lines() {
  sort -s -n -t $'\t' -k 2,2 <(awk -F '\t' -v OFS='\t' '{ print $0, NR - 1 }' "$1.figures") |
    awk -F '\t' -v phase="$1" -v port="$PORT" -v threads="$THREADS" '
      { for (t = 0; t < threads; t++)
          printf "Thread %3d: port %d %s %.0f keys - elapse %.0f usecs , max time %d , average %d , max average %d\n", $NF * threads + t, port + $NF, phase,
            int($1 / threads) + (t < $1 % threads), $2, $4, $3, $3 }'
}

# Add the phase's row to result.tsv and print how many requests failed.
# Usage: result_row PHASE START_US CPU_US HISTOGRAM
result_row() {
  local row=("$1" "$HOST" "$PORT" "$INSTANCES" $((INSTANCES * THREADS)) "$CONNECTIONS" "$PIPELINE") ratio=- arrival=closed rate=$RATE
  [[ $1 != mixed* ]] || ratio=$RATIO
  [[ $1 != populate* ]] || rate=0
  [[ $rate == 0 ]] || arrival=limited
  row+=("$rate" "$arrival" "$SIZE" "$KEYS" "$PATTERN" "$DATA" "$ratio" "$2")
  awk -F '\t' -v OFS='\t' -v head="$(printf '%s\t' "${row[@]}")" -v len="$SIZE" -v cpu="$3" -v version="$VERSION" -v slots="${4:+$1.slots}" '
    # A sum is known only when every process reports its part.
    function known(column) { return told[column] == NR ? sprintf("%.0f", sum[column]) : "" }
    {
      for (i = 1; i <= 13; i++) if ($i != "") { told[i]++; sum[i] += $i; if ($i + 0 > most[i]) most[i] = $i + 0; last[i] = $i }
      weighted += $1 * $3
    }
    END {
      # Percentiles of several processes cannot be merged without their histograms.
      for (i = 5; i <= 9; i++) p[i] = NR == 1 ? last[i] : ""
      if (slots != "") {
        split("0 0 0 0 50 90 99 99.9 99.99", share, " ")
        i = 5
        while ((getline line < slots) > 0) {
          split(line, f, " ")
          seen += f[3]
          width = 1
          while (f[1] >= 2048 * width) width *= 2
          for (; i <= 9 && seen >= share[i] / 100 * sum[1] - 1e-6; i++) p[i] = f[1] + width - 1 < most[4] ? f[1] + width - 1 : most[4]
        }
      }
      failed = known(12) == "" && known(13) == "" ? "" : sum[12] + sum[13]
      printf "%s%.0f\t%.0f\t%.0f\t%s\t%.3f\t%.0f", head, most[2], most[2], sum[1], known(10), sum[1] * 1000000 / most[2], (sum[1] - sum[11]) * len >>"result.tsv"
      printf "\t%s\t%s\t%s\t%s\t%s\t%s\t%s", told[3] == NR ? sprintf("%.1f", weighted / sum[1]) : "", p[5], p[6], p[7], p[8], p[9], told[4] == NR ? most[4] : "" >>"result.tsv"
      printf "\t%s\t%s\t%s\t%s\tsent\t%s\t0\t%s\n", failed, known(12), known(11), known(13), cpu, version >>"result.tsv"
      print failed + 0
    }' "$1.figures"
}

# Write the table that ./test writes, one column per instance, and print its name; PHASE.slots is its input. Print nothing when a program
# has no histogram.
histogram() {
  local phase=$1 i name
  for ((i = 0; i < INSTANCES; i++)); do
    [[ -s $phase.$i.slots ]] || return 0
  done
  for ((i = 0; i < INSTANCES; i++)); do awk -v i="$i" '{ print $1, i, $2 }' "$phase.$i.slots"; done | sort -n -k 1,1 -k 2,2 >"$phase.slots"
  name=$(mktemp "histogram-$phase-XXXXXX")
  chmod 644 "$name"
  awk -v instances="$INSTANCES" '
    function line(   i, all) {
      if (us == "") return
      printf "%s", us
      for (i = 0; i < instances; i++) {
        printf " %d", at[i]
        all += at[i]
        at[i] = 0
      }
      seen += all
      printf " %d %.3f\n", all, 100 * seen / total
    }
    NR == FNR { total += $3; next }
    FNR == 1 {
      printf "us"
      for (i = 0; i < instances; i++) printf " %d", i
      print " total"
    }
    $1 != us { line(); us = $1 }
    { at[$2] = $3 }
    END { line() }' "$phase.slots" "$phase.slots" >"$name"
  echo "$name"
}

# Write the time series as far as it is known: operations in each second.
series() {
  local phase=$1 i
  for ((i = 0; i < INSTANCES; i++)); do
    [[ -s $phase.$i.seconds ]] || return 0
  done
  awk -v longest="$(cut -f 2 "$phase.figures" | sort -n | tail -n 1)" '
    { ops[$1] += $2; if ($1 > last) last = $1 }
    END {
      print "time_s\tops\terrors\tmisses\tbytes\tp50_us\tp99_us\tp99_9_us\tmax_us"
      for (s = 0; s <= last; s++) {
        # The last second is as long as the load lasted. A very short last second is merged into the previous one, because its rate would be
        # random.
        at = s + 1 < longest / 1000000 ? s + 1 : longest / 1000000
        if (s < last && at + 0.1 > longest / 1000000) { ops[s + 1] += ops[s]; continue }
        printf "%.3f\t%d\t\t\t\t\t\t\t\n", at, ops[s]
      }
    }' "$phase".[0-9]*.seconds >"$phase.series.tsv"
}

# Set CPU_US to the CPU time of all our child processes that have ended.
cpu_us() {
  local line
  local -a field
  read -r line <"/proc/$$/stat"
  # The shell's account of its children, fields 16 and 17 of proc(5), counted from the third.
  read -r -a field <<<"${line##*) }"
  CPU_US=$(((field[13] + field[14]) * 1000000 / TICKS))
}

# shellcheck source=/dev/null
. "$1"
# shellcheck source=/dev/null
. "$2"
shift 2
main "$@"
