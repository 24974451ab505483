#!/usr/bin/env bats
# SPDX-License-Identifier: MIT
# What will run: instances and their CPUs, the clients' shares, the order of repeats, and the guide's fill.

load helper

setup() {
  # shellcheck source=lib/plan.sh
  . "$REPO/lib/log.sh" && . "$REPO/lib/alias.sh" && . "$REPO/lib/conf.sh" && . "$REPO/lib/plan.sh" && . "$REPO/lib/fill.sh"
  REDISBASE=6379
}

@test "the guide's fill, to the key" {
  assert_equal "$(fill_guide 754 1000 288)" 2275590
  assert_equal "$(fill_guide 755 1000 288)" 2278645
  assert_equal "$(fill_guide 754 100000 288)" 22743
  assert_equal "$(fill_guide 755 100000 288)" 22777
}

@test "instances are divided over clients in contiguous ranges, and a remainder is spread" {
  CLIENT_IP="a b"
  assert_equal "$(plan_clients 288)" $'a\t6379\t144\nb\t6523\t144'
  CLIENT_IP="a b c"
  assert_equal "$(plan_clients 8)" $'a\t6379\t3\nb\t6382\t3\nc\t6385\t2'
}

@test "every instance is loaded by exactly one client, whatever the numbers" {
  local instances
  CLIENT_IP="a b c d e f g"
  for instances in 7 8 13 100 288; do
    assert_equal "$(plan_clients "$instances" | awk '{ for (p = $2; p < $2 + $3; p++) print p }')" \
      "$(seq 6379 $((6379 + instances - 1)))"
  done
}

@test "variants alternate within a repeat, so that a drift of the machine falls on all" {
  VALUE_SIZES="10 1K" INSTANCES=2 REDISRUNS=2 VARIANTS="base other" DRAM_RATIO=1:4 KEY_PATTERN=uniform
  assert_equal "$(plan_cells | tr '\t' ' ')" "10B-2i 10 2 1 base - -
10B-2i 10 2 1 other - -
10B-2i 10 2 2 base - -
10B-2i 10 2 2 other - -
1024B-2i 1024 2 1 base - -
1024B-2i 1024 2 1 other - -
1024B-2i 1024 2 2 base - -
1024B-2i 1024 2 2 other - -"
}

@test "ratios of DRAM to data and orders of keys are points when there are several" {
  VALUE_SIZES=10 INSTANCES=2 DRAM_RATIO="1:1 1:4" KEY_PATTERN="sequential zipf:1.2"
  assert_equal "$(plan_points | tr '\t' ' ')" "10B-2i-1to1-sequential 10 2 1:1 sequential
10B-2i-1to1-zipf1.2 10 2 1:1 zipf:1.2
10B-2i-1to4-sequential 10 2 1:4 sequential
10B-2i-1to4-zipf1.2 10 2 1:4 zipf:1.2"
  plan_use 1:4 zipf:1.2
  assert_equal "$DRAM_RATIO $KEY_PATTERN" "1:4 zipf:1.2"
}

@test "what must stay free is 8 GiB or a tenth, the smaller, unless RESERVE says" {
  RESERVE=auto
  assert_equal "$(fill_reserve $((100 << 30)))" $((8 << 30))
  assert_equal "$(fill_reserve 1000)" 100
  RESERVE=3M
  assert_equal "$(fill_reserve 1000)" $((3 << 20))
}

@test "memory is planned for the keys that the phases set: all, unless they make fewer SETs" {
  CLIENT_IP="a b" CONNECTION_REQUESTS=0 INSTANCE_REQUESTS=110 REQUESTS=0 THREADS=auto INSTANCE_THREADS=1 CONNECTIONS=1 TIME=0 RATIO=1:10
  held() { assert_equal "$(PHASES=$1 fill_set 3 "$2")" "$3"; }
  held "populate mixed" 1000 1000
  held mixed 1000 10
  held "mixed get mixed" 1000 20
  held mixed 5 5
  held "set get" 1000 110
  held get 1000 0
  RATIO=0:1 held mixed 1000 0
  # Time sets no bound, and without a number of requests there is one a key.
  TIME=1 held mixed 1000 1000
  TIME=1 RATIO=0:1 held mixed 1000 0
  INSTANCE_REQUESTS=0 held set 1000 1000
}

@test "the time of a plan: populate by its keys, other phases by TIME and WARMUP" {
  local words=(-s wsf-static-multi-node SERVER=203.0.113.1 CLIENT_IP=203.0.113.2 SERVER_CORES=2 SERVER_MEM=64 PLACEMENT=none)
  # 10,000,001 keys at 100,000 a second, 300 s, and a second at each: 402 s.
  run "$REPO/do_it.sh" plan "${words[@]}"
  assert_success
  assert_match '100B-1i .* 6\.7
'
  run "$REPO/do_it.sh" plan "${words[@]}" WARMUP=30
  assert_match '100B-1i .* 7\.2
'
}
