#!/usr/bin/env bats
# SPDX-License-Identifier: MIT
# A start from far memory: the figures of a planted series, and a run whose data leave DRAM for a real swap file.
# lane: host
# shellcheck disable=SC2154 # stderr is set by run_split

load helper
load logs
load compare

setup() {
  scratch_setup
}

teardown() {
  scratch_teardown
}

@test "the figures are the share out of DRAM, the first interval with 90 and 99 % of the final rate, and the pages that came back" {
  local rep run=20250101T100000Z-x second ops
  run_make $run 1 30 60 20 40
  rep=$run/swap/1000B-4i/rep-1
  server_make "$rep" swap ok 0 0
  printf 'phase\thost\tport\tout_bytes\tdata_bytes\nset\ta\t6379\t900\t1000\nset\ta\t6380\t980\t1000\n' >"$rep/recovery.tsv"
  {
    printf 'time_s\tops\terrors\tmisses\tbytes\tp50_us\tp99_us\tp99_9_us\tmax_us\n'
    second=0
    for ops in 100 500 899 905 950 991 1000 1000 1000 1000 1000 1000; do
      second=$((second + 1))
      printf '%d.000\t%d\t0\t0\t0\t9\t9\t9\t9\n' $second $ops
    done
    printf '12.100\t40\t0\t0\t0\t9\t9\t9\t9\n'
  } >"$rep/c/set.series.tsv"
  run_split "$REPO/summary2csv.sh" $run
  assert_success
  local name
  for name in start_far_percent recovery_90_s recovery_99_s recovery_final_ops_per_sec; do column $name <<<"$output" | grep . | paste -sd ,; done >got
  assert_equal "$(paste -sd ' ' got)" '94 3 5 1000'
}

@test "swap: the data leave DRAM before the phase, come back under its load, and the limit of DRAM is that of the plan" {
  need_root
  need_command mkswap swapon
  grep -qE ' cgroup .*[ ,]memory[ ,]' /proc/mounts || grep -qsw memory /sys/fs/cgroup/cgroup.controllers || skip 'no memory cgroup here'
  zswap_set N
  untune
  local rep base
  base=$(ports_pick 1)
  run_split "$REPO/do_it.sh" run -s recovery VARIANTS='native swap' REMOTE_DIR="$SCRATCH/host" LOCK_DIR="$SCRATCH/locks" RESULTS_DIR="$SCRATCH/results" REDISBASE="$base" \
    INSTANCES=1 REDISRUNS=1 KEYS=40000 VALUE_SIZES=1000 KEY_PATTERN=uniform CONNECTIONS=4 TIME=6 INTERVAL=0.5 FOREIGN=off
  assert_success
  rep=$(echo results/*/swap/*/rep-1)
  [[ ! -e $(echo results/*/native/*/rep-1)/recovery.tsv ]] || fail "native was pushed"
  # 40,000 keys of 1,000 B, less what Redis always touches.
  awk -F '\t' 'NR == 2 && $1 == "get" && $4 >= 0.85 * $5 && $5 > 40000000 { ok = 1 } END { exit !ok }' "$rep/recovery.tsv" || fail "$(<"$rep/recovery.tsv")"
  # They came back: less than half is far at the end, and the limit is the one before.
  awk -F '\t' '$1 == "get" && $2 == "tier" && $3 == "far_bytes" { far = $5 } $1 == "get" && $2 == "cgroup" && $3 == "limit" { same = $4 == $5 }
    $1 == "get" && $2 == "tier" && $3 == "data_bytes" { all = $5 } END { exit !(far < all / 2 && same) }' "$rep/server/counters.tsv" || fail "$(grep -E '(tier|cgroup)' "$rep/server/counters.tsv")"
  assert_contains 'Start from far memory' "$output"
  assert_match 'swap: .*|% of the data left DRAM before get' "$(cat results/*/run.log)"
  assert_equal "$(grep -c "$SCRATCH" /proc/swaps)" 0
  assert_equal "$(find host -name 'run-*' -o -name '*.swap')" ''
}
