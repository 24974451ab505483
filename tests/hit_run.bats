#!/usr/bin/env bats
# SPDX-License-Identifier: MIT
# HIT_RATIO on real swap, zram and two swap devices: keys are found before the first repeat, all variants use them, and a ratio that is not possible is reported with its figures.
# Nothing here hangs on how fast the machine is: a hit ratio is a count.
# lane: host

load helper

prepare() {
  need_swap
  zswap_set N
  BASE=$(ports_pick 1)
  DEVICES=() # loop devices of this test
}

teardown() {
  local device
  for device in "${DEVICES[@]}"; do
    echo "$(<"/sys/block/${device##*/}/dev") 0" >"$THROTTLE"
    losetup -d "$device"
  done
  scratch_teardown
}

# The words of a run with hit ratios; sets untuned: words WORD...
words() {
  untuned=(TUNE=off KERNEL=keep)
  untuned+=(-s flash-read REMOTE_DIR="$SCRATCH/host" LOCK_DIR="$SCRATCH/locks" RESULTS_DIR="$SCRATCH/results" REDISBASE="$BASE" SRV_OVERRIDE=1 REDISRUNS=1
    KEYS=30000 THREADS=1 CONNECTIONS=8 PIPELINE=4 RATE=4000 TIME=2 WARMUP=1 SEARCH_TIME=0.7 "$@")
}

# Nothing of the run is left on the host.
assert_nothing_left() {
  assert_equal "$(grep -c "$SCRATCH" /proc/swaps)" 0
  assert_equal "$(find /sys/fs/cgroup -maxdepth 2 -type d -name 'tierbench-flash-read-*' 2>/dev/null)" ''
  assert_equal "$(find host -name 'run-*' -o -name '*.swap')" ''
}

# Print columns of the rows of phase get, blanks between them: rows NAME...
rows() {
  "$REPO/summary2csv.sh" results/2* | python3 -c 'import csv, sys
for r in csv.DictReader(sys.stdin):
    if r["operation"] == "get": print(*(r[n] for n in sys.argv[1:]))' "$@"
}

# Make a swap area with a limited number of reads per second: device_make NAME READS   Sets: DEVICE
device_make() {
  fallocate -l 256M "$1.img"
  DEVICE=$(losetup -f --show "$1.img")
  DEVICES+=("$DEVICE")
  mkswap "$DEVICE" >/dev/null
  echo "$(<"/sys/block/${DEVICE##*/}/dev") $2" >"$THROTTLE"
}

@test "swap: keys that hit 60 % are searched before the first repeat; both variants use them; a resumed run does not search again" {
  words -v native -v swap HIT_RATIO=60%
  run_split "$REPO/do_it.sh" run "${untuned[@]}"
  # If the kernel's OOM killer stops an instance, repeat.
  [[ $STDERR != *"the OOM killer"* ]] || run_split "$REPO/do_it.sh" run --resume results/2*
  assert_success
  assert_match 'HIT_RATIO=60%: (gaussian:[0-9]+ hits|not met .* gaussian:)' "$STDERR"
  sd=$(rows key_sd | sort -u)
  assert_match '^[0-9]+$' "$sd"
  assert_equal "$(rows variant hit_asked key_sd)" "native 60% $sd"$'\n'"swap 60% $sd"
  awk -F '\t' -v sd="$sd" 'NR > 1 && ($2 != "swap" || $3 != "60%" || $8 < 1) { exit 1 } $6 == sd { sum += $7; n++ } END { exit !(n >= 2 && sum / n > 0.45 && sum / n < 0.75) }' results/2*/hit.tsv ||
    fail "$(cat results/2*/hit.tsv)"
  # After the fill, DRAM has other keys: the phase has a warm-up, but may still differ.
  rows variant hit_ratio | awk '$1 == "native" { native = $2 } $1 == "swap" { swap = $2 } END { exit !(native > 0.99 && swap > 0.3 && swap < 0.85) }' || fail "$(rows variant hit_ratio)"
  assert_contains 'GET of 1,000 B on 1 instance: operations per second, by the share of requests that DRAM serves' "$output"
  assert_contains 'keys searched on swap in ' "$output"
  assert_nothing_left
  looks=$(<"$(echo results/2*/hit.tsv)")
  rm -rf results/2*/swap/*/rep-1
  succeeds run_split "$REPO/do_it.sh" run --resume results/2*
  assert_equal "$(<"$(echo results/2*/hit.tsv)")" "$looks"
  assert_equal "$(rows variant key_sd)" "native $sd"$'\n'"swap $sd"
}

@test "zram: a hit ratio that even uniform keys pass fails its point with the figures, and no repeat is started" {
  [[ -e /sys/class/zram-control/hot_add ]] || skip 'no zram here'
  # zram answers many requests in little time.
  words -v zram HIT_RATIO=10% DRAM_RATIO=1:2 SEARCH_TIME=0.5
  run_split "$REPO/do_it.sh" run "${untuned[@]}"
  # As above.
  [[ $STDERR != *"the OOM killer"* ]] || run_split "$REPO/do_it.sh" run --resume results/2*
  assert_equal "$status" 1
  assert_match 'HIT_RATIO=10%: not possible with DRAM_RATIO=1:2: uniform keys already hit [0-9.]+ %' "$STDERR"
  assert_equal "$(find results/2*/zram -name 'rep-*')" ''
  assert_equal "$(cut -f 6 results/2*/hit.tsv | sort -u)" $'300000\nkey_sd'
  assert_nothing_left
}

@test "swap and swap-b in one run: a device with half of the reads a second has about half of the throughput, and the table has the factor" {
  # The limit is the kernel's, so the ratio does not hang on how fast the machine is.
  need_command losetup
  THROTTLE=/sys/fs/cgroup/blkio/blkio.throttle.read_iops_device
  [[ -w $THROTTLE ]] || skip 'no blkio cgroup of version 1 here'
  grep -qE ' cgroup .*[ ,]memory[ ,]' /proc/mounts || skip 'no memory cgroup of version 1 here'
  device_make fast 2000
  fast=$DEVICE
  device_make slow 1000
  slow=$DEVICE
  mkdir copy
  cp -r "$REPO"/{do_it.sh,summary2csv.sh,lib,conf,tools,test,test.c,Makefile} copy
  for variant in swap swap-b; do
    grep -v '^TIER_SWAP=' "$REPO/conf/variants/$variant.conf" >"copy/conf/variants/$variant.conf"
  done
  echo "TIER_SWAP=$fast" >>copy/conf/variants/swap.conf
  echo "TIER_SWAP=$slow" >>copy/conf/variants/swap-b.conf
  words -v swap -v swap-b KEYS=60000 RATE=0 WARMUP=4 TIME=6 SEARCH_TIME=1.5 HIT_RATIO=50%
  run_split copy/do_it.sh run "${untuned[@]}"
  # If the kernel's OOM killer stops an instance, repeat.
  [[ $STDERR != *"the OOM killer"* ]] || run_split copy/do_it.sh run --resume results/2*
  assert_success
  factor=$(copy/summary2csv.sh results/2* | python3 -c 'import csv, sys
rows = {r["variant"]: r for r in csv.DictReader(sys.stdin) if r["operation"] == "get"}
print("%.3f" % (float(rows["swap-b"]["ops_per_sec"]) / float(rows["swap"]["ops_per_sec"])))')
  echo "# factor $factor" >&3
  awk -v factor="$factor" 'BEGIN { exit !(factor > 0.25 && factor < 0.9) }' || fail "the device with half of the reads has $factor of the throughput"
  assert_match $'\n'"50% +swap-b .* 0\\.[2-8][0-9]*x" "$output"
  assert_equal "$(grep -c "$fast\|$slow" /proc/swaps)" 0
  assert_nothing_left
}
