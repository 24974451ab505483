#!/usr/bin/env bats
# SPDX-License-Identifier: MIT
# The plots' data: which variants are drawn, when events happened, and that gnuplot prints no warnings.
# slow

load helper
load logs

setup() { drawn_setup; }

# Where the fixtures' phases begin, in seconds since the epoch: set here, get ten seconds later.
BEGIN=1700000000

# Make a run of native and swap with one repeat, 100 requests per second in series of four seconds, and samples of the server: swap waits
# 50 times a second. Usage: run_make [SECONDS_THAT_THE_SERVERS_CLOCK_IS_AHEAD]
run_make() {
  local variant folder phase second waits ahead=${1:-0}
  for variant in native swap; do
    folder="$RUN"/$variant/1000B-1i/rep-1
    repeat_make "$RUN" $variant 1000B-1i 1 c 1000 500000 1 30 90 set:4 get:4
    cells_set "$folder/c/result.tsv" operation=get start_us=$((BEGIN + 10))000000
    waits=0
    [[ $variant == native ]] || waits=50
    server_make "$folder" $variant ok $((waits * 1000000)) $((waits * 4))
    for phase in set get; do
      histogram_make 30:490000 90:10000 >"$folder/c/histogram-$phase-a1B2c3"
      printf 'time_s\tops\terrors\tmisses\tbytes\tp50_us\tp99_us\tp99_9_us\tmax_us\n' >"$folder/c/$phase.series.tsv"
      printf '%d.000\t100\t0\t0\t100\t30\t90\t100\t200\n' 1 2 3 4 >>"$folder/c/$phase.series.tsv"
    done
    printf 'time\tpswpin\tzswpin\toom_kill\n' >"$folder/server/vmstat.tsv"
    printf 'time\tport\trss\tswap\tmajflt\n' >"$folder/server/instances.tsv"
    for ((second = -2; second < 20; second++)); do
      # Pages of the host, which are nothing to the instance.
      printf '%d.000000\t%d\t%d\t3\n' $((BEGIN + ahead + second)) $((second * 999)) 7 >>"$folder/server/vmstat.tsv"
      printf '%d.000000\t6379\t1000\t1000\t%d\n' $((BEGIN + ahead + second)) $((1000 + second * waits)) >>"$folder/server/instances.tsv"
    done
    printf '%s\n' $'set\tcpus\ttime_us\t'$((BEGIN + ahead - 1))000000$'\t'$((BEGIN + ahead + 8))000000 \
      $'get\tcpus\ttime_us\t'$((BEGIN + ahead + 8))000000$'\t'$((BEGIN + ahead + 16))000000 >>"$folder/server/counters.tsv"
  done
  settings_make "$RUN" SCENARIO=imdt 'VARIANTS="native swap"'
}

# Write the data of the run's plots into the directory data and print which plots to draw, also into the file jobs.
data_make() {
  modules 'rm -rf data
    mkdir data
    result_rows "$1" >data/rows
    result_add_up <data/rows >data/totals
    _plot_data data | tee jobs' "$RUN"
}

# Draw the plots of data_make whose names begin so into the directory drawn; nothing may be said of them: drawn 'NAME|NAME'
drawn() {
  NAMES=$1 succeeds run_split modules 'rm -rf drawn
    mkdir drawn
    cp -r data drawn
    _plot_data() { awk -F "\t" "\$2 ~ /^($NAMES)-/" jobs; }
    PLOT_CORNER=corner plot_all drawn'
  assert_equal "$STDERR" ''
}

@test "waits for far memory are set against the operations of the same time; a run without them, or on a tier without their count, has no plot of them" {
  run_make
  succeeds run data_make
  assert_match $'\nlines\tfar-1\t'
  assert_equal "$(cat data/far-1.dat.names)" $'1\tnative\n2\tswap'
  assert_equal "$(block data/far-1.dat 0 | cut -f 2 | sort -u)" 0.00000
  assert_equal "$(block data/far-1.dat 1)" "$(printf '%d.000\t0.50000\n' 0 1 1 2 2 3 3 4 10 11 11 12 12 13 13 14)"
  run "$REPO/do_it.sh" report "$RUN"
  assert_exists "$RUN"/plots/far-1.svg "$RUN"/plots/far-1.png
  server_make "$RUN"/swap/1000B-1i/rep-1 bind ok 0 0
  succeeds run data_make
  assert_contains $'\ttime-1\t'
  refute_contains far-1
}

@test "a server whose clock is an hour ahead gives the same plot" {
  run_make
  data_make
  cp data/far-1.dat ours.dat
  for ahead in 3600 -3600; do
    rm -r "$RUN"
    run_make $ahead
    data_make
    # A phase begins at some moment between its marks, which limits the error of the server's clock.
    assert_equal "$(block data/far-1.dat 1 | cut -f 2 | sort -u)" 0.50000
    assert_equal "$(block data/far-1.dat 1 | awk '{ print int($1) }' | sed -n 1,8p | tail -n 1)" 4
  done
}

# Print the label of the bar of swap, after columns of the results of some variants were set.
# Usage: bar_label PLOT 'COLUMN=VALUE...' [VARIANT]...
bar_label() {
  local variant
  [[ -e clean ]] || { run_make && mv "$RUN" clean; }
  rm -rf "$RUN"
  cp -r clean "$RUN"
  for variant in "${@:3}"; do
    # shellcheck disable=SC2086 # several cells
    cells_set "$RUN/$variant/1000B-1i/rep-1/c/result.tsv" '' $2
  done
  data_make >/dev/null
  block "data/$1.dat" 1 | cut -f 5
}

@test "the label of a bar is a bound where the load generator was the limit, of p99 where requests had no answer; there is none for two bounds" {
  late='unanswered=9 at_least_us=50'
  assert_equal "$(bar_label bars-1 '')" '100 %'
  assert_equal "$(bar_label bars-1 client_limited=1 native)" '<=100 %'
  assert_equal "$(bar_label bars-1 client_limited=1 swap)" '>=100 %'
  assert_equal "$(bar_label bars-1 client_limited=1 native swap)" ''
  assert_equal "$(bar_label tail-1 "$late")" 1x
  assert_equal "$(bar_label tail-1 "$late" native)" '<=1x'
  assert_equal "$(bar_label tail-1 "$late" swap)" '>=1x'
  assert_equal "$(bar_label tail-1 "$late" native swap)" ''
}

@test "a rate of millions is drawn, and a phase of microseconds is nothing to stumble over" {
  run_make
  sed -i '3s/\t100\t/\t4500001\t/; 3s/^2/1.9/' "$RUN"/native/1000B-1i/rep-1/c/set.series.tsv
  # All of this phase is within a thousandth of a second, and of the next one the first interval.
  sed -i '2s/^1/0/; 3,$d' "$RUN"/swap/1000B-1i/rep-1/c/set.series.tsv
  sed -i '2s/^1/0/' "$RUN"/swap/1000B-1i/rep-1/c/get.series.tsv
  data_make
  drawn 'time|far'
  assert_exists drawn/time-1.svg drawn/far-1.svg
}

@test "a phase that had one interval is a line too, and phases are marked where they start" {
  run_make
  sed -i 3,5d "$RUN"/native/1000B-1i/rep-1/c/set.series.tsv
  data_make
  assert_equal "$(block data/time-1.dat 0 | sed -n 1,2p)" $'0.000\t100.00\t90\n1.000\t100.00\t90'
  assert_equal "$(block data/time-1.dat 2)" $'0.000\t1\t1\tset\n10.000\t1\t1\tget\n0.000\t2\t2\tset\n10.000\t2\t2\tget'
}

@test "what happened is marked when it happened, in any time zone of the server" {
  swap="$RUN"/swap/1000B-1i/rep-1
  run_make
  sed -i $'3s/\t0\t0\t/\t4\t3\t/; 5s/\t100\t/\t0\t/' "$RUN"/native/1000B-1i/rep-1/c/get.series.tsv
  # Pages are demoted in the seconds 8, 9 and 12, and fewer than a MiB in 14.
  awk -F '\t' -v OFS='\t' 'NR > 9 { $4 = 4 } { pages += NR == 12 || NR == 13 || NR == 16 ? 300 : NR == 18 ? 9 : 0; print $0, NR == 1 ? "pgdemote_kswapd" : pages }' \
    "$swap"/server/vmstat.tsv >new
  mv new "$swap"/server/vmstat.tsv
  for zone in UTC0 IST-5:30 PST8; do
    # The sample before the first phase was taken two seconds after this.
    {
      for line in '-4:* Ready to accept connections' '2:* Background saving started by pid 9' '3:# Client id=3 closed for overcoming of output buffer limits.' \
        '11:* Background saving terminated with success' '12:* DB saved on disk in another line' '300:* Background saving started by pid 10'; do
        printf '7:M %s %s\n' "$(TZ=$zone date -d "@$((BEGIN + ${line%%:*}))" '+%d %b %Y %H:%M:%S.250')" "${line#*:}"
      done
    } >"$swap"/server/redis-6379.log
    succeeds run data_make
    assert_match 'Marked above the lines: requests failed \(1\), keys not found \(1\), nothing answered \(1\), OOM killer \(1\), pages demoted \(2\), snapshot begins \(1\), connection cut off \(1\), snapshot ends \(2\)'
    assert_equal "$(paste -sd , data/time-1.dat.events)" 'requests failed,keys not found,nothing answered,OOM killer,pages demoted,snapshot begins,connection cut off,snapshot ends'
    assert_equal "$(block data/time-1.dat 3)" $'11.500\t1\t3\t1\n11.500\t2\t3\t1\n13.500\t3\t3\t1\n6.000\t4\t4\t2\n8.000\t5\t4\t2\n12.000\t5\t4\t2\n2.250\t6\t4\t2\n3.250\t7\t4\t2\n11.250\t8\t4\t2\n12.250\t8\t4\t2'
  done
  drawn time
}

@test "moves of the popular keys are marked in the phases that have them" {
  client="$RUN"/swap/1000B-1i/rep-1/c
  run_make
  cells_set "$client/result.tsv" '' shift=-
  cells_set "$client/result.tsv" operation=get shift=1.5:10
  succeeds run data_make
  assert_contains 'Marked above the lines: popular keys move (2).'
  assert_equal "$(block data/time-1.dat 3)" $'11.500\t1\t3\t2\n13.000\t1\t3\t2'
}

@test "the steps of a fault are marked at their times, and what the logs of masters and replicas say of it" {
  server="$RUN"/swap/1000B-1i/rep-1/server
  run_make 3600
  printf 'time_us\tnode\tevent\tdetail\n' >"$server"/events.tsv
  for line in '1:node down' '2:taken over' '3:node up' '4:resync ends' '11:failed back' '12:settled' '13:no such step'; do
    printf '%s500000\t1\t%s\tx\n' $((BEGIN + 3600 + ${line%%:*})) "${line#*:}" >>"$server"/events.tsv
  done
  for line in '6379:-4:* Ready to accept connections' '6379:2:* Marking node 0123 as failing (quorum reached).' \
    '6380:-4:* Ready to accept connections' "6380:3:# Failover election won: I'm the new master."; do
    printf '7:M %s %s\n' "$(TZ=UTC0 date -d "@$((BEGIN + 3600 + $(cut -d : -f 2 <<<"$line")))" '+%d %b %Y %H:%M:%S.750')" "${line#*:*:}" >>"$server/redis-${line%%:*}.log"
  done
  succeeds run data_make
  assert_equal "$(paste -sd , data/time-1.dat.events)" 'node down,taken over,node up,resync ends,failed back,node failing,election won'
  # The server's clock is known to a second; what lies between two of its stamps, to the ms.
  assert_equal "$(block data/time-1.dat 3 | awk 'NR == 1 { from = $1 } { printf "%s%.2f", (NR > 1 ? " " : ""), $1 - from }')" '0.00 1.00 2.00 3.00 10.00 1.25 2.25'
  drawn time
}

@test "the shards of a cluster are strips in the colour of the node that serves them, white where nothing was answered" {
  folder="$RUN"/swap/1000B-1i/rep-1
  run_make
  printf 'port\tnode\tshard\trole\n7000\t1\t0\tmaster\n7001\t2\t1\tmaster\n7002\t3\t0\treplica\n' >"$folder"/server/cluster.tsv
  printf 'time_us\tnode\tevent\tdetail\n%s000000\t1\tnode down\tkill\n' $((BEGIN + 11)) >"$folder"/server/events.tsv
  printf 'time_s\tshard\taddress\tops\terrors\tmax_us\n' | tee "$folder"/c/set.shards.tsv >"$folder"/c/get.shards.tsv
  for second in 1 2 3 4; do
    printf '%d.000\t%s\n' "$second" $'0\t10.0.0.1:7000\t50\t0\t90' "$second" $'1\t10.0.0.2:7001\t50\t0\t90' >>"$folder"/c/set.shards.tsv
    case $second in
      1) printf '1.000\t0\t10.0.0.1:7000\t50\t0\t90\n' ;;
      2) printf '2.000\t0\t10.0.0.1:7000\t0\t9\t0\n' ;;
      *) printf '%d.000\t0\t10.0.0.3:7002\t70\t0\t90\n' "$second" ;;
    esac >>"$folder"/c/get.shards.tsv
    printf '%d.000\t1\t10.0.0.2:7001\t50\t0\t90\n' "$second" >>"$folder"/c/get.shards.tsv
  done
  succeeds run data_make
  assert_match $'\tshards-1-2\t.* 2 shards over time, .* came to another node 1 time'
  refute_exists data/shards-1-1.dat
  assert_equal "$(cat data/shards-1-2.dat.names)" $'1\tnode 1\n2\tnode 2\n3\tnode 3'
  assert_equal "$(block data/shards-1-2.dat 0)" $'0.000\t4.000\t0\n10.000\t11.000\t0'
  assert_equal "$(block data/shards-1-2.dat 1)" $'0.000\t4.000\t1\n10.000\t14.000\t1'
  assert_equal "$(block data/shards-1-2.dat 2)" $'12.000\t14.000\t0'
  assert_equal "$(block data/shards-1-2.dat 3)" $'0.000\t1\tset\n10.000\t1\tget\n11.000\t1\tnode down'
  drawn shards
  assert_exists drawn/shards-1-2.svg drawn/shards-1-2.png
}

@test "events are told by what Redis itself writes, at the time it writes it" {
  before=$(date +%s)
  redis_start --logfile "$SCRATCH/redis.log"
  redis-cli -p "$REDIS_PORT" set a b >/dev/null
  redis-cli -p "$REDIS_PORT" bgsave >/dev/null
  wait_until 20 grep -q 'Background saving terminated' redis.log
  redis-cli -p "$REDIS_PORT" bgrewriteaof >/dev/null
  wait_until 20 grep -q 'AOF rewrite finished' redis.log
  after=$(date +%s)
  cat >told.awk <<'PROGRAM'
function parts_plot() { return }
/^[0-9]+:[A-Z] / {
  kind = event_kind($0)
  if (kind ~ /snapshot|AOF/) print kind
  last = event_seconds($0)
}
END { printf "%d\n", last }
PROGRAM
  run awk -f "$REPO/lib/results/figures/text.awk" -f "$REPO/lib/results/figures/overlap.awk" -f "$REPO/lib/results/plot/common.awk" -f "$REPO/lib/results/plot/time.awk" -f "$REPO/lib/results/plot/map.awk" -f "$REPO/lib/results/plot/shards.awk" -f "$REPO/lib/results/plot/events.awk" -f told.awk redis.log
  assert_line 'snapshot begins'
  assert_line 'snapshot ends'
  assert_line 'AOF rewrite begins'
  assert_line 'AOF rewrite ends'
  when=$((lines[-1] - $(date -d "$(date -d "@$after" '+%F %T') UTC" +%s) + after))
  ((when >= before - 1 && when <= after + 1)) || fail "$when is not between $before and $after"
}

@test "variants without series or histograms leave gnuplot nothing to say, and keep their colours" {
  run_make
  rm "$RUN"/native/1000B-1i/rep-1/c/*.series.tsv "$RUN"/native/1000B-1i/rep-1/c/histogram-*
  sed -i '/^Histogram/d' "$RUN"/native/1000B-1i/rep-1/c/redis.log.*
  succeeds run_split "$REPO/do_it.sh" report "$RUN"
  assert_equal "$STDERR" ''
  assert_exists "$RUN"/plots/time-1.svg "$RUN"/plots/percentile-1-1.svg
  data_make
  assert_equal "$(<data/time-1.dat.names)" $'2\tswap'
  for series in "$RUN"/swap/1000B-1i/rep-1/c/*.series.tsv; do
    awk -F '\t' -v OFS='\t' 'NR > 1 { for (i = 3; i <= NF; i++) $i = "" } { print }' "$series" >bare
    mv bare "$series"
  done
  data_make
  drawn time
  assert_exists drawn/time-1.svg
  rm "$RUN"/swap/1000B-1i/rep-1/c/*.series.tsv
  run data_make
  refute_contains time-1
}

@test "a line joins what differs in the number of instances alone" {
  mkdir -p "$RUN"
  printf 'variant\tpoint\tsweep\tdram_ratio\n' >"$RUN/plan.tsv"
  for instances in 1 2; do
    printf 'native\t1000B-%di-1to%d\t1:%d\t1:%d\n' "$instances" 1 1 1 "$instances" 8 8 8 >>"$RUN/plan.tsv"
    repeat_make "$RUN" native 1000B-${instances}i-1to1 1 c 1000 400000 $instances 30 90 get:4
    repeat_make "$RUN" native 1000B-${instances}i-1to8 1 c 1000 100000 $instances 30 90 get:4
    for folder in "$RUN"/native/*/rep-1/c; do histogram_make 30:1000 90:10 >"$folder/histogram-get-a1B2c3"; done
  done
  succeeds run data_make
  assert_contains $'\nscaling\tscaling-1-1000-1\tThroughput by number of instances, get, values of 1,000 B, 1:1\t'
  assert_contains $'\nscaling\tscaling-1-1000-2\tThroughput by number of instances, get, values of 1,000 B, 1:8\t'
  assert_equal "$(wc -l <data/scaling-1-1000-1.dat)" 2
  assert_equal "$(cut -f 3,4 data/tradeoff-1.dat | sed 's|^-\t||; s|\t-$||')" $'1000B-1i-1to1\n1000B-2i-1to1\n\n1000B-1i-1to8\n1000B-2i-1to8'
  drawn 'scaling|tradeoff'
  assert_equal "$(grep -oE '<text>[^<]*[0-9]i[^<]*' drawn/tradeoff-1.svg | sed 's/<text>//' | sort -V | xargs)" \
    '1000B-1i-1to1 1000B-1i-1to8 1000B-2i-1to1 1000B-2i-1to8'
  assert_exists drawn/scaling-1-1000-{1,2}.svg
}

@test "the whiskers of a bar are the interval of compare, and so is its description; its label is the ratio of compare" {
  for repeat in 1 2 3; do
    repeat_make "$RUN" native 1000B-1i $repeat c 1000 500000 1 30 90 get:$((3 + repeat % 2))
    repeat_make "$RUN" swap 1000B-1i $repeat c 1000 500000 1 30 90 get:$((8 + repeat))
  done
  for level in 95 98.9; do
    printf 'VARIANTS="native swap"\nREDISRUNS="%s"\n' "${level/98.9/auto:3..30}" >"$RUN"/run.conf
    settings_make "$RUN"
    run data_make
    assert_contains "those of bars with a percentage of native from three repeats or more are its $level % interval"
    # The label of a bar is the ratio as compare prints it: a percentage for throughput, a factor for latency.
    grep -q $'\t44 %$' data/bars-1.dat || fail "$(<data/bars-1.dat)"
    grep -qE $'\t[0-9.]+x$' data/tail-1.dat || fail "$(<data/tail-1.dat)"
    "$REPO/do_it.sh" compare --metric ops --format csv "$RUN"/native "$RUN"/swap >told.csv
    run awk -F '\t' 'NR == FNR && NF > 3 { if (++n == 1) base = $2; else { low = $3 / base * 100; high = $4 / base * 100 } next }
      NR != FNR && FNR == 1 { split($0, name, ","); next }
      NR != FNR { split($0, cell, ","); for (i in name) if (name[i] == "low_percent") told_low = cell[i]; else if (name[i] == "high_percent") told_high = cell[i] }
      END { printf "%.2f %.2f %.2f %.2f\n", low, told_low, high, told_high }' data/bars-1.dat told.csv
    assert_match '^([0-9.]+) \1 ([0-9.]+) \2$' || fail "$(cat data/bars-1.dat told.csv)"
  done
}

@test "a phase that broke its limit is in no bar, and p99 latencies at the loads that searches found have no ratio" {
  for repeat in 1 2 3 4; do
    repeat_make "$RUN" native 1000B-1i $repeat c 1000 500000 1 30 90 get:4
    repeat_make "$RUN" swap 1000B-1i $repeat c 1000 500000 1 30 $((100 + repeat)) get:9
    for variant in native swap; do
      state=found
      [[ $variant$repeat != swap4 ]] || state=broken
      printf 'phase\tlimit\tsearch\nget\tp99<=1ms\t%s\n' $state >"$RUN/$variant/1000B-1i/rep-$repeat/search.tsv"
    done
  done
  settings_make "$RUN" 'VARIANTS="native swap"'
  run data_make
  assert_equal "$(block data/tail-1.dat 1 | cut -f 2-)" $'102\t101\t103\t'
  refute_contains 'Over a bar is its multiple'
  assert_contains 'Over a bar is its percentage of native.'
  assert_match $'\t49 %$' "$(block data/bars-1.dat 1)"
  # A search for DRAM holds a part of the load that the other one found.
  for repeat in 1 2 3; do
    mv "$RUN"/swap/1000B-1i/rep-$repeat/search.tsv search.$repeat
    printf 'phase\tlimit\tsearch\tdram_share_percent\nget\tp99<=1ms\tfound\t40\n' >"$RUN"/swap/1000B-1i/rep-$repeat/size.tsv
  done
  run data_make
  refute_contains ' %' "$(block data/bars-1.dat 1)"
  assert_equal "$(block data/tail-1.dat 1 | cut -f 2-)" $'102\t101\t103\t'
  for repeat in 1 2 3; do
    rm "$RUN"/swap/1000B-1i/rep-$repeat/size.tsv
    mv search.$repeat "$RUN"/swap/1000B-1i/rep-$repeat/search.tsv
  done
  sed -i 's/found/broken/' "$RUN"/swap/1000B-1i/rep-*/search.tsv
  run data_make
  assert_equal "$(<data/bars-1.dat.names)" $'1\tnative'
}

# Put COMMAND before the real gnuplot, which reads the commands in $2: gnuplot_after COMMAND
gnuplot_after() {
  program_make "$SCRATCH/bin/gnuplot" '#!/bin/bash\n%s\nexec %q "$@"\n' "$1" "$(PATH=${PATH#"$SCRATCH/bin:"} command -v gnuplot)"
  PATH=$SCRATCH/bin:${PATH#"$SCRATCH/bin:"}
}

@test "one gnuplot draws all plots, and after its minute another one continues; plots that cannot be drawn are named, and all others are drawn" {
  names=()
  run_make
  gnuplot_after 'echo >>starts'
  "$REPO/do_it.sh" report "$RUN"
  assert_equal "$(wc -l <starts)" 1
  for name in "$RUN"/plots/*.svg; do
    name=${name##*/}
    names+=("${name%.svg}")
  done
  assert_equal "${#names[@]}" 10
  mv "$RUN"/plots whole
  # Each of them finds its minute over after one plot.
  gnuplot_after 'echo >>starts; sed -i "s/time(0) >= [0-9]*/1/" "$2"'
  rm starts
  succeeds run_split "$REPO/do_it.sh" report "$RUN"
  assert_equal "$STDERR" ''
  assert_equal "$(wc -l <starts)" ${#names[@]}
  for name in whole/*.png; do cmp "$name" "$RUN/plots/${name##*/}"; done
  rm starts
  # The first one, two in turn, and the last one.
  gnuplot_after 'echo >>starts; rm -f "${2%/*}"/{bars-1,tail-1,tail-2,far-1}.dat'
  fails 1 run_split "$REPO/do_it.sh" report "$RUN"
  assert_equal "$(grep -o 'cannot draw the plot .*' <<<"$STDERR" | xargs)" \
    'cannot draw the plot bars-1 cannot draw the plot tail-1 cannot draw the plot tail-2 cannot draw the plot far-1'
  for name in "${names[@]}"; do
    case $name in
      bars-1 | tail-[12] | far-1) refute_contains "id=\"$name-title\"" "$(<"$RUN/report.html")" ;;
      *) cmp "whole/$name.png" "$RUN/plots/$name.png" ;;
    esac
  done
  assert_equal "$(wc -l <starts)" 4
  gnuplot_after 'exit 0'
  fails 1 run_split "$REPO/do_it.sh" report "$RUN"
  assert_equal "$(grep -c 'cannot draw the plot' <<<"$STDERR")" ${#names[@]}
}

@test "a text of any characters is drawn, and never a command" {
  text=$'\'a\'\'"b" `touch 1` $(touch 2) @ARG1 $0 !touch 3 \\ # {0} }{ 7 %d \'; system("touch 4") µé'
  mkdir -p "draw '\"\`touch 5\`/data"
  cd draw*
  printf '1\t5\t4\t6\t\n\n\n1\tpoint\n' >data/bars-1.dat
  printf '1\tnative\n' >data/bars-1.dat.names
  TEXT=$text prints $'bars-1\t'"$text"$'\twords' run modules '_plot_data() { printf "bars\tbars-1\t%s\t1\t1\t1\twords\n" "$TEXT"; }
    PLOT_CORNER="corner $TEXT" plot_all "$PWD"'
  run sed -n 's/&lt;/</g; s/&gt;/>/g; s/&quot;/"/g; s/&apos;/'\''/g; s/&#160;/ /g; s/&amp;/\&/g; s/.*<text>\(.*\)<.text>.*/\1/p' bars-1.svg
  assert_contains "$text"
  assert_contains "corner $text"
  assert_equal "$(find . -type f | sed 's|.*/||' | sort | xargs)" 'bars-1.dat bars-1.dat.names bars-1.png bars-1.svg commands jobs progress'
}

@test "there may be any number of variants" {
  mkdir draw
  awk 'BEGIN { for (v = 1; v <= 70; v++) printf "1\t%d\t%d\t%d\t\n\n\n", v, v, v; print "1\tpoint" }' >draw/bars-1.dat
  awk 'BEGIN { for (v = 1; v <= 70; v++) printf "%d\tvariant %d\n", (v - 1) % 7 + 1, v }' >draw/bars-1.dat.names
  LC_ALL=C.UTF-8 succeeds run gnuplot -c "$REPO/lib/results/plot/bars.gp" draw/bars-1.dat draw/bars-1 title corner 70 1 "$REPO/lib/results/plot/style.gp" 70
  assert_output ''
  assert_contains 'variant 70' "$(<draw/bars-1.svg)"
}

@test "a line of percentiles is the median of its repeats, and its band their min and max, up to the shortest one" {
  run_make
  cp -r "$RUN"/native/1000B-1i/rep-{1,2}
  histogram_make 60:900 90:100 >"$RUN/native/1000B-1i/rep-2/c/histogram-set-a1B2c3"
  data_make >/dev/null
  # 30 us for 98 % of one repeat, and 60 us for 90 % of the other, which has 1,000 samples.
  assert_equal "$(block data/percentile-1-1.dat 2 | awk '{ print $2, $3 }' | uniq -c | awk '{ $1 = $1 } 1')" $'18 30 60\n11 30 90\n21 90 90'
  assert_equal "$(block data/percentile-1-1.dat 0 | awk '{ print $2 }' | uniq -c | awk '{ $1 = $1 } 1')" $'18 45\n11 60\n21 90'
  assert_equal "$(block data/percentile-1-1.dat 2 | sed -n '1p;$p')" $'1\t30\t60\n853.333\t90\t90'
  assert_equal "$(block data/percentile-1-1.dat 3 | awk '$2 != $3' | wc -l)" 0
}

@test "lines of percentiles are the same by the percentiles of HdrHistogram as by the histograms" {
  RUN=sample
  cp -r "$REPO/results/sample" "$RUN"
  data_make >/dev/null
  mv data data.percentiles
  find "$RUN" -name SIZES -delete
  rm "$RUN"/native/*/*/*/*.hgrm
  sed -i 's/^\( *[0-9.]* 1\.000000000000 \).*/\1 many/' "$RUN"/swap/*/*/*/*.hgrm
  data_make >/dev/null
  # The slowest request is exact in the one, and the top of its bucket in the other.
  run awk 'NR == FNR { was[FNR] = $2; next } $2 < was[FNR] || $2 > was[FNR] * 1.001 { print was[FNR], $2 } END { print (FNR > 100), (NR == 2 * FNR) }' \
    <(cat data.percentiles/percentile-?-1.dat) <(cat data/percentile-?-1.dat)
  assert_output '1 1'
}

@test "mawk and gawk write the same data" {
  need_command mawk gawk
  run_make
  for awk in mawk gawk; do
    with_awk $awk data_make >"said.$awk"
    mv data "data.$awk"
  done
  cmp said.mawk said.gawk
  diff -r data.mawk data.gawk
}
