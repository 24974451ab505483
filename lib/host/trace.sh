# SPDX-License-Identifier: MIT
# shellcheck shell=bash
# A program of the user that runs on the server during measured phases, in a separate directory.
# Reads start: TRACE

# Usage: main start|fetch|stop
main() {
  workdir_open
  FOLDER=$WORK/run-$RUN_ID/trace
  RECORD=$WORK/run-$RUN_ID/trace.proc
  # In the environment of what the program starts, so that it is known as ours.
  MARK=TRACE_RUN=$RUN_ID
  "host_trace_$1"
}

# Start the program of TRACE, unless it was started before.
# Usage: host_trace_start
# Globals: TRACE FOLDER RECORD MARK
host_trace_start() {
  local boot
  local -a words
  read -r boot </proc/sys/kernel/random/boot_id
  read -r -a words <<<"$TRACE"
  # A call that the master repeats after a lost link finds the program running.
  [[ ! -e $RECORD ]] || return 0
  owner_open
  [[ -d $FOLDER ]] || mkdir -- "$FOLDER"
  cd "$FOLDER" 2>/dev/null || fail "$FOLDER: is missing"
  # Bash starts background processes with INT ignored, but such programs use INT as the signal to write their results.
  setsid env --default-signal=INT "$MARK" "${words[@]}" </dev/null >trace.log 2>&1 &
  proc_started "$RECORD" $! "trace"$'\t'"$boot" || fail "TRACE: '$TRACE' ended at once: $(tail -n 1 trace.log)"
}

# Stop the program and send its files.
host_trace_fetch() {
  local pid='' start='' end=$((SECONDS + 30))
  # The call that stopped it may be repeated after a lost link.
  if read -r pid start _ 2>/dev/null <"$RECORD" && [[ ! -e $RECORD.stopped ]]; then
    if proc_alive "$pid" "$start"; then
      : >"$RECORD.stopped"
    else
      printf 'TRACE: the program ended before the load did: %s\n' "$(said_why <"$FOLDER/trace.log")" >&2
    fi
  fi
  # As Ctrl-C does: a shell ends when what it runs has ended. What it runs in the background ignores INT.
  proc_session "$RECORD" "$MARK"
  proc_signal INT "$RECORD"
  while [[ -n $pid ]] && proc_alive "$pid" "$start" && ((SECONDS < end)); do proc_pause; done
  host_trace_end
  cd "$FOLDER" 2>/dev/null || fail "$FOLDER: is missing"
  files_send -- *
}

# Stop the program and everything that it has started. Ctrl-C may have ended the call that started it before it was recorded.
host_trace_end() {
  [[ -e $RECORD || ! -e $FOLDER ]] || proc_marked "$RECORD" "$MARK"
  proc_session "$RECORD" "$MARK"
  proc_end 5 "$RECORD" || fail "TRACE: the program does not end"
}

# Stop the program, whether the repeat succeeded or failed, and remove its files.
# Usage: host_trace_stop
host_trace_stop() {
  host_trace_end
  rm -rf -- "$FOLDER" "$RECORD" "$RECORD.stopped"
  owner_close
}
