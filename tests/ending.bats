#!/usr/bin/env bats
# SPDX-License-Identifier: MIT
# The last screen of a run: warnings, the answer, and the tables behind it.

load helper
load logs

setup() { scratch_setup; }
teardown() { scratch_teardown; }

# Print the last screen of a run without the table of every repeat.
# Usage: screen RUN
screen() {
  # shellcheck disable=SC2016 # expanded by the inner shell
  bash -c 'set -Eeuo pipefail; ROOT=$REPO LIB=$REPO/lib; . "$LIB/modules.sh"; export RESULT_PROGRAM=x; ending_show "$1" "$SCRATCH/data"' bash "$1" >text
  sed '1,/^$/d' text
}

# Compare the last screen of a run with what stdin has.
# Usage: screen_is RUN <TEXT
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

@test "several repeats: each warning once, before the answer; the medians with their intervals" {
  repeat_pair 1 30 90 90 300
  repeat_pair 2 31 95 95 290
  repeat_pair 3 30 92 96 295
  sed -i $'1s/$/\ttimeouts/; 2,$s/$/\t2/' run/swap/*/rep-*/c/result.tsv
  screen_is run <<'END'
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
One repeat: run 3 repeats for a verdict (REDISRUNS=3).

One repeat

Point     Phase  Figure              native    swap  of native
--------  -----  -----------------  -------  ------  ---------
1000B-2i  set    throughput, ops/s  102,762  33,634     32.7 %
1000B-2i  set    p99 latency, us         90     300      3.33x
1000B-2i  get    throughput, ops/s  129,345  33,634     26.0 %
1000B-2i  get    p99 latency, us         90     300      3.33x
END
}
