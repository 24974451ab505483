#!/usr/bin/env bats
# SPDX-License-Identifier: MIT
# Values as a compressing memory tier stores them: in zram of the kernel.
# lane: host

load helper

@test "zram stores compressible:R as 1/R of it with lz4 and lzo-rle, to 5 %, and no device stays" {
  need_root
  [[ -w /sys/class/zram-control/hot_remove ]] || skip 'no zram here'
  rows=0
  before=$(find /sys/block -name 'zram*')
  PAGES=500 ROUNDS=1 succeeds run_split "$REPO/tests/bench/zram.sh" 2 3
  while read -r algorithm ratio _ _ got _; do
    awk -v g="$got" -v r="$ratio" 'BEGIN { exit !(g / r > 0.95 && g / r < 1.05) }' || fail "$algorithm: compressible:$ratio is stored as 1/$got"
    rows=$((rows + 1))
  done < <(sed 1d <<<"$output")
  ((rows >= 2)) || fail "$output"
  assert_equal "$(find /sys/block -name 'zram*')" "$before"
}
