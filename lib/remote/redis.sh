# SPDX-License-Identifier: MIT
# shellcheck shell=bash
# Where redis-server comes from: already there, from the package manager, or built from source once and kept.

# Print the absolute path of redis-server.
# Setting sent in front, for package: DEPS_SCRIPT (the text of lib/deps.sh).

# Usage: main installed PATH | package | built KEY | build KEY SOURCE
#   KEY names a build in the cache; SOURCE is a tarball in the cache, or a URL
main() {
  case $1 in
    installed) redis_installed "$2" ;;
    package) redis_package ;;
    built) redis_built "$2" ;;
    build) redis_build "$2" "$3" ;;
  esac
}

redis_installed() {
  command -v -- "$1" || fail "redis-server is missing: '$1' is not there; install it, or set REDIS_FROM=package or source"
}

redis_package() {
  if ! command -v redis-server; then
    [[ $(id -u) == 0 ]] || fail "REDIS_FROM=package needs root on the server"
    # shellcheck disable=SC2016 # expanded by the script
    bash -c "$DEPS_SCRIPT"$'\n''main "$@"' deps.sh run redis-server >&2 || fail "the package manager could not install redis-server"
    command -v redis-server || fail "redis-server is missing after its package was installed"
  fi
}

redis_built() {
  work_open
  local binary=$WORK/cache/$1/src/redis-server
  [[ -x $binary ]] && echo "$binary"
}

redis_build() {
  local key=$1 source=$2 tarball new
  work_open
  mkdir -p -- "$WORK/cache"
  new=$WORK/cache/$key.new
  tarball=$WORK/cache/$key.tar.gz
  if [[ $source == *://* ]]; then
    if command -v curl >/dev/null; then
      curl -fsSL -o "$tarball" -- "$source" || fail "$source: cannot be fetched"
    else
      wget -q -O "$tarball" -- "$source" || fail "$source: cannot be fetched"
    fi
  fi
  rm -rf -- "$new"
  mkdir -p -- "$new"
  tar -xf "$tarball" -C "$new" --strip-components=1 || fail "$source: is not a tarball"
  make -C "$new" -j "$(getconf _NPROCESSORS_ONLN)" >"$WORK/cache/$key.log" 2>&1 ||
    fail "Redis does not build: $(tail -n 1 "$WORK/cache/$key.log") (the whole log: $WORK/cache/$key.log)"
  mv -- "$new" "$WORK/cache/$key"
  rm -f -- "$tarball"
  redis_built "$key"
}
