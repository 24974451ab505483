#!/usr/bin/env bats
# SPDX-License-Identifier: MIT
# Files of a run on a full disk, or in a directory that cannot be written to: whole or not there, with one message and no errors of tools.
# shellcheck disable=SC2154 # stderr is set by run_split

load helper

setup() { scratch_setup; }
teardown() { scratch_teardown; }

# Run COMMAND with the modules of the master, in a shell. Usage: with_modules COMMAND [ARGUMENT]...
with_modules() {
  # shellcheck disable=SC2016 # expanded by the inner shell
  run_split bash -c 'set -Eeuo pipefail; ROOT=$REPO LIB=$REPO/lib; . "$LIB/modules.sh"; "$@"' bash "$@"
}

@test "a file is written whole or not at all: a command that fails leaves the one before, and a full disk gives one message" {
  with_modules write_file a printf '1\n2\n'
  assert_success
  assert_equal "$(<a)" $'1\n2'
  with_modules write_file a bash -c 'echo 3; exit 7'
  assert_failure 7
  assert_equal "$(<a)/$(ls a*)" $'1\n2/a'
  # Every write to it fails with ENOSPC.
  ln -s /dev/full b.new
  with_modules write_file b echo 4
  assert_failure 1
  assert_match '^[0-9:]+ warning: b: cannot be written; is its disk full, or its directory read-only\?$' "$stderr"
  refute_exists b
  refute_exists b.new
}

@test "lists of a run, and its tuning, on a full disk: one message each" {
  mkdir -p run/env/h
  echo x >run/x
  ln -s /dev/full run/SHA256SUMS.new
  with_modules stored_seal run
  assert_failure 1
  assert_match '^[0-9:]+ warning: run/SHA256SUMS: cannot be written; is its disk full, or its directory read-only\?$' "$stderr"
  ln -s /dev/full run/SIZES.new
  with_modules stored_note run
  assert_failure 1
  assert_match '^[0-9:]+ warning: run/SIZES: cannot be written; [^'$'\n'']*$' "$stderr"
  ln -s /dev/full run/env/h/tuning.tsv
  RUN=$PWD/run with_modules _tune_record native h 'THP set'
  assert_failure 1
  assert_match '^[0-9:]+ warning: [^ ]*/env/h/tuning\.tsv: cannot be written; [^'$'\n'']*$' "$stderr"
}
