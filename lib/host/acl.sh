# SPDX-License-Identifier: MIT
# shellcheck shell=bash
# Which commands an instance refuses: a load generator can load, and nothing else.
# Settings sent in front: LOAD_COMMANDS (what the load generators send beside that, each as +COMMAND), REDIS_BINARY, REDIS_PASSWORD (the master's), LOAD_PASSWORD (the load generators').

# What ./test and the peers send; ECHO is how redis-cli --pipe sees its end.
readonly ACL_LOAD='+ping +get +set +flushall +dbsize +exists +hset +info +echo'
# What changes more than data, by the version that brought it.
readonly ACL_DANGEROUS='0:DEBUG 0:SLAVEOF 0:SHUTDOWN 0:EVAL 0:EVALSHA 0:SCRIPT 0:MIGRATE 0:SAVE 0:BGSAVE 0:BGREWRITEAOF 0:MONITOR 4:MODULE 5:REPLICAOF'

# Ask redis-server for its version.
# Usage: acl_version
# Returns: sets ACL_MAJOR, empty when it is not known.
acl_version() {
  local said
  ACL_MAJOR=
  said=$(run_limited 10 "$REDIS_BINARY" --version) || (($? != 124)) || exit 1
  [[ ! $said =~ v=([0-9]+)\. ]] || ACL_MAJOR=${BASH_REMATCH[1]}
}

# Whether the load generators have a user of their own, `load`: before version 6 there is one password for all.
# Usage: acl_users
acl_users() {
  [[ -z $ACL_MAJOR ]] || ((ACL_MAJOR >= 6))
}

# Print the directives that close what a load generator does not need. What REDIS_CONF says comes after them.
# Usage: acl_conf
# Globals: ACL_MAJOR LOAD_PASSWORD LOAD_COMMANDS
acl_conf() {
  local row
  if acl_users; then
    printf 'user load on >%s ~* -@all %s\n' "$LOAD_PASSWORD" "$ACL_LOAD$LOAD_COMMANDS${CLUSTER_TABLE:+ +cluster|nodes +setbit +del}"
    # What nobody may change while an instance runs: where it writes files, and what code it loads.
    [[ -z $ACL_MAJOR ]] || ((ACL_MAJOR < 7)) || printf '%s no\n' enable-protected-configs enable-debug-command enable-module-command
    return
  fi
  for row in $ACL_DANGEROUS; do
    ((ACL_MAJOR < ${row%%:*})) || printf 'rename-command %s ""\n' "${row#*:}"
  done
  # The master needs it, and it needs a name that nobody else knows.
  printf 'rename-command CONFIG CONFIG-%s\n' "$LOAD_PASSWORD"
}
