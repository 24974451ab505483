#!/usr/bin/env bash
# SPDX-License-Identifier: MIT
# Unpacks Redis, Valkey and bash of other Debian releases, with their own C library, into build/releases/ for the tests.
#
# Usage: tools/releases.sh [NAME...]   NAME: a release of the table below; without one, all that `make check` uses
#
# Nothing is installed: apt uses separate lists below build/, from the mirror of the machine. A release that cannot be fetched has its cause in
# build/releases/NAME.cause. Exit status: 0 all there, 1 not, 2 bad usage.
set -Eeuo pipefail

ROOT=$(cd "${BASH_SOURCE[0]%/*}/.." && pwd -P)
FOLDER=$ROOT/build/releases
# shellcheck source=tests/releases.bash
. "$ROOT/tests/releases.bash"

# Name, release of Debian, package, its program, the name that it gets.
RELEASES='
redis-trixie   trixie redis-tools  redis-check-rdb  redis-server
valkey-trixie  trixie valkey-tools valkey-check-rdb valkey-server
valkey-sid     sid    valkey-tools valkey-check-rdb valkey-server
bash-bullseye  bullseye bash       bash             bash
benchmark-trixie trixie redis-tools redis-benchmark redis-benchmark
benchmark-sid  sid    valkey-tools valkey-benchmark valkey-benchmark
'

# Print the row of a release.
# Usage: releases_row NAME   Returns: 0, or 1 without such a release
releases_row() { awk -v name="$1" '$1 == name { print; found = 1 } END { exit !found }' <<<"$RELEASES"; }

# Whether a release is unpacked and starts. The programs of a checkout that was moved do not find their libraries.
# Usage: releases_have NAME SERVER   Returns: 0 yes, 1 no
releases_have() { [[ -x $FOLDER/$1/$2 ]] && "$FOLDER/$1/$2" --version >/dev/null 2>&1; }

# Fetch the package lists of a release of Debian, which its servers share.
# Usage: _releases_lists DIRECTORY SUITE   Returns: 0, or 1 with the reason on stderr
_releases_lists() {
  [[ ! -e $1/fetched ]] || return 0
  release_mirror >/dev/null || {
    echo 'apt has no lists of a mirror of Debian'
    return 1
  }
  release_lists "$1" "$2" && : >"$1/fetched"
}

# Fetch packages into this directory: those of programs and the libraries that they depend on, not what their installation needs.
# Usage: _releases_packages LISTS PACKAGE...   Returns: 0, or 1 with the reason on stderr
_releases_packages() {
  local lists=$1
  local -a names
  shift
  mapfile -t names < <(release_apt "$lists" apt-cache depends --recurse -o APT::Cache::ShowOnlyFirstOr=1 --no-recommends --no-suggests --no-conflicts \
    --no-breaks --no-replaces --no-enhances "$@" | grep -E '^(lib|zlib)[^ ]*$' | sort -u)
  release_apt "$lists" apt-get download "$@" "${names[@]}"
}

# Unpack a release: the server, and the libraries that it loads, which the server then finds by their paths.
# Usage: _releases_unpack DIRECTORY NAME SUITE PACKAGE PROGRAM SERVER   Returns: 0, or 1 with the reason on stderr
_releases_unpack() {
  local own=$1 name=$2 suite=$3 package=$4 file loader folders server=$1/new/$6
  (_releases_lists "$FOLDER/$suite.partial" "$suite" && cd "$own" && _releases_packages "$FOLDER/$suite.partial" "$package" patchelf) >&2 || return 1
  for file in "$own"/*.deb; do dpkg-deb -x "$file" "$own/root" || return 1; done
  file=$(find "$own/root" -path "*/bin/$5" -type f)
  mkdir -p -- "$own/new/lib" && cp -- "$file" "$server" || return 1
  loader=$(find "$own/root" -name 'ld-linux*.so.*' | sort | sed -n 1p)
  folders=$(find "$own/root" -name '*.so*' -printf '%h\n' | sort -u | paste -s -d :)
  cp -L -- "$loader" "$own/new/lib/" || return 1
  while read -r file; do cp -L -- "$file" "$own/new/lib/" || return 1; done < <("$loader" --library-path "$folders" --list "$server" |
    awk -v own="$own/root/" '$2 == "=>" && index($3, own) == 1 { print $3 }')
  # RPATH, not RUNPATH: it also counts for the libraries of libraries.
  "$loader" --library-path "$folders" "$own/root/usr/bin/patchelf" --set-interpreter "$FOLDER/$name/lib/${loader##*/}" --force-rpath \
    --set-rpath "$FOLDER/$name/lib" "$server"
}

# Fetch a release if it is not there.
# Usage: releases_get NAME   Returns: 0, or 1 with its cause printed and kept
releases_get() {
  local name suite package program server own cause
  read -r name suite package program server < <(releases_row "$1")
  releases_have "$name" "$server" && return 0
  own=$FOLDER/$name.partial
  rm -rf -- "${FOLDER:?}/$name" "$own"
  mkdir -p -- "$own"
  printf 'releases: fetching %s\n' "$name" >&2
  if _releases_unpack "$own" "$name" "$suite" "$package" "$program" "$server" 2>"$own/log" && mv -- "$own/new" "$FOLDER/$name" &&
    releases_have "$name" "$server"; then
    rm -rf -- "$own" "$FOLDER/$name.cause"
    return 0
  fi
  cause=$(grep -E '^[EW]: ' "$own/log" || tail -n 1 "$own/log")
  cause=${cause%%$'\n'*}
  cause=${cause:-$server does not start}
  printf '%s\n' "$cause" >"$FOLDER/$name.cause"
  printf 'releases: %s of Debian %s is skipped: %s\n' "$server" "$suite" "$cause" >&2
  rm -rf -- "${FOLDER:?}/$name" "$own"
  return 1
}

# Fetch those of some releases that are of one release of Debian, and share its lists.
# Usage: _releases_of SUITE NAME...   Returns: 0, or 1 if one is not there
_releases_of() {
  local name suite status=0
  for name in "${@:2}"; do
    read -r _ suite _ < <(releases_row "$name")
    [[ $suite != "$1" ]] || releases_get "$name" || status=1
  done
  return "$status"
}

main() {
  local name suite pid status=0
  local -a names=("$@") jobs=()
  for name; do
    releases_row "$name" >/dev/null || {
      printf 'releases: %s: not a release; accepted:%s\n' "$name" "$(awk 'NF { printf " %s", $1 }' <<<"$RELEASES")" >&2
      return 2
    }
  done
  (($# > 0)) || mapfile -t names < <(awk 'NF && $1 !~ /^benchmark/ { print $1 }' <<<"$RELEASES")
  export LC_ALL=C
  mkdir -p -- "$FOLDER"
  # Two checks of one checkout fetch once.
  exec 9<"$FOLDER"
  flock 9
  while read -r suite; do
    _releases_of "$suite" "${names[@]}" &
    jobs+=("$!")
  done < <(awk 'NF { print $2 }' <<<"$RELEASES" | sort -u)
  for pid in "${jobs[@]}"; do wait "$pid" || status=1; done
  rm -rf -- "$FOLDER"/*.partial
  # The checkout's user can remove what root has fetched.
  ((EUID != 0)) || chown -R --reference="$ROOT" -- "$FOLDER"
  return "$status"
}

main "$@"
