# SPDX-License-Identifier: MIT
# shellcheck shell=bash
# Sent before every remote script, and read by the master too: our folder, recorded processes, Redis' protocol.
set -Eeuo pipefail

# Print our folder on this host.
# Usage: work_dir
# Globals: REMOTE_DIR
work_dir() {
  if [[ $REMOTE_DIR == auto ]]; then
    echo "/var/tmp/tierbench-$(id -u)"
  else
    echo "$REMOTE_DIR"
  fi
}

# Make our folder if need be, and refuse one that another user could have put there.
# Usage: work_open
# Returns: sets WORK
work_open() {
  # Results are for everybody; what lies on a host, with a password in it, is not.
  umask 077
  WORK=$(work_dir)
  mkdir -p -- "$WORK" || fail "$WORK: cannot be made"
  [[ ! -L $WORK && -O $WORK ]] || fail "$WORK: is not a folder of our own; move it away or set REMOTE_DIR"
}

# End the script with one line on stderr.
# Usage: fail MESSAGE...
fail() {
  printf '%s\n' "$*" >&2
  exit 1
}

# Print, of what a program said before it failed, the one line that tells why: the last one, or the first beside its usage.
# Usage: said_why <TEXT
said_why() {
  awk '
    # The complaint of numactl goes on with its usage on the same line.
    match($0, /[Uu]sage: |^Try /) { usage = 1; $0 = substr($0, 1, RSTART - 1) }
    NF && (!usage || /^[A-Za-z_-]+: /) { last = $0; if (first == "") first = $0 }
    END { text = usage ? first : last; print text == "" ? "no reason given" : text }'
}

# Print the start time of a process (clock ticks since boot, field 22 of /proc/PID/stat, proc(5)); with the pid
# it names one process for as long as the machine is up.
# Usage: proc_start PID
# Returns: 1 when there is no such process; a zombie is none. Sets PROC_START, so that 288 calls need no 288 forks.
proc_start() {
  local line
  local -a field
  { read -r line <"/proc/$1/stat"; } 2>/dev/null || return 1
  # The name, field 2, may hold blanks and brackets; what follows the last bracket does not.
  read -r -a field <<<"${line##*) }"
  [[ ${field[0]} != Z ]] || return 1
  PROC_START=${field[19]}
}

# Append a process to a record.
# Usage: proc_record FILE PID WHAT
proc_record() {
  proc_start "$2" || return 1
  printf '%s\t%s\t%s\n' "$2" "$PROC_START" "$3" >>"$1"
}

# Whether the process that was recorded still runs.
# Usage: proc_alive PID START
proc_alive() {
  proc_start "$1" && [[ $PROC_START == "$2" ]]
}

# End every process of the records with TERM, and with KILL what is still there after LIMIT seconds.
# Usage: proc_end LIMIT FILE...
# Returns: 1 when one would not go.
proc_end() {
  local limit=$1 signal
  shift
  for signal in TERM KILL; do
    proc_signal "$signal" "$@"
    proc_gone "$limit" "$@" && return 0
  done
  return 1
}

# Send a signal to every process of the records that still runs.
# Usage: proc_signal SIGNAL FILE...
proc_signal() {
  local signal=$1 file pid start
  shift
  for file in "$@"; do
    [[ -e $file ]] || continue
    while read -r pid start _; do
      ! proc_alive "$pid" "$start" || kill -s "$signal" "$pid" 2>/dev/null || :
    done <"$file"
  done
}

# Wait until every process of the records has ended.
# Usage: proc_gone LIMIT FILE...
# Returns: 1 when one still runs after LIMIT seconds.
proc_gone() {
  local end=$((SECONDS + $1)) file pid start left
  shift
  while :; do
    left=0
    for file in "$@"; do
      [[ -e $file ]] || continue
      while read -r pid start _; do
        if proc_alive "$pid" "$start"; then
          left=1
          break
        fi
      done <"$file"
    done
    ((left)) || return 0
    ((SECONDS < end)) || return 1
    sleep 0.05 # between two looks
  done
}

# Print every TCP port that is listened on, by the kernel's own table.
# Usage: ports_listening
ports_listening() {
  local at state hex
  cat /proc/net/tcp /proc/net/tcp6 2>/dev/null | while read -r _ at _ state _; do
    [[ $state == 0A ]] || continue
    hex=${at##*:}
    echo $((16#$hex))
  done
}

# Ask a Redis one command and leave its answer in REDIS_REPLY; no fork, so that hundreds can be asked in a second.
# Usage: redis_ask HOST PORT COMMAND
# Globals: REDIS_PASSWORD (empty: no AUTH)
# Returns: 1 when there is no connection, no answer in 5 s, or an error reply.
redis_ask() {
  local host=$1 port=$2 command=$3 fd
  REDIS_REPLY=
  { exec {fd}<>"/dev/tcp/$host/$port"; } 2>/dev/null || return 1
  if _redis_talk "$fd" "$command"; then
    exec {fd}>&-
    return 0
  fi
  exec {fd}>&-
  return 1
}

_redis_talk() {
  local fd=$1 command=$2 line
  if [[ -n $REDIS_PASSWORD ]]; then
    printf 'AUTH %s\r\n' "$REDIS_PASSWORD" >&"$fd" || return 1
    IFS= read -r -t 5 -u "$fd" line && [[ $line == +OK* ]] || return 1
  fi
  printf '%s\r\n' "$command" >&"$fd" || return 1
  IFS= read -r -t 5 -u "$fd" line || return 1
  line=${line%$'\r'}
  case $line in
    '$'*)
      # LC_ALL=C: the length counts bytes.
      LC_ALL=C IFS= read -r -t 5 -d '' -N "${line#\$}" -u "$fd" REDIS_REPLY
      ;;
    -*) return 1 ;;
    *) REDIS_REPLY=${line#[+:]} ;;
  esac
}

# Whether the owner of a lock is alive. Seen from the owner's own machine its process tells; from elsewhere, that the
# lock was renewed within LEASE seconds.
# Usage: lock_owner_lives FILE LEASE
lock_owner_lives() {
  local file=$1 lease=$2 pid start boot space
  IFS=$'\t' read -r _ _ _ pid start boot space _ <"$file" || return 1
  if [[ $boot == "$(</proc/sys/kernel/random/boot_id)" && $space == "$(readlink /proc/self/ns/pid)" ]]; then
    proc_alive "$pid" "$start"
  else
    (($(date +%s) - $(stat -c %Y "$file") < lease))
  fi
}

# Say whose lock it is.
# Usage: lock_say FILE
lock_say() {
  local run user host pid since
  IFS=$'\t' read -r run user host pid _ _ _ since <"$1" || :
  printf 'the run %s of %s on %s (pid %s, since %s) has this server' "$run" "$user" "$host" "$pid" "$since"
}

# Make the run's folder on this host and note whose it is, so that another master can tell whether it is still wanted.
# Usage: run_open
# Globals: WORK RUN_ID RUN_OWNER (the line that the lock holds, see lib/lock.sh)
run_open() {
  mkdir -p -- "$WORK/run-$RUN_ID"
  printf '%s\n' "$RUN_OWNER" >"$WORK/run-$RUN_ID/owner"
}

# Note that the run's master is alive.
# Usage: run_renew
run_renew() {
  [[ ! -e $WORK/run-$RUN_ID/owner ]] || touch "$WORK/run-$RUN_ID/owner"
}

# Remove the run's folder when nothing but the note is left in it.
# Usage: run_close
run_close() {
  local file
  for file in "$WORK/run-$RUN_ID"/*; do
    [[ ${file##*/} == owner || ! -e $file ]] || return 0
  done
  rm -rf -- "$WORK/run-$RUN_ID"
}
