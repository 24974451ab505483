#!/usr/bin/env bats
# SPDX-License-Identifier: MIT
# The table of totals: clients together, bounds of percentiles, its headings, and columns that only some runs have.

load helper
load logs

# The run of these tests.
run=r/20250101-x

@test "the table adds clients up and takes percentiles from their histograms together" {
  repeat_make "$run" native p 1 a 1000 90 1 10 99 set:3
  repeat_make "$run" native p 1 b 1000 10 1 500 99 set:3
  # 90 samples of 10 us and 10 of 500 us: averaging the figures of the two clients cannot give these percentiles.
  histogram_make 10:90 >"$run/native/p/rep-1/a/histogram-set-a1B2c3"
  histogram_make 500:10 >"$run/native/p/rep-1/b/histogram-set-a1B2c3"
  succeeds run modules 'result_totals "$1" | FORMAT=csv result_table' "$run"
  # The p99 is capped by the largest recorded sample.
  assert_equal "$(cells -c 'p50_us p99_us servers tx_bps' <<<"$output")" '10 129 2 266666.666667'
  run modules 'result_totals "$1" | tr "\t" ","' "$run"
  assert_equal "$(cells -c avg_us <<<"$output")" 59
}

@test "a histogram in ns counts before the table beside it, and is merged with that of a version that has only the table" {
  repeat_make "$run" native p 1 a 1000 90 1 10 99 set:3
  repeat_make "$run" native p 1 b 1000 10 1 90 99 set:3
  histogram_make 10:90 >"$run/native/p/rep-1/a/histogram-set-a1B2c3"
  histogram_make 91:10 >"$run/native/p/rep-1/b/histogram-set-a1B2c3"
  printf 'us\tcount\tpercent\n8.511\t6\t60.000\n90.687\t4\t100.000\n' >"$run/native/p/rep-1/b/set.histogram.tsv"
  run modules 'result_totals "$1" | FORMAT=csv result_table' "$run"
  assert_equal "$(cells -c p50_us <<<"$output") $(cells -c p99_us <<<"$output")" '10 90.6870'
  sed -i '$d' "$run/native/p/rep-1/b/set.histogram.tsv"
  run modules 'result_totals "$1" | FORMAT=csv result_table' "$run"
  assert_equal "$(cells -c p50_us <<<"$output") $(cells -c p99_us <<<"$output")" '10 91'
}

@test "a heading of the table is above its own figures" {
  repeat_make r/20250101-x native p 1 c 1000 50 4 23 99 set:3
  run modules 'result_totals r/20250101-x | FORMAT=markdown result_table'
  assert_equal "$(awk -F ' *[|] *' 'NR == 1 { for (i = 2; i < NF; i++) name[i] = $i } NR == 3 { for (i in name) print name[i] "=" $i }' <<<"$output" |
    sort | paste -sd ' ')" 'Errors=0 Keys each=50 Max time s=3 Misses=0 Operation=SET Servers=4 Tx combined bit/s=533,333 Value size=1,000 ops/s=53 p50 us=23 p99 us=99 p99.9 us=109'
}

@test "percentiles among requests without an answer are lower bounds: >= for people, a number and its bound for programs" {
  for client in a b; do
    repeat_make "$run" native p 1 "$client" 1000 90 1 23 99 set:3
    # Of 100 requests, one was late, and nine had no reply within 400 us, or within 500 us for b.
    bound=$([[ $client == a ]] && echo 400 || echo 500)
    histogram_make 10:91 "$bound:9" >"$run/native/p/rep-1/$client/histogram-set-a1B2c3"
    cells_set "$run/native/p/rep-1/$client/result.tsv" '' max_us=1500 timeouts=9 late=1 unanswered=9 at_least_us="$bound"
  done
  succeeds run modules 'result_totals "$1" | result_table' "$run"
  assert_match ' 10 +>=500 +>=500 ' "$output"
  run modules 'result_totals "$1" | FORMAT=csv result_table' "$run"
  assert_equal "$(cells -c p99_us <<<"$output")" 500
}

@test "where the load generator was the limit, throughput and percentages of the table are bounds; two bounds have no percentage" {
  # The first that VARIANTS names is the baseline.
  repeat_make $run swap p 1 c 1000 50 1 23 99 set:7
  repeat_make $run native p 1 c 1000 500 1 23 99 set:7
  settings_make "$run" 'VARIANTS="native swap"'
  shown() {
    run modules 'result_totals r/20250101-x |
      awk -F "\t" -v OFS="\t" -v who="$1" '\''NR == 1 { for (i = 1; i <= NF; i++) at[$i] = i } NR > 1 { $at["client_limited"] = who ~ $at["variant"] } 1'\'' |
      FORMAT=markdown result_table' "$1"
    assert_success
    assert_equal "$(awk -F ' *[|] *' 'NR == 1 { for (i = 2; i < NF; i++) at[$i] = i } NR > 2 { print $at["ops/s"], $at["Tx combined bit/s"], $at["% of baseline"] }' <<<"$output" |
      sed 's/&gt;/>/g; s/&lt;/</g' | paste -sd '|')" "$2"
  }
  shown - '64 571,429 100.0%|6 57,143 9.4%'
  shown native '>=64 >=571,429 100.0%|6 57,143 <=9.4%'
  shown swap '64 571,429 100.0%|>=6 >=57,143 >=9.4%'
  shown 'native swap' '>=64 >=571,429 100.0%|>=6 >=57,143 -'
}

@test "the table tells what a search found, and a phase that broke its limit; without a search there is no such column" {
  repeat_make r/20250101-x native p 1 c 1000 500 1 23 99 set:7 get:7
  succeeds run modules 'result_totals r/20250101-x | result_table'
  refute_contains Search
  printf 'phase\tlimit\tsearch\nset\tp99<=1ms\tfound\nget\tp99<=1ms\tbroken\n' >r/20250101-x/native/p/rep-1/search.tsv
  succeeds run modules 'result_totals r/20250101-x | FORMAT=markdown result_table'
  at=$(awk -F ' *[|] *' '{ for (i = 1; i <= NF; i++) if ($i == "Search") { print i; exit } }' <<<"$output")
  assert_equal "$(awk -F ' *[|] *' -v at="${at:-1}" '$0 ~ / (SET|GET) / { print $at }' <<<"$output" | paste -sd ' ')" 'found broken'
}
