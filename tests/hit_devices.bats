#!/usr/bin/env bats
# SPDX-License-Identifier: MIT
# Two swap devices in one run, both behind a limit of reads a second: where the device is the limit, half of the reads are about half of the
# throughput. The limit is the kernel's, so the ratio does not hang on how fast the machine is.
# lane: host
# shellcheck disable=SC2154 # stderr is set by run_split

load helper

setup() {
  need_root
  need_command mkswap losetup
  THROTTLE=/sys/fs/cgroup/blkio/blkio.throttle.read_iops_device
  DEVICES=()
  [[ -w $THROTTLE ]] || skip 'no blkio cgroup of version 1 here'
  grep -qE ' cgroup .*[ ,]memory[ ,]' /proc/mounts || skip 'no memory cgroup of version 1 here'
  scratch_setup
  zswap_set N
  BASE=$(ports_pick 1)
}

teardown() {
  local device
  for device in "${DEVICES[@]}"; do
    echo "$(<"/sys/block/${device##*/}/dev") 0" >"$THROTTLE"
    losetup -d "$device"
  done
  scratch_teardown
}

# Make a swap area with a limited number of reads per second.
# Usage: device_make NAME READS   Sets: DEVICE
device_make() {
  fallocate -l 256M "$1.img"
  DEVICE=$(losetup -f --show "$1.img")
  DEVICES+=("$DEVICE")
  mkswap "$DEVICE" >/dev/null
  echo "$(<"/sys/block/${DEVICE##*/}/dev") $2" >"$THROTTLE"
}

@test "swap and swap-b in one run: a device with half of the reads a second has about half of the throughput, and the table has the factor" {
  local factor variant fast slow
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
  untuned=(TUNE=off KERNEL=keep)
  untuned+=(-s flash-read -v swap -v swap-b REMOTE_DIR="$SCRATCH/host" LOCK_DIR="$SCRATCH/locks" RESULTS_DIR="$SCRATCH/results" REDISBASE="$BASE" SRV_OVERRIDE=1
    REDISRUNS=1 KEYS=60000 THREADS=1 CONNECTIONS=8 PIPELINE=4 RATE=0 WARMUP=4 TIME=6 SEARCH_TIME=1.5 HIT_RATIO=50%)
  run_split copy/do_it.sh run "${untuned[@]}"
  # If the kernel's OOM killer stops an instance, repeat.
  [[ $stderr != *"the OOM killer"* ]] || run_split copy/do_it.sh run --resume results/2*
  assert_success
  factor=$(copy/summary2csv.sh results/2* | python3 -c 'import csv, sys
rows = {r["variant"]: r for r in csv.DictReader(sys.stdin) if r["operation"] == "get"}
print("%.3f" % (float(rows["swap-b"]["ops_per_sec"]) / float(rows["swap"]["ops_per_sec"])))')
  echo "# factor $factor" >&3
  awk -v factor="$factor" 'BEGIN { exit !(factor > 0.25 && factor < 0.9) }' || fail "the device with half of the reads has $factor of the throughput"
  assert_match $'\n'"50% +swap-b .* 0\\.[2-8][0-9]*x" "$output"
  assert_equal "$(grep -c "$SCRATCH\|$fast\|$slow" /proc/swaps)" 0
}
