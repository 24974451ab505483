# SPDX-License-Identifier: MIT
# shellcheck shell=bash
# The master's side of the instances: facts of the server, where redis-server comes from, start, INFO, logs, stop.

# Read the server's facts and put them in place of the settings that say auto.
# Usage: server_facts
# Globals: SERVER; sets SERVER_BYTES SERVER_FREE (bytes of memory, and available now)
server_facts() {
  local facts
  facts=$(remote_run "$SERVER" server facts)
  IFS=$'\t' read -r _SERVER_CPUS _SERVER_GIB SERVER_BYTES SERVER_FREE <<<"$facts"
  place_facts
  server_auto
}

# Look whether the memory of the server that must stay free is free now.
# Usage: server_room
# Globals: SERVER SERVER_BYTES RESERVE; sets SERVER_FREE
# Returns: 1 with a line on stderr when it is not.
server_room() {
  local facts keep
  keep=$(fill_reserve "$SERVER_BYTES")
  facts=$(remote_run "$SERVER" server facts) || return
  IFS=$'\t' read -r _ _ _ SERVER_FREE <<<"$facts"
  ((SERVER_FREE < keep)) || return 0
  log_warn "$SERVER: $((SERVER_FREE >> 20)) MiB of memory are available with no instance running, and $((keep >> 20)) MiB must stay free (RESERVE)"
  return 1
}

# Put known facts in place of the settings that say auto; call again whenever settings were resolved anew.
# Usage: server_auto
server_auto() {
  local numbers
  [[ $SERVER_CORES != auto ]] || SERVER_CORES=$_SERVER_CPUS
  [[ $SRV_OVERRIDE != auto ]] || SRV_OVERRIDE=$SERVER_CORES
  [[ $INSTANCES != auto ]] || INSTANCES=$SRV_OVERRIDE
  numbers=$(plan_instances)
  [[ -n $numbers ]] || conf_refuse INSTANCES "that is no number of instances where they may use $(place_usable) CPUs"
  INSTANCES=$numbers
  [[ $SERVER_MEM != auto ]] || SERVER_MEM=$_SERVER_GIB
}

# Make the password that guards this run's instances.
# Usage: server_password
# Returns: sets REDIS_PASSWORD
server_password() {
  REDIS_PASSWORD=$(head -c 18 /dev/urandom | base64 | tr '+/' 'xy')
}

# Find redis-server on the server, installing or building it as REDIS_FROM says.
# Usage: server_find_redis
# Globals: REDIS_FROM REDIS_SERVER REDIS_SOURCE VER; sets REDIS_BINARY (a path on the server)
# Returns: 1 with the reason on stderr.
server_find_redis() {
  local source key
  case $REDIS_FROM in
    installed) REDIS_BINARY=$(remote_run "$SERVER" redis installed "$REDIS_SERVER") ;;
    package)
      DEPS_SCRIPT=$(<"$LIB/deps.sh")
      REDIS_BINARY=$(remote_run -e DEPS_SCRIPT "$SERVER" redis package)
      ;;
    source)
      source=${REDIS_SOURCE//'{VER}'/$VER}
      if [[ -r $source ]]; then
        key=redis-$VER-$(sha256sum "$source" | cut -c 1-12)
      else
        [[ $source == *://* ]] || {
          printf 'REDIS_SOURCE: there is no file %s here\n' "$source" >&2
          return 1
        }
        key=redis-$VER-$(sha256sum <<<"$source" | cut -c 1-12)
      fi
      REDIS_BINARY=$(remote_run "$SERVER" redis built "$key") && return
      log_info "building Redis $VER on $SERVER, once"
      [[ $source == *://* ]] || remote_put "$SERVER" "$source" "$(remote_work "$SERVER")/cache/$key.tar.gz" || return
      REDIS_BINARY=$(remote_run "$SERVER" redis build "$key" "$source")
      ;;
  esac
}

# Start the instances of a point, each pinned, and wait until each has answered PING.
# Usage: server_start INSTANCES [PLAN]
#   PLAN stands in for what place_instances prints
server_start() {
  INSTANCE_PLAN=${2-$(place_instances "$1")} || return
  REDIS_TEMPLATE=$(<"$ROOT/conf/redis.conf")
  SERVER_ADDRESS=$(host_data "$SERVER")
  local directives
  directives=$(_server_directives)
  local REDIS_CONF=$directives
  # Other generators take a password only as an argument, where others on the client can see it. So they get a user without one,
  # who can do what they measure and no more.
  [[ $GENERATOR == test ]] || REDIS_CONF+="; user peer on nopass ~* -@all +ping +get +set"
  LAUNCH_WORDS=
  [[ -z $SERVER_PREFIX ]] || LAUNCH_WORDS=$(launch_words "$SERVER" "$SERVER_PREFIX") || return
  remote_run -e RUN_ID -e RUN_OWNER -e INSTANCE_PLAN -e REDIS_BINARY -e REDIS_TEMPLATE -e REDIS_CONF -e IO_THREADS -e IO_THREADS_AFFINITY -e BIO_CPUS -e LAUNCH_WORDS \
    -e SERVER_ADDRESS -e REDIS_PASSWORD -e READY_TIMEOUT "$SERVER" server start
}

# Print which of a point's ports are taken, a line each.
# Usage: server_ports INSTANCES
server_ports() {
  INSTANCE_PLAN=$(place_instances "$1") || return
  remote_run -e RUN_ID -e INSTANCE_PLAN "$SERVER" server ports
}

# Print INFO of every instance.
# Usage: server_info
server_info() {
  remote_run -e RUN_ID -e SERVER_ADDRESS -e REDIS_PASSWORD "$SERVER" server info
}

# Fetch the instances' logs.
# Usage: server_logs FOLDER
server_logs() {
  remote_run -e RUN_ID "$SERVER" server logs | tar -C "$1" -xf -
}

# End the instances of this run.
# Usage: server_stop
server_stop() {
  remote_run -e RUN_ID "$SERVER" server stop
}

# Print the directives that settings stand for, separated by semicolons; those of REDIS_CONF come last, where they override.
# Globals: IO_THREADS_DO_READS PERSISTENCE RDB_SECONDS APPENDFSYNC MAXMEMORY EVICTION REDIS_CONF
_server_directives() {
  local text=''
  # Older versions of Redis refuse words that they do not know, so these stand there only when they are asked for.
  [[ $IO_THREADS_DO_READS == off ]] || text+="io-threads-do-reads yes; "
  [[ $PERSISTENCE != off && $PERSISTENCE != aof ]] || text+='save ""; '
  [[ $PERSISTENCE != off && $PERSISTENCE != rdb ]] || text+="appendonly no; "
  [[ $PERSISTENCE != rdb ]] || text+="save $RDB_SECONDS 1; "
  [[ $PERSISTENCE != aof ]] || text+="appendonly yes; appendfsync $APPENDFSYNC; "
  [[ $MAXMEMORY == off ]] || text+="maxmemory $(conf_bytes "$MAXMEMORY"); "
  [[ $EVICTION == off ]] || text+="maxmemory-policy $EVICTION; "
  printf '%s' "$text$REDIS_CONF"
}
