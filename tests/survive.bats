#!/usr/bin/env bats
# SPDX-License-Identifier: MIT
# External faults that a run survives: closed pipes, full devices, removed directories, odd logins; and what kill -9 leaves.
# slow

load helper
load logs

prepare() {
  BASE=$(ports_pick 2)
  untuned=(TUNE=off KERNEL=keep)
  untuned+=(-s demo RESULTS_DIR="$SCRATCH/results" REDISBASE="$BASE" KEYS=500 VALUE_SIZES=100 REDISRUNS=1)
}

# Assert that nothing of a run is left: no directory, no lock, no instance.
assert_nothing_left() {
  assert_equal "$(find host locks -name 'run-*' -o -type f -path 'locks/*')" ''
  local port
  for port in "$BASE" $((BASE + 1)); do port_free "$port" || fail "port $port is still open"; done
}

@test "the reader of the messages exits during the run: the run ends, and everything is restored" {
  mkfifo said
  # The line of the second repeat meets the closed pipe: nothing else has to be said behind the first. Who runs the tests may ignore SIGPIPE.
  job_start env --default-signal=PIPE bash -c 'exec 2>said; exec "$@"' bash "$REPO/do_it.sh" run "${untuned[@]}" PHASES=get TIME=2 RATE=1000 REDISRUNS=2
  exec 6<said
  timeout 300 grep -q -m 1 'phase get starts' <&6
  exec 6<&-
  fails 141 job_wait 60
  assert_nothing_left
}

@test "messages go to a full device, with an open umask, no HOME, POSIXLY_CORRECT, and a quote in REMOTE_DIR: results are whole and not for others to write, and the exit status tells" {
  folder="$SCRATCH/it's a \\host"
  drawn_blank
  fails 1 run env -u HOME POSIXLY_CORRECT=1 bash -c 'umask 000; exec "$@" 2>/dev/full' bash "$REPO/do_it.sh" run "${untuned[@]}" REPORT=on REMOTE_DIR="$folder"
  assert_contains 'SET'
  assert_exists results/*/native/100B-2i/rep-1/127.0.0.1/result.tsv results/*/report.html
  assert_nothing_left
  assert_equal "$(stat -c %a "$folder")" 700
  assert_equal "$(find "$folder" -name 'run-*')" ''
  assert_equal "$(find results -perm /022 ! -type l)" ''
  assert_equal "$(stat -c %a results/*/run.conf results/*/native/100B-2i/rep-1/starts.tsv | sort -u)" 644
  # The key of a hosts file is also found without HOME.
  printf 'server 127.0.0.1\nclient 127.0.0.1 - - ~/no/key\n' >hosts
  refuses 2 '/no/key: cannot open the ssh key' run_split env -u HOME SHELLOPTS=noglob "$REPO/do_it.sh" plan -H hosts
  HOME="$SCRATCH/a&b" run_split "$REPO/do_it.sh" plan -H hosts
  assert_contains "$SCRATCH/a&b/no/key: cannot open the ssh key" "$STDERR"
}

@test "the table goes to a full device: one line says so, the results are whole, and the exit status tells; stop cleans every host all the same" {
  drawn_blank
  # shellcheck disable=SC2317 # called by run_split
  full() { "$@" >/dev/full; }
  fails 1 run_split full "$REPO/do_it.sh" run "${untuned[@]}" REPORT=on
  assert_equal "$(grep -c 'No space left on device\|cannot write' <<<"$STDERR")" 1
  assert_exists results/*/native/100B-2i/rep-1/127.0.0.1/result.tsv results/*/report.html
  assert_nothing_left
  gone=$(printf '0\t0\t%s\t%s\t2026-01-01T00:00:00Z\t60' "$(</proc/sys/kernel/random/boot_id)" "$(readlink /proc/self/ns/pid)")
  mkdir -p host/run-a-1-00000000
  printf 'a-1-00000000\tme\there\t%s\n' "$gone" >host/run-a-1-00000000/owner
  fails 1 run_split full "$REPO/do_it.sh" stop SERVER=127.0.0.1 CLIENT_IP='127.0.0.2 127.0.0.3'
  refute_exists host/run-a-1-00000000
  # The run reached the last repeat.
  assert_equal "$(grep -c 'No space left on device' <<<"$STDERR")" 3
}

@test "a script that cannot write on a host with a full disk: one message without a line number, and its own message; a removed directory: the file is named" {
  succeeds master '' '
    REMOTE_MARK=mark
    printf "%s\n" mark "/dev/fd/63: line 12: printf: write error: No space left on device" "bash: line 7: echo: write error: No space left on device" \
      "uname: write error: No space left on device" "REMOTE_DIR=/x: cannot be made: No space left on device" "run-1: cannot be written" >said
    REMOTE_DIR=/x
    _call_said file <said
    echo "REMOTE_DIR=/x: the file system / is full" >>said
    _call_said file <said
    printf "%s\n" mark "tool: file: Read-only file system" >said
    _call_said file <said
    # A directory that is removed while the script runs.
    printf "%s: No such file or directory\n" "/dev/fd/63: line 12: /var/run-1/server/6381.conf" "/x/host/sysinfo.sh: line 7: irq.tsv" | sed "1i mark" >said
    _call_said file <said'
  # What names the file system replaces the message. Without it, the first is printed.
  assert_equal "$STDERR" "REMOTE_DIR=/x: cannot be made: No space left on device
run-1: cannot be written
REMOTE_DIR=/x, TMPDIR or LOCK_DIR: cannot write: No space left on device
REMOTE_DIR=/x: cannot be made: No space left on device
run-1: cannot be written
REMOTE_DIR=/x: the file system / is full
tool: file: Read-only file system
cannot open /var/run-1/server/6381.conf: No such file or directory (REMOTE_DIR: was it removed during the run?)
cannot open irq.tsv: No such file or directory (REMOTE_DIR: was it removed during the run?)"
}

@test "a run whose directory was removed manually stops its instances" {
  job_start "$REPO/do_it.sh" run "${untuned[@]}" PHASES=get TIME=30 RATE=1000
  job_load get
  remove_busy host/run-demo-*
  fails 1 job_wait 60
  assert_nothing_left
  # Its generator, which may still wait for answers, has no record any more.
  "$REPO/do_it.sh" stop --force >/dev/null 2>&1 || :
  gone() { ! pgrep -f "$SCRATCH/host/run-demo-" >/dev/null; }
  wait_until 40 gone
}

@test "the private directory of a master goes with the next command once it is dead, in whichever pid namespace" {
  export TMPDIR=$SCRATCH/tmp
  mkdir tmp
  master '' ': >up; while [[ ! -e down ]]; do sleep 0.05; done' >/dev/null &
  wait_until 20 test -e up
  succeeds run_split "$REPO/do_it.sh" stop
  assert_equal "$(find tmp -name 'tierbench-*' | wc -l)" 1
  : >down
  wait
  assert_equal "$(find tmp -name 'tierbench-*')" ''

  sed -i 's|^: >up.*|: >killed; kill -KILL $$|' master.sh
  bash master.sh || :
  assert_exists killed tmp/tierbench-*
  run_split "$REPO/do_it.sh" stop
  assert_equal "$(find tmp -name 'tierbench-*')" ''

  need_root
  unshare --pid --fork --mount-proc true 2>/dev/null || skip 'pid namespaces cannot be made here'
  rm -f up down
  sed -i 's|^: >killed.*|: >up; while [[ ! -e down ]]; do sleep 0.05; done; kill -KILL $$|' master.sh
  # Pid 1 of a namespace cannot kill itself, so a shell is around it.
  unshare --pid --fork --mount-proc bash -c 'bash master.sh; :' &
  wait_until 20 test -e up
  run_split "$REPO/do_it.sh" stop
  assert_equal "$(find tmp -name 'tierbench-*' | wc -l)" 1
  : >down
  wait
  assert_equal "$(find tmp -name 'tierbench-*' | wc -l)" 1
  run_split "$REPO/do_it.sh" stop
  assert_equal "$(find tmp -name 'tierbench-*')" ''
}

@test "a stop that waits prints the reason; without -H it names the hosts file of the newest run" {
  mkdir -m 700 host
  for each in server:instances 'client:load generators' 'tier:a memory tier'; do
    rm -f held enough
    job_start bash -c 'exec 5>"host/$1.flock" && flock 5 && : >held && until [[ -e enough ]]; do sleep 0.05; done' bash "${each%%:*}"
    wait_until 10 test -e held
    "$REPO/do_it.sh" stop --force >stop.out 2>stop.err 3>&- &
    wait_until 20 grep -q "waiting for a call of a run that starts or stops ${each#*:} here, 300 s at most" stop.err
    : >enough
    wait $!
    assert_equal "$(<stop.out)" '127.0.0.1: nothing was left'
  done
  mkdir -p results/20260101T000000Z-demo
  : >results/20260101T000000Z-demo/run.conf
  run_split "$REPO/do_it.sh" stop RESULTS_DIR="$SCRATCH/results"
  assert_equal "$STDERR" ''
  printf 'server 127.0.0.1\nclient 127.0.0.1\n' >results/20260101T000000Z-demo/hosts
  succeeds run_split "$REPO/do_it.sh" stop RESULTS_DIR="$SCRATCH/results"
  assert_contains "./do_it.sh stop -H $SCRATCH/results/20260101T000000Z-demo/hosts" "$STDERR"
  run_split "$REPO/do_it.sh" stop RESULTS_DIR="$SCRATCH/results" -H results/20260101T000000Z-demo/hosts
  assert_equal "$STDERR" ''
}

@test "stop removes sockets of our dead screen sessions, and keeps others" {
  need_command screen
  export SCREENDIR=$SCRATCH/screen
  mkdir -m 700 screen
  screen -dmS tierbench-dead-1 sleep 60
  screen -dmS mine sleep 60
  wait_until 10 compgen -G 'screen/*.tierbench-dead-1'
  wait_until 10 compgen -G 'screen/*.mine'
  for file in screen/*; do
    file=${file#screen/}
    process_note "${file%%.*}"
    [[ $file == *.mine ]] || dead=${file%%.*}
  done
  start=$(process_start "$dead")
  kill -KILL "$dead"
  # Until it has ended, its socket answers.
  wait_until 10 process_gone "$dead" "$start"
  succeeds run_split "$REPO/do_it.sh" stop
  assert_equal "$(find screen -mindepth 1 | wc -l)" 1
  assert_exists screen/*.mine
}
