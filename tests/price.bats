#!/usr/bin/env bats
# SPDX-License-Identifier: MIT
# What memory costs within a limit, from made-up totals and counters.

load helper
load logs

# A repeat of a variant: ops/s within the limit, GiB of data, of these far, and GiB that zram occupies if it does. SEARCH is the state of its search.
# SHARE is the min share of DRAM, if that was searched; with RATE nothing was.
# Usage: repeat RANK VARIANT TIER OPS HELD FAR [ZRAM]   Returns: 0
repeat() {
  local limit='p99<=1ms' search=${SEARCH-found} capacity=$4
  mkdir -p "run/$2/1000B-1i/rep-1/server" "run/$2/1000B-1i/rep-1/client"
  {
    printf 'phase\tscope\tcounter\tbefore\tafter\n'
    tier_rows mixed "$3"
    printf 'mixed\ttier\tdata_bytes\t0\t%s\nmixed\ttier\tfar_bytes\t0\t%s\n' $(($5 << 30)) $(($6 << 30))
    [[ -z ${7-} ]] || printf 'mixed\tzram\tmemory\t0\t%s\n' $(($7 << 30))
  } >"run/$2/1000B-1i/rep-1/server/counters.tsv"
  [[ ! ${RATE+x} ]] || limit='' search='' capacity=''
  [[ ! ${SHARE+x} ]] || capacity=''
  printf '%s\t%s\t%s\t1000B-1i\tmixed\t%s\t%s\t%s\t%s\t%s\t%s\t%s\t%s\t%s\n' "$1" "$2" "$3" "$limit" "$search" "$capacity" \
    "${LIMITED-0}" "${RATE-0}" "$4" "$PWD/run/$2/1000B-1i/rep-1/client" "${SHARE-}" "${P99-900}" >>rows
}

# Print the table for these repeats and prices, its blanks squeezed.
# Usage: priced PRICES   Returns: 0
priced() {
  { printf 'variant_rank\tvariant\ttier\tpoint\toperation\tlimit\tsearch\tcapacity_ops_per_sec\tclient_limited\trate\tops_per_sec\tfolder\tsearch_holds\tp99_us\n' && cat rows; } >totals
  modules '[[ -z $1 ]] || price_take "$1"
    tables_make "$LIB/results/tables/price.awk" . <totals' "$1" | tr -s ' '
}

@test "cost is that of near memory and of what holds the rest; the break-even price makes a thousand operations cost the same" {
  repeat 1 native native 100000 40 0
  repeat 2 swap swap 50000 40 30
  repeat 3 zram zram 80000 40 30 10
  succeeds run priced "dram=4 nvme=0.1 zram=dram"
  # 40 x 4 = 160, 1.6 per 1,000; 10 x 4 + 30 x 0.1 = 43, 0.86; even at 1.6 x 50 = 80 = 40 + 30 p. zram: 10 x 4 + 10 x 4; 128 = 40 + 10 p.
  assert_contains 'native 100,000 40.0 40.0 0.0000 160.0 4.0000 1.6000 -' "$output"
  assert_contains 'swap 50,000 40.0 10.0 30.0 43.0 1.0750 0.8600 1.3333' "$output"
  assert_contains 'zram 80,000 40.0 10.0 10.0 80.0 2.0000 1.0000 8.8000' "$output"
  assert_contains 'MIXED at 1000B-1i, p99<=1ms: cost of memory' "$output"
}

@test "a tier that is too slow at any price has no break-even; one without a price is named" {
  repeat 1 native native 100000 40 0
  repeat 2 swap swap 10000 40 30
  repeat 3 cxl bind 90000 40 40
  run priced "dram=4 nvme=0.1"
  assert_match 'swap 10,000 .* none' "$output"
  assert_contains 'no price for cxl (cxl)' "$output"
}

@test "a break-even price is against the first variant alone: without its answer there is none" {
  repeat 2 swap swap 50000 40 30
  repeat 3 zram zram 80000 40 30 10
  run priced "dram=4 nvme=0.1 zram=dram"
  assert_match 'zram 80,000 .* 1.0000 -' "$output"
}

@test "where the load generator was the limit, throughput, cost and break-even price are bounds" {
  SEARCH=client repeat 1 native native 100000 40 0
  repeat 2 swap swap 50000 40 30
  SEARCH=client repeat 3 zram zram 80000 40 30 10
  run priced "dram=4 nvme=0.1 zram=dram"
  assert_contains 'native >=100,000 40.0 40.0 0.0000 160.0 4.0000 <=1.6000 -' "$output"
  assert_contains 'swap 50,000 40.0 10.0 30.0 43.0 1.0750 0.8600 <=1.3333' "$output"
  assert_contains 'zram >=80,000 40.0 10.0 10.0 80.0 2.0000 <=1.0000 -' "$output"
  assert_contains 'native, zram: the load generator was the limit' "$output"
  rm rows
  repeat 1 native native 100000 40 0
  SEARCH=client repeat 2 swap swap 50000 40 30
  SEARCH=client repeat 3 zram zram 1000 40 30 10
  run priced "dram=4 nvme=0.1 zram=dram"
  assert_contains 'swap >=50,000 40.0 10.0 30.0 43.0 1.0750 <=0.8600 >=1.3333' "$output"
  # At a higher throughput there could be such a price.
  assert_match 'zram >=1,000 .* <=80.0 -' "$output"
  # A closed loop whose load generator was busy is a bound too, as in compare, although the search found an answer.
  rm rows
  LIMITED=1 repeat 1 native native 100000 40 0
  run priced "dram=4 nvme=0.1"
  assert_contains 'native >=100,000 40.0 40.0 0.0000 160.0 4.0000 <=1.6000 -' "$output"
}

@test "a search for DRAM has the cost too: of the first variant with all its memory, and of each other with its min DRAM" {
  RATE=20000 repeat 1 native native 20000 40 0
  SHARE=25 repeat 2 swap swap 20000 40 30
  SHARE=25 SEARCH=client repeat 3 zram zram 20000 40 30 10
  run priced "dram=4 nvme=0.1 zram=dram"
  assert_contains 'MIXED at 1000B-1i, p99<=1ms: cost of memory' "$output"
  # 160 and 43 for the same load; zram may need less.
  assert_contains 'native 20,000 40.0 40.0 0.0000 160.0 4.0000 8.0000 -' "$output"
  assert_contains 'swap 20,000 40.0 10.0 30.0 43.0 1.0750 2.1500 -' "$output"
  assert_contains 'zram 20,000 40.0 <=10.0 >=10.0 <=80.0 <=2.0000 <=4.0000 -' "$output"
  assert_contains 'swap, zram: with the min share of DRAM that keeps the limit at this load' "$output"
  assert_contains 'native: measured at this load with all its memory, without a search' "$output"
  assert_contains 'zram: the load generator was the limit with less DRAM, so less, at a lower cost, may be enough' "$output"
  refute_contains 'breaks the limit'
  # What was not searched has no place without such an answer.
  rm rows
  RATE=20000 repeat 1 native native 20000 40 0
  prints '' run priced "dram=4 nvme=0.1"
  P99=1200 RATE=20000 repeat 1 native native 20000 40 0
  SHARE=25 repeat 2 swap swap 20000 40 30
  run priced "dram=4 nvme=0.1"
  assert_contains 'native (1 of 2 repeats): breaks the limit at this load' "$output"
}

@test "a first variant whose max load was searched has its row beside the min DRAM of the others" {
  repeat 1 native native 25000 40 0
  SHARE=25 repeat 2 swap swap 20000 40 30
  run priced "dram=4 nvme=0.1"
  assert_contains 'native 25,000 40.0 40.0 0.0000 160.0 4.0000 6.4000 -' "$output"
  assert_contains 'swap 20,000 40.0 10.0 30.0 43.0 1.0750 2.1500 -' "$output"
  assert_contains 'native: at its max load; its memory costs as much at the load of the others' "$output"
}

@test "without prices, or without an answer of a search, nothing is printed" {
  repeat 1 native native 100000 40 0
  prints '' run priced ''
  sed -i 's/p99<=1ms//' rows
  prints '' run priced 'dram=4'
}
