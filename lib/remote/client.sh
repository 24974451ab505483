# SPDX-License-Identifier: MIT
# shellcheck shell=bash
# The load generator on a client, inside a screen session, so that it does not end with the master's connection.
# Settings sent in front: RUN_ID, CLIENT (this host's name in the run), and for launch: RUN_OWNER, CLIENT_THREADS, REDIS_PASSWORD.

# Usage: main have KEY | build KEY | launch BINARY [ARG]... | poll | go PHASE TIME | fetch | stop
main() {
  local verb=$1
  shift
  work_open
  FOLDER=$WORK/run-$RUN_ID/client-${CLIENT//[^A-Za-z0-9.-]/_}
  OUT=$FOLDER/out
  RECORD=$FOLDER/generator.proc
  exec {CLIENT_LOCK}>"$WORK/client.flock"
  flock "$CLIENT_LOCK"
  "client_$verb" "$@"
}

# Print `yes PATH` when the cached binary KEY runs here, else `no`; then machine and libc, which a copy must fit.
client_have() {
  local binary=$WORK/cache/test-$1
  if [[ -e $binary ]] && chmod 700 "$binary" && "$binary" --version >/dev/null 2>&1; then
    printf 'yes\t%s\n' "$binary"
  else
    printf 'no\t%s %s\n' "$(uname -m)" "$(getconf GNU_LIBC_VERSION 2>/dev/null || echo unknown)"
  fi
}

# Build the binary KEY from the sources in cache/KEY.tar.
client_build() {
  local source=$WORK/cache/source-$1
  rm -rf -- "$source"
  mkdir -p -- "$source"
  tar -xf "$WORK/cache/$1.tar" -C "$source"
  make -C "$source" >"$source.log" 2>&1 || fail "the load generator does not build here: $(tail -n 1 "$source.log")"
  mv -f -- "$source/test" "$WORK/cache/test-$1"
  rm -rf -- "$source" "$WORK/cache/$1.tar"
  client_have "$1"
}

client_launch() {
  local session=tierbench-$RUN_ID-${FOLDER##*/} end=$((SECONDS + 20)) pid
  [[ ! -e $FOLDER/launched ]] || return 0
  proc_end 10 "$RECORD"
  rm -rf -- "$FOLDER"
  run_open
  mkdir -p -- "$OUT"
  printf '%s' "$REDIS_PASSWORD" >"$FOLDER/auth"
  write_job "$@" >"$FOLDER/job.sh"
  TERM=${TERM/dumb/vt100} screen -dmS "$session" bash "$FOLDER/job.sh" {CLIENT_LOCK}>&- || fail "screen cannot start a session"
  until [[ -s $FOLDER/test.pid ]]; do
    ((SECONDS < end)) || fail "the screen session $session did not start the load generator in 20 s"
    sleep 0.02 # between two looks
  done
  # The job first: it is then still there to write the exit status of a generator that is ended.
  for pid in "$(<"$FOLDER/test.pid")" "$(<"$FOLDER/job.pid")"; do
    proc_record "$RECORD" "$pid" generator || : # it may be done already
  done
  touch "$FOLDER/launched"
}

# The script that runs inside the screen session.
write_job() {
  printf 'cd %q\n' "$OUT"
  printf 'export OMP_NUM_THREADS=%q REDISCLI_AUTH\n' "$CLIENT_THREADS"
  # shellcheck disable=SC2016 # expanded by the job
  printf 'REDISCLI_AUTH=$(<%q)\n' "$FOLDER/auth"
  printf 'echo $$ >%q\n' "$FOLDER/job.pid"
  printf '%q ' "$@"
  printf '</dev/null >%q 2>%q &\n' "$FOLDER/stdout" "$FOLDER/stderr"
  printf 'echo $! >%q\n' "$FOLDER/test.pid"
  printf 'wait $!\n'
  printf 'echo $? >%q.new && mv %q.new %q\n' "$FOLDER/exit" "$FOLDER/exit" "$FOLDER/exit"
}

# Print, a line each: `clock SECONDS`, `ready PHASE` when it waits for that phase, `status LINE`, and
# `exit STATUS` or `lost` when it is over.
client_poll() {
  local file phase pid start alive=0
  run_renew
  printf 'clock\t%s\n' "$EPOCHREALTIME"
  for file in "$OUT"/ready-*; do
    [[ -e $file ]] || continue
    phase=${file##*/ready-}
    [[ -e $OUT/start-$phase ]] || printf 'ready\t%s\n' "$phase"
  done
  [[ ! -s $OUT/status ]] || printf 'status\t%s\n' "$(<"$OUT/status")"
  while read -r pid start _; do
    ! proc_alive "$pid" "$start" || alive=1
  done < <(cat "$RECORD" 2>/dev/null)
  if [[ -s $FOLDER/exit ]]; then
    printf 'exit\t%s\n' "$(<"$FOLDER/exit")"
  elif ((!alive)); then
    printf 'lost\n'
  fi
}

# Let the generator start PHASE at TIME, seconds since the epoch on this host's clock.
client_go() {
  printf '%s\n' "$2" >"$OUT/start-$1.new"
  mv -f -- "$OUT/start-$1.new" "$OUT/start-$1"
}

# Print everything that the generator wrote as a tar stream, with its checksums.
client_fetch() {
  cd "$OUT" || fail "$OUT: is gone"
  cp ../stdout ../stderr .
  rm -f -- ready-* start-* status SHA256SUMS
  sha256sum -- * >../SHA256SUMS
  mv ../SHA256SUMS .
  tar -cf - -- *
}

# End the generator and remove its folder.
client_stop() {
  proc_end 15 "$RECORD" || fail "$RECORD: a load generator does not end"
  rm -rf -- "$FOLDER"
  run_close
}
