# SPDX-License-Identifier: MIT
# shellcheck shell=bash
# A program of the user that runs on the server during measured phases, in a separate directory.
# Needs: part
# Reads start: SIDECAR

# Seconds in which the program writes its results after INT.
SIDECAR_LIMIT=30

# Usage: main start|end
main() {
  host_part sidecar
  "host_sidecar_$1"
}

# Start the program of SIDECAR, unless it was started before: the master repeats a call after a lost link.
host_sidecar_start() {
  local -a words
  [[ ! -e $PART/proc ]] || return 0
  read -r -a words <<<"$SIDECAR"
  host_part_make
  cd "$PART/out" 2>/dev/null || fail "$PART: is missing"
  host_part_launch sidecar "${words[@]}" >sidecar.log 2>&1 || fail "SIDECAR: '$SIDECAR' ended at once: $(tail -n 1 sidecar.log)"
  host_part_made
}

# Stop the program, and print `early WHY` if it has ended before.
host_sidecar_end() {
  local pid='' start='' end=$((SECONDS + SIDECAR_LIMIT)) REPLY
  # The call that stopped it may be repeated after a lost link.
  if read -r pid start _ 2>/dev/null <"$PART/proc" && [[ ! -e $PART/stopped ]]; then
    if proc_alive "$pid" "$start"; then
      : >"$PART/stopped"
    else
      printf 'early\t%s\n' "$(said_why <"$PART/out/sidecar.log" | tr -d '[:cntrl:]')"
    fi
  fi
  # As Ctrl-C does: a shell ends when what it runs has ended. What it runs in the background ignores INT.
  host_part_mark
  proc_session "$PART/proc" "$REPLY"
  proc_signal INT "$PART/proc"
  while [[ -n $pid ]] && proc_alive "$pid" "$start" && ((SECONDS < end)); do proc_pause; done
  host_part_end || fail "SIDECAR: the program does not end"
}
