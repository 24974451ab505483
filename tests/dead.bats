#!/usr/bin/env bats
# SPDX-License-Identifier: MIT
# Runs that are over on a host: their calls start nothing, and stop says what is left of them and who is alive.

load helper

prepare() {
  # A master on another machine, which is alive within its lease, and one of this machine that is dead.
  FAR=$'0\t0\t00000000-0000-0000-0000-000000000000\tpid:[1]'
  GONE=$'0\t0\t'"$(</proc/sys/kernel/random/boot_id)"$'\t'"$(readlink /proc/self/ns/pid)"
}

# Write a record of a run that was renewed some seconds ago: record RUN PROCESS AGE FILE...
record() {
  local run=$1 process=$2 age=$3 file up
  shift 3
  read -r up _ </proc/uptime
  for file; do
    (umask 077 && mkdir -p "${file%/*}")
    printf '%s\tme\tthere\t%s\t2026-01-01T00:00:00Z\t60\n%s\t%010d\n' "$run" "$process" "${BOOT:-$(</proc/sys/kernel/random/boot_id)}" \
      $((${up%.*} - age)) >"$file"
  done
}

# A master whose run has this host, and then the code.
held() {
  master "${2-}" 'lock_take 127.0.0.1
    REDIS_BINARY="" CLIENT_THREADS=1 CLIENT_PASSWORD=secret SERVER_CERTIFICATE="" CLIENT_LAUNCH=one SIDECAR="sleep 100"
    LOAD_COMMANDS="" MONITOR_REPLICAS="" MONITOR_APART="" TIER_GROUPS="" CLIENT=127.0.0.1 ADDRESS=127.0.0.1 TIER_LIMIT=0 TIER_SPACE=0 RESERVE_BYTES=1 HIT_COUNTERS="" SERVER_ADDRESS=127.0.0.1
    launch() { call_run 127.0.0.1 client launch sleep 1000; }
    '"$1"
}

@test "a run whose directory, lock or boot is gone starts nothing on the host, and says which" {
  for what in 'rm -r "$REMOTE_DIR"/run-*' 'rm "$LOCK_DIR"/tierbench-lock.*' 'sed -i "2s/^[^\t]*/00000000-0000-0000-0000-000000000000/" "$REMOTE_DIR"/run-*/owner'; do
    held "$what"'
      for call in "client launch sleep 1000" "sidecar start" "monitor start" "monitor mark get" "tune apply" "lock renew"; do
        TUNE_ROWS=""
        call_run 127.0.0.1 $call 2>>"$SCRATCH/said" && echo "$call"
      done || :
      call_run 127.0.0.1 monitor alarm
      receive_files "$SCRATCH" 127.0.0.1 sysinfo 2>>"$SCRATCH/said" && echo sysinfo
      find "$REMOTE_DIR" -name auth -o -name "*.proc" >&2
      RUN_OPEN='
    case $what in
      *lock*) assert_output 'the lock of this run is missing' ;;
      rm*) assert_match '^the run test-[0-9]+-[0-9a-f]{8} is over on this host: .*/run-[^ ]* was removed$' ;;
      *) assert_match '^this host was rebooted during the run test-[0-9]+-[0-9a-f]{8}: nothing of the run is left on it$' ;;
    esac
    (($(grep -cF -- "$output" said) == 7)) || fail "$(<said)"
    assert_equal "$STDERR" ''
    rm -rf said host locks
  done
}

@test "a call that waited, or was suspended, while its run ended launches nothing and leaves no directory; what ends a run ends its call, and its record is on the disk before it has its name" {
  mkdir -m 700 host
  held 'exec 5>>"$REMOTE_DIR/client.flock"
    flock 5
    launch 2>"$SCRATCH/said" 5>&- &
    until [[ -n $(lsof -t "$REMOTE_DIR/client.flock" 2>/dev/null) || $(grep -c . /proc/locks) -gt 0 ]] && pgrep -P $! >/dev/null; do proc_pause; done
    # As the end of the run does.
    rm -r "$REMOTE_DIR/run-$RUN_ID"
    exec 5>&-
    ! wait $! || echo launched
    ls "$REMOTE_DIR" | grep run- || :'
  assert_output ''
  assert_match 'is over on this host: ' "$(<said)"
  cat >lock.sh <<'END'
. "$REPO/lib/shared/common.sh" && . "$REPO/lib/shared/proc.sh" && . "$REPO/lib/shared/workdir.sh"
WORK=host RUN_ID=run-1
workdir_lock client ${1-}
[[ -z ${2-} ]] || { : >hangs; kill -s STOP $$; : >acted; }
END
  bash lock.sh '' hang 3>&- &
  pid=$!
  process_note "$pid"
  wait_until 10 test -e hangs
  succeeds run_split timeout 60 bash lock.sh 1
  refute_exists acted
  process_gone "$pid" "$(cut -d : -f 2 <<<"${TEST_PROCESSES[-1]}")"

  program_make bin/sync '#!/bin/sh\nshift\nls -A "$1" >>"$SCRATCH/synced"\nexec %s "$@"\n' "$(command -v sync)"
  export SCRATCH
  PATH=$SCRATCH/bin:$PATH succeeds held ':'
  assert_match '/owner\.new\.[0-9a-f-]*\.[0-9]+$' "$(head -n 1 synced)"
  assert_equal "$(find host locks -name 'run-*' -o -type f -path 'locks/*')" ''
}

@test "stop ends a suspended call of a dead run, and what it started" {
  local pid run=dead-1-00000000
  record $run "$GONE" 0 host/run-$run/owner
  RUN_OF_TIERBENCH=$run bash -c 'exec 5>>host/client.flock; flock 5; : >held; kill -s STOP $$; : >acted' 3>&- &
  pid=$!
  process_note "$pid"
  wait_until 10 test -e held
  prints "127.0.0.1: stopped everything that $run had left" run_split timeout 60 "$REPO/do_it.sh" stop
  refute_exists acted host/run-$run
  [[ ! -e /proc/$pid ]] || fail 'still there'
}

@test "one fresh record keeps a run alive: stop names it, says when it was heard, and removes nothing" {
  local run=far-1-00000000 first second
  for first in locks/tierbench-lock.$run host/run-$run/owner host/tune-$run/owner; do
    rm -rf locks host
    mkdir -m 1777 locks
    record $run "$FAR" 100 locks/tierbench-lock.$run host/{run,tune}-$run/owner
    record $run "$FAR" 20 "$first"
    # A clock that was set has no effect.
    touch -d '1 day ago' locks/* host/*/owner
    fails 3 run_split "$REPO/do_it.sh" stop
    assert_output ''
    assert_match '127.0.0.1: the run far-1-00000000 of me on there \(pid 0, since .*\) uses this (server|host), and its master was heard 2[0-9] s ago and counts as alive for 60 s: interrupt it there, or wait' "$STDERR"
    assert_exists locks/tierbench-lock.$run host/run-$run/owner host/tune-$run/owner
  done
  # Other dead runs there are cleaned up, also if a run of this user only uses the host.
  record $run "$FAR" 61 locks/tierbench-lock.$run host/{run,tune}-$run/owner
  record far-2-00000000 "$FAR" 0 host/run-far-2-00000000/owner
  fails 3 run_split "$REPO/do_it.sh" stop
  assert_output "127.0.0.1: stopped everything that $run had left"
  assert_contains 'the run far-2-00000000 of me on there' "$STDERR"
  assert_exists host/run-far-2-00000000/owner
  rm -r host/run-far-2-00000000
  assert_equal "$(find host locks -name 'run-*' -o -name 'tune-*' -o -type f -path 'locks/*')" ''
}

@test "a heartbeat renews every record of the run on the host; one that cannot be written keeps the one before, and a lock whose name leads elsewhere is not written through" {
  prints $'2\nroot:x:0' run_split bash -c 'set -Eeuo pipefail
    . "$REPO/lib/shared/owner.sh"
    WORK=. RUN_ID=a RUN_OWNER=$1
    mkdir run-a tune-a
    owner_text
    printf "%s" "$REPLY" | sed "2s/[0-9]*\$/0000000001/" | tee tune-a/owner lock >run-a/owner
    ln -s ../lock run-a/lock
    cp lock before
    # As a full disk does.
    (trap "" XFSZ && ulimit -f 0 && owner_renew)
    cmp lock before
    owner_renew
    owner_read lock
    owner_age lock
    ((OWNER_AGE < 60))
    cmp lock run-a/owner && cmp lock tune-a/owner
    wc -l <lock
    echo root:x:0 >shadow
    ln -sf shadow lock
    owner_renew
    cat shadow' bash $'a\tme\there\t1\t1\t-\t-\t2026-01-01T00:00:00Z\t60'
}

@test "after a reboot a run is dead, within its lease too: doctor and stop say so, and stop cleans up" {
  local run=far-1-00000000
  mkdir -m 1777 locks
  BOOT=11111111-1111-1111-1111-111111111111 record $run "$FAR" 0 locks/tierbench-lock.$run host/run-$run/owner
  # Another host that uses the directory, too, wrote it since this host was booted.
  fails 3 run_split "$REPO/do_it.sh" stop
  assert_match "the run $run of me on there .* uses this server, and its master was heard [0-9]+ s ago" "$STDERR"
  assert_exists locks/tierbench-lock.$run host/run-$run/owner
  touch -d @1 locks/tierbench-lock.$run host/run-$run/owner
  matches "warn +leftovers +$run" run_split "$REPO/do_it.sh" doctor --all REDISBASE="$(ports_pick 2)"
  prints "127.0.0.1: stopped everything that $run had left before this host was rebooted" run_split "$REPO/do_it.sh" stop
  assert_equal "$(find host locks -name 'run-*' -o -type f -path 'locks/*')" ''
}

@test "of two hosts with one REMOTE_DIR one has the record of the run, and the other is refused by name" {
  prints $'11111111-1111-1111-1111-111111111111\nowner' run_split bash -c 'set -Eeuo pipefail
    for name in common owner; do . "$REPO/lib/shared/$name.sh"; done
    WORK=. RUN_OWNER=$1
    for boot in 11111111-1111-1111-1111-111111111111 22222222-2222-2222-2222-222222222222; do
      _OWNER_BOOT=$boot
      owner_write run-a
      owner_read run-a/owner
      owner_same_boot && echo "$boot" || :
    done
    ls run-a' bash $'a\tme\there\t1\t1\t-\t-\t2026-01-01T00:00:00Z\t60'
  # The record of this run, by another host.
  prints $'11111111-1111-1111-1111-111111111111\t0000000001' master '' 'mkdir -p "$REMOTE_DIR/run-$RUN_ID"
    printf "%s\n%s\t%010d\n" "$RUN_OWNER" 11111111-1111-1111-1111-111111111111 1 >"$REMOTE_DIR/run-$RUN_ID/owner"
    for call in take join; do call_run 127.0.0.1 lock "$call" || :; done
    cat "$REMOTE_DIR"/run-*/owner | tail -n 1
    ls "$LOCK_DIR"'
  assert_equal "$STDERR" "$(printf 'REMOTE_DIR=%s: another host uses this directory, too; each host requires its own\n' {,}"$SCRATCH/host")"
}

@test "a call of an earlier repeat that was suspended starts nothing, and leaves the next repeat alone" {
  succeeds held 'CLIENT_PASSWORD=late
    lock_turn
    call_run 127.0.0.1 client stop
    sleep 100 3>&- &
    generator=$!
    proc_record "$REMOTE_DIR/mine" "$generator" generator
    folder=$REMOTE_DIR/run-$RUN_ID
    # What the next repeat has.
    mkdir "$folder"/{client-127.0.0.1,monitor}
    cp "$REMOTE_DIR/mine" "$folder/client-127.0.0.1/generator.proc"
    cp "$REMOTE_DIR/mine" "$folder/monitor/monitor.proc"
    TUNE_ROWS=
    for call in "client launch sleep 1000" "client look 0 get 1" "client enough" "monitor start" "monitor mark get" "sidecar start" "tune apply"; do
      RUN_OPEN=1 call_run 127.0.0.1 $call 2>>"$SCRATCH/said" && echo "$call"
    done || :
    proc_alive "$generator" "$(cut -f 2 "$REMOTE_DIR/mine")"
    kill "$generator"
    find "$folder" -type f ! -name owner -printf "%P\n" | sort
    RUN_OPEN=1 call_run 127.0.0.1 lock renew
    rm -r "$folder"/{client-127.0.0.1,monitor}'
  # Neither was stopped, and nothing was made.
  assert_line client-127.0.0.1/generator.proc monitor/monitor.proc
  refute_contains launch
  refute_contains auth
  (($(grep -c 'this call is of an earlier repeat, which is over' said) == 7)) || fail "$(<said)"
}

@test "a host that cannot be cleaned up, or that another run has, is named to a run; a master tells a host that a run's master, a process of this machine, is dead" {
  prints $'3\n3' master '' '. "$LIB/cmd/run.sh"
    hosts_all() { hosts=(a b); }
    remote_reach() { :; }
    lock_clean() { [[ $1 != a ]] || return "$GIVES"; }
    for GIVES in 1 "$LOCK_TAKEN"; do (_run_stale) || echo "$?"; done'
  assert_equal "$STDERR" 'master.sh: a: cannot be prepared, nothing was started; the line above gives the reason
master.sh: a: in use, nothing was started; wait for that run, or stop it with ./do_it.sh stop --force'
  prints $'stopped everything\n75' master '' '
    owner_place
    here=$REPLY
    # The host, another machine, has only the lease.
    call_run() {
      [[ " $* " != *" here-1-00000000 "* ]] || { echo "stopped everything"; return; }
      printf "alive\tlock\t%s\t%s\tthe run %s lives\n" here-1-00000000 $'"'0\t0\t'"'"$here" here-1-00000000
    }
    lock_clean 127.0.0.1 stale
    # A live one stays.
    proc_start $$
    call_run() { printf "alive\tlock\t%s\t%s\t%s\tit lives\n" here-1-00000000 $$$'"'\t'"'"$PROC_START" "$here"; }
    lock_clean 127.0.0.1 stale || echo $?'
  assert_equal "$STDERR" 'it lives'
}

@test "with one server a call has its time limit, and TERM of the master does not wait for it" {
  prints $'1\n127.0.0.1' master '' '
    hangs() { proc_wait 60; }
    servers_print 1 hangs || echo $?
    servers_parallel 1 hangs || parallel_failed $SERVER'
  assert_equal "$STDERR" $'127.0.0.1: no answer within 1 s\n127.0.0.1: no answer within 1 s'
  sed -i 's/^    servers_print 1.*/    : >up; servers_print 600 hangs/' master.sh
  rm -f up
  job_start bash master.sh
  wait_until 20 test -e up
  kill -s TERM "$JOB_PID"
  fails 143 job_wait 30
}
