# SPDX-License-Identifier: MIT
# shellcheck shell=bash
# How an instance is started: before the load, and again after a part of the run has stopped it under load.

# What a separate process needs to start instances again, after host_start_ready: names of variables.
readonly START_NAMES='INSTANCE_PLAN RECORD USER_NAME USER_ID USER_GROUP USER_WORDS START_PROGRAM'

# Find out how instances were started, and set the same limits for those that are started again.
# Usage: host_start_ready
# Globals: FOLDER REDIS_BINARY REDIS_USER SERVER_DIRECTIVES
# Returns: sets START_PROGRAM, and what host_user_find sets
host_start_ready() {
  host_user_find "$REDIS_USER" || fail "$USER_WHY"
  host_user_limits
  START_PROGRAM=$REDIS_BINARY
  [[ ! -x $FOLDER/redis-server ]] || START_PROGRAM=/proc/self/cwd/redis-server
}

# Start an instance, with its CPUs and in its memory, and record it. The shell is in the directory of the instances.
# Usage: host_start_one PORT CPUS POLICY [WORD]...
#   WORD of the command in front of redis-server
# Globals: FOLDER RECORD USER_WORDS START_PROGRAM; SERVER_LOCK, which the instance does not keep
# Returns: 1 if it has ended
host_start_one() {
  local -a pin=(taskset -c "$2")
  [[ $2 != - ]] || pin=()
  host_tier_prefix "$3" "$1"
  # Use a separate session, because Ctrl-C in the master's terminal reaches every process of the terminal's group. The words in front may require
  # root, as chrt does; Redis itself does not.
  (
    [[ -z ${SERVER_LOCK-} ]] || exec {SERVER_LOCK}>&-
    SERVER_FOLDER=$FOLDER exec setsid "${pin[@]}" "${TIER_PREFIX[@]}" "${@:4}" "${USER_WORDS[@]}" "$START_PROGRAM" "/proc/self/cwd/$1.conf"
  ) </dev/null >>"$FOLDER/redis-$1.log" 2>&1 &
  proc_started "$RECORD" $! "$1"
}

# Keep the CPU time that a process of an instance has used until now, with its ended children: when it has ended, that is still the run's.
# Usage: host_start_used PID
# Globals: FOLDER
host_start_used() {
  local line=''
  local -a field
  { read -r line <"/proc/$1/stat"; } 2>/dev/null || return 0
  # Fields 14 to 17 of proc(5), here counted from the third, in hundredths of a second.
  read -r -a field <<<"${line##*) }"
  printf '%s\n' $(((field[11] + field[12] + field[13] + field[14]) * 10000)) >"$FOLDER/used-$1"
}

# Take instances from the record before they are stopped: the guard would report a recorded instance that is gone. What ends the repeat finds them in
# node.proc.
# Usage: host_start_take PORT...
# Globals: FOLDER RECORD
host_start_take() {
  local pid start
  awk -F '\t' -v ports=" $* " -v taken="$FOLDER/node.proc" 'index(ports, " " $3 " ") { print >>taken; next } { print }' "$RECORD" >"$RECORD.new" &&
    mv -f -- "$RECORD.new" "$RECORD"
  [[ ! -e $FOLDER/node.proc ]] || while read -r pid start _; do ! proc_alive "$pid" "$start" || host_start_used "$pid"; done <"$FOLDER/node.proc"
}

# Start stopped instances again, as they were started.
# Usage: host_start_again PORT...
# Globals: FOLDER INSTANCE_PLAN
# Returns: 1 with START_WHY if another process has a port, or an instance has ended
host_start_again() {
  local port cpus policy taken
  # Another process may have answered load generators while the instance was gone.
  taken=$(host_ports_taken "$@")
  START_WHY="$(tr -d '[:cntrl:]' <<<"${taken%%$'\n'*}"), a process that is not of the run"
  [[ -z $taken ]] || return
  cd "$FOLDER" || exit 1
  for port; do
    IFS=$'\t' read -r _ cpus policy < <(awk -F '\t' -v port="$port" '$1 == port' <<<"$INSTANCE_PLAN")
    START_WHY="port $port: redis-server ended at once"
    host_start_one "$port" "$cpus" "$policy" || return
  done
}
