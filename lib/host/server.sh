# SPDX-License-Identifier: MIT
# shellcheck shell=bash
# The Redis instances of a run, on the server.
# Needs: protocol ports tier part/*/host_tune instances data start user acl directives tls info cluster
# Reads start info answers logs: SERVER_ADDRESS
# Reads start answers: REDIS_BINARY
# Reads logs: PERSISTENCE_DIR
# Reads start: SERVER_DATA INSTANCE_PLAN CLUSTER_TABLE SERVER_DIRECTIVES REDIS_USER REDISBASE LOAD_PASSWORD
# Reads start: REDIS_TEMPLATE IO_THREADS IO_THREADS_AFFINITY LAUNCH_WORDS COPY_PASSWORD LOAD_COMMANDS TLS
#   SERVER_DATA is PERSISTENCE.dir, or auto if nothing is persisted; INSTANCE_PLAN are lines PORT CPUS POLICY; REDIS_TEMPLATE is the text of
#   conf/redis.conf; LAUNCH_WORDS are in front of redis-server, separated by tabs

# Usage: main start|info|answers|logs|stop
main() {
  workdir_open
  FOLDER=$WORK/run-$RUN_ID/server
  RECORD=$FOLDER/instances.proc
  WRAPPERS=$FOLDER/wrappers.proc
  # A call that the master repeats after a lost link must not run at the same time as its first try.
  if [[ $1 == stop ]]; then workdir_lock server 30; else workdir_lock server; fi
  SERVER_LOCK=$REPLY
  "host_server_$1"
}

# Start all instances and wait for them. Print rows NAME VALUE for the master: `user load` if load generators have their own user, `certificate PEM`
# in base64 with TLS, `root REASON` if auto found no other user, and `ignored DIRECTIVE WHY`.
# An instance may run as a user who cannot access the parents of its directory. So it is started in its directory, and uses relative paths.
host_server_start() {
  local taken port cpus policy START_PROGRAM=$REDIS_BINARY
  local -a prefix ports=() data=()
  IFS=$'\t' read -r -a prefix <<<"$LAUNCH_WORDS"
  owner_open
  # What ended earlier instances has removed it when it found no process of them.
  [[ ! -e $FOLDER ]] || host_instances_end 30 "$FOLDER" || fail "$FOLDER: an instance of an earlier try does not end"
  while read -r port _; do ports+=("$port") data+=("$FOLDER/data-$port"); done <<<"$INSTANCE_PLAN"
  taken=$(host_ports_taken "${ports[@]}")
  [[ -z $taken ]] || fail "$taken"
  host_instances_remove "$FOLDER"
  if [[ $SERVER_DATA == auto ]]; then mkdir -p -- "${data[@]}"; else mkdir -- "$FOLDER"; fi
  host_user_find "$REDIS_USER" || fail "$USER_WHY"
  host_user_limits
  host_acl_version
  host_acl_secrets
  while read -r port cpus _; do host_server_conf "$port" "$cpus"; done <<<"$INSTANCE_PLAN"
  if [[ $SERVER_DATA != auto ]]; then
    host_user_data "$SERVER_DATA"
    host_data_make "$SERVER_DATA" "${data[@]}"
  fi
  host_cluster_write
  cd -- "$FOLDER" 2>/dev/null || fail "$FOLDER: is missing"
  host_tls_make
  host_user_give "${ports[@]/#/data-}" "${ports[@]/%/.conf}" redis-*.log
  if [[ -n $USER_NAME ]]; then
    chgrp -- "$USER_GROUP" . && chmod 710 .
    host_user_reaches "$START_PROGRAM" || {
      install -m 755 -- "$START_PROGRAM" redis-server
      START_PROGRAM=/proc/self/cwd/redis-server
    }
  fi
  while read -r port cpus policy; do
    host_start_one "$port" "$cpus" "$policy" "${prefix[@]}" || fail "$port: redis-server ended at once: $(said_why <"$FOLDER/redis-$port.log")"
  done <<<"$INSTANCE_PLAN"
  host_server_ready
  host_cluster_ready
  [[ -z $LAUNCH_WORDS ]] || host_server_wrapped
  host_directives_check
  ! host_acl_users || printf 'user\tload\n'
  [[ $TLS == off ]] || printf 'certificate\t%s\n' "$(base64 -w 0 tls.crt)"
  [[ -z $USER_WHY ]] || printf 'root\t%s\n' "$USER_WHY"
}

# If a wrapper remains as a separate process, record both processes: stopping only one would leave the other.
host_server_wrapped() {
  local pid start port own
  local -a found=()
  while read -r pid start port; do
    protocol_ask "$SERVER_ADDRESS" "$port" 'INFO server' || fail "port $port: redis-server does not answer INFO"
    [[ $REDIS_REPLY =~ process_id:([0-9]+) ]] || fail "port $port: redis-server reports no process_id"
    own=${BASH_REMATCH[1]}
    # In its own pid namespace, Redis reports a pid that belongs to another process here.
    host_server_below "$own" "$pid" || fail "port $port: redis-server reports pid $own, which is not a child of SERVER_PREFIX (separate pid namespace?)"
    found+=("$own $port")
    [[ $own == "$pid" ]] || printf '%s\t%s\t%s\n' "$pid" "$start" "$port" >>"$WRAPPERS"
  done <"$RECORD"
  for own in "${found[@]}"; do
    proc_record "$RECORD.new" "${own% *}" "${own#* }" || fail "port ${own#* }: redis-server has ended"
  done
  mv -f -- "$RECORD.new" "$RECORD"
}

# Whether a process is another process, or a descendant of it.
# Usage: host_server_below PID ANCESTOR
host_server_below() {
  local pid=$1 line
  while ((pid > 0)); do
    [[ $pid != "$2" ]] || return 0
    { read -r line <"/proc/$pid/stat"; } 2>/dev/null || return 1
    # The parent is field 4 of proc(5), the second after the name.
    read -r _ pid _ <<<"${line##*) }"
  done
  return 1
}

# Write the configuration of one instance, and make its log. SERVER_DIRECTIVES override what precedes it; nothing overrides what the run sets itself, which
# comes last. It starts no process, so hundreds of instances take no time.
host_server_conf() {
  local port=$1 cpus=$2 threads=
  # Older versions of Redis refuse these directives, so they are written only when they are set.
  ((IO_THREADS == 1)) || threads+="io-threads $IO_THREADS"$'\n'
  ((IO_THREADS == 1)) || [[ $cpus == - || $IO_THREADS_AFFINITY == off ]] || threads+="server_cpulist $cpus"$'\n'
  : >"$FOLDER/redis-$port.log"
  {
    printf '%s\n' "$REDIS_TEMPLATE"
    host_acl_refused
    printf '%s%s\n' "$threads" "${SERVER_DIRECTIVES//;/$'\n'}"
    # From this line on, nothing is read back (directives.sh).
    printf 'daemonize no\n'
    host_tls_conf "$port"
    # Its log is its stdout, which is already open when it changes its user.
    printf 'bind %s\ndir data-%s\nlogfile ""\n' "$SERVER_ADDRESS" "$port"
    host_acl_conf "$port"
  } >"$FOLDER/$port.conf"
}

# Send PING to every instance until all have answered.
host_server_ready() {
  local end=$((SECONDS + COMMON_READY)) pid start port
  local -A waiting=()
  while read -r pid start port; do waiting[$port]="$pid $start"; done <"$RECORD"
  while :; do
    # First, because none listens at once, and each look takes several processes.
    proc_pause
    # One look at the kernel's tables for all of them.
    protocol_prove "${!waiting[@]}"
    for port in "${!waiting[@]}"; do
      if protocol_proven "$port" && protocol_ask "$SERVER_ADDRESS" "$port" PING; then
        unset 'waiting[$port]'
      else
        read -r pid start <<<"${waiting[$port]}"
        proc_alive "$pid" "$start" || host_server_ended "$port"
      fi
    done
    ((${#waiting[@]} > 0)) || return 0
    ((SECONDS < end)) || {
      read -r port _ <<<"${!waiting[*]}"
      host_server_said "$port"
      [[ -z ${PROTOCOL_TAKEN-} ]] || printf 'another process listens on the ports%s, and gets no password\n' "$PROTOCOL_TAKEN" >&2
      fail "${#waiting[@]} instances do not answer PING after $COMMON_READY s, ports: ${!waiting[*]}"
    }
  done
}

# Fail because the process of an instance has ended.
# Usage: host_server_ended PORT
host_server_ended() {
  host_server_said "$1"
  fail "port $1: redis-server ended: $(said_why <"$FOLDER/redis-$1.log")"
}

# Print the last lines of an instance's log on stderr.
# Usage: host_server_said PORT
host_server_said() {
  if [[ -s $FOLDER/redis-$1.log ]]; then
    tail -n 3 "$FOLDER/redis-$1.log" | sed "s/^/port $1: its log: /" >&2 || :
  else
    printf 'port %s: its log is empty\n' "$1" >&2
  fi
}

# Print the INFO of every instance, each after a header line.
host_server_info() {
  [[ -e $RECORD ]] || fail "no instance is running"
  host_info_all "$RECORD"
}

# Print the program's type, the first line of its version, and whether its first instance answers CONFIG: rows NAME VALUE.
host_server_answers() {
  local port said
  [[ -e $RECORD ]] || fail "no instance is running"
  read -r _ _ port <"$RECORD"
  said=$(run_limited 10 "$REDIS_BINARY" --version 2>/dev/null) || :
  said=${said%%$'\n'*}
  [[ -z $said ]] || printf 'program\t%s\n' "$(tr -cd ' -~' <<<"${said:0:100}")"
  # Its answer is a list, of which only the first line is read.
  if protocol_ask "$SERVER_ADDRESS" "$port" 'CONFIG GET save'; then printf 'config\tanswered\n'; else printf 'config\trefused\n'; fi
}

# Send the instances' logs, and their INFO as info.after. Send copies, because the instances continue to write.
host_server_logs() {
  local -a files
  mkdir -p -- "$FOLDER/logs"
  if cp -- "$FOLDER"/redis-*.log "$FOLDER/logs" 2>/dev/null; then
    # The master misses it when it could not be written.
    { host_server_info >"$FOLDER/logs/info.after"; } 2>/dev/null || {
      host_server_full
      rm -f -- "$FOLDER/logs/info.after"
    }
    cd "$FOLDER/logs" 2>/dev/null || fail "$FOLDER: is missing"
  else
    # On a full disk nothing is appended to them either.
    host_server_full
    cd "$FOLDER" 2>/dev/null || fail "$FOLDER: is missing"
  fi
  host_server_writes redis-*.log
  files=(redis-*.log)
  [[ ! -e info.after ]] || files+=(info.after)
  files_send -- "${files[@]}"
}

# Name the full file systems, if there are any.
host_server_full() {
  ! workdir_full || printf '%s\n' "$REPLY" >&2
}

# Print the setting that names the file system of the files of instances, and its value.
# Usage: host_server_where
# Globals: PERSISTENCE_DIR WORK
host_server_where() {
  if [[ $PERSISTENCE_DIR == auto ]]; then echo "REMOTE_DIR=$WORK"; else echo "PERSISTENCE.dir=$PERSISTENCE_DIR"; fi
}

# Say why an instance could not write a file of persistence: its temporary file, which filled the disk, is removed already.
# Usage: host_server_writes LOG...
host_server_writes() {
  local line=
  IFS= read -r line < <(exec grep -hE -m 1 'No space left on device|Disk quota exceeded|Read-only file system|Short write' -- "$@") || :
  [[ -z $line ]] || printf '%s: an instance could not write its files to this file system: %s\n' "$(host_server_where)" "${line#* [#*] }" >&2
}

# Stop the instances and remove their directory.
host_server_stop() {
  host_instances_stop "$FOLDER"
  owner_close
}
