#!/usr/bin/env bats
# SPDX-License-Identifier: MIT
# Intervals and verdicts: their error rates over simulated repeats, and how compare prints them.
# slow

load helper
load logs
load compare

RUN=20250101T100000Z-x

# Run awk with the programs that make intervals: figures_awk ARGUMENT...
figures_awk() {
  local folder=$REPO/lib/results/figures
  awk -f "$folder/interval.awk" -f "$folder/robust.awk" -f "$folder/decide.awk" "$@"
}

# Print METHOD:SHAPE:REPEATS:DIFFERENCE and the percentage of 3000 simulated rounds that are called different, one per line.
simulate() { figures_awk -f "$REPO/tests/random.awk" -f "$REPO/tests/simulate.awk" 3000 "$@"; }

# Set the throughput of each repeat of a variant of run_make: ops_set RUN VARIANT VALUE...
ops_set() {
  local run=$1 variant=$2 repeat=0 value
  shift 2
  for value; do result_set "$run" "$variant" $((++repeat)) ops_per_sec "$value"; done
}

@test "of equal repeats, normal, skewed or with outliers, an interval of 95 % contains the truth in 94 to 96 %; of few repeats that spread against many that do not, hardly more is known than the few tell" {
  local -a cases=()
  for method in paired:3 paired:10 welch:3 welch:10 welch:20; do
    for shape in normal skewed outliers; do cases+=("${method%:*}:$shape:${method#*:}:0"); done
  done
  simulate "${cases[@]}" >found
  # Welch's formula assumes less knowledge than there is when both sides have the same spread: with few repeats it is conservative.
  run awk -F '[: ]' '
    { covered = 100 - $5; sum[$1 " " $3] += covered / 3 }
    covered < 94 || covered > 97.5 { print $0 ": covers " covered }
    END { for (i in sum) if (sum[i] < 94 || sum[i] > (i ~ /welch 3$/ ? 97.5 : 96)) print i ": " sum[i] }' found
  assert_output '' || fail "$(cat found)"
  cat >unlike.awk <<'END'
function unlike(nb, of_b, no, of_o,    k, i, b, o, hits) {
  for (k = 0; k < 2000; k++) {
    for (i = 1; i <= nb; i++) b[i] = exp(of_b * gauss())
    for (i = 1; i <= no; i++) o[i] = exp(of_o * gauss())
    interval_ratio(b, nb, o, no)
    hits += interval_low <= 1 && interval_high >= 1
  }
  if (hits < 1880 || hits > 1940) print nb, of_b, no, of_o, hits / 20
}
BEGIN {
  seed = 3
  unlike(3, .1, 20, .01)
  unlike(20, .01, 3, .1)
  unlike(4, .1, 10, .02)
}
END
  prints '' run figures_awk -f "$REPO/tests/random.awk" -f unlike.awk
}

@test "a difference that is there is found as often as a paired t test finds it" {
  # About half a point less than in many more rounds: 31, 70, 54, 98 and 33 %. Medians with a bootstrap found 15, 38, 35, 87 and 24 %.
  simulate paired:normal:3:10 paired:normal:5:10 paired:normal:10:5 paired:normal:10:10 paired:outliers:10:5 >found
  prints '' run awk 'BEGIN { split("30.5 69.5 52.5 97.5 32.5", least, " ") } $2 < least[NR]' found
  assert_equal "$(wc -l <found)" 5
}

@test "quantiles and exact counts are those of the published tables, in mawk and in gawk" {
  need_command mawk gawk
  cat >tables.awk <<'END'
BEGIN {
  printf "%.3f %.3f %.3f %.3f %.3f %.3f ", interval_t(.95, 1), interval_t(.95, 2), interval_t(.95, 5), interval_t(.95, 30), interval_t(.99, 3), interval_t(.95, 2.5)
  # One more than the critical values of Wilcoxon's two tests, two-sided 5 %.
  print robust_signed(6), robust_signed(10), robust_signed(20), robust_sum(6, 6), robust_sum(6, 10), robust_sum(10, 6), robust_sum(20, 20)
  # The same at two-sided 1 %, where the signed-rank test has no interval for 7 pairs.
  print robust_signed(7, .99), robust_signed(8, .99), robust_signed(10, .99), robust_signed(20, .99), robust_sum(6, 6, .99), robust_sum(10, 10, .99)
}
END
  for awk in mawk 'gawk --posix'; do
    # shellcheck disable=SC2086 # gawk with its option
    prints '12.706 4.303 2.571 2.042 5.841 3.575 1 9 53 6 12 12 128
0 1 4 38 3 17' run $awk -f "$REPO/lib/results/figures/interval.awk" -f "$REPO/lib/results/figures/robust.awk" -f tables.awk
  done
}

@test "within a run what drifts cancels, between runs it does not; within SMALLEST it is the same, and what is not known is not decided, with how many more repeats would" {
  run_make 20250101T100000Z-x 4 30 30 20 20
  ops_set 20250101T100000Z-x native 100000 80000 60000 90000
  ops_set 20250101T100000Z-x swap 90000 72500 54000 80900
  # The ratio of the medians, 76700 and 85000.
  assert_equal "$(figure ops mark,percent_of_base 20250101T100000Z-x)" 'worse|90.2353'
  cp -r 20250101T100000Z-x 20250102T100000Z-x
  run_split compare --metric ops 20250101T100000Z-x/native 20250102T100000Z-x/swap
  assert_match 'not decided, about [0-9]+ more repeats would decide'
  ops_set 20250101T100000Z-x native 100000 100000 100000 100000
  ops_set 20250101T100000Z-x swap 101000 101100 100900 101000
  assert_equal "$(figure ops mark 20250101T100000Z-x)" 'same within 2 %'
  assert_equal "$(figure ops mark SMALLEST=0.5% 20250101T100000Z-x)" better
  ops_set 20250101T100000Z-x swap 101000 105000 99000 102000
  more=$(figure ops mark,more_repeats 20250101T100000Z-x)
  assert_match '^not decided\|' "$more"
  more=${more#*|}
  ((more > 1 && more < 50)) || fail "$more"
  matches "not decided, about $more more repeats would decide" run_split compare --metric ops 20250101T100000Z-x
  assert_contains "throughput: not decided (about $more more repeats would decide)."
  refuses 2 'command line: SMALLEST=5: invalid; accepted: 0.1% to 100%' run_split compare SMALLEST=5 20250101T100000Z-x
}

@test "latencies are compared with the coarser resolution of both sides" {
  run_make 20250101T100000Z-x 4 8 8 20 20
  for repeat in 1 2 3 4; do
    result_set 20250101T100000Z-x native "$repeat" p50_us "8.00$repeat"
    result_set 20250101T100000Z-x swap "$repeat" p50_us "8.40$repeat"
  done
  for variant in native swap; do
    assert_match '^same' "$(figure p50 mark 20250101T100000Z-x)"
    sed -i '1s/$/\tresolution_us/; 2,$s/$/\t0.001/' 20250101T100000Z-x/"$variant"/*/rep-*/c/result.tsv
  done
  assert_equal "$(figure p50 mark 20250101T100000Z-x)" worse
}

@test "so many more repeats decide in most cases" {
  cat >more.awk <<'END'
function drawn() { return 0.97 * exp(.05 * gauss()) }
BEGIN {
  seed = 5
  for (k = 0; k < 400; k++) {
    for (i = 1; i <= 10; i++) r[i] = drawn()
    interval_paired(r, 10)
    if (decide(interval_low, interval_high, 1, .02) != "open") continue
    more = decide_more(interval_centre, interval_error, interval_df, 10, .02)
    for (i = 11; i <= 10 + more; i++) r[i] = drawn()
    interval_paired(r, 10 + more)
    asked++
    decided += decide(interval_low, interval_high, 1, .02) != "open"
  }
  print (asked > 150 && decided / asked > 0.75 ? "most" : decided "/" asked)
}
END
  prints most run figures_awk -f "$REPO/tests/random.awk" -f more.awk
}

@test "a robust verdict is named beside the other where they differ, from six repeats on" {
  local -a even=(90000 91000 89000 90500 89500 93000 90100 90200 90300 89900 89800)
  run_make 20250101T100000Z-x 12 30 30 20 20
  ops_set 20250101T100000Z-x native 100000 100000 100000 100000 100000 100000 100000 100000 100000 100000 100000 100000
  ops_set 20250101T100000Z-x swap "${even[@]}" 200000
  run_split compare --metric ops 20250101T100000Z-x
  assert_match 'not decided, about [0-9]+ more repeats would decide; robust: worse \(89\.[0-9] to 9[0-9.]+ %\)'
  assert_match 'more repeats would decide\); the robust interval differs: worse\.'
  ops_set 20250101T100000Z-x swap "${even[@]}" 90000
  matches ' worse('$'\n''|$)' run_split compare --metric ops 20250101T100000Z-x
  refute_contains robust
  assert_equal "$(figure ops robust_mark 20250101T100000Z-x)" worse
  rm -r 20250101T100000Z-x/{native,swap}/1000B-4i/rep-{6,7,8,9,10,11,12}
  assert_equal "$(figure ops robust_mark,mark 20250101T100000Z-x)" '|worse'
}

@test "under three repeats there is no interval, with a message that names the side" {
  run_make 20250101T100000Z-x 2 30 90 20 60
  assert_equal "$(figure p50 mark,low_percent 20250101T100000Z-x)" 'too few repeats|'
  run_make 20250102T100000Z-x 3 30 90 20 60
  result_set 20250102T100000Z-x swap 2 p99_us x
  fails 1 run_split compare --metric p99 20250102T100000Z-x
  assert_contains ' too few repeats (swap has 2 of 3)'
  assert_match "native's [^:]*: too few repeats to tell \(swap has 2 of 3\)\."
}

@test "a hit ratio is a share, not a count: its median represents the repeats, and a broken repeat is left out" {
  local -a waits=(0 0 1120000 1120000)
  run_make $RUN 3 30 30 20 20
  for repeat in 1 2 3; do
    server_make $RUN/native/1000B-4i/rep-$repeat swap ok 0 0
    server_make $RUN/swap/1000B-4i/rep-$repeat swap ok 0 "${waits[repeat]}"
  done
  refuses 1 'swap, set at 1000B-4i: hit ratio is 0.4400 share (hits<0.9)' run_split compare --metric hits --fail-if 'hits<0.9' $RUN
  assert_match 'hit ratio, share +1\.0000 +\+0\.0 \+0\.0 % +0\.4400 '
  assert_match ' not decided'
  search_set $RUN swap 1 broken
  assert_equal "$(figure hits other_max $RUN)" 0.44
}

@test "every interval of a run of REDISRUNS=auto has its level: Student's, the robust one, and that of the estimate of more repeats; from round 0 on, too" {
  run_make $RUN 8 30 30 20 20
  ops_set $RUN native 100000 100000 100000 100000 100000 100000 100000 100000
  # The robust interval of 8 pairs goes from the 4th of the sorted means of each two at 95 %, and from the first at 98.9 %.
  ops_set $RUN swap 97500 102000 97000 100500 98000 99000 98500 98400
  found=$(figure ops robust_low_percent,more_repeats $RUN)
  assert_match '^97\.5\|' "$found"
  more=${found#*|}
  ((more > 1)) || fail "$more"
  printf 'REDISRUNS="auto:3..30"\n' >>$RUN/run.conf
  settings_make $RUN
  # 98.9 % takes 1.4 times as many repeats.
  found=$(figure ops robust_low_percent,more_repeats $RUN)
  assert_match '^97\|' "$found"
  ((${found#*|} > more * 5 / 4)) || fail "$found, not more than $more"
  matches 'of base +98\.9 % interval' run_split compare --metric ops $RUN
  # Seven pairs have no robust interval of that level.
  rm -r $RUN/*/1000B-4i/rep-8
  assert_equal "$(figure ops robust_low_percent $RUN)" ''
  sed -i 's/auto:3..30/7/' $RUN/run.conf
  settings_make $RUN
  assert_match '^9' "$(figure ops robust_low_percent $RUN)"
  sed -i 's/"7"/"auto:0..30"/' $RUN/run.conf
  settings_make $RUN
  warns 'REDISRUNS=auto: intervals have the level 99.' run_split timeout 60 "$REPO/do_it.sh" compare --metric ops $RUN
}

@test "of twenty verdicts or more, the number that chance makes is printed, without a level that the run may not have" {
  run_make $RUN 3 30 30 20 20
  for copy in {1..10}; do
    cp -r $RUN/native/1000B-4i $RUN/native/1000B-4i-x"$copy"
    cp -r $RUN/swap/1000B-4i $RUN/swap/1000B-4i-x"$copy"
  done
  # All looks of REDISRUNS=auto together have about the same chance as one interval of 95 %.
  printf 'REDISRUNS="auto:3..30"\n' >>$RUN/run.conf
  settings_make $RUN
  run_split compare --metric p50 --metric avg $RUN
  assert_match 'compare: of 22 verdicts, about 1 would show a difference by chance' "$STDERR"
}

@test "the unit of a price changes no verdict and no ratio of costs, and a small cost has digits" {
  local variant repeat found price='dram=0.0045 nvme=0.0002'
  run_make $RUN 3 30 30 20 20
  ops_set $RUN native 100000 101000 99000
  ops_set $RUN swap 125000 127000 124000
  for variant in native swap; do
    for repeat in 1 2 3; do server_make $RUN/$variant/1000B-4i/rep-$repeat $variant ok 0 0; done
  done
  search_set $RUN '*' '*' found
  found=$(figure cost base_median,percent_of_base,low_percent,high_percent,mark --price "$price" $RUN)
  # 1000 x 0.0045 x 100 / 1024 / 100000
  assert_match '^0\.00000439453\|80\|79\.[^|]*\|[^|]*\|better$' "$found"
  matches 'cost of memory, per_kops +0\.000004395 .* 0\.000003516 ' run_split compare --price "$price" --metric cost $RUN
  assert_match ' SET +1 +0\.000004395 +0\.000003516 '
  run modules 'price_take "$2"; result_totals "$1" | tables_make "$LIB/results/tables/price.awk" . | tr -s " "' $RUN "$price"
  assert_contains 'swap 125,000 0.09766 0.09766 0.0000 0.0004395 0.004500 0.000003516' "$output"
  assert_equal "$(figure cost percent_of_base,low_percent,high_percent,mark --price 'dram=4500 nvme=200' $RUN)" "${found#*|}"
}

@test "latencies with requests without an answer are lower bounds: what is still true of them is said, and nothing else" {
  # 400 and 300 us.
  run_make $RUN 3 100 75 20 20
  # Usage: waited VARIANT UNANSWERED: the shortest wait of requests without an answer is 250 us
  waited() {
    local file=$RUN/$1/1000B-4i/rep-2/c/result.tsv
    awk -F '\t' -v OFS='\t' -v n="$2" 'NR == 1 { sub(/\tunanswered\tat_least_us$/, ""); columns = NF; print $0, "unanswered", "at_least_us"; next }
      { NF = columns; print $0, n, n ? 250 : 0 }' "$file" >new
    mv new "$file"
  }
  assert_equal "$(figure p99 mark $RUN)" better
  waited swap 9
  fails 1 run_split compare --metric p99 --metric avg --metric p50 --limit 'p99<=350us' --fail-if 'p99>350us' --fail-if 'p99>50%' $RUN
  assert_match ' 400 .* >=300 .* unanswered \(swap\)'
  assert_match ' SET +1 +400 +300 +75.0%'
  assert_match ' SET +2 +400 +>=300 +>=75.0%'
  assert_contains "swap's p99 latency is at least 0.75x of native's (at least 300 us instead of 400 us): not known, because requests had no answer."
  assert_contains 'compare: swap: requests without an answer count with the time that they waited, so latencies are lower bounds' "$STDERR"
  assert_match 'average latency.* >=76 .* unanswered \(swap\)'
  # Half of the requests were answered in less.
  assert_match 'p50 latency.* 76 .* better'
  assert_contains 'swap, set at 1000B-4i: p99 latency cannot be evaluated: requests had no answer (p99>350us)' "$STDERR"
  # It is at least this.
  assert_contains 'swap, set at 1000B-4i: p99 latency is 75.0 % of native (p99>50%)' "$STDERR"
  assert_match 'swap +set +p99<=350us +not known'
  assert_match 'native +set +p99<=350us +no point keeps it'
  # A base without answers can only be worse than it seems.
  waited swap 0
  waited native 9
  fails 1 run_split compare --metric p99 --fail-if 'p99>50%' $RUN
  assert_match ' >=400 .* 300 .* better; by at least this \(native has requests without an answer\)'
  assert_contains "swap's p99 latency is at most 0.75x of native's (300 us instead of at least 400 us): better."
  assert_contains 'p99 latency cannot be evaluated: requests had no answer (p99>50%)' "$STDERR"
  waited swap 9
  matches ' >=400 .* >=300 +[^ ]+ [^ ]+ % +- +- +unanswered \(both\)' run_split compare --metric p99 $RUN
  assert_contains "swap's p99 latency against native's: not known, because requests had no answer."
  assert_equal "$(figure p99 percent_of_base,low_percent,factor,robust_percent $RUN)" '|||'
}

@test "a phase whose two bounds have no ratio is not in the range of ratios" {
  cp -r "$REPO/results/sample" run
  # Of files that a test changes, no length is known.
  find run -name SIZES -delete
  for file in run/*/*/rep-*/*/result.tsv; do cells_set "$file" operation=get client_limited=1; done
  matches ' get +throughput, ops/s .* - +- +client limited \(both\)' run_split compare --metric ops run
  assert_contains "swap reaches 18.2 % (set at 1000B-2i) of native's throughput; of 2 comparisons: 1 worse, 1 not known, because the load generator was the limit."
}

@test "programs get the sign of a bound in columns of their own, which come last" {
  run_make $RUN 3 30 30 20 20
  result_set $RUN swap 2 client_limited 1
  row=$(compare --format csv --metric ops $RUN 2>/dev/null)
  assert_match ',robust_mark,base_rate_percent,other_rate_percent,base_bound,other_bound'$'\n''.*,,>=$' "$row"
  row=$(compare --format csv --metric p99 $RUN 2>/dev/null)
  assert_match ',,$' "$row"
  row=$(compare --format csv --repeats --metric ops $RUN 2>/dev/null)
  assert_equal "$(sed -n 's/.*,max_time/max_time/p; 2,$s/.*,20,20,/20,20,/p' <<<"$row")" $'max_time,other_max_time,discarded,base_bound,other_bound\n20,20,,,\n20,20,,,>=\n20,20,,,'
  # A share of DRAM is a bound in the other direction.
  search_set $RUN native 1 client 40
  search_set $RUN swap 1 found 60
  assert_equal "$(figure dram_share base_bound,other_bound $RUN)" '<=|'
  assert_equal "$("$REPO/summary2csv.sh" --total $RUN | awk -F, 'NR == 1 { for (i = 1; i <= NF; i++) at[$i] = i; print $NF } $at["variant"] == "swap" { print $at["client_limited"] }' | paste -sd ' ')" \
    'client_limited 0 1 0'
}

@test "a bound excludes each verdict that the truth beyond it could change, and settles only conditions that it cannot; a repeat whose figures are not compared makes none" {
  cat >bounds.awk <<'END'
BEGIN {
  n = split("better,worse,same within 2 %,not decided", says, ",")
  for (s = split(",base,other,both", side, ","); s >= 1; s--) {
    printf "%s:", side[s]
    for (i = 1; i <= n; i++) printf " %s;", bound_verdict(side[s], says[i])
    for (direction = 1; direction >= -1; direction -= 2) printf " [%s]", bound_words(side[s], direction)
    for (holds = 0; holds <= 1; holds++) printf " %d%d", bound_settles(side[s], 1, "<=", holds), bound_settles(side[s], 1, ">", holds)
    printf "\n"
  }
}
END
  prints 'both: client limited; client limited; client limited; client limited; [] [] 00 00
other: better; client limited; client limited; not decided; [at least ] [at most ] 10 01
base: client limited; worse; client limited; not decided; [at most ] [at least ] 01 10
: better; worse; same within 2 %; not decided; [] [] 11 11' run awk -f "$REPO/lib/results/figures/bound.awk" -f bounds.awk
  run_make $RUN 4 30 30 20 20
  ops_set $RUN native 100000 101000 99000 100000
  ops_set $RUN swap 80000 80500 79500 80000
  result_set $RUN swap 4 client_limited 1
  assert_equal "$(figure ops mark $RUN)" 'client limited'
  search_set $RUN swap 4 broken
  assert_equal "$(figure ops mark $RUN)" worse
}

@test "a client that was the bottleneck makes throughput a bound: what is still true of it is said, and nothing else" {
  run_make $RUN 3 30 30 20 20
  ops_set $RUN native 100000 101000 99000
  ops_set $RUN swap 80000 80500 79500
  assert_equal "$(figure ops mark $RUN)" worse
  # A faster base only makes the other variant worse.
  result_set $RUN native 2 client_limited 1
  fails 1 run_split compare --metric ops --fail-if 'ops<90%' $RUN
  assert_match ' >=100,000 .* worse; by at least this \(native is client limited\)'
  assert_contains "swap reaches at most 80.0 % of native's throughput: worse."
  assert_contains 'swap, set at 1000B-4i: throughput is 80.0 % of native (ops<90%)' "$STDERR"
  assert_contains 'compare: native: the load generator was the limit, so its throughput is a lower bound; use more threads, CPUs or clients' "$STDERR"
  # Latencies have a verdict as before.
  assert_match '^same within' "$(figure p99 mark $RUN)"
  fails 1 run_split compare --metric ops --fail-if 'ops<75%' $RUN
  assert_contains 'swap, set at 1000B-4i: throughput cannot be evaluated: the load generator was the limit (ops<75%)' "$STDERR"
  # The other variant may be faster than both figures say.
  result_set $RUN native 2 client_limited 0
  result_set $RUN swap 1 client_limited 1
  matches ' >=80,000 .* client limited \(swap\)' run_split compare --metric ops $RUN
  assert_contains "swap reaches at least 80.0 % of native's throughput: not known, because the load generator was the limit."
  result_set $RUN native 2 client_limited 1
  matches ' >=80,000 +[^ ]+ [^ ]+ % +- +- +client limited \(both\)' run_split compare --metric ops $RUN
  assert_contains "swap's throughput against native's: not known, because the load generator was the limit."
  refute_contains 'swap reaches'
  assert_equal "$(figure ops percent_of_base,high_percent,gain_percent,factor $RUN)" '|||'
  # With a rate, the schedule determines the throughput, unless the load generator misses it.
  for repeat in 1 2 3; do
    result_set $RUN native $repeat rate 100000
    result_set $RUN swap $repeat rate 80000
  done
  assert_equal "$(figure ops mark $RUN)" worse
  result_set $RUN swap 1 rate 100000
  assert_equal "$(figure ops mark $RUN)" 'client limited'
  result_set $RUN swap 1 rate 80000
  assert_equal "$(figure ops mark $RUN)" worse
  # But it does not determine what a search found.
  search_set $RUN native '*' found
  search_set $RUN swap '*' client
  assert_equal "$(figure capacity mark $RUN)" 'client limited'
}

@test "--limit: the max within it is a bound; it is not known where a bound of throughput, cost or DRAM breaks it, and what is beyond the bound may keep it" {
  run_make $RUN 3 30 30 20 20
  ops_set $RUN native 100000 101000 99000
  ops_set $RUN swap 80000 80500 79500
  # Print the rows of the limit for a metric: limited METRIC RULE
  limited() { compare --metric "$1" --limit "$2" $RUN | awk -v rule="$2" '$3 == rule { print $1, $4, $5, $6 }'; }
  result_set $RUN native 2 client_limited 1
  assert_equal "$(limited ops 'p50<=1ms')" $'native 1000B-4i >=100,000 100.0%\nswap 1000B-4i 80,000 <=80.0%'
  assert_match $'^native not known [^\n]*\nswap no point keeps' "$(limited ops 'ops>=120k')"
  assert_match '^native 1000B-4i >=100,000 ' "$(limited ops 'ops>=90k')"
  assert_match '^native not known ' "$(limited ops 'ops<=120k')"
  result_set $RUN swap 1 client_limited 1
  run_split compare --metric ops --limit 'p50<=1ms' --format json $RUN
  assert_match '"ops_per_sec": 80000, "ops_per_sec_bound": ">=", "percent_of_base": null, "base_bound": ">=", "other_bound": ">="'
  result_set $RUN native 2 client_limited 0
  assert_match $'\nswap 1000B-4i >=80,000 >=80\\.0%$' "$(limited ops 'p50<=1ms')"
  result_set $RUN swap 1 client_limited 0
  search_set $RUN native '*' client 60
  search_set $RUN swap '*' found 60
  assert_match $'^native not known [^\n]*\nswap no point keeps' "$(limited dram_share 'dram_share<=50')"
  assert_match '^native 1000B-4i' "$(limited dram_share 'dram_share<=70')"
  # A figure without a sentence of its type.
  rm $RUN/*/1000B-4i/rep-*/size.tsv
  search_set $RUN native '*' client
  search_set $RUN swap '*' found
  shows 'swap is also worse in capacity: 1 of 1, at most 0.8x.' run_split compare --metric capacity $RUN
}
