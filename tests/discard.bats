#!/usr/bin/env bats
# SPDX-License-Identifier: MIT
# Results that are discarded, and loads that were not reached: no figure that compares counts the former, and both are said wherever they are printed.

load helper
load logs
load compare

RUN=20250101T100000Z-x
REASON='less than 90 % of the data was on the requested memory (placement=off), so no comparison counts it, in'

# Make a run of native and swap, two numbers of instances and repeats; repeat 2 of swap is four times slower. Usage: points_make
points_make() {
  local point repeat
  mkdir "$RUN"
  printf 'variant\tpoint\tsweep\tdram_ratio\tkey_pattern\n' >"$RUN/plan.tsv"
  for point in 1 2; do
    printf '%s\t1000B-%di-1to4-zipf\t1:4, zipf\t1:4\tzipf\n' native "$point" swap "$point" >>"$RUN/plan.tsv"
    for repeat in 1 2 3; do
      repeat_make "$RUN" native 1000B-${point}i-1to4-zipf $repeat c 1000 500000 "$point" 30 120 get:20
      repeat_make "$RUN" swap 1000B-${point}i-1to4-zipf $repeat c 1000 500000 "$point" 60 240 get:$((repeat == 2 ? 160 : 40))
      server_make "$RUN"/native/1000B-${point}i-1to4-zipf/rep-$repeat native ok 0 0
      server_make "$RUN"/swap/1000B-${point}i-1to4-zipf/rep-$repeat swap ok 52428800 4000
    done
  done
  printf 'SCENARIO=x\nVARIANTS="native swap"\n' >"$RUN/run.conf"
  settings_make "$RUN"
}

# Add the column NAME with VALUE to the result.tsv of a repeat of run_make. Usage: result_add VARIANT REPEAT NAME VALUE
result_add() {
  local file=$RUN/$1/1000B-4i/rep-$2/c/result.tsv
  awk -v name="$3" -v value="$4" '{ print $0 "\t" (NR == 1 ? name : value) }' "$file" >new
  mv new "$file"
}

# Print all that compares results of the run: tables, data of plots, comparison, metrics.
compared() {
  modules 'rm -rf data
    mkdir data
    result_read data "$1"
    result_usable <data/totals | FORMAT=lines tables_print "$1"
    _plot_data data
    cat data/*.dat' "$RUN"
  compare --format csv "$RUN" 2>/dev/null
  compare --format openmetrics "$RUN" 2>/dev/null
  "$REPO/do_it.sh" kpi "$RUN" 2>/dev/null || :
}

@test "a discarded repeat counts as little as one that is missing: in tables, plots, comparisons and metrics" {
  points_make
  for point in 1 2; do server_make "$RUN"/swap/1000B-${point}i-1to4-zipf/rep-2 swap off 1000000 2; done
  with=$(compared)
  assert_contains 'GET, values of 1,000 B' "$with"
  assert_contains 'by DRAM:data' "$with"
  mkdir aside
  for point in 1 2; do mv "$RUN"/swap/1000B-${point}i-1to4-zipf/rep-2 aside/$point; done
  without=$(compared)
  assert_equal "$(diff <(printf '%s\n' "$with") <(printf '%s\n' "$without"))" ''
  # With all of its results counted, the slow repeat shows.
  for point in 1 2; do
    mv aside/$point "$RUN"/swap/1000B-${point}i-1to4-zipf/rep-2
    server_make "$RUN"/swap/1000B-${point}i-1to4-zipf/rep-2 swap ok 52428800 4000
  done
  [[ $(compared) != "$with" ]] || fail "the repeat changes nothing"
}

@test "a discarded result is marked where it is printed, with where the data was" {
  run_make $RUN 2 30 60 20 40
  server_make $RUN/swap/1000B-4i/rep-2 swap off 1048576 2
  printf '%s\n' $'set\t6379\tnode0\t0\t104857600' $'set\t6379\tnode1\t0\t10485760' $'set\ttier\tplaced_percent\t-\t12.5' >>$RUN/swap/1000B-4i/rep-2/server/counters.tsv
  matches 'SET +2 +800,000,000 +400,000,000 +- +20 +40 +swap: placement' run_split compare $RUN
  assert_match 'SET +1 +800,000,000 +400,000,000 +50\.0% +20 +40 *'$'\n'
  assert_contains "compare: $REASON 1 of 4 results: swap, set at 1000B-4i, repeat 2 (12.5 % of the data as requested, node0 100.0 MiB + node1 10.0 MiB + swap 1.0 MiB)" "$STDERR"
  assert_contains 'compare: set at 1000B-4i: 2 repeats of native and 1 of swap, without discarded ones' "$STDERR"
  assert_equal "$("$REPO/summary2csv.sh" --json $RUN | grep -c '"discarded": "placement: 12.5 % of the data as requested; node0 100.0 MiB + node1 10.0 MiB + swap 1.0 MiB"')" 1
  refuses 1 'kpi: swap, set at 1000B-4i, repeat 2: discarded: placement: 12.5 %' run_split "$REPO/do_it.sh" kpi $RUN
}

@test "a side without a result that counts is named, and no --fail-if passes" {
  run_make $RUN 2 30 60 20 40
  for repeat in 1 2; do server_make $RUN/swap/1000B-4i/rep-$repeat swap off 1048576 2; done
  refuses 1 'compare: swap has no usable set at 1000B-4i, which native has: 2 of its repeats are discarded' run_split compare --fail-if 'tx<1%' $RUN
  # The base too, beside another point that can be compared.
  other=20250102T100000Z-x
  for repeat in 1 2; do
    repeat_make $RUN native 1000B-8i $repeat c 1000 500000 8 30 120 set:20
    repeat_make $RUN swap 1000B-8i $repeat c 1000 500000 8 30 120 set:20
    server_make $RUN/native/1000B-4i/rep-$repeat native off 1048576 2
    server_make $RUN/swap/1000B-4i/rep-$repeat swap ok 1048576 2
  done
  fails 1 run_split compare --fail-if 'tx<1%' $RUN
  assert_contains 'compare: --fail-if: swap, set at 1000B-4i: Tx combined cannot be evaluated: no result of native that counts (tx<1%)' "$STDERR"
  # A run of one variant has no figure.
  shows '"native, set: no figure; 2 of 2 repeats discarded."' run_split compare --format json $RUN/native/1000B-4i
  # Nor is another phase judged instead.
  run_make $other 1 30 60 20 40
  sed -i 's/set/populate/' $other/*/1000B-4i/rep-1/c/{redis.log.*,result.tsv}
  for repeat in native swap; do repeat_make $other $repeat 1000B-8i 1 c 1000 500000 8 30 120 get:20; done
  server_make $other/swap/1000B-8i/rep-1 swap off 1048576 2
  refuses 1 'swap has no usable get at 1000B-8i' run_split compare --fail-if 'tx<1%' $other
}

@test "a phase that was ended before its time is discarded, unless a fault ended it; and one in which no GET found a key" {
  run_make $RUN 3 30 60 20 40
  result_add swap 1 stopped 1
  result_add swap 2 stopped 0
  assert_equal "$("$REPO/summary2csv.sh" $RUN | cells -c discarded | sort | paste -sd ,)" ',,,,,stopped: after 40.7 s'
  run_split compare $RUN
  assert_contains 'a phase was ended before its time, so no comparison counts it, in 1 of 6 results: swap, set at 1000B-4i, repeat 1 (after 40.7 s)' "$STDERR"
  printf 'phase\tset\ntakeover_s\t1\n' >$RUN/swap/1000B-4i/rep-1/failover.tsv
  assert_equal "$("$REPO/summary2csv.sh" $RUN | cells -c discarded | sort | paste -sd ,)" ',,,,,'
  sed -i 's/set/get/' $RUN/native/1000B-4i/rep-1/c/{redis.log.*,result.tsv}
  result_set $RUN native 1 misses 2000000
  assert_equal "$("$REPO/summary2csv.sh" $RUN | cells -c discarded | grep .)" 'misses: all 2000000 GETs'
  result_set $RUN native 1 misses 1999999
  assert_equal "$("$REPO/summary2csv.sh" $RUN | cells -c discarded | sort | paste -sd ,)" ',,,,,'
}

@test "a rate that was not reached is said, with its share in a column, and marked in a comparison" {
  run_make $RUN 1 30 60 20 40
  result_set $RUN native 1 rate 96500
  result_set $RUN swap 1 rate 96500
  shows '2x; missed its rate: swap (50.9 %)' run_split compare --metric p99 $RUN
  assert_contains 'compare: the rate was not reached, so the latency is that of a growing queue, in 1 of 2 results: swap, set at 1000B-4i, repeat 1: 49,102 of 96,500 operations per second in 40.7 s' "$STDERR"
  assert_equal "$("$REPO/summary2csv.sh" --total $RUN | cells -c rate_percent | paste -sd ,)" '99.97,50.88'
  assert_equal "$(figure p99 other_rate_percent,base_rate_percent $RUN)" '50.88|'
  # The rate of a search is its answer.
  printf 'phase\tlimit\tsearch\tload\nset\tp99<=1ms\tfound\t96500\n' >$RUN/swap/1000B-4i/rep-1/search.tsv
  assert_equal "$("$REPO/summary2csv.sh" --total $RUN | cells -c rate_percent | paste -sd ,)" '99.97,'
}

@test "hostile numbers are in no figure and no sum: each is left empty with a message, and nothing divides by a text" {
  run_make $RUN 1 30 60 20 40
  result_set $RUN native 1 avg_us nan
  result_set $RUN native 1 p99_us inf
  result_set $RUN swap 1 misses 1e999
  result_set $RUN swap 1 client_cpu_us -nan
  server_make $RUN/native/1000B-4i/rep-1 native ok 0 0
  sed -i 's/\trss\t0\t[0-9]*/\trss\t0\tinf/; s/\tfar_bytes\t0\t0/\tfar_bytes\t0\tnan/' $RUN/native/1000B-4i/rep-1/server/counters.tsv
  printf '### instance 6379\r\nused_memory:5\r\nused_memory_rss:inf\r\ndb0:keys=nan,expires=0\r\n' >$RUN/native/1000B-4i/rep-1/server/info.after
  printf 'keys\tnan\ntarget_bytes\tabc\nexpected_bytes\tinf\n' >$RUN/native/1000B-4i/rep-1/server/plan.tsv
  # What is left empty is a failure of the reader.
  succeeds run_split modules '! result_rows "$1" >rows; result_add_up <rows >totals; _report_repeats_held totals | figures_run fill >fill
    result_table <totals; cat rows totals fill' $RUN
  for text in "$output" "$(compare --format json $RUN 2>/dev/null)"; do
    [[ ! ${text,,} =~ [^a-z](inf|nan)[^a-z] ]] || fail "${BASH_REMATCH[0]} is in: $text"
  done
  assert_contains "/native/1000B-4i/rep-1/c: p99_us of phase set is not a number, or too large; left empty" "$STDERR"
  refute_contains 'awk:' "$STDERR"
}
