#!/usr/bin/env bats
# SPDX-License-Identifier: MIT
# A run as one archive: packed from an unchanged run, and read elsewhere; an archive with anything else is refused.

load helper

prepare() {
  export TIERBENCH_RESULTS_DIR=$SCRATCH/results
  cp -r "$REPO/results/sample" run
}

@test "a run is packed to the same bytes each time, over no file, not one that was changed, and an archive is read as the run" {
  succeeds run_split "$REPO/do_it.sh" bundle run
  assert_output "$(sha256sum run.tar.gz)"
  fails 1 run_split "$REPO/do_it.sh" bundle run
  assert_equal "$STDERR" 'do_it.sh: run.tar.gz: exists; move it, or pack in another directory'
  mv run.tar.gz first.tar.gz
  find run -exec touch -d @1000000000 {} +
  "$REPO/do_it.sh" bundle run
  cmp first.tar.gz run.tar.gz
  run_split "$REPO/do_it.sh" verify first.tar.gz
  assert_equal "${lines[-1]}" 'whole and unchanged'
  folder=results/received/$(sha256sum <first.tar.gz | head -c 12)/run
  assert_equal "$(diff -r run "$folder")" ''
  # What was unpacked before is not unpacked again, and a change there is seen.
  echo x >>"$folder/plan.tsv"
  run "$REPO/do_it.sh" verify first.tar.gz
  assert_equal "${lines[-1]}" '1 problem'
  fails 1 run_split "$REPO/do_it.sh" compare --metric ops run first.tar.gz
  assert_contains '100.0 %'
  assert_equal "$(find . -name '.bundle*' -o -name '*.new')" ''
  # A run that was changed, or that did not end, is not packed.
  rm run.tar.gz first.tar.gz
  echo x >>run/plan.tsv
  fails 1 run_split "$REPO/do_it.sh" bundle run
  assert_equal "$STDERR" "do_it.sh: run: changed plan.tsv: only an unchanged run is packed; ./do_it.sh verify run names all problems"
  rm run/SHA256SUMS
  fails 1 run_split "$REPO/do_it.sh" bundle run
  assert_match 'run: SHA256SUMS is missing: the run did not end;' "$STDERR"
  assert_equal "$(find . -name '*.tar.gz*')" ''
}

# Refuse the archive x.tar.gz, of these words for tar if there are any, and unpack nothing.
# Usage: refused REASON [WORD]...
refused() {
  (($# == 1)) || tar -czPf x.tar.gz "${@:2}"
  fails 2 run_split "$REPO/do_it.sh" verify x.tar.gz
  assert_equal "$STDERR" "do_it.sh: command line: x.tar.gz: $1; accepted: an archive of ./do_it.sh bundle"
  refute_exists results
}

@test "an archive with a link, a FIFO, a name that leads elsewhere, or two runs, or that is cut, is refused, and nothing is unpacked" {
  local odd='cut, or has other than regular files' one='has not one run, with its SHA256SUMS'
  ln -s /etc/passwd run/link
  refused "$odd" run
  ln -f run/plan.tsv run/link
  refused "$odd" run
  rm run/link
  mkfifo run/link
  refused "$odd" run
  rm run/link
  refused "$one" run --transform 's,plan.tsv,../../plan.tsv,'
  refused "$one" run --transform 's,^,/tmp/,'
  : >$'run/a\nb'
  refused "$one" run
  rm run/a*
  cp -r run other
  refused "$one" run other
  rm other/SHA256SUMS
  refused "$one" other
  tar -czf whole.tar.gz run
  head -c 10000 whole.tar.gz >x.tar.gz
  refused "$odd"
  echo text >x.tar.gz
  refused "$odd"
  fails 2 run_split "$REPO/do_it.sh" compare run x.tar.gz
  assert_equal "$STDERR" "do_it.sh: command line: x.tar.gz: $odd; accepted: an archive of ./do_it.sh bundle"
}

@test "a directory that is no run is named by bundle, verify and collect" {
  mkdir other
  fails 1 run_split "$REPO/do_it.sh" verify other
  assert_equal "${output##*$'\n'}" 'nothing to check: no file of the run is in a list SHA256SUMS'
  fails 1 run_split "$REPO/do_it.sh" bundle other
  assert_equal "$STDERR" 'do_it.sh: other: not a run, run.conf is missing; ./do_it.sh list names runs'
  fails 1 run_split "$REPO/do_it.sh" collect other
  assert_equal "${STDERR%%$'\n'*}" 'collect: other: refused: run.conf is missing: not a run'
}
