#!/usr/bin/env bats
# SPDX-License-Identifier: MIT
# The test driver counts passed, failed and skipped tests, and its last line and exit status say so; lanes run in parallel.
# slow

load helper

prepare() {
  unset -v CI TEST_AWK
  # Suites leave files on purpose here.
  export REAP_LIMIT=2
}

# Write a test file whose tests have these bodies, and run the driver on it; with SUITE_CI as CI does.
suite() {
  local body n=0
  for body; do
    n=$((n + 1))
    printf '@test "case %s" {\n%s\n}\n' "$n" "$body"
  done >suite.bats
  run env ${SUITE_CI:+CI=true} "$REPO/tests/run.sh" suite.bats
}

# Write a test file with one test, in a lane, that works in this directory: lane_suite LANE NAME BODY
lane_suite() {
  printf '# lane: %s\nload %s/tests/helper\nsetup() { cd "$SCRATCH"; }\nteardown() { SCRATCH= scratch_teardown; }\n@test "%s" {\n%s\n}\n' \
    "$1" "$REPO" "$2" "$3" >"$2.bats"
}

@test "passed, failed and skipped tests are counted and named, and so is what a suite leaves; in CI a suite that failed runs once more, alone: what passes then is unsteady, and a skip for what could be installed is a failure" {
  # Redis overwrites its environment with its title: a process is found by its working directory too, which may no longer exist. The user names it by
  # a link, with a slash at its end.
  ln -s "$SCRATCH" link
  TMPDIR=$SCRATCH/link/ suite true "echo x >>$SCRATCH/tries; false" 'skip "no such hardware"' ': >"$TMPDIR/mine"' \
    "sleep 60.5 </dev/null >/dev/null 2>&1 3>&- & echo \$! >>$SCRATCH/left" \
    'for each in . gone; do
      mkdir -p "$TMPDIR/$each"
      cd "$TMPDIR/$each"
      env -u TMPDIR sleep 60.75 </dev/null >/dev/null 2>&1 3>&- &
      echo $! >>'"$SCRATCH/left"'
    done
    rmdir "$TMPDIR/gone"'
  assert_failure 1
  assert_line 'failed: suite.bats: case 2'
  assert_line 'skipped: suite.bats: case 3: no such hardware'
  assert_line 'failed: suite.bats: left in TMPDIR: mine '
  assert_line 'failed: suite.bats: left running: sleep 60.5 ; sleep 60.75 ; sleep 60.75 ; '
  assert_equal "${lines[-1]}" '4 passed, 3 failed, 1 skipped'
  assert_equal "$(<tries)" x
  ended() { while read -r pid; do ! process_start "$pid" || return; done <left; }
  wait_until 5 ended
  assert_equal "$(grep -F " $SCRATCH/" /proc/mounts || :)" ''
  rm tries
  local SUITE_CI=yes
  succeeds suite true "[[ -e $SCRATCH/mark && \${TEST_TRACE-} == on ]] || { : >$SCRATCH/mark; false; }" 'skip "no such hardware"'
  assert_equal "${lines[-1]}" '2 passed, 0 failed, 1 skipped, 1 unsteady'
  assert_line 'unsteady: suite.bats: case 2'
  fails 1 suite true "echo x >>$SCRATCH/tries; false" 'skip "nosuchtool is not installed"'
  assert_equal "${lines[-1]}" '1 passed, 2 failed, 1 skipped'
  assert_equal "$(grep -c x tries)" 2
}

@test "a suite of each lane runs at a time, of one lane only one, and what they print is not mixed; slow suites begin first; suites that end at once are all counted" {
  # Each host suite makes a directory that must not exist; the first host suite and the other lane's suite take turns to speak.
  lane_suite host first 'mkdir busy; for n in 1 2 3; do echo "# one $n"; : >"one.$n"; wait_until 20 test -e "two.$n"; done >&3; rmdir busy'
  lane_suite host second 'mkdir busy; rmdir busy'
  lane_suite rest other 'for n in 1 2 3; do wait_until 20 test -e "one.$n"; echo "# two $n"; : >"two.$n"; done >&3'
  succeeds run "$REPO/tests/run.sh" first.bats second.bats other.bats
  assert_equal "${lines[-1]}" '3 passed, 0 failed'
  assert_match $'== first.bats\n1..1\n# one 1\n# one 2\n# one 3\nok 1 [^\n]*\n== first.bats: [0-9]+ s, [0-9]+ s of CPU\n'
  assert_match $'== other.bats\n1..1\n# two 1\n# two 2\n# two 3\nok 1 [^\n]*\n== other.bats: [0-9]+ s, [0-9]+ s of CPU\n'
  lanes=$(sed -n 's/^declare -A lane_queue=(//p' "$REPO/tests/run.sh" | grep -o '\[' | wc -l)
  ((lanes > 2)) || fail "no lanes: $lanes"
  # As many as there are lanes: the suite that they wait for would never begin behind them.
  for ((n = 1; n <= lanes; n++)); do lane_suite rest "quick$n" 'wait_within 60 test -e began'; done
  lane_suite rest slow ': >began'
  sed -i '1i # slow' slow.bats
  succeeds run "$REPO/tests/run.sh" quick*.bats slow.bats
  assert_equal "${lines[-1]}" "$((lanes + 1)) passed, 0 failed"
}

@test "no lane has a port of another, nor a port of its cluster bus" {
  ports=$(sed -n 's/^declare -A lane_ports=(\(.*\))$/\1/p' "$REPO/tests/run.sh" | tr ' ' '\n' | sed 's/.*=//' | sort -n)
  width=$(sed -n 's/.* RANDOM % (\([0-9]*\) - count).*/\1/p' "$REPO/tests/helper.bash")
  prints '' run awk -v width="$width" '
    NR > 1 && $1 < last + width { print $1 " is in the range of " last }
    NR == 1 { first = $1 }
    { last = $1 }
    END { if (NR < 2 || width < 1) print "no ranges"; if (last + width > first + 10000) print last " is in the bus of " first }' <<<"$ports"
}

@test "suites use mawk, or the awk that is asked for, and the system's python3, not the wrapper of a version manager" {
  need_command mawk gawk
  /usr/bin/python3 -c 'import ensurepip' || skip "the system's python3 makes no virtual environments"
  program_make own/python3 '#!/bin/sh\n: >%s/wrapped\nexit 9\n' "$SCRATCH"
  for awk in mawk gawk; do
    [[ $awk == mawk ]] && unset -v TEST_AWK || export TEST_AWK=$awk
    # A virtual environment records the path of python3, which must not be in the directory that the driver removes.
    PATH=$PWD/own:$PATH suite '[[ $(readlink -f "$(command -v awk)") == "$(readlink -f "$(command -v '"$awk"')")" ]]' \
      '[[ $(python3 -c "import sys; print(sys.executable)") == /usr/bin/python3* ]]'
    assert_success
  done
  refute_exists wrapped
}

@test "suites can be run again and again; no number of times, and an unknown suite, are bad usage; a file that cannot be run, and a suite that hangs, are failures" {
  printf '@test "now and then" {\necho x >>%s/times\n(($(wc -l <%s/times) != 2))\n}\n' "$SCRATCH" "$SCRATCH" >suite.bats
  fails 1 run "$REPO/tests/run.sh" --repeat 2 suite.bats
  assert_equal "${lines[-1]}" '1 passed, 1 failed'
  fails 2 run "$REPO/tests/run.sh" --repeat 0 suite.bats
  refuses 2 'unknown suite: nonsense' run_split "$REPO/tests/run.sh" nonsense
  printf '@test "broken" {\n' >suite.bats
  fails 1 run "$REPO/tests/run.sh" suite.bats
  assert_match '^0 passed, [1-9][0-9]* failed$' "${lines[-1]}"
  export SUITE_LIMIT=1 REAP_LIMIT=2
  fails 1 suite 'sleep 60'
  assert_contains 'suite.bats: took more than 1 s'
}

@test "the suites that a change can touch" {
  changed() { bash -c 'ROOT=$REPO; . "$REPO/tests/changed.bash"; changed_suites "$@" | sed "s|.*/||"' bash "$@"; }
  prints $'kpi.bats\nlint' run changed tests/kpi.bats
  run changed lib/host/tune_journal.sh
  assert_line tune.bats
  refute_contains kpi.bats
  # A word of many suites, and a file that only a script names.
  run changed lib/loadgen/keys.c
  assert_equal "${lines[0]}" build
  assert_line loadgen_data.bats loadgen_keys.bats unit tidy
  refute_contains $'\nrun.bats'
  run changed lib/cmd/stop.sh lib/membench/room.c lib/part/dram/table.awk
  assert_line survive.bats memory.bats dram.bats
  # By a fault that only this suite detects.
  prints $'install.bats\nlint' run changed tools/man.sh
  run changed lib/shared/common.sh
  assert_equal "${#lines[@]}" $(($(find "$REPO"/tests -maxdepth 1 -name '*.bats' | wc -l) + 5))
}

@test "the directory of a test, or of its machine, is removed also while a process that is about to end writes to it" {
  # In place of the process: the first two removals find a new file.
  cat >writer.sh <<'END'
set -Eeuo pipefail
. "$REPO/tests/helper.bash"
. "$REPO/tests/tree.bash"
rm() {
  command rm "$@"
  ((++calls > 2)) && return
  mkdir -p "${@: -1}"
  : >"${@: -1}/late$calls"
  return 1
}
scratch_setup
echo "$SCRATCH"
calls=0
tree_make
ls "$TIERBENCH_ROOT" | grep late || :
calls=0
scratch_teardown
END
  succeeds run env TMPDIR="$SCRATCH" bash writer.sh
  assert_equal "${#lines[@]}" 1
  assert_contains "$SCRATCH/tierbench-test."
  refute_exists "$output"
}

@test "a suite whose directory cannot be removed is a failure, and the other suites run; without memory for the lanes, too" {
  mkdir bin
  # In place of swap that is still in use.
  program_make bin/rm '#!/bin/bash\n[[ "$*" != *--one-file-system* ]] || exit 1\nexec %s "$@"\n' "$(command -v rm)"
  program_make "bin/mount" '#!/bin/sh\nexit 32\n'
  lane_suite rest first true
  lane_suite rest second true
  PATH=$SCRATCH/bin:$PATH fails 1 run "$REPO/tests/run.sh" first.bats second.bats
  assert_line 'failed: first.bats: its directory cannot be removed'
  assert_line 'failed: second.bats: its directory cannot be removed'
  assert_equal "${lines[-1]}" '2 passed, 2 failed'
}

@test "a suite whose end bash does not report is counted with its status, and the next one is started" {
  lane_suite rest first true
  lane_suite rest second false
  # As bash 5.2 did, on a busy machine.
  wait() {
    [[ $1 == -n ]] || {
      builtin wait "$@"
      return
    }
    unset -v ended
    return 127
  }
  export -f wait
  fails 1 run "$REPO/tests/run.sh" first.bats second.bats
  assert_line '== first.bats'
  assert_line 'failed: second.bats: second'
  assert_equal "${lines[-1]}" '1 passed, 1 failed'
}

@test "an interrupted driver ends the suites of both lanes and what they started, shows how far they came, and leaves no folder" {
  local -A start=()
  for lane in host rest; do
    # One process in the test's group, and one in a separate group, like job_start.
    lane_suite "$lane" "$lane" "echo \$\$ >$lane.pid; job_start sleep 60; echo \$JOB_PID >$lane.job; echo '# $lane began' >&3; sleep 60.\$\$"
  done
  mkdir tmp
  TMPDIR=$SCRATCH/tmp job_start "$REPO/tests/run.sh" host.bats rest.bats
  wait_until 20 test -s host.job -a -s rest.job
  # A signal just before a shell begins this would be handled only when it ends.
  for lane in host rest; do wait_until 20 pgrep -f "^sleep 60\.$(<"$lane.pid")\$"; done
  while read -r pid; do start[$pid]=$(process_start "$pid"); done < <(cat host.pid host.job rest.pid rest.job)
  assert_equal "${#start[@]}" 4
  kill -INT "$JOB_PID"
  fails 130 job_wait 30
  for pid in "${!start[@]}"; do wait_until 5 process_gone "$pid" "${start[$pid]}"; done
  assert_contains '# host began'
  assert_contains '# rest began'
  assert_equal "$(find tmp -mindepth 1)" ''
}

@test "a driver that is terminated twice has the machine restored that its suites tuned, also when they cannot" {
  load tree
  tree_make
  original=$(tree_state)
  # The teardown of lane_suite restores nothing, as if the suite had been killed.
  lane_suite host tuned "load $REPO/tests/tree
    SCRATCH=\$TMPDIR/inner
    mkdir \"\$SCRATCH\"
    tree_defaults
    TREE_LEASE=60
    TUNE_ROWS=\$(tune_table 10.0.0.1 KERNEL.swappiness=10)
    remote_script tune apply
    : >tuned
    sleep 60.$$"
  mkdir tmp
  TMPDIR=$SCRATCH/tmp job_start "$REPO/tests/run.sh" tuned.bats
  wait_until 20 pgrep -f "^sleep 60\.$$\$"
  assert_exists tuned
  assert_equal "$(<tree/proc/sys/vm/overcommit_memory)" 1
  kill -TERM "$JOB_PID"
  # The second signal comes while the first is handled, from make or timeout.
  stopped() { ! pgrep -f "^sleep 60\.$$\$"; }
  wait_until 20 stopped
  # On a slow machine the driver has ended by then.
  kill -TERM "$JOB_PID" 2>/dev/null || :
  fails 143 job_wait 60
  assert_equal "$(tree_state)" "$original"
  assert_equal "$(find tmp -mindepth 1)" ''
}
