#!/usr/bin/env bats
# SPDX-License-Identifier: MIT
# Sizes of values and their time to live, as a real server sees them.
# shellcheck disable=SC2154 # stderr is set by run_split

load helper
load loadgen

@test "sizes by a distribution: what is set is what is read, and their mean is the one in the row" {
  local sizes data
  redis_start
  for sizes in etc:pattern lognormal:300:300:random pareto:50:2:compressible; do
    data=${sizes##*:} sizes=${sizes%:*}
    [[ $data != compressible ]] || data+=:2
    loadgen 2 --instances 1 -c 3 -P 8 --sizes "$sizes" --data "$data" 127.0.0.1 "$REDIS_PORT" 1 20000
    assert_success
    assert_equal "$(result get errors) $(result get misses) $(result get bytes)" "0 0 $(result set bytes)"
    awk -v bytes="$(result set bytes)" -v len="$(result set len)" 'BEGIN { off = bytes / 20000 / len; exit !(off > 0.9 && off < 1.1) }' ||
      fail "$sizes: $(result set bytes) bytes, mean $(result set len)"
  done
  redis-cli -p "$REDIS_PORT" append 17 more >/dev/null
  loadgen 1 --no-flush --sizes pareto:50:2 --data compressible:2 --phases get 127.0.0.1 "$REDIS_PORT" 1 20000
  assert_failure 1
  assert_equal "$(result get mismatches)" 1
}

@test "keys live as long as is asked, each in its own time; those that expired are misses, counted by the server, and no failure" {
  local words ttl
  redis_start
  for words in '--data pattern 100' '--data random 100' '--data pattern 20000' '--data random 300000'; do
    read -r -a words <<<"$words"
    loadgen 1 --phases set --expire 100-900 "${words[@]:0:2}" 127.0.0.1 "$REDIS_PORT" "${words[2]}" 50
    assert_success
    for key in 0 7 49; do
      ttl=$(redis-cli -p "$REDIS_PORT" ttl $key)
      ((ttl >= 90 && ttl <= 900)) || fail "${words[*]}: key $key lives for $ttl s"
    done
    assert_equal "$(redis-cli -p "$REDIS_PORT" strlen 49)" "${words[2]}"
    [[ $(redis-cli -p "$REDIS_PORT" ttl 7) != "$(redis-cli -p "$REDIS_PORT" ttl 49)" ]] || fail 'all keys live as long'
    # A GET has no time to live, also if the SETs of its run have.
    loadgen 1 --phases get --no-flush --expire 100-900 "${words[@]:0:2}" 127.0.0.1 "$REDIS_PORT" "${words[2]}" 50
    assert_success
    assert_equal "$(calls get) $(redis-cli -p "$REDIS_PORT" info stats | sed -n 's/^total_error_replies:\([0-9]*\).*/\1/p')" '50 0'
    redis-cli -p "$REDIS_PORT" config resetstat >/dev/null
  done
  loadgen 1 --phases populate,get --keys uniform --expire 3 --rate 1000 --time 6 127.0.0.1 "$REDIS_PORT" 100 200
  assert_success
  assert_equal "$(result get miss_reason) $(result get expired)" 'expired 200'
  # Of 6 s, the keys were there for three at most.
  (($(result get misses) >= 2500 && $(result get misses) <= 6000)) || fail "misses: $(result get misses)"
  assert_equal "$(result get misses)" "$(redis-cli -p "$REDIS_PORT" info stats | sed -n 's/^keyspace_misses:\([0-9]*\).*/\1/p')"
}

# Print the distinct sizes of the keys 0..COUNT-1, ascending.
# Usage: lengths COUNT
lengths() { seq 0 $(($1 - 1)) | sed 's/^/strlen /' | redis-cli -p "$REDIS_PORT" | sort -nu; }

@test "a phase has sizes of its own: SETs over the same keys change their sizes, and what is read is checked" {
  local data before after
  for data in pattern random compressible:2; do
    redis_start
    loadgen 2 --instances 1 -c 3 -P 8 --phases populate --sizes 'populate=100 mixed=50-400' --data "$data" 127.0.0.1 "$REDIS_PORT" 1 5000
    assert_success
    assert_equal "$(lengths 5000) $(result populate len) $(result populate sizes) $(result populate bytes)" '100 100 100 500000'
    before=$(redis-cli -p "$REDIS_PORT" strlen 17)
    loadgen 2 --instances 1 -c 3 -P 8 --no-flush --phases mixed,get --ratio 1:1 --keys uniform --requests 60000 --sizes populate=100 --sizes mixed=50-400 \
      --data "$data" 127.0.0.1 "$REDIS_PORT" 1 5000
    assert_success
    assert_equal "$(result mixed errors) $(result mixed misses) $(result get errors) $(result get misses)" '0 0 0 0'
    assert_equal "$(result mixed len) $(result mixed sizes) $(result get sizes)" '225 50-400 populate=100 mixed=50-400'
    # 5,000 keys with 30,000 SETs: nearly all sizes of the range are there, and no other.
    after=$(lengths 5000)
    (($(wc -l <<<"$after") > 340 && $(head -n 1 <<<"$after") >= 50 && $(tail -n 1 <<<"$after") <= 400)) || fail "$data: sizes ${after//$'\n'/ }"
    # Each SET draws a size: a key that is set again and again does not keep one.
    loadgen 1 -P 1 --no-flush --phases mixed --ratio 1:0 --requests 40 --seed 7 --sizes mixed=50-400 --data "$data" 127.0.0.1 "$REDIS_PORT" 1 1
    assert_success
    awk -v bytes="$(result mixed bytes)" -v last="$(redis-cli -p "$REDIS_PORT" strlen 0)" 'BEGIN { exit bytes == 40 * last || bytes < 40 * 150 || bytes > 40 * 300 }' ||
      fail "$(result mixed bytes) bytes in 40 SETs"
    # A part of a value has a size of the range, and is found nevertheless.
    loadgen 1 --no-flush --phases set --sizes 'set=300 mixed=50-400' --data "$data" 127.0.0.1 "$REDIS_PORT" 1 40
    redis-cli -p "$REDIS_PORT" eval "redis.call('set', KEYS[1], redis.call('getrange', KEYS[1], 0, 199))" 1 17 >/dev/null
    loadgen 1 --no-flush --phases get --sizes 'set=300 mixed=50-400' --data "$data" 127.0.0.1 "$REDIS_PORT" 1 40
    assert_failure 1
    assert_equal "$(result get mismatches)" 1
    process_end "$REDIS_PID" "$(process_start "$REDIS_PID")"
  done
}

@test "a mix of commands has the sizes of its phase too" {
  redis_start
  loadgen 1 -c 2 -P 4 --phases populate,mixed --commands get:30,set:20,rmw:10,mget-4:5,mset-4:5,hset-6:10,hgetall-6:10,lrange-4:5,lpush:5 --keys uniform \
    --requests 20000 --sizes 'populate=20-60 mixed=100-500' --data random 127.0.0.1 "$REDIS_PORT" 1 300
  assert_success
  assert_equal "$(result mixed errors) $(result mixed sizes)" '0 100-500'
  (($(lengths 300 | tail -n 1) > 400)) || fail "no SET of the mix had its size"
}
