#!/usr/bin/env bats
# SPDX-License-Identifier: MIT
# The warnings of a report, and its table of the fill: each fault once, with its place, and no warning without a fault.
# slow

load helper
load logs

setup() {
  drawn_setup
  drawn_blank
}

# Make a run of native and swap, two repeats of two clients each, that has no fault.
clean_make() {
  local repeat variant client phase folder
  for repeat in 1 2; do
    for variant in native swap; do
      folder="$RUN"/$variant/1000B-1i/rep-$repeat
      for client in a b; do
        repeat_make "$RUN" $variant 1000B-1i $repeat $client 1000 500000 1 30 90 set:9 get:7
        sed -i $'1s/$/\tmismatches\ttimeouts\tlost\toutages\tsend_lag_p99_us/; 2,$s/$/\t0\t0\t0\t0\t0/' "$folder/$client/result.tsv"
        for phase in set get; do histogram_make 30:490000 90:10000 >"$folder/$client/histogram-$phase-a1B2c3"; done
      done
      if [[ $variant == native ]]; then
        server_make "$folder" native ok 0 0
      else
        server_make "$folder" swap ok 52428800 900000
      fi
      printf 'keys\t1000\nexpected_bytes\t104900000\nknown\tasked\ntarget_bytes\t104857600\n' >"$folder/server/plan.tsv"
      printf '%s\n' $'set\ta\t1700000000000000' $'set\tb\t1700000000000100' $'get\ta\t1700000010000000' $'get\tb\t1700000010000100' >"$folder/starts.tsv"
    done
  done
  settings_make "$RUN" SCENARIO=imdt 'VARIANTS="native swap"'
}

# Set columns in both phases of a client: fault VARIANT REPEAT CLIENT COLUMN=VALUE...
fault() {
  cells_set "$RUN/$1/1000B-1i/rep-$2/$3/result.tsv" '' "${@:4}"
}

# Report the run and print its warnings; the file ended has its exit status.
warnings() {
  "$REPO/do_it.sh" report "$RUN" >/dev/null 2>said
  echo $? >ended
  sed -n '/<section id="warnings">/,/<\/section>/s/^<li>\(.*\)<\/li>$/\1/p' "$RUN"/report.html | sed "s/&#39;/'/g; s/&quot;/\"/g; s/&gt;/>/g"
}

# Print the cells of the fill table, one row per line.
fill_rows() {
  sed -n '/id="fill"/,/<\/div>/p' "$RUN"/report.html | grep '^\(<tbody>\)\?<tr><td\|^<tr><td' | sed 's/<\/td><td[^>]*>/|/g; s/<[^>]*>//g'
}

@test "a run without problems has no warnings" {
  clean_make
  prints '' run warnings
  assert_equal "$(<said)$(<ended)" 0
  assert_contains 'Nothing: no errors, no misses, no client that was the bottleneck, no data outside the requested memory' "$(<"$RUN"/report.html)"
}

@test "problems of clients: one warning per kind, with the number of affected results and the worst case" {
  clean_make
  fault native 1 a errors=5 outages=1
  fault native 2 b errors=7
  fault native 2 a rate=1000 send_lag_p99_us=2500
  fault swap 1 a mismatches=2
  fault swap 1 b misses=3 timeouts=4
  fault swap 2 a client_limited=1
  fault swap 2 b lost=6
  # Of the server and the other client, those that a quota stopped for longer.
  printf '%s\t%s\t2\t10.0\t0\t0\t0\t0\t1.0\t0.0\t10\t0\t%s\t9\n' phase host throttled_us get server 1500000 get a 0 get b 6000000 >"$RUN"/swap/1000B-1i/rep-1/foreign.tsv
  run warnings
  assert_line 'a quota of CPU time stopped the instances or the load generator (latency contains these stops) in 1 of 8 results; most in swap, get at 1000B-1i, repeat 1: 60.0 % of a CPU'
  assert_line 'requests failed in 4 of 8 results; most in native, set at 1000B-1i, repeat 2: 7'
  assert_line 'times an instance was unreachable in 2 of 8 results; most in native, set at 1000B-1i, repeat 1: 1'
  assert_line 'GETs found no key in 2 of 8 results; most in swap, set at 1000B-1i, repeat 1: 3'
  assert_line 'GETs returned a wrong value in 2 of 8 results; most in swap, set at 1000B-1i, repeat 1: 2'
  assert_line 'requests got no reply in time in 2 of 8 results; most in swap, set at 1000B-1i, repeat 1: 4'
  assert_line 'requests were lost with their connection in 2 of 8 results; most in swap, set at 1000B-1i, repeat 2: 6'
  assert_line "the client was the bottleneck, so the figures describe the client, not the server, in 2 of 8 results: swap, set at 1000B-1i, repeat 2; swap, get at 1000B-1i, repeat 2"
  assert_line 'requests left the client late (p99) in 2 of 8 results; most in native, set at 1000B-1i, repeat 2: 2,500 us'
  assert_equal "${#lines[@]}" 9
  # The second name is that of older runs.
  file=$RUN/swap/1000B-1i/rep-1/foreign.tsv old=$RUN/swap/1000B-1i/rep-1/neighbours.tsv
  for _ in new old; do
    assert_equal "$("$REPO/summary2csv.sh" "$RUN" | awk -F , 'NR == 1 { for (i = 1; i <= NF; i++) at[$i] = i; next }
      $at["throttled_percent"] != "" { print $at["variant"], $at["operation"], $at["client"], $at["throttled_percent"] }')" $'swap get a 15\nswap get b 60'
    [[ ! -e $file ]] || mv "$file" "$old"
  done
}

@test "a phase that broke the limit of its search is named; its figures are not in the summary, and no repeat differs from them" {
  clean_make
  printf 'phase\tlimit\tsearch\nget\tp99<=1ms\tbroken\n' >"$RUN"/native/1000B-1i/rep-2/search.tsv
  run warnings
  assert_output 'the measured phase broke the limit of its search (its throughput and latency are not compared) in 1 of 8 results: native, get at 1000B-1i, repeat 2: p99&lt;=1ms'
  rm -r "${RUN:?}"/swap
  printf 'set\tp99<=1ms\tbroken\n' >>"$RUN"/native/1000B-1i/rep-2/search.tsv
  fault native 2 a ops_per_sec=100000
  run warnings
  refute_contains 'differ by more than 10 %'
  verdict=$(grep '<p class="verdict">native, get' "$RUN"/report.html)
  assert_contains 'native, get: 129,344 operations per second, p99 latency at most 90 us; the limit of the search broke in 1 of 2 repeats.' "$verdict"
  # The throughput that the load generator limited is the least that the server can do.
  fault native 1 b client_limited=1
  warnings
  assert_contains 'native, get: at least 129,344 operations per second, p99 latency at most 90 us; the limit' "$(grep '<p class="verdict">native, get' "$RUN"/report.html)"
  fault native 1 b client_limited=0
  cp "$RUN"/native/1000B-1i/rep-{2,1}/search.tsv
  warnings
  assert_contains 'native, get: the limit of the search broke in 2 of 2 repeats.' "$(grep '<p class="verdict">native, get' "$RUN"/report.html)"
}

@test "a measured phase under a second is counted; populate is not, unless nothing else was measured" {
  for phases in 'populate:0 set:0 get:7' 'populate:0 set:3' 'populate:0'; do
    rm -rf "${RUN:?}"
    # shellcheck disable=SC2086 # several phases
    repeat_make "$RUN" native 1000B-1i 1 c 1000 5000 1 30 90 $phases
    modules 'result_totals "$1" | figures_run bound report' "$RUN" | sed -n '/^warning/s/ took less than a second.*//p' >>said
  done
  assert_equal "$(<said)" $'warning\t1 of 2 results\nwarning\t1 of 1 results'
}

@test "data outside the requested memory: placement off, and swap and slower nodes under native" {
  clean_make
  server_make "$RUN"/native/1000B-1i/rep-1 native off 20971520 4000
  sed -i $'s/\tfar_bytes\t0\t0$/\tfar_bytes\t0\t99614720/' "$RUN"/native/1000B-1i/rep-2/server/counters.tsv
  run warnings
  assert_line 'less than 90 % of the data was on the requested memory (placement=off), so no comparison counts it, in 2 of 8 results: native, set at 1000B-1i, repeat 1 (resident 110.0 MiB + swap 20.0 MiB); native, get at 1000B-1i, repeat 1 (resident 110.0 MiB + swap 20.0 MiB)'
  assert_line 'memory of native instances was swapped out in 2 of 8 results; most in native, set at 1000B-1i, repeat 1: 20.0 MiB'
  assert_line 'native instances waited for pages from swap in 2 of 8 results; most in native, set at 1000B-1i, repeat 1: 0.002 per operation'
  assert_line 'memory of native instances was on slower nodes in 2 of 8 results; most in native, set at 1000B-1i, repeat 2: 95.0 %'
  assert_equal "${#lines[@]}" 4
  # On vSMP it is unknown, which is not the same as none.
  sed -i $'s/\tfar_bytes\t0\t52428800$/\tfar_bytes\t-\t-/' "$RUN"/swap/1000B-1i/rep-1/server/counters.tsv
  assert_equal "$("$REPO/summary2csv.sh" "$RUN" | grep -c 'swap,1000B-1i,1,.*,52428800,,ok')" 4
}

@test "a policy that moved nothing in a phase is named, one that moved pages has them per operation" {
  clean_make
  for folder in "$RUN"/swap/*/rep-*; do
    for phase in set get; do printf '%s\thost\t%s\n' "$phase" $'pgpromote_success\t7\t7' "$phase" $'pgdemote_kswapd\t5\t5'; done >>"$folder/server/counters.tsv"
    sed -i 's/^\([a-z]*\ttier\tis\t-\t\).*/\1free direct moves/' "$folder/server/counters.tsv"
  done
  # In one phase of one repeat pages went up and down: 3000 and 1000 in 2,000,000 calls.
  folder=$RUN/swap/1000B-1i/rep-1/server/counters.tsv
  sed -i 's/^get\thost\tpgpromote_success\t7\t7$/get\thost\tpgpromote_success\t7\t3007/; s/^get\thost\tpgdemote_kswapd\t5\t5$/get\thost\tpgdemote_kswapd\t5\t1005/' "$folder"
  run warnings
  assert_line 'the policy moved nothing (no page was promoted or demoted) in 3 of 8 results: swap, set at 1000B-1i, repeat 1; swap, set at 1000B-1i, repeat 2; swap, get at 1000B-1i, repeat 2'
  run "$REPO/summary2csv.sh" --total "$RUN"
  assert_equal "$(awk -F, 'NR == 1 { for (i = 1; i <= NF; i++) at[$i] = i; next } $at["variant"] == "swap" { print $at["operation"], $at["repeat"], $at["moved_per_op"] }
    $at["variant"] == "native" && $at["moved_per_op"] != "" { print "native has no such counters" }' <<<"$output" | sort)" $'get 1 0.0020\nget 2 0\nset 1 0\nset 2 0'
}

@test "clients that started apart, a warning of Redis, a repeat that the guard ended and a truncated histogram: each once; the rest is plotted" {
  where=$RUN/swap/1000B-1i
  clean_make
  # By the master's clock.
  sed -i $'s/^set\tb\t.*/set\tb\t1700000000250000/' "$RUN"/native/1000B-1i/rep-2/starts.tsv
  printf '%s\n' '1:M 05 Dec 2018 20:12:12.249 # WARNING: The TCP backlog setting of 511 cannot be <enforced>' '1:M 05 Dec 2018 20:12:12.300 * Ready' |
    tee "$RUN"/native/1000B-1i/rep-2/server/redis-6379.log >"$where"/rep-1/server/redis-6379.log
  mv "$where"/rep-2 "$where"/rep-2.failed-20250101-100000
  echo '100 MiB of memory are available, and 200 MiB must stay free (RESERVE); the load was stopped' >"$where"/rep-2.failed-20250101-100000/server/alarm
  sed -i '$d' "$where"/rep-1/a/histogram-get-a1B2c3
  run warnings
  assert_line 'clients did not start a phase together in 1 of 6 results; most in native, set at 1000B-1i, repeat 2: 250 ms'
  assert_line 'Redis warns (2 instances in 2 repeats, the first in native/1000B-1i/rep-2): The TCP backlog setting of 511 cannot be &lt;enforced>'
  assert_line "incomplete, excluded: $where/rep-2.failed-20250101-100000 (100 MiB of memory are available, and 200 MiB must stay free (RESERVE); the load was stopped)"
  assert_line "$where/rep-1/a/histogram-get-a1B2c3: the histogram is missing or truncated; percentiles are left empty"
  assert_equal "${#lines[@]}" 4
  assert_equal "$(<said)" "report: ${lines[0]}"
  assert_equal "$(<ended)" 1
  assert_exists "$RUN"/plots/percentile-2-1.svg "$RUN"/plots/bars-2.svg
}

@test "the fill is set against what was asked for, in the repeat that is furthest off, with where it was" {
  clean_make
  sed -i 's/^used_memory:.*/used_memory:106430464\r/' "$RUN"/swap/1000B-1i/rep-2/server/info.after
  printf '%s\n' $'get\t6379\tnode0\t0\t31457280' $'get\t6379\tnode1\t0\t10485760' >>"$RUN"/swap/1000B-1i/rep-2/server/counters.tsv
  prints 'swap at 1000B-1i: the fill differs from FILL by more than 1 % in 1 of 2 repeats; most in repeat 2: +1.5 %' run warnings
  run fill_rows
  # Variant, point, repeat, instances, keys planned and held, held, asked for, planned, used, off by, least, most, RSS, RSS/used, swapped, nodes, far, placement
  assert_line 'native|1000B-1i|1|1|1,000|1,000|100.0%|100.0|100.0|100.0|+0.00 %|100.0|100.0|110.0|1.10|0.0||0.0%|ok'
  assert_line 'swap|1000B-1i|2|1|1,000|1,000|100.0%|100.0|100.0|101.5|+1.50 %|101.5|101.5|110.0|1.08|50.0|node0 30.0, node1 10.0|50.0%|ok'
}
