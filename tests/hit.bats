#!/usr/bin/env bats
# SPDX-License-Identifier: MIT
# HIT_RATIO without a server: which keys are looked at next, on made-up servers whose hit ratio is known; points, columns and the table.
# tests/hit_run.bats seeks them on real swap.

load helper
load logs

# Print what comes next after the looks on stdin: ROUND PARAMETER HIT [OPS].
# Usage: next KIND ASKED [HOT] <LOOKS   Returns: 0
next() {
  {
    printf 'point\tvariant\thit_asked\tround\tlook\tkey_sd\thit\tops\tseconds\n'
    awk 'BEGIN { OFS = "\t" } { print "p", "swap", "85%", $1, NR, $2, $3, $4 == "" ? 100000 : $4, NR; print "other", "swap", "85%", 9, 1, 1, 0.5, 9, 9 }'
  } >hit.tsv
  POINT=p ASKED=$2 KIND=$1 HOT=${3-} COUNT=200000 SHARE=0.25 LC_ALL=C awk -f "$REPO/lib/part/hit/hit.awk" hit.tsv
}

# Seek the keys of a made-up server whose DRAM holds SHARE of the keys, the most popular ones, with a disturbance of half a point in each look.
# Usage: seek KIND ASKED SHARE [HOT]   Prints: the last line, and the true hit ratio of its answer   Returns: 0
seek() {
  local looks='' line word round look parameter
  for ((look = 0; look < 80; look++)); do
    line=$(printf '%s' "$looks" | next "$1" "$2" "${4-}" | tail -n 1)
    IFS=$'\t' read -r word round _ parameter <<<"$line"
    [[ $word == look ]] || break
    looks+="$round $parameter $(truth "$1" "$parameter" "$3" "${4-}" $((look % 2)))"$'\n'
  done
  IFS=$'\t' read -r word parameter _ <<<"$line"
  printf '%s\t%s\n' "$line" "$(truth "$1" "$parameter" "$3" "${4-}" -1)"
}

# Usage: truth KIND PARAMETER SHARE HOT NOISE   Returns: 0
truth() {
  LC_ALL=C awk -v kind="$1" -v u="$2" -v share="$3" -v hot="$4" -v noise="$5" 'BEGIN {
    n = 200000
    for (i = 1; i <= 2000; i++) {
      x = (i - 0.5) / 2000
      # The keys from the most popular one on, in 2,000 parts.
      p = kind == "gaussian" ? exp(-(x * n / 2 / u) ^ 2 / 2) : kind == "zipf" ? ((i - 0.5) * n / 2000) ^ -u : x < hot / 100 ? u / hot : (100 - u) / (100 - hot)
      all += p
      if (x < share) held += p
    }
    printf "%.4f\n", held / all + (noise < 0 ? 0 : noise ? 0.0025 : -0.0025)
  }'
}

@test "the first look is by the model: DRAM of a quarter of the keys as LRU has it; a round goes on until two looks differ by less than half a point or chance; within a point the keys are found" {
  assert_equal "$(next gaussian 85 <<<'1 14000 0.70')" $'look\t1\t2\t14000'
  assert_equal "$(next gaussian 85 <<<$'1 14000 0.70\n1 14000 0.78')" $'look\t1\t3\t14000'
  assert_match $'^round\t1\t14000\t0.7990\t3\nlook\t2\t1\t' "$(next gaussian 85 <<<$'1 14000 0.70\n1 14000 0.798\n1 14000 0.80')"
  # A look of 1,000 requests has an error of more than a point.
  assert_match $'\nlook\t2\t1\t' "$(next gaussian 85 <<<$'1 14000 0.79 1000\n1 14000 0.80 1000')"
  assert_match $'^round\t1\t14000\t0.7650\t8\n' "$(printf '1 14000 0.7%d\n' 1 8 2 8 3 7 0 3 | sed 's/0.70/0.80/' | next gaussian 85)"
  assert_equal "$(next gaussian 85 <<<$'1 14000 0.843\n1 14000 0.845')" $'round\t1\t14000\t0.8440\t2\nfound\t14000\t0.8440\t1'
  # Che, Tung and Wang: a quarter of the keys reaches 0.937, 1.773 and 2.224 SDs to each side.
  while read -r asked sd; do
    IFS=$'\t' read -r word _ _ parameter < <(next gaussian "$asked" </dev/null)
    assert_equal "$word" look
    awk -v found="$parameter" -v wanted="$sd" 'BEGIN { exit !(found > 0.995 * wanted && found < 1.005 * wanted) }' || fail "$asked %: $parameter and not $sd"
  done < <(printf '50 26681\n85 14100\n95 11241\n')
}

@test "made-up servers that keep the most popular keys: found in five rounds at most, within 1.3 points of the truth; keys that are all alike, or as unequal as can be, are said; eight rounds are the most" {
  assert_match $'\nnever\talike\t2000000\t0.2600$' "$(next gaussian 20 <<<$'1 2000000 0.26\n1 2000000 0.26')"
  assert_equal "$(next gaussian 20 </dev/null)" $'look\t1\t1\t2000000'
  assert_match $'\nnever\tnarrow\t100.00000\t0.5000$' "$(next hotspot 85 40 <<<$'1 100.00000 0.5\n1 100.00000 0.5')"
  assert_match $'\nclosest\t14007\t0.8300\t8$' "$(printf '%d 1400%d 0.%d\n' 1 1 70 1 1 70 2 2 99 2 2 99 3 3 71 3 3 71 4 4 98 4 4 98 5 5 72 5 5 72 6 6 97 6 6 97 7 7 83 7 7 83 8 8 96 8 8 96 | next gaussian 85)"
  while read -r kind asked share hot; do
    IFS=$'\t' read -r word _ _ rounds hit < <(seek "$kind" "$asked" "$share" "$hot")
    [[ $word == found ]] && ((rounds <= 5)) || fail "$kind, $asked %: $word after $rounds rounds"
    awk -v hit="$hit" -v asked="$asked" 'BEGIN { off = 100 * hit - asked; exit !(off > -1.3 && off < 1.3) }' || fail "$kind, $asked %: $hit"
  done < <(printf 'gaussian 50 0.2\ngaussian 85 0.3\ngaussian 95 0.2\nzipf 60 0.2\nzipf 85 0.2\nhotspot 60 0.2 10\n')
}

@test "each hit ratio is a point with a name and a column, alone too; the plan has the minutes of the search: once a point, on the first variant that can" {
  local -a words=(-s flash-read KEYS=1000 SRV_OVERRIDE=1 REDISRUNS=2 RATE=0 TIME=10 SEARCH_TIME=4 PLAN_OPS=1000 SERVER=203.0.113.1 CLIENT_IP=203.0.113.2
    SERVER_CORES=8 SERVER_MEM=16 -v native -v swap -v swap-b)
  # Usage: seconds SETTING; sets output
  seconds() {
    run_plan --rows "${words[@]}" "$@"
    output=$(cells 'variant repeat seconds' <<<"$output" | sort | uniq -c | tr -s ' ')
  }
  # populate of a second and one of rounding, a warm-up of one, 10 s and one; the search has populate again and nine looks.
  seconds HIT_RATIO="85% 95%"
  assert_output " 2 native 1 14
 2 native 2 14
 2 swap 1 61
 2 swap 2 14
 2 swap-b 1 14
 2 swap-b 2 14"
  seconds HIT_RATIO=off KEY_PATTERN=gaussian:100
  refute_contains ' 61'
  succeeds run_plan --rows -s flash-read FILL=10M SRV_OVERRIDE=1 REDISRUNS=1 SERVER=203.0.113.1 CLIENT_IP=203.0.113.2 SERVER_CORES=8 SERVER_MEM=16
  text=$(cells 'point variant hit_asked' <<<"$output")
  assert_equal "$text" "$(printf '1000B-1i-hit%d %s %d%%\n' 50 native 50 50 swap 50 85 native 85 85 swap 85 95 native 95 95 swap 95)"
  run_plan --rows -s flash HIT_RATIO=90.5% KEYS=1000 SRV_OVERRIDE=1 REDISRUNS=1 SERVER=203.0.113.1 CLIENT_IP=203.0.113.2 SERVER_CORES=8 SERVER_MEM=16
  assert_contains $'\t1000B-1i-hit90.5\t' "$output"
}

@test "the load of the search is no phase: what belongs to phases is off in it, as each variant sets it, and counts again after it" {
  # In place of the hosts: print the settings that they would get.
  code='RUN=$SCRATCH
    . "$LIB/cmd/plan.sh"
    cmd_plan "$@" >/dev/null
    show() { printf "%s %s: " "$1" "${ROW[variant]}" && conf_print | grep -E "^(RATE|TIME|WARMUP|PHASES|KERNEL.thp)=" | paste -sd " "; }
    repeat_held() { :; }
    tune_apply() { :; }
    repeat_probe() { show "search of $1"; }
    plan_row "${PLAN_ROWS[0]}"
    _hit_seek "${ROW[point]}"
    plan_row "${PLAN_ROWS[0]}"
    show after'
  local -a words=(-s flash-read KEYS=1000 SRV_OVERRIDE=1 REDISRUNS=1 HIT_RATIO=90% RATE=700 TIME=9 WARMUP=2 SIDECAR=/bin/true FAR=auto NEIGHBOUR=5
    SERVER=203.0.113.1 CLIENT_IP=203.0.113.2 SERVER_CORES=8 SERVER_MEM=16)
  # The search runs on another variant than that of the first row, or on the same.
  for variant in native swap; do
    succeeds run_split modules "$code" "${words[@]}" -v "$variant" -v swap-b
    assert_output "$(
      echo "search of hit ${variant/native/swap-b}:" 'PHASES="populate get" RATE="0" TIME="0" WARMUP="0" KERNEL.thp="never"'
      echo "after $variant:" 'PHASES="populate get" RATE="700" TIME="9" WARMUP="2" KERNEL.thp="never"'
    )"
  done
}

# Make a repeat of a phase of 12 s with 12,000 requests, whose instance waited FIRST times in each of the first four seconds, then LAST.
# Usage: hits_make RUN VARIANT TIER REPEAT OPS FIRST LAST   Returns: 0
hits_make() {
  local folder=$1/$2/1000B-1i-hit85/rep-$4 second waits=1000
  repeat_make "$1" "$2" 1000B-1i-hit85 "$4" c 1000 12000 1 30 900 get:12
  sed -i "s/12731204/12000000/g; s/\t$((12000 * 1000000 / 12731204))\t/\t$5\t/" "$folder/c/result.tsv" "$folder"/c/redis.log.*
  awk -F '\t' -v OFS='\t' 'NR == 1 { $++NF = "key_sd" } NR > 1 { $++NF = 12345 } { print }' "$folder/c/result.tsv" >new && mv new "$folder/c/result.tsv"
  server_make "$folder" "$3" ok 0 $((4 * $6 + 8 * $7))
  sed -i 's/\t2000000$/\t12000/' "$folder/server/counters.tsv"
  # The marks are half a second away from the phase.
  printf 'get\tcpus\ttime_us\t1699999999500000\t1700000012500000\n' >>"$folder/server/counters.tsv"
  printf 'time\tport\trss\tswap\tmajflt\n1699999999.5\t6379\t1\t1\t1000\n' >"$folder/server/instances.tsv"
  printf 'time_s\tops\terrors\tmisses\tbytes\tp50_us\tp99_us\n' >"$folder/c/get.series.tsv"
  for ((second = 1; second <= 12; second++)); do
    waits=$((waits + (second <= 4 ? $6 : $7)))
    printf '%d.000\t1000\t0\t0\t1\t30\t900\n' "$second" >>"$folder/c/get.series.tsv"
    ((second == 12)) || printf '%d.0\t6379\t1\t1\t%d\n' $((1700000000 + second)) "$waits" >>"$folder/server/instances.tsv"
  done
}

# The plan and the settings of such a run: run_files RUN VARIANT...
run_files() {
  local variant
  printf 'SCENARIO=flash-read\nVARIANTS="%s"\n' "${*:2}" >"$1/run.conf"
  settings_make "$1"
  printf 'number\tvariant\tpoint\trepeat\tneed\tsweep\thit_asked\n' >"$1/plan.tsv"
  for variant in "${@:2}"; do printf '1\t%s\t1000B-1i-hit85\t1\tyes\thit ratio 85%%\t85%%\n' "$variant" >>"$1/plan.tsv"; done
}

@test "a row has the hit ratio, that of the first and the last third, and the SD; a ratio more than 2 points off is a warning" {
  hits_make 20250101T100000Z-x swap swap 1 1000 300 100
  run_files 20250101T100000Z-x swap
  succeeds run_split "$REPO/summary2csv.sh" 20250101T100000Z-x
  assert_equal "$(python3 -c 'import csv, sys; r = list(csv.DictReader(sys.stdin))[0]; print(r["hit_asked"], r["hit_ratio"], r["hit_first"], r["hit_last"], r["key_sd"])' <<<"$output")" "85% 0.833333 0.7 0.9 12345"
  modules_run '
    result_totals 20250101T100000Z-x >totals
    grep -c "the hit ratio differs" < <(figures_run bound report <totals) || :
    sed -i "s/85%/86%/g" 20250101T100000Z-x/plan.tsv
    result_totals 20250101T100000Z-x | figures_run bound report | grep "hit ratio differs"'
  assert_line 0
  assert_contains 'in 1 of 1 results; most in swap, get at 1000B-1i-hit85, repeat 1: 83.3 % for 86%: off by 2.7 points' "$output"
}

@test "the report's plot of the hit ratio over time has what was asked, and a line for each variant, in place of waits; without samples of page faults there is neither, by gawk too" {
  local run=20250101T100000Z-x
  need_command gawk
  hits_make "$run" native native 1 10000 0 0
  hits_make "$run" swap swap 1 1000 300 100
  run_files "$run" native swap
  mkdir data
  matches $'\nhits\thits-1\tHit ratio over time at 1000B-1i-hit85, first repeat\t2\t70\t12 2 85\t' modules_run '
    result_rows '"$run"' >data/rows
    result_add_up <data/rows >data/totals
    # The made-up rows have no histograms, which other plots lack.
    _plot_data data || :'
  refute_exists data/far-1.dat
  assert_equal "$(cat data/hits-1.dat.names)" $'1\tnative\n2\tswap'
  # Two ends a second: four with 300 waits in 1,000 operations, then seven with 100; no sample ends the last one.
  assert_equal "$(awk '/^$/ { empty++; next } { n += empty >= 2; empty = 0; print n, $2 }' data/hits-1.dat | sort | uniq -c | tr -s ' ')" " 22 0 100.00000
 8 1 70.00000
 14 1 90.00000
 1 2 1
 1 2 2"
  run "$REPO/do_it.sh" report "$run"
  assert_exists "$run"/plots/hits-1.svg "$run"/plots/hits-1.png
  sed -i '1!s/[0-9]*$/-/' "$run"/{native,swap}/*/rep-1/server/instances.tsv
  rm data/*
  # gawk stops at a division by zero, mawk continues.
  with_awk gawk modules_run '
    result_rows '"$run"' >data/rows
    result_add_up <data/rows >data/totals
    _plot_data data || :'
  refute_contains 'division by zero' "$STDERR"
  assert_match $'\ntime\ttime-1\t'
  refute_exists data/hits-1.dat data/far-1.dat
}

@test "the table: a row for each variant at each hit ratio, its part of the first variant and its factor over the first device, with intervals and bounds; a phase that PHASES has twice is two phases" {
  for repeat in 1 2 3; do
    hits_make r native native "$repeat" $((10000 + repeat)) 0 0
    hits_make r swap swap "$repeat" $((1000 + repeat)) 300 100
    hits_make r swap-b swap "$repeat" $((2000 + repeat)) 400 160
  done
  run_files r native swap swap-b
  printf 'point\tvariant\thit_asked\tround\tlook\tkey_sd\thit\tops\tseconds\n' >r/hit.tsv
  printf '1000B-1i-hit85\tswap\t85%%\t%d\t%d\t12345\t0.85\t1000\t%d\n' 1 1 4 1 2 8 2 1 12 2 2 17 >>r/hit.tsv
  succeeds modules_run '
    result_totals r >totals
    tables_make "$LIB/part/hit/table.awk" r <totals | tr -s " "
    template_read "$LIB/results/report.html"
    FORMAT=html tables_make "$LIB/part/hit/table.awk" r <totals | grep -c "<th"'
  assert_line 'GET of 1,000 B on 1 instance: operations per second, by the share of requests that DRAM serves'
  assert_line 'Asked Variant Found First third Last third Key SD ops/s % of native 95 % between Factor over swap 95 % between'
  assert_line '85% native 100.0% 100.0% 100.0% 12,345 10,002 - - - -'
  assert_line '85% swap 83.3% 70.0% 90.0% 12,345 1,002 10.0% 10.0%..10.0% - -'
  assert_line '85% swap-b 76.0% 60.0% 84.0% 12,345 2,002 20.0% 20.0%..20.0% 2.00x 2.00x..2.00x'
  assert_line 'swap-b at 85%: 76.0% of the requests were served by DRAM, more than 2 points off'
  assert_line '1000B-1i-hit85: keys searched on swap in 2 rounds of 4 looks, 17 s'
  # Where the load generator was the limit, throughput and its ratios are bounds.
  succeeds modules_run '
    limit() { awk -F "\t" -v OFS="\t" "NR == 1 { for (i = 1; i <= NF; i++) at[\$i] = i } NR > 1 && \" $* \" ~ \" \" \$at[\"variant\"] \" \" { \$at[\"client_limited\"] = 1 } 1" totals | tables_make "$LIB/part/hit/table.awk" r | tr -s " "; }
    limit native
    limit native swap swap-b'
  assert_line '85% native 100.0% 100.0% 100.0% 12,345 >=10,002 - - - -'
  assert_line '85% swap-b 76.0% 60.0% 84.0% 12,345 2,002 <=20.0% 20.0%..20.0% 2.00x 2.00x..2.00x'
  assert_line 'native at 85%: the load generator was the limit, so the server can do at least this'
  assert_line '85% swap-b 76.0% 60.0% 84.0% 12,345 >=2,002 - - - -'
  # The intervals have the level of the run's looks.
  printf 'REDISRUNS="auto:3..30"\n' >>r/run.conf
  settings_make "r"
  shows '98.9 % between' modules_run '
    tables_make "$LIB/part/hit/table.awk" r <totals | tr -s " "'
  rm -r r
  for repeat in 1 2; do hits_make r swap swap "$repeat" 1000 300 100; done
  run_files r swap
  succeeds modules_run '
    result_totals r >totals
    again() { awk -F "\t" -v OFS="\t" "NR == 1 { for (i = 1; i <= NF; i++) at[\$i] = i; print; next }
      { \$at[\"limit\"] = \"$1\"; print; \$at[\"operation\"] = \"get-2\"; \$at[\"ops_per_sec\"] = 500; \$at[\"limit\"] = \"$2\"; print }" totals | tables_make "$LIB/part/hit/table.awk" r; }
    again "" ""
    again "p99<=1ms" "p50<=1ms"'
  assert_equal "$(sed -n '/instance:/p; s/^85% .* \([0-9,]*\)$/\1/p' <<<"$output")" 'GET of 1,000 B on 1 instance: operations per second, by the share of requests that DRAM serves
1,000
GET-2 of 1,000 B on 1 instance: operations per second, by the share of requests that DRAM serves
500
GET of 1,000 B on 1 instance: operations per second with p99<=1ms, by the share of requests that DRAM serves
1,000
GET of 1,000 B on 1 instance: operations per second with p50<=1ms, by the share of requests that DRAM serves
500'
}
