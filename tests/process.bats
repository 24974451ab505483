#!/usr/bin/env bats
# SPDX-License-Identifier: MIT
# Recorded processes: how they are stopped.

load helper
load tree

prepare() {
  export SIDECAR="bash $SCRATCH/script"
}

@test "a stopped process is woken to end by itself, and is not killed; a script says nothing of a process that it has started, and another one kills" {
  job_start bash -c 'trap "echo by itself >ended; exit" TERM; : >up; while :; do sleep 0.05; done'
  wait_until 20 test -e up
  kill -STOP "$JOB_PID"
  succeeds run bash -c '. "$REPO/lib/shared/proc.sh" && proc_record record "$1" job && proc_end 20 record' bash "$JOB_PID"
  assert_equal "$(<ended)" 'by itself'
  prints 'goes on' run_split bash -c 'set -Eeuo pipefail
    . "$REPO/lib/shared/proc.sh"
    sleep 100 3>&- &
    proc_started record $! mine
    # The parent has its status when no process has the number any more.
    bash -c "kill -s KILL $!"
    while [[ -e /proc/$! ]]; do sleep 0.01; done
    echo goes on'
  assert_equal "$STDERR" ''
}

@test "SIDECAR may be a script: what it runs gets INT as with Ctrl-C; what it has left is stopped after its end, and what was not recorded; a process that has its number by chance is not" {
  RUN_ID=trace
  # The command in front writes its results at INT, and the script continues. The command behind ignores INT.
  cat >script <<END
sleep 1000 &
echo \$! >$SCRATCH/behind
bash -c 'trap "echo results >results; exit" INT; echo \$\$ >$SCRATCH/before; while :; do sleep 0.05; done'
echo script >>results
END
  mkdir -m 700 host
  remote_script sidecar start
  wait_until 20 test -s before
  while read -r pid _; do process_note "$pid"; done < <(cat behind before host/run-trace/sidecar.part/proc)
  # The end may be repeated after a lost link, and does not call the program ended too early.
  for turn in 1 2; do
    run_split remote_script sidecar end
    assert_equal "$turn $status $output $STDERR" "$turn 0  "
  done
  for pid in "${TEST_PROCESSES[@]}"; do process_gone "${pid%:*}" "${pid#*:}" || fail "$pid still runs"; done
  assert_equal "$(<host/run-trace/sidecar.part/out/results)" $'results\nscript'
  remote_script ended
  refute_exists host/run-trace
  rm behind
  printf 'sleep 1000 &\necho $! >%s/behind\nuntil [[ -e %s/enough ]]; do sleep 0.05; done\n' "$SCRATCH" "$SCRATCH" >script
  remote_script sidecar start
  wait_until 20 test -s behind
  pid=$(<behind)
  process_note "$pid"
  : >enough
  read -r leader start _ <host/run-trace/sidecar.part/proc
  wait_until 20 process_gone "$leader" "$start"
  remote_script ended
  process_gone "$pid" "${TEST_PROCESSES[-1]#*:}"

  # One that was started and not recorded.
  rm enough
  remote_script sidecar start
  read -r leader start _ <host/run-trace/sidecar.part/proc
  rm host/run-trace/sidecar.part/{proc,made}
  remote_script ended
  process_gone "$leader" "$start" || fail "$leader still runs"
  refute_exists host/run-trace

  setsid sleep 1000 3>&- &
  process_note $!
  mkdir -p host/run-trace/sidecar.part
  printf '%s\t1\tsidecar\n' "$!" >host/run-trace/sidecar.part/proc
  remote_script ended
  process_alive "${TEST_PROCESSES[-1]%:*}" "${TEST_PROCESSES[-1]#*:}"
}

@test "a session whose first process has ended is of SIDECAR only with the run's mark, in the boot of the record" {
  RUN_ID=trace
  boot=$(</proc/sys/kernel/random/boot_id)
  # The session of another program that got the number of a recorded process, and one of the run.
  session() {
    rm -f up
    env "$@" setsid bash -c 'sleep 1000 3>&- & echo $! >up.new; mv up.new up' </dev/null >/dev/null 2>&1 &
    leader=$!
    wait "$leader"
    process_note "$(<up)"
  }
  mkdir -m 700 host
  for stop in ended "stop force"; do
    for each in PART_OF_TIERBENCH=other/sidecar.part:"$boot" PART_OF_TIERBENCH=trace/sidecar.part:12345678-0000-0000-0000-000000000000 PART_OF_TIERBENCH=trace/sidecar.part:"$boot"; do
      session "${each%%:*}"
      mkdir -p host/run-trace/sidecar.part
      printf 'trace\tnobody\tnowhere\t0\t0\t-\t-\t1970-01-01T00:00:00Z\t10\n' >host/run-trace/owner
      printf '%s\t12345\tsidecar\t%s\n' "$leader" "${each#*:}" >host/run-trace/sidecar.part/proc
      : >host/run-trace/sidecar.part/made
      # shellcheck disable=SC2086 # a script and its verb
      remote_script $stop >/dev/null
      refute_exists host/run-trace
      if [[ $each == PART_OF_TIERBENCH=trace/sidecar.part:"$boot" ]]; then
        process_gone "${TEST_PROCESSES[-1]%:*}" "${TEST_PROCESSES[-1]#*:}" || fail "$stop: $each still runs"
      else
        process_alive "${TEST_PROCESSES[-1]%:*}" "${TEST_PROCESSES[-1]#*:}" || fail "$stop: $each was stopped"
      fi
    done
  done
}
