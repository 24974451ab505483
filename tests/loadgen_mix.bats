#!/usr/bin/env bats
# SPDX-License-Identifier: MIT
# Mixes of commands, as a real server sees them: the commands, how often each, the replies, and what is refused.

load helper
load loadgen

# Print a column of the mixed phase's commands, one a command: NAME VALUE. Usage: kinds COLUMN
kinds() { cells "command $1" out/mixed.commands.tsv; }

# Print one of them. Usage: kind COMMAND COLUMN
kind() { cells -w command="$1" "$2" out/mixed.commands.tsv; }

# The server must have been asked each command as often as it was answered; of GET and SET also what rmw sends, and of HSET, ZADD, INCR and
# XADD what populate sent, FILLED keys each. Usage: same_counts FILLED
same_counts() {
  local command asked=0 sets got
  for command in incr hset hget hgetall lpush lpop lrange zadd zrange xadd mget mset del getrange; do
    got=$(kinds ops | sed -n "s/^$command\(-[0-9]*\)\{0,1\} //p")
    [[ -n $got ]] || continue
    case $command in incr | hset | zadd | xadd) got=$((got + $1)) ;; esac
    [[ $command != hset ]] || got=$((got + 2)) # our marker, at the start and at the end
    assert_equal "$command $(calls "$command")" "$command $got"
    asked=$((asked + 1))
  done
  ((asked > 0)) || fail 'no command was looked at'
  assert_equal "get $(calls get)" "get $(($(kind get ops) + $(kind rmw ops)))"
  sets=$(kind set ops)
  assert_equal "set $(calls set)" "set $((sets + $(kind rmw ops) + $1))"
}

EVERY='get:10,set:5,mget-7:3,mset-3:2,rmw:4,incr,hset-5,hget-5:2,hgetall-5:2,lpush:2,lrange-20,zadd-6,zrange-6,xadd-5'

@test "every command, in a closed loop: the server counts what was answered, and each value is the one that was set" {
  redis_start
  succeeds loadgen 3 --instances 1 -c 3 -P 4 --phases populate,mixed --keys uniform --requests 30000 --data random --sizes 10-300 \
    --commands "$EVERY" --command 'GETRANGE __key__ 0 4' --command-ratio 2 127.0.0.1 "$REDIS_PORT" 100 500
  assert_equal "$(result mixed 'ops misses mismatches errors')" '30000 0 0 0'
  same_counts 500
  assert_equal "$(result mixed commands)" "get:10,set:5,mget-7:3,mset-3:2,rmw:4,incr:1,hset-5:1,hget-5:2,hgetall-5:2,lpush:2,lrange-20:1,zadd-6:1,zrange-6:1,xadd-5:1,getrange:2"
  assert_equal "$(result mixed ratio) $(result populate 'commands ops')" '- - 3000'
  assert_equal "$(kinds ops | awk '{ n += $2 } END { print n }')" 30000
  assert_equal "$(redis-cli -p "$REDIS_PORT" hlen h:7) $(redis-cli -p "$REDIS_PORT" zcard z:7) $(redis-cli -p "$REDIS_PORT" dbsize)" '5 6 3001'
  (($(redis-cli -p "$REDIS_PORT" llen l:7) >= 20)) || fail 'a list is short'
  (($(redis-cli -p "$REDIS_PORT" xlen x:7) <= 5)) || fail 'a stream is long'
}

@test "every command, in an open loop with deep pipelines: the same, and a request is one whether it sends one command or two" {
  redis_start
  succeeds loadgen 2 --instances 1 -c 2 -P 16 --phases populate,mixed --keys zipf --scramble --rate 10000 --time 2 --data compressible:3 \
    --commands "$EVERY" 127.0.0.1 "$REDIS_PORT" 200 300
  assert_equal "$(result mixed 'ops misses mismatches errors')" '20000 0 0 0'
  same_counts 300
}

@test "commands come as often as their weights say" {
  redis_start
  succeeds loadgen 2 --instances 1 -P 8 --phases mixed --keys uniform --requests 60000 --commands 'get:50,set:25,del:15,mget-2:7,rmw:3' 127.0.0.1 "$REDIS_PORT" 10 1000
  # Chi-square with 4 degrees of freedom: above 33.4 with a probability of 1e-6, and the seed is fixed.
  kinds ops >got
  kinds weight | join got - | awk '{ wanted = 60000 * $3 / 100; sum += ($2 - wanted) ^ 2 / wanted; n++ } END { print "chi-square", sum; exit !(n == 5 && sum < 33.4) }'
}

@test "latency by command: the histograms hold as many requests as were answered, and a slow command does not look like a fast one" {
  redis_start
  succeeds loadgen 1 --phases populate,mixed --keys uniform --requests 3000 --commands 'get:2,lrange-256:1' 127.0.0.1 "$REDIS_PORT" 1000 20
  awk -F '\t' 'NR > 1 { n = split($13, slot, " "); sum = 0; for (i = 1; i <= n; i++) { split(slot[i], v, ":"); sum += v[2] } if (sum != $3 + $4) exit 1 }' out/mixed.commands.tsv ||
    fail "$(<out/mixed.commands.tsv)"
  assert_equal "$(result mixed command_latency | tr , '\n' | cut -d : -f 1,2)" "get:$(kind get ops)"$'\n'"lrange-256:$(kind lrange-256 ops)"
  grep 'Total count' out/mixed.get.hgrm | grep -w "$(kind get ops)" >/dev/null || fail "$(tail -3 out/mixed.get.hgrm)"
  [[ -s out/mixed.lrange-256.hgrm ]] || fail 'a histogram is missing'
  assert_equal "$(kind lrange-256 bytes)" $(($(kind lrange-256 ops) * 256000))
}

@test "latency by command has the requests without an answer that the percentiles of the phase have" {
  redis_start
  succeeds loadgen 1 --phases populate 127.0.0.1 "$REDIS_PORT" 10 100
  for commands in get:1 get:3,set:1; do
    loadgen_gate 1 --no-flush --phases mixed --commands "$commands" --keys uniform --rate 300 --time 1.5 --timeout 0.5 \
      127.0.0.1 "$REDIS_PORT" 10 100
    wait_until 20 test -e gate/ready-mixed
    kill -STOP "$REDIS_PID"
    order mixed 0
    job_wait 30
    kill -CONT "$REDIS_PID"
    assert_equal "$status" 1
    (($(result mixed timeouts) > 0 && $(result mixed unsent) > 0)) || fail "timeouts $(result mixed timeouts), unsent $(result mixed unsent)"
    assert_equal "$(kinds errors | awk '{ sum += $2 } END { print sum }')" "$(result mixed errors)"
    [[ $commands == *,* ]] || assert_equal "$(kind get p50_us) $(kind get p99_us)" "$(result mixed 'p50_us p99_us')"
  done
}

@test "bytes are those of values: not of fields, scores, members' numbers or an entry's ID" {
  redis_start
  for verify in --seed=1 --no-verify; do
    loadgen 1 "$verify" --phases populate,mixed --keys uniform --requests 2000 --commands hgetall-10:1,zrange-10:1,mget-10:1,hget-10:1,xadd-10:1 \
      127.0.0.1 "$REDIS_PORT" 10 20
    assert_success
    for command in hgetall-10 zrange-10 mget-10; do assert_equal "$command $(kind $command bytes)" "$command $((100 * $(kind $command ops)))"; done
    for command in hget-10 xadd-10; do assert_equal "$command $(kind $command bytes)" "$command $((10 * $(kind $command ops)))"; done
  done
}

@test "misses in late replies are in no count, of a command as of the phase" {
  redis_start
  loadgen_gate 1 --phases mixed --keys uniform --commands get:1 -P 8 --time 2 --interval 0.1 127.0.0.1 "$REDIS_PORT" 10 20
  wait_until 20 test -e gate/ready-mixed
  kill -STOP "$REDIS_PID"
  order mixed 0
  wait_elapsed mixed 2.5
  kill -CONT "$REDIS_PID"
  job_wait 30
  assert_equal "$(kind get late) $(kind get misses) $(result mixed misses)" '8 0 0'
}

@test "misses are of keys: those of MGET are what the server counts, and DEL makes them no failure" {
  redis_start
  succeeds loadgen 1 --phases mixed --keys uniform --requests 2000 --commands 'mget-4:3,get:1' 127.0.0.1 "$REDIS_PORT" 10 1000
  assert_equal "$(result mixed misses)" "$(redis-cli -p "$REDIS_PORT" info stats | tr -d '\r' | sed -n 's/^keyspace_misses://p')"
  succeeds loadgen 1 --phases populate,mixed --keys uniform --requests 2000 --commands del:1,get:1 127.0.0.1 "$REDIS_PORT" 10 100
  assert_equal "$(result mixed 'miss_reason errors')" 'removed 0'
  (($(result mixed misses) > 0)) || fail 'nothing was removed'
}

@test "new keys of latest are read, rewritten and multi-read only when they are there; sets of a mix expire" {
  redis_start
  succeeds loadgen 2 --instances 1 -c 3 -P 4 --phases populate,mixed --keys latest --requests 20000 --commands get:4,set:3,rmw:2,mget-3:1 127.0.0.1 "$REDIS_PORT" 50 300
  assert_equal "$(result mixed 'ops misses mismatches')" '20000 0 0'
  assert_equal "$(redis-cli -p "$REDIS_PORT" dbsize)" $((301 + $(kind set ops)))
  succeeds loadgen 1 --phases mixed --keys sequential --expire 1000 --commands rmw:1 127.0.0.1 "$REDIS_PORT" 50 5
  (($(redis-cli -p "$REDIS_PORT" ttl 3) > 900)) || fail 'a written key lives for ever'
}

@test "an error of a command counts for this one, and fails the run; one inside an array counts as an error reply" {
  redis_start
  fails 1 loadgen 1 --phases populate,mixed --keys uniform --requests 1000 --commands 'get:1,LLEN __key__:1' 127.0.0.1 "$REDIS_PORT" 10 10
  assert_contains 'WRONGTYPE' "$STDERR"
  assert_equal "$(kind get errors) $(kind llen errors)" "0 $(result mixed error_replies)"
  assert_equal "$(kind llen ops) $(($(kind get ops) + $(kind llen errors)))" '0 1000'
  delay_server nested --reply 'LOOK=*2\r\n:7\r\n*1\r\n-ERR inside\r\n'
  fails 1 loadgen 1 --no-flush --phases mixed --keys uniform --requests 100 --commands 'LOOK __key__' 127.0.0.1 "$DELAY_PORT" 10 10
  assert_equal "$(result mixed 'error_replies ops') $(kind look errors)" '100 0 100'
  assert_contains 'first error: an error inside an array' "$STDERR"
}

@test "a mix without strings: the phase get reads keys that no phase has set, and hashes that are gone are a failure" {
  redis_start
  loadgen_gate 1 --phases populate,get,mixed --keys uniform --requests 200 --commands hget-2:1 127.0.0.1 "$REDIS_PORT" 100 100
  order populate 0
  order get 0
  order mixed 0
  succeeds job_wait 30
  assert_equal "$(result get 'misses miss_reason') $(result mixed misses)" '200 unset 0'
  refute_contains 'had been set' "$STDERR"
  loadgen_gate 1 --phases populate,mixed --keys uniform --requests 200 --commands hget-2:1 127.0.0.1 "$REDIS_PORT" 100 100
  order populate 0
  wait_until 20 test -e gate/ready-mixed
  seq -f 'del h:%.0f' 0 99 | redis-cli -p "$REDIS_PORT" >/dev/null
  order mixed 0
  fails 1 job_wait 30
  assert_equal "$(result mixed 'misses miss_reason')" '200 gone'
}
