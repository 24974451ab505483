#!/usr/bin/env bats
# SPDX-License-Identifier: MIT
# From logs to rows: the figures of the guide, the format of the CSV, and the handling of truncated files.
# slow

load helper
load logs

HEADER=filename,clients,len,servers,keys,max_time,operation,run,scenario,variant,point,repeat,client,threads,connections,pipeline
HEADER+=,rate,ops,ops_per_sec,tx_bps,avg_us,p50_us,p90_us,p99_us,p99_9_us,p99_99_us,max_us,max_time_us,errors,misses,far_per_op,used_memory,rss,swap,far_share,placement,ops_margin_percent,p99_margin_percent,settled,disturbed,warmup_s,late,unanswered,at_least_us,miss_reason,foreign_cpu_percent,steal_percent,throttled_percent

# Print the columns of HEADER from CSV rows without quotes: the columns that keep their names and order; new columns follow them.
kept_columns() {
  cut -d , -f "1-$(tr ',' '\n' <<<"$HEADER" | wc -l)"
}

# The steps of the guide's script, reimplemented: from each log, take the last thread line before
# `threads fin`, and select its words by position.
guide_rows() {
  local file
  for file in "$@"; do
    awk -v file="$file" '
      /key_count/ { count++; servers = $3; len = $9 }
      /threads fin/ { if (before ~ /max average/) { split(before, w); row[++rows] = w[6] "," int(w[10] / 1000000) "," w[5] } }
      { before = $0 }
      END { for (i = 1; i <= rows; i++) print file "," count "," len "," servers "," row[i] }' "$file"
  done
}

@test "the combined Tx is the guide's, to the last digit, under the documented header, which is printed once" {
  log_make 1000 2275590 144 set:594 get:568 >redis.log.192.168.1.92.20180501-100000.1
  log_make 1000 2275590 144 set:597 get:585 >redis.log.192.168.1.90.20180501-100000.1
  succeeds run "$REPO/summary2csv.sh" redis.log.*
  assert_equal "$(cells -c tx_bps <<<"$output" | awk 'NR % 2 { s += $1 } !(NR % 2) { g += $1 } END { printf "%.0f %.0f", s, g }')" \
    '8804353696 9096442973'
  assert_equal "$(kept_columns <<<"${lines[0]}")" "$HEADER"
  assert_equal "${#lines[@]}" 5
  succeeds run "$REPO/summary2csv.sh" --total redis.log.*
  assert_equal "$(awk -F, 'NR == 1 { for (i = 1; i <= NF; i++) at[$i] = i; next } { printf "%s %.0f %s|", $at["clients"], $at["tx_bps"], $at["p99_us"] }' <<<"$output")" \
    '2 8804353696 |2 9096442973 |'
}

@test "a guide's log gives what it can tell: max_time of the longest thread in whole seconds, no Tx under a second, and leaves the rest empty" {
  log_make 1000 10 2 set:3 >redis.log.10.0.0.1.20180501-100000.4
  log_make 1000 10 5 set:7 >redis.log.a.20180501-100000.1
  log_make 1000 10 2 set:0 >redis.log.b.20180501-100000.1
  succeeds run "$REPO/summary2csv.sh" redis.log.*
  assert_equal "$(kept_columns <<<"${lines[1]}")" "redis.log.10.0.0.1.20180501-100000.4,1,1000,2,10,3,set,,,,,4,10.0.0.1,2,,,,20,5.36,53333.333333,257,,,,,,40001,3731204,0,,,,,,,,,,,,,,,,,,,"
  assert_equal "$(cells -c max_time <<<"$output" | paste -sd ,),$(cells -c max_time_us <<<"$output" | paste -sd ,)" 3,7,0,3731204,7731204,731204
  assert_equal "$(cells -c tx_bps <<<"$output" | sed -n 3p)" ''
}

@test "a GET that found nothing carried nothing, and the keys of an instance are not the requests to it; a command of several keys carries several values" {
  repeat_make r/20250101-x native p 1 c 1000 50 4 23 99 get:2 mixed:2
  # 20 keys per instance; 150 of 200 requests missed.
  cells_set r/20250101-x/native/p/rep-1/c/result.tsv operation=mixed keys=20 misses=150 bytes=50000
  succeeds run "$REPO/summary2csv.sh" r/20250101-x
  assert_equal "$(cells -c 'tx_bps keys' <<<"$output")" $'800000 50\n200000 50'
  succeeds run modules 'result_totals r/20250101-x | FORMAT=csv result_table'
  assert_equal "$(cells -c 'tx_bps keys' <<<"$output")" $'800000 50\n200000 20'
  for misses in 0 1; do
    repeat_make r/20250101-x native p 1 c 1000 50 4 23 99 mixed:2
    # 200 requests, each of ten values.
    cells_set r/20250101-x/native/p/rep-1/c/result.tsv '' misses=$misses bytes=$((2000000 - 1000 * misses)) commands=mget-10:1
    succeeds run "$REPO/summary2csv.sh" r/20250101-x
    assert_equal "$(cells -c tx_bps <<<"$output")" $((8000000 - 4000 * misses))
  done
}

@test "a run folder gives its names and the columns of result.tsv, which are known by name, not by place; the scenario is that of run.conf" {
  repeat_make results/20250101T100000Z-imdt native 1000B-4i 1 10.0.0.1 1000 50 4 23 99 set:3 get:2
  succeeds run "$REPO/summary2csv.sh" results/20250101T100000Z-imdt
  assert_equal "$(kept_columns <<<"${lines[2]}")" "results/20250101T100000Z-imdt/native/1000B-4i/rep-1/10.0.0.1/redis.log.10.0.0.1.20250101-100000.1,1,1000,4,50,2,get,20250101T100000Z-imdt,imdt,native,1000B-4i,1,10.0.0.1,4,1,1,0,200,73,800000,23,23,24,99,109,119,129,2731204,0,0,,,,,,,,,,,,,,,,,,"
  repeat_make results/20250101T100000Z-x native p 1 c 1000 50 4 23 99 set:3
  settings_make results/20250101T100000Z-x 'SCENARIO="wsf-read"'
  cd results/20250101T100000Z-x/native/p/rep-1/c
  awk -F '\t' '{ line = $NF; for (i = NF - 1; i >= 1; i--) line = line "\t" $i; print line }' result.tsv >turned
  mv turned result.tsv
  succeeds run "$REPO/summary2csv.sh" "$SCRATCH/results/20250101T100000Z-x"
  assert_equal "$(cells -c scenario <<<"$output") $(cells -c p99_us <<<"$output")" 'wsf-read 99'
}

@test "repeats come in the order they ran, ten after nine; those that were not finished are left out" {
  for i in 10 9 1 2 3.partial 4.cut-1; do repeat_make r/20250101-x native p "$i" c 1000 50 1 23 99 set:3; done
  succeeds run "$REPO/summary2csv.sh" r/20250101-x
  assert_equal "$(cells -c repeat <<<"$output" | tr '\n' ' ')" '1 2 9 10 '
  refuses 1 'belongs to an unfinished repeat' run_split "$REPO/summary2csv.sh" r/20250101-x/native/p/rep-3.partial/c/redis.log.*
}

@test "commas, quotes and line breaks in names survive a CSV reader; only fields that need quotes have them" {
  need_command python3
  run=$'r/20250101-a,b "c"\td\\n\ne'
  repeat_make "$run" 'va"r' 'p,1' 1 'c d' 1000 50 2 23 99 set:3
  "$REPO/summary2csv.sh" "$run" >out.csv
  succeeds run python3 - "$run" <<'END'
import csv, sys
rows = list(csv.DictReader(open("out.csv", newline="")))
assert len(rows) == 1, rows
row, run = rows[0], sys.argv[1]
assert row["run"] == run[2:], row["run"]
assert row["filename"] == run + '/va"r/p,1/rep-1/c d/redis.log.c d.20250101-100000.1', row["filename"]
assert (row["variant"], row["point"], row["client"]) == ('va"r', "p,1", "c d"), row
assert None not in row and row["misses"] == "0", row
END
  log_make 1000 10 2 set:3 >'redis.log.a b.20180501-100000.1'
  log_make 1000 10 2 set:3 >'redis.log.a,b.20180501-100000.1'
  run "$REPO/summary2csv.sh" 'redis.log.a b.20180501-100000.1' 'redis.log.a,b.20180501-100000.1'
  assert_equal "${lines[1]%%,1,1000*}" 'redis.log.a b.20180501-100000.1'
  assert_equal "${lines[2]%%,1,1000*}" '"redis.log.a,b.20180501-100000.1"'
}

@test "files that are cut, empty, foreign, missing or unreadable are named, each with its reason; what is whole in them is printed; every cut of a log is found out" {
  log_make 1000 10 4 set:3 get:2 | sed '/threads finished - get/,$d' >redis.log.a.20180501-100000.1
  log_make 1000 10 4 set:3 >redis.log.b.20180501-100000.1
  log_make 1000 10 4 set:3 get:2 | sed '/Complete/d' >redis.log.c.20180501-100000.1
  log_make 1000 10 4 set:3 get:2 | sed '/^Thread   2.* set /d' >redis.log.d.20180501-100000.1
  : >redis.log.empty.20180501-100000.1
  mkdir redis.log.folder.20180501-100000.1
  head -c 3000 /dev/urandom >redis.log.noise.20180501-100000.1
  fails 1 run_split "$REPO/summary2csv.sh" redis.log.* nothing
  assert_equal "$(cells -c operation <<<"$output" | tr '\n' ' ')" 'set set set get get '
  assert_contains "redis.log.a.20180501-100000.1: phase get has no 'threads finished' line" "$STDERR"
  refute_contains redis.log.b "$STDERR"
  assert_match 'redis\.log\.c\.20180501-100000\.1: [^:]*Complete' "$STDERR"
  assert_match 'redis\.log\.d\.20180501-100000\.1: [^:]*3 of 4 threads' "$STDERR"
  assert_contains 'redis.log.empty.20180501-100000.1: not a log' "$STDERR"
  assert_contains 'redis.log.noise.20180501-100000.1: not a log' "$STDERR"
  assert_contains 'redis.log.folder.20180501-100000.1: holds no complete result' "$STDERR"
  assert_contains 'nothing: does not exist' "$STDERR"
  log_make 1000 10 2 set:3 get:2 >whole
  size=$(wc -c <whole)
  for ((cut = 0; cut < size - 1; cut += 37)); do head -c "$cut" whole >"redis.log.$cut.20180501-100000.1"; done
  fails 1 run_split "$REPO/summary2csv.sh" redis.log.*
  for ((cut = 0; cut < size - 1; cut += 37)); do assert_contains "redis.log.$cut.20180501-100000.1: " "$STDERR"; done
}

@test "a result.tsv that contradicts the log, or is truncated, is named, and a directory of a client without its log" {
  repeat_make r/20250101-x native p 1 c 1000 50 4 23 99 set:3 get:2
  repeat_make r/20250101-x native p 2 c 1000 50 4 23 99 set:3 get:2
  repeat_make r/20250101-x native p 3 c 1000 50 4 23 99 set:3 get:2
  sed -i 's/3731204/3731205/g' r/20250101-x/native/p/rep-1/c/result.tsv
  sed -i '$d' r/20250101-x/native/p/rep-2/c/result.tsv
  sed -i '$s/\t1.0$//' r/20250101-x/native/p/rep-3/c/result.tsv
  mkdir r/20250101-x/native/p/rep-1/{d,server}
  fails 1 run_split "$REPO/summary2csv.sh" r/20250101-x
  assert_equal "$(cells -c operation <<<"$output" | tr '\n' ' ')" 'get set '
  assert_contains 'rep-1/c/result.tsv: disagrees with the log about phase set: longest thread 3731205 us against 3731204 us' "$STDERR"
  assert_contains 'rep-2/c/result.tsv: has no row for phase get' "$STDERR"
  assert_contains 'rep-3/c/result.tsv: line 3 has 27 columns instead of 28' "$STDERR"
  assert_contains 'r/20250101-x/native/p/rep-1/d: has no redis.log of its client' "$STDERR"
  refute_contains rep-1/server "$STDERR"
}

@test "what an instance did not tell leaves its columns empty, and its port is named" {
  need_command mawk gawk
  told() { # BEFORE AFTER of used_memory, BEFORE AFTER of calls
    printf '%s\n' $'phase\tscope\tcounter\tbefore\tafter' $'set\t7000\tused_memory\t10\t2000' $'set\t7000\tcalls\t0\t500' $'set\t7000\tmajflt\t1\t101' \
      $'set\t7000\trss\t5\t3000' $'set\t7001\tused_memory\t'"$1"$'\t'"$2" $'set\t7001\tcalls\t'"$3"$'\t'"$4" $'set\t7001\tmajflt\t0\t150' \
      $'set\t7001\trss\t5\t3000' >r/20250101-x/native/p/rep-1/server/counters.tsv
    succeeds run_split with_awk $awk "$REPO/summary2csv.sh" r/20250101-x
    told=$(cells -c far_per_op <<<"$output"),$(cells -c used_memory <<<"$output"),$(cells -c rss <<<"$output")
  }
  repeat_make r/20250101-x native p 1 c 1000 50 4 23 99 set:3
  mkdir r/20250101-x/native/p/rep-1/server
  for awk in mawk gawk; do
    told 10 2000 0 500
    assert_equal "$told $STDERR" '0.25,4000,6000 '
    told 10 - 0 -
    assert_equal "$told" ',,6000'
    assert_equal "$STDERR" \
      'summary2csv.sh: r/20250101-x/native/p/rep-1/server/counters.tsv: counters of phase set are missing for port 7001; figures that require them are left empty'
    told - 2000 - 500
    assert_equal "$told" ',4000,6000'
    assert_contains 'for port 7001' "$STDERR"
  done
}

@test "a process that was started again during a phase leaves the columns of counters empty: those of the first one are lost" {
  rep=r/20250101-x/native/p/rep-1
  figures() {
    succeeds run_split "$REPO/summary2csv.sh" --total r/20250101-x
    assert_equal "$STDERR" ''
    assert_equal "$(for name in far_per_op hit_ratio server_cpu_us_per_op rss; do cells -c $name <<<"$output"; done | paste -sd ,)" "$1"
  }
  counters() {
    printf '%s\n' $'phase\tscope\tcounter\tbefore\tafter' $'set\t7000\tcalls\t0\t500' $'set\t7000\tmajflt\t1\t101' $'set\t7000\tused_cpu_us\t0\t5000' \
      $'set\t7000\trss\t5\t3000' $'set\t7001\tcalls\t'"$1" $'set\t7001\tmajflt\t'"$2" $'set\t7001\tused_cpu_us\t0\t5000' $'set\t7001\trss\t5\t3000' >$rep/server/counters.tsv
  }
  repeat_make r/20250101-x native p 1 c 1000 50 4 23 99 set:3
  mkdir $rep/server
  counters $'0\t500' $'0\t150'
  figures 0.25,0.75,10,6000
  counters $'900\t500' $'61871\t900'
  figures ,,,6000
  # In a long phase the counters of the second process exceed those of the first one.
  counters $'0\t500' $'0\t150'
  printf 'phase\tset\ngap_s\t1.5\n' >$rep/failover.tsv
  printf 'time_us\tnode\tevent\tdetail\n1\ta\tnode down\tkill\n2\ta\tnode up\tfrom disk\n' >$rep/server/events.tsv
  figures ,,,6000
  # A node that was only stopped has its processes.
  sed -i 's/from disk/continued/' $rep/server/events.tsv
  figures 0.25,0.75,10,6000
  # Its replicas became masters, and it repeats their writes.
  printf '3\ta\ttaken over\t\n' >>$rep/server/events.tsv
  figures ,,,6000
  sed -i 's/continued/empty/' $rep/server/events.tsv
  sed -i 's/set$/get/' $rep/failover.tsv
  figures 0.25,0.75,10,6000
}

@test "on a tier of nodes no fault tells of far accesses, and the column is empty" {
  repeat_make r/20250101-x bind p 1 c 1000 50 4 23 99 set:3
  server_make r/20250101-x/bind/p/rep-1 bind ok 0 500000
  succeeds run "$REPO/summary2csv.sh" r/20250101-x
  assert_equal "$(cells -c far_per_op <<<"$output")" ''
  server_make r/20250101-x/bind/p/rep-1 swap ok 0 500000
  run "$REPO/summary2csv.sh" r/20250101-x
  assert_equal "$(cells -c far_per_op <<<"$output")" 0.25
}

@test "runs, parts of runs, folders of logs and files can be mixed" {
  repeat_make r/20250101-x native p 1 c 1000 50 4 23 99 set:3
  repeat_make r/20250101-y swap p 1 c 1000 50 4 23 99 set:3
  mkdir guide
  log_make 1000 10 4 set:3 >guide/redis.log.a.20180501-100000.1
  log_make 1000 10 4 set:3 >redis.log.a.20180501-100000.2
  succeeds run "$REPO/summary2csv.sh" r/20250101-x r/20250101-y/swap guide redis.log.a.20180501-100000.2
  assert_equal "$(cells -c -o / 'run variant' <<<"$output" | paste -sd ' ')" '20250101-x/native 20250101-y/swap guide/ /'
}

@test "a run is named by its name under RESULTS_DIR too, and a part of it as in tables; without an argument it is the newest run" {
  repeat_make res/20250101T100000Z-old native p 1 c 1000 50 4 23 99 set:3
  repeat_make res/20250101T100000Z-old swap p 1 c 1000 50 4 23 99 set:3
  repeat_make res/20250102T090000Z-new native p 1 c 1000 50 4 23 99 set:3
  repeat_make res/sample native p 1 c 1000 50 4 23 99 set:3
  touch res/20250101T100000Z-old
  TIERBENCH_RESULTS_DIR=res succeeds run "$REPO/summary2csv.sh"
  assert_equal "$(cells -c run <<<"$output")" 20250102T090000Z-new
  TIERBENCH_RESULTS_DIR=res succeeds run "$REPO/summary2csv.sh" 20250101T100000Z-old
  assert_equal "$(cells -c variant <<<"$output" | tr '\n' ' ')" 'native swap '
  TIERBENCH_RESULTS_DIR=res succeeds run "$REPO/summary2csv.sh" --total 20250101T100000Z-old:swap
  assert_equal "$(cells -c run <<<"$output") $(cells -c variant <<<"$output")" '20250101T100000Z-old swap'
  mkdir none
  TIERBENCH_RESULTS_DIR=none fails 1 run "$REPO/summary2csv.sh"
  assert_contains 'RESULTS_DIR=none: no run; name a run, or ./do_it.sh makes one'
  # By default under results/ of this project, from any directory.
  succeeds run "$REPO/summary2csv.sh" sample
  refuses 1 'summary2csv.sh: 20240101T100000Z-missing: does not exist' run_split "$REPO/summary2csv.sh" 20240101T100000Z-missing ''
  succeeds run "$REPO/summary2csv.sh" --help
  assert_contains 'Usage: summary2csv.sh [--total] [--json | --excel[=POINT]] [RUN_OR_FILE...]'
  refute_contains pipefail
}

@test "the number of processes does not grow with the number of files" {
  mkdir shims
  for name in awk sort cut sed grep wc head tail cat basename dirname readlink find; do
    program_make "shims/$name" '#!/bin/sh\necho %s >>"%s/forks"\nexec "%s" "$@"\n' "$name" "$SCRATCH" "$(command -v "$name")"
  done
  for ((i = 1; i <= 3; i++)); do repeat_make few/20250101-x native p "$i" c 1000 50 1 23 99 set:3; done
  for ((i = 1; i <= 60; i++)); do repeat_make many/20250101-x native p "$i" c 1000 50 1 23 99 set:3; done
  PATH=$SCRATCH/shims:$PATH "$REPO/summary2csv.sh" few/20250101-x >out
  few=$(wc -l <forks)
  rm forks
  PATH=$SCRATCH/shims:$PATH "$REPO/summary2csv.sh" many/20250101-x >out
  assert_equal "$(wc -l <out)" 61
  assert_equal "$(wc -l <forks)" "$few"
}

@test "mawk and gawk print the same" {
  need_command mawk gawk
  repeat_make r/20250101-x native p 1 a 1000 2275590 3 23 99 set:597 get:3
  repeat_make r/20250101-x native p 1 b 1000 2275590 3 23 99 set:597 get:3
  log_make 1000 10 4 set:3 get:2 | sed '/threads finished - get/,$d' >redis.log.a.20180501-100000.1
  for awk in mawk gawk; do
    {
      with_awk $awk bash -c 'ROOT=$REPO LIB=$REPO/lib; . "$LIB/modules.sh"; result_totals r/20250101-x | result_table'
      with_awk $awk "$REPO/summary2csv.sh" r/20250101-x redis.log.* || [[ $? == 1 ]]
    } >"said.$awk" 2>&1
  done
  cmp said.mawk said.gawk
}

@test "our generator's logs read the same by the guide's way and by ours" {
  [[ -x $REPO/test ]] || skip 'the load generator is not built'
  base=$(ports_pick 3)
  redis_start -p "$base"
  redis_start -p $((base + 1))
  redis_start -p $((base + 2))
  mkdir with without
  OMP_NUM_THREADS=3 "$REPO/test" --out with 127.0.0.1 "$base" 100 5000 >with/redis.log.a.20250101-100000.1
  cp with/redis.log.a.20250101-100000.1 without/
  for folder in with without; do
    succeeds run "$REPO/summary2csv.sh" $folder/redis.log.a.20250101-100000.1
    assert_equal "$(tail -n +2 <<<"$output" | cut -d, -f 1-7)" "$(guide_rows $folder/redis.log.a.20250101-100000.1)"
    assert_equal "$(cells -c keys <<<"$output" | tr '\n' ' ')" '5000 5000 '
  done
}

@test "threads that share an instance: one server, all its keys; merged histograms of our generator give the percentiles that it gives itself" {
  [[ -x $REPO/test ]] || skip 'the load generator is not built'
  folder=r/20250101-x/native/p/rep-1
  redis_start
  mkdir -p $folder/a
  OMP_NUM_THREADS=3 "$REPO/test" --instances 1 --out $folder/a 127.0.0.1 "$REDIS_PORT" 100 2000 >$folder/a/redis.log.a.20250101-100000.1
  succeeds run "$REPO/summary2csv.sh" r/20250101-x
  assert_equal "$(for name in servers threads keys; do cells -c $name <<<"$output"; done | paste -sd ' ')" '1 1 3 3 2000 2000'
  cp -r $folder/a $folder/b
  mv $folder/b/redis.log.a.20250101-100000.1 $folder/b/redis.log.b.20250101-100000.1
  table=$(FORMAT=csv modules 'result_totals r/20250101-x | result_table')
  for name in p50_us p99_us p99_9_us; do
    assert_equal "$(cells -c $name <<<"$table")" "$(cells -c $name <<<"$output")"
  done
}

@test "a truncated histogram leaves percentiles empty, with a message; one whose per cent look whole is found out by its count" {
  run=r/20250101-x
  for client in a b; do
    repeat_make "$run" native p 1 "$client" 1000 101 1 23 99 set:3
    histogram_make 10:90 20:10 >"$run/native/p/rep-1/$client/histogram-set-a1B2c3"
  done
  totals() { modules 'result_totals "$1" | FORMAT=csv result_table' "$run"; }
  run_split totals
  assert_equal "$(cells -c p99_us <<<"$output")" ''
  assert_contains 'contain 200 of 202 requests' "$STDERR"
  sed -i '$d' "$run"/native/p/rep-1/*/histogram-set-a1B2c3
  run_split totals
  assert_equal "$(cells -c p99_us <<<"$output")" ''
  assert_contains 'histogram-set-a1B2c3: the histogram is missing or truncated' "$STDERR"
}

@test "what a name holds does not reach the terminal as a command" {
  repeat_make r/20250101-x $'sw\e[2Jap' p 1 c 1000 50 1 23 99 set:7
  repeat_make r/20250101-x native p 1 c 1000 50 1 23 99 set:7
  run modules 'result_totals r/20250101-x | result_table'
  assert_contains 'sw?[2Jap'
}
