#!/usr/bin/env bats
# SPDX-License-Identifier: MIT
# One list of columns: CSV, JSON, totals and compare follow the schema, and nothing names a column that the schema does not have.
# slow

load helper
load logs

# The run of these tests.
run=r/20250101-x

# Print fields of the schema with the columns of the parts, by name, one column per line.
# Usage: schema FIELD...   Sets: the file schema.tsv
schema() {
  [[ -e schema.tsv ]] || schema_make
  awk -F '\t' -v OFS='\t' -v names="$*" '/^#/ { next }
    !n { n = split(names, name, " "); for (i = 1; i <= NF; i++) at[$i] = i; next }
    { for (i = 1; i <= n; i++) printf "%s%s", $at[name[i]], (i < n ? OFS : "\n") }' schema.tsv
}

# Write schema.tsv.
schema_make() {
  # shellcheck disable=SC2028 # for awk
  echo 'BEGIN {
    fields = split("name source clients unit decimals better shown place metric heading title meaning", field, " ")
    for (schema_read(); c <= schema_columns; c++)
      for (i = 1; i <= fields; i++) printf "%s%s", (c ? (schema[schema_name[c], field[i]] == "" ? "-" : schema[schema_name[c], field[i]]) : field[i]), (i < fields ? "\t" : "\n")
  }' >schema.awk
  ROOT=$REPO LIB=$REPO/lib MODULES=results bash -c '. "$LIB/modules.sh" && figures_run -- -f schema.awk' >schema.tsv
}

# Make a run of two clients with histograms; one client has nine times the load of the other.
clients_make() {
  repeat_make r/20250101-x native 1000B-2i 1 a 1000 90 1 10 99 set:3
  repeat_make r/20250101-x native 1000B-2i 1 b 1000 10 1 500 99 set:3
  histogram_make 10:90 >r/20250101-x/native/1000B-2i/rep-1/a/histogram-set-a1B2c3
  histogram_make 500:10 >r/20250101-x/native/1000B-2i/rep-1/b/histogram-set-a1B2c3
}

@test "each line of the schema is whole, its words are those that the code knows, and a new column's name ends with its unit" {
  schema_make
  run awk -F '\t' '/^#/ { next }
    !n { n = NF; next }
    NF != n { print $1 ": " NF " fields of " n }
    seen[$1]++ { print $1 ": twice" }
    $1 !~ /^[a-z][a-z0-9_]*$/ { print $1 ": name" }
    $3 !~ /^(same|sum|max|min|largest|mean|histogram|series|different|groups|group|count|own|-)$/ { print $1 ": clients " $3 }
    $5 !~ /^(text|raw|percent|digits|latency|[0-9])$/ { print $1 ": decimals " $5 }
    $6 !~ /^(more|less|-)$/ { print $1 ": better " $6 }
    $7 !~ /^(-|(csv|total|compare(:few)?|table(:(varies|variant|point|missed|far|tiers|hit_asked|used))?)(,(csv|total|compare(:few)?|table(:(varies|variant|point|missed|far|tiers|hit_asked|used))?))*(,cause)?)$/ { print $1 ": shown " $7 }
    $7 ~ /table/ && ($8 == "-" || $10 == "-") { print $1 ": in the table without place or heading" }
    $9 != "-" && ($3 == "-" || $6 == "-" || $8 == "-" || $11 == "-") { print $1 ": a metric without total, better, place or title" }
    $7 ~ /total/ && $3 == "-" { print $1 ": shown of totals, which do not have it" }
    $12 == "" || $12 == "-" { print $1 ": without meaning" }
    END { if (NR < 50) print NR " lines" }' schema.tsv
  assert_output ''
  number=0 bad=''
  while IFS=$'\t' read -r name unit shown; do
    number=$((number + 1))
    # The older columns keep their names.
    [[ $shown == *csv* || $shown == *total* ]] && ((number > 47)) || continue
    case $unit in
      - | share) continue ;;
      */op) [[ $name == *_per_op ]] ;;
      %) [[ $name == *_percent ]] ;;
      ops/s) [[ $name == *_ops_per_sec ]] ;;
      B) [[ $name == *_bytes ]] ;;
      GB/s) [[ $name == *_gb_s ]] ;;
      MB/s) [[ $name == *_mb_s ]] ;;
      */s) [[ $name == *_per_sec ]] ;;
      *) [[ $name == *_"${unit,,}" ]] ;;
    esac || bad+="$name ($unit) "
  done < <(schema name unit shown)
  [[ -z $bad ]] || fail "$bad"
}

@test "each part is in the list, and its columns follow columns that exist, as do those that the code fills or asks for; each table has a place" {
  bad='' count=0
  assert_equal "$(grep -vE '^#|^(tier|server|monitor)$' "$REPO/lib/part/list" | sort)" "$(cd "$REPO/lib/part" && printf '%s\n' */ | tr -d / | sort)"
  while read -r name; do
    schema name | grep -xF -- "$name" >/dev/null || bad+="$name "
    count=$((count + 1))
  done < <(cut -s -f 1 "$REPO"/lib/part/*/columns.tsv | grep -v '^after$')
  ((count > 20)) || fail "$count columns"
  [[ -z $bad ]] || fail "unknown: $bad"
  assert_equal "$(sed -n 's/^# Table: //p' "$REPO"/lib/{results/tables/,part/*/table}*.awk | sort | uniq -d)" ''
  bad='' count=0
  while read -r name; do
    schema name | grep -xF -- "$name" >/dev/null || bad+="$name "
    count=$((count + 1))
  done < <(grep -ohE '\b(cell|own|known|sum|kept|at)\["[a-z0-9_]+"' "$REPO"/lib/results/figures/{result,tier,foreign,axes,discard,total,table}.awk "$REPO"/lib/part/*/figures.awk | sed 's/^[^"]*"//; s/"//' | sort -u)
  ((count > 50)) || fail "$count columns"
  [[ -z $bad ]] || fail "not in the schema: $bad"
}

@test "--total adds clients up as the schema says" {
  clients_make
  cells_set $run/native/1000B-2i/rep-1/a/result.tsv '' rate=300 misses=4 miss_reason=evicted timeouts=1 unanswered=1 at_least_us=400 late=5
  cells_set $run/native/1000B-2i/rep-1/b/result.tsv '' rate=100 miss_reason=- unanswered=0 at_least_us=0 start_us=1700000000250000
  succeeds run "$REPO/summary2csv.sh" --total r/20250101-x
  assert_equal "${#lines[@]}" 2
  run awk -F, 'NR == 1 { split($0, name); next } { for (i = 1; i <= NF; i++) print name[i] "=" $i }' <<<"$output"
  for line in clients=2 len=1000 servers=2 max_time=3 threads=2 rate=400 ops=100 avg_us=56.2260 p50_us=10 p99_us=129 p99_9_us=129 max_us=129 misses=4 \
    miss_reason=evicted unanswered=1 at_least_us=400 start_us=1700000000000000 start_spread_us=250000 client_cpu_us_per_op=20 late=; do
    assert_line "$line"
  done
  [[ $output != *filename=* && $output != *client=* ]]
}

@test "a client without requests takes nothing from the figures of all clients" {
  repeat_make r/20250101-x native 1000B-2i 1 b 1000 90 1 10 99 set:3
  for name in a c; do
    repeat_make r/20250101-x native 1000B-2i 1 "$name" 1000 0 1 0 0 set:3
    printf 'us 0 total\n' >"r/20250101-x/native/1000B-2i/rep-1/$name/histogram-set-a1B2c3"
  done
  histogram_make 10:80 90:10 >r/20250101-x/native/1000B-2i/rep-1/b/histogram-set-a1B2c3
  run_split "$REPO/summary2csv.sh" --total r/20250101-x
  assert_equal "$status: $STDERR" '0: '
  prints '3 90 10 10 90' run cells -c 'clients ops avg_us p50_us p99_us' <<<"$output"
}

@test "--json is what the CSV is, in both forms: numbers, words, and null where nothing is known" {
  need_command python3
  repeat_make r/20250101-x 'va"r' 'p,1' 1 c 1000 50 2 23 99 set:3 get:2
  clients_make
  for form in '' --total; do
    # shellcheck disable=SC2086 # nothing or an option
    "$REPO/summary2csv.sh" $form r/20250101-x >out.csv
    # shellcheck disable=SC2086
    "$REPO/summary2csv.sh" --json $form r/20250101-x >out.json
    succeeds run python3 - <<'END'
import csv, json, re
rows, objects = list(csv.DictReader(open("out.csv", newline=""))), json.load(open("out.json"))
assert len(rows) == len(objects) >= 3, (len(rows), len(objects))
for row, thing in zip(rows, objects):
    assert list(row) == list(thing), (list(row), list(thing))
    for name in row:
        v = thing[name]
        # No figure has three decimals, which are thousands where the decimal point is a comma.
        assert re.sub(r"(\.\d{3})0$", r"\1", row[name]) == ("" if v is None else v if isinstance(v, str) else repr(v)), (name, row[name], v)
        assert isinstance(v, (str, type(None))) or not re.search(r"\.\d{3}$", row[name]), (name, row[name])
        assert not isinstance(v, str) or name in ("filename", "operation", "run", "scenario", "variant", "point", "client"), (name, v)
    assert isinstance(thing["ops"], int) and isinstance(thing["repeat"], int), thing
END
  done
}

@test "an axis of the sweep is a column: of the plan, and of a setting that only SWEEP names" {
  # A run without SWEEP has the columns of the schema.
  schema_make
  fails 1 run bash -c '"$REPO/summary2csv.sh" --total "$REPO/results/sample" | sed -n 1p | tr , "\n" | grep -vxF -f <(cut -f 1 schema.tsv)'
  assert_output ''
  repeat_make r/20250101-x native 1000B-2i-1to4-zipf 1 c 1000 50 2 23 99 set:3
  printf 'variant\tpoint\trepeat\tsweep\tdram_ratio\tkey_pattern\tplaces\nnative\t1000B-2i-1to4-zipf\t1\t-\t1:4\tzipf\t-\n' >r/20250101-x/plan.tsv
  repeat_make r/20250102-x native odd-name 1 c 1000 50 2 23 99 set:3
  printf 'variant\tpoint\trepeat\tsweep\tdram_ratio\tkey_pattern\tthp\tplaces\nnative\todd-name\t1\tx\t1:8\t-\talways\t-\n' >r/20250102-x/plan.tsv
  for form in '' --total; do
    # shellcheck disable=SC2086 # nothing or an option
    "$REPO/summary2csv.sh" $form r/20250101-x r/20250102-x >out.csv
    run awk -F, 'NR == 1 { for (i = 1; i <= NF; i++) at[$i] = i } { print $at["dram_ratio"] "/" $at["key_pattern"] "/" $at["thp"] }' out.csv
    assert_output $'dram_ratio/key_pattern/thp\n1:4/zipf/\n1:8//always'
  done
  run modules 'result_totals r/20250101-x r/20250102-x | result_table'
  assert_match 'DRAM:data +Keys +thp +'
}

@test "where an axis is not swept, CSV has what the phases used; tables, which tell points apart, do not" {
  for variant in native zram; do
    repeat_make r/20250101-x $variant 1000B-2i 1 c 1000 50 2 23 99 populate:3 get:3
    rep=r/20250101-x/$variant/1000B-2i/rep-1/c
    awk -F '\t' -v OFS='\t' '{ $(NF + 1) = NR == 1 ? "pattern" : NR == 2 ? "shuffle" : "gaussian:12.5" } 1' $rep/result.tsv >tsv
    mv tsv $rep/result.tsv
    mkdir "${rep%/c}/server"
    { printf 'phase\tscope\tcounter\tbefore\tafter\n' && tier_rows populate $variant && tier_rows get $variant; } >"${rep%/c}/server/counters.tsv"
    printf 'TIER="%s"\nDRAM_RATIO="1:4"\nNEIGHBOUR="2"\nCOLD_MEMORY="8M"\n' $variant >r/20250101-x/$variant/variant.conf
  done
  sed -i 's/^NEIGHBOUR.*/NEIGHBOUR="0"/; s/^COLD.*/COLD_MEMORY="0"/' r/20250101-x/native/variant.conf
  settings_make r/20250101-x 'VARIANTS="native zram"'
  printf 'variant\tpoint\trepeat\tdram_ratio\tkey_pattern\nnative\t1000B-2i\t1\t-\t-\nzram\t1000B-2i\t1\t-\t-\n' >r/20250101-x/plan.tsv
  for form in '' --total; do
    # shellcheck disable=SC2086 # nothing or an option
    "$REPO/summary2csv.sh" $form r/20250101-x >out.csv
    awk -F, 'NR == 1 { for (i = 1; i <= NF; i++) at[$i] = i; next }
      { print $at["variant"], $at["operation"], $at["dram_ratio"] "/" $at["key_pattern"] "/" $at["neighbour"] "/" $at["cold_memory"] }' out.csv >used
    assert_equal "$(sort used)" 'native get /gaussian:12.5//
native populate ///
zram get 1:4/gaussian:12.5/2/8M
zram populate 1:4///8M'
  done
  succeeds run modules 'result_totals r/20250101-x >totals; tables_make "$LIB/results/tables/ratio.awk" . <totals; tables_make "$LIB/part/cold/table.awk" . <totals; result_table <totals'
  refute_contains 'DRAM:data'
  refute_contains gaussian
  # A search leaves its answer in dram_share_percent.
  sed -i 's/^DRAM_RATIO.*/DRAM_RATIO="search"/' r/20250101-x/zram/variant.conf
  settings_make "r/20250101-x"
  assert_equal "$("$REPO/summary2csv.sh" r/20250101-x | cells -c dram_ratio | sort -u)" ''
}

@test "tables by axis are of the axes' columns, whatever the points are called" {
  repeat_make r/20250101-x native one 1 c 1000 50 2 23 99 set:3
  repeat_make r/20250101-x native two 1 c 1000 50 2 23 99 set:4
  repeat_make r/20250101-x native three 1 c 1000 50 4 23 99 set:4
  printf 'variant\tpoint\tsweep\tdram_ratio\nnative\tone\t1:4, rate 10\t1:4\nnative\ttwo\t1:8, rate 10\t1:8\nnative\tthree\t1:8, rate 10\t1:8\n' >r/20250101-x/plan.tsv
  settings_make r/20250101-x 'VARIANTS="native"'
  run modules 'result_totals r/20250101-x | tables_make "$LIB/results/tables/ratio.awk" .'
  assert_match 'Variant +Figure +1:4 +1:8
.*
native +ops/s +26 +21
'
  run modules 'result_totals r/20250101-x | tables_make "$LIB/results/tables/scaling.awk" .'
  assert_contains 'SET, values of 1,000 B, 1:4, rate 10: operations'
  assert_contains 'SET, values of 1,000 B, 1:8, rate 10: operations'
}

# Print totals, with the load generator as the limit of both variants at p2, of native at p1, and of swap at p3.
# Usage: totals_limited RUN   Returns: 0
totals_limited() {
  modules 'result_totals "$1"' "$1" |
    awk -F '\t' -v OFS='\t' 'NR == 1 { for (i = 1; i <= NF; i++) at[$i] = i; print; next }
      { where = $at["point"] " " $at["variant"]; $at["client_limited"] = where ~ /^p2|p1 native|p3 swap/ } 1'
}

@test "where the load generator was the limit, throughput and its percentages in the tables by axis are bounds, and two bounds have none" {
  bounds='The load generator was the limit of some figures: >= and <= are bounds, and two bounds have no ratio; use more threads, CPUs or clients.'
  for variant in native swap; do
    for point in p1 p2 p3; do repeat_make $run $variant $point 1 c 1000 50 2 23 99 set:4; done
  done
  settings_make "$run" 'VARIANTS="native swap"'
  printf 'variant\tpoint\tsweep\tdram_ratio\n' >$run/plan.tsv
  for variant in native swap; do printf "$variant"'\t%s\t%s\t%s\n' p1 1:2 1:2 p2 1:4 1:4 p3 1:8 1:8; done >>$run/plan.tsv
  totals_limited $run >totals
  succeeds run modules 'tables_make "$LIB/results/tables/ratio.awk" . <totals'
  assert_equal "$(sed -n '/ops.s\|% of\|load/{ s/  */ /g; p }' <<<"$output")" "native ops/s >=21 >=21 21
swap % of native <=100.0% - >=100.0%
$bounds"
  printf 'variant\tpoint\tsweep\tcold_memory\n' >$run/plan.tsv
  for variant in native swap; do printf "$variant"'\t%s\tcold memory %s\t%s\n' p1 0 0 p2 4M 4M p3 8M 8M; done >>$run/plan.tsv
  totals_limited $run >totals
  succeeds run modules 'tables_make "$LIB/part/cold/table.awk" . <totals'
  assert_equal "$(sed -n '/ops.s\|% of\|load/{ s/  */ /g; p }' <<<"$output")" "native ops/s >=21 >=21 21
native % of native at 0 100.0% - <=100.0%
swap ops/s 21 >=21 >=21
swap % of native at 0 <=100.0% - -
$bounds"
}

@test "latencies with unanswered requests are lower bounds in the tables by axis" {
  repeat_make $run native p1 1 c 1000 50 2 23 99 set:4
  repeat_make $run native p2 1 c 1000 50 2 23 99 set:4
  settings_make "$run" 'VARIANTS="native"'
  for name in results/tables/ratio part/cold/table; do
    printf 'variant\tpoint\tsweep\tdram_ratio\nnative\tp1\t1:2\t1:2\nnative\tp2\t1:4\t1:4\n' >$run/plan.tsv
    [[ $name == results/* ]] || printf 'variant\tpoint\tsweep\tcold_memory\nnative\tp1\tcold memory 0\t0\nnative\tp2\tcold memory 4M\t4M\n' >$run/plan.tsv
    totals_limited $run | awk -F '\t' -v OFS='\t' 'NR == 1 { for (i = 1; i <= NF; i++) at[$i] = i; print; next }
      { $at["unanswered"] = $at["point"] == "p2"; $at["at_least_us"] = 60; print }' >totals
    run modules 'tables_make "$LIB/$1.awk" . <totals' $name
    assert_match 'p99 us +99 +>=99'
    assert_contains 'Latencies with >= are lower bounds'
  done
}

@test "tables by axis have the ops/s of the other variants if the first has no result" {
  need_command mawk gawk
  for variant in swap zram; do
    repeat_make $run $variant one 1 c 1000 50 2 23 99 set:3
    repeat_make $run $variant two 1 c 1000 50 2 23 99 set:4
  done
  settings_make "$run" 'VARIANTS="native swap zram"'
  for awk in mawk gawk; do
    printf 'variant\tpoint\tsweep\tdram_ratio\n%s\tone\t1:4\t1:4\n%s\ttwo\t1:8\t1:8\n' swap swap zram zram >$run/plan.tsv
    succeeds run with_awk $awk bash -c 'ROOT=$REPO LIB=$REPO/lib; . "$LIB/modules.sh"; result_totals "$1" | tables_make "$LIB/results/tables/ratio.awk" .' bash $run
    rows=$(printf '%s ops/s 26 21\n%s p99 us 99 99\n' swap swap zram zram)
    assert_equal "$(sed '1,5d; / far.op/d; s/  */ /g' <<<"$output")" "$rows"
    printf 'variant\tpoint\tsweep\tcold_memory\n%s\tone\tcold memory 0\t0\n%s\ttwo\tcold memory 8M\t8M\n' swap swap zram zram >$run/plan.tsv
    succeeds run with_awk $awk bash -c 'ROOT=$REPO LIB=$REPO/lib; . "$LIB/modules.sh"; result_totals "$1" | tables_make "$LIB/part/cold/table.awk" .' bash $run
    assert_equal "$(sed '1,5d; /MiB/d; /^$/,$d; s/  */ /g' <<<"$output")" "$rows"
  done
}

@test "tables by axis ignore a phase that broke its limit, and the table of totals gives it no percentage" {
  for variant in native swap; do
    for repeat in 1 2; do
      repeat_make $run $variant one $repeat c 1000 50 2 23 99 set:$((2 + repeat))
      repeat_make $run $variant two $repeat c 1000 50 4 23 99 set:$((5 * repeat))
    done
    printf '%s\t%s\t%s\t%s\n' "$variant" one 1:4 0 "$variant" two 1:8 8M >>points
  done
  settings_make "$run" 'VARIANTS="native swap"'
  printf 'variant\tpoint\tdram_ratio\tcold_memory\n' | cat - points >$run/plan.tsv
  succeeds run_split modules 'result_totals "$1" >totals
    awk -F "\t" -v OFS="\t" "NR == 1 { for (i = 1; i <= NF; i++) at[\$i] = i }
      \$at[\"variant\"] == \"swap\" && \$at[\"repeat\"] == 2 { \$at[\"search\"] = \"broken\" } { print }" totals >broken
    grep -v broken broken >without
    for name in results/tables/ratio part/cold/table results/tables/scaling; do
      for rows in broken without; do tables_make "$LIB/$name.awk" . <"$rows" >"${name//\//-}.$rows"; done
    done
    FORMAT=csv result_table <broken' $run
  assert_equal "$STDERR" ''
  for name in results-tables-ratio part-cold-table results-tables-scaling; do
    grep -q swap $name.without || fail "$name: no table"
    cmp $name.broken $name.without
  done
  prints $'native 1 100.0000\nswap 1 100.0000\nnative 2 100.0000\nswap 2 ' run cells -c -w point=two 'variant repeat percent_of_baseline' <<<"$output"
}

@test "compare --metric list prints every metric" {
  names=$(schema metric place | grep -v '^-' | sort -t $'\t' -k 2n -s | cut -f 1)
  [[ $names == *p99.99* ]]
  prints "$names" run "$REPO/do_it.sh" compare --metric list
}

@test "what was reached while all clients were running: a row that the window cuts counts by its share, and a client without a series by its threads" {
  rep=r/20250101-x/native/1000B-2i/rep-1
  clients_make
  # Each takes 3.731204 s; b starts 1 s later.
  printf '%s\n' $'set\ta\t1700000000000000' $'set\tb\t1700000001000000' >$rep/starts.tsv
  printf 'time_s\tops\n1.000\t100\n2.000\t100\n3.000\t100\n3.731\t73\n' >$rep/a/set.series.tsv
  printf 'time_s\tops\n1.000\t200\n2.000\t200\n3.000\t200\n3.731\t146\n' >$rep/b/set.series.tsv
  # From 1 s to 3.731204 s: 273 operations of a, and 400 + 0.731204 x 200 of b.
  window() { "$REPO/summary2csv.sh" --total r/20250101-x | cells -c 'window_ops_per_sec window_us cut_percent'; }
  prints '299.9560 2731204 42.3' run window
  # Ten keys in 3.731204 s.
  rm $rep/b/set.series.tsv
  prints '102.6360 2731204 42.3' run window
  rm $rep/starts.tsv
  prints '  ' run window
}

@test "all that a run ends with comes of one reading of its logs, and what cannot be read is said once" {
  need_command gnuplot
  real=$(command -v awk)
  clients_make
  repeat_make r/20250101-x swap 1000B-2i 1 a 1000 90 1 10 99 set:4
  repeat_make r/20250101-x swap 1000B-2i 2 a 1000 90 1 10 99 set:4
  sed -i '$d' r/20250101-x/swap/1000B-2i/rep-2/a/redis.log.*
  touch r/20250101-x/{native,swap}/variant.conf
  settings_make r/20250101-x 'VARIANTS="native swap"'
  program_make with/awk '#!/bin/sh\nfor word; do case $word in *.awk) echo "${word##*/}" >>"%s/read" ;; esac; done\nexec "%s" "$@"\n' "$SCRATCH" "$real"
  PATH=$SCRATCH/with:$PATH VARIANTS='native swap' run_split modules 'export RESULT_PROGRAM=x
    ending_show r/20250101-x data || :; report_make r/20250101-x data'
  assert_contains 'One or two repeats: medians'
  assert_contains 'swap reaches'
  [[ -s r/20250101-x/report.html ]]
  assert_equal "$(grep -cx 'loadlog.awk\|result.awk\|total.awk' read)" 3
  assert_equal "$(grep -c 'Complete' <<<"$STDERR")" 1
  assert_equal "$(grep -c 'Complete' r/20250101-x/report.html)" 1
}

@test "percentiles of commands: no rank is rounded up to the next slot, and none is above the longest latency" {
  while read -r repeat max slots; do
    repeat_make $run native one "$repeat" c 1000 500 1 23 99 mixed:2
    printf 'command\tops\tlate\tmisses\terrors\tmax_us\thistogram\nget\t500\t0\t0\t0\t%s\t%s\n' "$max" "$slots" >"$run/native/one/rep-$repeat/c/mixed.commands.tsv"
  done <<<$'1 9000 100:499 9007:1\n2 100 100:500'
  settings_make "$run" 'VARIANTS="native"'
  percentiles() { modules 'result_totals "$1" | tables_make "$LIB/results/tables/kinds.awk" "$1"' $run | awk '$1 == "get" { print $3, $5, $6, $7 }'; }
  assert_equal "$(percentiles)" '1,000 100 100 100'
  sed -i 's/100:499 9007:1/100:498 9007:2/' $run/native/one/rep-1/c/mixed.commands.tsv
  assert_equal "$(percentiles)" '1,000 100 100 9,000'
}

@test "JSON of a name that is not UTF-8 is valid, and other names are unchanged" {
  need_command python3 mawk gawk
  # A continuation byte alone, a sequence that is cut, one that is too long, half a surrogate pair, and valid ones of 2 to 4 bytes.
  for variant in $'a\xbfb' $'a\xe2\x82' $'a\xc0\xafb' $'a\xed\xa0\x80' $'é€\xf0\x9f\x98\x80'; do
    repeat_make r/20250101-x "$variant" 1000B-4i 1 c 1000 50 4 46 99 set:3
  done
  for awk in mawk gawk; do
    succeeds run with_awk $awk "$REPO/summary2csv.sh" --json r/20250101-x
    assert_equal "$(python3 -c 'import json, sys; print(*sorted(ascii(row["variant"]) for row in json.load(sys.stdin)))' <<<"$output")" \
      "'\\xe9\\u20ac\\U0001f600' 'a\\ufffd\\ufffd' 'a\\ufffd\\ufffd\\ufffd' 'a\\ufffd\\ufffdb' 'a\\ufffdb'"
  done
}
