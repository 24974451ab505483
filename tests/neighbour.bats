#!/usr/bin/env bats
# SPDX-License-Identifier: MIT
# NEIGHBOUR: a load on the server's memory while phases are measured, and that nothing of it is left.
# slow

load helper
load tree

prepare() {
  untuned=(TUNE=off KERNEL=keep)
  untuned+=(-s demo REMOTE_DIR="$SCRATCH/host" LOCK_DIR="$SCRATCH/locks" RESULTS_DIR="$SCRATCH/results" REDISBASE="$(ports_pick 1)" KEYS=2000 VALUE_SIZES=100
  SRV_OVERRIDE=1 REDISRUNS=1 PHASES="populate get")
  [[ -x $REPO/build/membench/membench ]] || make -s -C "$REPO" membench
}

# Note the process that is on record as the load on memory: sets LOAD_PID LOAD_START.
load_recorded() {
  local file
  for file in host/run-*/neighbour.part/proc; do read -r LOAD_PID LOAD_START _ <"$file" 2>/dev/null || return 1; done
}

# Whether the load has read for two seconds.
load_reads() {
  (($(cat host/run-*/neighbour.part/out/neighbour.tsv | wc -l) >= 3))
}

@test "each point has its load: the row has the requested and the measured bandwidth, and nothing is left" {
  succeeds run_split "$REPO/do_it.sh" run "${untuned[@]}" NEIGHBOUR="0 0.05" TIME=2 RATE=1000
  assert_contains '127.0.0.1: node 0 is read at 0.05 GB/s during the measured phases' "$STDERR"
  run "$REPO/summary2csv.sh" results/*
  awk -F, 'NR == 1 { for (i = 1; i <= NF; i++) at[$i] = i; next } $at["operation"] == "get" { print $at["neighbour"], ($at["neighbour_gb_s"] != "" ? "read" : "nothing") }' <<<"$output" |
    sort >said
  assert_equal "$(<said)" $'0 nothing\n0.05 read'
  assert_equal "$(find host locks -name 'run-*' -o -type f -path 'locks/*')" ''
}

@test "a load that ends before the phases fails its repeat, with a message; the load ends with a master that was killed, and stop ends what else is left" {
  job_start "$REPO/do_it.sh" run "${untuned[@]}" NEIGHBOUR=0.05 TIME=600 RATE=1000 REDISRUNS=2
  wait_until 60 load_reads
  load_recorded
  kill -KILL "$LOAD_PID"
  wait_until 10 process_gone "$LOAD_PID" "$LOAD_START"
  # What the phase waits for: its instance.
  read -r pid start port <"$(echo host/run-*/server/instances.proc)"
  kill -KILL "$pid"
  wait_until 60 grep -q 'NEIGHBOUR: the load on memory ended before the phases' job.err
  wait_until 20 compgen -G 'results/*/native/*/rep-1.failed-*'

  wait_until 60 load_reads
  load_recorded
  process_alive "$LOAD_PID" "$LOAD_START"
  kill -KILL "$JOB_PID"
  wait_until 10 process_gone "$LOAD_PID" "$LOAD_START"
  succeeds run_split "$REPO/do_it.sh" stop REMOTE_DIR="$SCRATCH/host" LOCK_DIR="$SCRATCH/locks"
  assert_equal "$(find host -name 'run-*')" ''
}

@test "a node without memory is refused by doctor" {
  fails 3 run_split "$REPO/do_it.sh" doctor -s demo REMOTE_DIR="$SCRATCH/host" LOCK_DIR="$SCRATCH/locks" REDISBASE="$(ports_pick 2)" NEIGHBOUR=1@1023
  assert_match 'neighbour: node 1023 has no memory, or does not exist; requires: NEIGHBOUR: a node with memory: 0'
}

@test "its CPUs: without an instance, then hyperthreads of instances' CPUs, then any; what they are is said" {
  mkdir -p root/proc/self
  printf 'Cpus_allowed_list:\t0-7\n' >root/proc/self/status
  ask=(bash -c 'set -euo pipefail; . "$REPO/lib/shared/cpus.sh"; . "$REPO/lib/part/neighbour/host.sh"; host_neighbour_cpus "$@"' -)
  export TIERBENCH_ROOT=$PWD/root
  assert_equal "$("${ask[@]}" 0-5 3)" $'cpus\t6-7\tfree'
  assert_equal "$("${ask[@]}" 0-3,6 2)" $'cpus\t7\tfree'
  assert_equal "$("${ask[@]}" 0-7 1)" $'cpus\t7\tinstance'
  assert_equal "$("${ask[@]}" - 7)" $'cpus\t4-7\tfree'
  # CPU n and n+4 are hyperthreads of one core.
  for cpu in {0..7}; do
    mkdir -p "root/sys/devices/system/cpu/cpu$cpu/topology"
    echo "$((cpu % 4)),$((cpu % 4 + 4))" >"root/sys/devices/system/cpu/cpu$cpu/topology/thread_siblings_list"
  done
  assert_equal "$("${ask[@]}" 0-2 2)" $'cpus\t7\tfree'
  assert_equal "$("${ask[@]}" 0-2 4)" $'cpus\t3,7\tfree'
  assert_equal "$("${ask[@]}" 0-2 5)" $'cpus\t3,6-7\tsibling'
  assert_equal "$("${ask[@]}" 0-3 2)" $'cpus\t7\tsibling'
  # An instance's CPU is used only if there are no others.
  assert_equal "$("${ask[@]}" 0-6 9)" $'cpus\t7\tsibling'
}

@test "a start that is repeated, as after a lost link, finds the load that runs; an end is repeated and the fetch sends the same file; a load that ended before it is refused each time" {
  RUN_ID=again
  export RUN_ID
  mkdir -p host
  # The owner is another machine's: the load ends with its lease.
  program_make membench <<'END'
#!/bin/bash
printf '%s\n' "$*" >>"${0%/*}/started"
printf 'time\tgb_s\n'
exec sleep 1000
END
  succeeds run_split remote_script neighbour start "$PWD/membench" 0 1 -
  first=$output
  assert_match $'^cpus\t[0-9,-]+\tfree$' "$first"
  load_recorded
  succeeds run_split remote_script neighbour start "$PWD/membench" 0 1 -
  assert_equal "$output" "$first"
  assert_equal "$(wc -l <started)" 1
  process_alive "$LOAD_PID" "$LOAD_START"
  succeeds run_split remote_script ended
  process_gone "$LOAD_PID" "$LOAD_START"
  run_split remote_script neighbour start "$PWD/membench" 0 1 -
  load_recorded
  succeeds run_split remote_script neighbour end
  succeeds run_split remote_script parts fetch neighbour
  first=$output
  assert_contains $'neighbour.tsv\n\ntime\tgb_s' "$first"
  process_gone "$LOAD_PID" "$LOAD_START"
  succeeds run_split remote_script neighbour end
  run_split remote_script parts fetch neighbour
  assert_equal "$output" "$first"
  run_split remote_script ended
  run_split remote_script neighbour start "$PWD/membench" 0 1 -
  load_recorded
  process_end "$LOAD_PID" "$LOAD_START"
  for _ in 1 2; do
    refuses 1 'the load on memory ended before the phases' run_split remote_script neighbour end
  done
  succeeds run_split remote_script ended
  refute_exists host/run-again
}

@test "a load that cannot start fails the repeat with one reason, and its memory counts in doctor" {
  program_make bin/membench '#!/bin/bash\n[[ $1 == --version ]] && exec echo membench 1\necho "membench: node 0: broken on purpose" >&2\nexit 1\n'
  # A separate checkout, whose program is replaced.
  cp -rp "$REPO"/{lib,conf,tools,do_it.sh,summary2csv.sh,test.c,Makefile} .
  ln -s "$REPO/test" test
  cp bin/membench lib/membench/membench
  refuses 1 'broken on purpose' run_split ./do_it.sh run "${untuned[@]}" NEIGHBOUR=0.05
  refute_contains 'no load on memory is recorded' "$STDERR"
  refute_contains 'ended before the phases' "$STDERR"
  run ./do_it.sh doctor --all "${untuned[@]}" NEIGHBOUR=1
  assert_match 'memory +[^\n]*with 256 MiB of NEIGHBOUR'
}

@test "a phase without a whole second has the rate of the second that is partly in it, never of a later one" {
  ask=(awk)
  for file in results/figures/{text,schema,stored,repeat} part/neighbour/figures; do ask+=(-f "$REPO/lib/$file.awk"); done
  ask+=(-f ask.awk)
  # mawk requires a function that is not called, too.
  echo 'function tier_adds(name) { return name } BEGIN { print neighbour_read("rates", 10200000, 10700000) }' >ask.awk
  printf 'time\tgb_s\n9.5\t1.0\n11.0\t2.0\n12.0\t3.0\n' >rates
  assert_equal "$("${ask[@]}")" 2.0
  printf 'time\tgb_s\n9.5\t1.0\n11.8\t3.0\n' >rates
  assert_equal "$("${ask[@]}")" ''
}
