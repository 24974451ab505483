#!/usr/bin/env bats
# SPDX-License-Identifier: MIT
# The progress messages of a run: how far it is, its result, and what is kept when it is stopped.
# slow

load helper

prepare() {
  untuned=(TUNE=off KERNEL=keep)
  WORDS=(-s demo REDISBASE="$(ports_pick 2)" KEYS=500 VALUE_SIZES=100 RESULTS_DIR="$SCRATCH/results")
}

@test "a run says at once how many repeats are left and how long the plan takes, and what is shorter; the time left is known once a repeat is done" {
  mkdir -p run/native/p/rep-1
  prints "2 repeats, about 70 min; -q gives a first answer in about 2 min
at most 1 repeat, about 20 s" master '' 'PLAN_COLUMNS=(variant point repeat seconds)
    declare -gA ROW
    QUICK=off REDISRUNS=3 PLAN_ROWS=($'\''native\tp\t1\t9999'\'' $'\''swap\tp\t1\t2100.5'\'' $'\''native\tp\t2\t2100'\'')
    progress_plan run
    REDISRUNS=auto:2..3 PLAN_ROWS=($'\''swap\tp\t1\t20'\'')
    progress_plan run'
  mkdir there
  prints "repeat 1 of 12
repeat 2 of 12
repeat 3 of 12, about 5 min left
repeat 3 of 12, about 5 min left
repeat 4 of 12, about 77 min left
repeat 4 of 12, about 1 s left" master '' 'progress_repeat 1 12 there; progress_words; echo "$REPLY"
    SECONDS=100; progress_repeat 2 12 new; progress_words; echo "$REPLY"
    SECONDS=130; progress_repeat 3 12 new; progress_words; echo "$REPLY"
    SECONDS=150; progress_words; echo "$REPLY"
    SECONDS=1130; progress_repeat 4 12 new; progress_words; echo "$REPLY"
    SECONDS=9999; progress_words; echo "$REPLY"'
}

@test "a run begins with the hosts that it checks; a comparison ends with its answer and a short table" {
  succeeds run_split "$REPO/do_it.sh" run "${untuned[@]}" "${WORDS[@]}" -v native -v kernel REDISRUNS=1
  assert_match '^[0-9:]+ checking 127.0.0.1'$'\n' "$STDERR"
  assert_contains 'warning: client and server both run on 127.0.0.1: ' "$STDERR"
  # Of two bounds, which a busy machine can give, the verdict is that it is not known.
  assert_match $'\n\nkernel(\'s throughput against| reaches| has) [^\n]*native\'s[ ;:][^\n]*\n[^\n]*\n1 repeat: run 3 repeats for a verdict [^\n]*\n\nOne or two repeats: medians without a verdict\n'
}

@test "Ctrl-C says what is kept and how to go on, and the run goes on by that, and ends with its figures in words; with CLIENTS=server one host is what was asked for" {
  job_start "$REPO/do_it.sh" run "${untuned[@]}" "${WORDS[@]}" REDISRUNS=2 TIME=1 RATE=500 CLIENTS=server
  wait_until 120 grep -q '2 of 2: native' "$SCRATCH/job.err"
  assert_equal "$(tail -n 1 results/*/run.now)" end
  kill -INT -- "-$JOB_PID"
  fails 130 job_wait 60
  run=$(echo results/*)
  refute_exists "$run/run.now"
  assert_match "stopped; kept: 1 of 2 whole repeats in $SCRATCH/$run"$'\n' "$STDERR"
  assert_match "the rest: ./do_it[.]sh run --resume $SCRATCH/$run\$" "$STDERR"
  # With its own settings, so it leaves the host as it is too.
  succeeds run_split "$REPO/do_it.sh" "run" --resume "$SCRATCH/$run"
  assert_exists "$run"/native/*/rep-2
  refute_contains 'stopped' "$STDERR"
  refute_contains 'both run on' "$STDERR"
  # A busy machine may not reach the rate.
  assert_match $'\n\n([a-z]+: RATE=500 asked[^\n]*\n)*native, set[^\n]*: (at least )?[0-9,]+( to [0-9,]+)? operations per second[^\n]*\nnative, get[^\n]*$'
}

@test "list is aligned, and fits the terminal" {
  COLUMNS=80 succeeds run "$REPO/do_it.sh" list
  assert_equal "$(awk 'length > 80' <<<"$output")" ''
  # The text begins at the same column in each line.
  assert_equal "$(awk '{ match($0, /^([a-z]+ +[^ ]+ +| +)/); print RLENGTH }' <<<"$output" | sort -u | wc -l)" 1
  # Without COLUMNS, the width is that of the terminal.
  need_command python3
  run python3 - "$REPO/do_it.sh" <<'END'
import fcntl, os, pty, struct, subprocess, sys, termios
reader, terminal = pty.openpty()
fcntl.ioctl(terminal, termios.TIOCSWINSZ, struct.pack("HHHH", 24, 70, 0, 0))
program = subprocess.Popen([sys.argv[1], "list", "RESULTS_DIR=results"], stdin=terminal, stdout=terminal, stderr=subprocess.DEVNULL)
os.close(terminal)
text = b""
try:
    while True:
        text += os.read(reader, 65536)
except OSError:  # the terminal is closed
    pass
print(program.wait(), max(map(len, text.splitlines())) <= 70, len(text.splitlines()) > 20)
END
  assert_output '0 True True'
}

@test "watch shows the progress and new messages of a run, and ends with it" {
  mkdir run
  echo 'before' >run/run.log
  fails 1 run_split "$REPO/do_it.sh" watch run
  assert_equal "$STDERR" 'do_it.sh: run: does not run on this machine'
  master '' 'run_lock_take run; progress_open run; progress_repeat 2 5 new
    progress_show $'\''192.0.2.1\tget\t250\t1000\t50\t17\t5\t0'\'' $'\''192.0.2.2\tget\t0\t1000\t0\t0\t0\t0'\'' $'\''192.0.2.3\t'\''; : >up; until [[ -e down || ! -e run ]]; do sleep 0.05; done' 3>&- &
  pid=$!
  wait_until 20 test -e up
  succeeds run_split timeout 100 "$REPO/do_it.sh" watch --once run
  # No time is left to tell before anything is done.
  assert_output 'repeat 2 of 5
192.0.2.1              get       25.0 %          50 ops/s  p99       17 us     15 s left
192.0.2.2              get        0.0 %           0 ops/s  p99        0 us
192.0.2.3              waiting    0.0 %           0 ops/s  p99        0 us'
  "$REPO/do_it.sh" watch run >out 3>&- &
  wait_until 20 grep -q 192.0.2.1 out
  printf 'new\033[1m\n' >>run/run.log
  wait_until 20 grep -q new out
  # Half of what the master writes is not shown.
  printf 'repeat 9 of' >run/run.now
  echo 'more' >>run/run.log
  wait_until 20 grep -q more out
  : >down
  wait "$pid"
  wait "$!"
  assert_equal "$(grep -v 'repeat 2\|ops' out)" $'new?[1m\nmore\nthe run has ended: ./do_it.sh report run'
  refute_exists run/run.now
}

@test "watch says that the master of a run was killed" {
  status=0
  mkdir run
  # What the killed master leaves is removed with the test.
  TMPDIR=$SCRATCH master '' 'run_lock_take run; progress_open run; progress_show a; : >up; kill -STOP $$' 3>&- &
  wait_until 20 test -e up
  "$REPO/do_it.sh" watch run >out 2>err 3>&- &
  watch=$!
  wait_until 20 grep -q repeat out
  read -r _ _ _ pid _ <run/run.lock
  kill -KILL "$pid"
  wait "$watch" || status=$?
  assert_equal "$status" 1
  assert_match '^do_it.sh: run: its master has ended without a word;' "$(<err)"
}
