#!/usr/bin/env bats
# SPDX-License-Identifier: MIT
# The cleanup: every action, newest first, on every way out.

load helper

# Print a script that has the traps, and then the code on stdin.
trapped() {
  printf 'set -Eeuo pipefail\n'
  printf '. "$REPO/lib/%s.sh"\n' core/servers shared/proc core/cleanup
  echo cleanup_init
  cat
}

# Run such a script as a job that signals reach: script CODE
script() {
  trapped <<<"$1" >script.sh
  job_start bash script.sh
}

# Run such a script until it has made the file `waiting`, signal it as from a terminal, and expect this status and output.
# Usage: signalled SIGNAL STATUS OUTPUT CODE
signalled() {
  rm -f waiting
  script "$4"
  wait_until 10 test -e waiting
  kill -s "$1" -- "-$JOB_PID"
  fails "$2" job_wait 20
  assert_output "$3"
}

@test "entries are undone newest first, with their words as they were, and the status stays; one that fails, gives up, or cannot write does not take the others with it" {
  script 'leave() { echo leaving; exit 5; }
full() { echo nothing >/dev/full; echo full; }
cleanup_push printf "%s|" first "a  b" "c;d"
cleanup_push leave
cleanup_push full
cleanup_push false
cleanup_push echo newest
exit 7'
  fails 7 job_wait 10
  assert_equal "$output" $'newest\nfull\nleaving\nfirst|a  b|c;d|'
}

@test "signals end the script with 128 and their number, and everything is undone once; Ctrl-C is not lost when a command substitution that handles it is waited for" {
  for pair in INT:130 TERM:143 HUP:143 QUIT:131 USR1:138 USR2:140 ALRM:142 XCPU:152 XFSZ:153; do
    signalled "${pair%:*}" "${pair#*:}" undone 'cleanup_push echo undone
: >waiting
while :; do sleep 0.1; done'
  done
  # The shell waits when the output of the substitution is closed. The trap is set before that.
  signalled INT 130 undone 'cleanup_push echo undone
text=$(trap : INT; exec >&-; : >waiting; for ((try = 0; try < 10; try++)); do sleep 0.05; done)
for ((try = 0; try < 100; try++)); do sleep 0.1; done
echo lost'
}

@test "a signal at any time: while words of a command are expanded, too" {
  ended() { ! kill -INT "$JOB_PID" 2>/dev/null; }
  for ((try = 0; try < 10; try++)); do
    rm -f waiting
    script 'cleanup_push echo undone
work() { : >waiting; while :; do word="$(: a; : "$(: b)")" more=$(: c; : d); done; }
work'
    wait_until 10 test -e waiting
    # To that shell alone, which may take a first one for a signal to a command that it runs.
    wait_until 10 ended
    fails 130 job_wait 10
    assert_equal "$output" undone
    assert_equal "$(<job.err)" ''
  done
}

@test "a signal when the cleanup is about to begin does not prevent it; a second Ctrl-C does not interrupt the cleanup of the first" {
  # A function takes the place of the builtin, to slow down the first command that the cleanup runs.
  script 'trap() {
  if [[ ${FUNCNAME[1]-} == _cleanup_run && ! -e begun ]]; then
    : >begun
    until [[ -e again ]]; do sleep 0.05; done
  fi
  builtin trap "$@"
}
cleanup_push echo undone
: >waiting
while :; do sleep 0.1; done'
  wait_until 10 test -e waiting
  kill -TERM "$JOB_PID"
  wait_until 10 test -e begun
  kill -HUP "$JOB_PID"
  touch again
  job_wait 10
  assert_equal "$status $output" '143 undone'
  rm begun again
  script 'undo() { : >begun; until [[ -e again ]]; do sleep 0.1; done; echo end; }
cleanup_push undo
exit 0'
  wait_until 10 test -e begun
  kill -INT -"$JOB_PID"
  touch again
  prints end job_wait 10
}

@test "what is undone may take longer than the time limit of a read that a signal ended, and what a signal interrupts in the middle of it is undone again" {
  signalled INT 130 undone 'undo() { sleep 1.2; echo "$(echo undone)"; }
cleanup_push undo
exec {pipe}<> <(:)
: >waiting
while :; do read -r -t 1 -u "$pipe" _ || :; done'
  signalled INT 130 $'begin\nbegin\nend' 'undo() { echo begin; [[ ! -e waiting ]] || { echo end; return; }; : >waiting; while :; do sleep 0.1; done; }
cleanup_push undo
cleanup_pop'
}

@test "a reader of the messages that is gone ends the script, and what is undone is undone to the end" {
  trapped >script.sh <<'END'
undo() { printf 'undoing %s\n' "$1" >&2; bash -c 'echo said by a program >&2'; echo "undone $1" >>undone; }
cleanup_push undo first
cleanup_push undo second
for ((n = 0; n < 100000; n++)); do echo "line $n" >&2; done
END
  prints $'line 0\n141' run bash -c 'bash script.sh 2>&1 >/dev/null | { read -r line; echo "$line"; }; echo "${PIPESTATUS[0]}"'
  assert_equal "$(<undone)" $'undone second\nundone first'
}

@test "what an entry kills is no news, and what is undone after a signal in IFS=x read splits words as ever" {
  trapped >script.sh <<'END'
sleep 60 &
pid=$!
undo() { kill -KILL "$pid" && until [[ ! -e /proc/$pid || $(cat /proc/$pid/stat 2>/dev/null) == *' Z '* ]]; do sleep 0.01; done; }
cleanup_push undo
END
  prints '' run bash script.sh
  trapped >script.sh <<'END'
undo() { read -r first _ <<<'a b' && echo "$first"; }
cleanup_push undo
IFS=$'\t' read -r one two < <(sleep 0.3; kill -INT $$; exec sleep 2)
END
  run bash script.sh
  assert_equal "$status $output" '130 a'
}

# Put a stand-in for a command into bin/. It sends Ctrl-C to its process group, as a terminal does, if its arguments match, and then runs the command.
# Usage: interrupting NAME PATTERN
interrupting() {
  program_make "bin/$1" '#!/bin/bash\n[[ "$*" != %s ]] || kill -INT 0\nexec %s "$@"\n' "$2" "$(command -v "$1")"
}

@test "a second Ctrl-C does not keep the program that injects faults from removing its copy, and a third one not the fault matrix from removing its hosts and its directory" {
  mkdir -p tree/{tools,tests} tmp
  cp "$REPO/tools/mutate.sh" tree/tools/
  printf 'name\tfile\tsuite\tfilter\texpression\n' >tree/tests/mutants.tsv
  interrupting mkdir '*/tree'
  interrupting rm '*--one-file-system*'
  job_start env PATH="$SCRATCH/bin:$PATH" TMPDIR="$SCRATCH/tmp" tree/tools/mutate.sh
  fails 130 job_wait 20
  assert_equal "$(ls -A tmp)" ''
  mkdir -p tree/tests/faults
  cp "$REPO/tests/faults/run.sh" tree/tests/faults/
  : >tree/tests/faults/state.sh
  : >tree/tests/faults/faults.sh
  # In place of the hosts and of the directory: functions that are interrupted.
  printf '%s\n' 'scratch_setup() { :; }' 'scratch_teardown() { kill -INT $$; echo directory; }' >tree/tests/helper.bash
  printf '%s\n' 'netns_up() { kill -INT $$; echo lost; }' 'netns_down() { kill -INT $$; echo hosts; }' >tree/tests/netns.bash
  job_start tree/tests/faults/run.sh
  job_wait 20
  assert_equal "$status $output" $'130 hosts\ndirectory'
}
