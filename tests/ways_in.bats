#!/usr/bin/env bats
# SPDX-License-Identifier: MIT
# The entry points: help, version, scenarios from a file, plans for another machine, runs named by a path, settings in the environment, and the
# trace of TIERBENCH_DEBUG=1.

load helper
load logs

@test "help and --version; every command has help, and it ends well" {
  succeeds run "$REPO/do_it.sh" help
  assert_contains 'Usage: ./do_it.sh [COMMAND]'
  succeeds run "$REPO/do_it.sh" --version
  assert_match '^tierbench [0-9]+\.[0-9]+\.[0-9]+ \(([0-9a-f]{12}(; changed)?|unknown commit)\)$'
  for file in "$REPO"/lib/cmd/*.sh; do
    succeeds run_split "$REPO/do_it.sh" "$(basename "$file" .sh)" --help
    assert_contains "Usage: ./do_it.sh"
    assert_equal "$STDERR" ''
  done
  prints "$("$REPO/do_it.sh" new --help)" run_split "$REPO/do_it.sh" help new
  succeeds run_split "$REPO/do_it.sh" --help
}

@test "a copy that is not a checkout has its version, and not the commit of the directory around it; one without the last line of its settings fails" {
  git init -q .
  git -c user.name=n -c user.email=e@example.org commit -q --allow-empty -m around
  mkdir copy
  cp -r "$REPO"/{do_it.sh,conf,lib} copy
  run copy/do_it.sh --version
  assert_match '\(unknown commit\)$'
  sed '/^# <<< settings$/d' "$REPO/do_it.sh" >do_it.sh
  fails any run bash do_it.sh help
  assert_contains '# <<< settings'
}

@test "a scenario from a file has the name of the file" {
  cp "$REPO/conf/scenarios/demo.conf" mine.conf
  succeeds run_plan -s ./mine.conf SERVER_CORES=4 SERVER_MEM=8
  assert_contains 'scenario mine, variants native'
  echo 'SCENARIO=imdt' >>mine.conf
  run_plan -s ./mine.conf SERVER_CORES=4 SERVER_MEM=8
  assert_contains 'scenario imdt, variants native'
}

@test "this machine can plan for a larger one; sweeps over instances fit any number of clients as they stand" {
  succeeds run_plan SERVER=127.0.0.1 SERVER_CORES=72 SERVER_MEM=754
  assert_contains '(72 logical CPUs, 754 GiB)'
  assert_equal "$STDERR" ''
  succeeds run_plan -s scaling SERVER=192.0.2.1 CLIENT_IP="192.0.2.2 192.0.2.3" SERVER_CORES=4 SERVER_MEM=64
  assert_equal "$(grep -oE '^128B-[0-9]+i' <<<"$output" | paste -sd ' ')" '128B-2i 128B-3i 128B-4i'
  succeeds run_plan -s crosscheck SERVER=192.0.2.1 CLIENT_IP="192.0.2.2 192.0.2.3" SERVER_CORES=4 SERVER_MEM=64
  assert_equal "$(grep -oE '^128B-[0-9]+i' <<<"$output" | sort -u)" 128B-2i
}

@test "variants of a run in any folder can be compared by RUN:VARIANT" {
  for variant in native swap; do repeat_make elsewhere/20250101-x $variant p 1 c 1000 5000 4 23 99 set:3; done
  succeeds run "$REPO/do_it.sh" compare elsewhere/20250101-x:native elsewhere/20250101-x:swap
  assert_contains 'swap'
}

@test "an empty argument, as of a variable that is not set, is not taken for none" {
  for word in 'plan -s' 'plan -H' 'run --resume'; do
    fails 2 run_split "$REPO/do_it.sh" "${word% *}" "${word#* }" ''
    assert_equal "$STDERR" "do_it.sh: command line: ${word#* }: the value is missing; ./do_it.sh ${word% *} --help shows the options"
  done
  for word in 'plan --noise' 'ab --noise'; do
    fails 2 run_split "$REPO/do_it.sh" "${word% *}" "${word#* }=" "$REPO/results/sample/run.conf" "$REPO/results/sample/run.conf"
    assert_equal "$STDERR" "do_it.sh: command line: --noise: the value is missing; ./do_it.sh ${word% *} --help shows the options"
  done
  fails 2 run_split "$REPO/do_it.sh" collect ''
  assert_equal "$STDERR" 'do_it.sh: command line: DIR: empty; name runs, archives, or directories with them'
  fails 2 run_split "$REPO/do_it.sh" ab --next ''
  assert_equal "$STDERR" 'do_it.sh: command line: LEDGER: empty; name a ledger, or leave it out for the newest one'
  for word in verify kpi report noise compare; do
    fails 2 run_split "$REPO/do_it.sh" "$word" ''
    assert_equal "$STDERR" 'do_it.sh: command line: RUN: empty; name a run, or leave it out for the newest one'
  done
}

# Plan the demo in an environment. Usage: plan_in NAME=VALUE... [-- WORD...]
plan_in() {
  local -a set=()
  while (($# > 0)) && [[ $1 != -- ]]; do
    set+=("$1")
    shift
  done
  run_split env "${set[@]}" "$REPO/do_it.sh" plan -s demo SERVER_CORES=4 SERVER_MEM=4 REDISBASE="$(ports_pick 2)" "${@:2}"
}

@test "TIERBENCH_NAME counts, the command line stands above it, and a wrong one is refused by its name" {
  succeeds plan_in TIERBENCH_REDISRUNS=9
  assert_contains '9 repeat(s)'
  assert_equal "$STDERR" ''
  plan_in TIERBENCH_REDISRUNS=9 -- REDISRUNS=11
  assert_contains '11 repeat(s)'
  plan_in TIERBENCH_MEMTIER_PIPELINE=6
  assert_contains 'pipeline 6'
  refuses 2 'environment: REDISRUNS=often: invalid' plan_in TIERBENCH_REDISRUNS=often
  refuses 2 'environment: REDISRUN: unknown setting; the nearest is REDISRUNS' plan_in TIERBENCH_REDISRUN=9
}

@test "a name alone is somebody else's: it is ignored, and one line names what could be meant, by commands that only read results too" {
  succeeds plan_in DATA=/mnt/data KEYS=/etc/keys
  assert_equal "$STDERR" ''
  succeeds plan_in SIDECAR=1 REDISRUNS=9 MEMTIER_PIPELINE=6
  refute_contains '9 repeat(s)'
  refute_contains 'pipeline 6'
  assert_match 'environment: .*SIDECAR.*: ignored; requires: TIERBENCH_ in front of the name, such as TIERBENCH_[A-Z_]+' "$STDERR"
  assert_equal "$(wc -l <<<"$STDERR")" 1
  for name in SIDECAR REDISRUNS MEMTIER_PIPELINE; do assert_match "environment:.* ${name}[ :]" "$STDERR"; done
  plan_in REDISRUNS=9 TIERBENCH_REDISRUNS=8 TIERBENCH_SIDECAR=off SIDECAR=1
  assert_equal "$STDERR" ''
  DATA=/mnt/data succeeds run_split "$REPO/do_it.sh" compare "$REPO/results/sample"
  assert_equal "$STDERR" "$(env "$REPO/do_it.sh" compare "$REPO/results/sample" 2>&1 >/dev/null)"
}

@test "plan traces to stderr: files, lines and functions without values, and stdout is as without" {
  succeeds run_split env TIERBENCH_DEBUG=1 "$REPO/do_it.sh" plan --settings -s demo SERVER_CORES=4 SERVER_MEM=4 SERVER=203.0.113.1 CLIENT_IP=203.0.113.2 SERVER_PREFIX='env KEY=hunter2'
  assert_contains 'env KEY=hunter2' "$output"
  refute_contains hunter2 "$STDERR"
  # In functions and in the subshells of others: each line is that of the code.
  traced=$STDERR plain=$output
  for text in 'conf_say: local IFS=' '_planner_input: local host name REPLY'; do
    assert_contains "$text" "$traced"
    line=$(grep -m 1 -F "$text" <<<"$traced")
    line=${line%% *}
    assert_contains "${text#*: }" "$(sed -n "${line#*:}p" "$REPO/${line%:*}")"
  done
  run "$REPO/do_it.sh" plan --settings -s demo SERVER_CORES=4 SERVER_MEM=4 SERVER=203.0.113.1 CLIENT_IP=203.0.113.2 SERVER_PREFIX='env KEY=hunter2'
  assert_output "$plain"
}

@test "a run traces to its debug.log, which has none of its passwords and is not among its checked files" {
  untune
  # A program that runs during a phase keeps what the generators log in with.
  program_make keep '#!/bin/bash\ncat %q/host/run-*/*/auth | tr , "\\n" >>%q/passwords\n' "$SCRATCH" "$SCRATCH"
  succeeds run_split env TIERBENCH_DEBUG=1 "$REPO/do_it.sh" run -s demo REDISBASE="$(ports_pick 2)" KEYS=500 VALUE_SIZES=100 REDISRUNS=1 RESULTS_DIR="$SCRATCH/results" SIDECAR="$SCRATCH/keep"
  assert_match 'server.sh:[0-9]+ _server_passwords: ' "$(<results/*/debug.log)"
  assert_equal "$(awk 'length >= 24' passwords | sort -u | wc -l)" 2
  assert_equal "$(grep -cFf passwords results/*/debug.log - <<<"$STDERR" | cut -d : -f 2 | paste -sd ' ')" '0 0'
  succeeds run "$REPO/do_it.sh" verify results/*
  assert_contains 'whole and unchanged'
}

@test "the trace of a trap has the commands of the code, and no control character" {
  local file line number
  succeeds run_split env TIERBENCH_DEBUG=1 "$REPO/do_it.sh" list
  assert_equal "$(LC_ALL=C grep -c $'[\001-\010\013-\037]' <<<"$STDERR")" 0
  assert_match ' _cleanup_run: trap' "$STDERR"
  while IFS=': ' read -r file number _ line; do
    assert_contains "${line%% *}" "$(sed -n "${number}p" "$REPO/$file")"
  done < <(grep ' _cleanup_run: ' <<<"$STDERR")
}
