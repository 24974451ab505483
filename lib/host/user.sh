# SPDX-License-Identifier: MIT
# shellcheck shell=bash
# The user that the instances run as: the login user, or an unprivileged user instead of root.

# The users that auto tries instead of root; the first existing user is used: those of the packages, then nobody.
readonly USER_KNOWN='redis valkey nobody'

# Find the user that instances run as, and how to start an instance as that user.
# Usage: host_user_find REDIS_USER
# Returns: sets USER_NAME, USER_ID and USER_GROUP (empty: instances run as this user), USER_WORDS, the prefix of redis-server, and USER_WHY, the
# reason why auto keeps root; 1 with USER_WHY if the named user is not available.
host_user_find() {
  local name=$1 names=$1 said
  USER_NAME='' USER_ID='' USER_GROUP='' USER_WORDS=() USER_WHY=''
  [[ $name != keep ]] || return 0
  if ((EUID != 0)); then
    [[ $name != auto && $name != "$(id -un)" ]] || return 0
    USER_WHY="REDIS_USER=$name: only root starts instances as another user"
    return 1
  fi
  [[ $name != auto ]] || names=$USER_KNOWN
  for name in $names; do ! USER_ID=$(exec id -u -- "$name" 2>/dev/null) || break; done
  USER_WHY="REDIS_USER=$name: no such user"
  if [[ -n $USER_ID ]] && USER_GROUP=$(exec id -g -- "$name" 2>/dev/null); then
    USER_WHY="REDIS_USER=$name: setpriv is missing"
    USER_WORDS=(setpriv "--reuid=$USER_ID" "--regid=$USER_GROUP" --clear-groups --inh-caps=-all --bounding-set=-all --no-new-privs --)
    USER_NAME=$name
    # In a container such a user may not exist, or root may lack the right to become that user.
    if command -v setpriv >/dev/null; then
      said=$(run_limited 10 "${USER_WORDS[@]}" true 2>&1) && USER_WHY='' && return
      USER_WHY="REDIS_USER=$name: $(said_why <<<"$said")"
    fi
  fi
  USER_NAME='' USER_ID='' USER_GROUP='' USER_WORDS=()
  [[ $1 == auto ]]
}

# Whether that user can start a program by its path, or enter a directory.
# Usage: host_user_reaches PATH
host_user_reaches() {
  run_limited 10 "${USER_WORDS[@]}" test -x "$1"
}

# Refuse a PERSISTENCE.dir that instances of that user cannot use.
# Usage: host_user_data DIR
host_user_data() {
  [[ -d $1 ]] || fail "PERSISTENCE.dir=$1: not a directory; mount the device there, or make it"
  workdir_alone "$1" PERSISTENCE.dir
  [[ -w $1 ]] || fail "PERSISTENCE.dir=$1: cannot be written; chmod u+w it, or mount it for writing"
  host_user_reaches "$1" ||
    fail "PERSISTENCE.dir=$1: ${USER_NAME:-$(id -un)}, the user of the instances, cannot enter it; chmod o+x it and its parents, or set REDIS_USER"
}

# Raise limits before redis-server becomes another user, who may not raise them: open files, and processes of one user.
# Usage: host_user_limits
# Globals: SERVER_DIRECTIVES
host_user_limits() {
  local files=65536 now text=${SERVER_DIRECTIVES,,}
  [[ -n $USER_NAME ]] || return 0
  # Redis reserves 32 for itself.
  [[ ! $text =~ maxclients[[:space:]]+\"?([0-9]{1,7}) ]] || ((BASH_REMATCH[1] + 32 <= files)) || files=$((BASH_REMATCH[1] + 32))
  now=$(ulimit -Hn)
  [[ $now == unlimited ]] || ((now >= files)) || ulimit -n "$files" 2>/dev/null || :
  ulimit -u unlimited 2>/dev/null || :
}

# Change the owner of files and directories to that user.
# Usage: host_user_give PATH...
host_user_give() {
  [[ -z $USER_NAME ]] || chown -- "$USER_ID:$USER_GROUP" "$@"
}
