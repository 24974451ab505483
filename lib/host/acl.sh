# SPDX-License-Identifier: MIT
# shellcheck shell=bash
# The commands that an instance refuses: a load generator can only send load. Globals: LOAD_COMMANDS (further
# commands of the load generators, each as +COMMAND), REDIS_BINARY, LOAD_PASSWORD and COPY_PASSWORD (of load generators and of replicas, 24 characters
# for each port).

# Commands of ./test and the peers; redis-cli --pipe sends ECHO to detect the end.
readonly ACL_LOAD='+ping +get +set +flushall +dbsize +exists +hset +info +echo'
# Commands that change more than data, by the version that introduced them.
readonly ACL_DANGEROUS='0:DEBUG 0:SLAVEOF 0:SHUTDOWN 0:EVAL 0:EVALSHA 0:SCRIPT 0:MIGRATE 0:SAVE 0:BGSAVE 0:BGREWRITEAOF 0:MONITOR 4:MODULE 5:REPLICAOF'

# Read the version of redis-server. The version numbers of other servers with the protocol of Redis have another meaning.
# Usage: host_acl_version
# Returns: sets ACL_MAJOR, empty if it is unknown.
host_acl_version() {
  local said
  ACL_MAJOR=
  said=$(run_limited 10 "$REDIS_BINARY" --version) || (($? != 124)) || exit 1
  [[ ! $said =~ ^(Redis|Valkey|Redict)\ server\ v=([0-9]+)\. ]] || ACL_MAJOR=${BASH_REMATCH[2]}
}

# Whether the load generators have their own user, `load`: before version 6 all clients share one password.
# Usage: host_acl_users
host_acl_users() {
  [[ -z $ACL_MAJOR ]] || ((ACL_MAJOR >= 6))
}

# Make the passwords of the master for all instances. They stay on this host.
# Usage: host_acl_secrets
# Globals: INSTANCE_PLAN
# Returns: sets ACL_SECRETS, 24 characters for each
host_acl_secrets() {
  local -a rows
  mapfile -t rows <<<"$INSTANCE_PLAN"
  ACL_SECRETS=$(head -c $((${#rows[@]} * 18)) /dev/urandom | base64 -w 0)
  ACL_SECRETS=${ACL_SECRETS//+/x} ACL_SECRETS=${ACL_SECRETS//'/'/y}
}

# Print the directives about changes of an instance that runs; SERVER_DIRECTIVES can override them.
# Usage: host_acl_refused
# Globals: ACL_MAJOR
host_acl_refused() {
  # Settings that must not change while an instance runs: the paths of its files, and the code that it loads.
  [[ -z $ACL_MAJOR ]] || ((ACL_MAJOR < 7)) || printf '%s no\n' enable-protected-configs enable-debug-command enable-module-command
}

# Print the directives of an instance's users. Every instance has its own passwords: whoever listens on the port of one can do nothing to the others.
# Usage: host_acl_conf PORT
# Globals: ACL_MAJOR ACL_SECRETS LOAD_PASSWORD LOAD_COMMANDS CLUSTER_TABLE
host_acl_conf() {
  local row secret=${ACL_SECRETS:0:24} REPLY
  ACL_SECRETS=${ACL_SECRETS:24}
  protocol_password "$LOAD_PASSWORD" "$REDISBASE" "$1"
  if host_acl_users; then
    printf 'requirepass %s\n' "$secret"
    printf 'user load on >%s ~* -@all %s\n' "$REPLY" "$ACL_LOAD$LOAD_COMMANDS${CLUSTER_TABLE:+ +cluster|nodes +setbit +del}"
    [[ -z $CLUSTER_TABLE ]] || _host_acl_copies "$1"
    return
  fi
  # The load generators have the password of the master, and a cluster has one for all.
  [[ -z $CLUSTER_TABLE ]] || protocol_password "$LOAD_PASSWORD" "$REDISBASE" "$REDISBASE"
  printf 'requirepass %s\n%s' "$REPLY" "${CLUSTER_TABLE:+masterauth $REPLY$'\n'}"
  for row in $ACL_DANGEROUS; do
    ((ACL_MAJOR < ${row%%:*})) || printf 'rename-command %s ""\n' "${row#*:}"
  done
  # The master requires this command, so it is renamed to a name that only the master knows.
  printf 'rename-command CONFIG CONFIG-%s\n' "$secret"
}

# Print the directives for the replication of a shard: each instance logs in to the others of its shard with its own name and password, with which it
# can only become a replica. While a node is down, its port gives such a password away; no other instance with a single replica accepts it.
# Usage: _host_acl_copies PORT
# Globals: CLUSTER_TABLE COPY_PASSWORD
_host_acl_copies() {
  local port shard own='' REPLY
  while IFS=$'\t' read -r port _ shard _; do [[ $port != "$1" ]] || own=$shard; done <<<"$CLUSTER_TABLE"
  while IFS=$'\t' read -r port _ shard _; do
    [[ $shard == "$own" ]] || continue
    protocol_password "$COPY_PASSWORD" "$REDISBASE" "$port"
    if [[ $port == "$1" ]]; then
      printf 'masteruser copy-%s\nmasterauth %s\n' "$port" "$REPLY"
    else
      printf 'user copy-%s on >%s -@all +psync +sync +replconf +ping\n' "$port" "$REPLY"
    fi
  done <<<"$CLUSTER_TABLE"
}
