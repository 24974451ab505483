#!/usr/bin/env bats
# SPDX-License-Identifier: MIT
# The load generator on a Redis Cluster: each shard gets its own keys, a lost master is followed, and losses are counted.
# slow

load helper
load loadgen
load cluster

@test "each shard gets its own keys, and the servers count what the generator counts; two clients share the shards" {
  cluster_start 3 0
  succeeds loadgen 2 --cluster --phases populate,set,get -c 2 -P 8 --data random 127.0.0.1 $((CLUSTER_PORT + 1)) 50 20000
  assert_equal "$(cluster_calls set "$CLUSTER_PORT" $((CLUSTER_PORT + 1)) $((CLUSTER_PORT + 2)))" 120000
  assert_equal "$(cluster_calls get "$CLUSTER_PORT" $((CLUSTER_PORT + 1)) $((CLUSTER_PORT + 2)))" 60000
  assert_equal "$(result set ops) $(result get 'ops misses errors moved')" '60000 60000 0 0 0'
  assert_equal "$(column_sum out/get.shards.tsv ops) $(column_sum out/get.series.tsv ops)" '60000 60000'
  for shard in 0 1 2; do
    port=$((CLUSTER_PORT + shard)) low=$((shard * 16384 / 3)) high=$(((shard + 1) * 16384 / 3 - 1))
    assert_equal "$(redis-cli -p "$port" dbsize)" 20001
    # 20,000 keys over 5,461 slots: three or four in each, and the marker in one.
    seq -f 'cluster countkeysinslot %.0f' "$low" "$high" | redis-cli -p "$port" | sort | uniq -c >counts
    least=$(awk 'NR == 1 || $2 < least { least = $2 } END { print least }' counts)
    most=$(awk '$2 > most { most = $2 } END { print most }' counts)
    assert_equal "$least" 3
    assert_match '^[45]$' "$most"
    count=$(awk '$2 == 5 { print $1 }' counts)
    ((${count:-0} <= 1)) || fail "$count slots of shard $shard have 5 keys"
  done
  succeeds loadgen 2 --cluster --shards 1-2 --phases set 127.0.0.1 "$CLUSTER_PORT" 50 1000
  assert_equal "$(redis-cli -p "$CLUSTER_PORT" dbsize) $(redis-cli -p $((CLUSTER_PORT + 2)) dbsize)" '20001 1001'
  assert_equal "$(cut -f 2 out/set.shards.tsv | sort -u | xargs)" '1 2 shard'
  succeeds loadgen 3 --cluster --no-flush --shards 0-0 --phases set 127.0.0.1 "$CLUSTER_PORT" 50 1000
  succeeds loadgen 3 --cluster --no-flush --phases get 127.0.0.1 "$CLUSTER_PORT" 50 1000
  assert_equal "$(result get 'misses mismatches')" '0 0'
}

@test "another client of the cluster finds what --verify expects; nodes are queried once, and rows of shards have no warm-up" {
  cluster_start 3 0
  succeeds loadgen 3 --cluster --phases populate,mixed --key-prefix user: --warmup 0.5 --time 1 --rate 3000 127.0.0.1 "$CLUSTER_PORT" 100 3000
  assert_equal "$(column_sum out/mixed.shards.tsv ops)" 3000
  # There is no gap unless a busy machine made a shard wait for an answer, which is a row.
  [[ $(tail -q -n +2 out/populate.gaps.tsv out/mixed.gaps.tsv) ]] ||
    assert_equal "$(cluster_calls 'cluster|nodes' "$CLUSTER_PORT" $((CLUSTER_PORT + 1)) $((CLUSTER_PORT + 2)))" 1
  # The guide's pattern: shard s starts at '0' + s and walks through 75 characters.
  for shard in 0 1 2; do
    redis-cli -p $((CLUSTER_PORT + shard)) --scan --pattern 'user:{*}*' | shuf -n 34 >keys
    assert_equal "$(wc -l <keys)" 34
    LC_ALL=C awk -v shard="$shard" 'BEGIN { for (i = 0; i < 100; i++) text = text sprintf("%c", 48 + (shard + i) % 75) } { print text }' keys >expected
    # Any node may be asked: the client follows its redirections.
    sed 's/^/get /' keys | redis-cli -c -p $((CLUSTER_PORT + (shard + 1) % 3)) | grep -v '^->' >found
    cmp found expected || fail "shard $shard: $(head -n 1 found) is not $(head -n 1 expected)"
  done
}

@test "a master is lost in the load: its replica is followed, and the silence is measured" {
  CLUSTER_TIMEOUT=1000 cluster_start 3 1
  succeeds loadgen 3 --cluster --phases populate --data random 127.0.0.1 "$CLUSTER_PORT" 50 3000
  loadgen_start 3 --cluster --faults --no-flush --phases mixed --time 15 --rate 600 --interval 1 --timeout 5 --keys uniform --data random \
    --track 200 127.0.0.1 "$CLUSTER_PORT" 50 3000
  wait_until 20 awk '$1 != "mixed" || $6 < 1 { exit 1 }' out/status
  kill -KILL "${CLUSTER_PIDS[0]}"
  succeeds job_wait 60
  # A busy machine may have made shorter ones, at any shard.
  assert_match $'^0\t[0-9.]+\t[0-9.]+\t127.0.0.1:'"$CLUSTER_PORT"$'\t127.0.0.1:'"$((CLUSTER_PORT + 3))"$'\t' \
    "$(awk -F '\t' 'NR > 1 && $3 - $2 > most { most = $3 - $2; row = $0 } END { print row }' out/mixed.gaps.tsv)"
  # Noticed after the timeout of a second at the earliest; then the queued requests were sent, and all requests except those in flight were
  # answered.
  (($(result mixed gap_longest_us) > 900000)) || fail "a gap of $(result mixed gap_longest_us) us"
  assert_equal "$(($(result mixed ops) + $(result mixed errors)))" 9000
  (($(result mixed ops) > 6000)) || fail "$(result mixed ops) of 9000 answered"
  assert_equal "$(result mixed 'mismatches misses')" '0 0'
  assert_equal "$(column_sum out/mixed.shards.tsv ops) $(column_sum out/mixed.series.tsv ops)" "$(result mixed 'ops ops')"
  assert_equal "$(column_sum out/mixed.shards.tsv errors)" "$(result mixed errors)"
  (($(column_sum out/mixed.series.tsv shards_down) > 0)) || fail 'no interval with a shard down'
  assert_equal "$(cut -f 1 out/track.tsv | xargs)" 'shard 0 1 2'
  (($(column_sum out/track.tsv acked) > 500)) || fail "$(<out/track.tsv)"
}

@test "without --faults a lost master is a failure, and with it one that stays away" {
  cluster_start 3 0
  succeeds loadgen 3 --cluster --phases populate 127.0.0.1 "$CLUSTER_PORT" 50 3000
  loadgen_start 3 --cluster --faults --no-flush --phases get --time 6 --rate 600 --interval 0.25 --timeout 1 127.0.0.1 "$CLUSTER_PORT" 50 3000
  wait_until 20 grep -q get out/status
  kill -KILL "${CLUSTER_PIDS[2]}"
  refuses 1 'shard 2 did not come back' job_wait 30
  fails 1 loadgen 1 --cluster --no-flush --phases get 127.0.0.1 "$CLUSTER_PORT" 50 3000
  assert_match 'slots 10922-16383 have no master|127.0.0.1:[0-9]+: Connection refused' "$STDERR"
}

@test "with --faults, a shard that is down when a closed loop begins and stays away is a failure" {
  cluster_start 1 0
  loadgen_gate 1 --cluster --faults --phases populate,get --time 1 --interval 0.25 127.0.0.1 "$CLUSTER_PORT" 50 100
  order populate 0
  wait_until 20 test -e gate/ready-get
  kill -KILL "${CLUSTER_PIDS[0]}"
  order get 0
  refuses 1 'shard 0 did not come back' job_wait 30
  assert_equal "$(result get 'ops gaps')" '0 1'
  (($(column_sum out/get.series.tsv shards_down) > 0)) || fail 'no interval with a shard down'
}

@test "errors of a cluster are counted by kind, and a closed loop does not make millions of them" {
  CLUSTER_TIMEOUT=1000 cluster_start 3 0 --cluster-require-full-coverage yes
  succeeds loadgen 3 --cluster --phases populate 127.0.0.1 "$CLUSTER_PORT" 50 3000
  loadgen_start 3 --cluster --faults --no-flush --phases get --time 10 --interval 0.25 --timeout 1 127.0.0.1 "$CLUSTER_PORT" 50 3000
  wait_until 20 grep -q get out/status
  kill -KILL "${CLUSTER_PIDS[2]}"
  fails 1 job_wait 30
  (($(result get clusterdown) > 0)) || fail "clusterdown $(result get clusterdown)"
  # A hundred looks a second at each of two connections.
  (($(result get clusterdown) <= 2400)) || fail "clusterdown $(result get clusterdown)"
  (($(result get refused) > 0)) || fail "refused $(result get refused)"
  assert_equal "$(result get moved)" 0
}

@test "acknowledged writes that a server does not have are counted to the last one" {
  need_command python3
  proxy=$(ports_pick 1)
  CLUSTER_ANNOUNCE=$proxy cluster_start 1 0
  python3 "$REPO/tests/lying_proxy.py" "$CLUSTER_PORT" 50 dropped "$proxy" 3>&- &
  process_note "$!"
  wait_until 10 redis-cli -p "$proxy" ping
  succeeds loadgen 1 --cluster --phases populate,mixed --time 2 --rate 100 --track 5000 127.0.0.1 "$CLUSTER_PORT" 50 100
  # Bits are set in order, and the end of the phase may come between a drop and its answer.
  dropped=$(awk -v acked="$(column_sum out/track.tsv acked)" '$1 < acked' dropped | wc -l)
  ((dropped >= 5)) || fail "$dropped writes dropped"
  assert_equal "$(column_sum out/track.tsv lost)" "$dropped"
  assert_contains "$dropped of $(column_sum out/track.tsv acked) acknowledged writes are lost" "$STDERR"
  # An independent reader: the bits of acknowledged writes that are set. A write that was still under way at the end may be made after that.
  acked=$(column_sum out/track.tsv acked)
  assert_equal "$(redis-cli -p "$CLUSTER_PORT" bitcount "$(redis-cli -p "$CLUSTER_PORT" --scan --pattern '*track')" 0 $((acked - 1)) BIT)" \
    $((acked - dropped))
}

@test "the phase starts after tracked writes are prepared: their time is no latency" {
  cluster_start 1 0
  loadgen_gate 1 --cluster --phases populate,get --keys uniform --rate 200 --time 1 --track 100 127.0.0.1 "$CLUSTER_PORT" 50 100
  order populate 0
  wait_until 20 test -e gate/ready-get
  # The DEL of the tracked key waits, a GET does not.
  redis-cli -p "$CLUSTER_PORT" client pause 3000 write
  order get 0
  succeeds job_wait 30
  assert_equal "$(result get ops)" 200
  (($(us get p50_us) < 1500000)) || fail "p50 $(result get p50_us) us"
}

@test "writes are tracked in each take of the last phase, and in no step" {
  cluster_start 1 0
  loadgen_gate 1 --cluster --phases populate,get --keys uniform --time 0.5 --track 200 127.0.0.1 "$CLUSTER_PORT" 50 100
  order populate 0
  order get 0 c0 0.5
  wait_until 20 test -e gate/ready-get.1
  refute_exists out/track.tsv
  order get.1 0 c0 take
  wait_until 20 test -e gate/ready-get.2
  (($(column_sum out/track.tsv acked) > 0)) || fail "$(<out/track.tsv)"
  rm out/track.tsv
  order get.2 0 c0 take
  order get.3 keep
  succeeds job_wait 30
  (($(column_sum out/track.tsv acked) > 0)) || fail "$(<out/track.tsv)"
  assert_equal "$(column_sum out/track.tsv lost)" 0
}

@test "a move of slots is reported, and the load ends" {
  cluster_start 3 0
  succeeds loadgen 3 --cluster --phases populate 127.0.0.1 "$CLUSTER_PORT" 50 3000
  loadgen_start 3 --cluster --faults --no-flush --phases get --time 60 127.0.0.1 "$CLUSTER_PORT" 50 3000
  wait_until 20 grep -q get out/status
  redis-cli -p $((CLUSTER_PORT + 1)) cluster delslots 5461 2>/dev/null || :
  # A slot moves to another node, without its keys: MOVED makes the watcher look.
  for port in 0 1 2; do redis-cli -p $((CLUSTER_PORT + port)) cluster setslot 100 node "$(cluster_id $((CLUSTER_PORT + 1)))" || :; done
  refuses 1 'are on two nodes: resharding is not supported' job_wait 30
}

@test "a cluster that is not whole, not ours or none is refused before anything is written" {
  redis_start
  refuses 1 "127.0.0.1:$REDIS_PORT: not a node of a Redis Cluster (cluster_enabled:0)" loadgen 1 --cluster 127.0.0.1 "$REDIS_PORT" 50 100
  cluster_start 3 0
  ids=$(cluster_id "$CLUSTER_PORT"),$(cluster_id $((CLUSTER_PORT + 1)))
  fails 1 loadgen 1 --cluster --node "$ids" 127.0.0.1 "$CLUSTER_PORT" 50 100
  assert_contains "127.0.0.1:$((CLUSTER_PORT + 2)) is a node that this run did not start: nothing was written" "$STDERR"
  assert_equal "$(redis-cli -p $((CLUSTER_PORT + 2)) dbsize)$(redis-cli -p "$CLUSTER_PORT" dbsize)" 00
  succeeds loadgen 1 --cluster --node "$ids,$(cluster_id $((CLUSTER_PORT + 2)))" 127.0.0.1 "$CLUSTER_PORT" 50 100
  refuses 1 '--instances 2: the cluster has 3 shards' loadgen 1 --cluster --instances 2 127.0.0.1 "$CLUSTER_PORT" 50 100
  refuses 1 '--shards 1-3: the cluster has 3 shards; accepted: 0-2' loadgen 1 --cluster --shards 1-3 127.0.0.1 "$CLUSTER_PORT" 50 100
  redis-cli -p $((CLUSTER_PORT + 2)) cluster setslot 100 importing "$(cluster_id "$CLUSTER_PORT")"
  refuses 1 'resharding is not supported' loadgen 1 --cluster 127.0.0.1 $((CLUSTER_PORT + 2)) 50 100
  redis-cli -p "$CLUSTER_PORT" cluster delslotsrange 0 99
  refuses 1 'slots 0-99 have no master' loadgen 1 --cluster 127.0.0.1 "$CLUSTER_PORT" 50 100
}

@test "windows come from merged histograms of all clients, of versions before nanoseconds too" {
  redis_start
  succeeds loadgen 1 --phases set --time 2 --rate 500 --interval 0.5 127.0.0.1 "$REDIS_PORT" 50 1000
  succeeds run_split "$REPO/test" --windows 0-99,0-1,1-99,1-99+0-1 out/set.hlog
  assert_equal "$(sed -n 5p <<<"$output" | cut -f 1-2,6-12)" $'1.000\t1.000\t'"$(sed -n 2p <<<"$output" | cut -f 6-12)"
  assert_equal "$(sed -n 2p <<<"$output" | cut -f 6)" 1000
  assert_equal "$(sed -n 2p <<<"$output" | cut -f 8,10,12)" "$(result set p50_us)"$'\t'"$(result set p99_us)"$'\t'"$(result set max_us)"
  assert_equal "$(($(sed -n 3p <<<"$output" | cut -f 6) + $(sed -n 4p <<<"$output" | cut -f 6)))" 1000
  # Of another phase: each counts from its start, which is a warning.
  sed 's/StartTime: 1/StartTime: 2/' out/set.hlog >other.hlog
  succeeds run_split "$REPO/test" --windows 0-99 out/set.hlog other.hlog
  assert_match '^test: --windows: out/set.hlog and other.hlog start 1000000000.0 s apart, by their clocks; times count from the start of each log$' "$STDERR"
  run_split "$REPO/test" --windows 0-99 out/set.hlog out/set.hlog
  assert_equal "$STDERR" ''
  assert_success
  # Twice the requests, the same intervals, the same percentiles.
  assert_equal "$(sed -n 2p <<<"$output" | cut -f 3,6,8)" "$(awk 'END { print NR - 5 }' out/set.hlog)"$'\t'2000$'\t'"$(result set p50_us)"
  # A log of a version before nanoseconds: 20 requests, a p50 of 18 us, a max of 126 us. With one in ns it is merged.
  { sed -n '/^[#"]/p' out/set.hlog && echo '0.000,0.001,0.126,HISTFAAAACl4nJNpmSzMwMDAyQABzFCaEURcm7yEwf4DREBZiYGJnek4IxMAf+4Fqg=='; } >old.hlog
  run_split "$REPO/test" --windows 0-99 old.hlog
  assert_equal "$(sed -n 2p <<<"$output" | cut -f 6,8,12)" $'20\t18.015\t126.000'
  # No count of a log is above one hour; its max may be.
  sed 's/,0.126,/,7200000.126,/' old.hlog >over.hlog
  run_split "$REPO/test" --windows 0-99 over.hlog
  assert_equal "$(sed -n 2p <<<"$output" | cut -f 6,8,12)" $'20\t18.015\t7200000126.000'
  run_split "$REPO/test" --windows 0-99 old.hlog out/set.hlog
  assert_equal "$(sed -n 2p <<<"$output" | cut -f 6,12)" 1020$'\t'"$(result set max_us)"
  sed 's/,[^,]*$/,AAAA/' out/set.hlog >bad.hlog
  fails 1 run_split "$REPO/test" --windows 0-3 bad.hlog
  assert_match '^test: bad.hlog: line [0-9]+: its histogram is damaged' "$STDERR"
  fails 1 run_split "$REPO/test" --windows 0-3 out
  assert_equal "$STDERR" 'test: out: Is a directory'
  : >empty.hlog
  grep '^[0-9]' out/set.hlog >headless.hlog
  for log in empty headless; do
    fails 1 run_split "$REPO/test" --windows 0-3 out/set.hlog "$log.hlog"
    assert_equal "$STDERR" "test: $log.hlog: line 1: not an interval log: the names of its columns are missing"
  done
  refuses 2 "--windows 3-1: invalid; accepted: each, or FROM-TO" run_split "$REPO/test" --windows 3-1 out/set.hlog
}
