#!/usr/bin/env bats
# SPDX-License-Identifier: MIT
# A results directory from an untrusted source, or a damaged one: every reader terminates and names the bad file.
# shellcheck disable=SC2154 # stderr is set by run_split

load helper

setup() {
  scratch_setup
  cp -r "$(dirname "$(find "$REPO/results" -name run.conf | sed -n 1p)")" run
  REP=$(find run -type d -name 'rep-1' | sort | sed -n 1p)
}

teardown() {
  scratch_teardown
}

# Resume the run, which is refused before any host is contacted.
resume() { timeout 200 "$REPO/do_it.sh" --resume "$PWD/run"; }

@test "a FIFO, a device, a link or a socket in a run: no reader waits or follows, one line names it" {
  local file
  echo secret >outside
  for file in run/run.conf "$REP/server/counters.tsv" "$REP/server/redis-6379.log" "$REP"/*/set.hgrm; do
    mv "$file" kept
    mkfifo "$file"
    run_split timeout 200 "$REPO/summary2csv.sh" run
    assert_failure 1
    assert_contains "$file: a FIFO" "$stderr"
    run_split timeout 200 "$REPO/do_it.sh" report run
    assert_failure
    assert_contains "$file: a FIFO" "$stderr"
    rm "$file"
    ln -s "$PWD/outside" "$file"
    run_split timeout 200 "$REPO/summary2csv.sh" run
    assert_failure 1
    assert_contains "$file: a link" "$stderr"
    rm "$file"
    mv kept "$file"
  done
  run_split timeout 200 "$REPO/summary2csv.sh" run
  assert_success
  rm run/run.conf
  mkfifo run/run.conf
  run_split timeout 200 "$REPO/do_it.sh" list RESULTS_DIR="$PWD"
  assert_success
  run_split resume
  assert_failure 2
  assert_contains "run.conf: a FIFO" "$stderr"
}

@test "a truncated file is named in one line; its repeat is left out, and a run with truncated settings is not resumed" {
  local whole file
  # The format that a run writes.
  bash -c '. "$REPO/lib/results/stored.sh"; for folder in run "$@"; do stored_note "$folder"; done' bash "$(dirname "$REP")"/rep-*
  whole=$("$REPO/summary2csv.sh" run | wc -l)
  for file in "$REP"/*/set.hgrm "$REP"/*/get.hlog "$REP/server/counters.tsv" "$REP/starts.tsv"; do
    cp "$file" kept
    truncate -s -1 "$file"
    run_split "$REPO/summary2csv.sh" run
    assert_failure 1
    assert_match "^summary2csv.sh: $file: has [0-9]+ bytes of [0-9]+; the repeat is excluded\$" "$stderr"
    ((${#lines[@]} < whole))
    refute_contains "$REP/" "$output"
    cp kept "$file"
  done
  truncate -s -100 run/run.conf
  run_split resume
  assert_failure 2
  assert_match 'run/run.conf: has [0-9]+ bytes of [0-9]+: it was truncated or changed' "$stderr"
  run_split "$REPO/summary2csv.sh" run
  assert_failure 1
  assert_match '^summary2csv.sh: run/run.conf: has [0-9]+ bytes of [0-9]+$' "$stderr"
  assert_equal "${#lines[@]}" "$whole"
}

@test "names in results are not formulas in a CSV and not codes for a terminal" {
  mv run/native "run/=HYPERLINK(x)" 2>/dev/null || mv "$(dirname "$(dirname "$REP")")" "run/=HYPERLINK(x)"
  run_split "$REPO/summary2csv.sh" run
  assert_success
  assert_contains ",'=HYPERLINK(x),"
  [[ ! $output =~ ,[=@] ]] || fail 'a cell begins as a formula does'
  mv "run/=HYPERLINK(x)" $'run/a\e[31mb'
  run_split "$REPO/do_it.sh" kpi run
  refute_contains $'\e'
  assert_contains 'a?[31mb'
  refute_contains $'\e' "$stderr"
  local text wanted
  while IFS='|' read -r text wanted; do
    # shellcheck disable=SC2016 # a program of awk
    run awk -v "s=$text" -f "$REPO/lib/results/figures/text.awk" -f <(echo 'BEGIN { print text_csv(s) }')
    assert_output "$wanted"
  done <<'END'
=1+1|'=1+1
+cmd|'+cmd
@x|'@x
-x|'-x
-5.1|-5.1
+5.3 %|+5.3 %
-|-
x=1|x=1
END
}

@test "a line of 3 MB in a hosts file, and a thousand million CPUs: one clear line at once" {
  head -c 3000000 /dev/zero | tr '\0' x >hosts
  run_split timeout 200 "$REPO/do_it.sh" plan -H hosts
  assert_failure 2
  assert_equal "$stderr" "do_it.sh: hosts:1: line: too long; accepted: at most 4096 characters"
  run_split timeout 200 "$REPO/do_it.sh" plan SERVER_CPUS=0-999999999
  assert_failure 2
  assert_contains "SERVER_CPUS=0-999999999: invalid" "$stderr"
}
