#!/usr/bin/env bats
# SPDX-License-Identifier: MIT
# A transferred run can be verified: missing, changed and added files are named.
# slow

load helper

RUN=elsewhere
REP=$RUN/native/1000B-2i/rep-1

@test "a run that was moved is whole and unchanged, a report beside it changes nothing, and it names the version that made it" {
  untune
  "$REPO/do_it.sh" run -s demo REDISBASE="$(ports_pick 2)" KEYS=500 VALUE_SIZES=100 REDISRUNS=2 VARIANTS=native RESULTS_DIR="$SCRATCH/results" >out 2>&1
  mv results/*-demo elsewhere
  succeeds run "$REPO/do_it.sh" verify "$RUN"
  assert_equal "${lines[0]}" "made by   $("$REPO/do_it.sh" --version)"
  assert_match $'\nfiles     [0-9]+ checked, 0 in no list\n'
  assert_equal "${lines[-1]}" 'whole and unchanged'
  rm -rf "$RUN/plots" "$RUN/report.html"
  mkdir "$RUN/native/100B-2i/rep-3.failed-20260101-000000"
  echo text >"$RUN/native/100B-2i/rep-3.failed-20260101-000000/why"
  # A repeat that fails after its files were fetched has the list of a client.
  cp -r "$RUN/native/100B-2i/rep-1/127.0.0.1" "$RUN/native/100B-2i/rep-3.failed-20260101-000000/"
  fails 1 run "$REPO/do_it.sh" verify "$RUN"
  assert_contains 'warning   not complete: elsewhere/native/100B-2i/rep-3.failed-20260101-000000'
  assert_equal "${lines[-1]}" 'unchanged, not complete'
  mv "$RUN/native/100B-2i"/rep-{3,2}.failed-20260101-000000
  succeeds run "$REPO/do_it.sh" verify "$RUN"
  assert_equal "${lines[-1]}" 'whole and unchanged'
}

@test "an interrupted run is unchanged but not known to be whole" {
  cp -r "$REPO/results/sample" "$RUN"
  # As an interrupted run leaves it: the last repeat was never begun, and the run has no list of all repeats.
  rm -r "$RUN/SHA256SUMS" "$RUN/native/1000B-2i/rep-3"
  fails 1 run "$REPO/do_it.sh" verify "$RUN"
  assert_contains 'warning   the run has no list:'
  assert_equal "${lines[-1]}" 'unchanged; not known if whole'
  mkdir "$RUN/native/1000B-2i/rep-3.partial"
  fails 1 run "$REPO/do_it.sh" verify "$RUN"
  assert_equal "${lines[-1]}" 'unchanged, not complete'
  echo >>"$REP/127.0.0.1/get.hlog"
  fails 1 run "$REPO/do_it.sh" verify "$RUN"
  assert_equal "${lines[-1]}" '1 problem'
}

@test "missing, changed and added files are named, on every level; the sample in the repository is whole, unchanged and of one clean version" {
  cp -r "$REPO/results/sample" "$RUN"
  echo >>"$REP/127.0.0.1/get.hlog"
  rm "$REP/server/counters.tsv"
  echo >>"$RUN/run.conf"
  touch "$RUN/env/127.0.0.1/more" "$RUN/native/1000B-2i/rep-2/server/more"
  cp -r "$REP" "$RUN/native/1000B-2i/rep-4"
  fails 1 run "$REPO/do_it.sh" verify "$RUN"
  assert_line 'changed   native/1000B-2i/rep-1/127.0.0.1/get.hlog'
  assert_line 'missing   native/1000B-2i/rep-1/server/counters.tsv'
  assert_line 'changed   run.conf'
  assert_line 'added     env/127.0.0.1/more'
  assert_line 'added     native/1000B-2i/rep-2/server/more'
  assert_line 'added     native/1000B-2i/rep-4/SHA256SUMS'
  rm -rf "$RUN/native/1000B-2i/rep-2"
  run "$REPO/do_it.sh" verify "$RUN"
  assert_line 'missing   native/1000B-2i/rep-2/SHA256SUMS'
  succeeds run "$REPO/do_it.sh" verify "$REPO/results/sample"
  assert_match '^made by   tierbench [^;]*$' "${lines[0]}"
  assert_equal "${lines[-1]}" 'whole and unchanged'
  refute_contains 'warning '
}

# End the tuning of the host h in the run of this directory: its value before is 60.
tune_ends() {
  LIB=$REPO/lib ROOT=$REPO RUN=$PWD/run bash -c '
    . "$LIB/modules.sh"
    hosts_all() { hosts=(h); }
    parallel_run() { PARALLEL_STATUS[h]=0 PARALLEL_OUT[h]=$'\''SWAPPINESS\tback\t/s\t60\t37\t60'\''; }
    tune_end'
}

@test "a record of tuning that is completed after the end of the run is in its list; an interrupted run without a list gets none" {
  mkdir -p run/env/h
  printf 'variant\tname\tstate\ttarget\tbefore\tduring\twhy\tafter\nnative\tSWAPPINESS\tset\t/s\t60\t37\t-\t-\n' >run/env/h/tuning.tsv
  tune_ends
  refute_exists run/SHA256SUMS
  sed -i 's/\t60$/\t-/' run/env/h/tuning.tsv
  bash -c '. "$REPO/lib/core/stored.sh" && stored_seal run run'
  tune_ends
  assert_equal "$(tail -n 1 run/env/h/tuning.tsv)" $'native\tSWAPPINESS\tset\t/s\t60\t37\t-\t60'
  succeeds run "$REPO/do_it.sh" verify run
  assert_equal "${lines[-1]}" 'whole and unchanged'
}

@test "a list with names outside the directory is ignored; a missing list is reported" {
  mkdir -p strange/native/p/rep-1/c
  printf '%064d  /etc/passwd\n%064d  ../../../../secret\n' 0 0 >strange/native/p/rep-1/c/SHA256SUMS
  fails 1 run "$REPO/do_it.sh" verify strange
  refute_contains passwd
  refute_contains secret
  assert_contains 'nothing to check'
  ln -s /etc/passwd strange/link
  fails 1 run "$REPO/do_it.sh" verify strange
  assert_contains 'strange/link: a link'
}
