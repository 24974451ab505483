#!/usr/bin/env bats
# SPDX-License-Identifier: MIT
# Which keys the load generator uses, as a real server sees it: hot sets, where they are and when they move, new keys, ranges.
# shellcheck disable=SC2154 # stderr is set by run_split

load helper
load loadgen

# Log every command of the server in monitor.log from now on.
monitor() {
  redis-cli -p "$REDIS_PORT" monitor >monitor.log 2>/dev/null 3>&- &
  process_note $!
  wait_until 10 bash -c "redis-cli -p $REDIS_PORT client list | grep cmd=monitor >/dev/null"
}

# Print the keys of the first COUNT commands NAME, in their order, once all of them are in the log.
monitored() {
  wait_until 10 bash -c "(( \$(grep -c '\"$1\"' monitor.log) >= $2 ))"
  sed -n "s/.*\"$1\" \"\([0-9]*\)\".*/\1/p" monitor.log
}

@test "a hot set moves at the time of the schedule, to the same place in every run" {
  local run
  redis_start
  loadgen 1 --phases populate --keys hotspot:10:100 127.0.0.1 "$REDIS_PORT" 10 100
  monitor
  for run in 1 2; do
    loadgen 2 --instances 1 --no-flush --phases get --keys hotspot:10:100 --shift 0.5:30 --rate 400 --time 1 127.0.0.1 "$REDIS_PORT" 10 100
    assert_success
    assert_equal "$(result get ops) $(result get misses) $(result get shift) $(result get scramble)" '400 0 0.5:30 0'
  done
  # Two threads' requests come in any order at the moment of the shift, but there are as many of each.
  assert_equal "$(monitored GET 800 | awk '{ n[int(NR > 400), int($1 / 10) * 10]++ } END { print n[0, 0], n[0, 30], n[1, 0], n[1, 30] }')" '200 200 200 200'
}

@test "scrambled: the popular keys are no neighbours, and the same ones for every thread, phase and run" {
  redis_start
  loadgen 1 --phases populate --keys sequential 127.0.0.1 "$REDIS_PORT" 10 10000
  monitor
  loadgen 2 --instances 1 --no-flush --phases get,get --keys hotspot:0.1:100 --scramble --requests 1000 127.0.0.1 "$REDIS_PORT" 10 10000
  assert_success
  monitored GET 2000 | sort -n | uniq -c >hot
  assert_equal "$(wc -l <hot)" 10
  awk 'NR > 1 && $2 - last < 10 { near++ } { last = $2 } END { exit near > 1 }' hot || fail "side by side: $(<hot)"
}

@test "latest: SETs add keys at the end, by every thread its own, and none is read before it is there" {
  redis_start
  loadgen 3 --instances 1 -c 7 -P 5 --phases populate,mixed,mixed --ratio 1:4 --keys latest --requests 30000 127.0.0.1 "$REDIS_PORT" 100 1000
  assert_success
  assert_equal "$(awk -F '\t' 'NR == 1 { for (i = 1; i <= NF; i++) c[$i] = i; next } { ops += $c["ops"]; misses += $c["misses"]; bad += $c["mismatches"]; sets += $c["sets"] }
    END { print ops, misses, bad, sets }' out/result.tsv)" "61000 0 0 $(calls set)"
  assert_equal "$(redis-cli -p "$REDIS_PORT" dbsize)" $(($(calls set) + 1)) # with our marker: no key was set twice
  monitor
  loadgen 1 --no-flush --phases get --keys latest:2 --requests 1000 127.0.0.1 "$REDIS_PORT" 100 1000
  assert_success
  # Of zipf with the exponent 2, 6/pi^2 take the first: here the last key.
  assert_equal "$(monitored GET 1000 | awk '$1 == 999 { n++ } END { print (n > 540 && n < 680) }')" 1
  loadgen 1 --phases set --keys latest 127.0.0.1 "$REDIS_PORT" 100 10
  assert_failure 2
  assert_contains 'begin --phases with populate' "$stderr"
}

@test "an open loop of latest reads no key before it is there either" {
  redis_start
  loadgen 2 --instances 1 -c 4 -P 3 --phases populate,mixed --ratio 1:1 --keys latest --rate 20000 --time 1 127.0.0.1 "$REDIS_PORT" 100 100
  assert_success
  assert_equal "$(result mixed ops) $(result mixed misses) $(redis-cli -p "$REDIS_PORT" dbsize)" "20000 0 $(($(calls set) + 1))"
}

@test "a range of keys for what is measured leaves populate all keys" {
  redis_start
  loadgen 2 --instances 1 --phases populate,get --keys uniform --key-min 100 --key-max 199 --requests 3000 127.0.0.1 "$REDIS_PORT" 10 1000
  assert_success
  assert_equal "$(redis-cli -p "$REDIS_PORT" dbsize) $(result populate ops) $(result get misses)" '1001 1000 0'
  assert_equal "$(result populate keys) $(result populate key_max) $(result get keys) $(result get key_min) $(result get key_max)" '1000 999 100 100 199'
  monitor
  loadgen 1 --no-flush --phases get --keys sequential --key-min 100 --key-max 199 127.0.0.1 "$REDIS_PORT" 10
  assert_equal "$(monitored GET 100)" "$(seq 100 199)"
}
