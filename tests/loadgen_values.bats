#!/usr/bin/env bats
# SPDX-License-Identifier: MIT
# Sizes of values and their time to live, as a real server sees them.
# shellcheck disable=SC2154 # stderr is set by run_split

load helper
load loadgen

@test "sizes by a distribution: what is set is what is read, and their mean is the one in the row" {
  local sizes data
  redis_start
  for sizes in etc lognormal:300:300 pareto:50:2; do
    for data in pattern random compressible:2; do
      loadgen 2 --instances 1 -c 3 -P 8 --sizes "$sizes" --data "$data" 127.0.0.1 "$REDIS_PORT" 1 20000
      assert_success
      assert_equal "$(result get errors) $(result get misses) $(result get bytes)" "0 0 $(result set bytes)"
    done
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
    loadgen 1 --phases get --no-flush "${words[@]:0:2}" 127.0.0.1 "$REDIS_PORT" "${words[2]}" 50
    assert_success
  done
  loadgen 1 --phases populate,get --keys uniform --expire 3 --rate 1000 --time 6 127.0.0.1 "$REDIS_PORT" 100 200
  assert_success
  assert_equal "$(result get miss_reason) $(result get expired)" 'expired 200'
  # Of 6 s, the keys were there for three at most.
  (($(result get misses) >= 2500 && $(result get misses) <= 6000)) || fail "misses: $(result get misses)"
  assert_equal "$(result get misses)" "$(redis-cli -p "$REDIS_PORT" info stats | sed -n 's/^keyspace_misses:\([0-9]*\).*/\1/p')"
}
