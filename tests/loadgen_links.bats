#!/usr/bin/env bats
# SPDX-License-Identifier: MIT
# The load generator's connections: addresses, servers that are slow or silent or answer unexpectedly, and links closed while idle.

load helper
load loadgen

@test "every address of a host is tried; an IPv6 address may have brackets" {
  redis_start
  # If localhost has ::1 too, and first, no process listens there.
  succeeds loadgen 1 localhost "$REDIS_PORT" 10 10
  python3 -c 'import socket; socket.create_server(("::1", 0), family=socket.AF_INET6)' 2>/dev/null || skip 'no IPv6 on this machine'
  redis_start --bind 127.0.0.1 ::1
  succeeds loadgen 1 '[::1]' "$REDIS_PORT" 10 10
  assert_equal "$(result get host)" '[::1]'
}

@test "a server that reads slowly is not one that does not answer: writing is progress" {
  delay_server slow --rate 2000000
  succeeds loadgen 1 --no-flush --phases set --timeout 1.2 127.0.0.1 "$DELAY_PORT" 1500000 1
  assert_equal "$(result set 'ops timeouts')" '1 0'
}

@test "a connection that the server closed while it was idle is opened again, and nothing is lost" {
  redis_start
  loadgen_gate 2 --instances 1 -c 3 --phases set,get,mixed 127.0.0.1 "$REDIS_PORT" 10 100
  for phase in set get mixed; do
    wait_until 20 test -e "gate/ready-$phase"
    redis-cli -p "$REDIS_PORT" client kill type normal skipme yes >/dev/null
    echo 0 >"gate/start-$phase.new" && mv "gate/start-$phase.new" "gate/start-$phase"
  done
  job_wait 20
  assert_equal "$status $(loadgen_said)" '0 '
  assert_equal "$(result get 'lost outages ops')" '0 0 100'
}

@test "the time in which closed connections are opened again belongs to no phase: neither to latency nor to throughput" {
  redis_start
  for rate in '' '--rate 100'; do
    rm -rf out
    # shellcheck disable=SC2086 # two words or none
    loadgen_gate 1 -c 1 --phases populate,get --keys uniform --time 1 $rate 127.0.0.1 "$REDIS_PORT" 10 100
    order populate 0
    wait_until 20 test -e gate/ready-get
    redis-cli -p "$REDIS_PORT" client kill type normal skipme yes >/dev/null
    # It takes the connection, and answers PING four seconds later.
    kill -STOP "$REDIS_PID"
    order get 0
    sleep 4
    kill -CONT "$REDIS_PID"
    job_wait 20
    assert_equal "$status $(result get lost)" '0 0'
    (($(result get ops) > 0 && $(us get max_us) < 3000000)) ||
      fail "$rate: $(result get ops) requests, the longest $(result get max_us) us"
  done
}

@test "text from a server is printed without control bytes; of one that sends nothing, the command without a reply is named" {
  delay_server rude --reply 'GET=-ERR \x1b[31mred\x07\x9b1m\r\n'
  refuses 1 'first error: ERR ?[31mred??1m' loadgen 1 --no-flush --phases get 127.0.0.1 "$DELAY_PORT" 10 1
  delay_server ruder --reply 'PING=-ERR \x1b[31mred\r\n'
  fails 1 loadgen 1 --no-flush --phases get 127.0.0.1 "$DELAY_PORT" 10 1
  assert_equal "$STDERR" "test: cannot use 127.0.0.1:$DELAY_PORT: ERR ?[31mred"
  delay_server silent --silent PING
  fails 1 loadgen 1 --connect-timeout 0.5 127.0.0.1 "$DELAY_PORT" 10 1
  assert_equal "$STDERR" "test: cannot use 127.0.0.1:$DELAY_PORT: no reply to PING in 0.5 s"
}

@test "a connection that was lost at the end of a phase is open at the start of the next one" {
  redis_start
  loadgen 1 --phases set 127.0.0.1 "$REDIS_PORT" 10 20
  loadgen_gate 1 --no-flush --phases get,get -c 1 --rate 0.25 --requests 2 --timeout 2 --interval 0.1 127.0.0.1 "$REDIS_PORT" 10 20
  order get 0
  wait_elapsed get 0.2
  # The second request, which is the last, has no answer in time.
  kill -STOP "$REDIS_PID"
  wait_until 20 test -e gate/ready-get-2
  kill -CONT "$REDIS_PID"
  order get-2 0
  job_wait 30
  assert_equal "$(result get timeouts) $(result get-2 'ops outages')" '1 2 0'
}
