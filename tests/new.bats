#!/usr/bin/env bats
# SPDX-License-Identifier: MIT
# ./do_it.sh new: templates of scenarios and variants that run as they are.
# slow

load helper

prepare() {
  untune
  mkdir mine
  export TIERBENCH_PATH=$SCRATCH/mine
}

# An argument that is refused in one line.
# Usage: refused LINE ARGUMENT...
refused() {
  fails 2 run_split "$REPO/do_it.sh" new "${@:2}"
  assert_equal "$output" ''
  assert_equal "$STDERR" "do_it.sh: command line: $1"
}

@test "new scenario and new variant write templates that run as they are, and are resumed without TIERBENCH_PATH" {
  succeeds run_split "$REPO/do_it.sh" new scenario question
  assert_output "$SCRATCH/mine/scenarios/question.conf: written, and runs as it is: ./do_it.sh run -s question"
  run_split "$REPO/do_it.sh" new variant place
  assert_output "$SCRATCH/mine/variants/place.conf: written, and runs as it is: ./do_it.sh run -s demo -v native -v place"
  assert_equal "$STDERR" ''
  # Each setting has its sentence, and no name is left open.
  assert_equal "$(awk '/^[A-Z]/ && above !~ /^# / { print } { above = $0 }' mine/*/*.conf)" CLIENT_IP=127.0.0.1
  assert_equal "$(grep -w NAME mine/*/*.conf)" ''
  succeeds run_split "$REPO/do_it.sh" run -s question -v place VALUE_SIZES=100 REDISBASE="$(ports_pick 2)" RESULTS_DIR="$SCRATCH/results"
  run=$(echo results/*-question)
  assert_equal "$(find "$run" -mindepth 3 -maxdepth 3 -name 'rep-1' | wc -l)" 1
  unset -v TIERBENCH_PATH
  rm -r "$run/place/100B-2i/rep-1"
  succeeds run_split "$REPO/do_it.sh" run --resume "$run"
  assert_exists "$run/place/100B-2i/rep-1"
}

@test "new writes over no file, and refuses a name that is none or is known" {
  file=$SCRATCH/mine/scenarios/question.conf
  "$REPO/do_it.sh" new scenario question
  echo '# changed' >"$file"
  refused "new scenario: NAME=question: exists, $file; choose another name" scenario question
  assert_equal "$(<"$file")" '# changed'
  # A link that leads nowhere is a file, too.
  ln -s ../../there mine/scenarios/link.conf
  fails 1 run_split "$REPO/do_it.sh" new scenario link
  assert_equal "$STDERR" "do_it.sh: $SCRATCH/mine/scenarios/link.conf: cannot be written; set TIERBENCH_PATH to another directory"
  refute_exists there
  for name in '' ../x '$(id)'; do
    refused "new scenario: NAME=$name: not a name; accepted: up to 64 letters, digits, - and _, with a letter or digit first" scenario "$name"
  done
  assert_equal "$(find mine -type f)" "mine/scenarios/question.conf"
}

@test "new part writes a directory that runs as it is: a row of doctor, a column, nothing left, and its line in the list" {
  words=(-s demo -v native KEYS=500 VALUE_SIZES=100 SRV_OVERRIDE=1 REDISRUNS=1 REPORT=off TUNE=off)
  words+=(REDISBASE="$(ports_pick 1)" RESULTS_DIR="$SCRATCH/results" REMOTE_DIR="$SCRATCH/host")
  prints "$SCRATCH/mine/part/spare: written, and runs as it is: ./do_it.sh run -s demo SPARE=on" run_split "$REPO/do_it.sh" new part spare
  truncate -s -1 mine/part/list
  "$REPO/do_it.sh" plan -s demo SPARE=on
  "$REPO/do_it.sh" new part spare_3
  assert_equal "$(<mine/part/list)" $'spare\nspare_3'
  printf '# The last line.' | tee -a mine/part/{spare,spare_3}/figures.awk >/dev/null
  assert_equal "$(grep -rwE 'NAME|SETTING' mine/part/spare)" ''
  run "$REPO/do_it.sh" doctor --all "${words[@]}" SPARE=on
  assert_match 'ok +spare +MemAvailable'
  succeeds run_split "$REPO/do_it.sh" run "${words[@]}" PHASES="populate get" SWEEP=SPARE=off,on
  run "$REPO/summary2csv.sh" results/*
  assert_equal "$(awk -F , 'NR == 1 { for (i = 1; i <= NF; i++) at[$i] = i; next }
    { print $at["spare"], $at["operation"], ($at["spare_bytes"] ~ /^-?[0-9]+$/ ? "known" : $at["spare_bytes"]) }' <<<"$output")" 'off populate 
off get 
on populate known
on get known'
  assert_equal "$(find host -name 'run-*')" ''
  # A tier's name may have a digit and _.
  "$REPO/do_it.sh" new tier cxl_2
  "$REPO/do_it.sh" plan -s demo -v native -v cxl_2
  refused "new tier: NAME=cxl_2: exists, the tier cxl_2; choose another name" tier cxl_2
  ln -s nowhere mine/part/spare_2
  refused "new part: NAME=spare_2: exists, $SCRATCH/mine/part/spare_2; choose another name" part spare_2
  [[ -L mine/part/spare_2 ]]
  # A name whose functions or setting another file has.
  for name in spare cold log rate home timeout kernel_thp; do
    fails 2 run_split "$REPO/do_it.sh" new part "$name"
    assert_match "new part: NAME=$name: exists, (.*/part/(spare|cold)|functions log_...|the variable or setting (RATE|HOME|TIMEOUT|KERNEL_THP)); choose another name$" "$STDERR"
  done
  # A word that only sentences of the code have.
  grep -rqw NUMA "$REPO/lib"
  succeeds run_split "$REPO/do_it.sh" new part numa
  # Without the path it is in the tree.
  cp -rp "$REPO"/{do_it.sh,lib,conf} .
  truncate -s -1 lib/part/list
  TIERBENCH_PATH='' prints "$PWD/lib/part/spare: written, and runs as it is: ./do_it.sh run -s demo SPARE=on" run ./do_it.sh new part spare
  assert_equal "$(<lib/part/list)" "$(<"$REPO/lib/part/list")"$'\nspare'
}

@test "a part with NAME in its name is as its template; a column that another part has, and a variant of a name in a run, are refused" {
  "$REPO/do_it.sh" new part username
  "$REPO/do_it.sh" new part spare
  assert_equal "$(sed 's/username/spare/g; s/USERNAME/SPARE/g' mine/part/username/*)" "$(cat mine/part/spare/*)"
  refused "new tier: NAME=env: exists, a file or a directory of a run; choose another name" tier env
  refused "new variant: NAME=rep-1: exists, a file or a directory of a run; choose another name" variant rep-1
  refused "new part: NAME=wss_1s: exists, the column wss_1s_bytes; choose another name" part wss_1s
}
