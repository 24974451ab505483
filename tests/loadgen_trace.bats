#!/usr/bin/env bats
# SPDX-License-Identifier: MIT
# Replay of a recorded trace: the requests, on time and in the order of each key, against a model of a cache and a real server's counts.
# slow

load helper
load loadgen
load cluster

# Print a count of INFO.
# Usage: info_count NAME [PORT]
info_count() { redis-cli -p "${2:-$REDIS_PORT}" info stats | sed -n "s/^$1:\([0-9]*\).*/\1/p"; }

# Print the requests of a command of the trace, from replay.commands.tsv.
# Usage: kind COMMAND COLUMN
kind() { awk -F '\t' -v name="$1" -v column="$2" '$1 == name { print $column }' out/replay.commands.tsv; }

# Compare a replay with the model and with the server.
# Usage: agree TRACE FILL
agree() {
  local hits misses fills sets keys
  read -r hits misses fills sets keys < <(awk -F , -v fill="$2" -f "$REPO/tests/trace.awk" "$1")
  assert_equal "$(result replay 'errors misses') $(kind fill 3) $(result replay sets)" "0 $misses $fills $((sets + fills))"
  assert_equal "$(info_count keyspace_hits) $(info_count keyspace_misses)" "$hits $misses"
  # The marker is a key too.
  assert_equal "$(redis-cli -p "$REDIS_PORT" dbsize)" $((keys + 1))
  assert_equal "$(calls get) $(calls set) $(calls del) $(calls incr) $(calls decr)" \
    "$(kind get 3) $(($(kind set 3) + $(kind add 3) + $(kind replace 3) + $(kind fill 3))) $(kind delete 3) $(kind incr 3) $(kind decr 3)"
  assert_equal "$(result replay ops)" $(($(wc -l <"$1") + fills))
}

@test "hits, misses and fills of a trace are those of a model and of the server, however many threads and connections share it" {
  trace_make 12000 4000 900 >t.csv
  for words in '2 -c 3 --speed max --data random' '3 -c 2 --speed 20 -P 8' '1 -c 3 -P 1 --speed 10 --fill-misses --data random'; do
    redis_start
    fill=0
    [[ $words != *fill* ]] || fill=1
    # shellcheck disable=SC2086 # words on purpose
    succeeds loadgen ${words%% *} --instances 1 ${words#* } --trace t.csv 127.0.0.1 "$REDIS_PORT"
    agree t.csv "$fill"
    # The shares of the most popular keys are those that a count gives; counters are other keys.
    awk -F , '{ n[$2 FS (NF > 7 ? $3 : "") FS ($(NF - 1) ~ /^(incr|decr)$/)]++ } END { for (key in n) print n[key] }' t.csv | sort -rn |
      awk '{ sum += n[NR] = $1 } END { for (i = 1; i <= NR; i++) { c += n[i]; if (i == int(NR / 10 + 0.5)) a = c; if (i == int(NR / 2 + 0.5)) b = c } printf "%.0f %.0f\n", 100 * a / sum, 100 * b / sum }' >counted
    assert_equal "$(result replay top_10_percent | awk '{ printf "%.0f", $1 }') $(result replay top_50_percent | awk '{ printf "%.0f", $1 }')" "$(<counted)"
    process_end "$REDIS_PID" "$(process_start "$REDIS_PID")"
  done
}

# Print the sum of a count of INFO over the three masters of the cluster.
# Usage: masters_count NAME
masters_count() { for port in "$CLUSTER_PORT" $((CLUSTER_PORT + 1)) $((CLUSTER_PORT + 2)); do info_count "$1" "$port"; done | awk '{ sum += $1 } END { print sum }'; }

# Print the keys of the three masters of the cluster, without the markers.
masters_keys() { for port in "$CLUSTER_PORT" $((CLUSTER_PORT + 1)) $((CLUSTER_PORT + 2)); do redis-cli -p "$port" --scan; done | grep -vc redis-tier-benchmark; }

@test "on a cluster a key goes to the shard of its slot: hits, misses and fills are those of a model and of all masters" {
  trace_make 12000 4000 900 >made.csv
  # Some keys have a hash tag, and only its part selects the slot.
  sed 's/,ns:a,b:/,{ns:a,b}:/' made.csv >t.csv
  grep -q '{ns:a,b}' t.csv || fail 'no key has a tag'
  for words in '2 -c 3 -P 1 --speed 10 --fill-misses --data random' '6 -c 3 --speed max -P 8'; do
    tagged=''
    cluster_start 3 0
    # shellcheck disable=SC2086 # words on purpose
    succeeds loadgen ${words%% *} --cluster ${words#* } --trace t.csv 127.0.0.1 $((CLUSTER_PORT + 1))
    read -r hits misses fills sets keys < <(awk -F , -v fill="$([[ $words != *fill* ]] || echo 1)" -f "$REPO/tests/trace.awk" t.csv)
    ((hits > 500 && misses > 500)) || fail "the trace has $hits hits and $misses misses"
    assert_equal "$(result replay 'errors moved misses') $(kind fill 3) $(result replay sets)" "0 0 $misses $fills $((sets + fills))"
    assert_equal "$(masters_count keyspace_hits) $(masters_count keyspace_misses) $(masters_keys)" "$hits $misses $keys"
    assert_equal "$(cluster_calls get "$CLUSTER_PORT" $((CLUSTER_PORT + 1)) $((CLUSTER_PORT + 2)))" "$(kind get 3)"
    assert_equal "$(result replay ops) $(column_sum out/replay.shards.tsv ops)" "$((12000 + fills)) $((12000 + fills))"
    # Every shard has its part, and keys with one tag are on one of them.
    for port in "$CLUSTER_PORT" $((CLUSTER_PORT + 1)) $((CLUSTER_PORT + 2)); do
      (($(redis-cli -p "$port" dbsize) > keys / 6)) || fail "port $port has $(redis-cli -p "$port" dbsize) of $keys keys"
      if [[ $(redis-cli -p "$port" --scan --pattern '{ns:a,b}*') ]]; then tagged+=" $port"; fi
    done
    assert_match '^ [0-9]+$' "$tagged"
    for index in 0 1 2; do process_end "${CLUSTER_PIDS[index]}" "$(process_start "${CLUSTER_PIDS[index]}")"; done
    rm -r "$SCRATCH/cluster"
  done
}

@test "several clients of a cluster replay the parts of their shards" {
  ops=0
  trace_make 12000 4000 900 >t.csv
  cluster_start 3 0
  for part in 0-0 1-2; do
    succeeds loadgen 2 --cluster --shards "$part" -c 2 --speed max --fill-misses --trace t.csv 127.0.0.1 "$CLUSTER_PORT"
    ops=$((ops + $(result replay ops)))
  done
  read -r hits misses fills sets keys < <(awk -F , -v fill=1 -f "$REPO/tests/trace.awk" t.csv)
  assert_equal "$ops $(masters_count keyspace_hits) $(masters_count keyspace_misses) $(masters_keys)" "$((12000 + fills)) $hits $misses $keys"
}

@test "keys and values have the lengths and times to live of the trace, and are compared to the last byte" {
  key=ns:u:1
  redis_start
  cat >t.csv <<'END'
timestamp,key,key_size,value_size,client,op,TTL
10,ns:u:1,6,300,1,set,0
10,ns:u:2,20,0,1,set,100
11,a,b:3,5,2000000,1,add,50
11,ns:u:1,6,300,1,get,0
12,ns:u:2,20,0,1,get,0
12,a,b:3,5,2000000,1,gets,0
END
  succeeds loadgen 1 --data random --trace t.csv --speed 4 127.0.0.1 "$REDIS_PORT"
  assert_equal "$(result replay 'ops misses bytes')" "6 0 $((2 * 2000300))"
  assert_equal "$(redis-cli -p "$REDIS_PORT" strlen "$key") $(redis-cli -p "$REDIS_PORT" strlen a,b:3)" '300 2000000'
  assert_equal "$(redis-cli -p "$REDIS_PORT" exists ns:u:2______________)" 1
  # At four times the speed, keys live a quarter of the time.
  ttl=$(redis-cli -p "$REDIS_PORT" ttl ns:u:2______________)
  ((ttl > 0 && ttl <= 25)) || fail "ns:u:2 lives for $ttl s"
  assert_equal "$(redis-cli -p "$REDIS_PORT" ttl "$key")" -1
  grep get t.csv >reads.csv
  # A single character might be there already.
  redis-cli -p "$REDIS_PORT" setrange "$key" 293 changed >/dev/null
  fails 1 loadgen 1 --no-flush --data random --trace reads.csv --speed max 127.0.0.1 "$REDIS_PORT"
  assert_equal "$(result replay mismatches)" 1
  redis-cli -p "$REDIS_PORT" set "$key" "$(redis-cli -p "$REDIS_PORT" --raw getrange "$key" 0 100 | tr -d '\0')" >/dev/null
  fails 1 loadgen 1 --no-flush --data random --trace reads.csv --speed max 127.0.0.1 "$REDIS_PORT"
  assert_equal "$(result replay mismatches)" 1
}

@test "what has expired by the server's count is a miss, and all else a hit" {
  redis_start
  awk 'BEGIN { for (i = 0; i < 300; i++) printf "0,k:%d,0,50,1,set,%d\n", i, i % 3 ? 9000 : 1 }' >sets.csv
  sed 's/set,.*/get,0/' sets.csv >gets.csv
  succeeds loadgen 2 --instances 1 --trace sets.csv 127.0.0.1 "$REDIS_PORT"
  wait_until 20 bash -c "redis-cli -p $REDIS_PORT info stats | grep '^expired_keys:100'"
  redis-cli -p "$REDIS_PORT" config resetstat >/dev/null
  succeeds loadgen 2 --instances 1 --no-flush --trace gets.csv --speed max 127.0.0.1 "$REDIS_PORT"
  # Of the hits, those of EXISTS are of the question whose keys these are.
  assert_equal "$(result replay misses) $(info_count keyspace_misses) $(($(info_count keyspace_hits) - $(calls exists)))" '100 100 200'
}

@test "latency counts from the trace's own times, whatever the server does" {
  awk 'BEGIN { for (i = 0; i < 800; i++) printf "%.3f,k%d,2,10,1,get,0\n", 500 + i * 0.005, i }' >t.csv
  delay_server stalls --stall 2:0.5
  succeeds loadgen 1 --no-flush --no-verify --trace t.csv -P 1 127.0.0.1 "$DELAY_PORT"
  assert_equal "$(result replay 'ops latency_from arrival')" '800 intended trace'
  # As in the truth of a stall: of 2 s, requests due in the first 0.5 s wait for its end.
  (($(us replay p90_us) >= 200000 && $(us replay p99_us) >= 400000)) || fail "p90 $(result replay p90_us), p99 $(result replay p99_us)"
  (($(us replay service_p50_us) < 200000)) || fail "service p50 $(result replay service_p50_us)"
  (($(result replay elapsed_us) >= 3990000)) || fail "elapsed $(result replay elapsed_us) us"
}

@test "oracleGeneral: each record is a read, filled when it misses" {
  redis_start
  # Records of 24 bytes: seconds, object, size, and what is not used.
  awk 'function le(n, bytes,  i) { for (i = 0; i < bytes; i++) { printf "\\x%02x", n % 256; n = int(n / 256) } }
    BEGIN { for (i = 0; i < 600; i++) { le(1000 + int(i / 200), 4); le(7000 + i * i % 97, 8); le(40 + i * i % 97, 4); le(0, 8) } }' >escaped
  printf '%b' "$(<escaped)" >t.oracleGeneral
  assert_equal "$(stat -c %s t.oracleGeneral)" 14400
  succeeds loadgen 1 -c 2 --trace t.oracleGeneral --speed max --fill-misses --data random 127.0.0.1 "$REDIS_PORT"
  keys=$(awk 'BEGIN { for (i = 0; i < 600; i++) k[i * i % 97]; for (i in k) n++; print n }')
  assert_equal "$(kind get 3) $(result replay misses) $(kind fill 3)" "600 $keys $keys"
  assert_equal "$(redis-cli -p "$REDIS_PORT" strlen 7004)" 44
  loadgen 1 --trace t.oracleGeneral --speed max 127.0.0.1 "$REDIS_PORT"
  assert_contains 'it only reads: without --fill-misses nothing is set' "$STDERR"
  printf x >>t.oracleGeneral
  fails 2 loadgen 1 --trace t.oracleGeneral 127.0.0.1 "$REDIS_PORT"
  assert_contains '14401 bytes are no whole number of records; accepted: lines of text, or records of 24 bytes (oracleGeneral)' "$STDERR"
}

@test "a line that is none is one message with file and line, and leaves no index" {
  while IFS='|' read -r line text; do
    printf '5,k,1,10,1,get,0\n%b\n' "$line" >bad.csv
    fails 2 run_split "$REPO/test" --trace bad.csv 127.0.0.1 1
    assert_equal "$STDERR" "test: --trace bad.csv: line 2: $text"
  done <<'END'
6,k,1,10,1,get|invalid; accepted: timestamp,key,key_size,value_size,client,op,TTL
6|invalid; accepted: timestamp,key,key_size,value_size,client,op,TTL
x,k,1,10,1,get,0|timestamp 'x': invalid; accepted: seconds, such as 12 or 12.5
6.,k,1,10,1,get,0|timestamp '6.': invalid; accepted: seconds, such as 12 or 12.5
4,k,1,10,1,get,0|its time is before that of the line above; sort the trace by time
72000000001,k,1,10,1,get,0|timestamp '72000000001': invalid; accepted: seconds, such as 12 or 12.5
6,k,1,ten,1,get,0|value_size 'ten': invalid; accepted: a whole number from 0 to 536870912
6,k,1,536870913,1,get,0|value_size '536870913': invalid; accepted: a whole number from 0 to 536870912
6,k,-1,10,1,get,0|key_size '-1': invalid; accepted: a whole number from 0 to 4096
6,k,1,10,1,get,1.5|TTL '1.5': invalid; accepted: a whole number from 0 to 1000000000
6,k,1,10,1,fetch,0|op 'fetch': unknown; accepted: get gets set add replace cas append prepend delete incr decr
6,,1,10,1,get,0|key of 0 bytes: invalid; accepted: 1 to 4096 bytes
|empty; remove the line
END
  [[ ! -e bad.csv.tierbench-index ]] || fail 'an index was made'
  assert_equal "$(find . -name '*index*')" ''
  : >bad.csv
  run_split "$REPO/test" --trace bad.csv 127.0.0.1 1
  assert_equal "$status $STDERR" '2 test: --trace bad.csv: empty; a trace has at least one request'
  run_split "$REPO/test" --trace none.csv 127.0.0.1 1
  assert_equal "$status $STDERR" '2 test: --trace none.csv: No such file or directory'
}

@test "the index is made once, again for another trace, in the cache where it must, and never in place of another file; a long path has its place in the row" {
  index=t.csv.tierbench-index
  export XDG_CACHE_HOME=$SCRATCH/cache
  redis_start
  trace_make 200 100 20 >t.csv
  succeeds loadgen 1 --trace t.csv --speed max 127.0.0.1 "$REDIS_PORT"
  before=$(stat -c '%i %Y' "$index")
  loadgen 1 --trace t.csv --speed max 127.0.0.1 "$REDIS_PORT"
  assert_equal "$(stat -c '%i %Y' "$index") $(result replay ops)" "$before 200"
  trace_make 300 100 20 >t.csv
  loadgen 1 --trace t.csv --speed max 127.0.0.1 "$REDIS_PORT"
  assert_equal "$(result replay ops)" 300
  echo mine >"$index"
  run_split "$REPO/test" --trace t.csv 127.0.0.1 1
  assert_equal "$status $STDERR" "2 test: --trace $index: not an index of this program; move it away"
  assert_equal "$(<"$index")" mine
  rm "$index"
  loadgen 1 --trace t.csv --speed max 127.0.0.1 "$REDIS_PORT"
  truncate -s 1000 "$index"
  succeeds loadgen 1 --trace t.csv --speed max 127.0.0.1 "$REDIS_PORT"
  assert_equal "$(result replay ops)" 300
  # An index cannot replace another file of its name.
  long=$(printf 'n%.0s' {1..248})
  mv t.csv "$long"
  succeeds loadgen 1 --trace "$long" --speed max 127.0.0.1 "$REDIS_PORT"
  assert_equal "$(find cache/tierbench -type f | wc -l)" 1
  # A path of 3.9 kB makes the row longer, and drops no column.
  mv "$long" t.csv
  long=$(printf './%.0s' {1..1950})t.csv
  loadgen 1 --trace "$long" --speed max 127.0.0.1 "$REDIS_PORT"
  assert_equal "$(result replay trace)" "$long"
  assert_equal "$(awk -F '\t' '{ print NF }' out/result.tsv | uniq -c | awk '{ print $1 }')" 2
}

@test "clients share a trace by its keys: each request is sent by one of them, and those of a key to one instance" {
  ops=0
  trace_make 3000 1000 400 >t.csv
  instances 3
  succeeds loadgen 2 --instances 2 --trace t.csv --trace-share 0/3 --speed max 127.0.0.1 "$FIRST"
  ops=$(result replay ops)
  succeeds loadgen 2 --instances 1 --trace t.csv --trace-share 2/3 --speed max 127.0.0.1 $((FIRST + 2))
  assert_equal $((ops + $(result replay ops))) 3000
  for first in 0 1 2; do redis-cli -p $((FIRST + first)) keys 'ns:*'; done | sort | uniq -d >twice
  assert_equal "$(<twice)" ''
  for first in 0 1 2; do (($(redis-cli -p $((FIRST + first)) dbsize) > 50)) || fail "instance $first has no keys"; done
}

# Tell whether the server's answer to ECHO WORD has come by, which is behind all else.
# Usage: watch_passed LOG WORD
watch_passed() { grep -i "\"echo\" \"$2\"" "$1"; }

# Print how often each command was asked for each key.
# Usage: watch_counts LOG
watch_counts() { awk 'toupper($4) ~ /^"(SET|GET|DEL)"$/ { print toupper($4), $5 }' "$1" | sort | uniq -c; }

@test "the output of MONITOR is replayed: the same keys to the byte, sizes, times to live, hits and misses" {
  redis_start
  monitor_start m.log
  # One key has escapes of every kind.
  redis-cli -p "$REDIS_PORT" >/dev/null <<'END'
set a 123
mset b 1 "c\x00\"d\\\n\a" 22 d "\xff\xfe\n"
mget a b "c\x00\"d\\\n\a" none
set e 1 EX 100 NX
set e 12 PX 2500000 XX
setnx e 1
setex f 2000 "hello world"
hset h a b
del a b none
incrby n 5
get e
getset d 1234
append f x
EVAL "return redis.call('get','e')" 0
echo last
END
  wait_until 20 watch_passed m.log last
  redis-cli -p "$REDIS_PORT" flushall >/dev/null
  redis-cli -p "$REDIS_PORT" config resetstat >/dev/null
  succeeds loadgen 2 --instances 1 -c 2 --trace m.log --data random --speed max 127.0.0.1 "$REDIS_PORT"
  # Some versions of redis-cli begin with COMMAND DOCS.
  assert_match "[1-9][0-9]* requests are left out, the first one is '" "$STDERR"
  assert_equal "$(kind get 3) $(kind set 3) $(kind add 3) $(kind replace 3) $(kind delete 3) $(kind incr 3)" '6 6 2 2 3 1'
  assert_equal "$(calls get) $(calls set) $(calls del) $(calls incr)" '6 10 3 1'
  assert_equal "$(result replay 'misses mismatches')" '1 0'
  assert_equal "$(info_count keyspace_misses)" 1
  # The marker is a key too.
  assert_equal "$(redis-cli -p "$REDIS_PORT" dbsize)" 6
  assert_equal "$(printf 'strlen "c\\x00\\"d\\\\\\n\\a"\n' | redis-cli -p "$REDIS_PORT")" 2
  for key in d:4 e:2 f:1; do assert_equal "$key $(redis-cli -p "$REDIS_PORT" strlen "${key%:*}")" "$key ${key#*:}"; done
  key=$(redis-cli -p "$REDIS_PORT" ttl e)
  ((key > 2400 && key <= 2500)) || fail "e lives for $key s"
}

@test "lines of MONITOR may have other separators; a line that is none is one message with file and line" {
  # With the plus of the protocol, without a client, and with commas.
  printf '+OK\r\n+5.25 [0 127.0.0.1:1] "get" "k"\r\n+5.5 "GET" "k,\\"x"\r\n' >a.log
  printf '5.25,0,127.0.0.1:1,"GET","k"\n5.5,0,lua,"set","k","value"\n' >b.log
  printf '5.25 [3 unix:/s] "mget" "k" "l" "m"\n5.5 [3 u] "SET" "k" "" "EX" "7"' >c.log
  redis_start
  for line in 'a 2 2 0' 'b 2 1 1' 'c 4 3 1'; do
    read -r line text <<<"$line"
    succeeds loadgen 1 --trace "$line.log" --speed max 127.0.0.1 "$REDIS_PORT"
    assert_equal "$line $(result replay ops) $(kind get 3) $(kind set 3)" "$line $text"
  done
  while IFS='|' read -r line text; do
    printf 'OK\n5 [0 c] "get" "k"\n%s\n' "$line" >bad.log
    run_split "$REPO/test" --trace bad.log 127.0.0.1 1
    assert_equal "$status $STDERR" "2 test: --trace bad.log: line 3: ${text/LINE/'TIME [DATABASE CLIENT] "COMMAND" "ARGUMENT"...'}"
  done <<'END'
x [0 c] "get" "k"|time 'x': invalid; accepted: LINE
"get" "k"|time '"get"': invalid; accepted: LINE
6|no command; accepted: LINE
6 [0 c] get k|no command; accepted: LINE
6 [0 c] "get" k|no quotes at the start of an argument; accepted: LINE
6 [x c] "get" "k"|database 'x': invalid; accepted: LINE
6 [2 c] "get" "k"|database 2 after 0; filter the lines of one database: grep '\[0 '
4 [0 c] "get" "k"|its time is before that of the line above; sort the trace by time
6 [0 c] "get"|too few arguments of 'get'; remove the line
6 [0 c] "mset" "k" "v" "l"|too few arguments of 'mset'; remove the line
6 [0 c] "get" "k|ends within an argument; remove the line
6 [0 c] "get" "\xg1"|an escape of other than two hexadecimal digits; remove the line
6 [0 c] "get" ""|key of 0 bytes: invalid; accepted: 1 to 4096 bytes
6 [0 c] "set" "k" "v" "EX"|no time to live after its option; remove the line
6 [0 c] "set" "k" "v" "PX" "-1"|time to live '-1': invalid; accepted: a whole number from 1 to 4000000000000
|time '': invalid; accepted: LINE
END
  printf 'OK\n5 [0 c] "ping"\n' >bad.log
  run_split "$REPO/test" --trace bad.log 127.0.0.1 1
  text='get mget set mset setex psetex setnx getset append del unlink incr incrby decr decrby'
  assert_equal "$status $STDERR" "2 test: --trace bad.log: no request that a replay sends; accepted: $text"
}

@test "what a run sends is recorded, and a replay of the record asks as often for each key" {
  redis_start
  monitor_start run.log
  loadgen 2 --instances 1 -c 2 -P 4 --phases populate,mixed,mixed --commands get:6,set:3,del:1 --keys zipf --key-prefix a,b: --sizes 10-300 --expire 700-900 \
    --requests 2000 --record run.csv 127.0.0.1 "$REDIS_PORT" 1 300
  assert_success
  redis-cli -p "$REDIS_PORT" echo first >/dev/null
  wait_until 20 watch_passed run.log first
  assert_equal "$(wc -l <run.csv)" 4300
  assert_equal "$(cut -d , -f 7 run.csv | sort | uniq -c | awk '{ printf "%s %s ", $2, $1 }')" "delete $(calls del) get $(calls get) set $(calls set) "
  monitor_start replay.log
  succeeds loadgen 2 --instances 1 --trace run.csv --speed max 127.0.0.1 "$REDIS_PORT"
  redis-cli -p "$REDIS_PORT" echo second >/dev/null
  wait_until 20 watch_passed replay.log second
  awk '/"echo" "first"/ { exit } { print }' run.log >first.log
  watch_counts first.log >first
  watch_counts replay.log >second
  (($(wc -l <first) > 300)) || fail "$(wc -l <first) keys and commands"
  assert_equal "$(diff first second)" ''
  assert_equal "$(result replay mismatches)" 0
  awk '$4 == "\"SET\"" { print $5, length($6), $8 }' first.log | sort >first
  awk '$4 == "\"SET\"" { print $5, length($6), $8 }' replay.log | sort >second
  assert_equal "$(diff first second)" ''
}

@test "a record never takes the place of another file, and an open loop is recorded as it was sent" {
  redis_start
  echo mine >run.csv
  fails 2 loadgen 1 --phases set --record run.csv 127.0.0.1 "$REDIS_PORT" 10 5
  assert_equal "$STDERR" 'test: --record run.csv: there is such a file; give the name of a new one'
  assert_equal "$(<run.csv)" mine
  rm run.csv
  succeeds loadgen 1 --phases set,get --rate 100 --record run.csv 127.0.0.1 "$REDIS_PORT" 10 50
  # Uniform arrivals: at least half a second for each 50 requests, with any requests between them.
  awk -F , '{ if ($1 + 0 < last) exit 1; last = $1 + 0; if ($6 == "set") until = $1; ops[$6]++ } END { exit !(ops["set"] == 50 && ops["get"] == 50 && until > 0.45) }' run.csv ||
    fail "$(<run.csv)"
  assert_equal "$(find . -name 'run.csv*' | wc -l)" 1
}

@test "the limit of open files that is too low for a record is found before the load" {
  redis_start
  # A connection, epoll, a timer, a control connection, a part of the record, and 64 others.
  fails 1 run_split env OMP_NUM_THREADS=1 bash -c 'ulimit -n 68 && exec "$@"' - "$REPO/test" --record record.csv 127.0.0.1 "$REDIS_PORT" 10 10
  assert_contains '1 connections require 69 open files, and the limit is 68' "$STDERR"
  fails 1 run_split env OMP_NUM_THREADS=1 bash -c 'ulimit -n 67 && exec "$@"' - "$REPO/test" 127.0.0.1 "$REDIS_PORT" 10 10
  assert_contains '1 connections require 68 open files, and the limit is 67' "$STDERR"
  succeeds run_split env OMP_NUM_THREADS=1 bash -c 'ulimit -n 68 && exec "$@"' - "$REPO/test" 127.0.0.1 "$REDIS_PORT" 10 10
}
