#!/usr/bin/env bats
# SPDX-License-Identifier: MIT
# Servers of other releases run with the libraries of their release, and if they cannot be fetched, there is a cause.

load helper
load releases

# A copy of the tool with its own build/, and an apt-get that runs TEXT.
# Usage: copied TEXT   Returns: 0
copied() {
  mkdir tools tests bin
  cp "$REPO/tools/releases.sh" tools
  cp "$REPO/tests/releases.bash" tests
  program_make bin/apt-get '#!/bin/bash\n%s\n' "$1"
}

@test "each server is itself, with its own C library and no library of this machine" {
  for name in redis-trixie valkey-trixie valkey-sid; do
    release_server "$name"
    server=$REPLY
    port=$(ports_pick 1)
    job_start "$server" --port "$port" --bind 127.0.0.1 --save ''
    wait_until 10 redis-cli -p "$port" ping
    assert_contains "process_id:$JOB_PID" "$(redis-cli -p "$port" info server)"
    assert_equal "$(readlink "/proc/$JOB_PID/exe")" "$server"
    foreign=$(awk -v own="$REPO/build/releases/$name/" '$6 ~ /\.so/ && index($6, own) != 1 { print $6 }' "/proc/$JOB_PID/maps")
    assert_equal "$foreign" ''
    process_end "$JOB_PID" "$(process_start "$JOB_PID")"
  done
}

@test "without a mirror the cause is kept, printed and given by the skip" {
  copied '[[ $1 == indextargets ]] && { echo "Debian main http://mirror.invalid/debian/"; exit; }
echo "E: Failed to fetch $(cut -d " " -f 3- build/releases/*.partial/sources.list)" >&2
exit 100'
  fails 1 run env PATH="$SCRATCH/bin:$PATH" tools/releases.sh valkey-sid
  assert_line 'releases: valkey-server of Debian sid is skipped: E: Failed to fetch http://mirror.invalid/debian/ sid main'
  assert_equal "$(find build -type f)" build/releases/valkey-sid.cause
  # shellcheck disable=SC2030,SC2031 # REPO is that of the copy in this subshell only
  run bash -c 'REPO=$PWD; skip() { echo "$1"; }; . "$0"; release_server valkey-sid' "$REPO/tests/releases.bash"
  assert_output 'valkey-sid is not installed: E: Failed to fetch http://mirror.invalid/debian/ sid main'
}

@test "a machine without lists of Debian fetches nothing, and an unknown release is refused" {
  copied '[[ $1 == indextargets ]] && exit; touch called'
  fails 1 run env PATH="$SCRATCH/bin:$PATH" tools/releases.sh redis-trixie
  assert_line 'releases: redis-server of Debian trixie is skipped: apt has no lists of a mirror of Debian'
  refute_exists called
  fails 2 run tools/releases.sh redis-9
  assert_output 'releases: redis-9: not a release; accepted: redis-trixie valkey-trixie valkey-sid bash-bullseye benchmark-trixie benchmark-sid'
}
