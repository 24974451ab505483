#!/usr/bin/env bats
# SPDX-License-Identifier: MIT
# Which keys the load generator uses, as a real server sees it: hot sets, where they are and when they move, new keys, ranges; the sizes of their
# values, and their time to live.

load helper
load loadgen

# Print the keys of the first COUNT commands NAME, in their order, once all of them are in the log.
monitored() {
  wait_until 10 bash -c "(( \$(grep -c '\"$1\"' monitor.log) >= $2 ))"
  sed -n "s/.*\"$1\" \"\([0-9]*\)\".*/\1/p" monitor.log
}

@test "a hot set moves at the time of the schedule, to the same place in every run" {
  redis_start
  loadgen 1 --phases populate --keys hotspot:10:100 127.0.0.1 "$REDIS_PORT" 10 100
  monitor_start monitor.log
  for run in 1 2; do
    succeeds loadgen 2 --instances 1 --no-flush --phases get --keys hotspot:10:100 --shift 0.5:30 --rate 400 --time 1 127.0.0.1 "$REDIS_PORT" 10 100
    assert_equal "$(result get 'ops misses shift scramble')" '400 0 0.5:30 0'
  done
  # Two threads' requests come in any order at the moment of the shift, but there are as many of each.
  assert_equal "$(monitored GET 800 | awk '{ n[int(NR > 400), int($1 / 10) * 10]++ } END { print n[0, 0], n[0, 30], n[1, 0], n[1, 30] }')" '200 200 200 200'
}

@test "scrambled: the popular keys are no neighbours, and the same ones for every thread, phase and run" {
  redis_start
  loadgen 1 --phases populate --keys sequential 127.0.0.1 "$REDIS_PORT" 10 10000
  monitor_start monitor.log
  succeeds loadgen 2 --instances 1 --no-flush --phases get,get --keys hotspot:0.1:100 --scramble --requests 1000 127.0.0.1 "$REDIS_PORT" 10 10000
  monitored GET 2000 | sort -n | uniq -c >hot
  assert_equal "$(wc -l <hot)" 10
  awk 'NR > 1 && $2 - last < 10 { near++ } { last = $2 } END { exit near > 1 }' hot || fail "side by side: $(<hot)"
}

@test "latest: SETs add keys at the end, by every thread its own, and none is read before it is there, in an open loop either" {
  redis_start
  succeeds loadgen 3 --instances 1 -c 7 -P 5 --phases populate,mixed,mixed --ratio 1:4 --keys latest --requests 30000 127.0.0.1 "$REDIS_PORT" 100 1000
  assert_equal "$(awk -F '\t' 'NR == 1 { for (i = 1; i <= NF; i++) c[$i] = i; next } { ops += $c["ops"]; misses += $c["misses"]; bad += $c["mismatches"]; sets += $c["sets"] }
    END { print ops, misses, bad, sets }' out/result.tsv)" "61000 0 0 $(calls set)"
  assert_equal "$(redis-cli -p "$REDIS_PORT" dbsize)" $(($(calls set) + 1)) # with our marker: no key was set twice
  monitor_start monitor.log
  succeeds loadgen 1 --no-flush --phases get --keys latest:2 --requests 1000 127.0.0.1 "$REDIS_PORT" 100 1000
  # Of zipf with the exponent 2, 6/pi^2 take the first: here the last key.
  assert_equal "$(monitored GET 1000 | awk '$1 == 999 { n++ } END { print (n > 540 && n < 680) }')" 1
  refuses 2 'begin --phases with populate' loadgen 1 --phases set --keys latest 127.0.0.1 "$REDIS_PORT" 100 10
  redis_start
  succeeds loadgen 2 --instances 1 -c 4 -P 3 --phases populate,mixed --ratio 1:1 --keys latest --rate 20000 --time 1 127.0.0.1 "$REDIS_PORT" 100 100
  assert_equal "$(result mixed 'ops misses') $(redis-cli -p "$REDIS_PORT" dbsize)" "20000 0 $(($(calls set) + 1))"
}

@test "a range of keys for what is measured leaves populate all keys" {
  redis_start
  succeeds loadgen 2 --instances 1 --phases populate,get --keys uniform --key-min 100 --key-max 199 --requests 3000 127.0.0.1 "$REDIS_PORT" 10 1000
  assert_equal "$(redis-cli -p "$REDIS_PORT" dbsize) $(result populate ops) $(result get misses)" '1001 1000 0'
  assert_equal "$(result populate 'keys key_max') $(result get 'keys key_min key_max')" '1000 999 100 100 199'
  monitor_start monitor.log
  loadgen 1 --no-flush --phases get --keys sequential --key-min 100 --key-max 199 127.0.0.1 "$REDIS_PORT" 10
  assert_equal "$(monitored GET 100)" "$(seq 100 199)"
}

@test "sizes by a distribution: what is set is what is read, and their mean is the one in the row" {
  redis_start
  for sizes in etc:pattern lognormal:300:300:random pareto:50:2:compressible; do
    data=${sizes##*:} sizes=${sizes%:*}
    [[ $data != compressible ]] || data+=:2
    succeeds loadgen 2 --instances 1 -c 3 -P 8 --sizes "$sizes" --data "$data" 127.0.0.1 "$REDIS_PORT" 1 20000
    assert_equal "$(result get 'errors misses bytes')" "0 0 $(result set bytes)"
    awk -v bytes="$(result set bytes)" -v len="$(result set len)" 'BEGIN { off = bytes / 20000 / len; exit !(off > 0.9 && off < 1.1) }' ||
      fail "$sizes: $(result set bytes) bytes, mean $(result set len)"
  done
  redis-cli -p "$REDIS_PORT" append 17 more >/dev/null
  fails 1 loadgen 1 --no-flush --sizes pareto:50:2 --data compressible:2 --phases get 127.0.0.1 "$REDIS_PORT" 1 20000
  assert_equal "$(result get mismatches)" 1
}

@test "keys live as long as is asked, each in its own time; those that expired are misses, counted by the server, and no failure" {
  redis_start
  for words in '--data pattern 100' '--data random 100' '--data pattern 20000' '--data random 300000'; do
    read -r -a words <<<"$words"
    succeeds loadgen 1 --phases set --expire 100-900 "${words[@]:0:2}" 127.0.0.1 "$REDIS_PORT" "${words[2]}" 50
    for key in 0 7 49; do
      ttl=$(redis-cli -p "$REDIS_PORT" ttl $key)
      ((ttl >= 90 && ttl <= 900)) || fail "${words[*]}: key $key lives for $ttl s"
    done
    assert_equal "$(redis-cli -p "$REDIS_PORT" strlen 49)" "${words[2]}"
    [[ $(redis-cli -p "$REDIS_PORT" ttl 7) != "$(redis-cli -p "$REDIS_PORT" ttl 49)" ]] || fail 'all keys live as long'
    # A GET has no time to live, also if the SETs of its run have.
    succeeds loadgen 1 --phases get --no-flush --expire 100-900 "${words[@]:0:2}" 127.0.0.1 "$REDIS_PORT" "${words[2]}" 50
    assert_equal "$(calls get) $(redis-cli -p "$REDIS_PORT" info stats | sed -n 's/^total_error_replies:\([0-9]*\).*/\1/p')" '50 0'
    redis-cli -p "$REDIS_PORT" config resetstat >/dev/null
  done
  succeeds loadgen 1 --phases populate,get --keys uniform --expire 3 --rate 1000 --time 6 127.0.0.1 "$REDIS_PORT" 100 200
  assert_equal "$(result get 'miss_reason expired')" 'expired 200'
  # Of 6 s, the keys were there for three at most.
  (($(result get misses) >= 2500 && $(result get misses) <= 6000)) || fail "misses: $(result get misses)"
  assert_equal "$(result get misses)" "$(redis-cli -p "$REDIS_PORT" info stats | sed -n 's/^keyspace_misses:\([0-9]*\).*/\1/p')"
}

# Print the distinct sizes of the keys 0..COUNT-1, ascending.
# Usage: lengths COUNT
lengths() { seq 0 $(($1 - 1)) | sed 's/^/strlen /' | redis-cli -p "$REDIS_PORT" | sort -nu; }

@test "a phase has sizes of its own, and so has its mix of commands: SETs over the same keys change their sizes, and what is read is checked" {
  for data in pattern random compressible:2; do
    redis_start
    succeeds loadgen 2 --instances 1 -c 3 -P 8 --phases populate --sizes 'populate=100 mixed=50-400' --data "$data" 127.0.0.1 "$REDIS_PORT" 1 5000
    assert_equal "$(lengths 5000) $(result populate 'len sizes bytes')" '100 100 100 500000'
    before=$(redis-cli -p "$REDIS_PORT" strlen 17)
    loadgen 2 --instances 1 -c 3 -P 8 --no-flush --phases mixed,get --ratio 1:1 --keys uniform --requests 60000 --sizes populate=100 --sizes mixed=50-400 \
      --data "$data" 127.0.0.1 "$REDIS_PORT" 1 5000
    assert_success
    assert_equal "$(result mixed 'errors misses') $(result get 'errors misses')" '0 0 0 0'
    assert_equal "$(result mixed 'len sizes') $(result get sizes)" '225 50-400 populate=100 mixed=50-400'
    # 5,000 keys with 30,000 SETs: nearly all sizes of the range are there, and no other.
    after=$(lengths 5000)
    (($(wc -l <<<"$after") > 340 && $(head -n 1 <<<"$after") >= 50 && $(tail -n 1 <<<"$after") <= 400)) || fail "$data: sizes ${after//$'\n'/ }"
    # Each SET draws a size: a key that is set again and again does not keep one.
    succeeds loadgen 1 -P 1 --no-flush --phases mixed --ratio 1:0 --requests 40 --seed 7 --sizes mixed=50-400 --data "$data" 127.0.0.1 "$REDIS_PORT" 1 1
    awk -v bytes="$(result mixed bytes)" -v last="$(redis-cli -p "$REDIS_PORT" strlen 0)" 'BEGIN { exit bytes == 40 * last || bytes < 40 * 150 || bytes > 40 * 300 }' ||
      fail "$(result mixed bytes) bytes in 40 SETs"
    # A part of a value has a size of the range, and is found nevertheless.
    loadgen 1 --no-flush --phases set --sizes 'set=300 mixed=50-400' --data "$data" 127.0.0.1 "$REDIS_PORT" 1 40
    redis-cli -p "$REDIS_PORT" eval "redis.call('set', KEYS[1], redis.call('getrange', KEYS[1], 0, 199))" 1 17 >/dev/null
    fails 1 loadgen 1 --no-flush --phases get --sizes 'set=300 mixed=50-400' --data "$data" 127.0.0.1 "$REDIS_PORT" 1 40
    assert_equal "$(result get mismatches)" 1
    process_end "$REDIS_PID" "$(process_start "$REDIS_PID")"
  done
  redis_start
  loadgen 1 -c 2 -P 4 --phases populate,mixed --commands get:30,set:20,rmw:10,mget-4:5,mset-4:5,hset-6:10,hgetall-6:10,lrange-4:5,lpush:5 --keys uniform \
    --requests 20000 --sizes 'populate=20-60 mixed=100-500' --data random 127.0.0.1 "$REDIS_PORT" 1 300
  assert_success
  assert_equal "$(result mixed 'errors sizes')" '0 100-500'
  (($(lengths 300 | tail -n 1) > 400)) || fail "no SET of the mix had its size"
}
