#!/usr/bin/env bats
# SPDX-License-Identifier: MIT
# The last screen of a run: warnings, the answer, and the tables behind it.

load helper
load logs

# Print the last screen of a run without the table of every repeat: screen RUN
screen() {
  RESULT_PROGRAM=x modules 'ending_show "$1" "$SCRATCH/data"' "$1" >text
  sed '1,/^$/d' text
}

# Compare the last screen of a run with what stdin has: screen_is RUN <TEXT
screen_is() {
  cat >wanted
  screen "$1" >shown
  diff -U 100 wanted shown >difference || fail "$(<difference)"
}

# Make one repeat of native and swap, which takes p50 and p99 of both: repeat_pair REPEAT P50 P99 P50 P99
repeat_pair() {
  repeat_make run native 1000B-2i "$1" c 1000 500000 2 "$2" "$3" "set:$((8 + $1))" get:7
  repeat_make run swap 1000B-2i "$1" c 1000 500000 2 "$4" "$5" "set:$((28 + $1))" get:29
  printf 'SCENARIO=demo\nVARIANTS="native swap"\n' >run/run.conf
  touch run/{native,swap}/variant.conf
  settings_make run
}

# Set the ANSWER of the run, as a scenario does: answer_set TEXT
answer_set() {
  printf 'ANSWER="%s"\n' "$1" >>run/run.conf
  settings_make run
}

# Print the paragraph of the answer, which follows that of the warnings, if any.
answer() {
  screen run >shown
  awk 'BEGIN { RS = "" } !/^warning: / { print; exit }' shown
}

@test "several repeats: each warning once, before the answer; the medians with their intervals" {
  repeat_pair 1 30 90 90 300
  repeat_pair 2 31 95 95 290
  repeat_pair 3 30 92 96 295
  sed -i $'1s/$/\ttimeouts/; 2,$s/$/\t2/' run/swap/*/rep-*/c/result.tsv
  mkdir run/swap/1000B-2i/rep-1/server
  echo '1:M # WARNING Memory overcommit must be enabled! Without it, a save may fail.' >run/swap/1000B-2i/rep-1/server/redis-1.log
  screen_is run <<'END'
warning: Redis warns (1 instance in 1 repeat, the first in swap/1000B-2i/rep-1): Memory overcommit must be enabled
warning: requests got no reply in time in 6 of 12 results; most in swap, set at 1000B-2i, repeat 1: 2
warning: repeats of the same point differ by more than 10 % in throughput, in 1 of 4 cases; most in native, set at 1000B-2i: 85,242 to 102,762 operations per second

swap reaches 26.0 % (get at 1000B-2i) to 34.9 % (set at 1000B-2i) of native's throughput; of 2 comparisons: 2 worse.
swap's p99 latency is 3.21x (295 us instead of 92 us, set at 1000B-2i) of native's; of 2 comparisons: 2 worse.
swap is also worse in p50 latency: 2 of 2, 3.17x; worse in p99.9 latency: 2 of 2, 2.99x.

Median of repeats, with their min and max, the ratio of the medians, and the interval of the ratio of geometric means

Point     Phase  Figure                     native       min max         swap      min max  of base   95 % interval  Verdict
--------  -----  ------------------  -------------  ------------  -----------  -----------  -------  --------------  ---------------
1000B-2i  set    Tx combined, bit/s    800,000,000  -9.1 +11.1 %  266,666,667  -3.2 +3.4 %   33.3 %  28.1 to 39.3 %  worse
1000B-2i  set    throughput, ops/s          93,186  -8.5 +10.3 %       32,540  -3.2 +3.4 %   34.9 %  29.9 to 40.5 %  worse
1000B-2i  set    p50 latency, us                30   +0.0 +3.3 %           95  -5.3 +1.1 %    3.17x  2.84x to 3.35x  worse
1000B-2i  set    p99 latency, us                92   -2.2 +3.3 %          295  -1.7 +1.7 %    3.21x  2.86x to 3.57x  worse
1000B-2i  set    p99.9 latency, us             102   -2.0 +2.9 %          305  -1.6 +1.6 %    2.99x   2.69x to 3.3x  worse
1000B-2i  set    client CPU, us/op           20.00   +0.0 +0.0 %        20.00  +0.0 +0.0 %       1x        1x to 1x  same within 2 %
1000B-2i  get    Tx combined, bit/s  1,142,857,143   +0.0 +0.0 %  275,862,069  +0.0 +0.0 %   24.1 %  24.1 to 24.1 %  worse
1000B-2i  get    throughput, ops/s         129,345   +0.0 +0.0 %       33,634  +0.0 +0.0 %   26.0 %  26.0 to 26.0 %  worse
1000B-2i  get    p50 latency, us                30   +0.0 +3.3 %           95  -5.3 +1.1 %    3.17x  2.84x to 3.35x  worse
1000B-2i  get    p99 latency, us                92   -2.2 +3.3 %          295  -1.7 +1.7 %    3.21x  2.86x to 3.57x  worse
1000B-2i  get    p99.9 latency, us             102   -2.0 +2.9 %          305  -1.6 +1.6 %    2.99x   2.69x to 3.3x  worse
1000B-2i  get    client CPU, us/op           20.00   +0.0 +0.0 %        20.00  +0.0 +0.0 %       1x        1x to 1x  same within 2 %
END
}

@test "one repeat: a short table, and what a verdict requires" {
  repeat_pair 1 30 90 90 300
  screen_is run <<'END'
swap reaches 26.0 % (get at 1000B-2i) to 32.7 % (set at 1000B-2i) of native's throughput.
swap's p99 latency is 3.33x (300 us instead of 90 us, set at 1000B-2i) of native's.
1 repeat: run 3 repeats for a verdict (REDISRUNS=3).

One or two repeats: medians without a verdict

Point     Phase  Figure              native    swap  of native
--------  -----  -----------------  -------  ------  ---------
1000B-2i  set    throughput, ops/s  102,762  33,634     32.7 %
1000B-2i  set    p99 latency, us         90     300      3.33x
1000B-2i  get    throughput, ops/s  129,345  33,634     26.0 %
1000B-2i  get    p99 latency, us         90     300      3.33x
END
  cp shown before
  # The quick form marks the answer and each table.
  printf 'QUICK=on\n' >>run/run.conf
  settings_make run
  screen run >shown
  assert_equal "$(sed -n 1p shown)" 'Quick form (-q): a first answer, not a result.'
  assert_equal "$(sed '1d; s/^Quick form (-q): a first answer, not a result. //' shown)" "$(<before)"
  assert_equal "$(grep -c 'not a result. One or two repeats' shown)" 1
  assert_match ' Quick  .* yes  ' "$(sed '/^$/,$d' text)"
  assert_equal "$("$REPO/summary2csv.sh" --total run | python3 -c 'import csv, sys; print(next(csv.DictReader(sys.stdin))["quick"])')" yes
}

@test "a search for DRAM: the share that keeps the limit, with its interval; bounds, a broken search and no answer are said" {
  local repeat swap=run/swap/1000B-2i
  for repeat in 1 2 3; do
    repeat_pair "$repeat" 30 90 90 300
    printf '%s\n' $'phase\tlimit\tsearch\tdram_share_percent\tsearch_low\tsearch_high\tsteps' $'get\tp99<=1ms\tfound\t2'$((repeat + 1))$'\t20\t24\t9' \
      >$swap/rep-$repeat/size.tsv
  done
  answer_set "$(sed -n 's/^ANSWER="\(.*\)"/\1/p' "$REPO/conf/scenarios/size.conf")"
  prints 'swap, get: 23 % of DRAM keeps p99<=1ms (20 to 24 %)' run answer
  sed -i 's/found/client/' $swap/rep-1/size.tsv
  prints 'swap, get: at most 23 % of DRAM keeps p99<=1ms (20 to 24 %)' run answer
  sed -i 's/found\|client/broken/' $swap/rep-*/size.tsv
  run answer
  assert_output 'swap, p99<=1ms: no answer: the measured phase breaks the limit, although steps kept it, in 3 of 3 repeats: a longer SEARCH_TIME finds a higher share'
  rm $swap/rep-*/size.tsv
  prints 'no answer: no repeat has a figure for share of DRAM' run answer
  # A search that found no load has no row of results.
  printf '%s\t' phase limit search load search_low search_high soft_low soft_high steps least_us slowest_kept slowest_looks slowest load_unit >$swap/rep-1/search.tsv
  printf '\n%s\n' $'get\tp99<=1ms\tnone\t800\t-\t-\t-\t-\t19\t1023\t0\t3\t491\t-' >>$swap/rep-1/search.tsv
  run answer
  assert_output 'swap, p99<=1ms: no answer: no load keeps it: 0 of 3 looks at 491 ops/s did; the min measured is 1,023 us, at 800 ops/s'
}

@test "a failover: the worst number of lost writes, the medians of the rest, and its windows" {
  for repeat in 1 2; do
    repeat_make run native 750B-3i $repeat c 750 1000 3 30 90 mixed:20
    printf '%s\t%s\n' figure value phase mixed takeover_s 2.$((repeat + 3)) acked_writes 10790 acked_writes_lost $((repeat - 1)) resync_s 0.10 \
      >run/native/750B-3i/rep-$repeat/failover.tsv
    printf '%s\n' $'window\tfrom_s\tto_s\tops_per_sec\tof_before_percent\tp50_us\tp99_us\tslow_percent\terrors' \
      $'before\t1.000\t20.001\t3000\t100.0\t94.783\t258.431\t0\t0' $'no master\t20.001\t22.5\t2000\t66.7\t94.783\t2500.5\t15\t1' >run/native/750B-3i/rep-$repeat/windows.tsv
  done
  echo SCENARIO=failover >run/run.conf
  answer_set "$(sed -n 's/^ANSWER="\(.*\)"/\1/p' "$REPO/conf/scenarios/failover.conf")"
  screen_is run <<'END'
failover: 2.45 s without a master, 1 of 10,790 acknowledged writes lost, resync 0.1 s

MIXED of 750 B on 3 instances: windows between the steps of the fault, medians of repeats

Variant  Window     From s  To s  ops/s  % of before  p50 us  p99 us  Slow %  Errors
-------  ---------  ------  ----  -----  -----------  ------  ------  ------  ------
native   before          1    20  3,000          100    94.8     258       0       0
native   no master      20  22.5  2,000         66.7    94.8   2,500      15       1

MIXED of 750 B on 3 instances: figures of the failover

Variant  Figure             Median  Repeats, min..max  Repeats
-------  -----------------  ------  -----------------  -------
native   takeover_s           2.45           2.4..2.5        2
native   acked_writes       10,790     10,790..10,790        2
native   acked_writes_lost     0.5               0..1        2
native   resync_s              0.1           0.1..0.1        2
END
}

@test "a rate that was not reached, the point with the most, and the ratio to the first variant begin the answer" {
  for size in 100 1000; do
    repeat_make run native ${size}B-2i 1 c $size 500000 2 30 90 get:7
    repeat_make run swap ${size}B-2i 1 c $size 500000 2 30 1900 get:$((7 + size / 100))
  done
  printf 'SCENARIO=demo\nVARIANTS="native swap"\n' >run/run.conf
  touch run/{native,swap}/variant.conf
  answer_set 'most ops: {ops_per_sec} operations/s at {point}, p99 {p99_us}'
  sed -i $'2s/\t0\t1000\t/\t400000\t1000\t/' run/swap/1000B-2i/rep-1/c/result.tsv
  prints 'swap, 1000B-2i: RATE=400,000 asked, 14.1 % reached
native: 129,345 operations/s at 100B-2i, p99 90 us
swap: 114,531 operations/s at 100B-2i, p99 1.9 ms' run answer
  sed -i '$d' run/run.conf
  answer_set 'least p99: {ratio} of {base}'
  prints 'swap, 1000B-2i: RATE=400,000 asked, 14.1 % reached
swap: 21.1x of native' run answer
  sed -i '$d' run/run.conf
  answer_set 'each later: {later}'
  prints 'swap, 1000B-2i: RATE=400,000 asked, 14.1 % reached
no answer: unknown metric later' run answer
}
