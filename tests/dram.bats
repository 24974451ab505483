#!/usr/bin/env bats
# SPDX-License-Identifier: MIT
# The search for the min share of DRAM, without a server: the next step on a simulated server with a known answer; its table and its rate.
# tests/dram_run.bats runs it on real swap.
# slow

load helper
load logs
load searches

# Print the next step after the steps on stdin: KIND SHARE P99 FAR [TRY [COUNTS [LOST [ANSWERED]]]], all for p99<=1ms.
# Usage: next [NAME=VALUE]... <LOOKS   Returns: 0
next() {
  {
    printf 'phase\tkind\tlimit\ttry\trate\tconnections\tops_per_sec\tp99_us\tfar_per_op\tanswered_percent\terrors\tunsent\tclient_limited\tcounts\tdram_share_percent\tlost\n'
    awk 'BEGIN { OFS = "\t" } {
      print "get", $1, ($1 == "scan" ? "-" : "p99<=1ms"), $5 == "" ? 1 : $5, 1000, 1, 1000, $3, $4, $8 == "" ? 100 : $8, 0, 0, 0, $6 == "" ? 1 : $6, $2, $7 == "" ? "-" : $7 }'
  } >steps.tsv
  search_next PHASE=get SEARCH=dram MOST=1 "$@"
}

# Steps of a search whose load fits into 43 % of DRAM: kept at 44 %, broken at 42 %, three times each.
found() {
  printf 'scan 100 500 0\nscan 80 500 0\nscan 60 500 0\nscan 40 9000 0.4\nscan 40 9000 0.3 2\nscan 40 9000 0.3 3\nscan 20 9000 0.6\nscan 20 9000 0.6 2\n'
  printf 'seek 44 500 0\nseek 44 500 0\nseek 44 500 0\nseek 42 5000 0.05\nseek 42 5000 0.05 2\n'
  printf 'seek 42 5000 0.05\n%.0s' 1 2 3 4 5
}

@test "a made-up server, one look in five disturbed: all of 100 searches within 3 points, in 45 steps at most; the OOM killer's shares are left alone" {
  while read -r name least median most off steps _ kills broke; do
    if [[ $name == 0:60 ]]; then
      assert_equal "$least $median $most $broke" "60 60 60 oom"
      # Each step costs a repeat.
      ((kills <= 6)) || fail "the OOM killer came $kills times"
      continue
    fi
    assert_equal "$name $off $broke" "$name 0 far"
    ((steps <= 45)) || fail "$name: $steps steps"
  done < <(search_simulated "$REPO/tests/dram.awk" 100 0 20 0:60 0:30)
}

@test "the first steps: all data in DRAM, then less of it, until nothing is kept; after a change of the share, a look that breaks the limit is made again while far accesses fall; one that keeps it counts" {
  assert_equal "$(next </dev/null)" $'step\tscan\t-\t100\t1'
  assert_equal "$(next <<<'scan 100 500 0')" $'step\tscan\t-\t80\t1'
  assert_equal "$(next < <(found | sed -n 1,5p))" $'step\tscan\t-\t40\t3'
  assert_equal "$(next < <(found | sed -n 1,6p))" $'step\tscan\t-\t20\t1'
  # The limit is broken at 20 % and 40 %: skip 10 %.
  assert_match $'^step\tseek\tp99<=1ms\t(4|5)[0-9]\t1$' "$(next < <(found | sed -n 1,8p))"
  assert_equal "$(next <<<$'scan 100 500 0\nscan 80 5000 0.5')" $'step\tscan\t-\t80\t2'
  assert_equal "$(next <<<$'scan 100 500 0\nscan 80 5000 0.5\nscan 80 5000 0.3 2')" $'step\tscan\t-\t80\t3'
  assert_equal "$(next <<<$'scan 100 500 0\nscan 80 5000 0.5\nscan 80 5000 0.48 2')" $'step\tscan\t-\t60\t1'
  assert_equal "$(next <<<$'scan 100 500 0\nscan 80 500 0.5')" $'step\tscan\t-\t60\t1'
  # Without far accesses there is nothing to wait for.
  assert_equal "$(next <<<$'scan 100 500 0\nscan 80 5000 0')" $'step\tscan\t-\t60\t1'
}

@test "an answer: settled, also a share with a fraction, taken, measured with more DRAM while the phase breaks the limit; then kept with what breaks below it, and the reason; or none" {
  assert_equal "$(next < <(found))" $'step\tsettle\tp99<=1ms\t44\t1'
  assert_equal "$(next < <(found && echo 'settle 44 500 0'))" $'take\tp99<=1ms\t44\t1'
  assert_match $'^keep\tp99<=1ms\t44\tfound\t42\t44\t44\t42\t[0-9]+\tlatency$' "$(next < <(found && printf 'settle 44 500 0\ntake 44 500 0\n'))"
  assert_equal "$(next < <(found && printf 'settle 44 500 0\ntake 44 5000 0\n'))" $'step\tsettle\tp99<=1ms\t48\t1'
  assert_equal "$(next < <(found && printf 'settle 44 500 0\ntake 44 5000 0\nsettle 48 500 0\n'))" $'take\tp99<=1ms\t48\t1'
  # Others disturbed the phase: the same share again.
  assert_equal "$(next < <(found && printf 'settle 44 500 0\ntake 44 5000 0 1 0\n'))" $'take\tp99<=1ms\t44\t2'
  assert_match $'\tthroughput$' "$(next < <(found | sed 's/^seek 42 .*/seek 42 500 0.05 1 1 - 70/' && printf 'settle 44 500 0\ntake 44 500 0\n'))"
  assert_match $'^none\tp99<=1ms\t1310\t100\t[0-9]+\t0\t9\t100$' "$(next < <(printf 'scan 100 1310 0\nscan 80 9000 0.2\nscan 80 9000 0.2 2\n' && printf 'seek 100 1310 0\n%.0s' 1 2 3 4 5 6 7 8))"
  fraction() {
    printf 'scan 100 500 0\nscan 80 500 0\nscan 60 9000 0.4\nscan 60 9000 0.4 2\nscan 40 9000 0.4\nscan 40 9000 0.4 2\n'
    printf 'seek 67.8 500 0\n%.0s' 1 2 3 4 5 6
    printf 'seek 67.1 5000 0.05\nseek 67.1 5000 0.05 2\n'
    printf 'seek 67.1 5000 0.05\n%.0s' 1 2 3 4 5 6
  }
  assert_equal "$(next SEARCH_STEP=0.7% < <(fraction))" $'step\tsettle\tp99<=1ms\t67.8\t1'
  assert_equal "$(next SEARCH_STEP=0.7% < <(fraction && echo 'settle 67.8 500 0'))" $'take\tp99<=1ms\t67.8\t1'
}

# Write a repeat of a variant with the result of its search: SEARCH SHARE BROKE_BY, for one limit. LOW is search_low,
# HIGH is search_high, and LOAD is the rate.
# Usage: answer RANK VARIANT REPEAT SEARCH SHARE BROKE_BY   Returns: 0
answer() {
  local folder=run/$2/1000B-1i/rep-$3 packed=
  mkdir -p "$folder"
  {
    printf 'phase\tlimit\tsearch\tdram_share_percent\tsearch_low\tsearch_high\tsoft_low\tsoft_high\tsteps\tleast\tbroke_by\trate\tbase_bytes\n'
    printf 'get\tp99<=1ms\t%s\t%s\t%s\t%s\t-\t-\t33\t-\t%s\t%s\t%s\n' "$4" "$5" "${LOW:-$(($5 - 2))}" "${HIGH:-$5}" "$6" "${LOAD:-1000}" $(((200 << 20) + 1))
  } >"$folder/size.tsv"
  [[ $2 != zram ]] || packed=$((50 << 20))
  [[ $4 == none ]] || printf '%s\t%s\t1000B-1i\t%s\tget\t1000\t1\t1000\t999\t500\t900\t0.01\t1\t\t%s\n' "$1" "$2" "$3" "$packed" >>rows
}

# Usage: table   Globals: LATE: rows have its columns   Returns: 0
table() { search_table dram compressed_bytes ${LATE+unanswered at_least_us}; }

@test "the table: the median share of repeats, its range, the memory that it is, and what breaks below it" {
  answer 2 swap 1 found 40 latency
  answer 2 swap 2 found 44 latency
  answer 2 swap 3 found 46 oom
  HIGH=29 answer 3 zram 1 found 30 latency
  run table
  assert_contains 'zram, p99<=1ms: in 1 of 1 repeats, the measured phase kept the limit only with more DRAM than the steps' "$output"
  refute_contains 'swap, p99<=1ms: in'
  assert_contains 'GET of 1,000 B on 1 instance: the min share of DRAM at which 1,000 ops/s keep a limit' "$output"
  assert_contains 'p99<=1ms swap 44% 38..46 40..46 88.0 999 500 900 0.010 latency oom 33' "$output"
  # zram occupies 50 MiB in addition to its 30 % of 200 MiB.
  assert_contains 'p99<=1ms zram 30% 28..29 30..30 110.0' "$output"
  assert_contains 'zram: MiB include the memory that compression takes' "$output"
}

@test "the table: the title has the lowest and the highest rate of the repeats; an end that one repeat does not know is no end of the range of all" {
  LOAD=800.4 answer 2 swap 1 found 40 latency
  LOAD=1200 answer 2 swap 2 found 44 latency
  run table
  assert_contains 'the min share of DRAM at which 800..1,200 ops/s keep a limit' "$output"
  rm -r run rows
  answer 2 swap 1 found 40 latency
  LOW=- answer 2 swap 2 found 44 latency
  LOW=- HIGH=- answer 3 zram 1 found 44 latency
  run table
  assert_contains 'p99<=1ms swap 42% ..44 40..44' "$output"
  assert_contains 'p99<=1ms zram 44% - 44..44' "$output"
}

@test "the table: latencies with unanswered requests are lower bounds; what all data in DRAM does not keep, and what the measured phase breaks, have words and no figures" {
  answer 2 swap 1 found 44 latency
  answer 3 zram 1 found 30 latency
  awk -F '\t' -v OFS='\t' '{ print $0, ($2 == "swap" ? 9 : 0), 950 }' rows >late
  mv late rows
  LATE=yes run table
  # The mean has all requests, the p99 none of those that waited for longer.
  assert_contains '999 >=500 900 0.010 latency' "$output"
  assert_contains '999 500 900 0.010 latency' "$output"
  assert_contains 'Latencies with >= are lower bounds' "$output"
  rm -r run rows
  : >rows
  answer 2 swap 1 none 100 -
  answer 3 zram 1 broken 60 latency
  run table
  assert_contains 'p99<=1ms swap none' "$output"
  assert_contains 'p99<=1ms zram broken' "$output"
  assert_contains 'swap, p99<=1ms: not kept with all data in DRAM, in 1 of 1 repeats' "$output"
}

# Make a run whose only variant needs a share of DRAM for 2,000,000 GETs in 10.7 s; 25 of 100 MiB are far, or FAR.
# Usage: run_make RUN SHARE [FAR]   Returns: 0
run_make() {
  repeat_make "$1" swap 1000B-1i 1 c 1000 2000000 1 30 900 get:10
  server_make "$1/swap/1000B-1i/rep-1" swap ok $((${3-25} << 20)) 1000
  printf 'SCENARIO=size\nVARIANTS="swap"\n' >"$1/run.conf"
  settings_make "$1"
  printf 'phase\tlimit\tsearch\tdram_share_percent\tsearch_low\tsearch_high\tsoft_low\tsoft_high\tsteps\tleast\tbroke_by\trate\tbase_bytes\nget\tp99<=1ms\tfound\t%s\t40\t44\t-\t-\t33\t-\tlatency\t1000\t100\n' \
    "$2" >"$1/swap/1000B-1i/rep-1/size.tsv"
}

PRICE="dram=4096 nvme=1024"

# Print the totals of a run with prices: priced RUN
priced() { modules 'price_take "$2"; result_totals "$1"' "$1" "$PRICE"; }

@test "compare knows the share of DRAM and the cost: a gate fails when more is needed, and not when it is the same" {
  run_make 20250101T100000Z-a 44
  run_make 20250102T100000Z-b 60 5
  succeeds run_split "$REPO/do_it.sh" compare 20250101T100000Z-a 20250101T100000Z-a --price "$PRICE" --metric dram_share --metric cost --fail-if 'dram_share>105%' --fail-if 'cost>110%'
  fails 1 run_split "$REPO/do_it.sh" compare 20250101T100000Z-a 20250102T100000Z-b --metric dram_share --fail-if 'dram_share>105%'
  assert_match '44.0 .*60.0' "$output"
  fails 1 run_split "$REPO/do_it.sh" compare 20250101T100000Z-a 20250102T100000Z-b --price "$PRICE" --metric cost --fail-if 'cost>110%'
  # 75 MiB x 4 + 25 MiB x 1 = 325 for 186,382 operations per second.
  assert_equal "$(priced 20250101T100000Z-a | awk -F '\t' 'NR == 1 { for (i = 1; i <= NF; i++) at[$i] = i; next }
    { print $at["limit"], $at["dram_share_percent"], $at["broke_by"], $at["capacity_ops_per_sec"], $at["cost_per_kops"] * $at["ops_per_sec"] / 1000 }')" "p99<=1ms 44 latency  325"
  # With less DRAM the load generator was the limit: the share is an upper bound, and so is its cost.
  sed 's/found/client/' 20250102T100000Z-b/swap/1000B-1i/rep-1/size.tsv >client.tsv
  cp 20250102T100000Z-b/swap/1000B-1i/rep-1/size.tsv found.tsv
  cp client.tsv 20250102T100000Z-b/swap/1000B-1i/rep-1/size.tsv
  fails 1 run_split "$REPO/do_it.sh" compare 20250101T100000Z-a 20250102T100000Z-b --price "$PRICE" --metric dram_share --metric cost --fail-if 'dram_share>105%' --fail-if 'cost>110%'
  assert_match '44.0 .*<=60.0' "$output"
  assert_contains 'share of DRAM cannot be evaluated: the load generator was the limit (dram_share>105%)' "$STDERR"
  assert_contains 'cost of memory cannot be evaluated: the load generator was the limit (cost>110%)' "$STDERR"
  cp found.tsv 20250102T100000Z-b/swap/1000B-1i/rep-1/size.tsv
  # A share that breaks the limit in the measured phase is not an answer.
  sed -i 's/found/broken/' 20250102T100000Z-b/swap/1000B-1i/rep-1/size.tsv
  assert_equal "$(priced 20250102T100000Z-b | awk -F '\t' 'NR == 1 { for (i = 1; i <= NF; i++) at[$i] = i; next } { print $at["search"] $at["dram_share_percent"] $at["cost_per_kops"] }')" broken
}

@test "a run at a fixed rate has the cost of the first variant too, in compare as in the table" {
  local run=20250101T100000Z-a name
  run_make $run 44
  repeat_make $run native 1000B-1i 1 c 1000 2000000 1 30 800 get:10
  server_make $run/native/1000B-1i/rep-1 native ok 0 0
  for name in native swap; do cells_set $run/$name/1000B-1i/rep-1/c/result.tsv '' rate=186000; done
  sed -i 's/^VARIANTS=.*/VARIANTS="native swap"\nDRAM_RATIO="search"/' $run/run.conf
  settings_make "$run"
  # 400 and 325 for 186.382 thousand operations per second.
  fails 1 run_split "$REPO/do_it.sh" compare $run --price "$PRICE" --fail-if 'cost>50%'
  assert_match 'get +cost of memory, per_kops +2\.1462 +1\.7438 '
  run modules 'price_take "$2"; result_totals "$1" | tables_make "$LIB/results/tables/price.awk" . | tr -s " "' $run "$PRICE"
  assert_match $'\nnative .* 400\\.0 4,096\\.0 2\\.1462 -'
  assert_match $'\nswap .* 325\\.0 3,328\\.0 1\\.7438 -'
  # Nothing without a search has a cost in another run.
  sed -i '/^DRAM_RATIO/d' $run/run.conf
  settings_make "$run"
  assert_equal "$(priced $run | cells -w variant=native cost_per_kops)" ''
}

@test "the report draws the limit's figure and far accesses by share of DRAM, without a word of gnuplot" {
  need_command gnuplot
  run_make 20250101T100000Z-a 44
  histogram_make 30:1990000 900:10000 >20250101T100000Z-a/swap/1000B-1i/rep-1/c/histogram-get-a1B2c3
  {
    printf 'phase\tkind\tlimit\tstep\ttry\trate\tconnections\tops_per_sec\tavg_us\tp50_us\tp90_us\tp99_us\tfar_per_op\tcounts\tdram_share_percent\tlost\n'
    printf 'get\t%s\n' $'scan\t-\t1\t1\t1000\t1\t1000\t100\t90\t200\t500\t0\t1\t100\t-' $'scan\t-\t2\t1\t1000\t1\t1000\t100\t90\t200\t700\t0.001\t1\t60\t-' \
      $'scan\t-\t3\t1\t1000\t1\t1000\t100\t90\t200\t99999\t0.9\t0\t40\t-' $'scan\t-\t4\t2\t1000\t1\t1000\t100\t90\t200\t5000\t0.3\t1\t40\t-' \
      $'scan\t-\t5\t1\t-\t-\t0\t-\t-\t-\t-\t-\t1\t20\toom'
  } >20250101T100000Z-a/swap/1000B-1i/rep-1/steps.tsv
  succeeds run_split "$REPO/do_it.sh" report --price "$PRICE" 20250101T100000Z-a
  refute_contains gnuplot "$STDERR"
  refute_contains 'cannot draw' "$STDERR"
  assert_exists 20250101T100000Z-a/plots/search-1-1-{1,2}-1.svg
  refute_exists 20250101T100000Z-a/plots/search-1-1-1.svg
  assert_exists 20250101T100000Z-a/plots/sizes-1-1.svg
  refute_exists 20250101T100000Z-a/plots/limits-1-1.svg
  assert_contains 'p99 latency by share of DRAM, get, 1000B-1i' "$(<20250101T100000Z-a/report.html)"
  assert_contains 'far accesses by share of DRAM, get, 1000B-1i' "$(<20250101T100000Z-a/report.html)"
  assert_contains 'the min share of DRAM at which 1,000 ops/s keep a limit' "$(<20250101T100000Z-a/report.html)"
  assert_contains 'GET at 1000B-1i, p99&lt;=1ms: cost of memory' "$(<20250101T100000Z-a/report.html)"
}

@test "the rate that is held: a number as it is; of a search, a part of the lowest that the first variant's searches of the same repeat found" {
  local code='VARIANTS="native swap"
    ROW=([point]=1000B-1i [repeat]=1) RUN=run'
  prints 500 master '' "$code; RATE=500; dram_rate get; echo \$REPLY"
  mkdir -p run/native/1000B-1i/rep-1
  printf 'phase\tlimit\tsearch\tload\nget\tavg<=1ms\tfound\t20000\nget-2\tp99<=1ms\tfound\t10000\nset\tp99<=1ms\tnone\t100\n' >run/native/1000B-1i/rep-1/search.tsv
  master '' "$code; for RATE in search search:80% search:50%; do dram_rate get && echo \$REPLY; done"
  assert_output $'8000.0000\n8000.0000\n5000.0000'
  prints none master '' "$code; RATE=search; dram_rate set || echo none"
  assert_contains 'no load to keep' "$STDERR"
}

@test "a repeat that the OOM killer ended: its looks stay, measured phases do not, and the share that it came at is left alone" {
  mkdir -p rep/server
  printf 'phase\tkind\tlimit\tstep\ttry\trate\tconnections\tops_per_sec\tp99_us\tfar_per_op\tanswered_percent\tunsent\terrors\tclient_limited\tcounts\tdram_share_percent\tlost\n' >rep/steps.tsv
  printf 'get\tscan\t-\t1\t1\t1000\t1\t1000\t500\t0\t100\t0\t0\t0\t1\t100\t-\nget\ttake\tp99<=1ms\t2\t1\t1000\t1\t1000\t500\t0\t100\t0\t0\t0\t1\t100\t-\n' >>rep/steps.tsv
  succeeds master '' "DRAM_RATIO=search TIER=swap _DRAM_SHARE=80 _SEARCH_PENDING=\$'get\tscan\t-\t80\t1' MONITOR_ALARM='the OOM killer took the instance on port 1'
    dram_again rep && search_fresh rep && echo \$_SEARCH_STEP"
  assert_equal "$output" 2
  assert_equal "$(awk -F '\t' '{ print $2, $16, $17 }' rep/steps.tsv | paste -sd ,)" 'kind dram_share_percent lost,scan 100 -,scan 80 oom'
  refute_exists rep/server
  cp rep/steps.tsv steps.tsv
  assert_equal "$(search_next PHASE=get SEARCH=dram MOST=1 | cut -f 1-2)" $'step\tseek'
  # The next try fails before its search begins, for another reason.
  master '' "DRAM_RATIO=search TIER=swap _DRAM_SHARE=60 MONITOR_ALARM='the OOM killer took the instance on port 1'; dram_again rep; search_again rep || echo no"
  assert_equal "$output" no
  assert_equal "$(awk -F '\t' '$17 == "oom" { print $16 }' rep/steps.tsv | paste -sd ,)" 80,60
  # Any other end of a repeat is a failure.
  master '' "DRAM_RATIO=search TIER=swap _DRAM_SHARE=80 MONITOR_ALARM='the instance on port 1 has exited'; dram_again rep || echo no"
  assert_equal "$output" no
}

@test "a share to which the kernel cannot reduce the instances: the next one is set at once, and the counters of populate do not end again; one that a lost server cannot set is an error" {
  mkdir rep
  # The first look had all data in DRAM.
  succeeds master RATE=500 'DRAM_RATIO=search TIER=swap LIMITS="p99<=1ms" POINT_INSTANCES=1 RUN=run ROW=([point]=x [repeat]=1)
    client_probe() { :; }
    monitor_mark() { echo "mark $1"; }
    dram_set() { echo "set $1"; [[ $1 != 80 ]] || return 2; }
    _search_take_in() { _SEARCH_PENDING=; }
    { _search_header && tr " " "\t" <<<"get scan - 1 1 500 1 500 100 90 95 500 600 700 800 100 0 0 0 1 0 0 0 0 1 100 -"; } >rep/steps.tsv
    search_fresh rep
    _SEARCH_PENDING=$'\''get\tscan\t-\t100\t1'\''
    search_turn get.1 one
    echo "$PARTS_DO $_SEARCH_PENDING"'
  assert_equal "$output" $'mark look\nset 80\nmark look\nset 92\nstep get\tseek\tp99<=1ms\t92\t1'
  assert_equal "$(cut -f 2,26,27 rep/steps.tsv)" $'kind\tdram_share_percent\tlost\nscan\t100\t-\nscan\t80\treclaim'
  master '' 'DRAM_RATIO=search TIER=swap _DRAM_BASE=1
    _dram_set() { return "$reply"; }
    for reply in 0 1 255 124 "$REPLY_BAD"; do
      _DRAM_SHARE= status=0
      dram_set 80 || status=$?
      echo "$reply $status"
    done
    TIER=weighted
    tier_is() { :; }
    memory_prepare() { return 1; }
    dram_set 60 || echo "program $?"'
  assert_equal "$(xargs <<<"$output")" '0 0 1 2 255 1 124 1 3 1 program 1'
  assert_contains '127.0.0.1: cannot set the share of DRAM' "$STDERR"
}

# The arguments of a plan of some variants with a search; sets untuned: words VARIANTS [WORD]...
words() {
  local variant
  untuned=(TUNE=off KERNEL=keep)
  for variant in $1; do untuned+=(-v "$variant"); done
  shift
  untuned+=(-s demo REMOTE_DIR="$SCRATCH/host" LOCK_DIR="$SCRATCH/locks" RESULTS_DIR="$SCRATCH/results" KEYS=5000 VALUE_SIZES=1000 SRV_OVERRIDE=1
    REDISRUNS=1 PHASES="populate get" KEY_PATTERN=uniform TIME=10 DRAM_RATIO=search RATE=1000 "$@")
}

@test "a plan names the search of each variant that has one, and counts its steps in the minutes; on the first variant, none for a load" {
  words 'native swap' LIMITS="p99<=1ms" SEARCH_TIME=4
  succeeds run_plan "${untuned[@]}"
  assert_match 'search +swap: the min share of DRAM that keeps p99<=1ms at 1000 ops/s: about 40 steps of 4 s per phase, at most 80 per limit' "$output"
  refute_contains 'search   native' "$output"
  with=$(awk '/^all / { print $2 }' <<<"$output")
  run_plan "${untuned[@]}" DRAM_RATIO=1:4
  without=$(awk '/^all / { print $2 }' <<<"$output")
  # 40 steps of 4 s plus 1 s for the master, for swap alone.
  assert_equal "$(awk -v a="$with" -v b="$without" 'BEGIN { printf "%.1f", a - b }')" 3.3
  run_plan "${untuned[@]}" RATE=search
  assert_match 'search +swap: .* at 80% of what native keeps' "$output"
  assert_match 'search +the highest rate' "$output"
  words 'native weighted' LIMITS="p99<=1ms"
  run_plan "${untuned[@]}"
  assert_match 'search +weighted: the min share of DRAM that keeps p99<=1ms at 1000 ops/s' "$output"
  words swap LIMITS="p99<=1ms" SEARCH_TIME=4
  run_plan "${untuned[@]}"
  assert_contains 'search   swap: the min share of DRAM' "$output"
  refute_contains 'the highest' "$output"
}
