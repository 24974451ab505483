#!/usr/bin/env bats
# SPDX-License-Identifier: MIT
# The entry points: help, version, scenarios from a file, hosts from a file, plans for another machine, runs named by a path.
# shellcheck disable=SC2154 # stderr is set by run_split

load helper
load logs

@test "help and --version" {
  run "$REPO/do_it.sh" help
  assert_success
  assert_contains 'Usage: ./do_it.sh [COMMAND]'
  run "$REPO/do_it.sh" --version
  assert_success
  assert_match '^tierbench [0-9]+\.[0-9]+\.[0-9]+ \(([0-9a-f]{12}(; changed)?|unknown commit)\)$'
}

@test "a copy that is not a checkout has its version, and not the commit of the directory around it" {
  git init -q .
  git -c user.name=n -c user.email=e@example.org commit -q --allow-empty -m around
  mkdir copy
  cp -r "$REPO"/{do_it.sh,conf,lib} copy
  run copy/do_it.sh --version
  assert_match '\(unknown commit\)$'
}

@test "a do_it.sh without the last line of its settings fails, and names the line" {
  sed '/^# <<< settings$/d' "$REPO/do_it.sh" >do_it.sh
  run bash do_it.sh help
  assert_failure
  assert_contains '# <<< settings'
}

@test "a scenario from a file has the name of the file" {
  cp "$REPO/conf/scenarios/demo.conf" mine.conf
  run_plan -s ./mine.conf SERVER_CORES=4 SERVER_MEM=8
  assert_success
  assert_contains 'scenario mine, variants native'
  # A run.conf names its scenario.
  echo 'SCENARIO=imdt' >>mine.conf
  run_plan -s ./mine.conf SERVER_CORES=4 SERVER_MEM=8
  assert_contains 'scenario imdt, variants native'
}

@test "this machine can plan for a larger one" {
  run_plan SERVER=127.0.0.1 SERVER_CORES=72 SERVER_MEM=754
  assert_success
  assert_contains '(72 logical CPUs, 754 GiB)'
  assert_equal "$stderr" ''
}

@test "sweeps over instances fit any number of clients as they stand" {
  run_plan -s scaling SERVER=192.0.2.1 CLIENT_IP="192.0.2.2 192.0.2.3" SERVER_CORES=4 SERVER_MEM=64
  assert_success
  assert_equal "$(grep -oE '^128B-[0-9]+i' <<<"$output" | paste -sd ' ')" '128B-2i 128B-3i 128B-4i'
  run_plan -s crosscheck SERVER=192.0.2.1 CLIENT_IP="192.0.2.2 192.0.2.3" SERVER_CORES=4 SERVER_MEM=64
  assert_success
  assert_equal "$(grep -oE '^128B-[0-9]+i' <<<"$output" | sort -u)" 128B-2i
}

@test "variants of a run in any folder can be compared by RUN:VARIANT" {
  local variant
  for variant in native swap; do repeat_make elsewhere/20250101-x $variant p 1 c 1000 5000 4 23 99 set:3; done
  run "$REPO/do_it.sh" compare elsewhere/20250101-x:native elsewhere/20250101-x:swap
  assert_success
  assert_contains 'swap'
}

@test "every command has help, and it ends well" {
  local file
  for file in "$REPO"/lib/cmd/*.sh; do
    run_split "$REPO/do_it.sh" "$(basename "$file" .sh)" --help
    assert_success
    assert_contains "Usage: ./do_it.sh"
    assert_equal "$stderr" ''
  done
  run_split "$REPO/do_it.sh" --help
  assert_success
}

@test "an empty argument, as of a variable that is not set, is not taken for none" {
  local word
  for word in 'plan -s' 'plan -H' 'run --resume'; do
    run_split "$REPO/do_it.sh" "${word% *}" "${word#* }" ''
    assert_failure 2
    assert_equal "$stderr" "do_it.sh: command line: ${word#* }: the value is missing; ./do_it.sh ${word% *} --help shows the options"
  done
  for word in verify kpi report; do
    run_split "$REPO/do_it.sh" "$word" ''
    assert_failure 2
    assert_equal "$stderr" 'do_it.sh: command line: RUN: empty; name a run, or leave it out for the newest one'
  done
}
