# SPDX-License-Identifier: MIT
# shellcheck shell=bash
# Shared by the suites of the load generator: the generator, its result.tsv, instances on consecutive ports, and a faulty server.

# A scratch directory, and the generator built.
setup() {
  scratch_setup
  [[ -x $REPO/test ]] || make -s -C "$REPO"
}

# Run the generator with THREADS threads, its files in ./out.
# Usage: loadgen THREADS OPTION...   Sets: as run_split does
loadgen() {
  local threads=$1
  shift
  OMP_NUM_THREADS=$threads run_split "$REPO/test" --out out "$@"
}

# Print what the generator wrote to stderr, without the lines that it was the limit: on a busy machine it can be.
# Usage: loadgen_said   Returns: 0
loadgen_said() {
  grep -v ': this client was the limit: ' <<<"$STDERR" || :
}

# Start the generator in the background, its files in ./out.
# Usage: loadgen_start THREADS OPTION...   Sets: as job_start does
loadgen_start() {
  local threads=$1
  shift
  job_start env OMP_NUM_THREADS="$threads" "$REPO/test" --out out "$@"
}

# The same at a new gate.
# Usage: loadgen_gate THREADS OPTION...   Sets: as job_start does
loadgen_gate() {
  rm -rf gate
  mkdir gate
  loadgen_start "$1" --gate gate "${@:2}"
}

# Wait until the generator offers a phase, and give it an order.
# Usage: order OFFER WORD...   Returns: 0, or 1
order() {
  local offer=$1
  shift
  wait_until 20 test -e "gate/ready-$offer" || fail "$offer was not offered: $(<"$SCRATCH/job.err")"
  echo "$*" >"gate/start-$offer.new" && mv "gate/start-$offer.new" "gate/start-$offer"
}

# Wait until the running phase has lasted for SECONDS. Usage: wait_elapsed PHASE SECONDS   Returns: 0, or 1
wait_elapsed() {
  wait_until 30 awk -F '\t' -v phase="$1" -v least="$2" '$1 != phase || $6 < least { exit 1 }' out/status
}

# Print columns of result.tsv for an operation.
# Usage: result OPERATION COLUMN[ COLUMN]... [DIR]   Returns: 0
result() {
  cells -w operation="$1" "$2" "${3:-out}/result.tsv"
}

# Print a latency of result.tsv in whole us, for arithmetic.
# Usage: us OPERATION COLUMN [DIR]   Returns: 0
us() { result "$@" | cut -d . -f 1; }

# Print the number of calls of a command on the server.
# Usage: calls COMMAND [PORT]   Returns: 0
calls() {
  redis-cli -p "${2:-$REDIS_PORT}" info commandstats | sed -n "s/^cmdstat_$1:calls=\([0-9]*\),.*/\1/p"
}

# Whether the server was asked COMMAND COUNT times at least. Usage: asked COMMAND COUNT   Returns: 0 yes, 1 no
asked() { (($(calls "$1") >= $2)); }

# Log every command of the server in a file from now on.
# Usage: monitor_start FILE   Returns: 0
monitor_start() {
  redis-cli -p "$REDIS_PORT" monitor >"$1" 3>&- &
  process_note $!
  wait_until 10 grep -q OK "$1"
}

# Start COUNT servers on consecutive ports.
# Usage: instances COUNT   Sets: FIRST   Returns: 0
instances() {
  local index
  FIRST=$(ports_pick "$1")
  for ((index = 0; index < $1; index++)); do redis_start -p $((FIRST + index)); done
}

# Wait until the server has COUNT connections whose last command is COMMAND.
# Usage: wait_connections COUNT COMMAND   Returns: 0, or 1
wait_connections() {
  wait_until 20 bash -c "(( \$(redis-cli -p $REDIS_PORT client list | grep -cE 'cmd=($2)') == $1 ))"
}

# Start a faulty server, delay_server.py; its answers are logged in NAME.log.
# Usage: delay_server NAME OPTION...   Sets: DELAY_PORT DELAY_PID   Returns: 0, or 1
delay_server() {
  local name=$1
  shift
  need_command python3
  python3 "$REPO/tests/delay_server.py" --port-file "$name.port" --log "$name.log" "$@" 2>"$name.err" 3>&- &
  DELAY_PID=$!
  process_note "$DELAY_PID"
  wait_until 20 test -s "$name.port" || fail "the server did not start: $(<"$name.err")"
  DELAY_PORT=$(<"$name.port")
}

# Print a trace of N requests at RATE per second in whole seconds, over KEYS keys with a skewed popularity.
# Usage: trace_make N RATE KEYS
trace_make() {
  awk -v n="$1" -v rate="$2" -v keys="$3" 'BEGIN {
    srand(11)
    ops = split("get get get gets get get set cas add replace append prepend delete incr decr", op, " ")
    for (i = 0; i < n; i++) {
      k = int(rand() * rand() * keys)
      o = op[1 + int(rand() * ops)]
      key = "ns:" (k % 7 ? "u" : "a,b") ":" k
      printf "%d,%s,%d,%d,%d,%s,%d\n", i / rate, key, length(key) + k % 30, k * 37 % 2500, k % 5, o, k % 3 ? 0 : 5000
    }
  }'
}
