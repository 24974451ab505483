#!/usr/bin/env bats
# SPDX-License-Identifier: MIT
# Comparison of runs: the guide's percentages, verdicts that few repeats cannot mislead, conditions, and what cannot be compared.
# slow

load helper
load logs
load compare

RUN=20250101T100000Z-x

# Make the guide's two systems at 1,000 B: three repeats of two clients each.
guide_make() {
  local repeat=0 times
  mkdir native imdt
  for times in '594 568 597 585' '593 568 597 586' '594 568 597 586'; do
    _guide_repeat native 2275590 $((++repeat)) "$times"
  done
  repeat=0
  for times in '609 594 631 596' '598 620 669 636' '604 618 673 638'; do
    _guide_repeat imdt 2278645 $((++repeat)) "$times"
  done
}

_guide_repeat() {
  local t
  read -ra t <<<"$4"
  log_make 1000 "$2" 144 "set:${t[0]}" "get:${t[1]}" >"$1/redis.log.192.168.1.92.20180501-100000.$3"
  log_make 1000 "$2" 144 "set:${t[2]}" "get:${t[3]}" >"$1/redis.log.192.168.1.90.20180501-100000.$3"
}

@test "two folders of the guide's logs give its Table 1: Tx to the last digit, per cent to a decimal" {
  guide_make
  succeeds run_split compare --repeats --format csv native imdt
  assert_equal "$(awk -F, 'NR > 1 { printf "%.0f %.0f %.1f\n", $9, $11, $12 }' <<<"$output")" \
    '8804353696 8470405121 96.2
9096442973 8823551108 97.0
8811795965 8313395883 94.3
9088795939 8361226400 92.0
8804353696 8246469239 93.7
9088795939 8361989820 92.0'
  run_split compare --repeats native imdt
  assert_contains '8,804,353,696' && assert_contains '96.2%' && assert_contains '% of native'
  # Gain, factor and per cent are three forms of one ratio.
  assert_equal "$(figure tx percent_of_base,gain_percent,factor native imdt | awk -F '|' 'NR == 1 { printf "%.3f %.3f", $1 - 100 - $2, $1 / 100 - $3 }' | tr -d -)" \
    '0.000 0.000'
}

@test "a run against itself is the same in every figure, as far as the figure can show; one bucket of the histogram, or one second of a thread, is not a difference" {
  run_make 20250101T100000Z-x 4 30 90 20 60
  succeeds run_split compare --format csv 20250101T100000Z-x 20250101T100000Z-x
  # Tx of 20 s has steps of 5 %, and a p50 of 30 us has steps of 1 us.
  assert_equal "$(tail -n +2 <<<"$output" | cut -d, -f 3,18 | sort | uniq -c | awk '{ $1 = $1 } 1')" '2 cpu,same within 2 %
2 ops,same within 2 %
1 p50,same within 2 %
1 p50,same within 3.3 %
2 p99,same within 2 %
2 p99.9,same within 2 %
1 tx,same within 2 %
1 tx,same within 5 %'
  assert_equal "$(tail -n +2 <<<"$output" | grep -c .)" 12
  run_make 20250101T100000Z-x 4 30 31 20 21
  assert_equal "$(figure p50 mark,more_repeats 20250101T100000Z-x)" 'not decided|'
  assert_equal "$(figure tx mark 20250101T100000Z-x)" 'same within 5 %'
}

@test "sides are called by what tells them apart; an empty run, and an unfinished repeat: each one line" {
  run_make 20250101T100000Z-x 3 30 90 20 60
  run_make 20250102T100000Z-y 3 30 90 20 60
  assert_equal "$(figure p50 base,other 20250101T100000Z-x)" 'native|swap'
  assert_equal "$(figure p50 base 20250101T100000Z-x/native 20250102T100000Z-y/native)" 20250101T100000Z-x
  assert_equal "$(figure p50 other 20250101T100000Z-x 20250102T100000Z-y | tr '\n' ' ')" '20250102T100000Z-y:native 20250102T100000Z-y:swap '
  assert_equal "$(figure p50 other 20250101T100000Z-x 20250101T100000Z-x | tr '\n' ' ')" 'native (2) swap (2) '
  mkdir -p 20250101T100000Z-empty
  refuses 1 '20250101T100000Z-empty: holds no complete result' run_split compare 20250101T100000Z-empty 20250102T100000Z-y
  mv 20250102T100000Z-y/swap/1000B-4i/rep-3 20250102T100000Z-y/swap/1000B-4i/rep-3.partial
  warns 'incomplete, excluded: 20250102T100000Z-y/swap/1000B-4i/rep-3.partial' run_split compare --metric p50 20250102T100000Z-y
  assert_contains '3 repeats of native and 2 of swap' "$STDERR"
}

@test "--fail-if: a point or a variant that cannot be evaluated is a failure, though all others keep the rule" {
  run_make $RUN 3 30 30 20 20
  for repeat in 1 2 3; do
    repeat_make $RUN native 1000B-8i $repeat c 1000 500000 8 30 90 set:20
    repeat_make $RUN swap 1000B-8i $repeat c 1000 500000 8 30 90 set:0
  done
  fails 1 run_split compare --metric p50 --fail-if 'tx<50%' --fail-if 'p50>1ms' $RUN
  assert_equal "$(grep -c fail-if <<<"$STDERR")" 1
  assert_contains 'swap, set at 1000B-8i: Tx combined cannot be evaluated: no such figure (tx<50%)' "$STDERR"
  mv $RUN/swap/1000B-8i/rep-1 $RUN/swap/1000B-8i/rep-1.partial
  rm -r $RUN/swap/1000B-8i/rep-[23]
  mkdir $RUN/zram
  touch $RUN/zram/variant.conf
  settings_make $RUN
  refuses 1 'swap, set at 1000B-8i: p50 latency cannot be evaluated: no result (p50>1ms)' run_split compare --metric p50 --fail-if 'p50>1ms' $RUN
  assert_contains "zram of $RUN has no complete result (p50>1ms)" "$STDERR"
}

@test "one bad repeat of a count is seen, and nothing of something is judged by whether the repeats are apart" {
  run_make $RUN 3 30 30 20 20
  result_set $RUN swap 3 misses 900000
  refuses 1 'swap, set at 1000B-4i: misses is 900,000 (misses>0)' run_split compare --fail-if 'misses>0' $RUN
  assert_match 'misses, the most +0 +0 to 0 +900,000 +0 to 900,000 +- +- +no interval'
  for repeat in 1 2; do result_set $RUN swap $repeat misses 800000; done
  for repeat in 1 2 3; do result_set $RUN swap $repeat ops_per_sec 0; done
  matches 'misses, the most .* worse ' run_split compare $RUN
  assert_contains 'worse in misses: 1 of 1, from 0 to 900,000'
  assert_contains "swap reaches 0.0 % of native's throughput: worse."
}

@test "how fast the keys are set before other phases is not judged, and of a phase under a second no client CPU" {
  for repeat in 1 2 3; do
    repeat_make $RUN native 1000B-4i $repeat c 1000 500000 4 30 90 populate:9 set:0 get:20 populate-2:9
    repeat_make $RUN swap 1000B-4i $repeat c 1000 500000 4 30 90 populate:90 set:0 get:20 populate-2:90
  done
  printf 'SCENARIO=x\nVARIANTS="native swap"\n' >$RUN/run.conf
  settings_make $RUN
  succeeds run_split compare --fail-if 'ops<50%' --limit 'p99<=1ms' $RUN
  refute_contains populate
  refute_contains POPULATE
  assert_match 'get +client CPU'
  refute_contains 'set +client CPU'
  # Failures of populate count, and if nothing else was measured, so does its speed.
  result_set $RUN swap 2 errors 3
  refuses 1 'swap, populate at 1000B-4i: errors is 3 (errors>0)' run_split compare --fail-if 'errors>0' $RUN
  rm -r $RUN
  for repeat in 1 2 3; do
    repeat_make $RUN native 1000B-4i $repeat c 1000 500000 4 30 90 populate:9 populate-2:9
    repeat_make $RUN swap 1000B-4i $repeat c 1000 500000 4 30 90 populate:90 populate-2:90
  done
  matches 'populate +throughput' run_split compare $RUN
  assert_match 'populate-2 +throughput'
}

@test "differences between the environments are above the table; temporary ones are not" {
  for run in 20250101T100000Z-x 20250102T100000Z-x; do
    run_make $run 3 30 90 20 60
    printf 'SERVER=10.0.0.9\nCLIENT_IP="10.0.0.9"\n' >>$run/run.conf
    settings_make "$run"
    mkdir -p $run/env/10.0.0.9
    printf 'kernel\t6.1.%s\nthp\tnever\nuptime\t%s\n' "${run:7:1}" "$run" >$run/env/10.0.0.9/env.tsv
  done
  # A setting that was renamed since is no difference.
  printf 'REPLAY.speed="1"\nTRACK_WRITES=0\n' >>20250101T100000Z-x/run.conf
  printf 'PIPELINE=4\nTIME=30\nRESULTS_DIR=/a\nTRACE_FILE.speed="1"\nTRACK=0\n' >>20250102T100000Z-x/run.conf
  settings_make "20250102T100000Z-x"
  matches 'server +kernel +6\.1\.1 +6\.1\.2' run_split compare --metric p50 20250101T100000Z-x 20250102T100000Z-x
  assert_match 'setting +PIPELINE +\(not said\) +4'
  assert_match 'setting +TIME +\(not said\) +30'
  refute_contains uptime
  refute_contains thp
  refute_contains RESULTS_DIR
  refute_contains TRACE_FILE
  refute_contains TRACK
  assert_equal "$STDERR" ''
  rm -r 20250102T100000Z-x/env
  guide_make
  run_split compare --metric p50 20250101T100000Z-x 20250102T100000Z-x
  assert_equal "$STDERR" 'compare: not described in 20250102T100000Z-x: server; its differences are unknown'
  warns 'compare: not described in imdt: settings and hosts' run_split compare --metric tx native imdt
}

@test "compare prints the warnings of each run that it compares" {
  for run in 20250101T100000Z-x 20250102T100000Z-x; do
    run_make $run 1 30 30 20 20
    server_make $run/swap/1000B-4i/rep-1 swap off 1000000 2
  done
  result_set 20250102T100000Z-x swap 1 client_limited 1
  run_split compare --metric p50 20250102T100000Z-x
  assert_contains 'compare: the client was the bottleneck, so the figures describe the client, not the server, in 1 of 2 results: swap, set at' "$STDERR"
  assert_contains 'compare: less than 90 % of the data was on the requested memory (placement=off), so no comparison counts it, in 1 of 2 results: swap' "$STDERR"
  run_split compare --metric p50 20250101T100000Z-x 20250102T100000Z-x
  assert_equal "$(grep -c 'placement=off' <<<"$STDERR")" 2
  assert_contains 'compare: 20250102T100000Z-x: the client was the bottleneck' "$STDERR"
  refute_contains 'compare: 20250101T100000Z-x: the client was the bottleneck' "$STDERR"
}

@test "every format is valid; --fail-if: a rule that is met exits 1 and names the place; one that is not exits 0" {
  guide_make
  need_command python3
  compare --format json --fail-if 'tx<95%' native imdt >out.json || [[ $? == 1 ]]
  compare --format json --repeats native imdt >repeats.json
  compare --format csv native imdt >out.csv
  succeeds run python3 - <<'END'
import csv, json
j = json.load(open("out.json"))
c = list(csv.DictReader(open("out.csv")))
assert len(j["rows"]) == len(c) == 4, (len(j["rows"]), len(c))
for a, b in zip(j["rows"], c):
    assert list(a) == list(b)
    assert all(str(v) == b[k] or (v is None and b[k] == "") or float(b[k]) == v for k, v in a.items()), (a, b)
assert len(j["repeats"]) == 6
assert len(j["verdict"]) == 1 and j["verdict"][0].startswith("imdt reaches 92.0 % (get at 1000B-288i) to 94.4 %"), j["verdict"]
assert len(j["failed"]) == 2 and j["failed"][0] == "imdt, set at 1000B-288i: Tx combined is 94.4 % of native (tx<95%)", j["failed"]
assert any("not described in imdt" in n for n in j["notes"]), j["notes"]
assert list(json.load(open("repeats.json"))) == ["repeats"]
END
  run_make 20250101T100000Z-x 1 30 90 20 60
  mkdir -p 20250101T100000Z-x/swap
  printf 'TIER=swap\n' >20250101T100000Z-x/swap/variant.conf
  settings_make "20250101T100000Z-x"
  warns 'compare: differs: setting, TIER: (not said) (native), swap (swap)' run_split compare --format csv 20250101T100000Z-x
  run compare --format markdown native imdt
  assert_line '| Point | Phase | Figure | native | min max | imdt | min max | of base | 95 % interval | Verdict |'
  run compare --all --format markdown native imdt
  assert_line '| Point | Phase | Figure | native | min max | imdt | min max | % of base | 95 % interval | Verdict | Gain | Factor |'
  refuses 1 'imdt, set at 1000B-288i: Tx combined is 94.4 % of native (tx<95%)' run_split compare --fail-if 'tx<95%' native imdt
  succeeds run_split compare --fail-if 'tx<90%' --fail-if 'errors>0' native imdt
  # A rule that cannot be evaluated must not pass silently.
  refuses 1 'no such figure' run_split compare --fail-if 'p99>2ms' native imdt
}

@test "a slowed server is worse, --fail-if takes a figure that is not shown, --limit finds the most operations per second at a point that keeps it; waits for far memory are set against the operations of their phase" {
  run_make 20250101T100000Z-x 3 30 90 20 60
  for repeat in 1 2 3; do
    mkdir 20250101T100000Z-x/{native,swap}/1000B-4i/rep-$repeat/server
    printf 'phase\tscope\tcounter\tbefore\tafter\n%s\n' $'set\thost\tpswpin\t7\t900007\nset\t6379\tmajflt\t7\t20007\nset\t6379\tcalls\t0\t2000000' \
      >20250101T100000Z-x/native/1000B-4i/rep-$repeat/server/counters.tsv
    printf 'phase\tscope\tcounter\tbefore\tafter\n%s\n' $'set\thost\tpswpin\t7\t900007\nset\t6379\tmajflt\t7\t200007\nset\t6379\tcalls\t0\t2000000' \
      >20250101T100000Z-x/swap/1000B-4i/rep-$repeat/server/counters.tsv
  done
  assert_equal "$(figure far base_median,other_median,mark 20250101T100000Z-x)" '0.01|0.1|worse'
  assert_equal "$(figure p50 mark --metric ops 20250101T100000Z-x)" $'worse\nworse'
  assert_equal "$(figure p50 mark 20250101T100000Z-x/swap 20250101T100000Z-x/native)" better
  refuses 1 'p99 latency is 360 us' run_split compare --metric tx --fail-if 'p99>0.3ms' 20250101T100000Z-x
  for repeat in 1 2 3; do repeat_make 20250101T100000Z-x native 1000B-8i $repeat c 1000 500000 8 300 900 set:20; done
  succeeds run_split compare --format json --limit 'p99<=0.2ms' 20250101T100000Z-x
  assert_contains '"subject": "native", "operation": "set", "limit": "p99<=0.2ms", "point": "1000B-4i"'
  assert_contains '"subject": "swap", "operation": "set", "limit": "p99<=0.2ms", "point": "no point keeps it"'
  guide_make
  matches 'native +set +p99<=1ms +not known' run_split compare --limit 'p99<=1ms' native imdt
  refute_contains 'no point keeps it'
}

@test "a name drives neither the terminal nor a page made of the markdown" {
  local name=$'sw\e]0;x\a\xc2\x9b31m<img src=x>|[a]'
  repeat_make 20250101T100000Z-x native 1000B-4i 1 c 1000 50 4 23 99 set:3
  repeat_make 20250101T100000Z-x "$name" 1000B-4i 1 c 1000 50 4 46 99 set:3
  shows ' sw?]0;x??31m<img src=x>|[a] ' run_split compare 20250101T100000Z-x
  assert_contains 'sw?]0;x??31m<img src=x>|[a] reaches 100.0 %'
  refute_contains $'\e'
  refute_contains $'\xc2\x9b'
  shows '| sw?&#93;0;x??31m&lt;img src=x&gt;&#124;&#91;a&#93; |' run_split compare --format markdown 20250101T100000Z-x
  assert_contains 'sw?&#93;0;x??31m&lt;img src=x&gt;&#124;&#91;a&#93; reaches'
  refute_contains '<img'
}

@test "mawk and gawk compare alike" {
  need_command mawk gawk
  guide_make
  run_make 20250101T100000Z-x 3 30 90 20 60
  for awk in mawk gawk; do
    {
      with_awk $awk compare --limit 'p99<=1ms' native imdt
      with_awk $awk compare --metric p99 --fail-if 'p99>1us' --format json 20250101T100000Z-x || [[ $? == 1 ]]
    } >"said.$awk" 2>&1
  done
  cmp said.mawk said.gawk
}

@test "nothing in common is one clear line; what is comparable is still compared" {
  repeat_make r/20250101-x native 1000B-4i 1 c 1000 50 4 23 99 set:3
  repeat_make r/20250102-y native 2000B-4i 1 c 2000 50 4 23 99 set:3
  fails 1 run_split compare r/20250101-x r/20250102-y
  assert_output ''
  assert_equal "$STDERR" 'compare: no common points: 20250101-x has 1000B-4i; 20250102-y has 2000B-4i; run both with the same VALUE_SIZES, INSTANCES and axes'
  repeat_make r/20250102-y native 1000B-4i 1 c 1000 50 4 23 99 set:3
  warns '20250101-x has no set at 2000B-4i, which 20250102-y has' run_split compare r/20250101-x r/20250102-y
  # Logs of several sizes.
  mkdir small large
  log_make 1000 50 4 set:3 >small/redis.log.a.20180501-100000.1
  log_make 2000 50 4 set:3 >large/redis.log.a.20180501-100000.1
  log_make 1000 50 4 set:3 >large/redis.log.a.20180501-110000.2
  succeeds run_split compare --format csv --metric tx small large
  assert_equal "$(cut -d , -f 1,2 <<<"$output")" $'point,operation\n1000B-4i,set'
  assert_contains 'compare: small has no set at 2000B-4i, which large has' "$STDERR"
}

@test "a histogram that is cut short costs the percentiles that need it, and is named once" {
  for repeat in 1 2 3; do
    for variant in native swap; do
      for client in a b; do
        repeat_make 20250101T100000Z-x $variant 1000B-4i $repeat $client 1000 50 4 30 90 set:3
        histogram_make 30:190 90:10 >20250101T100000Z-x/$variant/1000B-4i/rep-$repeat/$client/histogram-set-a1B2c3
      done
    done
  done
  sed -i '$d' 20250101T100000Z-x/swap/1000B-4i/rep-2/b/histogram-set-a1B2c3
  fails 1 run_split compare --format csv --metric p99 --metric ops 20250101T100000Z-x
  assert_equal "$(grep -v ' have no ' <<<"$STDERR")" 'compare: 20250101T100000Z-x/swap/1000B-4i/rep-2/b/histogram-set-a1B2c3: the histogram is missing or truncated; percentiles are left empty'
  assert_contains 'set at 1000B-4i: 1 of 3 repeats of swap have no p99 latency, and are not in its figures' "$STDERR"
  # Metric, repeats of the base, repeats of the other.
  assert_equal "$(cut -d , -f 3,9,14 <<<"$output")" $'metric,base_repeats,other_repeats\np99,3,2\nops,3,3'
}

@test "JSON has the exit status and the notes of the table, also without two sides" {
  run_make $RUN 3 30 90 20 60
  touch $RUN/swap/variant.conf
  settings_make $RUN
  rm -r $RUN/swap/1000B-4i
  refuses 1 "swap of $RUN has no complete result" run_split compare --format json --fail-if 'tx<95%' $RUN
  rm -r $RUN/swap
  sed -i 's/native swap/native/' $RUN/run.conf
  settings_make $RUN
  for words in '--format=table --fail-if=p99>1us' '--format=json --fail-if=p99>1us' '--format=json --limit=p99<=1us' '--format=json --metric=p99'; do
    # shellcheck disable=SC2086 # two options
    refuses 1 'native is the only variant: nothing to compare' run_split compare $words $RUN
  done
  # Its totals are all that a run of one variant has.
  shows '"totals": [' run_split compare --format json $RUN
}

@test "a ratio has one form: a percentage of a throughput, a factor of a latency; --all prints every one" {
  succeeds run compare --metric ops --metric p99 "$REPO/results/sample"
  assert_match 'get +p99 latency, us +30\.6 +[^ ]+ [^ ]+ % +486 +[^ ]+ [^ ]+ % +15\.9x +15\.6x to 16x +worse'
  assert_match 'get +throughput, ops/s .* 20\.4 % +19\.8 to 21\.1 % +worse'
  assert_contains "swap's p99 latency is 15.9x (486 us instead of 30.6 us, get at 1000B-2i)"
  refute_contains Gain
  # Of one repeat, the ratio is that of the figures beside it.
  mkdir one
  cp -r "$REPO"/results/sample/{native,swap,run.conf} one
  rm -r one/*/*/rep-[23]
  shows "15.7x (496 us instead of 31.5 us, get at" run compare --metric p99 one
  matches '1,588\.3% +1564\.2 to 1604\.3 % +worse +\+1488\.3 % +15\.9x' run compare --all --metric p99 "$REPO/results/sample"
  prints '1 ms 1.63 ms 2.5 s 1234x 0.101x' run awk "$(<"$REPO/lib/results/figures/format.awk")"'
    function metric_show(m, v) { return v }
    BEGIN { metric_unit["p99"] = "us"; print format_figure("p99", 999.6), format_figure("p99", 1628), format_figure("p99", 2.5e6), format_factor(1234.5), format_factor(0.101) }'
}

@test "searched loads: throughput is compared, latencies at other loads get no verdict, a broken limit only has its errors" {
  run_make run 3 100 900 10 40
  search_set run '*' '*' found
  matches 'throughput, ops/s .* worse' run compare run
  assert_match 'p99 latency, us .* other load'
  assert_contains "swap reaches 26.3 % of native's throughput: worse."
  refute_contains "swap's p99 latency is"
  refute_contains "worse in p50"

  sed -i 's/found/broken/' run/swap/1000B-4i/rep-1/search.tsv
  fails 1 run compare --fail-if 'p99>110%' --fail-if 'ops<20%' run
  assert_match 'p99 latency, us .* other load'
  assert_contains 'native Tx combined'
  refute_contains "swap's p99 latency is"
  assert_contains 'swap, set at 1000B-4i: p99 latency cannot be evaluated: measured at other loads (p99>110%)'
  refute_contains '(ops<20%)'

  sed -i 's/found/broken/' run/swap/1000B-4i/rep-2/search.tsv
  fails 1 run compare --fail-if 'ops<20%' run
  assert_contains 'swap, set at 1000B-4i: throughput cannot be evaluated: the limit of the search broke in 2 of 3 repeats (ops<20%)'

  sed -i 's/found/broken/' run/swap/1000B-4i/rep-3/search.tsv
  result_set run swap 2 errors 7
  fails 1 run compare --fail-if 'errors>0' --fail-if 'ops<95%' run
  assert_contains 'the measured phase broke the limit of its search (its throughput and latency are not compared) in 3 of 6 results: swap, set at 1000B-4i, repeat 1: p99<=1ms; '
  assert_contains 'swap, set at 1000B-4i: errors is 7 (errors>0)'
  assert_contains 'swap, set at 1000B-4i: throughput cannot be evaluated: the limit of the search broke in 3 of 3 repeats (ops<95%)'
  refute_contains 'throughput, ops/s'
}
