#!/usr/bin/env bats
# SPDX-License-Identifier: MIT
# Files of a run on a full disk, or in a directory that cannot be written to: whole or not there, with one message and no errors of tools.

load helper
load logs

prepare() {
  untune
}

# Run COMMAND with the modules of the master, in a shell. Usage: in_master COMMAND [ARGUMENT]...
in_master() { run_split modules '"$@"' "$@"; }

@test "a file is written whole or not at all: a command that fails leaves the one before, and a full disk gives one message; a row is appended, to a new file after its header" {
  succeeds in_master write_file a printf '1\n2\n'
  assert_equal "$(<a)" $'1\n2'
  fails 7 in_master write_file a bash -c 'echo 3; exit 7'
  assert_equal "$(<a)/$(ls a*)" $'1\n2/a'
  # Every write to it fails with ENOSPC.
  ln -s /dev/full b.new
  fails 1 in_master write_file b echo 4
  assert_match '^[0-9:]+ warning: b: cannot be written; is its disk full, or its directory read-only\?$' "$STDERR"
  refute_exists b
  refute_exists b.new
  rm a
  in_master write_more a head printf '1\n'
  in_master write_more a head printf '2\n3\n'
  in_master write_more a head true
  assert_equal "$(<a)" $'head\n1\n2\n3'
  fails 7 in_master write_more a head bash -c 'echo 4; exit 7'
  assert_equal "$(<a)" $'head\n1\n2\n3'
  ln -s /dev/full b
  fails 1 in_master write_more b head echo 1
  assert_match '^[0-9:]+ warning: b: cannot be written; is its disk full, or its directory read-only\?$' "$STDERR"
}

@test "a report into a run that may not be written to is one line, and leaves the run as it was" {
  plain=()
  drawn_blank
  # Root may write anywhere, unless it lacks this capability.
  ((EUID != 0)) || plain=(setpriv --bounding-set=-dac_override --inh-caps=-dac_override)
  cp -r "$REPO/results/sample" run
  rm -rf run/plots run/report.html
  find run | sort >before
  chmod -R a-w run
  run_split "${plain[@]}" "$REPO/do_it.sh" report run
  chmod -R u+w run
  assert_failure 1
  assert_output ''
  assert_match '^[0-9:]+ warning: run: cannot be written; is its disk full, or its directory read-only\?$' "$STDERR"
  find run | sort | diff before -
}

@test "lists of a run, and its tuning, on a full disk: one message each" {
  mkdir -p run/env/h
  echo x >run/x
  ln -s /dev/full run/SHA256SUMS.new
  fails 1 in_master stored_seal run
  assert_match '^[0-9:]+ warning: run/SHA256SUMS: cannot be written; is its disk full, or its directory read-only\?$' "$STDERR"
  ln -s /dev/full run/SIZES.new
  fails 1 in_master stored_note run
  assert_match '^[0-9:]+ warning: run/SIZES: cannot be written; [^'$'\n'']*$' "$STDERR"
  ln -s /dev/full run/env/h/tuning.tsv
  RUN=$PWD/run fails 1 in_master _tune_record native h 'THP set'
  assert_match '^[0-9:]+ warning: [^ ]*/env/h/tuning\.tsv: cannot be written; [^'$'\n'']*$' "$STDERR"
}

@test "a full file system is named with its directory, whether space or inodes are missing" {
  unshare -m --propagation private true 2>/dev/null || skip 'private mounts cannot be made here'
  mkdir -p fs
  for what in size=900k nr_inodes=8 size=2m; do
    run_split unshare -m --propagation private bash -c 'set -Eeuo pipefail
      ROOT=$REPO LIB=$REPO/lib; . "$LIB/modules.sh"
      mount -t tmpfs -o "$1" tmpfs fs
      ! common_full REMOTE_DIR="$PWD/fs" TMPDIR="$PWD/fs" LOCK_DIR=/proc || printf "%s\n" "$REPLY"
      write_failed fs/run/a/b || TMPDIR=$PWD/fs write_room || TMPDIR=$PWD/fs write_room || echo no' bash "$what"
    if [[ $what == size=2m ]]; then
      assert_success
      assert_output ''
      assert_match 'fs/run/a/b: cannot be written; is its disk full' "$STDERR"
    else
      assert_match "^REMOTE_DIR=$SCRATCH/fs: the file system $SCRATCH/fs is full \\([0-9]+ KiB and [0-9]+ inodes are free\\); free some space there, or set REMOTE_DIR"$'\nno$'
      assert_match "^[0-9:]+ warning: fs/run/a/b: cannot be written; on this machine the file system $SCRATCH/fs is full [^"$'\n'"]* RESULTS_DIR"$'\n'"[0-9:]+ warning: TMPDIR=$SCRATCH/fs: the file system [^"$'\n'"]*$" "$STDERR"
    fi
  done
}

@test "a disk of a host that fills during the load: the repeat ends with the file system, host and directory, and with no other cause" {
  unshare -m --propagation private true 2>/dev/null || skip 'private mounts cannot be made here'
  base=$(ports_pick 1)
  mkdir -m 700 host
  run_split unshare -m --propagation private bash -c '
    mount -t tmpfs -o size=12m,mode=700 tmpfs host
    "$REPO/do_it.sh" run "$@" &
    pid=$!
    until compgen -G "host/run-*/client-*/out/status" >/dev/null; do read -rt 0.05 0<> <(:) || :; done
    cat /dev/zero >host/filler 2>/dev/null
    wait "$pid"' bash -s demo RESULTS_DIR="$SCRATCH/results" REDISBASE="$base" SRV_OVERRIDE=1 KEYS=2000 VALUE_SIZES=100 REDISRUNS=1 PHASES=set \
    TIME=2 RATE=1000
  assert_failure 1
  assert_match "127.0.0.1: the load generator ended; REMOTE_DIR=$SCRATCH/host: the file system $SCRATCH/host is full \\([0-9]+ KiB and [0-9]+ inodes are free\\)" "$STDERR"
  refute_contains 'was killed' "$STDERR"
  refute_contains 'come back' "$STDERR"
  [[ ! $STDERR =~ ": line "[0-9] ]] || fail "an error of the shell: $STDERR"
  assert_equal "$(find host locks -name 'run-*' -o -type f -path 'locks/*')" ''
}

@test "an instance that could not write a dump: the directory on its host is named, though the disk has space again" {
  succeeds master '' 'lock_take 127.0.0.1
    SERVER_ADDRESS=127.0.0.1 at=$SCRATCH/host/run-$RUN_ID/server
    mkdir "$at" "$SCRATCH/logs"
    : >"$at/instances.proc"
    printf "%s\n" "1:M 27 Nov 2026 17:00:00.000 # Write error saving DB on disk(rdbSaveRio): No space left on device" "1:M 27 Nov 2026 17:00:00.001 # Background saving error" \
      >"$at/redis-7001.log"
    receive_files "$SCRATCH/logs" 127.0.0.1 server logs'
  assert_contains "REMOTE_DIR=$SCRATCH/host: an instance could not write its files to this file system: Write error saving DB on disk(rdbSaveRio): No space left on device" "$STDERR"
  assert_exists logs/redis-7001.log
}
