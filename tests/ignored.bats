#!/usr/bin/env bats
# SPDX-License-Identifier: MIT
# Settings that have no effect beside others, or another one than expected: a plan names them.

load helper

# Of a server that is not here.
PLAN=(SERVER=203.0.113.1 CLIENT_IP=203.0.113.2 SERVER_CORES=4 SERVER_MEM=64 VALUE_SIZES=1000 REDISRUNS=1)

# Print a column of the rows of a plan.
# Usage: planned COLUMN WORD...   Sets: as run_plan does, with the column as output
planned() {
  succeeds run_plan --rows "${PLAN[@]}" "${@:2}"
  output=$(cells "$1" <<<"$output")
}

@test "FILL overrides KEYS of a lower layer, also as a swept setting; beside KEYS of its own layer it has no effect, and is named as all settings without effect are" {
  planned target_bytes -s demo FILL=1G
  assert_equal "$output" $((1 << 30))
  planned target_bytes -s demo SWEEP=FILL=1G,2G
  assert_equal "$output" $((1 << 30))$'\n'$((2 << 30))
  prints - planned target_bytes -s demo FILL=1G KEYS=77
  assert_contains 'warning: FILL=1G: set KEYS=auto: FILL has no effect' "$STDERR"
  # KEYS over FILL of a scenario.
  printf 'FILL=1G\n' >mine.conf
  planned keys -s ./mine.conf KEYS=77
  assert_equal "$output$STDERR" 77
  while IFS='|' read -r word want; do
    IFS=';' read -r -a words <<<"$word"
    succeeds run_plan "${PLAN[@]}" FILL=1G "${words[@]}"
    assert_equal "$(cut -d ' ' -f 3- <<<"$STDERR")" "$want"
  done <<'END'
LIMITS=p99<=2ms|LIMITS=p99<=2ms: set RATE=search: only searches keep limits; compare --limit evaluates them afterwards
LIMITS=p99<=2ms;RATE=search;TIME=10|
-v;native;-v;bind;DRAM_RATIO=1:2,1:4|DRAM_RATIO=1:2 1:4: add a variant with a limit of DRAM: without one, the ratio has no effect
-v;native;-v;swap;DRAM_RATIO=1:2,1:4|
TIER_SWAP=/mnt/nvme|TIER_SWAP=/mnt/nvme: add a variant with the tier swap or zswap: only these use it
-v;native;-v;zswap;TIER_SWAP=/mnt/nvme|
TIER_NODES=2|TIER_NODES=2: add a variant with the tier bind, interleave, preferred or weighted: only these use it
-v;native;-v;interleave;TIER_NODES=0,2|
TIER_WEIGHTS=0:3 1:1;-v;bind|TIER_WEIGHTS=0:3 1:1: add a variant with the tier weighted: only this one uses it
TIER_WEIGHTS=keep;TIER_SWAP=auto|
ZRAM_ALGORITHM=lz4;-v;swap|ZRAM_ALGORITHM=lz4: add a variant with the tier zram: only this one uses it
ZRAM_ALGORITHM=lz4;-v;zram|
RATIO=1:1|RATIO=1:1: set PHASES: only the phase mixed has this ratio
RATIO=1:1;PHASES=populate mixed|
RATIO=1:1;PHASES=populate mixed;COMMANDS=get:1,set:1|RATIO=1:1: set COMMANDS: its weights replace RATIO
END
}

@test "data above maxmemory are named if Redis does not evict; they take what they need, and with an eviction no more than the limit" {
  local -a plan=("${PLAN[@]}" INSTANCES=2 KEYS=1000000 REDIS_CONF.maxmemory=100M)
  local eviction said='REDIS_CONF.maxmemory=100M: set it, or maxmemory-policy: Redis refuses SETs above the limit, and a repeat with errors fails'
  for eviction in default noeviction volatile-lru; do
    warns "$said" run_plan "${plan[@]}" REDIS_CONF.maxmemory-policy=$eviction
    (($(awk '$1 == "1000B-2i" { print $7 }' <<<"$output") > 1900)) || fail "$eviction: not the need of the data"
  done
  for eviction in allkeys-lru 'volatile-lru EXPIRE=60'; do
    # shellcheck disable=SC2086 # words
    succeeds run_plan "${plan[@]}" REDIS_CONF.maxmemory-policy=$eviction
    refute_contains maxmemory= "$STDERR"
    assert_equal "$(awk '$1 == "1000B-2i" { print $7 }' <<<"$output")" 200
  done
  run_plan "${plan[@]}" REDIS_CONF.maxmemory=2G
  assert_equal "$STDERR" ''
}

@test "a plan names the point that needs more DRAM than the server has, and the throughput that its times assume; for this machine with another memory, too" {
  local -a words=(SERVER=203.0.113.1 CLIENT_IP=203.0.113.2 SERVER_CORES=4 SERVER_MEM=64 INSTANCES=2)
  succeeds run_plan "${words[@]}" FILL=60G VALUE_SIZES=1000
  assert_match 'warning: native, 1000B-2i: needs 6[0-9]{4} MiB of DRAM and 6553 MiB of RESERVE, and the server has 65536 MiB; set FILL or KEYS' "$STDERR"
  assert_line 'times assume PLAN_OPS=100000 operations per second of all clients together'
  # A quarter of the data fits.
  run_plan "${words[@]}" FILL=60G VALUE_SIZES=1000 -v swap PHASES=get TIME=10
  refute_contains 'MiB of DRAM' "$STDERR"
  refute_contains PLAN_OPS
  need_command nproc
  succeeds run_split "$REPO/do_it.sh" plan SERVER_CORES="$(nproc)" SERVER_MEM=4000 VALUE_SIZES=1000 KEYS=1000 REDISRUNS=1 INSTANCES=1
  (($(awk '$1 == "1000B-1i" { print $10 }' <<<"$output") > 3900 * 1024)) || fail "the headroom is that of another machine"
}
