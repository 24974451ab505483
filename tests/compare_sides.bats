#!/usr/bin/env bats
# SPDX-License-Identifier: MIT
# Comparisons whose two sides are not of one kind: a repeat lacks a figure, or the sides have other loads, points or keys.

load helper
load logs
load compare

RUN=20250101T100000Z-x

# Write the figures of a failover into a repeat: failover_set REPEAT_DIR TAKEOVER LOST
failover_set() { printf 'figure\tvalue\nphase\tset\ntakeover_s\t%s\nacked_writes_lost\t%s\n' "$2" "$3" >"$1/failover.tsv"; }

@test "a repeat without a figure that others have is named, passes no condition, and is equal to nothing" {
  local -a shown=(--metric takeover --metric acklost --metric resync)
  run_make $RUN 5 30 30 20 20
  for repeat in 1 2 3 4 5; do
    failover_set $RUN/native/1000B-4i/rep-$repeat 10.$repeat 0
    failover_set $RUN/swap/1000B-4i/rep-$repeat 10.$repeat 0
  done
  succeeds run_split compare "${shown[@]}" --fail-if 'takeover>15' --fail-if 'acklost>0' --limit 'acklost<=0' $RUN
  assert_equal "$(figure acklost mark $RUN)" equal
  assert_match 'swap +set +acklost<=0 +1000B-4i'
  refute_contains ' have no ' "$STDERR"
  # This failover was never completed.
  failover_set $RUN/swap/1000B-4i/rep-2 - -
  fails 1 run_split compare "${shown[@]}" --fail-if 'takeover>15' --fail-if 'acklost>0' --limit 'acklost<=0' $RUN
  assert_contains 'set at 1000B-4i: 1 of 5 repeats of swap have no takeover, and are not in its figures' "$STDERR"
  assert_contains 'swap, set at 1000B-4i: takeover cannot be evaluated: not all repeats have it (takeover>15)' "$STDERR"
  assert_contains 'swap, set at 1000B-4i: acknowledged writes lost cannot be evaluated: not all repeats have it (acklost>0)' "$STDERR"
  assert_equal "$(figure acklost mark $RUN)" 'no interval'
  assert_match 'native +set +acklost<=0 +1000B-4i'
  assert_match 'swap +set +acklost<=0 +not known'
  # What no repeat has is not a figure of the phase.
  refute_contains 'no resync' "$STDERR"
  # A rule that the other repeats meet is met.
  failover_set $RUN/swap/1000B-4i/rep-3 10 7
  run_split compare "${shown[@]}" --fail-if 'acklost>0' --fail-if 'takeover>200%' $RUN
  assert_contains 'swap, set at 1000B-4i: acknowledged writes lost is 7 (acklost>0)' "$STDERR"
  assert_contains 'takeover cannot be evaluated: not all repeats have it (takeover>200%)' "$STDERR"
  # A ratio needs all repeats of the base, too; a figure of the other side does not.
  failover_set $RUN/swap/1000B-4i/rep-2 10 0
  failover_set $RUN/native/1000B-4i/rep-1 - -
  run_split compare "${shown[@]}" --fail-if 'takeover>15' --fail-if 'takeover>200%' $RUN
  assert_equal "$(grep -c 'cannot be evaluated' <<<"$STDERR")" 1
  assert_contains 'takeover cannot be evaluated: not all repeats have it (takeover>200%)' "$STDERR"
}

@test "a search for DRAM holds a load: its latencies, and its throughput against a search for a load, get no verdict" {
  run_make run 3 100 900 10 40
  search_set run native '*' found
  search_set run swap '*' found 40
  assert_equal "$(figure tx mark --metric ops --metric p99 run | sort -u)" 'other load'
  fails 1 run compare --fail-if 'ops<95%' --fail-if 'ops<1k' run
  assert_contains 'throughput cannot be evaluated: measured at other loads (ops<95%)'
  refute_contains 'ops<1k'
  refute_contains "of native's throughput"
  # Two searches for DRAM hold loads that each run found: those have a ratio.
  rm run/native/1000B-4i/rep-*/search.tsv
  search_set run native '*' found 40
  assert_equal "$(figure ops metric,mark --metric p99 run)" $'ops|worse\np99|other load'
}

@test "points of a sweep are never repeats of one point, of a run or of plain logs" {
  for repeat in 1 2 3; do
    for axis in 1to1 1to8; do repeat_make a native 1000B-4i-$axis $repeat c 1000 500000 4 30 90 set:20; done
    repeat_make b native 1000B-4i-1to4 $repeat c 1000 500000 4 30 90 set:20
    repeat_make d native 1000B-4i-hot $repeat c 1000 500000 4 30 90 set:20
  done
  fails 1 run_split compare a b
  assert_output ''
  assert_equal "$STDERR" 'compare: no common points: a has 1000B-4i-1to1, 1000B-4i-1to8; b has 1000B-4i-1to4; run both with the same VALUE_SIZES, INSTANCES and axes'
  mkdir logs
  log_make 1000 500000 4 set:20 >logs/redis.log.a.20180501-100000.1
  refuses 1 'no common points: logs has 1000B-4i; native has 1000B-4i-1to1, 1000B-4i-1to8;' run_split compare logs a
  # One point of a shape is compared with another one, or with logs.
  assert_equal "$(figure ops point b d)" 1000B-4i
  assert_equal "$(figure ops point logs b)" 1000B-4i
}

@test "other numbers of keys at one point are named once, and are not those of the base" {
  for repeat in 1 2 3; do
    for variant in native swap; do
      for point in 1000B-4i 1000B-8i; do
        repeat_make a $variant $point $repeat c 1000 75677 ${point:6:1} 30 90 set:20
        repeat_make b $variant $point $repeat c 1000 60000 ${point:6:1} 30 90 set:20
        repeat_make d $variant $point $repeat c 1000 75000 ${point:6:1} 30 90 set:20
      done
    done
  done
  succeeds run_split compare a b
  assert_equal "$(grep keys <<<"$STDERR")" 'compare: set at 1000B-4i: a:native has 75,677 keys per instance, b:native has 60,000; run both with the same FILL or KEYS'
  assert_match '1,000 +- +4 +SET'
  # Each run meets FILL anew.
  run_split compare a d
  refute_contains keys "$STDERR"
  assert_match '1,000 +75,677 +4 +SET'
  # A log of a phase that ended by time has requests instead of keys.
  mkdir logs
  log_make 1000 60000 4 set:20 >logs/redis.log.a.20180501-100000.1
  run_split compare a/native logs
  refute_contains keys "$STDERR"
}

@test "logs without the number of a repeat are compared in their order" {
  mkdir a b
  for n in 1 2 3; do
    log_make 1000 500000 4 set:20 get:10 >a/redis.log.$n
    log_make 1000 500000 4 set:$((20 + 10 * n)) get:10 >b/redis.log.$n
  done
  succeeds run_split compare --repeats --metric ops --format csv a b
  # SET of 20.73 s against 30.73, 40.73 and 50.73 s.
  assert_equal "$(cells -c percent_of_base <<<"$output" | paste -sd ' ')" '67.4598 50.8976 40.8648 100 100 100'
}

@test "a variant without a complete result on one side is told once, on the base too; one that the other run never began is told, too" {
  for run in a b; do
    run_make $run 3 30 30 20 20
    repeat_make $run zram 1000B-4i 1 c 1000 500000 4 30 90 set:20
    touch $run/{native,swap,zram}/variant.conf
    settings_make "$run"
  done
  mv b/native/1000B-4i other
  rm -r b/zram
  succeeds run_split compare --metric ops a b
  assert_equal "$(grep 'native\|zram' <<<"$STDERR")" $'compare: a:zram is not compared: no other run has a variant of that name\ncompare: native of b has no complete result'
  mv other b/native/1000B-4i
  rm -r a/native/1000B-4i
  fails 1 run_split compare --metric ops --fail-if 'ops<50%' a b
  assert_equal "$(grep -c 'native' <<<"$STDERR")" 2
  assert_contains 'compare: native of a has no complete result' "$STDERR"
  assert_contains 'compare: --fail-if: native of a has no complete result (ops<50%)' "$STDERR"
}

@test "several versions of the tool are named: by compare of a run and of two, by verify and in the rows; a run without their record is read as before" {
  local repeat file a='tierbench 1.0.0 (aaaaaaaaaaaa)' b='tierbench 1.0.0 (aaaaaaaaaaaa; changed)'
  run_make one 3 30 30 20 20
  run_make two 3 30 30 20 20
  succeeds run_split compare one
  refute_contains 'versions of the tool' "$STDERR"
  printf '# Every setting.\n# Made by %s.\n' "$a" >>one/run.conf
  settings_make "one"
  run_split "$REPO/do_it.sh" verify one
  refute_contains 'several versions'
  for repeat in one/*/*/rep-* two/*/*/rep-*; do
    mkdir "$repeat/server"
    printf 'keys\t500000\nmade_by\t%s\n' "$a" >"$repeat/server/plan.tsv"
  done
  run_split compare one two
  refute_contains 'versions of the tool' "$STDERR"
  run_split "$REPO/do_it.sh" verify one
  refute_contains 'several versions'
  # A repeat that did not finish is in no figure.
  cp -r one/swap/1000B-4i/rep-3 one/swap/1000B-4i/rep-4.cut-20250101-100000
  for file in two/*/*/rep-*/server/plan.tsv one/swap/1000B-4i/rep-4.cut*/server/plan.tsv; do sed -i "s/aaa)/aaa; changed)/" "$file"; done
  warns "compare: one was made by $a, two by $b: versions of the tool may measure differently" run_split compare one two
  run_split "$REPO/do_it.sh" verify one
  refute_contains 'several versions'
  sed -i "s/aaa)/aaa; changed)/" one/swap/1000B-4i/rep-3/server/plan.tsv
  run_split compare one
  assert_contains "compare: several versions of the tool made the repeats, and may measure differently: $a (5); $b (1)" "$STDERR"
  run_split "$REPO/summary2csv.sh" one
  assert_equal "$(grep -c "$b" <<<"$output")" 1
  run_split "$REPO/do_it.sh" verify one
  assert_line "warning   made by several versions of the tool; repeats by $a (5); $b (1)"
}

@test "runs are named by LABEL, else by their servers, else by their directories; without an argument the newest run is compared" {
  for run in 20250101T100000Z-x 20250102T100000Z-x; do
    run_make $run 3 100 900 10 40
    printf 'variant\tpoint\tname\tvalue\tfrom\n-\t-\tVARIANTS\tnative swap\tx\n-\t-\tSERVER\t192.0.2.%s\tx\n' "${run:7:1}" >$run/settings.tsv
  done
  matches ',192\.0\.2\.1,[0-9,]+,192\.0\.2\.2,' run_split compare --format csv 20250101T100000Z-x:native 20250102T100000Z-x:native
  printf -- '-\t-\tLABEL\tcxl\tx\n' >>20250102T100000Z-x/settings.tsv
  matches ',192\.0\.2\.1,[0-9,]+,cxl,' run_split compare --format csv 20250101T100000Z-x:native 20250102T100000Z-x:native
  # Two of the same name.
  printf -- '-\t-\tLABEL\tcxl\tx\n' >>20250101T100000Z-x/settings.tsv
  run_split compare --format csv 20250101T100000Z-x:native 20250102T100000Z-x:native
  assert_match ',20250101T100000Z-x,[0-9,]+,20250102T100000Z-x,'
  TIERBENCH_RESULTS_DIR=$PWD succeeds run_split compare --format csv
  assert_contains 'the newest run is ' "$STDERR"
  assert_contains 20250102T100000Z-x "$STDERR"
  assert_match ',native,[0-9,]+,swap,'
}

@test "--format html: one page with verdict, notes and tables, all sides in each plot, and each bar in percent of its own base" {
  need_command gnuplot
  for run in a b; do
    run_make 20250101T100000Z-$run 3 30 60 "$([[ $run == a ]] && echo 10 || echo 20)" 20
    for file in 20250101T100000Z-"$run"/*/*/rep-*/c; do histogram_make 30:50 60:50 >"$file/histogram-set-a1B2c3"; done
    printf 'LABEL="host-%s<b>"\nSERVER="s"\nCLIENT_IP="c"\nKEYS="500000"\n' $run >>20250101T100000Z-$run/run.conf
    settings_make 20250101T100000Z-$run
  done
  mkdir tmp
  TMPDIR=$PWD/tmp succeeds run_split compare --format html --limit 'p99<=1ms' 20250101T100000Z-{a,b}
  assert_equal "$(ls -A tmp)" ''
  assert_line '<h1>host-b&lt;b&gt;:native, host-b&lt;b&gt;:swap against host-a&lt;b&gt;:native, host-a&lt;b&gt;:swap</h1>'
  assert_line '<p class="run">Run 20250101T100000Z-a, 20250101T100000Z-b</p>'
  assert_match '<p class="verdict">host-b&lt;b&gt;:native reaches 51.8 % of host-a&lt;b&gt;:native'
  assert_match '<dt>host-b&lt;b&gt;:native, host-b&lt;b&gt;:swap</dt><dd>Date: 2025-01-01 10:00:00 UTC; Server: s; .*Fill: KEYS=500000; '
  assert_equal "$(grep -oE '<a href="#[a-z]+' <<<"$output" | sed 's/.*#//')" "$(grep -oE '^<section id="[a-z]+' <<<"$output" | sed 's/.*"//')"
  assert_equal "$(grep -cE '(src|href)="?(https?:)?//|@import|<script |<b>' <<<"$output")" 0
  grep -qF "content=\"default-src 'none'; style-src 'unsafe-inline'; img-src data:; script-src 'sha256-" <<<"$output" || fail "the page has no policy"
  # Percentages over the bars: native on b is half as fast as on a, and swap is as fast.
  sed -n '/<title id="bars-1-title">/,/<\/svg>/p' <<<"$output" >bars
  assert_equal "$(grep -oE '>[0-9]+ %<' bars | tr '\n' ' ')" '>52 %< >100 %< '
  assert_equal "$(grep -oE '<text>host-[ab]&lt;b>:(native|swap)<' bars | sort -u | wc -l)" 4
  assert_equal "$(grep -oE '^<title id="[a-z]+-1' <<<"$output" | sed 's/.*"//' | sort -u | tr '\n' ' ')" 'bars-1 percentile-1 tail-1 tradeoff-1 '
  # What cannot be read is on the page too, once.
  rm 20250101T100000Z-b/swap/*/rep-1/c/histogram-set-a1B2c3
  fails 1 run_split compare --format html 20250101T100000Z-{a,b}
  assert_equal "$(grep -c '^<li>20250101T100000Z-b/.*/rep-1/c/histogram-set-a1B2c3: the histogram is missing or truncated' <<<"$output")" 1
  # One run of a single variant has nothing to compare.
  rm -r 20250101T100000Z-a/swap
  fails 1 run_split compare --format html 20250101T100000Z-a
  assert_output ''
}

@test "--format text: 72 columns for a mail, with the command that repeats the run and the checksum of its list" {
  mkdir run
  cp -r "$REPO"/results/sample/{native,swap,plan.tsv,run.conf,settings.tsv,SHA256SUMS} run
  succeeds run_split "$REPO/do_it.sh" compare --format text run
  assert_line 'set at 1000B-2i               native          swap of base'
  assert_match $'\n  p99 latency, us +30[.]7 +[0-9]+ +[0-9.]+x worse\n'
  assert_contains $' -s run/run.conf\nSHA-256 of its SHA256SUMS:\n  '"$(sha256sum <run/SHA256SUMS | cut -c 1-64)"
  assert_equal "$(awk 'length > 72' <<<"$output")" ''
  # The names of sides begin alike.
  mv run a-run-with-a-long-name
  cp -r a-run-with-a-long-name a-run-with-a-long-nam2
  succeeds run_split "$REPO/do_it.sh" compare --format text a-run-with-a-long-name a-run-with-a-long-nam2
  assert_match $'\nset at 1000B-2i +~-name:native ~-nam2:native of base\n'
  assert_equal "$(awk 'length > 72 && !/do_it.sh/' <<<"$output")" ''
}
