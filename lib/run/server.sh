# SPDX-License-Identifier: MIT
# shellcheck shell=bash
# The master's side of the instances: facts of the server, the source of redis-server, start, INFO, logs, stop.

# Read the servers' facts and use them for the settings that are auto.
# Usage: server_facts
# Globals: SERVERS; sets SERVER_BYTES SERVER_FREE (bytes of memory, and available now)
server_facts() {
  facts_read "${SERVERS[@]}" || return
  facts_use
}

# Check whether the memory of each server that must stay free is free now.
# Usage: server_room
# Globals: HOST SERVER_BYTES RESERVE; sets SERVER_FREE
# Returns: 1 with a line on stderr if it is not free.
server_room() {
  servers_each _server_room
}

# Check the free memory of the server in HOST.
# Usage: _server_room
# Returns: as server_room; not 0 also if the server does not answer.
_server_room() {
  local facts keep
  fill_reserve_of "$SERVER_BYTES"
  keep=$REPLY
  facts=$(call_run "$HOST" facts memory) || return
  IFS=$'\t' read -r _ _ _ _ SERVER_FREE <<<"$facts"
  ((SERVER_FREE < keep)) || return 0
  facts_limit_text
  log_warn "$HOST: $((SERVER_FREE >> 20)) MiB of memory are available$REPLY with no instance running, and $((keep >> 20)) MiB must stay free (RESERVE)"
  return 1
}

# Make the passwords of the next instances for load generators and replicas, 24 characters for each port from REDISBASE on. The master's own stay on
# the server.
# Usage: _server_passwords PROCESSES
# Returns: sets LOAD_PASSWORD COPY_PASSWORD
_server_passwords() {
  local text
  text=$(head -c $(($1 * 36)) /dev/urandom | base64 -w 0)
  text=${text//+/x} text=${text//'/'/y}
  LOAD_PASSWORD=${text:0:24*$1} COPY_PASSWORD=${text:24*$1}
}

# Look for the program that REDIS names on the server. This changes nothing there.
# Usage: server_look_redis
# Globals: REDIS; sets REDIS_BINARY (a path on the server; empty: not installed)
# Returns: 1 with the reason on stderr; 2 if it is not installed yet, and server_find_redis installs or builds it.
server_look_redis() {
  local from source key
  REDIS_BINARY=
  _server_redis || return
  case $from in
    installed) REDIS_BINARY=$(call_run "$HOST" redis installed "$source") || return 1 ;;
    package) REDIS_BINARY=$(call_run "$HOST" redis installed redis-server 2>/dev/null) || return 2 ;;
    source) REDIS_BINARY=$(call_run "$HOST" redis built "$key" 2>/dev/null) || return 2 ;;
  esac
}

# Split REDIS.
# Usage: _server_redis
# Globals: REDIS
# Returns: sets from, source and key of the caller: installed and a program; package; or source, a URL or a file here, and the name of its build.
#   1 with the reason on stderr
_server_redis() {
  local sum
  from=installed source=$REDIS key=
  case $REDIS in
    installed) source=redis-server ;;
    package) from=package ;;
    source:*)
      from=source source=${REDIS#source:}
      [[ ! $source =~ ^[0-9]+([.][0-9]+)+(-[a-z0-9]+)?$ ]] || source=https://download.redis.io/releases/redis-$source.tar.gz
      if [[ $source == *://* ]]; then
        sum=$(sha256sum <<<"$source")
      elif [[ -f $source && -r $source ]]; then
        sum=$(sha256sum <"$source") || return
      else
        printf '%s: neither a version of Redis, nor a URL, nor a file here\n' "$source" >&2
        return 1
      fi
      key=redis-${sum:0:12}
      ;;
  esac
}

# Find the program that REDIS names on the server; install or build it first, if it is missing.
# Usage: server_find_redis
# Globals: as server_look_redis
# Returns: 1 with the reason on stderr.
server_find_redis() {
  local status=0 from source key work
  server_look_redis || status=$?
  ((status == 2)) || return "$status"
  _server_redis || return
  if [[ $from == package ]]; then
    DEPS_SCRIPT=$(<"$ROOT/tools/deps.sh")
    REDIS_BINARY=$(call_run "$HOST" redis package)
    return
  fi
  log_info "building Redis ($source) on $HOST, once"
  work=$(call_work "$HOST") || return
  [[ $source == *://* ]] || call_put "$HOST" "$source" "$work/cache/$key.tar.gz" || return
  REDIS_BINARY=$(call_run "$HOST" redis build "$key" "$source")
}

# Set what the instances of a point are started with, the same on all servers.
# Usage: server_point INSTANCES [DIR]
#   DIR has their data, if not the directory of the run
# Returns: as _server_shared
server_point() {
  local REPLY
  cluster_processes_of "$1"
  _server_shared "$1" "$REPLY" "${2-auto}"
}

# Set what all servers start instances with, and forget what those before have reported.
# Usage: _server_shared INSTANCES PROCESSES DIR
# Returns: sets SERVER_DATA REDIS_TEMPLATE LOAD_COMMANDS LOAD_PASSWORD COPY_PASSWORD CLUSTER_TABLE
_server_shared() {
  SERVER_DATA=$3
  REDIS_TEMPLATE=$(<"$ROOT/conf/redis.conf")
  LOAD_COMMANDS=$(load_commands)
  LOAD_USER='' SERVER_CERTIFICATE='' SERVER_IGNORED='' CLUSTER_TABLE=
  ! cluster_on || CLUSTER_TABLE=$(cluster_table "$1")
  _server_passwords "$2"
}

# Every repeat has instances.
# Usage: server_wanted
server_wanted() { :; }

# Prepare the instances of the current row on the server in HOST.
# Globals: ROW, with their places, and POINT_INSTANCES
server_ready() {
  _server_prepare spread_plan "$POINT_INSTANCES" "${ROW[places]}"
}

# Start the instances on the server in HOST, each pinned, and wait until each answers PING.
# Globals: calls and askers of _parts_ask
server_at_instances() {
  calls+=($'server\tstart')
  askers+=("server instances")
}

# Take in what the servers report of them.
# Returns: as _server_started
server_got_instances() {
  local host
  for host in $HOST; do _server_started "$host" "${PART_SAID[$host]}" || return; done
}

# Start one instance that is not pinned on the server in HOST, to ask it something before the run. With CLUSTER=on it is a cluster
# of one node (REPLICAS=0). With ports, which ascend, there is one instance on each.
# Usage: server_scratch [PORT]...
# Globals: CLUSTER REPLICAS REDISBASE
# Returns: as _server_started
server_scratch() {
  local said
  local -a ports=("${@:-$REDISBASE}")
  _server_shared 1 $((ports[-1] - REDISBASE + 1)) auto
  _server_prepare place_instances "${#ports[@]}" -@- "${ports[@]}" || return
  said=$(call_run "$HOST" server start) || return
  _server_started "$HOST" "$said"
}

# Work out what the instances of one server are started with.
# Usage: _server_prepare PLANNER [ARG]...
# Returns: sets INSTANCE_PLAN SERVER_ADDRESS SERVER_DIRECTIVES LAUNCH_WORDS
_server_prepare() {
  INSTANCE_PLAN=$("$@") || return
  hosts_data "$HOST"
  SERVER_ADDRESS=$REPLY
  _server_directives
  SERVER_DIRECTIVES=$REPLY
  # Other generators take a password only as an argument, where other users of the client can see it. So they get a user without a password,
  # with only the commands that they measure.
  [[ $GENERATOR == test ]] || SERVER_DIRECTIVES+="; user peer on nopass ~* -@all +ping +get +set"
  LAUNCH_WORDS=
  [[ -z $SERVER_PREFIX ]] || LAUNCH_WORDS=$(launch_words "$HOST" "$SERVER_PREFIX")
}

# Take in what one server reported after the start.
# Usage: _server_started HOST ROWS
#   ROWS as lib/host/server.sh prints them
# Returns: sets LOAD_USER, whom the load generators log in as; empty: there are no users, and the password is the master's. Adds to
#   SERVER_CERTIFICATE, which they have to trust (empty: there is no TLS), and SERVER_IGNORED. 1 when the servers differ in them.
_server_started() {
  local name value user='' why
  while IFS=$'\t' read -r name value why; do
    case $name in
      user) user=$value ;;
      certificate) SERVER_CERTIFICATE+=${SERVER_CERTIFICATE:+$'\n'}$(base64 -d <<<"$value") || return ;;
      ignored) _server_ignored "$1" "$value" "$why" ;;
      root) log_warn "$1: instances run as root: $value" ;;
    esac
  done <<<"$2"
  if [[ $1 != "${HOST%% *}" && $user != "$LOAD_USER" ]]; then
    log_warn "$1: its redis-server and that of ${HOST%% *} are too different: only one has users (ACL); install the same version on both"
    return 1
  fi
  LOAD_USER=$user
}

# Note a directive that has no effect on a server; print each once.
# Usage: _server_ignored HOST NAME WHY
# Returns: adds to SERVER_IGNORED, `NAME: WHY` with a semicolon between two
_server_ignored() {
  local text="$2: $3"
  [[ "; $SERVER_IGNORED; " == *"; $text; "* ]] || SERVER_IGNORED+=${SERVER_IGNORED:+; }$text
  ! grep -sqxF -e "$1 $text" "$_REMOTE_TMP/ignored" || return 0
  printf '%s\n' "$1 $text" >>"$_REMOTE_TMP/ignored"
  log_warn "$1: the directive $2 does not have the requested effect: $3"
}

# Print the passwords of the load generators for the instances from a port on, separated by commas.
# Usage: server_load_passwords PORT COUNT
server_load_passwords() {
  local port last=$(($1 + $2 - 1)) all='' REPLY
  for ((port = $1; port <= last; port++)); do
    # Without users, a cluster has one password.
    if [[ -z $LOAD_USER ]] && cluster_on; then REPLY=$REDISBASE; else REPLY=$port; fi
    protocol_password "$LOAD_PASSWORD" "$REDISBASE" "$REPLY"
    all+=${all:+,}$REPLY
  done
  printf '%s' "$all"
}

# Print INFO of every instance.
# Usage: server_info
server_info() {
  servers_print $((REMOTE_RETRY + 120)) _server_info
}

# Print INFO of every instance on the server in HOST.
# Usage: _server_info
_server_info() {
  call_run "$HOST" server info
}

# Whether the server in HOST has sent INFO of its instances with their logs.
# Usage: server_has_info DIR
# Returns: 1 with a line on stderr
server_has_info() {
  [[ ! -e $1/info.after ]] || return 0
  log_warn "$HOST: no INFO of the instances after the load"
  return 1
}

# Move the logs of the server in HOST, of several, to those of all, from each server only the logs of its ports, and append its INFO.
# Usage: server_gather DIR
server_gather() {
  local folder port REPLY
  local -a files=()
  servers_folder "$1"
  folder=$REPLY
  [[ -e $folder/info.after ]] || return
  write_more "$1/info.after" '' cat -- "$folder/info.after" && rm -- "$folder/info.after" || return
  while read -r port _; do files+=("$folder/redis-$port.log"); done <<<"$INSTANCE_PLAN"
  mv -f -t "$1" -- "${files[@]}"
}

# Stop the instances of this run.
# Usage: server_stop
server_stop() {
  servers_print $((REMOTE_RETRY + 180)) _server_stop
}

# Stop the instances on the server in HOST.
# Usage: _server_stop
_server_stop() {
  call_run "$HOST" server stop
}

# The directives of the settings, separated by semicolons; those of REDIS_CONF come last, so that they override.
# Globals: PERSISTENCE PERSISTENCE_EVERY, and the parts of REDIS_CONF
# Returns: sets REPLY
_server_directives() {
  local text
  cluster_directives
  text=$REPLY
  [[ $PERSISTENCE != off && $PERSISTENCE != aof ]] || text+='save ""; '
  [[ $PERSISTENCE != off && $PERSISTENCE != rdb ]] || text+="appendonly no; "
  [[ $PERSISTENCE != rdb ]] || text+="save $PERSISTENCE_EVERY 1; "
  [[ $PERSISTENCE != aof ]] || text+="appendonly yes; "
  server_conf
  REPLY=$text$REPLY
}

# The directives of REDIS_CONF, separated by semicolons. Older versions of Redis refuse unknown directives, so only those that are set.
# Usage: server_conf
# Returns: sets REPLY
server_conf() {
  local part text=''
  for part in "${CONF_PART[@]}"; do
    conf_value "$part"
    # For Redis, 1G is a power of 1000.
    [[ $part != *.maxmemory ]] || conf_size "$REPLY"
    [[ $REPLY == default ]] || text+="${part#*.} $REPLY; "
  done
  REPLY=$text
}
