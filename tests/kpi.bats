#!/usr/bin/env bats
# SPDX-License-Identifier: MIT
# The key figures in the form of the Redis-Memtier workload: its own sample comes out to the digit, ours are labelled.
# shellcheck disable=SC2154 # stderr is set by run_split

load helper
load logs

setup() {
  scratch_setup
}

teardown() {
  scratch_teardown
}

# Write a client's file of instances: PORT:OPS_PER_SEC:HITS_PER_SEC:MISSES_PER_SEC:AVG_US:P99_US:KILOBYTES_PER_SEC, over 100 s.
# Usage: instances_make FILE INSTANCE...
instances_make() {
  {
    printf 'ports\tthreads\telapsed_us\tops\tsets\tmisses\terrors\tbytes\twire_bytes\tavg_us\tp50_us\tp99_us\tp99_9_us\tmax_us\n'
    printf '%s\n' "${@:2}" | awk -F : -v OFS='\t' '{
      printf "%s\t2\t100000000\t%.0f\t%.0f\t%.0f\t0\t0\t%.0f\t%s\t1\t%s\t%s\t%s\n", $1, $2 * 100, ($2 - $3 - $4) * 100, $4 * 100, $7 * 102400, $5, $6, $6, $6 }'
  } >"$1"
}

# A run of two clients with the four instances of the workload's own sample.
sample_make() {
  local rep=results/20250101T000000Z-wsf-pkm/native/100B-4i/rep-1
  repeat_make "${rep%/*/*/*}" native 100B-4i 1 192.0.2.21 100 1000 4 780 1210 mixed:100
  repeat_make "${rep%/*/*/*}" native 100B-4i 1 192.0.2.22 100 1000 4 780 1210 mixed:100
  instances_make "$rep/192.0.2.21/mixed.instances.tsv" 6379:191202.45:152961.83:0:781.95:1220:26867.08 6380:191647.74:153318.09:0:780.09:1220:26929.65
  instances_make "$rep/192.0.2.22/mixed.instances.tsv" 6381:195448.13:156358.39:0:764.81:1180:27463.67 6382:195943.94:156755.05:0:762.86:1210:27533.34
  # 4,000 requests each: nearly all of one client's are fast, a tenth of the other's are slow. No mean of p99 tells that.
  histogram_make 100:3990 200:10 >"$rep/192.0.2.21/histogram-mixed-a1B2c3"
  histogram_make 100:3600 1100:400 >"$rep/192.0.2.22/histogram-mixed-a1B2c3"
}

@test "the listing of the workload's own sample, line for line, with its totals" {
  sample_make
  run_split "$REPO/do_it.sh" kpi results/*
  assert_success
  assert_equal "$(sed -n 2,30p <<<"$output")" "#######################
Formal execution: Instance 0 ops(ops/sec): 191202.45
Formal execution: Instance 0 hit(hits/sec): 152961.83
Formal execution: Instance 0 missed(misses/sec): 0.00
Formal execution: Instance 0 latency average (ms): 0.78195
Formal execution: Instance 0 p99 Latency (ms): 1.22
Formal execution: Instance 0 throughput (KB/s): 26867.08
Formal execution: Instance 1 ops(ops/sec): 191647.74
Formal execution: Instance 1 hit(hits/sec): 153318.09
Formal execution: Instance 1 missed(misses/sec): 0.00
Formal execution: Instance 1 latency average (ms): 0.78009
Formal execution: Instance 1 p99 Latency (ms): 1.22
Formal execution: Instance 1 throughput (KB/s): 26929.65
Formal execution: Instance 2 ops(ops/sec): 195448.13
Formal execution: Instance 2 hit(hits/sec): 156358.39
Formal execution: Instance 2 missed(misses/sec): 0.00
Formal execution: Instance 2 latency average (ms): 0.76481
Formal execution: Instance 2 p99 Latency (ms): 1.18
Formal execution: Instance 2 throughput (KB/s): 27463.67
Formal execution: Instance 3 ops(ops/sec): 195943.94
Formal execution: Instance 3 hit(hits/sec): 156755.05
Formal execution: Instance 3 missed(misses/sec): 0.00
Formal execution: Instance 3 latency average (ms): 0.76286
Formal execution: Instance 3 p99 Latency (ms): 1.21
Formal execution: Instance 3 throughput (KB/s): 27533.34
#######################
P99 latency(msec): 1.21
Total Throughput(KB/s): 108793.74
*Total OPS(ops/sec): 774242.26"
}

@test "percentiles of all requests come from merged histograms, and are unknown without them" {
  local rep=results/20250101T000000Z-wsf-pkm/native/100B-4i/rep-1
  sample_make
  run_split "$REPO/do_it.sh" kpi results/*
  assert_success
  assert_line 'P99 latency, mean of the instances'\'' (msec): 1.21'
  assert_match 'P99 latency, histograms merged \(msec\): 1\.10'
  rm "$rep"/*/histogram-*
  run_split "$REPO/do_it.sh" kpi results/*
  assert_failure 1
  assert_line 'P99 latency, histograms merged (msec): not known'
  assert_contains 'the histogram is missing' "$stderr"
}

@test "hits, misses and the hit ratio are of the reads" {
  local rep=results/20250101T000000Z-wsf-pkm/native/100B-1i/rep-1
  repeat_make "${rep%/*/*/*}" native 100B-1i 1 127.0.0.1 100 100000 1 50 60 mixed:10
  # 1,000 a second: 200 are writes, 600 find their key, 200 do not.
  instances_make "$rep/127.0.0.1/mixed.instances.tsv" 7000:1000:600:200:50:60:100
  sed -i '2s/\t0\t0\t0\t\([0-9]*\)\t1.0$/\t0\t20000\t0\t\1\t1.0/' "$rep/127.0.0.1/result.tsv"
  run_split "$REPO/do_it.sh" kpi results/*
  assert_success
  assert_line 'Formal execution: Instance 0 hit(hits/sec): 600.00'
  assert_line 'Formal execution: Instance 0 missed(misses/sec): 200.00'
  assert_line 'Hit ratio (%): 75.0000'
  assert_line 'Misses: 20000'
}

@test "populate is listed when it is asked for, and does not count otherwise" {
  local rep=results/20250101T000000Z-wsf-pkm/native/100B-1i/rep-1
  repeat_make "${rep%/*/*/*}" native 100B-1i 1 127.0.0.1 100 1000 1 50 60 populate:1 mixed:10
  instances_make "$rep/127.0.0.1/populate.instances.tsv" 7000:5:0:0:50:60:1
  instances_make "$rep/127.0.0.1/mixed.instances.tsv" 7000:7:0:0:50:60:1
  run_split "$REPO/do_it.sh" kpi results/*
  assert_success
  refute_contains Populate
  assert_line '*Total OPS(ops/sec): 7.00'
  run_split "$REPO/do_it.sh" kpi --populate results/*
  assert_success
  assert_line 'Populate: Instance 0 ops(ops/sec): 5.00'
  assert_line '*Total OPS(ops/sec): 7.00'
}

@test "a run that does not tell its instances apart, a bad word, no run: one line, and the right exit status" {
  repeat_make results/20250101T000000Z-imdt native 100B-1i 1 127.0.0.1 100 1000 1 50 60 set:1
  run_split "$REPO/do_it.sh" kpi results/*
  assert_failure 1
  assert_match '^kpi: .*rep-1: has no set.instances.tsv, which tells the instances apart$' "$stderr"
  run_split "$REPO/do_it.sh" kpi nothing-of-the-kind
  assert_failure 2
  assert_equal "$stderr" 'do_it.sh: there is no run nothing-of-the-kind (./do_it.sh list names runs)'
  run_split "$REPO/do_it.sh" kpi --all
  assert_failure 2
  assert_equal "$stderr" 'do_it.sh: unknown option --all (see ./do_it.sh kpi --help)'
  mkdir empty
  RESULTS_DIR=$SCRATCH/empty run_split "$REPO/do_it.sh" kpi
  assert_failure 1
  assert_equal "$stderr" "do_it.sh: there is no run in $SCRATCH/empty yet"
}
