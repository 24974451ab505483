#!/usr/bin/env bash
# SPDX-License-Identifier: MIT
# Inject one fault at one moment into each of many runs. Nothing may be left behind, and no complete repeat may be wrong.
#
# Usage: MINUTES=N tests/faults/run.sh           every fault at every moment in random order, repeatedly for N minutes (5)
#        TRY=FAULT:MOMENT:NUMBER tests/faults/run.sh   only that fault; NUMBER determines the delay after the moment's line
# A run loads a server from two clients: three hosts with an sshd each in network namespaces of this machine. It tunes the machine, so no other run
# may tune it at the same time. A run survives a fault if it ends within FAULT_LIMIT seconds (120), every host has its earlier state after `do_it.sh
# stop`, repeats that count are complete, and no message is a raw error of the shell. The last line is the result; the exit status is 0 if all runs
# survived.
set -Eeuo pipefail

HERE=$(cd "${BASH_SOURCE[0]%/*}" && pwd -P)
# shellcheck source=/dev/null # followed from here, shellcheck takes three times as long
. "$HERE/../helper.bash"
# shellcheck source=tests/netns.bash
. "$HERE/../netns.bash"
# shellcheck source=tests/faults/state.sh
. "$HERE/state.sh"
# shellcheck source=tests/faults/faults.sh
. "$HERE/faults.sh"

MINUTES=${MINUTES:-5}
FAULT_LIMIT=${FAULT_LIMIT:-120}

# The moments of a run, and the line of the run that each begins with.
declare -A MOMENT=(
  [doctor]=.
  [describe]='reading the description'
  [start]='1 of 2:'
  [set]='phase set starts'
  [get]='phase get starts'
  [fetch]=': done'
  [between]='2 of 2:'
  [report]='the run:'
)
declare -A tried=() survived=()
failed=()
state_first=

# Print every fault at every moment, in random order.
# Usage: matrix_print   Returns: 0
matrix_print() {
  local fault moment
  for fault in $(fault_names); do
    for moment in "${!MOMENT[@]}"; do printf '%s:%s:%s\n' "$fault" "$moment" $((RANDOM % 1000)); done
  done | shuf
}

# Whether the run (the job) has printed this, or has ended.
# Usage: run_said REGEX   Returns: 0 yes, 1 no
run_said() {
  grep -q -- "$1" "$SCRATCH/job.err" 2>/dev/null || ! process_alive "$JOB_PID" "$JOB_START"
}

# Start a run as the job; a reader passes on its output, and a fault may remove the reader.
# Usage: run_begin   Sets: JOB_PID JOB_START READER   Returns: 0
run_begin() {
  rm -rf -- "$SCRATCH/results" "$SCRATCH/said"
  mkdir -p -- "$SCRATCH/tmp"
  mkfifo "$SCRATCH/said"
  : >"$SCRATCH/job.err"
  cat <"$SCRATCH/said" >"$SCRATCH/job.err" &
  READER=$!
  disown "$READER"
  set -m
  TMPDIR=$SCRATCH/tmp nsenter --net="/run/netns/$(netns_name client1)" -- "$REPO/do_it.sh" run "${WORDS[@]}" \
    </dev/null >"$SCRATCH/said" 2>&1 &
  JOB_PID=$!
  set +m
  JOB_START=$(process_start "$JOB_PID") || JOB_START=gone
}

# Print problems of repeats that count as complete.
# Usage: run_repeats   Returns: 0
run_repeats() {
  local rep client lines
  for rep in "$SCRATCH"/results/*/native/*/rep-[0-9]; do
    [[ -d $rep ]] || continue
    for client in 198.18.0.11 198.18.0.12; do
      lines=$(awk -F '\t' 'NR > 1 { print $1 }' "$rep/$client/result.tsv" 2>&1 | sort -u | paste -sd ' ')
      [[ $lines == *get*set* || $lines == *[0-9]* ]] || echo "whole repeat without $client: $lines"
    done
  done
}

# Try one fault at one moment. Usage: seed_try FAULT MOMENT NUMBER   Returns: 0 survived, 1 not, with the problems on stdout
seed_try() {
  local fault=$1 moment=$2 number=$3 bad='' try left
  run_begin
  wait_within "$FAULT_LIMIT" run_said "${MOMENT[$moment]}" || bad+="the moment $moment did not come"$'\n'
  sleep "0.$(printf '%03d' "$number")" # the delay of the fault within the moment
  "fault_$fault" >/dev/null 2>&1 || :  # a process may have ended by itself
  wait_within "$FAULT_LIMIT" process_gone "$JOB_PID" "$JOB_START" 2>/dev/null || {
    bad+="the run did not end within $FAULT_LIMIT s"$'\n'
    kill -KILL -- "-$JOB_PID" 2>/dev/null || :
  }
  wait "$JOB_PID" 2>/dev/null || :
  [[ $(type -t "fault_${fault}_undo") != function ]] || "fault_${fault}_undo" || :
  kill "$READER" 2>/dev/null || :
  for try in 1 2 3; do
    # A host that was unreachable is reachable again after a short time.
    left=$(TMPDIR=$SCRATCH/tmp netns_exec client1 timeout 60 "$REPO/do_it.sh" stop "${WORDS[@]:2}" 2>&1) && break
    ((try < 3)) || bad+="stop: $left"$'\n'
    sleep 2 # until ssh is tried again
  done
  # Processes of a killed master detect within seconds that it is dead.
  wait_until 20 state_is_first 2>/dev/null || bad+=$(diff <(printf '%s\n' "$state_first") <(state_print) || :)$'\n'
  bad+=$(run_repeats)
  left=$(grep -hE 'unbound variable|syntax error|command not found|: line [0-9]+:|Traceback' "$SCRATCH/job.err" || :)
  [[ -z $left ]] || bad+=$'\n'"raw error: $left"
  [[ ! $bad =~ [^[:space:]] ]] || {
    printf '%s\n-- the run said:\n%s\n' "$bad" "$(tail -n 15 "$SCRATCH/job.err")"
    return 1
  }
}

# Whether the state is that before any fault.
# Usage: state_is_first   Globals: state_first   Returns: 0 yes, 1 no
state_is_first() { [[ $(state_print) == "$state_first" ]]; }

# Whether no host has processes other than its sshd.
# Usage: hosts_quiet   Returns: 0 yes, 1 no
hosts_quiet() {
  local host
  for host in "${NETNS_HOSTS[@]}"; do [[ -z $(state_processes "$host") ]] || return 1; done
}

# Print how often each fault was tried and survived.
# Usage: table_print   Returns: 0
table_print() {
  local fault
  printf '%-20s %6s %8s\n' fault tried survived
  for fault in $(fault_names); do
    ((${tried[$fault]-0} == 0)) || printf '%-20s %6d %8d\n' "$fault" "${tried[$fault]}" "${survived[$fault]-0}"
  done
}

# Try a fault, count the result, and report it.
# Usage: seed_run FAULT:MOMENT:NUMBER   Returns: 0
seed_run() {
  local fault moment number text
  IFS=: read -r fault moment number <<<"$1"
  tried[$fault]=$((${tried[$fault]-0} + 1))
  if text=$(seed_try "$fault" "$moment" "$number"); then
    survived[$fault]=$((${survived[$fault]-0} + 1))
    printf 'ok %s\n' "$1"
  else
    failed+=("$1")
    printf 'not ok %s\n%s\n' "$1" "$text"
    # The next fault begins with clean hosts.
    hosts_down
    hosts_up
  fi
}

# Build the hosts, and record their state after a run.
# Usage: hosts_up   Sets: state_first   Returns: 0, or 1 when a run without a fault fails
hosts_up() {
  netns_up "$SCRATCH"
  sed -i 's/ConnectTimeout .*/ConnectTimeout 2/' "$NETNS_SSH_CONFIG"
  # A separate disk, so that it can be full.
  netns_host server bash -c 'mkdir -p -m 700 -- "$1" && mount -t tmpfs -o size=32M,mode=700 none "$1"' bash "$RUN_FOLDER"
  # Files that the first run leaves for the next, such as the load generator, exist before the first state is recorded.
  netns_exec client1 "$REPO/do_it.sh" run "${WORDS[@]}" REDISRUNS=1 REPORT=off >"$SCRATCH/first" 2>&1 || {
    cat "$SCRATCH/first" >&2
    return 1
  }
  wait_until 20 hosts_quiet
  state_first=$(state_print)
}

# Remove the hosts with all their files.
# Usage: hosts_down   Returns: 0
hosts_down() {
  netns_down || :
}

# Prepare, inject faults until the time limit, and print the result.
# Usage: main   Returns: 0 every fault survived, 1 not
main() {
  local seed end each total=0
  [[ $MINUTES =~ ^[1-9][0-9]{0,3}$ ]] || {
    printf 'faults: MINUTES=%s: is no number of minutes\n' "$MINUTES" >&2
    return 2
  }
  end=$((SECONDS + MINUTES * 60))
  if [[ -n ${TRY-} ]]; then
    [[ $TRY =~ ^([a-z-]+):([a-z]+):([0-9]{1,3})$ && -n ${MOMENT[${BASH_REMATCH[2]}]+set} && $(type -t "fault_${BASH_REMATCH[1]}") == function ]] || {
      printf 'faults: TRY=%s: is no FAULT:MOMENT:NUMBER; faults: %s; moments: %s\n' "$TRY" "$(fault_names | paste -sd ' ')" "${!MOMENT[*]}" >&2
      return 2
    }
  fi
  hosts_up
  if [[ -n ${TRY-} ]]; then
    seed_run "$TRY"
  else
    while ((SECONDS < end)); do
      for seed in $(matrix_print); do
        ((SECONDS < end)) || break
        seed_run "$seed"
      done
    done
  fi
  table_print
  for each in "${tried[@]}"; do total=$((total + each)); done
  for each in "${failed[@]}"; do printf 'failed: TRY=%s\n' "$each"; done
  printf '%s faults tried, %s survived, state diff %s\n' "$total" "$((total - ${#failed[@]}))" \
    "$( ((${#failed[@]} == 0)) && echo empty || echo 'not empty, see above')"
  ((${#failed[@]} == 0))
}

# Remove the hosts and the scratch directory.
# Usage: main_end   Returns: 0
main_end() {
  # A signal must not end this function.
  trap '' INT TERM HUP
  hosts_down
  scratch_teardown
}

scratch_setup
RUN_FOLDER=$SCRATCH/host
WORDS=(-s demo SERVER=198.18.0.1 CLIENT_IP="198.18.0.11 198.18.0.12" SSH_CONFIG="$SCRATCH/netns/ssh_config" SRV_OVERRIDE=4 KEYS=500
  VALUE_SIZES=100 REPORT=on REDISRUNS=2 TIME=1 RATE=4000 PHASES="set get" RESULTS_DIR="$SCRATCH/results" REMOTE_DIR="$RUN_FOLDER"
  REPLY_TIMEOUT=3 REMOTE_RETRY=8)
trap main_end EXIT
# A second signal, from make or timeout, would end the EXIT trap before its first line.
trap "trap '' INT TERM HUP; exit 130" INT
trap "trap '' INT TERM HUP; exit 143" TERM HUP
main
