#!/usr/bin/env bats
# SPDX-License-Identifier: MIT
# A server that is not Redis behind REDIS, tests/other_server.py: its own counters are the hit ratio, and what it lacks is reported by
# doctor and leaves columns empty.
# slow

load helper
load logs

prepare() {
  untune
  cp "$REPO/tests/other_server.py" other-server
  cp "$REPO/tests/resp.py" .
  # Python lists the directory of what it imports, as the user of the instances.
  chmod 755 .
  BASE=$(ports_pick 1)
}

# The words of a run on the other server; sets untuned.
# Usage: words WORD...
words() {
  untuned=(TUNE=off KERNEL=keep)
  untuned+=(-s demo SERVER=127.0.0.1 CLIENT_IP=127.0.0.1 VARIANTS=native REMOTE_DIR="$SCRATCH/host" LOCK_DIR="$SCRATCH/locks" RESULTS_DIR="$SCRATCH/results"
    REDISBASE="$BASE" SRV_OVERRIDE=1 REDISRUNS=1 KEYS=2000 VALUE_SIZES=100 THREADS=1 REDIS="$SCRATCH/other-server" "$@")
}

# Print columns of the rows, blanks between them and - for an empty one.
# Usage: rows NAME...   Returns: 0
rows() {
  "$REPO/summary2csv.sh" results/2* | python3 -c 'import csv, sys
for r in csv.DictReader(sys.stdin): print(*(r[n] or "-" for n in sys.argv[1:]))' "$@"
}

# The hit ratio by what the server itself counted in all of the run.
truth() {
  awk -F ':' '{ sub(/\r$/, "") } $1 == "dram_reads" { hits = $2 } $1 == "flash_reads" { misses = $2 } END { printf "%.6f\n", hits / (hits + misses) }' \
    results/2*/native/*/rep-1/server/info.after
}

@test "HIT_COUNTERS: hit_ratio of the GETs is what the server itself counted; page faults do not count, over time neither" {
  words PHASES="populate get" KEY_PATTERN=uniform TIME=0 REQUESTS=4000 REDIS_CONF="dram 500" HIT_COUNTERS=dram_reads/flash_reads
  succeeds run_split "$REPO/do_it.sh" run "${untuned[@]}"
  assert_equal "$(rows operation ops hit_source)" $'populate 2000 -\nget 4000 info'
  found=$(rows operation hit_ratio | awk '$1 == "get" { print $2 }')
  awk -v found="$found" -v wanted="$(truth)" 'BEGIN { exit !(wanted > 0.2 && wanted < 0.3 && found - wanted < 1e-5 && wanted - found < 1e-5) }' ||
    fail "$(rows operation hit_ratio), $(truth)"
  assert_equal "$(grep -c majflt results/2*/native/*/rep-1/server/counters.tsv)" 0
  assert_equal "$(awk -F '\t' 'NR > 1 && $5 != "-"' results/2*/native/*/rep-1/server/instances.tsv)" ''
}

@test "HIT_COUNTERS with one field counts waits of all requests; HIT_RATIO finds keys without limited DRAM" {
  words PHASES="populate get" HIT_RATIO=70% HIT_COUNTERS=flash_reads KEY_PATTERN=gaussian RATE=0 TIME=0 REQUESTS=2000 KEYS=1000 SEARCH_TIME=0.5 REDIS_CONF="dram 250" \
    POPULATE_PATTERN=sequential
  succeeds run_split "$REPO/do_it.sh" run "${untuned[@]}"
  assert_match 'HIT_RATIO=70%: gaussian:[0-9.]+ hits (69|70|71)\.[0-9] %' "$STDERR"
  # The phase begins with other keys in DRAM than those of the search.
  rows operation hit_ratio | awk '$1 == "get" && !($2 > 0.6 && $2 < 0.75) { bad = 1 } END { exit bad }' || fail "$(rows operation hit_ratio)"
  sd=$(rows key_sd | tail -n 1)
  assert_match '^[0-9]+(\.[0-9]+)?$' "$sd"
}

@test "INFO without fields, CONFIG refused, no version: a doctor line each, the run goes on, and what needs them is empty; without the field of HIT_COUNTERS it is not fit" {
  cp other-server other-mute
  words PHASES="set get" REDIS="$SCRATCH/other-mute" REDIS_CONF="hide used_ cmdstat_;refuse CONFIG"
  succeeds run_split "$REPO/do_it.sh" doctor --all "${untuned[@]}"
  assert_match 'ok +server program +does not print a version '
  assert_match 'warn +CONFIG +refused +for PERSISTENCE'
  assert_match 'warn +INFO +no used_memory +for the columns used_memory '
  assert_match 'warn +INFO +no used_cpu_user +for the columns server_cpu_us_per_op '
  assert_match 'warn +INFO +no cmdstat +for the columns far_per_op, hit_ratio, server_cpu_us_per_op '
  fails 3 run_split "$REPO/do_it.sh" run "${untuned[@]}" HIT_COUNTERS=dram_reads/flash_reads REDIS_CONF="hide flash_"
  assert_contains '127.0.0.1: HIT_COUNTERS: no flash_reads in INFO; ' "$STDERR"
  refute_exists results
  succeeds run_split "$REPO/do_it.sh" run "${untuned[@]}"
  assert_contains 'after set: used_memory not known, Rss ' "$STDERR"
  assert_equal "$(rows operation ops used_memory server_cpu_us_per_op far_per_op hit_ratio errors)" $'set 2000 - - - - 0\nget 2000 - - - - 0'
}

@test "counters of HIT_COUNTERS: without one of them, or one that got smaller, there is no figure" {
  rows=$(printf '6379\tcalls\t%d\n6379\tfar_hits\t%d\n6379\tfar_misses\t%d\n' 100 60 40)
  waits() {
    modules 'monitor_waits "$1" "$2"' "$@"
  }
  assert_equal "$(waits "$rows" "$(printf '6379\tcalls\t%d\n6379\tfar_hits\t%d\n6379\tfar_misses\t%d\n' 400 200 100)")" '60 200'
  assert_equal "$(waits "$(grep -v far_hits <<<"$rows")" "$(printf '6379\tcalls\t%d\n6379\tfar_misses\t%d\n' 400 100)")" '60 300'
  assert_equal "$(waits "$rows" $'6379\tcalls\t400')" ''
  assert_equal "$(waits "$rows" "$(printf '6379\tcalls\t%d\n6379\tfar_hits\t%d\n6379\tfar_misses\t%d\n' 400 200 30)")" ''
}

@test "what KeyDB with its FLASH provider said: its fields are found, its version is not taken for that of Redis, its lines are counters" {
  recorded=$REPO/tests/fixtures/keydb
  succeeds run modules 'HIT_COUNTERS=storage_provider_read_hits
    _answers_fields "$(<"$1/info.txt")"
    _answers_program "program"$'"'\t'"'"$(<"$1/version.txt")"
    . "$LIB/host/acl.sh"
    REDIS_BINARY=recorded
    run_limited() { cat "$recorded/version.txt"; }
    recorded=$1
    host_acl_version
    echo "major ${ACL_MAJOR:-none}"
    . "$LIB/host/monitor.sh"
    host_info_all() { echo "### instance 6379"; cat "$recorded/info.txt"; }
    MONITOR_NODES=(node0)
    RECORD=/dev/null LOAD_COMMANDS="" MONITOR_REPLICAS=
    host_monitor_mark_instances' "$recorded"
  assert_line $'ok\tHIT_COUNTERS\tstorage_provider_read_hits\t-\t-'
  assert_line $'ok\tINFO\tused_memory\t-\t-'
  assert_match $'ok\tserver program\tKeyDB server v=255\.255\.255 '
  assert_line 'major none'
  assert_line $'6379\tcalls\t6'
  assert_line $'6379\tfar_misses\t0'
  assert_match $'\n6379\tused_memory\t[1-9][0-9]+\n'
}
