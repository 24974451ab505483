#!/usr/bin/env bats
# SPDX-License-Identifier: MIT
# SERVER as a list: where it comes from, what is planned for several servers, and how state of a host is kept apart. tests/servers_hosts.bats
# runs on several.
# slow

load helper
load logs

THREE=(-s cluster SERVER="10.0.0.1 10.0.0.2 10.0.0.3" CLIENT_IP=10.0.0.9 KEYS=1000 SERVER_MEM=16)

prepare() {
  untune
}

# Run code with the master's modules for servers a, b and c, without their hosts.
# Usage: servers CODE   Sets: as run_split does
servers() {
  # A hang must fail.
  run_split timeout 300 bash -c 'set -Eeuo pipefail
    ROOT=$REPO LIB=$REPO/lib RESUME=
    . "$LIB/modules.sh"
    for word in CLUSTER=on SERVER="a b c" INSTANCES=6; do conf_word argument "$word" test; done
    conf_read
    '"$1"
}

@test "servers come from the command line, from an array, and from lines of a hosts file in their order" {
  head='servers  10.0.0.3 10.0.0.1 10.0.0.2 (8 logical CPUs, 16 GiB each)'
  succeeds run_plan "${THREE[@]}" SERVER_CORES=8 SERVER=10.0.0.3,10.0.0.1,10.0.0.2
  assert_contains "$head"
  mkdir copy && cp -r "$REPO"/{do_it.sh,conf,lib,tools} copy
  sed -i 's/^SERVER=.*/SERVER=(10.0.0.3 10.0.0.1 10.0.0.2)/; s/^CLIENT_IP=.*/CLIENT_IP=(10.0.0.9)/' copy/do_it.sh
  succeeds run_split copy/do_it.sh plan -s cluster KEYS=1000 SERVER_MEM=16 SERVER_CORES=8
  assert_contains "$head"
  printf '%s\n' 'server 10.0.0.3' 'client 10.0.0.9' 'server 10.0.0.1 root 22 - 192.168.0.1' 'server 10.0.0.2' >hosts
  succeeds run_plan -s cluster -H hosts KEYS=1000 SERVER_MEM=16 SERVER_CORES=8
  assert_contains "$head"
  assert_contains 'node 2: 10.0.0.1'
}

@test "each server is one node: 90 shards make 60 processes on each of three, whose CPUs are shared out apart" {
  succeeds run_plan "${THREE[@]}" INSTANCES=90 SERVER_CORES=30
  assert_equal "$(grep -c '^placement spread, on 10\.0\.0\.[123]$' <<<"$output")" 3
  # Two processes on each of the 30 CPUs of each server, 90 CPUs in all.
  assert_equal "$(awk -F '  +' '/^placement/ { place = 1 } /^node 1/ { place = 0 } place && $1 ~ /^[0-9]/ { sum += $2 } END { print sum }' <<<"$output")" 180
  succeeds run_plan --rows "${THREE[@]}" INSTANCES=90 SERVER_CORES=30
  assert_equal "$(cells places <<<"$output" | awk 'NR == 1 { print gsub(/\|/, ""), gsub(/@/, "") }')" '2 90'
}

@test "the DRAM of a tier is for the data and the processes of one server: the one that has most of them" {
  while read -r share processes words; do
    # shellcheck disable=SC2086 # words on purpose
    succeeds run_plan --rows -v swap DRAM_RATIO=1:2 "${THREE[@]}" SERVER_CORES=8 KEYS=100000 REDISRUNS=1 $words
    read -r data dram < <(cells 'data_bytes dram_bytes' <<<"$output")
    assert_equal "$dram" "$((data * ${share%/*} / ${share#*/} / 2 + (processes << 22)))"
  done <<'END'
3/7 3 INSTANCES=7 CLUSTER=off
4/12 4 INSTANCES=6 REPLICAS=1
END
  servers '
    CLUSTER=off TIER=swap DRAM_RATIO=1:2
    fill_reserve_of() { REPLY=0; }
    place_memory_nodes_of() { REPLY=; }
    call_run() { echo "$1 $TIER_DATA $((TIER_LIMIT - TIER_DATA / 2 >> 20)) $TIER_SPACE"; }
    ROW[limit_bytes]="$((1500 + (12 << 20)))|$((1000 + (8 << 20)))|$((1000 + (8 << 20)))" ROW[swap_bytes]="1|2|3"
    servers_each tier_check 7000 7'
  assert_output $'a 3000 12 1\nb 2000 8 2\nc 2000 8 3'
}

@test "without a cluster each server has a range of ports, and a client is told where its own are" {
  succeeds servers '
    CLUSTER=off REDISBASE=7000
    HOST_DATA[b]=data
    ports() { spread_ports 8 | paste -sd " "; }
    servers_each ports
    for word in "7000 3" "7001 4" "7003 5" "7006 2"; do
      read -r port count <<<"$word"
      spread_addresses "$port" "$count" 8 | paste -sd " "
    done'
  assert_equal "$output" "$(printf '%s\n' '7000 7001 7002' '7003 7004 7005' '7006 7007' a '--hosts 7003=data a' '--hosts 7006=c data' c)"
  succeeds run_plan "${THREE[@]:2}" SERVER_CORES=8
  assert_contains '1000B-24i'
}

@test "each of several servers is filled as the smallest, and has its part of what all have" {
  succeeds servers '
    for word in REPLICAS=1 RESERVE=1G FILL=50% INSTANCES=auto CLIENT_IP=10.0.0.9; do conf_word argument "$word" test; done
    plan_settle
    remote_is_local() { return 1; }
    for host in a b c; do _FACTS[$host]="cpus	$((${#host} * 4))"; done
    _FACTS[a]=$(printf "%s\t%s\n" cpus 4 mem_gib 9 mem_bytes $((9 << 30)) mem_available_bytes $((8 << 30)) topology 0,0,0,0 topology 1,1,0,0)
    _FACTS[b]=$(printf "%s\t%s\n" cpus 8 mem_gib 5 mem_bytes $((5 << 30)) mem_available_bytes $((2 << 30)) topology 0,0,0,0)
    _FACTS[c]=$(printf "%s\t%s\n" cpus 2 mem_gib 17 mem_bytes $((17 << 30)) mem_available_bytes $((16 << 30)) topology 0,0,0,0)
    facts_use
    plan_make
    plan_row "${PLAN_ROWS[0]}"
    echo "$SERVER_CORES ${ROW[instances]} $SERVER_MEM ${ROW[target_bytes]}"
    show() { echo "$HOST $SERVER_BYTES $(grep -c . <<<"$_PLACE_TOPOLOGY")"; }
    servers_each show
    spread_part 600 6
    echo "$REPLY"
    part() { spread_part 600 6; echo "$HOST $REPLY"; }
    servers_each part'
  # CPUs 4 + 8 + 2; half of the 4 GiB that the smallest can use, on three.
  assert_equal "$(sed -n 1p <<<"$output")" "8 14 5 $((6 << 30))"
  assert_equal "$(sed -n 2,4p <<<"$output")" $"a $((9 << 30)) 2"$'\n'"b $((5 << 30)) 1"$'\n'"c $((17 << 30)) 1"
  assert_equal "$(sed -n '5,$p' <<<"$output")" $'200\na 200\nb 200\nc 200'
}

@test "what a function sets for one server is kept for it alone, also when it failed; a script that ends there undoes things on all" {
  fails 4 servers '
    set_one() { REDIS_BINARY=/bin/$HOST; [[ $HOST != b ]]; }
    status=0
    servers_each set_one || status=$?
    get_one() { echo "$HOST $REDIS_BINARY"; }
    servers_each get_one
    echo "$status ${REDIS_BINARY-unset} $HOST"
    _REMOTE_TMP=$SCRATCH
    servers_parallel 10 get_one
    parallel_print $HOST
    cleanup_init
    undo() { echo "undo on $HOST"; }
    undo_all() { servers_each undo; }
    cleanup_push undo_all
    leave() { [[ $HOST != b ]] || exit 4; }
    servers_each leave'
  assert_equal "$output" $'a /bin/a\nb /bin/b\nc /bin/c\n1 unset a b c\na /bin/a\nb /bin/b\nc /bin/c\nundo on a\nundo on b\nundo on c'
}

@test "loads from far memory are added up over servers by the events of each CPU; without a count of one of them there is no sum" {
  succeeds servers '
    FAR_EVENTS=auto _REMOTE_TMP=$SCRATCH
    call_run() {
      case "$HOST $3" in
        "c cpu") printf "cpu\tGenuineIntel\t6\t207\t2\tx\n" ;;
        *" cpu") printf "cpu\tGenuineIntel\t6\t85\t7\tx\n" ;;
        *" start") echo "$PERF_EVENTS" >"words.$HOST" ;;
        "a end") printf "count\tinstance\t%s\t%s\t100.00\n" 1 100 2 10 3 1 ;;
        "b end") printf "count\tinstance\t%s\t%s\t63.00\n" 1 200 2 "<not supported>" 3 2 ;;
        "c end") printf "count\t%s\t1\t%s\t100.00\n" socket 7000 instance 5 ;;
      esac
    }
    call_several() { CALL_STATUS=(0) CALL_OUT=("$(call_run "$1" far "${2#*$'"'\t'"'}")"); }
    parts_begin .
    parts_phase start get
    parts_at stop end'
  assert_equal "$(sort words.* | uniq -c | sed 's/^ *//')" '2 instance r80d1:u instance r10d3:u instance r02d3:u
1 socket uncore_cha/event=0x35,umask=0x20c8168201/ instance r02d3:u'
  assert_equal "$(cut -f 2-4,6- far.tsv | sed 1d)" $'Cascade Lake\tinstance\tr80d1:u\t300\t63.00
Cascade Lake\tinstance\tr10d3:u\t-\t63.00
Skylake or Cascade Lake\tinstance\tr02d3:u\t3\t63.00
Emerald Rapids\tsocket\tuncore_cha/event=0x35,umask=0x20c8168201/\t7000\t100.00
Emerald Rapids\tinstance\tr02d3:u\t5\t100.00'
  repeat_make r/20250101-x native 1000B-1i 1 a 1000 1000 1 10 99 get:3
  server_make r/20250101-x/native/1000B-1i/rep-1 native ok 0 0
  mv far.tsv r/20250101-x/native/1000B-1i/rep-1/
  run_split "$REPO/summary2csv.sh" r/20250101-x
  assert_equal "$(cells -c far_source <<<"$output")" \
    'Cascade Lake: LOCAL_PMM (63 % of the time) + REMOTE_PMM (not counted); Skylake or Cascade Lake: REMOTE_DRAM (63 % of the time); Emerald Rapids: IA_MISS_DRD_CXL_EXP_LOCAL (whole sockets) + REMOTE_DRAM'
}

@test "the working set is that of all instances on all servers; without one of the servers it is unknown" {
  succeeds servers '
    PROBE_WSS=on _REMOTE_TMP=$SCRATCH
    declare -A ROW=([data_bytes]=1000000)
    call_run() {
      [[ $HOST != "$LOST" ]] || return 3
      case "$HOST $*" in
        "a a wss probe") printf "touched\t%s\n" $'"'"'6379\t1\t10'"'"' $'"'"'6380\t1\t20'"'"' $'"'"'6379\t16\t30'"'"' $'"'"'6380\t16\t40'"'"' ;;
        "b b wss probe") printf "touched\t6381\t%s\n" $'"'"'1\t50'"'"' $'"'"'16\t60'"'"' ;;
        "c c wss probe") printf "touched\t6382\t%s\n" $'"'"'1\t70'"'"' $'"'"'16\t80'"'"' ;;
      esac
    }
    wss_fresh .
    for LOST in - b; do
      wss_turn get-2
      wss_goes get-2 "${EPOCHREALTIME/[.,]/}"
      wss_look
    done'
  assert_equal "$(sed 1d wss.tsv | sort | tr '\t' ' ' | paste -sd ,)" 'get 6379 1 10,get 6379 16 30,get 6380 1 20,get 6380 16 40,get 6381 1 50,get 6381 16 60,get 6382 1 70,get 6382 16 80'
  assert_match '^[0-9:]* warning: b: the working set of get is unknown$' "$(grep unknown <<<"$STDERR")"
  repeat_make r/20250101-x native 1000B-1i 1 a 1000 1000 1 10 99 get:3
  mv wss.tsv r/20250101-x/native/1000B-1i/rep-1/
  run_split "$REPO/summary2csv.sh" r/20250101-x
  assert_equal "$(cells -c wss_16s_bytes <<<"$output")" 210
}

@test "with PLACEMENT=split each server has its instances on one node, and a client on a server's machine is on another one" {
  printf '%s\n' 0,0,0,0 1,1,0,0 2,2,1,1 3,3,1,1 >topology
  succeeds run_plan "${THREE[@]}" PLACEMENT=split FACTS=topology INSTANCES=6
  assert_equal "$(grep -c '^placement split, on 10\.0\.0\.[123]$' <<<"$output") $(grep -cE '^6379|--membind=0' <<<"$output")" '3 3'
  mkdir facts
  printf '%s\t%s\n' cpus 2 mem_gib 16 mem_bytes $((16 << 30)) mem_available_bytes $((15 << 30)) topology 0,0,0,0 topology 1,1,0,1 |
    tee facts/10.0.0.{1,3}.tsv | sed 's/1,1,0,1/1,1,0,2/' >facts/10.0.0.2.tsv
  succeeds run_plan --rows "${THREE[@]}" PLACEMENT=split FACTS=facts INSTANCES=6 CLIENT_IP='10.0.0.1 10.0.0.2 10.0.0.9'
  assert_equal "$(cells client_places <<<"$output" | sort -u)" \
    '--cpunodebind=1 --membind=1|--cpunodebind=2 --membind=2|-'
}

@test "a share of DRAM is that of each server's own data; where one of them cannot have it, the share before is set again on all" {
  succeeds servers '
    _REMOTE_TMP=$SCRATCH CLUSTER=off REPLICAS=0 POINT_INSTANCES=7 TIER=swap DRAM_RATIO=search
    MONITOR_ROWS_OF=([a]=$(printf "cgroup\tusage\t100000000\ncgroup\tswap\t0\n") [b]=$(printf "cgroup\tusage\t50000000\n") [c]=$(printf "cgroup\tusage\t60000000\n"))
    call_run() {
      echo "$HOST $((${*: -1} - $SLACK))" >>set
      [[ $HOST != b || ${*: -1} -gt 20000000 ]]
    }
    SLACK=0
    dram_start
    for share in 100 50 20 50 50; do
      dram_set "$share" || echo "$share: $?"
    done
    echo "$_DRAM_BASE"
    sort set | uniq -c | sed "s/^ *//"'
  # With 1 MiB more for each instance: three on a, two on b and c.
  assert_equal "$output" "20: 2
210000000
1 a $((100000000 + (3 << 20)))
1 a $((20000000 + (3 << 20)))
2 a $((50000000 + (3 << 20)))
1 b $((10000000 + (2 << 20)))
2 b $((25000000 + (2 << 20)))
1 b $((50000000 + (2 << 20)))
1 c $((12000000 + (2 << 20)))
2 c $((30000000 + (2 << 20)))
1 c $((60000000 + (2 << 20)))"
}

@test "doctor --probe measures each server, and prints a table for each; one that cannot be measured is a row" {
  succeeds servers '
    _REMOTE_TMP=$SCRATCH
    memory_program() { echo "/membench-$HOST"; }
    lock_take() { echo "$HOST" >>locked; }
    call_run() {
      [[ ${*: -1} == "/membench-$HOST" && $HOST != b ]] || return 1
      printf "node\t0\tcpu\t4\t100\t-\t1\npair\t0\t0\t%s\t-\t-\t9000\t8000\thuge\tno\t100\n" $((100 + $(printf %d "\"$HOST")))
    }
    : >rows
    memory_probe rows
    cat rows locked'
  assert_equal "$(grep -E '^(Memory of|0 +0|b)' <<<"$output" | awk '{ print $1, $2, $3 }')" $'Memory of a,\n0 0 197\nMemory of c,\n0 0 199\nb fail memory'
  assert_line 'a b c'
}

@test "each server is tuned with its own nodes: DAMON monitors those that are slow there" {
  succeeds servers '
    DAMON=monitor _REMOTE_TMP=$SCRATCH
    learn() {
      case $HOST in
        a) place_learn "$(printf "0,0,0,0\n# node 1 has memory and no CPU")" ;;
        b) place_learn "$(printf "0,0,0,0\n1,1,1,1\n# node 2 has memory and no CPU")" ;;
        c) place_learn 0,0,0,0 ;;
      esac
    }
    servers_each learn
    call_run() { awk -F "\t" "\$1 == \"DAMON\" { print \$5 }" <<<"$TUNE_ROWS"; }
    parallel_run 10 _tune_apply a b c 10.0.0.9
    for host in a b c 10.0.0.9; do echo "$host ${PARALLEL_OUT[$host]}"; done'
  assert_equal "$output" $'a monitor 1 0\nb monitor 2 0,1\nc monitor - 0\n10.0.0.9 '
}

@test "counters of several servers are added up, waits and requests between two marks too; the data is where it was asked for when it is so on every server" {
  for host in 1 2 3; do
    printf '%s\n' $'phase\tscope\tcounter\tbefore\tafter' $'get\thost\tpswpin\t'"$host"$'\t1'"$host" $'get\thost\ttime_us\t5'"$host"$'\t9'"$host" \
      $'get\ttier\tnodes\t1\t1' $'get\ttier\tdata_bytes\t100\t200' $'get\ttier\tplacement\tok\t'"$([[ $host == 2 ]] && echo off || echo ok)" \
      $'get\ttier\tplaced_percent\t-\t9'"$host.5" $'get\tcpu0\tirq_us\t'"$host"$'\t9' $'get\t637'"$host"$'\tcalls\t1\t2' \
      $'get\tresctrl\tfar_bytes\t1\t1'"$host" $'get\tresctrl\tof\t-\t'"$([[ $host == 2 ]] && echo 'another socket' || echo 'slow memory')" >"$host.tsv"
    printf 'get\ttier\tfar\t-\t%s\nget\tcold\tresident\t-\t1%s\nget\tcold\tnode1\t-\t6\nget\tcold\tnode3\t-\t%s\n' "1-$host" "$host" "$host" >>"$host.tsv"
    [[ $host == 3 ]] || printf 'get\tdamon\taccess0\t1\t2\n' >>"$host.tsv"
  done
  awk -f "$REPO/lib/run/servers.awk" ahead=20 host=a 1.tsv ahead=0 host=b 2.tsv host=c 3.tsv >sum.tsv
  assert_equal "$(<sum.tsv)" "$(printf '%s\t%s\t%s\t%s\t%s\n' phase scope counter before after get host pswpin 6 36 get host time_us 31 71 get tier nodes 1 1 \
    get tier data_bytes 300 600 get tier placement ok off get tier placed_percent - 91.5 \
    get a:cpu0 irq_us 1 9 get 6371 calls 1 2 get resctrl far_bytes 3 36 get resctrl of - 'slow memory + another socket' \
    get tier far - 1-1 get cold resident - 36 get damon access0 - - get b:cpu0 irq_us 2 9 get 6372 calls 1 2 get c:cpu0 irq_us 3 9 get 6373 calls 1 2 \
    get cold far_bytes - 21)"
  prints '12 36' servers '
    HIT_COUNTERS=hits/misses
    foreign_mark() { :; }
    for n in 1 5; do
      for host in a b c; do PART_SAID[$host]=$(printf "6379\tcalls\t%d\n6379\tfar_hits\t%d\n6379\tfar_misses\t%d\n" $((n * 9)) $((n * 2)) "$n"); done
      monitor_got_mark look
      [[ $n == 5 ]] || before=$MONITOR_ROWS
    done
    monitor_waits "$before" "$MONITOR_ROWS"'
}
