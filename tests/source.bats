#!/usr/bin/env bats
# SPDX-License-Identifier: MIT
# Redis from source: the tarball of the distribution's source package.
# slow

load helper

# Fetch the upstream tarball of the distribution's Redis, with separate package lists of this test.
# Usage: fetch_tarball   Sets: TARBALL
fetch_tarball() {
  need_command apt-get
  mkdir -p apt/lists/partial apt/cache/archives/partial
  local list
  for list in /etc/apt/sources.list /etc/apt/sources.list.d/*.list; do
    [[ ! -e $list ]] || sed -n 's/^deb /deb-src /p' "$list" >>apt/sources.list
  done
  touch apt/sources.list
  mkdir -p apt/parts
  for list in /etc/apt/sources.list.d/*.sources; do
    [[ ! -e $list ]] || sed 's/^Types:.*/Types: deb-src/' "$list" >"apt/parts/${list##*/}"
  done
  local -a options=(-q -o "Dir::Etc::SourceList=$PWD/apt/sources.list" -o "Dir::Etc::SourceParts=$PWD/apt/parts"
    -o "Dir::State::Lists=$PWD/apt/lists" -o "Dir::Cache=$PWD/apt/cache" -o APT::Sandbox::User=root)
  if ! { apt-get "${options[@]}" update && apt-get "${options[@]}" --download-only source redis; } >apt.log 2>&1; then
    skip "the source package cannot be fetched: $(tail -n 1 apt.log)"
  fi
  TARBALL=$(echo "$PWD"/redis_*.orig.tar.*)
}

@test "the tarball of Redis has what a run builds, and the load generator builds against the hiredis in it, as in the guide" {
  fetch_tarball
  # As lib/host/redis.sh unpacks and builds it; the runs of tests/server.bats build a smaller tree.
  mkdir tree
  tar -xf "$TARBALL" -C tree --strip-components=1
  make -n -C tree >made
  grep -qE -- '-o redis-server( |$)' made || fail "$(<made)"
  make -s -C tree/deps hiredis OPTIMIZATION=-O0 >made 2>&1 || fail "$(<made)"
  mkdir loadgen && tar -C "$REPO" --exclude=build -cf - Makefile test.c lib/loadgen | tar -C loadgen -xf -
  make -s -C loadgen test REDIS_SRC="$PWD/tree" CFLAGS="-O0 -g0"
  refute_contains libhiredis.so "$(ldd loadgen/test)"
  loadgen/test --version
  # With RESP3, which requires a hiredis as new as this, the text of INFO is of another type.
  redis_start
  OMP_NUM_THREADS=1 succeeds run_split loadgen/test --resp 3 --out out 127.0.0.1 "$REDIS_PORT" 10 100
}
