#!/usr/bin/env bats
# SPDX-License-Identifier: MIT
# The key figures in the form of the Redis-Memtier workload: its own sample comes out to the digit, ours are labelled.

load helper
load logs

# Write a client's file of instances: PORT:OPS_PER_SEC:HITS_PER_SEC:MISSES_PER_SEC:AVG_US:P99_US:KILOBYTES_PER_SEC, over 100 s.
# Usage: instances_make FILE INSTANCE...
instances_make() {
  {
    printf 'ports\tthreads\telapsed_us\tops\tsets\tmisses\terrors\tbytes\twire_bytes\tavg_us\tp50_us\tp99_us\tp99_9_us\tmax_us\n'
    printf '%s\n' "${@:2}" | awk -F : -v OFS='\t' '{
      printf "%s\t2\t100000000\t%.0f\t%.0f\t%.0f\t0\t0\t%.0f\t%s\t1\t%s\t%s\t%s\n", $1, $2 * 100, ($2 - $3 - $4) * 100, $4 * 100, $7 * 102400, $5, $6, $6, $6 }'
  } >"$1"
}

# Make a client of a repeat, one thread per instance, with matching log and result.tsv.
# Usage: client_make REPEAT_DIR CLIENT PHASE INSTANCE...
client_make() {
  local run=${1%/*/*/*} each thread=0 sum=0
  local -a names edits=()
  IFS=/ read -r -a names <<<"${1#"$run"/}"
  repeat_make "$run" "${names[0]}" "${names[1]}" "${names[2]#rep-}" "$2" 100 1000 $(($# - 3)) 780 1210 "$3:100"
  instances_make "$1/$2/$3.instances.tsv" "${@:4}"
  while read -r each; do
    edits+=(-e "s/^\\(Thread *$thread: .* $3 \\)1000 keys/\\1$each keys/")
    thread=$((thread + 1)) sum=$((sum + each))
  done < <(tail -n +2 "$1/$2/$3.instances.tsv" | cut -f 4)
  sed -i "${edits[@]}" "$1/$2"/redis.log.*
  cells_set "$1/$2/result.tsv" '' "ops=$sum"
}

# A run of two clients with the four instances of the workload's own sample.
sample_make() {
  local rep=results/20250101T000000Z-wsf-pkm/native/100B-4i/rep-1
  client_make "$rep" 192.0.2.21 mixed 6379:191202.45:152961.83:0:781.95:1220:26867.08 6380:191647.74:153318.09:0:780.09:1220:26929.65
  client_make "$rep" 192.0.2.22 mixed 6381:195448.13:156358.39:0:764.81:1180:27463.67 6382:195943.94:156755.05:0:762.86:1210:27533.34
  # Of some 38 million requests each: nearly all of one client's are fast, a tenth of the other's are slow. No mean of p99 tells that.
  histogram_make 100:38200000 200:85019 >"$rep/192.0.2.21/histogram-mixed-a1B2c3"
  histogram_make 100:35200000 1100:3939207 >"$rep/192.0.2.22/histogram-mixed-a1B2c3"
}

@test "the listing of the workload's own sample, line for line, with its totals and the numbers of its instances; percentiles of all requests need histograms" {
  sample_make
  succeeds run_split "$REPO/do_it.sh" kpi results/*
  wanted=$(
    awk '{
    split("ops(ops/sec),hit(hits/sec),missed(misses/sec),latency average (ms),p99 Latency (ms),throughput (KB/s)", name, ",")
    for (i = 1; i <= 6; i++) print "Formal execution: Instance " (NR - 1) " " name[i] ": " $i }' <<'END'
191202.45 152961.83 0.00 0.78195 1.22 26867.08
191647.74 153318.09 0.00 0.78009 1.22 26929.65
195448.13 156358.39 0.00 0.76481 1.18 27463.67
195943.94 156755.05 0.00 0.76286 1.21 27533.34
END
  )
  assert_equal "$(sed -n 2,30p <<<"$output")" "#######################
$wanted
#######################
P99 latency(msec): 1.21
Total Throughput(KB/s): 108793.74
*Total OPS(ops/sec): 774242.26"
  # Percentiles of all requests are those of merged histograms.
  assert_line 'P99 latency, mean of the instances'\'' (msec): 1.21'
  assert_match 'P99 latency, histograms merged \(msec\): 1\.10'
  rm results/*/native/100B-4i/rep-1/*/histogram-*
  fails 1 run_split "$REPO/do_it.sh" kpi results/*
  assert_line 'P99 latency, histograms merged (msec): not known'
  assert_contains 'the histogram is missing' "$STDERR"
  # Numbers of instances are by the first port of the run.
  rm -r results/*/native/100B-4i/rep-1/192.0.2.21
  echo 'REDISBASE="6379"' >"$(echo results/*)/native/variant.conf"
  succeeds run_split "$REPO/do_it.sh" kpi results/*
  assert_line 'Formal execution: Instance 2 ops(ops/sec): 195448.13'
}

@test "hits, misses and the hit ratio are of the reads; hits are unknown for a mix of commands, whose misses are keys and elements" {
  local rep=results/20250101T000000Z-wsf-pkm/native/100B-1i/rep-1
  # 1,000 a second: 200 are writes, 600 find their key, 200 do not.
  client_make "$rep" 127.0.0.1 mixed 7000:1000:600:200:50:60:100
  sed -i '2s/\t0\t0\t0\t\([0-9]*\)\t1.0$/\t0\t20000\t0\t\1\t1.0/' "$rep/127.0.0.1/result.tsv"
  succeeds run_split "$REPO/do_it.sh" kpi results/*
  assert_line 'Formal execution: Instance 0 hit(hits/sec): 600.00'
  assert_line 'Formal execution: Instance 0 missed(misses/sec): 200.00' 'Hit ratio (%): 75.0000'
  assert_line 'Misses: 20000'
  # Some generators do not report it.
  sed -i '2s/\t20000\t0\t\([0-9]*\)\t1.0$/\t\t0\t\1\t1.0/' "$rep/127.0.0.1/result.tsv"
  succeeds run_split "$REPO/do_it.sh" kpi results/*
  assert_line 'Hit ratio (%): not known' 'Misses: not known'
  rm -r results
  # A thousand MGET of ten keys, of which four thousand were missing.
  client_make "$rep" 192.0.2.21 mixed 6379:10:-30:40:780:1220:26
  shows 'Instance 0 hit(hits/sec): -30.00' run_split "$REPO/do_it.sh" kpi results/*
  awk -F '\t' -v OFS='\t' 'NR == 1 { print $0, "commands"; next } { print $0, "mget-10:1" }' "$rep/192.0.2.21/result.tsv" >new
  mv new "$rep/192.0.2.21/result.tsv"
  succeeds run_split "$REPO/do_it.sh" kpi results/*
  assert_line 'Formal execution: Instance 0 hit(hits/sec): not known'
  assert_line 'Formal execution: Instance 0 missed(misses/sec): 40.00' 'Hit ratio (%): not known'
}

@test "part of a run is not listed as the whole: one line and exit 1; clients that end at different times: the rate of all is by the time of the slowest, not a sum of rates" {
  local rep=results/20250101T000000Z-wsf-pkm/native/100B-4i/rep-1 file damage line
  sample_make
  file=$rep/192.0.2.21/mixed.instances.tsv
  cp -r results whole
  while IFS='|' read -r damage line; do
    case $damage in
      gone) rm "$file" ;;
      empty) : >"$file" ;;
      heads) sed -i '2,$d' "$rep"/*/mixed.instances.tsv ;;
      row) sed -i '$d' "$file" ;;
      cut) truncate -s -40 "$file" ;;
    esac
    fails 1 run_split "$REPO/do_it.sh" kpi results/*
    assert_equal "$STDERR" "kpi: $rep: mixed.instances.tsv is incomplete: $line requests"
    refute_contains Total
    rm -rf results
    cp -r whole results
  done <<'END'
gone|1 of 2 client(s), 2 of 4 instance(s), 39139207 of 77424226
empty|1 of 2 client(s), 2 of 4 instance(s), 39139207 of 77424226
heads|2 of 2 client(s), 0 of 4 instance(s), 0 of 77424226
row|2 of 2 client(s), 3 of 4 instance(s), 58259452 of 77424226
cut|2 of 2 client(s), 3 of 4 instance(s), 58259452 of 77424226
END
  rm -r results
  rep=results/20250101T000000Z-wsf-pkm/native/100B-2i/rep-1
  client_make "$rep" 192.0.2.21 mixed 6379:10:10:0:50:60:1
  client_make "$rep" 192.0.2.22 mixed 6380:10:10:0:50:60:1
  sed -i 's/\t100000000\t/\t10000000\t/' "$rep/192.0.2.22/mixed.instances.tsv"
  histogram_make 50:1000 | tee "$rep/192.0.2.21/histogram-mixed-a1B2c3" >"$rep/192.0.2.22/histogram-mixed-a1B2c3"
  succeeds run_split "$REPO/do_it.sh" kpi results/*
  # 1,000 requests in 100 s and 1,000 in 10 s.
  assert_line '*Total OPS(ops/sec): 110.00' 'OPS to the end of the slowest instance (ops/sec): 20.00'
}

@test "a run that does not tell its instances apart, a bad word, no run: one line, and the right exit status; populate is listed when it is asked for" {
  repeat_make results/20250101T000000Z-imdt native 100B-1i 1 127.0.0.1 100 1000 1 50 60 set:1
  fails 1 run_split "$REPO/do_it.sh" kpi results/*
  assert_match '^kpi: .*rep-1: has no set.instances.tsv, which has the figures of each instance$' "$STDERR"
  fails 2 run_split "$REPO/do_it.sh" kpi nothing-of-the-kind
  assert_equal "$STDERR" 'do_it.sh: command line: nothing-of-the-kind: no such run; ./do_it.sh list names runs'
  fails 2 run_split "$REPO/do_it.sh" kpi --all
  assert_equal "$STDERR" 'do_it.sh: command line: --all: unknown option; ./do_it.sh kpi --help lists them'
  mkdir empty
  TIERBENCH_RESULTS_DIR=$SCRATCH/empty fails 1 run_split "$REPO/do_it.sh" kpi
  assert_equal "$STDERR" "do_it.sh: RESULTS_DIR=$SCRATCH/empty: no run; name a run, or ./do_it.sh makes one"
  rm -r results
  rep=results/20250101T000000Z-wsf-pkm/native/100B-1i/rep-1
  repeat_make "${rep%/*/*/*}" native 100B-1i 1 127.0.0.1 100 500 1 50 60 populate:1 mixed:10 populate-2:1
  instances_make "$rep/127.0.0.1/populate.instances.tsv" 7000:5:0:0:50:60:1
  instances_make "$rep/127.0.0.1/mixed.instances.tsv" 7000:5:0:0:50:60:1
  instances_make "$rep/127.0.0.1/populate-2.instances.tsv" 7000:5:0:0:50:60:1
  # As many requests in half the time.
  sed -i 's/\t100000000\t/\t50000000\t/' "$rep/127.0.0.1/populate.instances.tsv"
  succeeds run_split "$REPO/do_it.sh" kpi results/*
  refute_contains Populate
  assert_line '*Total OPS(ops/sec): 5.00'
  succeeds run_split "$REPO/do_it.sh" kpi --populate results/*
  assert_line 'Populate: Instance 0 ops(ops/sec): 10.00' 'Populate: Instance 0 ops(ops/sec): 5.00'
  assert_line '*Total OPS(ops/sec): 5.00'
}
