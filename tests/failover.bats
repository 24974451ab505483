#!/usr/bin/env bats
# SPDX-License-Identifier: MIT
# FAULT: one node of a cluster goes down under load and comes back, and nothing is left behind on any way out.
# slow

load helper
load cluster
load logs
load releases

prepare() {
  [[ -x $REPO/test ]] || make -s -C "$REPO"
  untune
  BASE=$(cluster_ports 6)
  FAULTY=("$REPO/do_it.sh" run -s failover REDISBASE="$BASE" KEYS=1000 RATE=300 REDIS_CONF.cluster-node-timeout=3000 FAULT="at=2 down=1 settle=1" TIME=120 TRACK_WRITES=200
    REDISRUNS=1 PLACEMENT=none RESULTS_DIR="$SCRATCH/results")
}

# Print the events of a repeat, one word each: events REPEAT
events() { cut -f 3 "$1/server/events.tsv" | tail -n +2 | tr ' ' - | xargs; }

# Print a figure of the one repeat.
figure() {
  awk -F '\t' -v name="$1" '$1 == name { print $2 }' "$SCRATCH"/results/*/native/*/rep-1/failover.tsv
}

# Whether a node is down in a repeat of the run that is the job: is_down NUMBER
is_down() {
  grep -q "^[0-9:]* $1 of " "$SCRATCH/job.err" && cut -f 3 "$SCRATCH"/host/run-*/fault.part/events.tsv | grep -xF 'node down'
}

# Whether that is so, or the run has ended.
down_or_ended() { is_down "$1" || ! process_start "$JOB_PID"; }

# Wait until a node is down in a repeat of the run that is the job: wait_down NUMBER
wait_down() {
  wait_until 120 down_or_ended "$1" || :
  is_down "$1" || fail "no node is down in repeat $1: $(<"$SCRATCH/job.err")"
}

# No process has a file of a run as its output.
nobody_writes() { [[ -z $(find /proc/[0-9]*/fd/[12] -maxdepth 0 -lname "$SCRATCH/host/run-*" 2>/dev/null) ]]; }

# No process has the files of this test as its output any more, and no run has a directory.
nothing_left() {
  refute_exists "$SCRATCH"/host/run-*
  # A killed process needs a moment to end.
  wait_until 10 nobody_writes
  port_free "$BASE"
}

@test "a node is killed and comes back empty: every step is stamped, and the roles are as at the start" {
  local -x TIERBENCH_REPORT=on
  drawn_blank
  succeeds run_split "${FAULTY[@]}"
  repeat=$(echo "$SCRATCH"/results/*/native/*/rep-1)
  assert_equal "$(events "$repeat")" 'node-down taken-over node-up resync-ends failed-back settled'
  assert_equal "$(awk -F '[ :]' '/^### instance/ { port = $3 } /^role:/ { print port - base, $2 }' base="$BASE" "$repeat/server/info.after" | sort | xargs)" \
    '0 master 1 master 2 master 3 slave 4 slave 5 slave'
  # All keys are there again, also on the node that came back empty: keys, the marker and the tracked bits.
  assert_equal "$(grep -c '^db0:keys=1002,' "$repeat/server/info.after")" 6
  assert_equal "$(cut -f 1 "$repeat/windows.tsv" | tr ' ' - | xargs | sed 's/ drain//; s/ node-down//')" \
    'window before no-master resync synced failback after whole-run'
  assert_equal "$(awk -F '\t' 'NR > 1 { print $1 - base, $2, $3, $4 }' base="$BASE" "$repeat/server/cluster.tsv" | paste -sd ,)" \
    '0 1 0 master,1 2 1 master,2 3 2 master,3 2 0 replica,4 3 1 replica,5 1 2 replica'
  assert_exists "$SCRATCH"/results/*/plots/shards-1-1.svg
  [[ $(figure elections_expired) =~ ^[0-9]+$ ]] || fail 'elections are not counted'
  [[ $(figure takeover_s) =~ ^[0-9.]+$ && $(figure gap_s) =~ ^[0-9.]+$ ]] || fail "$(<"$repeat/failover.tsv")"
  awk -v gap="$(figure gap_s)" 'BEGIN { exit !(gap > 0.9) }' || fail "a gap of $(figure gap_s) s"
  (($(figure acked_writes) > 0)) || fail "$(figure acked_writes) acknowledged"
  assert_contains 'takeover_s' "$output"
  assert_match '"takeover_s": [0-9]' "$("$REPO/summary2csv.sh" --json "$SCRATCH"/results/*)"
  nothing_left
}

@test "a node that hangs is taken over, and goes on as a replica; its master killed while a node hangs, stop ends everything" {
  job_start "${FAULTY[@]}" FAULT="stop node=2 -failback" SWEEP="FAULT.down=1,60"
  wait_down 2
  kill -KILL -- "-$JOB_PID"
  job_wait 30
  repeat=$(echo "$SCRATCH"/results/*/native/*/rep-1)
  assert_equal "$(events "$repeat")" 'node-down taken-over node-up resync-ends settled'
  (($(phase_column mixed timeouts) + $(phase_column mixed lost) > 0)) || fail 'no request was on the way'
  assert_equal "$(phase_column mixed refused)" 0
  succeeds run_split "$REPO/do_it.sh" stop
  nothing_left
}

# Run code of a host with a fault, whose files are here: fault_code CODE [ARGUMENT]...
fault_code() {
  bash -c 'set -u
    for file in "$REPO"/lib/{shared/*,host/user,host/ports,host/start,host/part,part/fault/host}.sh; do . "$file"; done
    WORK=. RUN_ID=x FOLDER=. PART=. FAULT_NODE=1
    '"$1" bash "${@:2}"
}

@test "a call for a fault whose reply was lost makes one fault, with the limits of the first start; one that records its last step and ends while it is looked at is done, not failed" {
  succeeds run fault_code 'set -Eeuo pipefail
    RUN_OWNER=x RECORD=r INSTANCE_PLAN="" CLUSTER_TABLE="" SERVER_ADDRESS="" LOAD_USER="" LOAD_PASSWORD="" REDISBASE=1 REDIS_CONF_CLUSTER_NODE_TIMEOUT=1 PERSISTENCE=off FAULT=kill
    FAULT_AT=1 FAULT_DOWN=1 FAULT_FAILBACK=on FAULT_SETTLE=1 REDIS_BINARY=x REDIS_USER=keep
    exec {SERVER_LOCK}>lock
    host_user_limits() { ulimit -Sn 77; }
    host_fault_run() { ulimit -Sn >>limits && exec sleep 100; }
    host_fault_begin 0
    host_fault_begin 0
    until [[ -s limits ]]; do proc_pause; done
    proc_end 5 proc' 3>&-
  assert_equal "$(cut -f 3 proc)" fault
  assert_equal "$(<limits)" 77
  prints $'done\tsettled' run fault_code 'set -Eeuo pipefail
    host_fault_event "resync ends"
    printf "1\t1\tfault\n" >proc
    proc_alive() {
      host_fault_event settled
      return 1
    }
    host_fault_look'
}

# Print the events of a fault whose shard is not taken over within the time limit.
# Usage: [FAULT=kill] [PERSISTENCE=default] not_taken
not_taken() {
  FAULT=${FAULT-kill} PERSISTENCE=${PERSISTENCE-default} fault_code 'CLUSTER_TABLE=$(printf "7000\t1\t0\tmaster\n7001\t2\t0\treplica\t7000") REDIS_CONF_CLUSTER_NODE_TIMEOUT=100
    FAULT_AT=0 FAULT_DOWN=0 FAULT_FAILBACK=off FAULT_SETTLE=0 begin=0
    owner_lives() { SECONDS=$((SECONDS + 61)); }
    host_fault_signal() { :; }
    host_fault_says() { [[ $2 == state=online ]]; }
    host_fault_synced() { :; }
    host_fault_up() { host_fault_event "node up"; }
    host_fault_bytes() { echo 0; }
    printf "time_us\tnode\tevent\tdetail\n" >events.tsv
    host_fault_run
    cut -f 3 events.tsv | tail -n +2 | tr " " - | xargs'
}

# Whether a replica is in step with its master: linked PORT
linked() { redis-cli -p "$1" info replication | grep '^master_link_status:up'; }

# Copy 2 MB from a master to a replica, and compare what the replica, node 1, has received, in 100 KB.
# Usage: received 100KB SERVER [DIRECTIVE...]   100KB: empty if it is not known
received() {
  local wanted=$1
  shift
  local server=$1 master replica base
  shift
  base=$(ports_pick 2)
  for replica in "$base" $((base + 1)); do
    mkdir -p "$replica"
    printf '%s\n' "port $replica" 'bind 127.0.0.1' "dir $replica" 'save ""' 'repl-diskless-sync-delay 0' 'rdbcompression no' "$@" >"$replica.conf"
    job_start "$server" "$replica.conf"
    wait_until 10 redis-cli -p "$replica" ping
  done
  redis-cli -p "$base" eval 'for i = 1, 20000 do redis.call("SET", i, string.rep("x", 100)) end' 0 >/dev/null
  redis-cli -p "$replica" replicaof 127.0.0.1 "$base" >/dev/null
  wait_until 20 linked "$replica"
  fault_code 'CLUSTER_TABLE=$(printf "%s\t1\t0\treplica\t%s" "$1" "$2")
    host_fault_ask() { REDIS_REPLY=$(redis-cli -p "$1" $2); }
    host_fault_bytes' "$replica" "$base" >bytes
  assert_equal "$(awk '{ printf "%.0f", $1 / 1e5 }' bytes)" "$wanted"
}

@test "the bytes of a resync are all that the node received, also through a second connection, or are not known" {
  received 21 redis-server
  for name in redis-trixie valkey-trixie; do
    release_server "$name"
    received 21 "$REPLY"
  done
  release_server valkey-trixie
  received 21 "$REPLY" 'dual-channel-replication-enabled yes'
  release_server valkey-trixie
  received '' "$REPLY" 'dual-channel-replication-enabled yes' 'repl-diskless-load swapdb'
}

@test "a node whose port another process took while it was down stays down, and one that would come back empty to a shard that has no new master; the record says so" {
  redis_start
  fails 1 run fault_code 'FAULT=kill PERSISTENCE=off CLUSTER_TABLE=$(printf "1\t2\t0\tmaster\n%s\t1\t0\treplica" "$1")
    : >node.proc
    host_fault_up' "$REDIS_PORT"
  assert_match "^[0-9]+"$'\t1\trefused\t'"the node stays down: port $REDIS_PORT is taken( by .*)?, a process that is not of the run\$" "$(<events.tsv)"
  assert_equal "$(not_taken)" 'node-down not-taken-over refused'
  assert_contains 'the node stays down' "$(tail -n 1 events.tsv)"
  assert_equal "$(FAULT=term PERSISTENCE=off not_taken)" 'node-down not-taken-over refused'
  assert_equal "$(PERSISTENCE=aof not_taken)" 'node-down not-taken-over node-up resync-ends settled'
  assert_equal "$(FAULT=stop not_taken)" 'node-down not-taken-over node-up resync-ends settled'
}

@test "an instance whose failover Redis gave up is asked again, and is master in the end" {
  cluster_start 3 1
  master=${CLUSTER_PIDS[0]} replica=$((CLUSTER_PORT + 3))
  kill -STOP "$master"
  job_start fault_code 'owner_lives() { :; }
    REDISBASE=$1 LOAD_USER= LOAD_PASSWORD= CLUSTER_TABLE=$(printf "%s\t1\t1\treplica\t-\t-\t-\t-\t127.0.0.1" "$1")
    host_fault_back "$1" 1' "$replica"
  wait_until 30 grep -q 'Manual failover timed out' "cluster/$replica/log"
  kill -CONT "$master"
  job_wait 90
  assert_equal "$(cut -f 2- events.tsv)" $'1\tfailed back\tshard 1'
  assert_contains role:master "$(redis-cli -p "$replica" info replication)"
}

@test "without a replica in step no fault is made; a node that is told to end is taken over, and cluster-require-full-coverage is what the other shards pay until then" {
  job_start "${FAULTY[@]}" SWEEP="FAULT=kill,term" REDIS_CONF.cluster-require-full-coverage=yes FAULT="at=8 -failback"
  job_load mixed
  # The replica of shard 0, which is on node 1.
  pid=$(awk -v port=$((BASE + 3)) '$3 == port { print $1 }' "$SCRATCH"/host/run-*/server/instances.proc)
  redis_password=$(sed -n 's/^requirepass //p' "$SCRATCH"/host/run-*/server/"$BASE.conf")
  REDISCLI_AUTH=$redis_password redis-cli -p "$BASE" client kill type replica
  kill -STOP "$pid"
  REDISCLI_AUTH=$redis_password redis-cli -p "$BASE" client kill type replica
  wait_until 60 grep -q 'no fault was made' job.err
  kill -CONT "$pid"
  refuses 1 'shard 0 has no replica in step; no fault was made' job_wait 120
  repeat=$(echo "$SCRATCH"/results/*/native/*/rep-1)
  assert_equal "$(events "$repeat")" 'node-down taken-over node-up resync-ends settled'
  # Detection takes longer than a request, and the election at least half a second: shards of other nodes refused some requests.
  (($(phase_column mixed clusterdown) > 0)) || fail 'the other shards served on'
  assert_equal "$(grep -c '^db0:keys=1002,' "$repeat/server/info.after")" 6
  nothing_left
}

# Print figures of a fault of node 1, which has the masters of shards 0 and 3; it goes down at 10 s.
# Usage: figures_of EVENTS GAPS NAME...
#   EVENTS are SECOND:EVENT, separated by commas; GAPS are SHARD:FROM:TO, separated by blanks
figures_of() {
  printf 'window\tfrom_s\tp99_us\n' >windows.tsv
  { echo port:node:shard:role && printf '%s:master\n' 7000:1:0 7001:2:1 7002:3:2 7003:1:3 && printf '%s:replica\n' 7004:2:0 7005:1:1; } | tr : '\t' >cluster.tsv
  { printf 'time_us\tnode\tevent\n' && tr , '\n' <<<"10:node down,$1" | sed -E 's/^([0-9]+):/\1000000\t1\t/'; } >events.tsv
  { echo shard:from_s:to_s && tr ' ' '\n' <<<"$2"; } | tr : '\t' >gaps.tsv
  awk -F '\t' -v start=0 -v phase=mixed -f "$REPO/lib/part/fault/failover.awk" windows.tsv cluster.tsv events.tsv gaps.tsv >failover.tsv
  awk -F '\t' -v names="${*:3}" '{ of[$1] = $2 } END { n = split(names, name, " "); for (i = 1; i <= n; i++) print of[name[i]] }' failover.tsv | xargs
}

@test "elections that expired are counted once each, and the repeat says so; a gap belongs to the shards of the node, in the outage or in the failback, or to others; one that no replica takes over has no master until its node is up" {
  local events='13:taken over,14:taken over,25:node up,30:resync ends,32:failed back,33:failed back' names='gap_s gap_others_s failback_gap_s'
  # Each shard of the node has a gap in the failback, and the longer one is first.
  assert_equal "$(figures_of "$events" '0:9.9:14 3:9.9:15 1:5:5.2 0:32:32.6 3:33:33.4' "$names")" '5.10 0.20 0.60'
  # Other shards are silent in the outage and in the failback.
  assert_equal "$(figures_of "$events" '0:9.9:14 1:10:18 2:33:33.9' "$names")" '4.10 8.00 0.00'
  # The node comes back: its shards have another master, which stalls. What ended before the fault is not its effect.
  assert_equal "$(figures_of "$events" '3:2:9 0:9.9:12 3:26:29' "$names")" '3.00 0.00 0.00'
  # Without a failback there is no gap of one.
  assert_equal "$(figures_of "${events%%,32*}" '0:9.9:14 3:35:41' "$names")" '6.00 0.00 -'
  local names='takeover_first_s takeover_s'
  assert_equal "$(figures_of '13:taken over,14:taken over,25:node up' '' "$names")" '3.00 4.00'
  assert_equal "$(figures_of '13:taken over,22:not taken over,25:node up' '' "$names")" '3.00 -'
  awk 'BEGIN { print "time_s\tops\terrors"; for (i = 1; i <= 40; i++) print i "\t100\t0" }' >series.tsv
  windows() { awk -F '\t' -v start=0 -f "$REPO/lib/part/fault/windows.awk" events.tsv series.tsv | cut -f 1,2 | tr '\t\n' ' ,'; }
  assert_equal "$(windows)" 'before 1.000-10.000,no master 10.000-25.000,whole run 1.000-40.000,'
  assert_equal "$(figures_of '22:not taken over,25:node up' '' "$names")" '- -'
  assert_equal "$(windows)" 'before 1.000-10.000,no master 10.000-25.000,whole run 1.000-40.000,'
  figures_of '13:taken over,14:taken over,25:node up' ''
  assert_equal "$(windows)" 'before 1.000-10.000,no master 10.000-14.000,node down 14.000-25.000,whole run 1.000-40.000,'
  mkdir -p rep/server
  printf '7:S 23 Nov 2026 00:00:0%s.000 # %s\n' 1 'Starting a failover election for epoch 4.' 2 'Currently unable to failover: Waiting for votes, but majority still not reached.' \
    3 'Currently unable to failover: Failover attempt expired.' 4 'Currently unable to failover: Failover attempt expired.' \
    5 'Starting a failover election for epoch 5.' 6 "Failover election won: I'm the new master." >rep/server/redis-7003.log
  sed '$d' rep/server/redis-7003.log >rep/server/redis-7004.log
  printf '7:S 23 Nov 2026 00:00:07.000 # Currently unable to failover: Failover attempt expired.\n' >>rep/server/redis-7004.log
  printf 'window\tfrom_s\nbefore\t1\n' >rep/windows.tsv
  succeeds modules_run '
    _fault_expired rep >rep/failover.tsv
    fault_show rep'
  assert_equal "$(<rep/failover.tsv)" $'elections_expired\t3'
  assert_contains 'warning: elections expired: 3;' "$output"
  printf 'elections_expired\t0\n' >rep/failover.tsv
  succeeds run modules 'fault_show rep'
  refute_contains warning
}

@test "the drain is above the throughput of each client before the fault, whatever share of the load it has; with a repeated phase, the fault and its figures are of the last one" {
  printf 'time_us\tnode\tevent\tdetail\n10000000\t1\tnode down\t\n14000000\t1\ttaken over\t\n25000000\t1\tnode up\t\n' >events.tsv
  # The second client has half of the first one's load, and sends twice as much for a second.
  series() { awk -v ops="$1" -v drained="$2" 'BEGIN { print "time_s\tops\terrors"; for (i = 1; i <= 400; i++) print i / 10 "\t" (i > 140 && i <= 150 ? drained : ops) "\t0" }'; }
  windows() { awk -F '\t' -v start=0 -f "$REPO/lib/part/fault/windows.awk" events.tsv a.tsv b.tsv | cut -f 1,2,4 | grep -E '^(drain|node down)' | tr '\t\n' ' ,'; }
  series 20 20 >a.tsv
  series 10 10 >b.tsv
  assert_equal "$(windows)" 'node down 14.000-25.000 100.0,'
  series 10 20 >b.tsv
  assert_equal "$(windows)" 'drain 14.000-15.000 133.3,node down 15.000-25.000 100.0,'
  mkdir -p rep/server rep/c
  printf 'phase\tclient\tstart_us\nget\tc\t1000000\nget-2\tc\t5000000\n' >rep/starts.tsv
  printf 'time_us\tnode\tevent\tdetail\n6000000\t1\tnode down\t\n' >rep/server/events.tsv
  printf 'time_s\tops\terrors\n1\t100\t0\n2\t50\t7\n' >rep/c/get-2.series.tsv
  printf 'port\tnode\tshard\trole\n7000\t1\t0\tmaster\n' >rep/server/cluster.tsv
  printf 'shard\tfrom_s\tto_s\n0\t1\t1.5\n' >rep/c/get-2.gaps.tsv
  # In place of the program, which is asked for the windows of these logs.
  program_make ./test '#!/bin/sh\necho "$*" >asked\n'
  prints 'begins: _fault_begin get-2' run modules 'ROOT=$PWD SERVER=s HOST=s FAULT=kill FAULT_NODE=1 TRACK_WRITES=0 PHASES="populate get get"
    servers_at() { echo "begins: ${*:2}"; }
    for phase in populate get get-2; do fault_goes "$phase" "$phase"; done
    _fault_expired() { :; }
    parts_last_phase
    fault_write rep "$REPLY" c'
  assert_match ' rep/c/get-2.hlog$' "$(<asked)"
  assert_equal "$(awk -F '\t' '$1 ~ /^(phase|gap_s)$/ { print $2 }' rep/failover.tsv | xargs)" 'get-2 0.50'
}
