#!/usr/bin/env bats
# SPDX-License-Identifier: MIT
# The next step of a search, without a server: after made-up steps, and on a simulated server with a known answer.
# slow

load helper
load searches

# Print the next step after the steps on stdin: KIND LIMIT RATE KEPT [ANSWERED [CLIENT_LIMITED [COUNTS [FAR [TRY]]]]]; KEPT is p99 in us. The
# throughput is the rate, or 0 if KEPT is 0: no request was answered.
# Usage: next [NAME=VALUE]... <LOOKS   Returns: 0
next() {
  {
    printf 'phase\tkind\tlimit\ttry\trate\tconnections\tops_per_sec\tp99_us\tavg_us\tanswered_percent\terrors\tunsent\tclient_limited\tcounts\tfar_per_op\n'
    awk 'BEGIN { OFS = "\t" } { print "mixed", $1, $2, $9 == "" ? 1 : $9, $1 == "top" ? 0 : $3, $3, $4 == 0 ? 0 : $3, $4, $4 / 10, $5 == "" ? 100 : $5, 0, 0, $6 + 0, $7 == "" ? 1 : $7, $8 == "" ? "-" : $8 }'
  } >steps.tsv
  search_next PHASE=mixed SEARCH=rate MOST=1024 "$@"
}

# Print steps of a scan whose limit is kept up to a rate.
# Usage: scanned RATE   Returns: 0
scanned() {
  local rate
  echo "top - 100000 900"
  for rate in 125000 113216 100533 87520 74697 62503 43762 25136 12569; do
    echo "scan - $rate $((rate <= $1 ? 500 : 5000))"
  done
}

@test "a made-up server, one look in five disturbed tenfold: all of 100 searches within 3 rungs, the median within 1, in 45 steps at most; by halving many are wrong" {
  while read -r name least median most off steps _; do
    assert_equal "$name $off" "$name 0"
    ((median > 78431 && median < 81600)) || fail "$name: the median is $median, of $least to $most"
    ((steps <= 45)) || fail "$name: $steps steps"
  done < <(search_simulated "$REPO/tests/search.awk" 100 search:0 search:10 search:20)
  off=$(search_simulated "$REPO/tests/search.awk" 100 once:20 | awk '{ print $5 }')
  ((off > 20)) || fail "only $off of 100 searches by halving are wrong"
}

@test "a closed loop that was disturbed too, half of its rate: the ladder goes up again; at an eighth, it ends above every load that a look kept" {
  assert_equal "$(search_simulated "$REPO/tests/search.awk" 100 search:20:46000 | awk '{ print $5 }')" 0
  # The search begins far away, and 95 % is what it promises.
  off=$(search_simulated "$REPO/tests/search.awk" 100 search:20:10000 | awk '{ print $5 }')
  ((off <= 5)) || fail "$off of 100 searches are wrong"
  # No answer is at the end of the ladder, as long as a look above it is possible.
  assert_match $'^keep\tp99<=1ms\t69009\tfound\t[0-9.]+\t[0-9.]+\t' "$(next < <(
    echo 'top - 10000 900'
    printf 'scan - %s 500\n' 12500 11250 10000 8750 7500 6250 4375 2500 1250
    printf 'seek p99<=1ms %s 5000\n' 200000 100000 80000
    found | grep ^seek && echo 'take p99<=1ms 69009 900'
  ))"
}

@test "a measured phase above every load that a look kept does not begin the search again" {
  assert_match $'^keep\tp99<=1ms\t17037\tfound\t' "$(next SEARCH_SURE=70% SEARCH_STEP=10% < <(
    echo 'top - 11264.042 900'
    printf 'scan - %s 500\n' 14080 12800 9617 8743 7225 4935
    printf 'scan - %s 2000\n' 11636 2786 1429
    printf 'seek p99<=1ms %s 2100\n' 27438 20615
    echo 'take p99<=1ms 17037 900'
  ))"
}

@test "the closed loop is made again while far accesses fall, eight times at most" {
  again=$'step\ttop\t-\t0\t' on=$'step\tscan\t-\t125000\t1'
  assert_equal "$(next <<<'top - 100000 900 100 0 1 0.5')" "${again}2"
  assert_equal "$(next <<<$'top - 10000 900 100 0 1 0.5\ntop - 100000 900 100 0 1 0.3 2')" "${again}3"
  assert_equal "$(next <<<$'top - 10000 900 100 0 1 0.5\ntop - 100000 900 100 0 1 0.45 2')" "$on"
  assert_equal "$(next <<<$'top - 10000 900 100 0 1 0.5\ntop - 100000 900 100 0 1 0.1 8')" "$on"
  assert_equal "$(next <<<'top - 100000 900 100 0 1 0')" "$on"
  # The fastest counts: a later one that other programs disturbed does not lower the ladder.
  assert_equal "$(next <<<$'top - 100000 900 100 0 1 0.5\ntop - 500 900 100 0 1 0.45 2')" "$on"
  # The nine steps of the scan remain.
  assert_equal "$(next SEARCH_STEPS=10 <<<'top - 100000 900 100 0 1 0.5')" "$on"
  assert_equal "$(next <<<'top - 100000 900 100 0 1 -')" "$on"
}

@test "two limits in one search take fewer steps than two searches, and the second has its own answer" {
  one=$(search_simulated "$REPO/tests/search.awk" 100 search:20 | awk '{ print $7 }')
  read -r _ _ _ _ off _ both < <(search_simulated "$REPO/tests/search.awk" 100 both:20)
  # With noise of 10 % this is three rungs, not two.
  ((off <= 5)) || fail "$off of 100 answers for the second limit are wrong"
  awk -v one="$one" -v both="$both" 'BEGIN { exit !(both < 1.8 * one) }' || fail "$both steps for both, $one for one"
}

@test "the first steps: the closed loop, then the scan from its fastest rung; a look that others disturbed is made again; limits share looks" {
  assert_equal "$(next </dev/null)" $'step\ttop\t-\t0\t1'
  assert_equal "$(next <<<'top - 100000 900')" $'step\tscan\t-\t125000\t1'
  assert_equal "$(next <<<$'top - 100000 900\nscan - 125000 20000 100 0 0')" $'step\tscan\t-\t125000\t2'
  assert_equal "$(next < <(scanned 70000 | sed -n 1,4p))" $'step\tscan\t-\t87520\t1'
  one=$(next LIMITS="p99<=1ms" < <(scanned 70000))
  assert_match $'^step\tseek\tp99<=1ms\t' "$one"
  two=$(next LIMITS="avg<=1ms p99<=1ms" TURN=2 < <(scanned 70000))
  assert_match $'^step\tseek\tavg<=1ms\t' "$two"
}

# The steps of a search that has found about 70,000.
found() {
  local n
  scanned 70000
  for n in 1 2 3 4 5 6; do
    echo "seek p99<=1ms 69009 800 100 0"
    echo "seek p99<=1ms 70389 1200 100 ${1-0}"
  done
}

# Print the steps of a search that is done, at the seventh rung.
slow() {
  local n
  scanned 1
  for n in 1 2 3 4 5 6 7 8; do
    echo "seek p99<=1ms 1395 800"
    echo "seek p99<=1ms 1423 1200"
  done
}

@test "an answer: taken, measured slower while the phase breaks the limit, then kept; the load generator is named where it was the limit" {
  assert_equal "$(next < <(found))" $'take\tp99<=1ms\t69009\t1'
  assert_match $'^keep\tp99<=1ms\t69009\tfound\t' "$(next < <(found && echo 'take p99<=1ms 69009 900'))"
  assert_equal "$(next < <(found && echo 'take p99<=1ms 69009 1100'))" $'take\tp99<=1ms\t66329\t1'
  assert_equal "$(next < <(found && printf 'take p99<=1ms %s 1100\n' 69009 66329 63754))" $'take\tp99<=1ms\t58898\t1'
  assert_match $'^keep\tp99<=1ms\t50269\tfound\t' "$(next < <(found && printf 'take p99<=1ms %s\n' '69009 1100' '66329 1100' '63754 1100' '58898 1100' '50269 900'))"
  assert_match $'^keep\tp99<=1ms\t50269\tbroken\t' "$(next < <(
    found
    printf 'take p99<=1ms %s 1100\n' 69009 66329 63754 58898 50269
  ))"
  # Near the end of the ladder the slowest load is the last one.
  assert_equal "$(next < <(slow && printf 'take p99<=1ms %s 1100\n' 1395 1341))" $'take\tp99<=1ms\t1289\t1'
  assert_equal "$(next < <(slow && printf 'take p99<=1ms %s 1100\n' 1395 1341 1289))" $'take\tp99<=1ms\t1239\t1'
  assert_match $'^keep\tp99<=1ms\t1239\tbroken\t' "$(next < <(slow && printf 'take p99<=1ms %s 1100\n' 1395 1341 1289 1239))"
  assert_match $'^keep\tp99<=1ms\t69009\tclient\t' "$(next < <(found 1 && echo 'take p99<=1ms 69009 900'))"
}

@test "a phase that others disturbed is measured again at the same load if it breaks its limit, and stands if it keeps it" {
  assert_equal "$(next < <(found && echo 'take p99<=1ms 69009 1100 100 0 0'))" $'take\tp99<=1ms\t69009\t2'
  assert_equal "$(next < <(found && printf 'take p99<=1ms 69009 1100 100 0 %s\n' 0 0 0))" $'take\tp99<=1ms\t69009\t4'
  assert_match $'^keep\tp99<=1ms\t69009\tfound\t' "$(next < <(found && printf 'take p99<=1ms 69009 %s 100 0 0\n' 1100 900))"
  # Only a phase that counts makes the load slower.
  assert_equal "$(next < <(found && printf 'take p99<=1ms 69009 1100 100 0 %s\n' 0 0 0 1))" $'take\tp99<=1ms\t66329\t1'
  assert_equal "$(next < <(found && printf 'take p99<=1ms %s\n' '69009 1100' '66329 1100 100 0 0'))" $'take\tp99<=1ms\t66329\t2'
}

@test "no load keeps it: the least figure seen, and where, and how many looks at the slowest load kept it" {
  looks=$(scanned 1 && for n in 1 2 3 4 5 6 7 8; do echo "seek p99<=1ms 1250 1310"; done)
  assert_equal "$(next <<<"$looks")" $'none\tp99<=1ms\t1310\t1250\t18\t0\t8\t1250'
  # The load generator's look does not count, nor a disturbed one.
  looks=$(scanned 1 && for n in 1310 432 700 1310 1310 1310 1310 1310 1310 1310 1310 1310; do echo "seek p99<=1ms 1250 $n"; done)
  assert_equal "$(next < <(echo "$looks" && printf 'seek p99<=1ms 1250 500 100 0 0\nseek p99<=1ms 1250 1310\n'))" $'none\tp99<=1ms\t432\t1250\t24\t2\t13\t1250'
}

@test "a server that answers nothing ends the search after eight closed loops, and a look without answers has no min figure" {
  silent() { printf 'top - 0 0\n%.0s' "$@"; }
  assert_equal "$(next < <(silent 1 2 3 4 5 6 7))" $'step\ttop\t-\t0\t1'
  assert_equal "$(next < <(silent 1 2 3 4 5 6 7 8))" $'none\tp99<=1ms\t-\t-\t8\t0\t0\t-'
  assert_equal "$(next < <(scanned 1 | sed 's/^scan - 12569 5000$/scan - 12569 0 0/' && printf 'seek p99<=1ms 1250 1310\n%.0s' 1 2 3 4 5 6 7 8) |
    cut -f 1-4)" $'none\tp99<=1ms\t1310\t1250'
}

@test "too few steps: the answer is what is known by then, and marked; a look that left requests unanswered breaks every limit" {
  assert_match $'^take\t' "$(next SEARCH_STEPS=10 < <(scanned 70000))"
  assert_match $'^keep\tp99<=1ms\t64000\topen\t' "$(next SEARCH_STEPS=10 < <(scanned 70000 && echo 'take p99<=1ms 64000 900'))"
  assert_match $'^none\t' "$(next < <(
    scanned 999999 | sed 's/ 500$/ 500 98/'
    printf 'seek p99<=1ms 1250 500 98\n%.0s' 1 2 3 4 5 6 7 8
  ))"
}

@test "a number of far accesses that is not known keeps no limit, and is not the min measured" {
  looks() { scanned 999999 | sed "s/\$/ 100 0 1 $1/"; }
  for far in - 1; do
    assert_match $'^step\tseek\tfar<=0.05\t4[0-9]{3}\t1$' "$(next LIMITS='far<=0.05' < <(looks "$far"))"
  done
  assert_match $'^step\tseek\tfar<=0.05\t2[0-9]{5}\t1$' "$(next LIMITS='far<=0.05' < <(looks 0))"
  slow() { printf 'seek far<=0.05 1000 500 100 0 1 %s\n' - - - - - - - "$1"; }
  assert_match $'^none\tfar<=0.05\t-\t-\t' "$(next LIMITS='far<=0.05' < <(looks - && slow -))"
  assert_match $'^none\tfar<=0.05\t0.2\t1000\t' "$(next LIMITS='far<=0.05' < <(looks - && slow 0.2))"
}

@test "connections: the ladder is of whole numbers up to all there are, without a closed loop first" {
  assert_equal "$(next SEARCH=connections MOST=64 </dev/null)" $'step\tscan\t-\t64\t1'
  assert_equal "$(next SEARCH=connections MOST=64 <<<'scan - 64 5000')" $'step\tscan\t-\t32\t1'
  assert_match $'^step\tseek\tp99<=1ms\t(2[0-9]|1[0-9])\t' "$(next SEARCH=connections MOST=64 < <(
    for n in 64 32; do echo "scan - $n 5000"; done
    for n in 16 8 4 2 1; do echo "scan - $n 500"; done
  ))"
}

# Print a step of two clients in the format of steps.tsv: the first client is fast, the second is slow.
# Usage: step_of_two   Returns: 0
step_of_two() {
  {
    printf 'bucket\t100.031\t90\nbucket\t200.128\t10\nbucket\t1000\t80\nbucket\t5000\t20\n'
    printf 'figure\t1\t%s\n' $'rate\t100' $'ops\t100' $'asked_us\t1000000' $'elapsed_us\t1000000' $'avg_us\t110' $'samples\t100' $'max_us\t190'
    printf 'figure\t2\t%s\n' $'rate\t150' $'ops\t100' $'asked_us\t1000000' $'elapsed_us\t1250000' $'avg_us\t1800' $'samples\t100' $'max_us\t4900' $'unsent\t50' \
      $'errors\t50' $'client_limited\t1' $'send_lag_p99_us\t7'
  } | LC_ALL=C sort -t $'\t' -k 1,1 -k 2,2n | awk -f "$REPO/lib/part/search/step.awk"
}

@test "a step of two clients: rates add up, percentiles are those of both histograms together, and the slower end counts; at a low rate the whole requests count" {
  # ops/s avg p50 p90 p99 p99.9 p99.99 max answered unsent errors client_limited lag
  assert_equal "$(step_of_two)" "$(printf '%s\t' 180.000 955.000 200.128 1000.000 4900.000 4900.000 4900.000 4900.000 66.67 50 50 1 7.000 | sed 's/\t$//')"
  answered() { printf 'figure\t1\t%s\n' $'rate\t'"$1" $'ops\t'"$2" $'asked_us\t3000000' $'elapsed_us\t3000000' | awk -f "$REPO/lib/part/search/step.awk" | cut -f 9; }
  assert_equal "$(answered 4.8 14) $(answered 4.8 13) $(answered 0.1 1) $(answered 0.1 0)" '100.00 92.86 100.00 0.00'
}

# Write a repeat of a variant with the result of its search: SEARCH LOAD OPS SOFT_LOW SOFT_HIGH LEAST, for one limit. KEPT of LOOKS at the load
# SLOWEST kept it. LOW is search_low, UNIT load_unit.
# Usage: answer RANK VARIANT REPEAT SEARCH LOAD OPS SOFT_LOW SOFT_HIGH LEAST [KEPT LOOKS SLOWEST]   Returns: 0
answer() {
  local folder=run/$2/1000B-1i/rep-$3
  mkdir -p "$folder"
  {
    printf 'phase\tlimit\tsearch\tload\tsearch_low\tsearch_high\tsoft_low\tsoft_high\tsteps\tleast_us\tslowest_kept\tslowest_looks\tslowest\tload_unit\n'
    printf 'mixed\tp99<=1ms\t%s\t%s\t%s\t-\t%s\t%s\t24\t%s\t%s\t%s\t%s\t%s\n' "$4" "$5" "${LOW:--}" "$7" "$8" "$9" "${10:-0}" "${11:-0}" "${12:--}" "${UNIT:-ops/s}"
  } >"$folder/search.tsv"
  [[ $4 == none ]] || printf '%s\t%s\t1000B-1i\t%s\tmixed\t1000\t1\t%s\t%s\t500\t900\t\t1\t\n' "$1" "$2" "$3" "$5" "$6" >>rows
}

# Usage: table   Globals: LIMITED, LATE: rows have their columns   Returns: 0
table() {
  search_table search ${LIMITED+client_limited} ${LATE+unanswered at_least_us}
}

@test "the table: medians beside each other, % of the first variant, the range of repeats and of soft loads" {
  answer 1 native 1 found 100000 99990 90000 104000 -
  answer 1 native 2 found 90000 89990 88000 95000 -
  answer 1 native 3 client 95000 94990 - 95000 -
  LOW=10200 answer 2 swap 1 found 10000 9500 9800 10400 -
  run table
  assert_contains 'swap, p99<=1ms: in 1 of 1 repeats, the measured phase kept the limit only at a lower load than the steps' "$output"
  refute_contains 'native, p99<=1ms: in'
  assert_contains 'p99<=1ms native >=94,990 - 500 900 - 89,990..99,990 88,000..104,000 24' "$output"
  # The first variant can do more.
  assert_contains 'p99<=1ms swap 9,500 <=10.0% 500 900 - 9,500..9,500 9,800..10,400 24' "$output"
  assert_contains 'native, p99<=1ms: the load generator was the limit above this load' "$output"
}

@test "the table: a share of the first variant is a bound where the load generator was the limit of one of both" {
  answer 1 native 1 found 100000 100000 90000 104000 -
  answer 2 swap 1 client 10000 10000 9800 10400 -
  answer 3 zram 1 found 50000 50000 49000 51000 -
  run table
  assert_contains 'p99<=1ms swap >=10,000 >=10.0% 500' "$output"
  assert_contains 'p99<=1ms zram 50,000 50.0% 500' "$output"
  rm rows
  answer 1 native 1 client 100000 100000 90000 104000 -
  answer 2 swap 1 client 10000 10000 9800 10400 -
  answer 3 zram 1 found 50000 50000 49000 51000 -
  run table
  assert_contains 'p99<=1ms swap >=10,000 - 500' "$output"
  assert_contains 'p99<=1ms zram 50,000 <=50.0% 500' "$output"
}

@test "the table of a search for connections: a closed loop whose load generator was busy is a bound, as in compare" {
  UNIT=connections answer 1 native 1 found 100000 100000 90000 104000 -
  UNIT=connections answer 2 swap 1 found 10000 10000 9800 10400 -
  awk -F '\t' -v OFS='\t' '{ print $0, $2 == "native" }' rows >limited
  mv limited rows
  LIMITED=yes run table
  assert_contains 'p99<=1ms native >=100,000 - ' "$output"
  assert_contains 'p99<=1ms swap 10,000 <=10.0% ' "$output"
  assert_contains 'native, p99<=1ms: the load generator was the limit at this load' "$output"
}

@test "the table: latencies with unanswered requests are lower bounds" {
  answer 1 native 1 found 100000 100000 90000 104000 -
  answer 1 native 2 found 100000 100000 90000 104000 -
  answer 2 swap 1 found 50000 50000 49000 51000 -
  # Nine requests of one repeat had no answer; the shortest of them waited for 600 us.
  awk -F '\t' -v OFS='\t' '{ print $0, ($2 == "native" && $4 == 2 ? 9 : 0), 600 }' rows >late
  mv late rows
  LATE=yes run table
  assert_contains 'p99<=1ms native 100,000 - >=500 >=900 - ' "$output"
  assert_contains 'p99<=1ms swap 50,000 50.0% 500 900 - ' "$output"
  assert_equal "$(grep -c 'Latencies with >= are lower bounds' <<<"$output")" 1
}

@test "the table: what nothing keeps, and what the measured phase breaks, have words and no figures" {
  answer 1 native 1 broken 100000 99990 90000 104000 -
  answer 2 swap 1 none 2900 - - - 1310
  run table
  assert_contains 'p99<=1ms native broken' "$output"
  assert_contains 'p99<=1ms swap none' "$output"
  assert_contains 'swap, p99<=1ms: no load keeps it; the min measured is 1,310 us, at 2,900 ops/s' "$output"
  answer 2 swap 1 none 2900 - - - 432 2 5 1234
  run table
  assert_contains 'swap, p99<=1ms: no load keeps it: 2 of 5 looks at 1,234 ops/s did; the min measured is 432 us, at 2,900 ops/s' "$output"
  answer 2 swap 2 none 2000 - - - 1310 0 6 1199
  run table
  assert_contains 'swap, p99<=1ms: no load keeps it: 2 of 11 looks at 1,199..1,234 ops/s did; the min measured is 432 us, at 2,900 ops/s' "$output"
  answer 2 swap 2 none - - - - - 0 0 -
  run table
  assert_contains 'swap, p99<=1ms: no load keeps it: 2 of 5 looks at 1,234 ops/s did; the min measured is 432 us, at 2,900 ops/s' "$output"
  answer 2 swap 1 none - - - - - 0 0 -
  run table
  assert_contains 'swap, p99<=1ms: no load keeps it; no step had an answer to a request' "$output"
  answer 2 swap 1 none 2900 - - - 432 2 5 1234
  UNIT=connections answer 2 swap 2 none 2000 - - - 1310 0 6 1199
  run table
  assert_contains 'swap, p99<=1ms: no load keeps it: 2 of 11 looks at 1,199..1,234 connections did; the min measured is 432 us, at 2,900 connections' "$output"
  assert_contains 'Soft range, connections' "$output"
  assert_contains 'native, p99<=1ms: the measured phase breaks the limit' "$output"
  answer 1 native 2 found 90000 89990 88000 95000 -
  run table
  assert_contains 'p99<=1ms native 89,990' "$output"
  assert_contains 'in 1 of 2 repeats, which are excluded' "$output"
}

@test "the table: the notes count all repeats, those with an answer and those without" {
  for repeat in 1 2 3; do answer 1 native $repeat found 100000 99990 90000 104000 -; done
  answer 1 native 4 none 2900 - - - 1310
  answer 1 native 5 broken 100000 99990 90000 104000 -
  answer 2 swap 1 none 2900 - - - 1310
  answer 2 swap 2 broken 100000 99990 90000 104000 -
  run table
  assert_contains 'native, p99<=1ms: no load keeps it, in 1 of 5 repeats' "$output"
  assert_contains 'native, p99<=1ms: the measured phase breaks the limit, although steps kept it, in 1 of 5 repeats, which are excluded: a longer' "$output"
  assert_contains 'p99<=1ms swap broken' "$output"
  assert_contains 'swap, p99<=1ms: no load keeps it, in 1 of 2 repeats' "$output"
  assert_contains 'although steps kept it, in 1 of 2 repeats: a longer' "$output"
}

@test "a part of what searches of an earlier run found is a rate: the median of repeats, the lowest of searches, of a variant too" {
  # A search without an answer, one for connections and a failed repeat do not count.
  for variant in native swap; do
    while read -r rep state load; do
      mkdir -p "run/$variant/1000B/rep-$rep"
      printf 'phase\tlimit\tsearch\tload\tload_unit\nmixed\tp99<=1ms\t%s\t%s\tops_per_sec\nmixed-2\tp99<=1us\tnone\t1\tops_per_sec\nget\tp99<=1ms\tfound\t7\tconnections\n' \
        "$state" $((load / (${#variant} - 3))) >"run/$variant/1000B/rep-$rep/search.tsv"
    done <<<$'1 found 90000\n2 open 9000\n3 client 27000\n4.failed-1 found 30'
  done
  assert_equal "$(conf_value RATE argument RATE=60%@run)" 5400
  assert_equal "$(conf_value RATE argument RATE=50%@run/swap scenario RATE=10%@run)" 13500
  assert_equal "$(conf_value RATE argument RATE=100%@run/native/)" 9000
  # Settings that repeat a run have the numbers, and other words as they are.
  assert_equal "$(export READ=plan_settle && conf_value SWEEP argument 'SWEEP=RATE=10k,60%@run,50%@run/swap TIME=1m,5')" 'RATE=10000,5400,13500 TIME=1m,5'
  mv run a=b
  assert_equal "$(conf_value RATE argument RATE=60%@a=b)" 5400
  fails 2 run conf_value RATE argument RATE=60%@a=b/swap/1000B
}

@test "a rate from a search that was truncated, or from a directory with a FIFO, is refused" {
  mkdir -p run/native/1000B/rep-1
  printf 'phase\tlimit\tsearch\tload\tload_unit\nmixed\tp99<=1ms\tfound\t90000\tops_per_sec\n' >run/native/1000B/rep-1/search.tsv
  printf '74\tsearch.tsv\n' >run/native/1000B/rep-1/SIZES
  for why in 'native/1000B/rep-1/search.tsv: has 73 bytes of 74: it was truncated or changed' 'native/fifo: a FIFO: no file of this directory is read; remove it'; do
    fails 2 run_split "$REPO/do_it.sh" plan -s demo TIME=5 RATE=60%@run
    # shellcheck disable=SC2154 # it is set by run_split
    assert_equal "$STDERR" "run/$why"$'\n''do_it.sh: RATE=PERCENT@run: cannot be read (see the line above); name another run with RATE=search'
    mkfifo run/native/fifo 2>/dev/null || break
  done
}
