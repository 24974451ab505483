#!/usr/bin/env bats
# SPDX-License-Identifier: MIT
# Working sets: the counts of the probe for a real Redis, and their evaluation.
# slow

load helper
load logs

# The arguments of a small run with a probe; sets untuned.
words() {
  BASE=$(ports_pick 2)
  untuned=(TUNE=off KERNEL=keep)
  untuned+=(-s demo REMOTE_DIR="$SCRATCH/host" LOCK_DIR="$SCRATCH/locks" RESULTS_DIR="$SCRATCH/results" REDISBASE="$BASE" KEYS=40000 VALUE_SIZES=1000
    SRV_OVERRIDE=1 REDISRUNS=1 PHASES="populate get" KEY_PATTERN=shuffle POPULATE_PATTERN=sequential PIPELINE=64 TIME=1 RATE=3500 PROBE_WSS=on "$@")
}

# Make a row of a working set in a repeat.
# Usage: wss_make REPEAT PHASE BYTES_1S BYTES_4S BYTES_16S
wss_make() {
  [[ -e $1/wss.tsv ]] || printf 'phase\tport\tseconds\tbytes\n' >"$1/wss.tsv"
  printf '%s\t6379\t1\t%s\n%s\t6379\t4\t%s\n%s\t6379\t16\t%s\n' "$2" "$3" "$2" "$4" "$2" "$5" >>"$1/wss.tsv"
}

@test "a load on all keys touches all of the data, one on a tenth of them a tenth; neither leaves a row or anything else" {
  local -x TIERBENCH_REPORT=on
  drawn_blank
  words SWEEP="KEY_MAX=39999,3999"
  succeeds run_split "$REPO/do_it.sh" run "${untuned[@]}"
  succeeds run_split "$REPO/summary2csv.sh" results/*
  # Two points with populate and get each: the probes have no rows.
  assert_equal "${#lines[@]}" 5
  awk -F, 'NR == 1 { for (i = 1; i <= NF; i++) at[$i] = i; next } $at["operation"] == "get" { print $at["key_max"], $at["rss"], $at["wss_1s_bytes"], $at["wss_4s_bytes"], $at["wss_16s_bytes"] }
    $at["operation"] == "populate" && $at["wss_16s_bytes"] != "" { print "populate was probed" }' <<<"$output" >got
  assert_equal "$(wc -l <got)" 2
  awk '$3 > $4 || $4 > $5 || $3 <= 0 { exit 1 }' got || fail "what is touched in a longer time is less: $(<got)"
  read -r _ rss _ _ all <<<"$(awk '$1 == 39999' got)"
  read -r _ _ _ _ tenth <<<"$(awk '$1 == 3999' got)"
  # 40,000 keys of 1,000 B are 42 MB. The other load touches a tenth of the values, the whole hash table and Redis itself.
  ((all > 38400000 && all <= rss)) || fail "all keys: $(<got)"
  ((tenth > 3840000 && tenth < all * 2 / 5)) || fail "a tenth of the keys: $(<got)"
  assert_match "after get: touched [0-9.]+ MiB in 1 s, [0-9.]+ MiB in 4 s, [0-9.]+ MiB in 16 s; the probe's cost: [0-9.]+ ms to clear, [0-9.]+ ms to read" "$(cat results/*/run.log)"
  assert_equal "$(awk -F '\t' '$1 == "get" && $3 == "calls" { print $5 - $4 }' results/*/native/*-keymax39999/rep-1/server/counters.tsv)" \
    "$(awk -F '\t' 'NR == 1 { for (i = 1; i <= NF; i++) at[$i] = i } $at["operation"] == "get" { print $at["ops"] + $at["late"] }' results/*/native/*-keymax39999/rep-1/*/result.tsv)"
  refute_contains get-2 "$(cat results/*/native/*/rep-1/foreign.tsv)"
  refute_contains 'after get-2' "$(cat results/*/run.log)"
  assert_contains 'Predicted DRAM:data' "$(cat results/*/report.html)"
  assert_equal "$(find host locks -name 'run-*' -o -type f -path 'locks/*')" ''
}

@test "the table: what was touched, the ratio that it predicts, and which ratios of the same run were enough" {
  repeat_make r/20250101-x native 1000B-1i 1 a 1000 1000 1 10 99 set:3 get:3
  server_make r/20250101-x/native/1000B-1i/rep-1 native ok 0 0
  wss_make r/20250101-x/native/1000B-1i/rep-1 get 10485760 20971520 41943040
  printf 'number\tvariant\tpoint\trepeat\tvalue_size\tinstances\tdram_ratio\tkey_pattern\n' >r/20250101-x/plan.tsv
  printf '1\tswap\t1000B-1i-1to%s\t1\t1000\t1\t1:%s\tuniform\n' 2 2 4 4 >>r/20250101-x/plan.tsv
  for point in 1to2:0 1to4:900000; do
    repeat_make r/20250101-x swap "1000B-1i-${point%:*}" 1 a 1000 1000 1 10 99 set:3 get:3
    server_make "r/20250101-x/swap/1000B-1i-${point%:*}/rep-1" swap ok 52428800 "${point#*:}"
    wss_make "r/20250101-x/swap/1000B-1i-${point%:*}/rep-1" get 1048576 1048576 1048576
  done
  succeeds run_split "$REPO/summary2csv.sh" --total r/20250101-x
  succeeds master "RESULTS_DIR=$SCRATCH" 'result_read . r/20250101-x 2>/dev/null || :; tables_make "$LIB/part/wss/table.awk" . <totals'
  # 110 MiB of Rss, 40 MiB touched.
  assert_match 'get +native +1000 B, 1 instance +10.0 +20.0 +40.0 +110.0 +1:2.7 +1:2 is enough, 1:4 is not' "$output"
  assert_match '1:4 +1.0 +1.0 +1.0 +160.0 +-' "$output"
  refute_contains ' set ' "$output"
}

@test "a kernel without what the probe needs is a failure of doctor with what is missing; memory that was touched and released since still counts: a longer time has no less" {
  mkdir -p root/proc/self
  : >root/proc/self/clear_refs
  run bash -c '. "$REPO/lib/part/wss/host.sh"; TIERBENCH_ROOT=$PWD/root host_wss_check'
  assert_output $'fail\tno /proc/PID/smaps_rollup\tPROBE_WSS=on: a kernel with CONFIG_PROC_PAGE_MONITOR\tset PROBE_WSS=off'
  : >root/proc/self/smaps_rollup
  run bash -c '. "$REPO/lib/part/wss/host.sh"; TIERBENCH_ROOT=$PWD/root host_wss_check'
  assert_output $'ok\t/proc/PID/clear_refs and smaps_rollup\tPROBE_WSS=on\t-'
  mkdir -p root/proc/7 root/proc/8
  # Usage: referenced PID KIB
  referenced() { printf 'Rss: 900 kB\nReferenced: %s kB\n' "$2" >"root/proc/$1/smaps_rollup"; }
  . "$REPO/lib/part/wss/host.sh"
  TIERBENCH_ROOT=$PWD/root
  pids=(7 8) ports=(6379 6380) touched=()
  referenced 7 100
  referenced 8 300
  prints $'touched\t6379\t1\t102400\ntouched\t6380\t1\t307200' run_split host_wss_read 1
  host_wss_read 1
  referenced 7 92
  referenced 8 400
  prints $'touched\t6379\t4\t102400\ntouched\t6380\t4\t409600' run_split host_wss_read 4
}
