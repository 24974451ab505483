#!/usr/bin/env bats
# SPDX-License-Identifier: MIT
# One run at a time on a server, of any user: the lock, its owner, and what happens to a run that has lost it.
# slow

load helper
load constant

prepare() {
  HERE="$(</proc/sys/kernel/random/boot_id)"$'\t'"$(readlink /proc/self/ns/pid)"
  GONE=$'0\t0\t'$HERE
}

# Write the script as a host gets it, with the owner RUN, into $SCRATCH/RUN.SCRIPT.sh.
# Usage: script SCRIPT RUN [PROCESS [SECONDS]]
#   PROCESS is PID, STARTTIME, BOOT and PIDSPACE, tab-separated; this shell's when it is left out; SECONDS is its lease
script() {
  local process=${3-}
  [[ -n $process ]] || process=$(printf '%s\t%s\t%s' $$ "$(process_start $$)" "$HERE")
  modules '. "$REPO/tests/script.bash"
    RUN_ID=$2 CLIENT=127.0.0.1
    printf -v RUN_OWNER "%s\tsomebody\tsomewhere\t%s\t2026-01-01T00:00:00Z\t%s" "$2" "$3" "$4"
    script_program "$1"' "$1" "$2" "$process" "${4:-60}" >"$SCRATCH/$2.$1.sh"
}

# Run such a script as this user, or as another: host [-u UID] RUN SCRIPT VERB
host() {
  local -a as=()
  if [[ $1 == -u ]]; then
    as=(setpriv --reuid="$2" --regid="$2" --clear-groups)
    shift 2
  fi
  run_split "${as[@]}" bash -s -- "$3" <"$1.$2.sh"
}

# A small run that leaves the host's settings alone.
small() {
  untuned=(TUNE=off KERNEL=keep)
  untuned+=(-s demo RESULTS_DIR="$SCRATCH/results" REDISBASE="$(ports_pick 2)" KEYS=500 VALUE_SIZES=100 "$@")
}

@test "one of two simultaneous masters takes a stale lock, every time" {
  script lock old "$GONE"
  script lock one
  script lock two
  # The two wait for each other at the start of each round, and again before either of them releases the lock.
  cat >race.sh <<'END'
printf 'x' >"at.$2.$1"
until [[ -e at.one.$1 && -e at.two.$1 ]]; do :; done
if bash -s -- take <"$2.lock.sh" 2>>said; then echo "$1 $2" >>taken; fi
printf 'x' >"done.$2.$1"
until [[ -e done.one.$1 && -e done.two.$1 ]]; do sleep 0.002; done
END
  mkdir -m 1777 locks
  for ((round = 1; round <= ${LOCK_ROUNDS:-15}; round++)); do
    bash -s -- take <old.lock.sh
    bash race.sh "$round" one &
    bash race.sh "$round" two
    wait $!
    rm -f locks/tierbench-lock.{one,two}
  done
  assert_equal "$(cut -d ' ' -f 1 taken | uniq -c | awk '$1 != 1')" ''
  assert_equal "$(wc -l <taken)" "$((round - 1))"
}

@test "all users share the lock: a live run keeps another user out, a dead run does not" {
  need_root
  need_command setpriv
  chmod 711 "$SCRATCH"
  mkdir -m 755 host-65534
  script lock mine
  REMOTE_DIR=$SCRATCH/host-65534 script lock theirs
  chmod 755 ./*.sh
  chown 65534 host-65534
  succeeds host mine lock take
  assert_equal "$(stat -c '%a' locks locks/tierbench-lock.mine | paste -s)" $'1777\t644'
  refuses 1 'the run mine of somebody on somewhere' host -u 65534 theirs lock take
  host mine lock release
  succeeds host -u 65534 theirs lock take
  refuses 1 'the run theirs of somebody on somewhere' host mine lock take
  # Not even --force takes it from another user.
  warns 'the run theirs of somebody on somewhere' run_split "$REPO/do_it.sh" stop --force
  assert_exists locks/tierbench-lock.theirs
  host -u 65534 theirs lock release

  # A dead run's lock, which the other user cannot remove, does not block anybody.
  script lock dead "$GONE"
  succeeds host dead lock take
  succeeds host -u 65534 theirs lock take
  assert_exists locks/tierbench-lock.dead
}

@test "files of another user in the lock's directory are not run, not waited for and not written to; a directory that others could empty, or that cannot be shared, is refused" {
  mkdir -m 1777 locks
  mkfifo locks/tierbench-lock.fifo
  ln -s "$SCRATCH/target" locks/tierbench-lock.mine
  printf 'x\tu\th\tPATH[$(touch %s/pwned)]\t1\t%s\t2026-01-01T00:00:00Z\tPATH[$(touch %s/pwned)]\n' "$SCRATCH" "$HERE" "$SCRATCH" >locks/tierbench-lock.x
  head -c 100000 /dev/zero >locks/tierbench-lock.zero
  script lock mine
  refuses 1 'LOCK_DIR=' host mine lock take
  refute_exists target pwned
  rm locks/tierbench-lock.mine
  succeeds host mine lock take
  refute_exists pwned
  need_root
  rm -r locks
  mkdir -m 777 locks
  refuses 1 'it is not sticky; chmod +t' host mine lock take
  chmod 1777 locks
  chown 65534 locks
  refuses 1 'belongs to another user' host mine lock take
}

@test "a lease that ran out is a lost lock, whatever the master says afterwards; on its own machine its process tells" {
  script lock far $'1\t1\t00000000-0000-0000-0000-000000000000\tpid:[1]' 60
  script lock next
  succeeds host far lock take
  succeeds host far lock renew
  fails 1 host next lock take
  # A clock that is set, on the host or on the master, is no heartbeat and ends no lease.
  touch -d '1 hour ago' locks/tierbench-lock.far host/run-far/owner
  fails 1 host next lock take
  record_age 61 locks/tierbench-lock.far
  # One fresh record is enough: the master has this host.
  fails 1 host next lock take
  record_age 61 host/run-far/owner
  refuses 1 'was not renewed for 60 s' host far lock renew
  succeeds host next lock take
  refuses 1 'the run next of somebody on somewhere (pid' host far lock renew
  # The cleanup of the master that lost its lock does not touch the other's lock.
  host far lock release
  record_age 61 locks/tierbench-lock.next host/run-next/owner
  succeeds host next lock renew
  # What a call was writing when it was ended keeps no directory, and a record does.
  mkdir host/run-next/scratch.abcdef
  touch host/run-next/scratch.1 host/run-next/owner.new.1 host/run-next/cold.part
  host next lock release
  assert_exists host/run-next/cold.part
  rm host/run-next/cold.part
  host next lock release
  refute_exists host/run-next
}

@test "a held session renews every record at each beat, says what it found, and never renews a lease that ran out" {
  script lock far $'1\t1\t00000000-0000-0000-0000-000000000000\tpid:[1]' 60
  succeeds host far lock take
  mkfifo beats said
  { sed '1d; $d' far.lock.sh && exec cat beats; } | bash --norc -c '. "$0"' "$REPO/lib/host/call.sh" mark lock hold >said &
  process_note "$!"
  exec {to}>beats {from}<said
  # Usage: beat ANSWER
  beat() {
    echo >&"$to"
    while read -r -t 60 -u "$from" line; do [[ -z $line || $line == mark ]] || break; done
    assert_equal "$line" "$1"
  }
  record_age 40 locks/tierbench-lock.far host/run-far/owner
  beat held
  record_age 20 host/run-far/owner
  script lock next
  fails 1 host next lock take
  mkdir host/tune-far
  touch host/tune-far/lapsed
  beat lapsed
  record_age 61 locks/tierbench-lock.far host/run-far/owner
  cp host/run-far/owner before
  beat lost
  cmp before host/run-far/owner
  # It has ended.
  assert_equal "$(cat <&"$from")" $'\nmark.end'
  exec {to}>&- {from}<&-
  succeeds host next lock take
}

@test "a run that loses its lock: the repeat is not a result, and no other repeat starts" {
  small REDISRUNS=3 PHASES=get TIME=8 RATE=1000
  job_start "$REPO/do_it.sh" run "${untuned[@]}"
  job_load get
  rm locks/tierbench-lock.demo-*
  refuses 1 'the lock of this run is missing' job_wait 60
  assert_contains 'no further repeat starts' "$STDERR"
  assert_equal "$(find results -name 'rep-*' -printf '%f\n' | sed 's/-[0-9]*-[0-9]*$//')" rep-1.failed
  assert_equal "$(find host locks -name 'run-*' -o -type f -path 'locks/*')" ''
}

@test "a run whose lock was lost while it was suspended changes no setting of the server, and says so once" {
  prints 'next repeat' run_split modules '. "$LIB/cmd/run.sh"
    for name in plan_enter disk_room progress_repeat hosts_all; do . /dev/stdin <<<"$name() { :; }"; done
    declare -A ROW=([number]=1 [point]=p [variant]=swap [repeat]=1 [instances]=1 [keys]=1 [value_size]=1 [sweep]=-)
    plan_row() { ROW[number]=$1; }
    server_room() { echo "next repeat"; }
    tune_apply() { return 1; }
    # The answer of each server to the check of the lock.
    lock_held() { return "$LOST"; }
    HOST=127.0.0.1 REMOTE_RETRY=0 RUN=results VARIANTS=swap KEY_PATTERN=zipf HIT_RATIO=85% REDISRUNS=2 GENERATOR=test RESUME="" _REMOTE_TMP=$SCRATCH
    RATE=0 CONNECTIONS=1 TIME=1 WARMUP=0 PHASES="populate get" PROBE_WSS=off FAULT=none SIDECAR="" FAR_EVENTS=off TRACK_WRITES=0
    PLAN_ROWS=(1 2)
    # A search for keys comes before the first repeat.
    _hit_row_of() { echo 1; }
    LOST=1
    ! _hit_seek p || echo found
    hit_wanted() { return 1; }
    ! _run_cells || echo done
    # A server that does not answer may still hold the lock.
    REPEAT_LOST="" LOST=255
    ! _run_cells || echo done'
  assert_equal "$(grep -c 'the lock of this run is lost' <<<"$STDERR")" 1
  assert_equal "$(grep -c 'no further repeat starts' <<<"$STDERR")" 1
  assert_equal "$(grep -c 'cannot check the lock' <<<"$STDERR")" 2
}

@test "names of runs are unique, and every action refuses the directory of another master" {
  script lock same
  mkdir -p host/run-same
  printf 'same\tother\telsewhere\t1\t1\t-\t-\t-\t60\n' >host/run-same/owner
  for verb in 'client stop' 'server stop' 'monitor fetch' 'neighbour end' 'tiers up' ended 'tune restore' 'lock take'; do
    script "${verb% *}" same
    refuses 1 "run-same: is the directory of another master's run; left alone" host same "${verb% *}" "${verb#* }"
  done
  assert_exists host/run-same/owner
  matches "^test-[0-9]+-[0-9a-f]{8}"$'\n'"test-[0-9]+-[0-9a-f]{8}$" master '' 'echo "$RUN_ID"; lock_name test; echo "$RUN_ID"'
  [[ ${lines[0]} != "${lines[1]}" ]]
}

@test "stop removes only what has the form and the owner line of a run, and leaves files of the user, whose names are like ours" {
  mkdir -p host/run-{notes,half-1-00000000,dead-1-00000000,empty,mine} host/{lockfiles,sysinfo.old,found.old.proc,tune-mine} elsewhere locks
  chmod 700 host
  echo mine | tee host/run-notes/paper host/lock.txt host/data-any-1-0123abcd >host/tier-any-1-0123abcd
  : >host/run-half-1-00000000/owner.new
  touch host/sysinfo.{txt,abcdef} host/found.1.proc host/lost.proc host/tier-2-notes host/tier-any-1-0123abcd.txt host/run-mine/owner.new locks/tierbench-lock.txt
  printf 'dead-1-00000000\tme\there\t%s\t2026-01-01T00:00:00Z\t60\n' "$GONE" | tee host/run-dead-1-00000000/owner >elsewhere/owner
  cp -r host/run-dead-1-00000000 host/run-other-1-00000000
  ln -s "$SCRATCH/elsewhere" host/run-link-1-00000000
  find host locks -exec touch -h -d '1 day ago' {} +
  find host locks elsewhere | grep -vE '/run-(dead|half)-1' | sort >before
  prints '127.0.0.1: stopped everything that dead-1-00000000 had left' run_split "$REPO/do_it.sh" stop
  assert_contains 'host/run-notes: has no owner line' "$STDERR"
  find host locks elsewhere ! -name '*.flock' | sort >after
  diff before after
}

@test "doctor and plan start no Redis on a server that another run uses, and release its lock afterwards" {
  program_make other-server '#!/bin/sh\n[ "$1" = --version ] || echo "$@" >>%s/started\nexec redis-server "$@"\n' "$SCRATCH"
  script lock other
  host other lock take
  small REDIS="$SCRATCH/other-server" REDIS_USER=keep KEYS=auto FILL=20M
  shows '127.0.0.1: cost of a key: the run other of somebody on somewhere ' run_split "$REPO/do_it.sh" doctor "${untuned[@]}"
  assert_contains '127.0.0.1: server program: the run other of somebody on somewhere '
  warns 'the run other of somebody on somewhere ' run_split "$REPO/do_it.sh" plan "${untuned[@]}"
  assert_contains 'uses this server: keys and bytes are estimates; a run measures them with Redis' "$STDERR"
  refute_exists started

  host other lock release
  succeeds run_split "$REPO/do_it.sh" plan "${untuned[@]}"
  refute_contains estimates "$STDERR"
  assert_exists started
  assert_equal "$(ls locks)" ''
}

@test "a lock that is held for a calibration is renewed until its end, and not after it" {
  constant_set lib/core/lock_owner.sh _LOCK_SPARE 6
  prints $'renewed\n0' master REMOTE_RETRY=0 '
    renewed() {
      local file=$LOCK_DIR/tierbench-lock.$RUN_ID end=$((SECONDS + 20))
      touch -d "1 hour ago" "$file"
      until [[ $file -nt "$SCRATCH/before" ]] || ((SECONDS > end)); do proc_pause; done
      [[ $file -nt $SCRATCH/before ]] && echo renewed
    }
    touch "$SCRATCH/before"
    lock_during renewed
    end=$((SECONDS + 20))
    until [[ -z $(jobs -pr) ]] || ((SECONDS > end)); do proc_pause; done
    jobs -pr | wc -l
    ls "$LOCK_DIR"'
}

# Start a master that holds the directory `run` until the file `down` exists: holder
holder() {
  rm -f up down
  master '' 'run_lock_take run; : >up; until [[ -e down || ! -e run ]]; do sleep 0.05; done' 3>&- &
  wait_until 20 test -e up
  # The next master has its own script.
  mv master.sh holder.sh
}

@test "one master has the directory of a run, also if it shares nothing else with the other; what a killed one left does not have it; the lock is of the file that has its name; a file system without locks gets a warning" {
  mkdir run
  holder
  read -r _ _ _ pid _ <run/run.lock
  # Its host locks are elsewhere.
  fails 2 master LOCK_DIR="$SCRATCH/elsewhere" 'run_lock_take run'
  assert_match "^master.sh: command line: --resume=run: the run test-$pid-[0-9a-f]{8} of .* on .* \\(pid $pid, since .*\\) continues it; wait for it, or interrupt it there\$" "$STDERR"
  : >down
  wait
  refute_exists run/run.lock

  # A subshell has the lock for a moment after its master was killed.
  rm down
  master '' 'run_lock_take run; (until [[ -e down || ! -e run ]]; do sleep 0.05; done) >/dev/null 2>&1 & kill -KILL $$'
  assert_exists run/run.lock
  (sleep 1 && : >down) 3>&- &
  shows held master '' 'run_lock_take run; echo held; cat run/run.lock'
  [[ -e down ]] || fail 'the lock was not waited for'
  flock=$(command -v flock)
  mkdir bin
  # The owner before removed the file after it was opened.
  program_make bin/flock '#!/bin/bash\n[[ $* != "-n "* || -e once || ! -e run/run.lock ]] || { : >once; rm run/run.lock; }\nexec %q "$@"\n' "$flock"
  PATH=$SCRATCH/bin:$PATH holder
  assert_exists once run/run.lock
  fails 2 master '' 'run_lock_take run'
  : >down
  wait
  printf '#!/bin/bash\n[[ $* != "-n "* || ! -e run/run.lock ]] || exit 71\nexec %q "$@"\n' "$flock" >bin/flock
  PATH=$SCRATCH/bin:$PATH succeeds master '' 'run_lock_take run'
  assert_contains 'run/run.lock: cannot be locked on this file system' "$STDERR"
}

@test "a lock of a dead run is removed and named; one whose line is not that of an owner is removed without a word: a line whose fields are too long, or of another kind" {
  mkdir -m 1777 locks
  : >locks/tierbench-lock.notes
  for run in dead-1-00000000 "$(printf '%0122d' 0)-1-00000000"; do
    printf '%s\tme\there\t%s\t2026-01-01T00:00:00Z\t60\n' "$run" "$GONE" >"locks/tierbench-lock.$run"
  done
  succeeds run bash -c 'set -u
    . "$REPO/lib/shared/common.sh" && . "$REPO/lib/shared/proc.sh" && . "$REPO/lib/shared/owner.sh" && . "$REPO/lib/host/locks.sh"
    LOCKS=$PWD/locks
    host_locks_sweep'
  assert_output 'the run dead-1-00000000 of me on here (pid 0, since 2026-01-01T00:00:00Z) used this server and has died: its lock was removed'
  # Only its name is like a lock's.
  assert_equal "$(ls locks)" tierbench-lock.notes
  run bash -c '. "$REPO/lib/shared/owner.sh"
    IFS=$1
    line=(run me here 7 8 ab-cd "pid:[9]" 2026-01-01T00:00:00Z 60)
    taken() { printf "%s\n" "${line[*]}" >owner && owner_read owner; }
    taken && [[ $OWNER_RUN$OWNER_PID$OWNER_LEASE == run760 ]] || echo "a good line: ${line[*]}"
    while read -r field most letter before after; do
      kept=${line[field]}
      printf -v text "%$((most - ${#before} - ${#after}))s" ""
      line[field]=$before${text// /$letter}$after
      taken || echo "field $field with $most characters"
      line[field]=$before$letter${text// /$letter}$after
      ! taken || echo "field $field with more than $most"
      line[field]="$before\$(id)$after"
      ! taken || echo "field $field with a command"
      line[field]=$kept
    done' bash $'\t' <<'END'
0	121	a
1	64	a
2	64	a
3	10	1
4	18	1
5	36	a
6	26	1	pid:[	]
7	32	1
8	6	1
END
  assert_output ''
}
