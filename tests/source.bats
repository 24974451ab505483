#!/usr/bin/env bats
# SPDX-License-Identifier: MIT
# Redis from source: the tarball of the distribution's source package is built on the server, kept, and run.
# slow
# shellcheck disable=SC2154 # stderr is set by run_split

load helper

setup() {
  scratch_setup
}

teardown() {
  scratch_teardown
}

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

@test "a run builds Redis from its source once, and the instances are of that build" {
  local base info untuned
  fetch_tarball
  # Without what takes most of the build's time. (CFLAGS would rebuild the load generator of this checkout.)
  local -x OPTIMIZATION=-O0 REDIS_CFLAGS=-g0 USE_JEMALLOC=no
  base=$(ports_pick 2)
  untuned=(TUNE=off KERNEL=keep)
  run_split "$REPO/do_it.sh" run "${untuned[@]}" -s demo REMOTE_DIR="$SCRATCH/host" RESULTS_DIR="$SCRATCH/results" REDISBASE="$base" KEYS=100 \
    VALUE_SIZES=100 REDISRUNS=1 REDIS="source:$TARBALL"
  assert_success
  assert_equal "$(grep -c "building Redis ($TARBALL) on 127.0.0.1, once" <<<"$stderr")" 1
  info=$(cat results/*/native/100B-2i/rep-1/server/info.after)
  local tree build
  tree=$(echo "$SCRATCH/host/cache/redis-"*[0-9a-f])
  # Both report the number of their build; Redis itself cannot read the path of a program that another user started.
  build=$("$tree/src/redis-server" --version | sed -n 's/.* build=\([0-9a-f]*\).*/\1/p')
  assert_match '^[0-9a-f]+$' "$build"
  assert_equal "$(sed -n 's/^redis_build_id://p' <<<"$info" | tr -d '\r' | sort -u)" "$build"
  # The load generator builds against the hiredis in that tree, as in the guide.
  mkdir loadgen && tar -C "$REPO" --exclude=build -cf - Makefile test.c lib/loadgen | tar -C loadgen -xf -
  make -s -C loadgen test REDIS_SRC="$tree" CFLAGS="-O0 -g0"
  refute_contains libhiredis.so "$(ldd loadgen/test)"
  loadgen/test --version
  # With RESP3, which requires a hiredis as new as this, the text of INFO is of another type.
  redis_start
  OMP_NUM_THREADS=1 run_split loadgen/test --resp 3 --out out 127.0.0.1 "$REDIS_PORT" 10 100
  assert_success
  run_split "$REPO/do_it.sh" doctor --all -s demo REMOTE_DIR="$SCRATCH/host" REDISBASE="$base" REDIS="source:$TARBALL"
  assert_success
  refute_contains "building Redis" "$stderr"
}
