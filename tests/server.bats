#!/usr/bin/env bats
# SPDX-License-Identifier: MIT
# Instances on this machine: started, pinned, closed to other users, stopped; existing processes are left alone.
# slow

load helper

# Count the redis-server processes that the run in $SCRATCH/host recorded and that still run.
recorded_alive() {
  local pid start count=0
  while read -r pid start _; do
    ! process_alive "$pid" "$start" || count=$((count + 1))
  done < <(cat host/run-*/server/instances.proc 2>/dev/null)
  echo "$count"
}

@test "what a repeat cannot stop keeps none of the rest from being stopped, and is reported" {
  fails 1 run bash -c 'set -Eeuo pipefail
    for file in "$REPO"/lib/{shared/*,host/ended}.sh; do . "$file"; done
    workdir_open() { :; }
    owner_close() { echo closed; }
    host_ended_parts() { false; }
    host_ended_monitors() { false && echo; false; echo "errexit is off"; }
    host_ended_instances() { echo instances; }
    host_ended_tier() { fail "the tier stays"; }
    main'
  assert_output $'instances\nthe tier stays\nclosed'
}

@test "96 instances come up, all answer, and all are gone afterwards" {
  base=$(ports_pick 96)
  succeeds master "INSTANCES=96 REDISBASE=$base" '
    server_start 96
    server_info
    cp '"$SCRATCH"'/host/run-*/server/instances.proc '"$SCRATCH"'/record
    server_stop'
  assert_equal "$(grep -c '^redis_version:' <<<"$output")" 96
  assert_equal "$(wc -l <record)" 96
  cp record seen
  while read -r pid start _; do
    wait_until 10 process_gone "$pid" "$start" || fail "$pid still runs"
  done <seen
  assert_equal "$(find host -name 'run-*')" ''
}

@test "each instance is pinned as planned, listens on the server's address alone, has REDIS_CONF over conf/redis.conf, and ends without a last snapshot; its password is asked for, on no command line and in no log" {
  base=$(ports_pick 2)
  succeeds master "INSTANCES=2 REDISBASE=$base PERSISTENCE=rdb PERSISTENCE.every=3600 'REDIS_CONF=maxmemory 123mb; databases 3'" '
    server_start 2
    server=$(echo "$REMOTE_DIR"/run-*/server)
    while read -r pid _ port; do
      printf "%s %s\n" "$port" "$(grep Cpus_allowed_list "/proc/$pid/status" | cut -f 2)"
    done <"$server/instances.proc"
    place_instances 2 "${ROW[places]}" | cut -f 1,2 | tr "\t" " "
    ss -Hltn | grep -E ":($REDISBASE|$((REDISBASE + 1))) " | grep -vc "127.0.0.1:" || :
    redis-cli -p "$REDISBASE" ping 2>&1 || :
    for password in "$(instance_password "$REDISBASE")" "${LOAD_PASSWORD:24}"; do
      ((${#password} == 24))
      # No other program of the machine has this word on its command line.
      grep -al "[${password:0:1}]${password:1}" /proc/[0-9]*/cmdline 2>/dev/null | sed "s/^/leak: /" || :
      grep -l "$password" "$server"/*.log | sed "s/^/leak: /" || :
    done
    stat -c "%a" "$REMOTE_DIR" "$server" "$server"/*.conf | sort -u | paste -sd " "
    export REDISCLI_AUTH=$(instance_password "$REDISBASE")
    redis-cli -p "$REDISBASE" config get maxmemory
    redis-cli -p "$REDISBASE" config get databases
    WORK=$REMOTE_DIR protocol_ask 127.0.0.1 "$REDISBASE" "SET key value" >/dev/null
    exec 5<"$server/redis-$REDISBASE.log"
    server_stop
    cat <&5'
  assert_equal "${lines[0]}" "${lines[2]}"
  assert_equal "${lines[1]}" "${lines[3]}"
  assert_equal "${lines[4]} ${lines[5]}" '0 NOAUTH Authentication required.'
  refute_contains leak:
  assert_match $'\n600 700( 710)?\nmaxmemory\n128974848\ndatabases\n3\n'
  assert_contains 'ready to exit'
  refute_contains 'Saving the final RDB snapshot'
}

@test "a taken port is refused before anything starts, and who has it is left alone" {
  redis_start
  redis-cli -p "$REDIS_PORT" set mine 1
  before=$(process_start "$REDIS_PID")
  refuses any "port $REDIS_PORT is taken" master "INSTANCES=2 REDISBASE=$((REDIS_PORT - 1))" 'server_start 2'
  assert_equal "$(recorded_alive)" 0
  process_alive "$REDIS_PID" "$before"
  assert_equal "$(redis-cli -p "$REDIS_PORT" get mine)" 1
}

@test "an instance that cannot start ends the start with its own reason, and nothing stays" {
  base=$(ports_pick 2)
  master "INSTANCES=2 REDISBASE=$base REDIS_CONF='hz nonsense'" 'server_start 2 || { server_stop; exit 1; }' || :
  assert_failure
  assert_match 'redis-server ended( at once)?: argument couldn.t be parsed into an integer' "$STDERR"
  # The wrapper prints the reason, then its usage.
  if command -v numactl >/dev/null; then
    master "INSTANCES=1 REDISBASE=$base 'SERVER_NUMACTL=-N 0 -M 0'" "server_start 1 || { server_stop; exit 1; }" || :
    assert_failure
    assert_match 'redis-server ended[a-z ]*: numactl: ' "$STDERR"
  fi
  assert_equal "$(find host -name 'run-*')" ''
}

@test "an instance without an answer: the last lines of its log are printed; one that has ended is not waited for" {
  code='set -Eeuo pipefail
    for file in "$REPO"/lib/{shared/*,host/server,host/cluster}.sh; do . "$file"; done
    FOLDER=$PWD WORK=$PWD RUN_ID=none RECORD=instances.proc SERVER_ADDRESS=127.0.0.1
    CLUSTER_TABLE=$(printf "%s\t" 7001 1 0 master 7001 0 16383 id 127.0.0.1)
    CLUSTER_TABLE=${CLUSTER_TABLE%?}
    protocol_ask() { return 1; }
    # The time limit is over.
    proc_wait() { SECONDS=$((SECONDS + COMMON_READY)); }
    proc_pause() { proc_wait; }
    proc_record "$RECORD" "$$" 7001'
  printf '%s\n' one two 'Received SIGTERM scheduling shutdown...' 'bye bye...' >redis-7001.log
  fails 1 run bash -c "$code
    host_cluster_ready"
  assert_output 'port 7001: its log: two
port 7001: its log: Received SIGTERM scheduling shutdown...
port 7001: its log: bye bye...
port 7001: no answer to CLUSTER INFO after 60 s; is port 17001 open between the nodes?'
  rm instances.proc
  fails 1 run bash -c "$code"'
    sed -i "s/^[0-9]*/0/" "$RECORD"
    host_cluster_ready'
  assert_equal "${lines[1]}" 'port 7001: its log: Received SIGTERM scheduling shutdown...'
  assert_equal "${lines[3]}" 'port 7001: redis-server ended: bye bye...'
  : >redis-7001.log
  rm instances.proc
  fails 1 run bash -c "$code
    host_server_ready"
  assert_output $'port 7001: its log is empty\n1 instances do not answer PING after 60 s, ports: 7001'
}

@test "behind a wrapper that stays, an instance ends with a start that fails; one in a pid namespace is refused, and nobody else's process ended" {
  base=$(ports_pick 2)
  program_make stay '#!/bin/bash\n[[ $* != *%s.conf ]] || exit 1\n"$@" &\nwait $!\n' $((base + 1))
  # The second instance never starts. The test waits for the first one, so that there is a process to clean up.
  master "INSTANCES=2 REDISBASE=$base SERVER_PREFIX=$SCRATCH/stay" '
    server_start 2 || { until grep -q "Ready to accept" '"$SCRATCH"'/host/run-*/server/redis-$REDISBASE.log; do sleep 0.05; done; server_stop; }'
  assert_contains "$((base + 1)): redis-server ended" "$STDERR"
  port_free "$base" || fail "an instance was left: $(ss -Hltnp "sport = :$base")"
  assert_equal "$(find host -name 'run-*')" ''
  # A pid of another namespace is the pid of another process here.
  unshare --pid --fork true 2>/dev/null || skip 'a pid namespace cannot be made here'
  master "INSTANCES=2 REDISBASE=$base 'SERVER_PREFIX=unshare --pid --fork'" '
    server_start 2 || { cat '"$SCRATCH"'/host/run-*/server/*.proc; server_stop; }'
  assert_contains "port $base: redis-server reports pid 1, which is not a child of SERVER_PREFIX" "$STDERR"
  assert_equal "$(cut -f 1 <<<"$output" | grep -cx 1)" 0
  port_free "$base" || fail "an instance was left: $(ss -Hltnp "sport = :$base")"
  assert_equal "$(find host -name 'run-*')" ''
}

@test "a server that another living run has is refused with its owner's name" {
  master "" 'lock_take 127.0.0.1; touch '"$SCRATCH"'/held; while [[ ! -e '"$SCRATCH"'/enough ]]; do sleep 0.05; done' &
  wait_until 10 test -e held
  fails 3 master "" 'lock_take 127.0.0.1; echo taken'
  assert_match "the run test-[0-9]+-[0-9a-f]{8} of $(id -un) on $(uname -n) \(pid [0-9]+, since .*\) uses this server" "$STDERR"
  refute_contains taken
  touch enough
  wait
}

@test "of two runs that build Redis at once, one builds, and the other waits and takes that; a build of Redis ends with its master" {
  mkdir -p redis-1/src host/cache
  chmod 700 host
  # The recipe ends after the other run has begun to build, or waits.
  printf 'all:\n\techo begun >>%s/begun\n\tuntil [ -e %s/go ]; do sleep 0.05; done\n\tcp %s src/redis-server\n' "$SCRATCH" "$SCRATCH" "$(command -v redis-server)" >redis-1/Makefile
  tar -czf host/cache/redis-1.tar.gz redis-1
  prints "$SCRATCH/host/cache/redis-1/src/redis-server"$'\n'"$SCRATCH/host/cache/redis-1/src/redis-server" master '' '
    _CALL_FILES=$SCRATCH/first call_run 127.0.0.1 redis build redis-1 redis-1.tar.gz &
    first=$!
    until [[ -s begun ]] || ((SECONDS > 100)); do sleep 0.05; done
    _CALL_FILES=$SCRATCH/second call_run 127.0.0.1 redis build redis-1 redis-1.tar.gz &
    second=$!
    until [[ $(wc -l <begun) == 2 ]] || lslocks -no BLOCKER,INODE | grep "[0-9] *$(stat -c %i host/redis.flock)$" >/dev/null || ((SECONDS > 200)); do sleep 0.05; done
    : >go
    wait "$first"
    wait "$second"'
  assert_equal "$(wc -l <begun)" 1
  rm -r host/cache/redis-1 begun
  printf 'all:\n\techo begun >%s/begun; sleep 1000\n' "$SCRATCH" >redis-1/Makefile
  tar -czf host/cache/redis-1.tar.gz redis-1
  master '' '
    call_run 127.0.0.1 redis build redis-1 redis-1.tar.gz &
    until [[ -s begun ]]; do sleep 0.05; done
    kill -9 $$' || :
  wait_until 20 bash -c '! pgrep -f "[m]ake -C $0/host/cache" >/dev/null' "$SCRATCH"
  flock -n host/redis.flock true
}

@test "Redis is built by a run between its checks and its start; plan and doctor only look" {
  # A stub with the layout of the Redis source tree.
  mkdir -p redis-1/src
  printf '#!/bin/sh\nexec %s "$@"\n' "$(command -v redis-server)" >redis-1/src/start
  printf 'all:\n\tcp src/start src/redis-server\n\tchmod +x src/redis-server\n\techo built >>%s/built\n' "$SCRATCH" >redis-1/Makefile
  tar -czf redis-1.tar.gz redis-1
  base=$(ports_pick 2)
  untuned=(TUNE=off KERNEL=keep)
  words=("${untuned[@]}" -s demo SERVER=127.0.0.1 CLIENT_IP=127.0.0.1 REDISBASE="$base" KEYS=100 VALUE_SIZES=100 REDISRUNS=1
    REDIS="source:$SCRATCH/redis-1.tar.gz" REMOTE_DIR="$SCRATCH/host" RESULTS_DIR="$SCRATCH/results")
  succeeds run_split "$REPO/do_it.sh" doctor --all "${words[@]}"
  assert_match 'ok +redis-server +not installed yet +source:[^ ]+ +a run installs it'
  succeeds run_split "$REPO/do_it.sh" plan "${words[@]}" KEYS=auto FILL=20M
  assert_contains estimated
  refute_exists built
  # The cost of a key is measured after the build: what was built is not in the table.
  succeeds run_split "$REPO/do_it.sh" run "${untuned[@]}" "${words[@]}" KEYS=auto FILL=20M TIME=1 RATE=500
  assert_equal "$(wc -l <built)" 1
  assert_equal "$(cells known results/*/plan.tsv)" asked
  printf 'all:\n\t@echo no compiler here; false\n' >redis-1/Makefile
  tar -czf redis-1.tar.gz redis-1
  rm -r results
  refuses 3 "127.0.0.1: redis-server: Redis does not build:" run_split "$REPO/do_it.sh" run "${untuned[@]}" "${words[@]}"
  refute_exists results
  rm redis-1.tar.gz
  refuses any "$SCRATCH/redis-1.tar.gz: neither a version of Redis, nor a URL, nor a file here" master "REDIS=source:$SCRATCH/redis-1.tar.gz" ':'
  master '' 'REDIS=source:8.0.1-rc1 from="" source="" key=""; _server_redis; echo "$source"'
  assert_output https://download.redis.io/releases/redis-8.0.1-rc1.tar.gz
}
