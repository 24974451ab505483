#!/usr/bin/env bats
# SPDX-License-Identifier: MIT
# The sweep over instances: the numbers, the CPUs, what is counted for a point, the table and the knee.
# slow

load helper

prepare() {
  untune
}

# Print the numbers of instances in a plan for a server with 48 CPUs.
# Usage: numbers SETTING...
numbers() {
  run_plan -s scaling SERVER=203.0.113.1 CLIENT_IP=203.0.113.2 SERVER_CORES=48 SERVER_MEM=64 "$@"
  output=$(sed -n 's/^128B-\([0-9]*\)i .*/\1/p' <<<"$output" | paste -sd ' ')
}

# Settings of a short sweep.
# Usage: words SETTING...; sets WORDS
words() {
  WORDS=(-s scaling REMOTE_DIR="$SCRATCH/host" RESULTS_DIR="$SCRATCH/results" REDISBASE="$(ports_pick 4)" REDISRUNS=1 KEYS=500
  CONNECTIONS=5 REQUESTS=10000/instance INTERVAL=0.1 "$@")
}

# Totals of a sweep: the columns that are read; the columns of the monitors are missing.
windows_head() {
  printf '%s\t' run variant variant_rank point sweep repeat operation len servers window_ops_per_sec window_us cut_percent ops client_cpu_us max_time_us threads \
    client_limited rate
  echo folder
}

# Print the tables of the file windows, unformatted.
# Usage: figures   Globals: AWK, the name of the awk (awk)
figures() {
  local name
  local -a programs=()
  for name in figures/{text,schema,interval,bound,totals} tables/scaling; do programs+=(-f "$REPO/lib/results/$name.awk"); done
  "${AWK:-awk}" "${programs[@]}" windows
}

# Usage: windows_row VARIANT RANK PHASE INSTANCES OPS_PER_SEC [SWEEP [DIR [RATE]]]
windows_row() {
  printf 'r\t%s\t%s\t128B-%si\t%s\t1\t%s\t128\t%s\t%s\t1000000\t0\t%s\t\t1000000\t%s\t0\t%s\t%s\n' "$1" "$2" "$4" "${6-}" "$3" "$4" "$5" "$5" "$4" \
    "${8-0}" "${7-nowhere}"
}

@test "instances: lists, ranges and steps, to all CPUs less those kept for interrupts; what is no number is refused, and fewer than clients at the start of a sweep" {
  numbers INSTANCES='3 1..2 2'
  assert_output '1 2 3'
  numbers INSTANCES=1..24..4
  assert_output '1 5 9 13 17 21'
  numbers INSTANCES='8..all..8 all' TUNE.irq=0-3
  assert_output '8 16 24 32 40 44'
  numbers SERVER_CPUS=4-6
  assert_output '1 2 3'
  numbers
  assert_equal "$(wc -w <<<"$output")" 48
  for word in 0 1..0 4..2 1.. ..4 1..4..0 1...4 some 1..60001 1..2..3..4; do
    refuses 2 "INSTANCES=$word: invalid" numbers INSTANCES="$word"
  done
  fails 2 numbers CLIENT_IP='203.0.113.2 203.0.113.3' INSTANCES=1..all
  assert_match 'INSTANCES: 1 instances cannot be divided over 2 clients; .*: INSTANCES=clients\.\.all$' "$STDERR"
  numbers CLIENT_IP='203.0.113.2 203.0.113.3'
  assert_equal "$(wc -w <<<"$output")" 47
}

@test "a list of many runs counts their repeats without a process for each, also of runs and results directories that are symbolic links" {
  mkdir bin
  program_make bin/find '#!/bin/sh\necho "$0" >>%q\nexec %q "$@"\n' "$SCRATCH/calls" "$(command -v find)"
  for run in results/2026010{1,2,3}T000000Z-demo; do
    mkdir -p "$run"/native/100B-1i/rep-{1,2}{,.failed-1}
    : >"$run/run.conf"
    {
      printf 'number\tvariant\tpoint\trepeat\tneed\n'
      for n in {1..24}; do printf '%d\tnative\t100B-1i\t%d\tyes\n' "$n" "$n"; done
    } >"$run/plan.tsv"
  done
  PATH=$PWD/bin:$PATH succeeds run_split "$REPO/do_it.sh" list RESULTS_DIR=results
  assert_equal "$(grep -c '^run .* 2 of 24 repeats$' <<<"$output")" 3
  assert_equal "$(wc -l <calls)" 1
  # Directories that no plan has are no repeats of it, and a run without one does not hide the others.
  mkdir -p results/2026010{1,2,3}T000000Z-demo/native/100B-1i/rep-{3..40}
  printf 'number\tvariant\tpoint\trepeat\tneed\n1\tnative\t100B-1i\t1\tyes\n2\tswap\t100B-1i\t1\tyes\n3\tnative\t100B-1i\t3\tmaybe\n' >results/20260103T000000Z-demo/plan.tsv
  rm results/20260102T000000Z-demo/plan.tsv
  mv results/20260101T000000Z-demo $'results/20260101T000000Z-a\nb\tc'
  mv results/20260103T000000Z-demo $'results/20260103T000000Z-a\nb\tc'
  PATH=$PWD/bin:$PATH run_split "$REPO/do_it.sh" list RESULTS_DIR=results
  assert_equal "$(sed -n '/results/ s/  */ /gp' <<<"$output")" 'run results/20260101T000000Z-a?b?c 24 of 24 repeats
run results/20260102T000000Z-demo cannot be read: plan.tsv is missing
run results/20260103T000000Z-a?b?c 2 of at most 3 repeats'
  assert_equal "$(wc -l <<<"$output")" "$(grep -cE '^(scenario|variant|workload|tenant|run)  ' <<<"$output")"
  rm -r results
  mkdir -p disk/runs disk/20260101T000000Z-demo/native/100B-1i/rep-{1,2}
  : >disk/20260101T000000Z-demo/run.conf
  printf 'number\tvariant\tpoint\trepeat\tneed\n1\tnative\t100B-1i\t1\tyes\n2\tnative\t100B-1i\t2\tyes\n3\tnative\t100B-1i\t3\tyes\n' >disk/20260101T000000Z-demo/plan.tsv
  ln -s ../20260101T000000Z-demo disk/runs/
  ln -s disk/runs results
  succeeds run "$REPO/do_it.sh" list RESULTS_DIR=results
  assert_match 'run +results/20260101T000000Z-demo +2 of 3 repeats'
}

@test "a plan counts the requests of the sweep, not its keys" {
  run_plan -s scaling SERVER=203.0.113.1 CLIENT_IP=203.0.113.2 SERVER_CORES=2 SERVER_MEM=64 REDISRUNS=1 PLAN_OPS=1000000
  # Two phases of 50,000,000 requests at 1,000,000/s, plus 1 s for each phase and for populate: 103 s. Two instances have twice the load.
  assert_match '128B-1i .* 1\.7 min
'
  assert_match '128B-2i .* 3\.3 min
'
}

@test "instances go to the CPUs that the kernel keeps free, but for those of the interrupts" {
  { cat "$REPO/tests/fixtures/cpus/2x12.lscpu" && echo '# isolated 4-7,20'; } >isolated.lscpu
  succeeds run_plan -s scaling SERVER=203.0.113.1 CLIENT_IP=203.0.113.2 SERVER_MEM=64 TUNE.irq=4 \
    FACTS="$SCRATCH/isolated.lscpu"
  refute_contains 'instances on the CPUs' "$STDERR"
  assert_equal "$(sed -n '/^placement/,$p' <<<"$output" | awk '/^6/ { print $3 }' | sort -n | paste -sd ' ')" '5 6 7 20'
  assert_contains '128B-4i'
  refute_contains '128B-5i'
  run_plan -s scaling SERVER=203.0.113.1 CLIENT_IP=203.0.113.2 SERVER_MEM=64 SERVER_CPUS=0-1 \
    FACTS="$SCRATCH/isolated.lscpu"
  assert_contains '128B-2i'
  refute_contains '128B-3i'
  # Without settings for isolated CPUs, plan prints the CPUs of the instances, unless the user asked for these CPUs.
  run_plan -s imdt SERVER=203.0.113.1 CLIENT_IP=203.0.113.2 SERVER_MEM=64 FACTS="$SCRATCH/isolated.lscpu"
  assert_contains '24 instances on the CPUs 4-7,20: set SERVER_CPUS' "$STDERR"
  run_plan -s imdt SERVER=203.0.113.1 CLIENT_IP=203.0.113.2 SERVER_MEM=64 FACTS="$SCRATCH/isolated.lscpu" \
    SERVER_CPUS=4-7,20
  refute_contains 'instances on the CPUs' "$STDERR"
}

@test "only the time in which all threads of all clients ran counts, and what was cut off is said" {
  window() {
    modules 'result_add_up <rows' |
      cells 'servers window_ops_per_sec window_us cut_percent'
  }
  mkdir -p rep-1/{a,b}
  printf 'phase\tclient\tstart_us\nset\ta\t1000000\nset\tb\t1500000\n' >rep-1/starts.tsv
  # Client a: 100 operations/s for 2 s, then 50 for 1 s, because one of its two threads is done.
  printf 'time_s\tops\n1.000\t100\n2.000\t100\n3.000\t50\n' >rep-1/a/set.series.tsv
  printf 'time_s\tops\n1.000\t10\n2.000\t10\n' >rep-1/b/set.series.tsv
  {
    printf 'variant\tpoint\trepeat\toperation\tservers\tops\tclient\tfolder\tfirst_done_us\tmax_time_us\tthreads_ops_per_sec\n'
    printf 'v\tp\t1\tset\t2\t250\t%s\n' $'a\trep-1/a\t2000000\t3000000\t100' $'b\trep-1/b\t2000000\t2000000\t10'
  } >rows
  # The common window is from 1.5 s, when b starts, to 3 s, when the first thread of a is done; the whole load is from 1 s to 4 s.
  prints '4 110 1500000 50' run window
  rm rep-1/*/set.series.tsv
  prints '4 110 1500000 50' run window
}

@test "the cookbook's own figures: gains, and the knees where it sees them" {
  # Kernel and Onload balanced, SET at 25 Gbit/s, from 9 to 15 instances.
  {
    windows_head
    while read -r n kernel onload; do
      windows_row kernel 1 set "$n" "$kernel"
      windows_row onload 2 set "$n" "$onload"
    done <<'END'
9 8770000 12800000
10 9600000 14100000
11 10200000 15300000
12 11000000 16500000
13 11600000 17000000
14 12400000 17100000
15 12700000 17100000
END
  } >windows
  succeeds run figures
  assert_line $'row\t12\t11000000\t16500000\t50\t0'
  assert_match 'onload, set: the knee is at 12 instances; each of the next adds \+3\.0 %'
  assert_match 'kernel, set: the knee is at 14 instances'
}

@test "one slow point in a curve that continues to grow is not a knee, and a schedule has no knee" {
  {
    windows_head
    # The figures of the cookbook for kernel and GET at 100 Gbit/s, which have a dip.
    while read -r n ops; do windows_row kernel 1 get "$n" "$ops"; done <<'END'
16 19100000
17 20100000
18 20600000
19 21200000
20 22200000
21 23400000
22 23500000
23 24500000
24 26000000
25 26400000
26 27300000
27 27400000
28 29100000
END
    for n in 1 2 3; do windows_row paced 2 get "$n" 1000000 '' nowhere 1000000; done
  } >windows
  run figures
  assert_match 'kernel, get: no knee up to 28 instances'
  refute_contains 'paced, get'
}

@test "the utilization is that of the phase, not of the time around it that the counters have too" {
  mkdir -p rep-1/{client,server}
  # A phase of 1 s with 3 s between the marks; the second CPU had no interrupts.
  printf 'get\t%s\t%s\t1000\t%s\n' cpus time_us 3001000 cpus busy_us 1961000 cpu0 irq_us 301000 cpu1 irq_us 1000 7001 used_cpu_us 901000 \
    7002 used_cpu_us 701000 eth0 rx_bytes 2501000 eth0 tx_bytes 100001000 >rep-1/server/counters.tsv
  printf 'get\t%s\t%s\t%s\t%s\n' cpus count 2 2 eth0 speed_mbit 1000 1000 >>rep-1/server/counters.tsv
  sed -i '1i phase\tscope\tcounter\tbefore\tafter' rep-1/server/counters.tsv
  { windows_head && windows_row v 1 get 1 1000 '' rep-1/client && windows_row v 1 get 2 1000 '' rep-1/client; } >windows
  knees() { figures | grep ^note; }
  run knees
  assert_contains "an instance uses 80 %, the server's CPUs 98 % (full), the CPU with most interrupts 30 %, \
the link of 1,000 Mbit/s 80 %, a thread"
  # A warm-up of 1 s has the same load, and the counters include it.
  cp rep-1/server/counters.tsv counters.tsv
  awk -F '\t' -v OFS='\t' '$4 == 1000 && $3 != "speed_mbit" { $5 += $5 - 1000 } { print }' counters.tsv >rep-1/server/counters.tsv
  printf 'operation\twarmup_s\npopulate\t0\nget\t1\n' >rep-1/client/result.tsv
  run knees
  assert_contains "an instance uses 80 %, the server's CPUs 98 % (full), the CPU with most interrupts 30 %, \
the link of 1,000 Mbit/s 80 %, a thread"
  rm rep-1/client/result.tsv
  mv counters.tsv rep-1/server/counters.tsv
  # Figures corrected for the cost of the start of the phase stay between 0 % and 100 %.
  sed -i 's/\t1961000$/\t2961000/; s/\t301000$/\t1000/' rep-1/server/counters.tsv
  run knees
  assert_contains "the server's CPUs 100 % (full), the CPU with most interrupts 0 %"
}

@test "what differs in more than instances is another curve, with a table of its own" {
  {
    windows_head
    for n in 1 2 4; do
      windows_row v 1 get $n "${n}000000" '1:1, zipf'
      windows_row v 1 get $n 500000 '1:8, zipf'
    done
  } >windows
  succeeds run figures
  assert_equal "$(grep -E '^(title|row.[124])|knee' <<<"$output" | cut -d ';' -f 1 | cut -d . -f 1)" \
    "$(printf '%s\n' $'title\tGET, values of 128 B, 1:1, zipf: operations per second while all load generators were running' \
      $'row\t1\t1000000\t0' $'row\t2\t2000000\t0' $'row\t4\t4000000\t0' $'note\tv, get: no knee up to 4 instances' \
      $'title\tGET, values of 128 B, 1:8, zipf: operations per second while all load generators were running' \
      $'row\t1\t500000\t0' $'row\t2\t500000\t0' $'row\t4\t500000\t0' $'note\tv, get: the knee is at 1 instance')"
}

@test "a point without throughput is no growth, and a variant without data for a curve has no knee" {
  need_command mawk gawk
  {
    windows_head
    windows_row v 1 get 1 0
    windows_row v 1 get 2 1000000
    windows_row v 1 get 4 0
    windows_row w 2 set 1 1000000
    windows_row w 2 set 2 2000000
  } >windows
  for awk in mawk gawk; do
    AWK=$awk succeeds run_split figures
    assert_equal "$STDERR" ''
    assert_equal "$(grep knee <<<"$output" | cut -d . -f 1,2)" $'note\tv, get: the knee is at 2 instances; each of the next 2 takes 50.0 % away
note\tw, set: no knee up to 2 instances. There: an instance uses an unknown part, a thread of the load generator an unknown part'
  done
}

@test "where the load generator was the limit, throughput and gain are bounds, and two bounds have no gain" {
  {
    windows_head
    for n in 1 2 3; do
      windows_row kernel 1 set "$n" "${n}000"
      windows_row onload 2 set "$n" "${n}500"
    done
  } >windows
  # Limited: one instance of onload, both of two, and kernel of three. A rate that is kept has no limit.
  awk -F '\t' -v OFS='\t' 'NR == 1 { for (i = 1; i <= NF; i++) at[$i] = i; print $0, "ops_per_sec"; next }
    { $at["client_limited"] = $at["servers"] == 2 || ($at["servers"] == 1) == ($at["variant"] == "onload"); print $0, $at["window_ops_per_sec"] }' windows >limited
  mv limited windows
  succeeds run figures
  assert_equal "$(grep -P '^row\t[1-9]|bounds' <<<"$output" | cut -d : -f 1)" "$(printf '%s\n' $'row\t1\t1000\t>=1500\t>=50\t0' $'row\t2\t>=2000\t>=2500\t\t0' \
    $'row\t3\t>=3000\t3500\t<=16.67\t0' $'note\tThe load generator was the limit of some figures')"
  awk -F '\t' -v OFS='\t' 'NR == 1 { for (i = 1; i <= NF; i++) at[$i] = i } NR > 1 { $at["rate"] = $at["window_ops_per_sec"] } 1' windows >paced
  mv paced windows
  run figures
  refute_contains '='
}

@test "a sweep of 1 and 2 instances: every request is made, every GET finds its key, a table for SET and one for GET; doctor shows the isolated CPUs" {
  words INSTANCES='1 2'
  succeeds run_split "$REPO/do_it.sh" run "${WORDS[@]}" -v kernel -v native
  assert_match $'\nSET, values of 128 B: operations per second while all load generators were running\n'
  assert_match $'\nGET, values of 128 B'
  assert_equal "$(sed -n '/^GET, values/,$p' <<<"$output" | grep -cE '^ +[12] +(>=)?[0-9,]+ +(>=)?[0-9,]+ +(-|([<>]=)?-?[0-9.]+%) +[0-9.]+%$')" 2
  assert_equal "$(grep -cE '^(kernel|native), (set|get): (the knee is at [12] |no knee up to 2 )' <<<"$output")" 4
  assert_match 'an instance uses [0-9]+ %'
  for n in 1 2; do
    rep=$(echo "$SCRATCH"/results/*/kernel/128B-"$n"i/rep-1)
    # Populate sets each key once; then come the configured requests.
    assert_equal "$(info_calls set "$rep/server/info.after")" $((n * 10500))
    assert_equal "$(info_calls get "$rep/server/info.after")" $((n * 10000))
    assert_equal "$(awk -F: '$1 == "keyspace_misses" { sum += $2 } END { print sum + 0 }' "$rep/server/info.after")" 0
  done
  run_split "$REPO/do_it.sh" doctor --all "${WORDS[@]}"
  assert_match 'ok +isolated CPUs +(none|[0-9,-]+) '
}
