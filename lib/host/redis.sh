# SPDX-License-Identifier: MIT
# shellcheck shell=bash
# The source of redis-server: installed already, the package manager, or built from source once and kept; and the user that it can run as.
# Needs: user
# Reads user: REDIS_USER
# Reads tls kind: REDIS_BINARY
# Reads package: DEPS_SCRIPT
#   DEPS_SCRIPT is the text of tools/deps.sh

# Print the absolute path of redis-server, or the user that it can run as: STATE FOUND, with STATE ok, warn or fail. With tls, print what is missing
# for TLS=on; with kind, what it is.
# Usage: main user | tls | kind | installed PATH | package | built KEY | build KEY SOURCE
#   KEY names a build in the cache; SOURCE is a tarball in the cache, or a URL
main() {
  local path
  case $1 in
    user) host_redis_user && return ;;
    tls) host_redis_tls && return ;;
    kind) host_redis_kind && return ;;
  esac
  path=$(host_redis_path "$@")
  host_redis_returns "$path"
  printf '%s\n' "$path"
}

# Print the path of redis-server; the arguments are those of main.
# Usage: host_redis_path installed PATH | package | built KEY | build KEY SOURCE
# Returns: not 0 if it is not there
host_redis_path() {
  case $1 in
    installed) host_redis_installed "$2" ;;
    package) host_redis_package ;;
    built) host_redis_built "$2" ;;
    build) host_redis_build "$2" "$3" ;;
  esac
}

# Print the user that instances run as, as a row STATE FOUND.
# Usage: host_redis_user
# Globals: REDIS_USER
host_redis_user() {
  if ! host_user_find "$REDIS_USER"; then
    printf 'fail\t%s\n' "$USER_WHY"
  elif [[ -n $USER_WHY ]]; then
    printf 'warn\troot (%s)\n' "$USER_WHY"
  else
    printf 'ok\t%s\n' "${USER_NAME:-$(id -un)}"
  fi
}

# Another program of that name may treat any argument as its configuration, and never return.
host_redis_returns() {
  run_limited 10 "$1" --version >/dev/null || (($? != 124)) || exit 1
}

# Print the path of a program that is installed, given by its name or path.
# Usage: host_redis_installed PROGRAM
host_redis_installed() {
  command -v -- "$1" || fail "redis-server is missing: '$1' not found; install it, or set REDIS=package or source:VERSION"
}

# Print the path of redis-server; if it is missing, install its package first.
# Usage: host_redis_package
# Globals: DEPS_SCRIPT
host_redis_package() {
  if ! command -v redis-server; then
    [[ $(id -u) == 0 ]] || fail "REDIS=package requires root on the server"
    # shellcheck disable=SC2016 # expanded by the script
    run_limited 1800 bash -c "$DEPS_SCRIPT"$'\n''main "$@"' deps.sh run redis-server >&2 || fail "the package manager could not install redis-server"
    command -v redis-server || fail "redis-server is missing after its package was installed"
  fi
}

# Print the path of redis-server of a build in the cache.
# Usage: host_redis_built KEY
# Returns: 1 if there is no such build
host_redis_built() {
  workdir_open
  local binary=$WORK/cache/$1/src/redis-server
  [[ ! -e $binary || -x $binary ]] ||
    fail "REMOTE_DIR=$WORK: programs cannot be run there (mounted noexec?); set REMOTE_DIR to a directory where they can"
  [[ -x $binary ]] && echo "$binary"
}

# Build redis-server in the cache, unless it was built before, and print its path.
# Usage: host_redis_build KEY SOURCE
#   SOURCE is a URL, or any other text if the tarball is in the cache
host_redis_build() {
  local key=$1 source=$2 tarball new
  workdir_open
  # Two runs may need it at once: the one that waits here finds the other's build.
  workdir_lock redis
  REDIS_LOCK=$REPLY
  ! host_redis_built "$key" || return 0
  mkdir -p -- "$WORK/cache"
  new=$WORK/cache/$key.new
  tarball=$WORK/cache/$key.tar.gz
  if [[ $source == *://* ]]; then
    if command -v curl >/dev/null; then
      run_limited 900 curl -fsSL -o "$tarball" -- "$source" || fail "$source: cannot be fetched"
    else
      run_limited 900 wget -q -O "$tarball" -- "$source" || fail "$source: cannot be fetched"
    fi
  fi
  rm -rf -- "$new"
  mkdir -p -- "$new"
  tar -xf "$tarball" -C "$new" --strip-components=1 || fail "$source: is not a tarball"
  host_redis_attended 1800 make -C "$new" -j "$(getconf _NPROCESSORS_ONLN)" >"$WORK/cache/$key.log" 2>&1 ||
    fail "Redis does not build: $(said_error <"$WORK/cache/$key.log") (the whole log: $WORK/cache/$key.log)"
  mv -- "$new" "$WORK/cache/$key"
  rm -f -- "$tarball"
  host_redis_built "$key"
}

# Run a program with a time limit, and stop it, with all that it has started, when the master is gone: nobody would take its result.
# Usage: host_redis_attended SECONDS WORD...
# Returns: the program's exit status
host_redis_attended() {
  local seconds=$1 pid parent
  local -a owner
  shift
  IFS=$'\t' read -r -a owner <<<"$RUN_OWNER"
  parent=$(host_redis_parent)
  # The lock is for this script alone, which outlives the program.
  timeout -k 2 "$seconds" "$@" {REDIS_LOCK}>&- &
  pid=$!
  while proc_start "$pid"; do
    # On the master's machine its process is checked; elsewhere, the process of its connection.
    if [[ $parent != "$(host_redis_parent)" ]] || { host_redis_here "${owner[5]}" "${owner[6]}" && ! proc_alive "${owner[3]}" "${owner[4]}"; }; then
      kill -s TERM "$pid" 2>/dev/null || :
      wait "$pid" || :
      fail "the master is gone"
    fi
    proc_wait 0.2
  done
  wait "$pid"
}

# Print the parent of this script's shell.
host_redis_parent() {
  local line
  read -r line <"/proc/$$/stat"
  read -r _ line _ <<<"${line##*) }"
  echo "$line"
}

# Whether this is the machine with a boot id and a namespace of processes.
# Usage: host_redis_here BOOT PIDSPACE
host_redis_here() {
  local REPLY
  owner_place
  [[ $REPLY == "$1"$'\t'"$2" ]]
}

# Print what is missing on this host for TLS=on, rows STATE FOUND.
# Usage: host_redis_tls
# Globals: REDIS_BINARY
host_redis_tls() {
  local tool said
  for tool in openssl redis-cli; do
    if command -v "$tool" >/dev/null; then printf 'ok\t%s\n' "$tool"; else printf 'fail\t%s is missing\n' "$tool"; fi
  done
  # Without a port it exits at once, but has read its options before.
  said=$(run_limited 10 "$REDIS_BINARY" --port 0 --tls-port 0 --save '' 2>&1) || :
  if [[ $said == *'listen anywhere'* ]]; then
    printf 'ok\tredis-server has TLS\n'
  else
    printf 'fail\tredis-server is built without TLS\n'
  fi
}

# Print what decides the memory of keys: SERVER VERSION QUANTUM. The quantum is the distance of jemalloc's smallest sizes: 8 bytes in Redis' own copy, 16
# in a library of the system. A `p` follows if jemalloc is 5.3.1 or newer, which rounds large sizes to pages. Nothing is printed for another allocator,
# for a file that is not the program itself, or if too few open files are allowed for the tables that an instance usually makes.
# Usage: host_redis_kind
# Globals: REDIS_BINARY
host_redis_kind() {
  local said quantum=8 files magic=''
  said=$(run_limited 10 "$REDIS_BINARY" --version 2>/dev/null) || return 0
  [[ $said =~ ^(Redis|Valkey)\ server\ v=([0-9]+[.][0-9]+)[.].*\ malloc=jemalloc-([0-9]{1,3})[.]([0-9]{1,3})[.]([0-9]{1,3}).*\ bits=64\  ]] ||
    return 0
  { IFS= read -r -n 4 magic <"$REDIS_BINARY"; } 2>/dev/null || :
  [[ $magic == $'\x7fELF' ]] || return 0
  # Root raises that limit.
  files=$(ulimit -Hn)
  [[ $files == unlimited ]] || ((EUID == 0 || files >= 10032)) || return 0
  ! grep -q 'libjemalloc[.]so' "$REDIS_BINARY" || quantum=16
  ((10#${BASH_REMATCH[3]} * 1000000 + 10#${BASH_REMATCH[4]} * 1000 + 10#${BASH_REMATCH[5]} < 5003001)) || quantum+=p
  printf '%s\t%s\t%s\n' "${BASH_REMATCH[1],,}" "${BASH_REMATCH[2]}" "$quantum"
}
