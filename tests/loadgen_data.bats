#!/usr/bin/env bats
# SPDX-License-Identifier: MIT
# The load generator does not touch foreign data, asks for the expected keys, and never hangs.

load helper
load loadgen

@test "data of others in any database of any instance: nothing is flushed anywhere, unless --force says so; --no-flush never flushes" {
  instances 2
  succeeds loadgen 2 --phases set 127.0.0.1 "$FIRST" 10 10
  redis-cli -p $((FIRST + 1)) -n 13 set theirs 1
  redis-cli -p $((FIRST + 1)) -n 15 set theirs 1
  refuses 1 "127.0.0.1:$((FIRST + 1)): databases other than 0 hold 2 keys (the first is database 13)" loadgen 2 --phases set 127.0.0.1 "$FIRST" 10 20
  assert_equal "$(redis-cli -p $((FIRST + 1)) -n 13 get theirs) $(redis-cli -p "$FIRST" dbsize)" "1 11"
  succeeds loadgen 2 --no-flush --phases set 127.0.0.1 "$FIRST" 10 20
  assert_equal "$(redis-cli -p $((FIRST + 1)) -n 13 get theirs)" 1
  succeeds loadgen 2 --force --phases set 127.0.0.1 "$FIRST" 10 20
  assert_equal "$(redis-cli -p $((FIRST + 1)) -n 13 get theirs)" ''
}

@test "an instance that does not tell clearly what it holds is not flushed, and the reason is never empty" {
  for reply in 'DBSIZE=:-5\r\n' 'DBSIZE=+OK\r\n' 'DBSIZE=-\r\n' 'INFO=$2\r\nno\r\n' 'INFO=-NOPERM\r\n' 'INFO=$23\r\n# Keyspace\r\ndb0:keys=\r\n' 'EXISTS=+OK\r\n'; do
    local options=(--reply "$reply")
    [[ $reply != EXISTS* ]] || options+=(--reply 'DBSIZE=:1\r\n')
    rm -f server.port
    delay_server server "${options[@]}"
    fails 1 loadgen 1 127.0.0.1 "$DELAY_PORT" 10 10
    assert_match "^test: 127\.0\.0\.1:$DELAY_PORT: (DBSIZE|INFO|INFO keyspace|EXISTS): [a-zA-Z]" "$STDERR"
    assert_equal "$(<server.log)" ''
    kill "$DELAY_PID"
  done
}

@test "fewer keys than threads on an instance: only those keys, however long it runs, in every order" {
  redis_start
  for keys in sequential shuffle; do
    succeeds loadgen 5 --instances 1 --phases set,get --keys "$keys" --requests 2000 -P 4 127.0.0.1 "$REDIS_PORT" 10 3
    assert_equal "$keys $(result set ops) $(result get misses) $(redis-cli -p "$REDIS_PORT" dbsize)" "$keys 2000 0 4"
  done
}

@test "a warm-up without a due request sends one; a schedule of more than a hundred years goes on until Ctrl-C" {
  redis_start
  loadgen 1 --phases get --rate 2 --time 1 --warmup 0.1 127.0.0.1 "$REDIS_PORT" 10 10
  assert_equal "$(result get ops) $(calls get)" "2 3"
  loadgen_start 1 --rate 0.01 --timeout 0.2 --interval 0.1 --phases set 127.0.0.1 "$REDIS_PORT"
  wait_elapsed set 1
  kill -INT "$JOB_PID"
  job_wait 10
  assert_equal "$status $(result set 'ops unsent')" '130 1 0'
}

@test "Ctrl-C just before the start that a gate named: no row of the series is after it" {
  redis_start
  loadgen_gate 1 --phases set --time 60 127.0.0.1 "$REDIS_PORT" 10 10
  start=$((${EPOCHREALTIME/[.,]/} + 500000))
  order set "${start::-6}.${start: -6}"
  wait_until 20 test -e out/status # a tenth of a second before the start
  kill -INT "$JOB_PID"
  fails 130 job_wait 10
  awk 'NR > 1 && $1 > 60 { exit 1 }' out/set.series.tsv || fail "$(<out/set.series.tsv)"
}

@test "Ctrl-C ends it at once while FLUSHALL runs, while a connection is made, and before the start that a gate named" {
  delay_server flush --silent FLUSHALL
  loadgen_start 2 --instances 1 127.0.0.1 "$DELAY_PORT" 10 10
  wait_until 20 grep -q 'silent FLUSHALL' flush.log
  kill -INT "$JOB_PID"
  fails 130 job_wait 10
  delay_server ping --silent PING
  loadgen_start 2 --instances 1 --connect-timeout 600 127.0.0.1 "$DELAY_PORT" 10 10
  wait_until 20 grep -q 'silent PING' ping.log
  kill -TERM "$JOB_PID"
  fails 143 job_wait 10
  redis_start
  loadgen_gate 2 --instances 1 127.0.0.1 "$REDIS_PORT" 10 10
  wait_until 20 test -e gate/ready-set
  echo 0 >gate/start-set
  wait_until 20 test -e gate/ready-get
  echo $(($(date +%s) + 600)) >gate/start-get
  sleep 0.5 # nothing outside shows that it has read the file
  kill -INT "$JOB_PID"
  job_wait 10
  assert_equal "$status $(calls get)" '130 '
}
