#!/usr/bin/env bats
# SPDX-License-Identifier: MIT
# What will run: instances and their CPUs, the clients' shares, the order of repeats, and the guide's fill.
# slow

load helper

setup() {
  # shellcheck source=/dev/null # followed from here, shellcheck takes as long as for thirty files
  . "$REPO/lib/core/log.sh" && . "$REPO/lib/core/file.sh" && . "$REPO/lib/core/trust.sh" && . "$REPO/lib/core/named.sh" && . "$REPO/lib/core/conf.sh" && . "$REPO/lib/plan/plan.sh" && . "$REPO/lib/run/shares.sh" && . "$REPO/lib/plan/fill.sh" &&
    . "$REPO/lib/run/load.sh" && . "$REPO/lib/run/rounds.sh"
  LIB=$REPO/lib SWEEP=''
  REDISBASE=6379
  scratch_setup
}

# Print the rows of a plan for a server that is not here, with these columns.
# Usage: planned 'COLUMN...' WORD...   Sets: as run_plan does
planned() {
  run_plan --rows SERVER=203.0.113.1 CLIENT_IP=203.0.113.2 SERVER_CORES=4 SERVER_MEM=64 "${@:2}"
  output=$(cells "$1" <<<"$output")
  mapfile -t lines <<<"$output"
}

@test "the guide's fill, to the key" {
  for memory in '754 2275590 22743' '755 2278645 22777'; do
    planned keys -s imdt VALUE_SIZES='1000 100000' SERVER_CORES=72 SERVER_MEM="${memory%% *}" SRV_OVERRIDE=288 REDISRUNS=1
    assert_output "$(tr ' ' '\n' <<<"${memory#* }")"
  done
}

@test "the disk that persistence needs: two dumps, or an AOF before its rewrite and the next one, an AOF of at least 64 MB each" {
  words=(-s demo SERVER=203.0.113.1 CLIENT_IP=203.0.113.2 SERVER_CORES=8 SERVER_MEM=16 INSTANCES=2 VALUE_SIZES=1000)
  run_plan "${words[@]}" KEYS=100000 PERSISTENCE=rdb
  assert_contains $'\ndisk     up to 393 MiB in REMOTE_DIR for the files of persistence\n' "$output"
  run_plan "${words[@]}" KEYS=100000 PERSISTENCE=aof
  assert_contains $'\ndisk     up to 608 MiB in ' "$output"
  run_plan "${words[@]}" KEYS=100000 PERSISTENCE=aof KEY_PREFIX=ten:bytes: SWEEP=PERSISTENCE.dir=auto,/var/tmp
  assert_contains $'\ndisk     up to 614 MiB in REMOTE_DIR or PERSISTENCE.dir for ' "$output"
  run_plan "${words[@]}" KEYS=1000 PERSISTENCE=aof
  assert_contains $'\ndisk     up to 130 MiB in ' "$output"
  # A variable of the user's shell is not a setting.
  run env REDIS_CONF_SAVE=900 REDIS_CONF_APPENDONLY=yes "$REPO/do_it.sh" plan "${words[@]}" KEYS=1000
  refute_contains $'\ndisk ' "$output"
  run_plan "${words[@]}" KEYS=100000 REDIS_CONF.maxmemory=1G REDIS_CONF.save="900 1"
  assert_contains $'\ndisk     up to 393 MiB in ' "$output"
  run_plan "${words[@]}" KEYS=100000 REDIS_CONF.appendonly=yes
  assert_contains $'\ndisk     up to 608 MiB in ' "$output"
}

# shellcheck disable=SC2030 # each test has its own REPLY
@test "KEY_PREFIX: the plan names the keys, and their length is in the cost of a key" {
  words=(-s demo SERVER=203.0.113.1 CLIENT_IP=203.0.113.2 SERVER_CORES=8 SERVER_MEM=16 INSTANCES=1 VALUE_SIZES=1000 KEYS=100000)
  cost() { run_plan "${words[@]}" "$@" && REPLY=$(awk '$1 == "1000B-1i" { print $6 }' <<<"$output"); }
  cost
  assert_equal "$REPLY" 1102
  cost KEY_PREFIX=user:
  assert_contains 'keys sequential, named user:N' "$output"
  assert_equal "$REPLY" 1110
  # Size classes above 1024 B are 256 B apart.
  printf -v prefix '%1024s' ''
  cost KEY_PREFIX="${prefix// /k}"
  assert_equal "$REPLY" 2374
  refuses 2 'invalid; accepted: off, a name of 1 to 1024 letters' run_plan "${words[@]}" KEY_PREFIX="${prefix// /k}k"
}

@test "instances are divided over clients in contiguous ranges, a remainder is spread, and every instance is loaded by exactly one client" {
  CLIENT_IP="a b"
  assert_equal "$(shares_clients 288)" $'a\t6379\t144\nb\t6523\t144'
  CLIENT_IP="a b c"
  assert_equal "$(shares_clients 8)" $'a\t6379\t3\nb\t6382\t3\nc\t6385\t2'
  TIME=0 REQUESTS=110/instance
  shares_requests_of 3
  # shellcheck disable=SC2031 # each test has its own
  assert_equal "$REPLY" 330
  CLIENT_IP="a b c d e f g"
  for instances in 7 8 13 100 288; do
    assert_equal "$(shares_clients "$instances" | awk '{ for (p = $2; p < $2 + $3; p++) print p }')" \
      "$(seq 6379 $((6379 + instances - 1)))"
  done
}

@test "variants alternate within a repeat, so that a drift of the machine falls on all" {
  planned 'number point value_size instances repeat variant' VALUE_SIZES="1000 1K" FILL=1G INSTANCES=2 REDISRUNS=2 -v native -v loadgen
  assert_output "1 1000B-2i 1000 2 1 native
2 1000B-2i 1000 2 1 loadgen
3 1000B-2i 1000 2 2 native
4 1000B-2i 1000 2 2 loadgen
5 1024B-2i 1024 2 1 native
6 1024B-2i 1024 2 1 loadgen
7 1024B-2i 1024 2 2 native
8 1024B-2i 1024 2 2 loadgen"
}

@test "ratios of DRAM to data and orders of keys are points when there are several" {
  planned 'point dram_ratio key_pattern sweep' VALUE_SIZES=10 INSTANCES=2 REDISRUNS=1 -v swap DRAM_RATIO="1:1 1:4" KEY_PATTERN="sequential zipf:1.2"
  assert_output "10B-2i-1to1-sequential 1:1 sequential 1:1, sequential
10B-2i-1to1-zipf1.2 1:1 zipf:1.2 1:1, zipf:1.2
10B-2i-1to4-sequential 1:4 sequential 1:4, sequential
10B-2i-1to4-zipf1.2 1:4 zipf:1.2 1:4, zipf:1.2"
  planned 'point dram_ratio key_pattern sweep' VALUE_SIZES=10 INSTANCES=2 REDISRUNS=1 KEY_PATTERN=uniform
  assert_output "10B-2i - - -"
}

@test "any setting is swept: a point for each value with each of the others, and a column of the setting's name" {
  planned 'point rate thp sweep' VALUE_SIZES=10 INSTANCES=2 REDISRUNS=1 SWEEP='RATE=100,2000.5 KERNEL.thp=never,always'
  assert_output "10B-2i-rate100-thpnever 100 never rate 100, thp never
10B-2i-rate100-thpalways 100 always rate 100, thp always
10B-2i-rate2000.5-thpnever 2000.5 never rate 2000.5, thp never
10B-2i-rate2000.5-thpalways 2000.5 always rate 2000.5, thp always"
  # What is derived follows the value of each point: keys, the threads of a client, the seconds of a repeat.
  planned 'keys seconds' VALUE_SIZES=10 INSTANCES=2 REDISRUNS=1 PHASES=get SWEEP='KEYS=100,300000 TIME=0,7'
  assert_output "100 1
100 8
300000 7
300000 8"
  # Without TIME, a rate is what takes the time. Nothing limits a populate.
  planned 'seconds' VALUE_SIZES=10 INSTANCES=2 REDISRUNS=1 PHASES='populate get' KEYS=3000 TIME=0 SWEEP='RATE=0,1000,0.5'
  assert_output "2
8
12002"
  planned 'clients places' VALUE_SIZES=10 INSTANCES=2 REDISRUNS=1 KEYS=9 SWEEP='THREADS=1/instance,3/instance PLACEMENT=spread,cpu'
  assert_output "203.0.113.2/6379/2/2 0-1@-;2-3@-
203.0.113.2/6379/2/2 0@-;1@-
203.0.113.2/6379/2/6 0-1@-;2-3@-
203.0.113.2/6379/2/6 0@-;1@-"
}

@test "a sweep overrides a variant and the command line, and the next variant has its own values again" {
  cp -r "$REPO/do_it.sh" "$REPO/conf" "$REPO/lib" "$BATS_TEST_TMPDIR"
  printf '# mine\nPIPELINE=7\nKEY_MAX=69\nTHREADS=auto\n' >"$BATS_TEST_TMPDIR/conf/variants/mine.conf"
  printf '# other\nKEYS=500\nTHREADS=3/instance\n' >"$BATS_TEST_TMPDIR/conf/variants/native.conf"
  REPO=$BATS_TEST_TMPDIR
  planned 'variant pipeline keys clients' VALUE_SIZES=10 INSTANCES=2 REDISRUNS=1 PIPELINE=3 SWEEP=PIPELINE=1,2 -v mine -v native
  assert_output "mine 1 70 203.0.113.2/6379/2/2
native 1 500 203.0.113.2/6379/2/6
mine 2 70 203.0.113.2/6379/2/2
native 2 500 203.0.113.2/6379/2/6"
}

@test "1,000 rows are planned, each with its values" {
  planned 'number instances keys seconds' VALUE_SIZES="100 1000 5000 10000" INSTANCES=1..125..1 REDISRUNS=1 FILL=8G PHASES=get PLAN_OPS=1000000000 \
    -v native -v loadgen SERVER_CORES=64
  assert_success
  assert_equal "${#lines[@]}" 1000
  all=("${lines[@]}")
  planned 'number instances keys seconds' VALUE_SIZES=100 INSTANCES=1 REDISRUNS=1 FILL=8G PHASES=get PLAN_OPS=1000000000 SERVER_CORES=64
  assert_output "${all[0]}"
  planned 'instances keys seconds' VALUE_SIZES=10000 INSTANCES=125 REDISRUNS=1 FILL=8G PHASES=get PLAN_OPS=1000000000 SERVER_CORES=64
  assert_output "${all[999]#1000 }"
}

@test "what must stay free is 8 GiB or a tenth, the smaller, unless RESERVE says" {
  RESERVE=auto
  assert_equal "$(fill_reserve $((100 << 30)))" $((8 << 30))
  assert_equal "$(fill_reserve 1000)" 100
  RESERVE=3M
  assert_equal "$(fill_reserve 1000)" $((3 << 20))
}

@test "memory is planned for the keys that the phases set: all, unless they make fewer SETs" {
  # Usage: held PHASES KEYS SET [NAME=VALUE]...
  held() {
    planned set_keys CLIENT_IP='192.0.2.2 192.0.2.3' INSTANCES=4 VALUE_SIZES=9 REDISRUNS=1 PHASES="$1" KEYS="$2" REQUESTS=110/instance TIME=0 RATIO=1:10 \
      "${@:4}"
    assert_output "$3"
  }
  held "populate mixed" 1000 1000
  held mixed 1000 10
  held "mixed get mixed" 1000 20
  held mixed 5 5
  held "set get" 1000 110
  held get 1000 0
  held mixed 1000 0 RATIO=0:1
  # Time sets no bound, and without a number of requests there is one a key.
  held mixed 1000 1000 TIME=1
  held mixed 1000 0 TIME=1 RATIO=0:1
  held set 1000 1000 REQUESTS=0
}

@test "the time of a plan: populate by its keys, other phases by TIME and WARMUP" {
  words=(-s wsf-static-multi-node SERVER=203.0.113.1 CLIENT_IP=203.0.113.2 SERVER_CORES=2 SERVER_MEM=64 PLACEMENT=none)
  # 10,000,001 keys at 100,000 a second, 300 s, and a second at each: 402 s.
  succeeds run_plan "${words[@]}"
  assert_match '100B-1i .* 6\.7 min
'
  run_plan "${words[@]}" WARMUP=30
  assert_match '100B-1i .* 7\.2 min
'
}
