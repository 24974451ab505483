# SPDX-License-Identifier: MIT
# shellcheck shell=bash
# The load generator on a client, inside a screen session, so that it does not end with the master's connection.
# Needs: allowed probe
# Reads: CLIENT
# Reads launch: CLIENT_LAUNCH CLIENT_THREADS CLIENT_PASSWORD SERVER_CERTIFICATE
#   CLIENT is this host's name in the run, or HOST@TENANT

# Usage: main launch BINARY [ARG]... | look SECONDS [PHASE ORDER...] | step | enough | fetch | stop
main() {
  local verb=$1
  shift
  workdir_open
  FOLDER=$WORK/run-$RUN_ID/client-${CLIENT//[^A-Za-z0-9.@-]/_}
  OUT=$FOLDER/out
  RECORD=$FOLDER/generator.proc
  # In the environment of what a launch starts.
  MARK=CLIENT_FOLDER=$FOLDER
  ARRIVED=${EPOCHREALTIME/,/.}
  # A look changes no state of other calls, so other calls need not wait for its end.
  if [[ $verb == look ]]; then
    host_client_look "$@"
    return
  fi
  if [[ $verb == stop ]]; then workdir_lock client 30; else workdir_lock client; fi
  CLIENT_LOCK=$REPLY
  "host_client_$verb" "$@"
}

# Start the generator, and check whether it waits for its first phase.
host_client_launch() {
  host_client_start "$@"
  exec {CLIENT_LOCK}>&-
  host_client_look 2
}

# The master repeats a call after a lost link: the launch may be done already. The record of another launch is of an earlier repeat.
host_client_start() {
  # screen refuses more than 80 characters, and its socket's path must stay under 108 bytes. The record, not the name, identifies the processes.
  local session=tierbench-${RUN_ID##*-}-${FOLDER##*/client-} end=$((SECONDS + 20)) pid file launch=''
  session=${session:0:64}
  { read -r launch <"$FOLDER/launched"; } 2>/dev/null || :
  [[ $launch != "$CLIENT_LAUNCH" ]] || return 0
  owner_open
  host_client_end 10
  [[ ! -e $FOLDER ]] || rm -rf -- "$FOLDER"
  mkdir -- "$FOLDER" "$OUT"
  host_client_clock
  printf '%s' "$CLIENT_PASSWORD" >"$FOLDER/auth"
  [[ -z $SERVER_CERTIFICATE ]] || printf '%s\n' "$SERVER_CERTIFICATE" >"$FOLDER/tls.crt"
  host_client_write_job "$@" >"$FOLDER/job.sh"
  host_allowed_note unknown
  printf '%s\n' "${ALLOWED_NOTED[@]}" >"$FOLDER/noted"
  TERM=${TERM/dumb/vt100} run_limited 20 env "$MARK" screen -dmS "$session" bash "$FOLDER/job.sh" {CLIENT_LOCK}>&- || fail "screen cannot start a session"
  until [[ -s $FOLDER/test.pid ]]; do
    ((SECONDS < end)) || fail "the screen session $session did not start the load generator in 20 s"
    proc_pause
  done
  # Record the job first: it must outlive a stopped generator to write its exit status.
  for file in "$FOLDER/test.pid" "$FOLDER/job.pid"; do
    read -r pid <"$file" || :
    # It may have ended already. A generator that cannot be recorded is killed, and the next look reports it as lost.
    proc_started "$RECORD" "$pid" generator || :
  done
  printf '%s\n' "$CLIENT_LAUNCH" >"$FOLDER/launched"
}

# The script that runs inside the screen session.
host_client_write_job() {
  printf 'cd %q || exit\n' "$OUT"
  printf 'export OMP_NUM_THREADS=%q REDISCLI_AUTH\n' "$CLIENT_THREADS"
  # shellcheck disable=SC2016 # expanded by the job
  printf 'REDISCLI_AUTH=$(<%q)\n' "$FOLDER/auth"
  printf 'echo $$ >%q\n' "$FOLDER/job.pid"
  printf '%q ' "$@"
  printf '</dev/null >stdout 2>stderr &\n'
  printf 'echo $! >%q\n' "$FOLDER/test.pid"
  printf 'wait $!\n'
  printf 'status=$?\ntimes >%q\n' "$FOLDER/times"
  # One write by the job itself: a process that it leaves behind could write while the directory is removed. Readers wait for content.
  # shellcheck disable=SC2016 # expanded by the job
  printf 'echo $status >%q\n' "$FOLDER/exit"
}

# Write ORDER to the generator's start file of PHASE; its first word is the start time in seconds since the epoch on this host's clock
# (docs/loadgen.md). Then wait for a change, at most SECONDS. Print `clock ARRIVED LEFT` (this host's clock, at the beginning and the end), `ready
# PHASE` when the generator waits for that phase, `status LINE`, `machine` with the output of host_probe_cpu while no phase runs, `jumped SECONDS`
# when the clock was set, `stopped` when a signal has stopped the generator, and `exit STATUS` when it has ended, and `killed WHY` when it was killed,
# or its disk is full.
# Usage: host_client_look SECONDS [PHASE ORDER...]
host_client_look() {
  local began=${EPOCHREALTIME/[.,]/} turn=0 waited=0 pause status='' READY='' STATE=''
  owner_keep
  # One write of one line: the generator waits for its line feed.
  [[ -z ${2-} || -s $OUT/start-$2 ]] || printf '%s\n' "${*:3}" >"$OUT/start-$2"
  while ((waited < $1 * 1000000)); do
    host_client_ready
    [[ -z $READY && ! -s $FOLDER/exit ]] || break
    # The process must be checked; other changes are in files.
    ((turn++ % 25)) || host_client_state
    [[ $STATE == R ]] || break
    # From 20 to 100 ms, a tenth of the wait: polls take CPU time from the generator.
    printf -v pause '0.%06d' $((waited < 200000 ? 20000 : waited < 1000000 ? waited / 10 : 100000))
    proc_wait "$pause"
    waited=$((${EPOCHREALTIME/[.,]/} - began))
  done
  host_client_ready
  host_client_state
  [[ -z $READY ]] || printf 'ready\t%s\n' "$READY"
  { IFS= read -r status <"$OUT/status"; } 2>/dev/null || :
  [[ -z $status ]] || printf 'status\t%s\n' "$status"
  host_client_clock
  [[ -z $READY || -e $FOLDER/stats ]] || host_client_allowed
  ALLOWED_STATS=()
  { mapfile -t ALLOWED_STATS <"$FOLDER/stats"; } 2>/dev/null || :
  if [[ -s $FOLDER/exit ]]; then
    host_probe_row "$(host_probe_times "$FOLDER/times")"
    read -r status <"$FOLDER/exit"
    printf 'exit\t%s\n' "$status"
    case $status in
      0) ;;
      # 128 and SIGKILL.
      137) host_client_killed "ended with SIGKILL" ;;
      *) host_client_full || : ;;
    esac
  elif [[ $STATE == T ]]; then
    printf 'stopped\n'
  elif [[ $STATE != R ]]; then
    host_client_killed "ended with no exit status: it was killed"
  elif [[ -n $READY ]]; then
    host_probe_row 0 "$RECORD"
  fi
  printf 'clock\t%s\t%s\n' "$ARRIVED" "${EPOCHREALTIME/,/.}"
}

# Note what limits the generator when it waits for its first phase: CLIENT_PREFIX may have put it into another cgroup.
host_client_allowed() {
  local pid
  read -r pid _ <"$RECORD"
  host_allowed_note "$pid"
  printf '%s\n' "${ALLOWED_NOTED[@]}" >"$FOLDER/noted"
  host_allowed_stats "$pid"
  printf '%s\n' "${ALLOWED_STATS[@]}" >"$FOLDER/stats"
}

# Print `killed WHY`: the OOM killer acted since the launch, the disk is full, or what else is known.
# Usage: host_client_killed ENDED
host_client_killed() {
  ALLOWED_NOTED=()
  { mapfile -t ALLOWED_NOTED <"$FOLDER/noted"; } 2>/dev/null || :
  if host_allowed_killed; then
    printf 'killed\tthe OOM killer took the load generator: %s\n' "$ALLOWED_SAID"
  # The job could not write an exit status.
  elif host_client_full; then
    :
  elif ! { echo >"$FOLDER/full"; } 2>/dev/null; then
    printf 'killed\t%s\n' "$FOLDER cannot be written (REMOTE_DIR: is its disk full?)"
  else
    printf 'killed\tthe load generator %s\n' "$1"
  fi
}

# Print `killed WHY` when a file system that the generator writes to is full: neither its messages nor its exit status may be there.
# Returns: 1 if none is
host_client_full() {
  workdir_full && printf 'killed\tthe load generator ended; %s\n' "$REPLY"
}

# Set READY to the phase that the generator waits for.
host_client_ready() {
  local file
  for file in "$OUT"/ready-*; do
    [[ ! -e $file || -s $OUT/start-${file##*/ready-} ]] || READY=${file##*/ready-}
  done
}

# Set STATE: T when a signal has stopped the generator, R when it or the job that writes its exit status runs.
host_client_state() {
  local pid start line
  STATE=
  [[ -e $RECORD ]] || return 0
  while read -r pid start _; do
    { read -r line <"/proc/$pid/stat"; } 2>/dev/null || continue
    proc_alive "$pid" "$start" || continue
    line=${line##*) }
    if [[ $line == [Tt]* ]]; then STATE=T; else STATE=${STATE:-R}; fi
  done <"$RECORD"
}

# Print `jumped SECONDS` when the wall clock has moved against the monotonic clock since the generator was started.
host_client_clock() {
  local before after now from at by
  { read -r before _ && now=${EPOCHREALTIME/[.,]/}; } </proc/uptime || return 0
  read -r after _ </proc/uptime
  before=${before/./} after=${after/./}
  # If interrupted between the two readings, the difference is invalid.
  ((10#$after - 10#$before <= 5)) || return 0
  at=$((now / 10000 - 10#$before))
  if [[ ! -s $FOLDER/clock ]]; then
    printf '%s %s\n' "$at" "$before" >"$FOLDER/clock"
    return 0
  fi
  read -r from now <"$FOLDER/clock"
  by=$((at - from))
  # Slewing changes a clock by at most 0.5 ms per second (adjtime(3)).
  ((${by#-} <= 50 + (10#$before - 10#$now) / 1000)) || printf 'jumped\t%d.%02d\n' $((by / 100)) $((${by#-} % 100))
}

# Print the last row of steps.tsv: `figure NAME VALUE` for each column, `samples` among them, and `bucket US COUNT` for each slot of its histogram.
host_client_step() {
  LC_ALL=C awk -F '\t' '
    NR == 1 { n = split($0, name, FS); next }
    { row = $0 }
    END {
      split(row, value, FS)
      buckets = split(value[n], slot, " ")
      for (i = 1; i <= buckets; i++) {
        split(slot[i], part, ":")
        samples += part[2]
        print "bucket\t" part[1] "\t" part[2]
      }
      for (i = 1; i < n; i++) if (value[i] ~ /^[0-9.]+$/) print "figure\t" name[i] "\t" value[i]
      print "figure\tsamples\t" samples + 0
    }' "$OUT/steps.tsv"
}

# Send all files of the generator.
host_client_fetch() {
  local file
  local -a files=()
  cd "$OUT" 2>/dev/null || fail "$OUT: is missing"
  for file in *; do
    case $file in ready-* | start-* | status* | stop) ;; *) files+=("$file") ;; esac
  done
  files_send -- "${files[@]}"
}

# Let the generator end its phase: it has lasted long enough.
host_client_enough() {
  owner_keep
  : >"$OUT/stop"
}

# End what the last launch started. A master that ends kills its calls on its own host: a launch may have started what it did not record, and
# CLIENT_PREFIX may leave processes behind.
# Usage: host_client_end LIMIT
host_client_end() {
  [[ ! -e $FOLDER ]] || proc_marked "$RECORD" "$MARK"
  proc_end "$1" "$RECORD" || fail "$RECORD: a load generator does not end"
}

# Stop the generator, or those of all tenants, and remove their directories.
host_client_stop() {
  local all=$FOLDER
  owner_turn || :
  for FOLDER in "$all" "$all"@*; do
    [[ -e $FOLDER ]] || continue
    RECORD=$FOLDER/generator.proc MARK=CLIENT_FOLDER=$FOLDER
    host_client_end 15
    rm -rf -- "$FOLDER"
  done
  owner_close
}
