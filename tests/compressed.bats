#!/usr/bin/env bats
# SPDX-License-Identifier: MIT
# The DRAM that compression takes: what a host reads of it, and where it counts: rows, the fill, the verdict, warnings and prices.

load helper
load logs
load compare

RUN=20250101T100000Z-x

# Print the rows of host_tier_state for the files in host/, as NAME VALUE... by blanks.
state() {
  TIERBENCH_ROOT=$PWD/machine WORK=$PWD/host RUN_ID=a-b bash -c '
    for file in "$REPO"/lib/host/tier_verify.sh "$REPO"/lib/tier/*.sh; do . "$file"; done
    host_tier_cgroup_usage() { echo "usage	1"; }
    host_tier_state' | tr '\t' ' '
}

@test "a host reads what compression takes: of a zram device that is swap, and of zswap by cgroup or else of the host" {
  local tier=host/run-a-b/tier
  mkdir -p $tier machine/proc machine/sys/block/zram3 cgroup
  printf '%s\n' 'MemTotal: 1000 kB' 'Zswap: 20 kB' 'Zswapped: 50 kB' >machine/proc/meminfo
  echo '162000000 150000000 158000000 0 159000000 0 0 0' >machine/sys/block/zram3/mm_stat
  printf 'tier\tzram\n' >$tier/asked
  printf '/dev/zram3\t0\n' >$tier/swap
  run state
  assert_line 'zram data 162000000' 'zram memory 158000000'
  refute_contains zswap
  rm $tier/swap
  printf 'tier\tzswap\n' >$tier/asked
  run state
  assert_line 'zswap data 51200' 'zswap memory 20480'
  # The cgroup of version 1 does not have it.
  echo "$PWD/cgroup" >$tier/cgroup
  printf '%s\n' 'cache 5' 'rss 6' >cgroup/memory.stat
  run state
  assert_line 'zswap memory 20480'
  printf '%s\n' 'anon 6' 'zswap 700' 'zswapped 9000' >cgroup/memory.stat
  run state
  assert_line 'zswap data 9000' 'zswap memory 700'
  # A kernel before 5.19 does not report it.
  rm $tier/cgroup
  echo 'MemTotal: 1000 kB' >machine/proc/meminfo
  run state
  refute_contains 'zswap data'
}

# Make a run of native and zram: 110 MiB of Rss; on zram 35 MiB, and 75 MiB in MEMORY bytes of the device. Usage: packed_make MEMORY
packed_make() {
  run_make $RUN 1 30 60 20 40
  server_make $RUN/native/1000B-4i/rep-1 native ok 0 0
  server_make $RUN/swap/1000B-4i/rep-1 zram ok $((75 << 20)) 4000
  sed -i "s/\trss\t0\t115343360/\trss\t0\t$((35 << 20))/" $RUN/swap/1000B-4i/rep-1/server/counters.tsv
  printf '%s\n' $'set\tzram\tdata\t0\t'$((75 << 20)) $'set\tzram\tmemory\t0\t'"$1" >>$RUN/swap/1000B-4i/rep-1/server/counters.tsv
}

@test "DRAM is Rss and what compression takes: in rows, the fill and the verdict; nearly nothing compressed is a warning; what zswap holds is priced as DRAM, and only the rest of the swapped data as the device" {
  packed_make $((70 << 20))
  assert_equal "$("$REPO/summary2csv.sh" --total $RUN | cells -c dram_bytes | paste -sd ,)" "$((110 << 20)),$((105 << 20))"
  assert_equal "$("$REPO/summary2csv.sh" $RUN | cells -c compressed_bytes | paste -sd ,)" ",$((70 << 20))"
  run_split compare $RUN
  assert_contains "swap takes 105 MiB of DRAM (70 MiB of it for 75 MiB of compressed data) instead of native's 110 MiB of DRAM (0.955x, set at 1000B-4i)."
  assert_contains 'nearly nothing compresses, so compression saves no DRAM, in 1 of 2 results: swap, set at 1000B-4i, repeat 1: 70.0 MiB of DRAM for 75.0 MiB of data' "$STDERR"
  assert_equal "$(figure dram other_median $RUN)" $((105 << 20))
  run modules 'result_totals "$1" >totals; _report_repeats_held totals | figures_run fill | cut -f 2,4,18-20' $RUN
  assert_line $'Variant\tRepeat\tCompressed MiB\tDRAM MiB\t' $'swap\t1\t70\t105\t'
  packed_make $((25 << 20))
  run_split compare $RUN
  assert_contains "swap takes 60 MiB of DRAM (25 MiB of it for 75 MiB of compressed data) instead of native's 110 MiB"
  refute_contains 'nearly nothing' "$STDERR"
  tier_rows get zswap >counters.tsv
  printf 'get\ttier\tdata_bytes\t0\t%d\nget\ttier\tfar_bytes\t0\t%d\nget\tzswap\tdata\t0\t%d\nget\tzswap\tmemory\t0\t%d\n' \
    $((8 << 30)) $((6 << 30)) $((4 << 30)) $((1 << 30)) >>counters.tsv
  echo 'BEGIN { prices_begin("dram=4 nvme=1"); prices_read("counters.tsv", "get"); print prices_near, prices_far, prices_cost(prices_near, prices_far, prices_kind) }' >p.awk
  prints '3 2 14' run modules 'figures_run prices -- -f p.awk'
}
