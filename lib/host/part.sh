# SPDX-License-Identifier: MIT
# shellcheck shell=bash
# What a part of a run has on this host: recorded processes, and files for the master. What ends them knows no part by its name.

# Seconds in which a process ends after TERM, and again after KILL: large memory takes time.
readonly PART_LIMIT=30

# The directory of a part of this run: `proc` records its processes, `out/` has the files for the master.
# Usage: host_part NAME
# Returns: sets PART
host_part() {
  workdir_open
  PART=$WORK/run-${RUN_ID-}/$1.part
}

# Make the directory, before anything starts.
# Usage: host_part_make
host_part_make() {
  owner_open
  [[ -d $PART/out ]] || mkdir -p -- "$PART/out"
}

# The same after an earlier call: what that has started ends, and its files are removed.
# Usage: host_part_fresh
host_part_fresh() {
  owner_open
  host_part_end || fail "${PART%.part}: a process of an earlier call does not end"
  rm -rf -- "$PART"
  host_part_make
}

# Start a program of the part in a separate session. Bash starts background processes with INT ignored, but programs use INT as the signal to write
# their results.
# Usage: host_part_launch LABEL COMMAND... >OUTPUT 2>MESSAGES
#   both files are in PART, by which the process is found if the directory is removed
# Returns: 1 if it has ended
host_part_launch() {
  local boot REPLY
  local -a reset=(--default-signal=INT)
  read -r boot </proc/sys/kernel/random/boot_id
  host_part_mark
  # coreutils 8.31 and newer
  env "${reset[@]}" true 2>/dev/null || reset=()
  setsid env "${reset[@]}" "$REPLY" "${@:2}" </dev/null &
  proc_started "$PART/proc" $! "$1"$'\t'"$boot"
}

# Start a function of the script as a process that outlives the call, with all functions, the owner of the run, and variables of the caller. Its text may
# have a secret, so only this user can read it. It records what it does in PART/events.tsv. A call that the master repeats after a lost link starts nothing.
# Usage: host_part_run LABEL FUNCTION VARIABLE...
host_part_run() {
  [[ ! -e $PART/proc ]] || return 0
  owner_keep
  (
    umask 077
    {
      echo 'set -u'
      declare -p "${!_OWNER@}" WORK RUN_ID PART "${@:3}"
      declare -f
      echo "$2"
    } >"$PART/$1.sh"
  )
  : >"$PART/events.tsv"
  host_part_launch "$1" bash "$PART/$1.sh" >/dev/null 2>"$PART/$1.err" || fail "the $1 ended at once: $(said_why <"$PART/$1.err")"
  host_part_made
}

# The variable in the environment of all that the part starts.
# Usage: host_part_mark
# Returns: sets REPLY
host_part_mark() {
  REPLY=PART_OF_TIERBENCH=${PART##*/run-}
}

# Note that everything that was started is recorded.
# Usage: host_part_made
host_part_made() {
  : >"$PART/made"
}

# Have the monitors count where the memory of its processes is, at each mark.
# Usage: host_part_counted
host_part_counted() {
  : >"$PART/counted"
}

# Whether all recorded processes run.
# Usage: host_part_lives
# Returns: 1 if one has ended, or none is recorded; sets LABEL, that of the last one that was looked at
host_part_lives() {
  local pid start
  LABEL=
  [[ -s $PART/proc ]] || return
  while read -r pid start LABEL _; do proc_alive "$pid" "$start" || return; done <"$PART/proc"
}

# End all processes of the part, and what they have started; the files stay.
# Usage: host_part_end
# Returns: 1 if one does not end
host_part_end() {
  local REPLY
  host_part_mark
  # Ctrl-C may have ended the call that started them before all were recorded.
  [[ -e $PART/made || ! -d $PART ]] || proc_marked "$PART/proc" "$REPLY"
  proc_session "$PART/proc" "$REPLY"
  proc_end "$PART_LIMIT" "$PART/proc"
}

# End and remove all parts of a run.
# Usage: host_part_stop DIR
# Returns: 1 with a line for each that does not end
host_part_stop() {
  local PART status=0
  for PART in "$1"/*.part; do
    [[ -d $PART ]] || continue
    if host_part_end; then
      rm -rf -- "$PART"
    else
      printf '%s: a process does not end\n' "${PART%.part}" >&2
      status=1
    fi
  done
  return "$status"
}
