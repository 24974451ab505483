#!/usr/bin/env bash
# SPDX-License-Identifier: MIT
# The truth table of load generators: servers with known delays, and the errors of what each generator prints about them.
# Usage: run.sh [SERVER...]     servers of the table below (all); SECONDS_EACH=3 of load for each row, PROGRAMS="test ..."
# Each program has 50 connections without a pipeline: a closed loop of as many requests as the server answers in this time, and a loop at a rate if it
# has an option for one. The programs are ./test and what is installed or unpacked by tools/releases.sh of redis-benchmark,
# valkey-benchmark and memtier_benchmark. Prints a table in Markdown, and the commands. The server has CPU 0, a program CPU 1, at real-time priority
# if that is allowed.
set -Eeuo pipefail
# shellcheck source=/dev/null # followed from here, shellcheck takes three times as long
. "$(dirname "${BASH_SOURCE[0]}")/../helper.bash"
seconds=${SECONDS_EACH:-3}
TRUTH=$REPO/tests/truth
# Name, command, requests per second of a closed loop, rate of an open loop, and the delays (server.c).
SERVERS='
constant   get 5000 1000 base=10000
bimodal    get 5000 1000 base=5000 every=50 slow=50000
stalls     get 7000 1000 base=5000 period=1000000 stall=300000
overload   get 1000 1500 base=1000 queue=1
connection get 9800 1000 base=5000 link=7 slow=40000
shard      get 4200 1000 base=10000 shards=5 slow=40000
reader     set 2500 1000 base=5000 pace=4096
'

# Sets the command of a program, its output and its format. Usage: truth_command PROGRAM LOOP NAME OP REQUESTS RATE PORT
# Returns: sets command, form, file; 1 if the program has no such loop
truth_command() {
  local program=$1 loop=$2 name=$3 op=$4 requests=$5 rate=$6 port=$7 ratio=0:1
  [[ $loop == closed ]] || requests=$(awk -v rate="$rate" -v seconds="$seconds" 'BEGIN { printf "%.0f", rate * seconds }')
  # Each of the five shards has its part of the 50 connections.
  case ${program##*/} in
    test)
      form=test file=out/result.tsv
      command=(env OMP_NUM_THREADS=1 "$REPO/test" --no-flush --no-verify --phases "$op" --keys uniform --out out)
      if [[ $name == shard ]]; then command+=(--cluster -c 10); else command+=(-c 50); fi
      if [[ $loop == rate ]]; then command+=(--rate "$rate" --time "$seconds"); else command+=(--requests "$requests"); fi
      command+=(127.0.0.1 "$port" 20000 10000)
      ;;
    memtier_benchmark)
      form=memtier file=said.json
      [[ $op == get ]] || ratio=1:0
      command=("$program" --hide-histogram -s 127.0.0.1 -p "$port" -t 1 --test-time "$seconds" --ratio "$ratio" -d 20000
        --key-maximum 10000 --json-out-file "$file")
      [[ $loop == closed ]] || command+=(--rate-limiting $((rate / 50)))
      if [[ $name == shard ]]; then command+=(--cluster-mode -c 10); else command+=(-c 50); fi
      ;;
    *)
      form=redis file=said
      command=("$program" -h 127.0.0.1 -p "$port" -c 50 -n "$requests" -t "$op" -d 20000 -r 10000)
      [[ $name != shard ]] || command+=(--cluster --threads 1)
      [[ $loop == closed ]] || { [[ $program == *valkey* ]] && command+=(--rps "$rate"); }
      ;;
  esac
}

# Runs one program on a new server and prints what differs from the truth.
# Usage: truth_row PROGRAM LOOP NAME OP REQUESTS RATE WORD...   LOOP: closed or rate   Returns: 0, or 1 with what it printed on stderr
truth_row() {
  local pid form file
  local -a words=("${@:7}") command paced=()
  rm -rf -- out port truth.log
  truth_command "${@:1:6}" PORT || return 0
  "${alone[@]}" 0 ./server truth.log "${words[@]}" >port &
  pid=$!
  process_note "$pid"
  wait_until 10 test -s port
  [[ $2 == closed ]] || paced=("$6")
  timeout 60 "${alone[@]}" 1 "${command[@]/#PORT/$(<port)}" >said 2>&1 || { cat said >&2 && return 1; }
  kill "$pid"
  wait "$pid"
  printf '%s, %s: %s\n' "${label[$1]}" "$2" "${command[*]##*/}" >>commands
  python3 "$TRUTH/compare.py" "$form" "$file" truth.log "${paced[@]}" |
    awk -F '\t' -v row="| $3 | $2 | ${label[$1]} |" '{
      printf "%s %s / %s / %s |", row, $1, $2, $3
      for (i = 4; i <= NF; i++) printf " %s |", $i
      print ""
    }'
}

# Prints the rows of a server: each program in a closed loop, then at a rate. Usage: truth_server NAME OP PER_SECOND RATE WORD...   Returns: 0, or 1
truth_server() {
  local requests program loop
  requests=$(awk -v each="$3" -v seconds="$seconds" 'BEGIN { printf "%.0f", each * seconds }')
  for loop in closed rate; do
    for program in "${programs[@]}"; do truth_row "$program" "$loop" "$1" "$2" "$requests" "${@:4}" || return; done
  done
}

trap scratch_teardown EXIT
scratch_setup
"${CC:-gcc}" -std=gnu11 -D_GNU_SOURCE -O2 -o server "$TRUTH/server.c"
declare -A label=([test]=./test)
programs=()
# On a CPU of its own, before all other programs.
alone=(chrt -f 50 taskset -c)
"${alone[@]}" 0 true 2>/dev/null || alone=(taskset -c)
read -r -a names <<<"${PROGRAMS-}"
((${#names[@]})) || names=(test {,"$REPO"/build/releases/*/}{redis,valkey}-benchmark memtier_benchmark)
for program in "${names[@]}"; do
  if [[ $program != test ]]; then
    command -v "$program" >/dev/null || continue
    label[$program]=$("$program" --version | awk 'NR == 1 { sub("=", " "); print $1, $2 == "v" ? $3 : $2 }')
  fi
  programs+=("$program")
done
echo '| server | loop | program | truth: p50 / p99 / p99.9, ms | p50 | p99 | p99.9 | rate | count |'
echo '|---|---|---|---|---|---|---|---|---|'
while read -r -a row; do
  ((${#row[@]})) || continue
  (($# == 0)) || [[ " $* " == *" ${row[0]} "* ]] || continue
  truth_server "${row[@]}"
done <<<"$SERVERS"
# The commands for the first server.
echo
awk -F ':' '!seen[$1]++' commands
