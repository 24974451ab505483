#!/usr/bin/env bats
# SPDX-License-Identifier: MIT
# The error of one repeat: margins, trends, warm-up and disturbed seconds, from the series of its clients.

load helper
load logs

RUN=20250101T100000Z-x

# Print a series of COUNT seconds. OPS and P99 are what awk makes of them: i is the second, noise(S, R) is normal with deviation S, each
# R alike to the one before: series_make SEED COUNT OPS [P99]
series_make() { series_awk /dev/stdout "$1" "$1" "${@:2}"; }

# Write series of the seeds from 1 to SEEDS, each into the file NAME.SEED: series_many NAME SEEDS COUNT OPS [P99]
series_many() { series_awk "$1" 1 "${@:2}"; }

# Usage: series_awk NAME FROM TO COUNT OPS [P99]
series_awk() {
  awk -f "$REPO/tests/random.awk" -f <(
    cat <<END
BEGIN {
  OFS = "\t"
  for (s = $2; s <= $3; s++) {
    seed = s * 7919
    last_noise = 0
    file = "$1" ~ /^.dev/ ? "$1" : "$1." s
    print "time_s", "ops", "errors", "misses", "bytes", "p50_us", "p99_us", "p99_9_us", "max_us" >file
    for (i = 1; i <= $4; i++) print i ".000", int($5), 0, 0, 0, 30, int(${6-100}), 200, 300 >file
    close(file)
  }
}
END
  )
}

# Print what the figures say of each series whose name is read from stdin: NAME|MARGIN|P99 MARGIN|SETTLED|DISTURBED|WARM-UP. Arguments are awk's.
judge() {
  local folder=$REPO/lib/results/figures
  cat >judge.awk <<'END'
{
  margin_read(1, $1, 0, "")
  margin_judge(margin_merge(1), open)
  line = $1
  for (i = 1; i <= margin_columns; i++) line = line "|" margin_of[margin_column[i]]
  print line
}
END
  ${AWK:-awk} "$@" -f "$folder/text.awk" -f "$folder/interval.awk" -f "$folder/margin.awk" -f judge.awk
}

# Print the totals of the run, all clients together.
totals() {
  bash -c 'ROOT=$REPO LIB=$1 MODULES=results; . "$LIB/modules.sh"; result_totals "$2"' - "$REPO/lib" "$RUN" 2>/dev/null
}

# Print the margins of the totals.
margins() {
  totals | cells -o '|' 'ops_margin_percent settled disturbed warmup_s'
}

# Print the warnings of a report, as lines `warning TEXT`, and what it can show, `told` or `untold`.
said() {
  totals | bash -c 'ROOT=$REPO LIB=$1 MODULES=results; . "$LIB/modules.sh"; figures_run bound report' - "$REPO/lib"
}

@test "the margin of a series contains the truth in about 95 %, however much neighbours are alike" {
  cat >cover.awk <<'END'
function share(n, r,    k, i, x, hits) {
  for (k = 0; k < 1000; k++) {
    last_noise = noise(1, 0)
    for (i = 1; i <= n; i++) x[i] = 100 + noise(1, r)
    hits += (margin_percent(x, n) >= 100 * (margin_mean > 100 ? margin_mean - 100 : 100 - margin_mean) / margin_mean)
  }
  return hits / 10
}
function check(n, r, low,    found) {
  found = share(n, r)
  if (found < low || found > 99) print n, r, found
}
BEGIN {
  seed = 11
  check(30, 0, 94)
  check(60, 0, 94)
  check(60, .5, 93)
  check(120, .8, 92)
  check(300, .5, 94)
}
END
  run awk -f "$REPO/lib/results/figures/text.awk" -f "$REPO/lib/results/figures/interval.awk" -f "$REPO/lib/results/figures/margin.awk" -f "$REPO/tests/random.awk" -f cover.awk
  assert_output ''
}

@test "a series without fault is settled and not disturbed; one that drifts is neither called the other" {
  series_many calm 100 60 '100000 + noise(3000, 0.3)'
  series_many drift 100 60 '100000 + 300 * i + noise(2000, 0.3)'
  printf '%s\n' calm.* | judge >said
  # One in a hundred is allowed, of each kind.
  (($(grep -c '|no|no|\|[0-9]|yes|[0-9]' said) <= 4)) || fail "$(grep -v '|yes|no|0$' said)"
  (($(grep -c '|yes|no|0$' said) >= 95)) || fail "$(cat said)"
  printf '%s\n' drift.* | judge >said
  (($(grep -c '|no|no|' said) >= 95)) || fail "$(cat said)"
}

@test "two seconds of a neighbour are named, in 19 of 20 and to the second" {
  series_many burn 20 60 '(i > 41 && i <= 43 ? 75000 : 100000) + noise(3000, 0.3)'
  series_many late 20 60 100000 'exp(4.6 + (i > 41 && i <= 43 ? 1.6 : 0) + noise(0.1, 0.3))'
  printf '%s\n' burn.* | judge >said
  (($(grep -c '|41-43|0$' said) >= 19)) || fail "$(cat said)"
  # In an open loop the schedule sets the throughput, and the latency decides.
  printf '%s\n' late.* | judge -v open=1 >said
  (($(grep -c '|41-43|0$' said) >= 19)) || fail "$(cat said)"
  # At most a third can be outliers.
  series_make 3 20 '(i % 2 ? 50000 : 100000) + noise(500, 0)' >even
  assert_equal "$(judge <<<even | cut -d '|' -f 5)" no
}

@test "a warm-up is found, and so is where it ends" {
  series_many warm 20 60 '100000 * (1 - exp(-i / 2)) + noise(2000, 0.3)'
  series_many slow 20 60 '100000 * (1 - 0.2 * exp(-i / 8)) + noise(1000, 0.3)'
  printf '%s\n' warm.* | judge >said
  (($(awk -F '|' '$6 >= 2 && $6 <= 12 && $5 == "no"' said | wc -l) >= 19)) || fail "$(cat said)"
  printf '%s\n' slow.* | judge >said
  (($(awk -F '|' '$4 == "no" && $6 >= 4 && $6 <= 25' said | wc -l) >= 18)) || fail "$(cat said)"
}

@test "rows have margins in columns at their end; those before keep their names and their order" {
  folder=$RUN/native/1000B-1i/rep-1/c
  repeat_make "$RUN" native 1000B-1i 1 c 1000 500000 2 30 90 set:60 get:9
  series_make 1 60 '(i > 41 && i <= 43 ? 70000 : 100000) + noise(3000, 0.3)' '100 + noise(5, 0.3)' >"$folder"/set.series.tsv
  series_make 1 9 100000 >"$folder"/get.series.tsv
  "$REPO/summary2csv.sh" "$RUN" >out.csv
  assert_equal "$(head -n 1 out.csv | cut -d , -f 1-8,30-48)" \
    'filename,clients,len,servers,keys,max_time,operation,run,misses,far_per_op,used_memory,rss,swap,far_share,placement,ops_margin_percent,p99_margin_percent,settled,disturbed,warmup_s,late,unanswered,at_least_us,miss_reason,foreign_cpu_percent,steal_percent,throttled_percent'
  assert_match '^[0-9.]+$' "$(cells -c ops_margin_percent <out.csv | sed -n 1p)"
  assert_match '^[0-9.]+$' "$(cells -c p99_margin_percent <out.csv | sed -n 1p)"
  # Nine intervals are too few.
  assert_equal "$(for name in settled disturbed warmup_s; do cells -c $name <out.csv; done | tr '\n' ,)$(cells -c ops_margin_percent <out.csv | tail -n 1)" 'yes,,41-43,,0,,'
  # The other threads' operations after the first thread is done, and the rest of an interval, do not count: the first thread is done after
  # 60 s.
  printf '%s\t%s\t0\t0\t0\t30\t100\t200\t300\n' 61.000 50000 61.200 1000 >>"$folder"/set.series.tsv
  "$REPO/summary2csv.sh" "$RUN" | cmp - out.csv
  sed -i '7s/\t[0-9]*\t/\tnan\t/' "$folder"/set.series.tsv
  "$REPO/summary2csv.sh" "$RUN" >out.csv
  assert_equal "$(cells -c ops_margin_percent <out.csv | sed -n 1p)$(cells -c settled <out.csv | sed -n 1p)" ''
}

@test "of several clients operations add, each at its own time" {
  folder=$RUN/native/1000B-1i/rep-1
  for client in a b; do repeat_make "$RUN" native 1000B-1i 1 $client 1000 500000 2 30 90 set:60; done
  # One has what the other lacks, and began three seconds later; both are slow in the same two seconds.
  series_make 1 60 '(i % 2 ? 80000 : 60000) * (i > 41 && i <= 43 ? 0.5 : 1) + noise(500, 0)' >"$folder"/a/set.series.tsv
  series_make 2 60 '(i % 2 ? 80000 : 60000) * (i > 38 && i <= 40 ? 0.5 : 1) + noise(500, 0)' >"$folder"/b/set.series.tsv
  printf '%s\n' $'set\ta\t1700000000000000' $'set\tb\t1700000003000000' >"$folder"/starts.tsv
  run margins
  assert_match '^[0-9.]+\|yes\|41-43\|0$'
  assert_equal "$("$REPO/summary2csv.sh" "$RUN" | cells -c disturbed | sort -u)" no
  # If a client's start is unknown, or it has no series, the total is unknown.
  mv "$folder"/b/set.series.tsv kept
  prints '|||' run margins
  mv kept "$folder"/b/set.series.tsv
  sed -i 1d "$folder"/starts.tsv
  prints '|||' run margins
}

@test "what was disturbed, not settled or warming up is a warning, a line a kind" {
  for repeat in 1 2 3; do
    for variant in native swap; do
      repeat_make "$RUN" $variant 1000B-1i $repeat c 1000 500000 2 30 90 populate:60 set:60
      folder=$RUN/$variant/1000B-1i/rep-$repeat/c
      series_make $repeat 60 '100000 + noise(2000, 0.3)' >"$folder"/set.series.tsv
      series_make 1 60 '100000 + 1000 * i' >"$folder"/populate.series.tsv
    done
  done
  settings_make "$RUN" SCENARIO=imdt 'VARIANTS="native swap"'
  series_make 4 60 '(i > 41 && i <= 43 || i == 4 ? 60000 : 100000) + noise(2000, 0.3)' >"$RUN"/native/1000B-1i/rep-2/c/set.series.tsv
  series_make 5 60 '100000 - 900 * i + noise(2000, 0.3)' '100 * exp(noise(1, 0.9))' >"$RUN"/swap/1000B-1i/rep-1/c/set.series.tsv
  series_make 6 60 '(i < 5 ? 50000 : 100000) + noise(2000, 0.3)' >"$RUN"/swap/1000B-1i/rep-3/c/set.series.tsv
  run said
  assert_line $'warning\tdisturbed (some intervals are outliers) in 1 of 12 results: native, set at 1000B-1i, repeat 2 at 3-4, 41-43 s'
  assert_line $'warning\tnot settled (the first and the last third differ by more than their error margin) in 1 of 12 results: swap, set at 1000B-1i, repeat 1'
  assert_line $'warning\tthe figures include a warm-up in 1 of 12 results: swap, set at 1000B-1i, repeat 3: 4 s'
  assert_line $'warning\tthe throughput of one repeat has an error margin above 5 % in 2 of 12 results; most in swap, set at 1000B-1i, repeat 1: 100 % or more'
  assert_match 'the p99 of one repeat has an error margin above 25 % in 1 of 12 results; most in swap, set at 1000B-1i, repeat 1: \+-[0-9]+ %'
  # The speed of populating is not a result.
  refute_contains ', populate at'
  assert_line $'told\tphase that was disturbed or not settled'
  rm "$RUN"/native/1000B-1i/rep-1/c/set.series.tsv
  run said
  assert_line $'untold\tphase that was disturbed or not settled'
}

@test "mawk and gawk judge a series alike" {
  need_command mawk gawk
  series_make 7 60 '(i > 41 && i <= 43 ? 75000 : 100000) + noise(3000, 0.3)' '100 * exp(noise(0.2, 0.5))' >one
  series_make 8 45 '100000 * (1 - exp(-i / 2)) + noise(1000, 0.3)' >two
  printf 'one\ntwo\n' | AWK=mawk judge >said.mawk
  printf 'one\ntwo\n' | AWK='gawk --posix' judge >said.gawk
  cmp said.mawk said.gawk
}
