# SPDX-License-Identifier: MIT
# shellcheck shell=bash
# Sent before every script of a host, and read by the master too: the end of a script, programs with a time limit, and
# the names of phases.

# Seconds for all instances to answer PING, and for a cluster to be complete.
readonly COMMON_READY=60
# Number of instances that the monitors sample per second; more instances take turns.
MONITOR_TURN=32

# End the script with one line on stderr.
# Usage: fail MESSAGE...
fail() {
  printf '%s\n' "$*" >&2
  exit 1
}

# Run an external program with a time limit: any program may have that name.
# Usage: run_limited SECONDS WORD...
# Returns: the program's exit status; 124, with one line on stderr that names it, if it was stopped.
run_limited() {
  local seconds=$1 status=0
  shift
  # Without its own process group its children would survive, and may keep a pipe open that is read to its end.
  timeout -k 2 "$seconds" "$@" || status=$?
  # 137: KILL was needed to stop it.
  ((status == 124 || status == 137)) || return "$status"
  printf '%s: does not return within %s s\n' "$*" "$seconds" >&2
  return 124
}

# Name the full file systems among those of directories. Less than 1 MiB or 16 inodes is full: a failed write leaves a little, and a run needs more.
# Usage: common_full NAME=DIR...
#   NAME is the setting that names the directory
# Returns: sets REPLY; 1 if none is full
common_full() {
  local word dir mount kib inodes all size whole blocks seen='' available=%a
  # Root may use what is reserved for it.
  ((EUID > 0)) || available=%f
  REPLY=
  for word; do
    dir=${word#*=}
    read -r size whole blocks inodes all < <(stat -f -c "%S %b $available %d %c" -- "$dir" 2>/dev/null) || continue
    [[ $size$whole$blocks$inodes$all =~ ^[0-9]+$ ]] || continue
    kib=$((blocks * size / 1024))
    # Some file systems count no blocks or inodes.
    (((whole > 0 && kib < 1024) || (all > 0 && inodes < 16))) || continue
    mount=$(stat -c %m -- "$dir" 2>/dev/null) || mount=$dir
    [[ $'\n'$seen != *$'\n'"$mount"$'\n'* ]] || continue
    seen+=$mount$'\n'
    REPLY+="${REPLY:+; }$word: the file system $mount is full ($kib KiB and $inodes inodes are free); free some space there, or set ${word%%=*}"
  done
  [[ -n $REPLY ]]
}

# Seconds with a fraction, as microseconds.
# Usage: common_us SECONDS
# Returns: sets REPLY
common_us() {
  LC_ALL=C printf -v REPLY '%.6f' "$1"
  REPLY=$((10#${REPLY/[.,]/}))
}

# The names that ./test gives to phases: a repeated one has its number, as in get get-2.
# Usage: common_phases PHASE...
# Returns: sets REPLY, the names separated by blanks
common_phases() {
  local phase
  local -A seen=()
  REPLY=
  for phase; do
    seen[$phase]=$((${seen[$phase]-0} + 1))
    REPLY+=" $phase"
    ((${seen[$phase]} == 1)) || REPLY+=-${seen[$phase]}
  done
  REPLY=${REPLY# }
}

# Whether a phase only sets the keys: populate, also repeated (populate-2) or offered again at the gate (populate.1).
# Usage: common_is_fill PHASE
common_is_fill() {
  [[ $1 =~ ^populate(-[0-9]+)?(\.[0-9]+)?$ ]]
}
