#!/usr/bin/env bats
# SPDX-License-Identifier: MIT
# Searches for the min share of DRAM on real swap and zram, against a known truth: requests go to 40 % of the keys, which are adjacent.
# The result does not depend on the speed of the machine: the limit is on far accesses.
# lane: host

load helper
load searches

prepare() {
  need_swap
  zswap_set N
  BASE=$(ports_pick 1)
}

# The arguments of a search whose requests go to the first keys, with rungs 4 % apart; sets untuned.
# Usage: words VARIANTS [WORD]...
words() {
  search_short 4% 80
  untuned=(TUNE=off KERNEL=keep)
  untuned+=(-s demo VARIANTS="$1" REMOTE_DIR="$SCRATCH/host" LOCK_DIR="$SCRATCH/locks" RESULTS_DIR="$SCRATCH/results" REDISBASE="$BASE" SRV_OVERRIDE=1 REDISRUNS=1
    KEYS=36000 VALUE_SIZES=1000 DATA=random POPULATE_PATTERN=sequential KEY_PATTERN=uniform PHASES="populate get" CONNECTIONS=16 RATE=5000 DRAM_RATIO=search
    TIME=1 SEARCH_TIME=1 FOREIGN=off LIMITS="far<=0.02" "${@:2}")
}

# Print a column of the answer of a variant: answer VARIANT NAME
answer() { cells "$2" results/*/"$1"/*/rep-1/size.tsv; }

# Print the share of DRAM of a part of the keys, with the hash table, and with all memory that is not keys: LOW HIGH, in percent.
# Usage: truth VARIANT PART   Returns: 0
truth() {
  awk -F '\t' -v part="$2" -v base="$(answer "$1" base_bytes)" '
    $1 == "get" && $3 == "used_memory" { used = $5 }
    # A slot of 8 bytes per key, rounded up to a power of two.
    END { table = 65536 * 8; print 100 * (part * (used - table) + table) / base, 100 * (part * (used - table) + base - used + table) / base }' results/*/"$1"/*/rep-1/server/counters.tsv
}

# Assert that nothing of the search is left on the host.
assert_nothing_left() {
  assert_equal "$(grep -c "$SCRATCH" /proc/swaps)" 0
  assert_equal "$(find /sys/fs/cgroup -maxdepth 2 -type d -name 'tierbench-demo-*' 2>/dev/null)" ''
  assert_equal "$(find host -name 'run-*' -o -name '*.swap')" ''
}

# Search, and compare with the truth within 3 points: the answer, or its 95 % interval if the machine has other load.
# Usage: search_planted VARIANT   Returns: 0
search_planted() {
  local share low high from to
  words "$1" KEY_MAX=14399
  succeeds run_split ./do_it.sh run "${untuned[@]}"
  share=$(answer "$1" dram_share_percent)
  from=$(answer "$1" search_low)
  to=$(answer "$1" search_high)
  read -r low high < <(truth "$1" 0.4)
  awk -v from="${from/#-/$share}" -v to="${to/#-/$share}" -v low="$low" -v high="$high" 'BEGIN { exit !(to >= low - 3 && from <= high + 3 && to - from < 20) }' ||
    fail "$1: the answer is $share % of DRAM ($from to $to), and the keys need $low to $high %: $(<"$(echo results/*/"$1"/*/rep-1/steps.tsv)")"
  assert_match '^(far|throughput|oom|reclaim)$' "$(answer "$1" broke_by)"
  assert_match "the min share of DRAM at which 5,000 ops/s keep a limit" "$output"
  assert_nothing_left
}

@test "swap: requests to 40 % of the keys need 40 % of DRAM, the table and what is no key, within 3 points; the measured phase keeps it" {
  search_planted swap
}

@test "zram: requests to all keys alike: no DRAM can be taken away" {
  [[ -e /sys/class/zram-control/hot_add ]] || skip 'no zram here'
  words zram
  succeeds run_split ./do_it.sh run "${untuned[@]}"
  share=$(answer zram dram_share_percent)
  # Allow 2 % of the keys for the limit, and the memory without keys: a tenth of the instance here.
  read -r low _ < <(truth zram 0.98)
  awk -v share="$share" -v low="$low" 'BEGIN { exit !(share >= low - 5) }' || fail "the answer is $share %, and the keys need $low %: $(<"$(echo results/*/zram/*/rep-1/steps.tsv)")"
  # On a busy machine even all DRAM may break the limit: then there are no MiB.
  [[ $output == *broken* ]] || assert_contains 'zram: MiB include the memory that compression takes' "$output"
  assert_nothing_left
}
