#!/usr/bin/env bats
# SPDX-License-Identifier: MIT
# Monitors: what they record, what they cost, and the guard that ends a load before it harms the host.
# slow

load helper

prepare() {
  untune
  BASE=$(ports_pick 2)
}

words() {
  WORDS=(-s demo REMOTE_DIR="$SCRATCH/host" RESULTS_DIR="$SCRATCH/results" REDISBASE="$BASE" KEYS=2000 VALUE_SIZES=100 REDISRUNS=1 "$@")
}

# Run code of the master with the monitors and idle processes that are recorded as instances from port BASE on.
# Usage: monitored COUNT CODE   Sets: as run_split does   Returns: 0
monitored() {
  master "RESERVE=1M" '
    folder=$SCRATCH/host/run-$RUN_ID idle=()
    trap "kill \${idle[*]} 2>/dev/null || :" EXIT
    mkdir -p "$folder/server"
    for ((i = 0; i < '"$1"'; i++)); do
      sleep 600 </dev/null >/dev/null 2>&1 &
      idle+=($!)
      proc_record "$folder/server/instances.proc" $! $(('"$BASE"' + i))
    done
    SERVER_ADDRESS=127.0.0.1
    LOAD_COMMANDS=
    calls=() askers=() && monitor_at_instances && call_chain "$HOST" "${calls[@]}" && ((CALL_STATUS[0] == 0))
    ROW[data_bytes]=1000000
    monitor_got_instances
    fetch() { receive_files "$1" "$HOST" monitor fetch && monitor_counters "$1"; }
    '"$2"'
    servers_call 60 ended'
}

@test "counters stand before and after each phase, samples once a second, and the server's count of calls agrees" {
  words TIME=3 PHASES="set get" RATE=2000
  job_start "$REPO/do_it.sh" run "${WORDS[@]}"
  job_load set
  # Another program at the same time: its CPU time is printed in ms.
  burnt=$(bash -c 'TIMEFORMAT=%3U; time timeout 1.5 bash -c "while :; do :; done"' 2>&1) || :
  succeeds job_wait 60
  server=$(echo results/*/native/*/rep-1/server)
  assert_exists "$server"/{counters,vmstat,instances}.tsv
  assert_equal "$(cut -f 1 "$server/counters.tsv" | sort -u | tr '\n' ' ')" 'get phase set '
  ops=$(awk -F '\t' 'NR == 1 { for (i = 1; i <= NF; i++) at[$i] = i } $at["operation"] == "get" { print $at["ops"] + $at["late"] }' results/*/native/*/rep-1/127.0.0.1/result.tsv)
  calls=$(awk -F '\t' '$1 == "get" && $3 == "calls" { sum += $5 - $4 } END { print sum }' "$server/counters.tsv")
  assert_equal "$calls" "$ops"
  # A mark notes its time on the server's clock, in us.
  awk -F '\t' '$2 == "host" && $3 == "time_us" { n++; if ($5 <= $4 || $4 < 1.6e15) exit 1 } END { exit n != 2 }' "$server/counters.tsv" ||
    fail "$(grep time_us "$server/counters.tsv")"
  (($(wc -l <"$server/vmstat.tsv") >= 6)) || fail "fewer than one sample a second"
  # Not more than one either: a busy machine may have gaps.
  awk 'NR == 2 { first = $1 } END { if (($1 - first) / (NR - 2) < 0.9) { print NR - 1 " in " $1 - first; exit 1 } }' "$server/vmstat.tsv"
  assert_equal "$(find host -name 'run-*')" ''
  # Others' CPU time has the neighbour's in it, by the server's probes and by the client's.
  assert_match '^[0-9]+\.[0-9]{3}$' "$burnt"
  for host in server 127.0.0.1; do
    awk -F '\t' -v host="$host" -v burnt="$burnt" '$2 == host { foreign += $4 * $9 / 100; ours += $7 } END { exit !(foreign >= 0.8 * burnt && ours > 0) }' \
      "${server%/*}/foreign.tsv" || fail "the neighbour used $burnt s: $(<"${server%/*}/foreign.tsv")"
  done
}

@test "with 288 instances the monitors take a few per cent of a CPU at most" {
  # Those that are there at the start are asked for INFO, which these do not answer.
  succeeds monitored 1 '
    for ((i = 1; i < 288; i++)); do
      sleep 600 </dev/null >/dev/null 2>&1 &
      idle+=($!)
      proc_record "$folder/server/instances.proc" $! $(('"$BASE"' + i))
    done
    read -r pid _ <"$folder/monitor/monitor.proc"
    rows() { [[ ! -e $folder/monitor/vmstat.tsv ]] || wc -l <"$folder/monitor/vmstat.tsv"; }
    ticks() { sed "s/.*) //" "/proc/$pid/stat" | awk "{ print \$12 + \$13 }"; }
    first=$(rows) before=$(ticks)
    until (($(rows) >= first + 5)) || [[ -s $folder/monitor/alarm ]]; do sleep 0.1; done
    # Ticks of 10 ms in five seconds.
    echo "ticks $(($(ticks) - before))"
    awk "NR > 1 { print \$2 }" "$folder/monitor/instances.tsv" | sort -u | wc -l'
  assert_match $'ticks ([0-9]+)\n([0-9]+)$'
  found=("${BASH_REMATCH[@]}")
  most=$(rounds_ticks 125000)
  ((most > 15)) || most=15
  ((found[1] <= most)) || fail "${found[1]} ticks in 5 s, and $most at most here"
  # They take turns: 32 a second.
  ((found[2] >= 96)) || fail "${found[2]} instances were looked at"
}

@test "an instance that does not answer INFO is named, and marked in the counters, which are there until stop: a link that is cut behind their last byte loses nothing" {
  succeeds monitored 1 'monitor_mark set && monitor_mark end && sed -n 1p "$folder/monitor/mark-set" >first
    mkdir one two
    for into in one two; do
      wait_for=$((SECONDS + 120))
      until [[ -s $folder/monitor/vmstat.tsv ]]; do ((SECONDS < wait_for)); done
      fetch "$into"
    done'
  # Instances are asked first: INFO touches pages, which the counters of the host then have.
  assert_equal "$(cut -f 1 first)" "$BASE"
  assert_contains "no answer to INFO before set from port $BASE;" "$STDERR"
  assert_contains "after set: used_memory not known, Rss " "$STDERR"
  grep -qx "set"$'\t'"$BASE"$'\tunanswered\t1\t1' one/counters.tsv
  assert_exists one/vmstat.tsv
  cmp one/vmstat.tsv two/vmstat.tsv
  assert_equal "$(find host -path '*/monitor')" ''
}

@test "the clock of CPUs, their cores, the temperature of the hottest socket and interrupts are in the counters" {
  tree=$SCRATCH/tree place=$SCRATCH/tree/sys/class/hwmon/hwmon
  for ((cpu = 0; cpu < $(nproc --all); cpu++)); do
    mkdir -p "$tree/sys/devices/system/cpu/cpu$cpu/"{cpufreq,topology}
    echo 2500000 >"$tree/sys/devices/system/cpu/cpu$cpu/cpufreq/scaling_cur_freq"
    # All hardware threads are of one core.
    echo 0-255 >"$tree/sys/devices/system/cpu/cpu$cpu/topology/thread_siblings_list"
  done
  mkdir -p "$place"{0,1,2}
  echo coretemp | tee "$place"{0,1}/name >"$place"2/name
  echo nvme >"$place"2/name
  echo 51000 >"$place"0/temp1_input
  echo 45000 >"$place"1/temp1_input
  echo 90000 >"$place"2/temp1_input
  succeeds monitored 2 'export TIERBENCH_ROOT=$SCRATCH/tree
    call_chain "$HOST" "${calls[@]}"
    # Wait for a number of samples. Usage: sampled NUMBER
    sampled() {
      for ((turn = 0; turn < 3000; turn++)); do
        ! read -r now _ <"$folder/monitor/cpus" || ((now < $1)) || return 0
        proc_pause
      done 2>/dev/null
      return 1
    }
    sampled 1 && monitor_mark set && sampled $((now + 2)) && monitor_mark end && fetch "$SCRATCH"'
  run awk -F '\t' '
    $2 == "cpus" && $3 !~ /us$|^count/ { change[$3] = $5 - $4 }
    END {
      print change["clock_khz"] / change["clock_samples"], change["heat_mdeg"] / change["heat_samples"], change["milli_cores"] / change["core_samples"]
      print (change["interrupts"] > 0)
    }' counters.tsv
  assert_output $'2500000 51000 1000\n1'
}

@test "a mark that reads while a sample is written has all sums" {
  prints '' run bash -c '. "$REPO/lib/host/monitor_cpus.sh"
    MONITOR=$SCRATCH TIERBENCH_ROOT=$SCRATCH/none
    host_monitor_cpus_open
    host_monitor_cpus 0
    (for ((turn = 0; turn < 3000; turn++)); do host_monitor_cpus 0; done) &
    for ((turn = 0; turn < 2000; turn++)); do [[ $(<"$SCRATCH/cpus") =~ ^0\ 0\ 0\ 0\ [1-9][0-9]*\ [1-9][0-9]*$ ]] || echo torn; done
    wait'
}

@test "a mark reports an alarm of the guard, and without one the guard is not asked again at once" {
  prints 'alarm: the guard says so' monitored 1 'monitor_mark set
    (call_run() { echo asked; }; monitor_alarm)
    echo "the guard says so" >"$folder/monitor/alarm"
    monitor_mark get
    monitor_alarm || echo "alarm: $MONITOR_ALARM"'
}

@test "an instance that ended just before a mark is an alarm of that mark: the guard has looked at it" {
  monitored 1 'monitor_mark set
    until [[ -e $folder/monitor/beat ]]; do proc_pause; done
    read -r pid start _ <"$folder/server/instances.proc"
    kill -KILL "$pid"
    until ! proc_alive "$pid" "$start"; do proc_pause; done
    monitor_mark end
    monitor_alarm || echo "alarm: $MONITOR_ALARM"'
  assert_output "alarm: the instance on port $BASE has exited; the load was stopped"
}

@test "an instance that is recorded in the step of the clock in which the record was read is sampled" {
  monitored 1 'until [[ -e $folder/monitor/beat ]]; do proc_pause; done
    sleep 600 </dev/null >/dev/null 2>&1 &
    idle+=($!)
    proc_record "$folder/server/instances.proc" $! 9999
    touch -r "$folder/monitor/beat" "$folder/server/instances.proc"
    end=$((SECONDS + 20))
    until grep -q "$(printf "\t9999\t")" "$folder/monitor/instances.tsv" || ((SECONDS > end)); do proc_pause; done
    grep -c "$(printf "\t9999\t")" "$folder/monitor/instances.tsv" >sampled || :'
  (($(<sampled) > 0)) || fail 'it was not sampled'
}

@test "memory that must stay free is used: the guard ends the load, says why, and the rest is cleaned up" {
  # More than there is: the first sample finds too little memory. The check before the run would refuse it, so it is set after it.
  words TIME=20 RATE=1000 PHASES=get
  job_start env "$REPO/do_it.sh" run "${WORDS[@]}" RESERVE=16M
  wait_until 60 bash -c 'test -s host/run-*/monitor/vmstat.tsv'
  # What the sampler reads is replaced by a machine that is nearly full.
  folder=$(echo host/run-*/monitor)
  read -r pid _ <"$folder/monitor.proc"
  sed -i 's/^declare -- RESERVE_BYTES=.*/declare -- RESERVE_BYTES="1125899906842624"/' "$folder/monitor.sh"
  mkfifo go
  setsid bash -c 'read -r _ <go; exec bash "$1"' bash "$folder/monitor.sh" </dev/null >/dev/null 2>&1 3>&- &
  process_note $!
  # On record before the first one ends, for that would be an alarm too.
  printf '%s\t%s\tmonitor\n' $! "$(process_start $!)" >"$folder/monitor.proc"
  kill -TERM "$pid"
  echo >go
  fails 1 job_wait 60
  assert_match 'guard: [0-9]+ MiB of memory are available, and [0-9]+ MiB must stay free \(RESERVE\); the load was stopped' "$STDERR"
  assert_equal "$(find results -name 'rep-1.failed-*' | wc -l)" 1
  assert_equal "$(find host -name 'run-*')" ''
}

@test "while memory that must stay free is used, no further repeat starts" {
  # The check before the run would refuse it, so this begins behind it: with the repeats.
  succeeds master "INSTANCES=1 REDISBASE=$BASE KEYS=100 REDISRUNS=3 RESERVE=1024G TUNE=off KERNEL=keep" '
    . "$LIB/cmd/run.sh"
    client_prepare "$SERVER"
    facts_read "$SERVER"
    facts_use
    plan_make
    RUN=$SCRATCH/run
    mkdir "$RUN"
    ! _run_cells'
  assert_contains "1 of 3: native" "$STDERR"
  assert_contains "must stay free (RESERVE); the load was stopped" "$STDERR"
  assert_match 'MiB of memory are available with no instance running, and 1048576 MiB must stay free \(RESERVE\)' "$STDERR"
  assert_contains "no further repeat starts" "$STDERR"
  refute_contains "2 of 3" "$STDERR"
  assert_equal "$(find host -name 'run-*')" ''
}

@test "a guard that is gone itself ends the load and fails the repeat" {
  words TIME=600 RATE=1000 PHASES=get
  job_start "$REPO/do_it.sh" run "${WORDS[@]}"
  job_load get
  kill -KILL "$(cut -f 1 host/run-*/monitor/monitor.proc)"
  refuses 1 "guard: the monitors are gone" job_wait 40
  assert_equal "$(find results -name 'rep-1.failed-*' | wc -l) $(find host -name 'run-*' | wc -l)" '1 0'
}

@test "the resident memory of an instance is its pages, of the size that the kernel has" {
  mkdir bin monitor
  # A prime: no number of pages of another size has it as a factor.
  program_make bin/getconf '#!/bin/sh\n[ "$*" = PAGESIZE ] && echo 1000003\n'
  sleep 600 3>&- &
  process_note $!
  printf '%s\t%s\t7001\n' $! "$(process_start $!)" >record
  succeeds run env PATH="$SCRATCH/bin:$PATH" MONITOR=monitor RECORD=record HIT_COUNTERS=majflt bash -c 'set -u
    . "$REPO/lib/shared/common.sh" && . "$REPO/lib/host/monitor_sample.sh"
    host_monitor_sample_record
    host_monitor_sample_instances_open
    host_monitor_sample_instances 1.000001'
  awk -F '\t' 'NR == 2 { found = $2 == 7001 && $3 > 0 && $3 % 1000003 == 0 } END { exit !found }' monitor/instances.tsv || fail "$(<monitor/instances.tsv)"
}

@test "every awk prints the content of the tier's swap" {
  need_command mawk gawk
  mkdir -p work/run-x/tier
  printf '/nowhere\t0\n' >work/run-x/tier/swap
  for awk in mawk gawk; do
    mkdir "with-$awk"
    ln -s "$(command -v "$awk")" "with-$awk/awk"
    succeeds run env PATH="$SCRATCH/with-$awk:$PATH" WORK="$SCRATCH/work" RUN_ID=x bash -c '. "$REPO/lib/host/tier_cgroup.sh" && . "$REPO/lib/host/tier_verify.sh" && host_tier_state'
    assert_output ''
  done
}
