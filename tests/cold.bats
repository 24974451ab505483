#!/usr/bin/env bats
# SPDX-License-Identifier: MIT
# COLD_MEMORY: memory that is filled before the instances start, counted, and released; where there is room for it; the table of policies.
# slow

load helper
load tree
load logs

prepare() {
  untuned=(TUNE=off KERNEL=keep)
  untuned+=(-s demo REMOTE_DIR="$SCRATCH/host" LOCK_DIR="$SCRATCH/locks" RESULTS_DIR="$SCRATCH/results" REDISBASE="$(ports_pick 1)" KEYS=2000 VALUE_SIZES=100
  SRV_OVERRIDE=1 REDISRUNS=1 PHASES="populate get")
  [[ -x $REPO/build/membench/membench ]] || make -s -C "$REPO" membench
}

# Note the process that is on record with cold memory: sets COLD_PID COLD_START.
cold_recorded() {
  local file
  for file in host/run-*/cold.part/proc; do read -r COLD_PID COLD_START _ <"$file" 2>/dev/null || return 1; done
}

# Print columns of the rows of phase get: figures NAME... <CSV
figures() { cells -c -w operation=get "$*"; }

@test "the memory is filled before Redis starts, its bytes are in the row, a table is printed, and nothing is left" {
  drawn_blank
  # What runs in front of Redis notes what is filled by then.
  program_make witness <<'END'
#!/bin/bash
here=${0%/*}
read -r pid _ <"$(echo "$here"/host/run-*/cold.part/proc)" && sed -n 's/^RssAnon:[^0-9]*//p' "/proc/$pid/status" >>"$here/witnessed"
exec "$@"
END
  succeeds run_split "$REPO/do_it.sh" run "${untuned[@]}" COLD_MEMORY="0 64M" TIME=1 RATE=1000 REPORT=on SERVER_PREFIX="$SCRATCH/witness"
  assert_contains '127.0.0.1: node 0: 64 MiB of cold memory' "$STDERR"
  # Doctor tries the wrapper too, without a run.
  assert_equal "$(wc -l <witnessed)" 1
  read -r kib _ <witnessed
  ((kib >= 65536 && kib < 70000)) || fail "KiB when Redis started: $(<witnessed)"
  assert_match $'GET of 100 B on 1 instance, by cold memory in front of them\n\nVariant +Figure +0 +64M\n[^\n]*\nnative +ops/s +(>=)?[0-9,]+ +(>=)?[0-9,]+\nnative +% of native at 0 +100.0% +(-|([<>]=)?[0-9.]+%)\n'
  assert_contains 'by cold memory in front of them' "$(cat results/*/report.html)"
  run "$REPO/summary2csv.sh" results/*
  figures cold_memory cold_bytes cold_far_bytes <<<"$output" | sort >said
  assert_equal "$(sed -n 1p said)" '0  '
  assert_match '^64M (6[7-9]|7[01])[0-9]{6} 0$' "$(sed -n 2p said)"
  assert_equal "$(find host locks -name 'run-*' -o -type f -path 'locks/*')" ''
}

# Whether COUNT phases get have started: loads COUNT
loads() { [[ $(grep -c 'phase get starts' job.err) == "$1" ]]; }

@test "a repeat whose cold memory is gone before its end fails, and says so; the memory is released when the master was killed, and stop ends what else is left" {
  job_start "$REPO/do_it.sh" run "${untuned[@]}" REDISRUNS=2 COLD_MEMORY=8M TIME=5 RATE=1000
  job_load get
  cold_recorded
  kill -KILL "$COLD_PID"
  wait_until 60 loads 2
  assert_contains 'COLD_MEMORY: that of node 0 was gone before the phases ended' "$(<job.err)"
  assert_exists results/*/native/*/rep-1.failed-*
  cold_recorded
  process_alive "$COLD_PID" "$COLD_START"
  kill -KILL "$JOB_PID"
  wait_until 10 process_gone "$COLD_PID" "$COLD_START"
  succeeds run_split "$REPO/do_it.sh" stop REMOTE_DIR="$SCRATCH/host" LOCK_DIR="$SCRATCH/locks"
  assert_equal "$(find host -name 'run-*')" ''
}

@test "doctor warns on a machine of one node, and refuses what does not fit; plan names it" {
  local -a ask=("$REPO/do_it.sh" doctor -s demo REMOTE_DIR="$SCRATCH/host" LOCK_DIR="$SCRATCH/locks" REDISBASE="$(ports_pick 2)")
  [[ ! -e /sys/devices/system/node/node1 ]] || skip 'this machine has several nodes'
  succeeds run_split "${ask[@]}" COLD_MEMORY="0 4M"
  assert_match 'cold memory: one node with memory: instances get the rest of it; requires: COLD_MEMORY: a slower node'
  fails 3 run_split "${ask[@]}" COLD_MEMORY=60000G
  assert_match 'cold memory: node 0: [0-9]+ MiB free, of which [0-9]+ MiB stay free; requires: COLD_MEMORY=60000G'
  succeeds run_split "$REPO/do_it.sh" plan -s demo COLD_MEMORY="0 4M"
  assert_line 'cold     0 4M of memory in front of the instances'
}

@test "the nodes that are filled are those of the instances' CPUs, or all with CPUs; room is counted by node: a size is divided, a percentage is of what a node can give, the reserve and the data stay free" {
  prints $'0\n0,1\n1\n0,1' run modules 'place_learn "0,0,0,0
1,1,0,0
2,2,1,1
3,3,1,1
# node 2 has memory and no CPU"
    for places; do place_near "$places"; done' '1@-' '0@-;2-3@-' '2,3@-' '-@-'
  export TIERBENCH_ROOT=$SCRATCH/tree RUN_ID=cold-test
  mkdir -p tree/proc
  for i in 0 1 2; do
    mkdir -p "tree/sys/devices/system/node/node$i"
    # 40 GiB, of which 30 are free; cached are 5, of which 1 is dirty or mapped.
    printf "Node $i %s kB\n" 'MemTotal: 41943040' 'MemFree: 31457280' 'Active(file): 3145728' 'Inactive(file): 2097152' 'Dirty: 524288' 'Mapped: 524288' \
      >"tree/sys/devices/system/node/node$i/meminfo"
    echo "$i" >"tree/sys/devices/system/node/node$i/cpulist"
  done
  : >tree/sys/devices/system/node/node2/cpulist
  echo 0-2 >tree/sys/devices/system/node/has_memory
  printf 'MemTotal: 125829120 kB\nMemAvailable: 104857600 kB\n' >tree/proc/meminfo
  check() { run_split remote_script cold check "$@"; }
  # 34 GiB less 2 GiB, its third of the reserve, of each node.
  prints $'ok\t65536 MiB on node 0,1\tCOLD_MEMORY=100%\t-' check 0,1 100% 1073741824 6442450944
  prints $'ok\t16384 MiB on node 0\tCOLD_MEMORY=50%\t-' check 0 50% 1073741824 6442450944
  prints $'ok\t5120 MiB on node 0,1\tCOLD_MEMORY=5G\t-' check 0,1 5G 1073741824 6442450944
  matches $'^ok\t65536 MiB' check 0,1 64G 1 6442450944
  check 0,1 65G 1 6442450944
  assert_output $'fail\tnode 0: 34816 MiB free, of which 2048 MiB stay free\tCOLD_MEMORY=65G\tset COLD_MEMORY or FILL'
  # 1 % of a node and 16 MiB stay free without a reserve too.
  matches $'^ok\t34390 MiB on node 0' check 0 100% 1 0
  # So does twice the min of the kernel, where that is more: 2 GiB of 3 GiB are this node's, as its memory is a third.
  mkdir -p tree/proc/sys/vm
  echo 3145728 >tree/proc/sys/vm/min_free_kbytes
  matches $'^ok\t32768 MiB on node 0' check 0 100% 1 0
  rm tree/proc/sys/vm/min_free_kbytes
  # Of 100 GiB available, the data get 30 beside the reserve.
  check 0,1 100% 33285996544 6442450944
  assert_output $'fail\t102400 MiB available for 65536 MiB of cold memory and 31744 MiB of data, with 6144 MiB kept free\tCOLD_MEMORY=100%\tset COLD_MEMORY or FILL'
  matches $'^ok\t' check 0,1 100% 32212254720 6442450944
  matches $'^fail\tnode 7 has no memory, or does not exist\t' check 0,7 1G 1 1
}

@test "a start that is repeated, as after a lost link, starts over; one that cannot be filled says why" {
  local RUN_ID=again pid start
  export RUN_ID
  mkdir -p host
  program_make membench '#!/bin/bash\nprintf "held\\t%%s\\n" "$5"\nexec sleep 1000\n'
  prints $'held\t0\t4194304' run_split remote_script cold start "$PWD/membench" 0 4M 1 1
  cold_recorded
  pid=$COLD_PID start=$COLD_START
  prints $'held\t0\t4194304' run_split remote_script cold start "$PWD/membench" 0 4M 1 1
  process_gone "$pid" "$start"
  cold_recorded
  process_alive "$COLD_PID" "$COLD_START"
  succeeds run_split remote_script ended
  process_gone "$COLD_PID" "$COLD_START"
  assert_equal "$(find host -name 'run-*')" ''
  printf '#!/bin/bash\necho "membench: node 0: broken on purpose" >&2\nexit 1\n' >membench
  refuses 1 'broken on purpose' run_split remote_script cold start "$PWD/membench" 0 4M 1 1
}

@test "membench hold: a size that it has no room for is refused, and a lease that is over ends it; if its output cannot be written it fails" {
  fails 1 run "$REPO/build/membench/membench" hold --node 0 --bytes 4194304 --keep 1000000G
  assert_output 'membench: node 0: has no room for so much memory'
  fails 2 run "$REPO/build/membench/membench" hold --node 0
  assert_output 'membench: hold: --bytes is required'
  : >lease
  "$REPO/build/membench/membench" hold --node 0 --bytes 4194304 --lease "$PWD/lease:3600" >said 2>&1 3>&- &
  process_note $!
  wait_until 10 grep -q $'^held\t4194304$' said
  rm lease
  wait "$!"
  # shellcheck disable=SC2317 # called by run_split
  full() { "$@" >/dev/full; }
  for words in --version --help 'hold --node 0 --bytes 4M --lease lease:5' 'load --node 0 --cpus 0 --gb-s 0.01 --bytes 4M --lease lease:1'; do
    : >lease
    # shellcheck disable=SC2086 # several words
    run_split full "$REPO/build/membench/membench" $words
    assert_equal "$words: $status $STDERR" "$words: 1 membench: cannot write to stdout; is the disk full, or the pipe closed?"
  done
}

@test "the table of policies: throughput against DRAM alone, data and cold memory on slow nodes; no warning that data is there" {
  local run=20250101T100000Z-x point variant far cold seconds folder
  mkdir -p "$run"
  printf 'SCENARIO=x\nVARIANTS="native tpp"\n' >"$run/run.conf"
  settings_make "$run"
  printf 'number\tvariant\tpoint\trepeat\tneed\tsweep\tvalue_size\tinstances\tcold_memory\n' >"$run/plan.tsv"
  while read -r variant point far cold seconds; do
    printf '1\t%s\t%s\t1\tyes\tcold memory %s\t1000\t1\t%s\n' "$variant" "1000B-1i-$point" "$point" "$point" >>"$run/plan.tsv"
    folder=$run/$variant/1000B-1i-$point/rep-1
    repeat_make "$run" "$variant" "1000B-1i-$point" 1 a 1000 1000000 1 30 90 "get:$seconds"
    server_make "$folder" "${variant/tpp/tiering}" ok 0 0
    {
      sed "s/far_bytes\t0\t0/far_bytes\t0\t$far/" "$folder/server/counters.tsv"
      printf 'get\ttier\tfar\t1-2\t1-2\n'
      [[ $point == 0 ]] || printf 'get\tcold\t%s\n' $'resident\t-\t8388608' $'swap\t-\t1048576' $'node0\t-\t1' $'node1\t-\t'"$cold" $'node2\t-\t1048576'
    } >counters
    mv counters "$folder/server/counters.tsv"
  done <<'END'
native 0 0 0 9
native 8M 104857600 0 19
tpp 0 0 0 9
tpp 8M 52428800 4194304 9
END
  run "$REPO/summary2csv.sh" "$run"
  assert_equal "$(figures variant cold_memory cold_bytes cold_far_bytes <<<"$output" | sort)" $'native 0  \nnative 8M 9437184 2097152\ntpp 0  \ntpp 8M 9437184 6291456'
  succeeds master "RESULTS_DIR=$SCRATCH" "result_read . $run 2>/dev/null || :; tables_make \"\$LIB/part/cold/table.awk\" . <totals; figures_run bound report -- totals"
  assert_equal "$(sed -n '/^Variant/,/^tpp .*cold/p' <<<"$output" | sed 's/  */ /g; s/ $//; /^-/d')" 'Variant Figure 0 8M
native ops/s 102,762 50,681
native % of native at 0 100.0% 49.3%
native p99 us 90 90
native data on slow nodes, MiB 0.0 110.0
native cold memory there, MiB - 2.0
tpp ops/s 102,762 102,762
tpp % of native at 0 100.0% 100.0%
tpp p99 us 90 90
tpp data on slow nodes, MiB 0.0 55.0
tpp cold memory there, MiB - 6.0'
  refute_contains 'on slower nodes'
  # Without cold memory it is a warning.
  sed -i '/\tcold\t/d' "$run"/native/*8M/rep-1/server/counters.tsv
  master "RESULTS_DIR=$SCRATCH" "result_read . $run 2>/dev/null || :; figures_run bound report -- totals"
  assert_contains 'memory of native instances was on slower nodes in 1 of 4 results'
}
