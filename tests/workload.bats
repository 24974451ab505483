#!/usr/bin/env bats
# SPDX-License-Identifier: MIT
# A realistic load through do_it.sh: hot sets, ranges of keys, and what the plan prints.
# slow

load helper
load logs

prepare() {
  untuned=(TUNE=off KERNEL=keep)
  BASE=$(ports_pick 2)
  WORDS=(-s demo REMOTE_DIR="$SCRATCH/host" RESULTS_DIR="$SCRATCH/results" REDISBASE="$BASE" SRV_OVERRIDE=2 KEYS=500 VALUE_SIZES=100 REDISRUNS=1)
}

@test "a hot set that moves, through do_it.sh: the plan and the rows have it, all keys existed, and the report has a table of the load" {
  load=(KEY_PATTERN=hotspot:10:80 KEY_PATTERN.scramble=on KEY_PATTERN.shift=0.5:5 PHASES='populate get' VALUE_DISTRIBUTION='populate=100:3,300:1')
  drawn_blank
  succeeds run_plan "${WORDS[@]}" "${load[@]}"
  assert_contains 'keys hotspot:10:80, scrambled, moving by 5 % every 0.5 s' "$output"
  succeeds run_split "$REPO/do_it.sh" run "${untuned[@]}" "${WORDS[@]}" "${load[@]}" TIME=2 RATE=2000 REPORT=on
  assert_equal "$(phase_column get 'pattern shift scramble misses ops')" 'hotspot:10:80 0.5:5 1 0 4000'
  assert_equal "$(phase_column populate 'shift scramble ops')" '- 0 1000'
  assert_contains 'The load: requests to the most popular keys, and sizes of values' "$output"
  assert_match 'get +[0-9a-zA-Z-]+ +hotspot:10:80, moving +500 +8.0% +80.0% +88.9% +populate=100:3,300:1 ' "$output"
  assert_match 'populate +[0-9a-zA-Z-]+ +shuffle +500 +1.0% +10.0% +50.0% +100:3,300:1 +100 +300 +1[45][0-9]' "$output"
  page=$(cat "$SCRATCH"/results/*/report.html)
  assert_contains '<h3>The load: requests to the most popular keys, and sizes of values</h3>' "$page"
  assert_contains '<td>hotspot:10:80, moving</td>' "$page"
}

@test "sizes by a distribution and keys that expire, through do_it.sh" {
  succeeds run_plan "${WORDS[@]}" VALUE_DISTRIBUTION=etc EXPIRE=60-3600
  assert_contains 'keys sequential; values etc; keys live 60-3600 s' "$output"
  assert_match '329B-2i +329 '
  succeeds run_split "$REPO/do_it.sh" run "${untuned[@]}" "${WORDS[@]}" VALUE_DISTRIBUTION=100:3,500:1 EXPIRE=1 PHASES='populate get' KEY_PATTERN=uniform RATE=1000 TIME=3
  assert_equal "$(phase_column get 'sizes len expire miss_reason')" '100:3,500:1 200 1 expired'
  (($(phase_column get expired) > 0 && $(phase_column get expired) <= 1000)) || fail "$(phase_column get expired) keys expired"
  (($(phase_column get misses) > 0)) || fail 'no key expired'
}

@test "sizes by phase, through do_it.sh; KEY_MIN and KEY_MAX, the keys that are read, do not shrink what populate sets" {
  succeeds run_plan "${WORDS[@]}" PHASES='populate mixed' VALUE_DISTRIBUTION='populate=200-400 mixed=1000-3000'
  assert_contains 'keys sequential; values populate=200-400 mixed=1000-3000' "$output"
  assert_match '300B-2i +300 '
  # Memory is planned for the larger sizes.
  planned() {
    run_plan --rows "${WORDS[@]}" KEYS=100000 PHASES='populate mixed' VALUE_DISTRIBUTION="$1"
    cells data_bytes <<<"$output"
  }
  large=$(planned 'populate=200-400 mixed=1000-3000') small=$(planned 'populate=200-400 mixed=10-30')
  ((large > 4 * small)) || fail "planned $large bytes, and $small"
  succeeds run_plan "${WORDS[@]}" KEYS=auto FILL=64M KEY_MAX=999 KEY_PATTERN=latest PHASES='populate get'
  assert_contains 'keys latest, of 0..999' "$output"
  assert_match '100B-2i +100 +2 +[0-9]{6} '
  run_split "$REPO/do_it.sh" run "${untuned[@]}" "${WORDS[@]}" PHASES='populate mixed get' VALUE_DISTRIBUTION='mixed=50-400' KEY_PATTERN=uniform KEY_MIN=100 KEY_MAX=149 \
    REQUESTS=3000
  assert_success
  assert_equal "$(phase_column get 'sizes len') $(phase_column mixed 'sizes len') $(phase_column get errors)" 'mixed=50-400 100 50-400 100 0'
  assert_equal "$(phase_column populate 'ops keys')" '1000 500'
  assert_equal "$(phase_column get 'key_min key_max ops misses')" '100 149 3000 0'
}

@test "a standard workload: its settings count where it is named, below those beside it, and they are what is sent" {
  for name in ycsb-a ycsb-b ycsb-c ycsb-d ycsb-f etc usr twitter-7 twitter-8 twitter-19 twitter-34; do
    succeeds run_plan --rows "${WORDS[@]}" SERVER=203.0.113.1 CLIENT_IP=203.0.113.2 SERVER_CORES=8 SERVER_MEM=16 WORKLOAD="$name" RATE=1000 TIME=1
  done
  succeeds run_plan "${WORDS[@]}" WORKLOAD=ycsb-d PHASES=populate VALUE_SIZES=200
  assert_contains 'phases   populate;' "$output"
  assert_contains 'keys latest:0.99' "$output"
  succeeds run_split "$REPO/do_it.sh" run "${untuned[@]}" "${WORDS[@]}" WORKLOAD=ycsb-b RATE=4000 TIME=1
  assert_equal "$(phase_column mixed 'pattern ratio data scramble ops misses')" \
    'zipf:0.99 5:95 random 1 4000 0'
  # 5 %, within six standard deviations of the sample (14).
  (($(phase_column mixed sets) > 116 && $(phase_column mixed sets) < 284)) || fail "sets: $(phase_column mixed sets)"
  assert_equal "$(sed -n 's/^WORKLOAD=//p' "$SCRATCH"/results/*/run.conf)" '"ycsb-b"'
}

@test "a mix of commands, through do_it.sh: the plan says it, the server allows and counts it, rows and tables have it by command" {
  mix='get:40,rmw:10,mget-3:10,hgetall-4:20,hset-4:5,zadd-5:5,GETRANGE __key__ 0 4:10'
  succeeds run_plan "${WORDS[@]}" COMMANDS="$mix" PHASES='populate mixed'
  assert_contains "; mixed $mix" "$output"
  succeeds run_split "$REPO/do_it.sh" run "${untuned[@]}" "${WORDS[@]}" COMMANDS="$mix" PHASES='populate mixed' REQUESTS=4000 KEY_PATTERN=uniform
  assert_contains 'MIXED of 100 B on 2 instances: by command' "$output"
  assert_match 'hgetall-4 +native +(>=)?[0-9,]+ +[0-9.]+% +[0-9]'
  assert_equal "$(phase_column mixed 'ops errors misses mismatches') $(phase_column populate ops)" '4000 0 0 0 3000'
  assert_equal "$(phase_column mixed commands)" 'get:40,rmw:10,mget-3:10,hgetall-4:20,hset-4:5,zadd-5:5,getrange:10'
  asked=$(awk '/by command/ { on = 1 } on && $2 == "native" { gsub(",", "", $3); n += $3 } END { print n }' <<<"$output")
  assert_equal "$asked" 4000
  # Figures per operation count all commands. An rmw is two, and the generator writes its HSET to each instance before and after the phases.
  calls=$(awk -F '\t' '$1 == "mixed" && $3 == "calls" { sum += $5 - $4 } END { print sum }' "$SCRATCH"/results/*/native/*/rep-1/server/counters.tsv)
  asked=$(awk -F '\t' 'NR == 1 { for (i = 1; i <= NF; i++) at[$i] = i } { n += $at["ops"] * ($1 == "rmw" ? 2 : 1) } END { print n }' \
    "$SCRATCH"/results/*/native/*/rep-1/*/mixed.commands.tsv)
  ((calls >= asked && calls <= asked + 4)) || fail "$calls calls for $asked commands"
  run_split "$REPO/summary2csv.sh" "$SCRATCH"/results/*/
  assert_contains 'getrange:10' "$output"
  [[ $output =~ get:[0-9]+:[0-9]+\.[0-9]{3}:[0-9]+\.[0-9]{3},rmw: ]] || fail 'no latency by command'
}

@test "FILL counts the hashes of a mix" {
  succeeds run_split "$REPO/do_it.sh" run "${untuned[@]}" "${WORDS[@]}" KEYS=auto FILL=16M COMMANDS=hgetall-5:1,get:1 PHASES='populate mixed' REQUESTS=100 KEY_PATTERN=uniform
  summary=$("$REPO/summary2csv.sh" --total --json "$SCRATCH"/results/*/ | grep -o '"used_memory": *"*[0-9]*' | tail -n 1 | grep -o '[0-9]*$')
  ((summary > 16000000 && summary < 17600000)) || fail "used_memory: $summary"
}

@test "the calls of an instance are those of all commands of the load, and of no command of the harness" {
  succeeds master "PHASES='populate mixed' COMMANDS='get:2,hget-5:1,lpop:1,OBJECT ENCODING __key__,BF.ADD __key__ x'" '
    . "$LIB/host/monitor.sh"
    LOAD_COMMANDS=$(load_commands) MONITOR_REPLICAS=$(printf "%s\n" 7001 7002)
    host_info_all() {
      printf "### instance %s\ncmdstat_set:calls=5,usec=1\n" 7001 7002
      printf "### instance %s\n" 7000
      printf "cmdstat_%s,usec=1\n" get:calls=1 set:calls=20 hget:calls=300 hset:calls=4000 lpop:calls=50000 rpush:calls=600000 \
        "object|encoding:calls=7000000" BF.ADD:calls=80000000 info:calls=9 "config|get:calls=9" ping:calls=9 mget:calls=9
    }
    MONITOR_NODES=(node0)
    RECORD=/dev/null
    host_monitor_mark_instances'
  assert_line $'7000\tcalls\t87654321'
  # Replicas repeat what their masters were sent.
  assert_line $'7001\tcalls\t0'
  assert_line $'7002\tcalls\t0'
}
