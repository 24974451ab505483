# SPDX-License-Identifier: MIT
# shellcheck shell=bash
# The commands that an instance refuses: a load generator can only send load. Globals: LOAD_COMMANDS (further
# commands of the load generators, each as +COMMAND), REDIS_BINARY, REDIS_PASSWORD (the master's), LOAD_PASSWORD (the load generators').

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

# Print the directives that refuse commands a load generator does not need. The directives of REDIS_CONF come after them.
# Usage: host_acl_conf
# Globals: ACL_MAJOR LOAD_PASSWORD LOAD_COMMANDS
host_acl_conf() {
  local row
  if host_acl_users; then
    printf 'user load on >%s ~* -@all %s\n' "$LOAD_PASSWORD" "$ACL_LOAD$LOAD_COMMANDS${CLUSTER_TABLE:+ +cluster|nodes +setbit +del}"
    # Settings that must not change while an instance runs: the paths of its files, and the code that it loads.
    [[ -z $ACL_MAJOR ]] || ((ACL_MAJOR < 7)) || printf '%s no\n' enable-protected-configs enable-debug-command enable-module-command
    return
  fi
  for row in $ACL_DANGEROUS; do
    ((ACL_MAJOR < ${row%%:*})) || printf 'rename-command %s ""\n' "${row#*:}"
  done
  # The master requires this command, so it is renamed to a name that only the master knows.
  printf 'rename-command CONFIG CONFIG-%s\n' "$LOAD_PASSWORD"
}
