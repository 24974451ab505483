#!/usr/bin/env bats
# SPDX-License-Identifier: MIT
# A Redis Cluster over three servers, each a separate host, of which one goes down; nothing is left on any host.
# slow

load helper
load cluster
NETNS_SERVERS=3
load netns

SERVERS_IP="198.18.0.1 198.18.0.2 198.18.0.3"

prepare() {
  untune
  netns_up "$SCRATCH"
  [[ $NETNS_FILES != shared ]] || skip 'the namespaces share their files here, which three servers cannot'
  WORDS=(SERVER="$SERVERS_IP" SSH_CONFIG="$NETNS_SSH_CONFIG" REMOTE_DIR="$SCRATCH/host" RESULTS_DIR="$SCRATCH/results" INSTANCES=6 REDISRUNS=1
    PLACEMENT=none FOREIGN=off)
}

# No process of Redis, no directory of a run and no lock on any host.
nothing_left() {
  local host
  for host in "${NETNS_HOSTS[@]}"; do
    assert_equal "$(netns_host "$host" find "$SCRATCH"/{host,locks} \( -name 'run-*' -o -name 'tierbench-lock*' \) 2>/dev/null)" ''
    assert_equal "$(ss -N "$(netns_name "$host")" -Htln | awk '$4 !~ /:22$/ { print $4 }')" ''
  done
}

# Print a column of a phase of all clients, added up.
# Usage: sum PHASE COLUMN
sum() {
  phase_column "$1" "$2" | awk '{ sum += $1 } END { print sum + 0 }'
}

# Print a figure of phase get, of all clients.
# Usage: figure NAME
figure() {
  "$REPO/summary2csv.sh" --total "$SCRATCH"/results/* | cells -c -w operation=get "$1"
}

# Whether the load of the second repeat has begun.
loads_again() { (($(grep -c 'phase get starts' job.err) == 2)); }

# Whether the second server is down in the second fault.
is_down() {
  grep -q '^[0-9:]* 2 of 2:' "$SCRATCH/job.err" && netns_host server2 bash -c "cut -f 3 '$SCRATCH'/host/run-*/fault.part/events.tsv 2>/dev/null | grep -xF 'node down'"
}

# Whether that is so, or the run that is the job has ended.
down_or_ended() {
  is_down || ! process_start "$JOB_PID"
}

@test "four shards on three servers, loaded by two clients: what all servers count is what both clients count, and files of all are there; one machine under two names is refused" {
  succeeds run_split netns_exec client1 "$REPO/do_it.sh" run -s cluster "${WORDS[@]}" CLIENT_IP="198.18.0.11 198.18.0.12" INSTANCES=4 KEYS=1000 TIME=1 RATE=300
  rep=$(echo "$SCRATCH"/results/*/native/*/rep-1)
  # The first four ports are the masters.
  assert_equal "$(awk -F '\t' '$1 ~ /^(populate|mixed)$/ && $2 ~ /^[0-9]+$/ && $2 < 6383 && $3 == "calls" { sum += $5 - $4 } END { print sum }' "$rep/server/counters.tsv")" \
    "$(($(sum populate ops) + $(sum mixed ops) + $(sum mixed late)))"
  assert_equal "$(sum mixed errors) $(sum mixed moved) $(sum mixed misses)" '0 0 0'
  # The keys and the marker, on masters and replicas.
  assert_equal "$(grep -c '^db0:keys=1001,' "$rep/server/info.after")" 8
  assert_equal "$(find "$rep/server" -maxdepth 1 -name 'redis-*.log' | wc -l)" 8
  assert_equal "$(cut -f 5 "$rep/server/cluster.tsv" | sort | uniq -c | awk '{ print $1, $2 }' | paste -sd ,)" '3 198.18.0.1,2 198.18.0.2,3 198.18.0.3,1 host'
  for host in $SERVERS_IP; do
    assert_exists "$rep/server/$host/vmstat.tsv" "$rep/server/$host/pressure.tsv" "$rep/../../../env/$host/facts.tsv" "$rep/../../../env/$host/env.tsv" "$rep/../../../env/$host/tiers.tsv"
    awk -F '\t' '$1 == "mixed" && $3 == "used_memory" { n++ } END { print n }' "$rep/server/$host/counters.tsv"
    awk -F '\t' -v host="server:$host" '$1 == "mixed" && $2 == host { found = 1 } END { exit !found }' "$rep/foreign.tsv" || fail "$(<"$rep/foreign.tsv")"
  done >instances
  assert_equal "$(xargs <instances)" '3 2 3'
  assert_equal "$(awk -F '\t' '$1 == "mixed" && $3 == "calls" && $2 ~ /^[0-9]+$/ { n++ } END { print n }' "$rep/server/counters.tsv")" 8
  assert_equal "$(awk -F '\t' '$1 == "mixed" && $2 == "host" && $3 == "pgmajfault" { n++ } END { print n }' "$rep/server/counters.tsv")" 1
  assert_equal "$(awk -F '\t' 'NR > 1 { seen[$2] = 1 } END { for (port in seen) n++; print n }' "$rep/server/instances.tsv")" 8
  succeeds run_split "$REPO/do_it.sh" verify "$SCRATCH"/results/*
  nothing_left

  fails 2 run_split netns_exec client1 "$REPO/do_it.sh" plan -s cluster "${WORDS[@]}" SERVER="198.18.0.1 198.18.0.11 client1" CLIENT_IP=198.18.0.12 KEYS=1000 SERVER_CORES=4 SERVER_MEM=8
  assert_contains 'SERVER=198.18.0.1 198.18.0.11 client1: 198.18.0.11 and client1 are one machine; give each server once' "$STDERR"
}

@test "the second server goes down and comes back empty: its instances alone, and all keys are there again; its master killed in the next fault, stop ends everything" {
  job_start nsenter --net="/run/netns/$(netns_name client1)" -- "$REPO/do_it.sh" run -s failover "${WORDS[@]}" CLIENT_IP=198.18.0.11 KEYS=1000 RATE=300 \
    REDIS_CONF.cluster-node-timeout=5000 FAULT="node=2 at=2 down=1 settle=1" TIME=120 TRACK_WRITES=200 SWEEP="FAULT=kill,stop"
  # The second fault stops processes, and the master is killed while they hang.
  wait_until 120 down_or_ended || :
  is_down || fail "no second fault: $(<"$SCRATCH/job.err")"
  kill -KILL -- "-$JOB_PID"
  job_wait 30
  rep=$(echo "$SCRATCH"/results/*/native/*/rep-1)
  assert_equal "$(cut -f 2,3 "$rep/server/events.tsv" | tail -n +2 | tr ' \t' '-:' | uniq | xargs)" \
    '2:node-down 2:taken-over 2:node-up 2:resync-ends 2:failed-back 2:settled'
  assert_equal "$(grep -c $'\ttaken over\t' "$rep/server/events.tsv") $(grep -c $'\tfailed back\t' "$rep/server/events.tsv")" '2 2'
  # The masters of the second server are masters again, and its processes began anew; those of the others have run on.
  assert_equal "$(awk -F '[ :]' '/^### instance/ { port = $3 } /^role:/ { print port - 6379, $2 }' "$rep/server/info.after" | sort -n | awk '{ print $2 }' | uniq -c | xargs)" \
    '6 master 6 slave'
  awk -F '\t' '$2 == 2 { print $1 }' "$rep/server/cluster.tsv" | sort >second
  grep -l 'Ready to accept' "$rep"/server/redis-*.log | while read -r file; do
    [[ $(grep -c 'Ready to accept' "$file") == 1 ]] || basename "$file" .log | sed 's/redis-//'
  done | sort >again
  assert_equal "$(<again)" "$(<second)"
  assert_equal "$(grep -c '^db0:keys=1002,' "$rep/server/info.after")" 12
  succeeds run_split netns_exec client1 "$REPO/do_it.sh" stop "${WORDS[@]}" CLIENT_IP=198.18.0.11
  assert_contains '198.18.0.2: stopped everything that'
  nothing_left
}

@test "instances of another host are left alone, although this one sees their processes and the same paths" {
  folder=$SCRATCH/host/run-demo-1-abcdef01
  netns_host server bash -c 'umask 077 && mkdir -p "$1/server" && echo $$ >"$1/../pid" && exec sleep 600 >"$1/server/redis-6379.log" 2>&1' - "$folder" </dev/null 3>&- &
  wait_until 10 netns_host server test -s "$folder/server/../../pid"
  record=$(netns_host server cat "$SCRATCH/host/pid")
  record+=:$(process_start "$record")
  owner=$(printf 'demo-1-abcdef01\tme\there\t0\t0\t%s\t%s\t2026-01-01T00:00:00Z\t60' "$(</proc/sys/kernel/random/boot_id)" "$(readlink /proc/self/ns/pid)")
  netns_host server2 bash -c 'umask 077 && mkdir -p "$1/server" && printf "%s\n" "$2" >"$1/owner" && : >"$1/server/redis-6379.log"' - "$folder" "$owner"
  succeeds run_split netns_exec client1 "$REPO/do_it.sh" stop SERVER=198.18.0.2 CLIENT_IP=198.18.0.11 SSH_CONFIG="$NETNS_SSH_CONFIG"
  assert_contains '198.18.0.2: stopped everything that demo-1-abcdef01 had left' "$output"
  process_alive "${record%:*}" "${record#*:}" || fail 'stopped with the run of another host'
  succeeds run_split netns_exec client1 "$REPO/do_it.sh" stop SERVER=198.18.0.2 CLIENT_IP=198.18.0.11 SSH_CONFIG="$NETNS_SSH_CONFIG"
  process_alive "${record%:*}" "${record#*:}" || fail 'stopped as a run whose directory is gone'
  succeeds run_split netns_exec client1 "$REPO/do_it.sh" stop SERVER=198.18.0.1 CLIENT_IP=198.18.0.11 SSH_CONFIG="$NETNS_SSH_CONFIG"
  assert_contains '198.18.0.1: stopped everything that demo-1-abcdef01 had left' "$output"
  process_gone "${record%:*}" "${record#*:}"
}

@test "without a cluster three servers share five instances: each client loads its own by TLS, on whichever server they are, and what is measured on each is added up" {
  run_split netns_exec client1 "$REPO/do_it.sh" run -s demo "${WORDS[@]}" CLIENT_IP="198.18.0.11 198.18.0.12" INSTANCES=5 KEYS=500 VALUE_SIZES=100 TLS=on \
    PHASES="populate get" TIME=1 RATE=300 SIDECAR='tail -n +1 -f /proc/net/fib_trie' FAR.events=minor-faults NEIGHBOUR=0.05 COLD_MEMORY=8M
  assert_success
  rep=$(echo "$SCRATCH"/results/*/native/*/rep-1)
  assert_equal "$(awk -F '[=,]' '/^cmdstat_set:/ { sum += $2 } END { print sum }' "$rep/server/info.after")" "$(sum populate ops)"
  assert_equal "$(awk -F '\t' '$1 == "get" && $3 == "calls" && $2 ~ /^[0-9]+$/ { sum += $5 - $4 } END { print sum }' "$rep/server/counters.tsv")" "$(($(sum get ops) + $(sum get late)))"
  assert_equal "$(sum populate errors) $(sum get errors) $(sum get misses)" '0 0 0'
  assert_equal "$(grep -c '^db0:keys=501,' "$rep/server/info.after")" 5
  for host in $SERVERS_IP; do
    awk -F '\t' '$1 == "get" && $3 == "calls" { n++ } END { print n }' "$rep/server/$host/counters.tsv"
    # The program ran on each server until it was stopped: the file names the addresses of the host.
    grep -qwF "$host" "$rep/server/$host/sidecar/sidecar.log" || fail "sidecar of $host: $(<"$rep/server/$host/sidecar/sidecar.log")"
  done >instances
  assert_equal "$(xargs <instances)" '2 2 1'
  refute_contains SIDECAR "$STDERR"
  assert_equal "$(cat "$rep"/server/198.*/neighbour.tsv | grep -c '^[0-9]')" "$(grep -c '^[0-9]' "$rep/server/neighbour.tsv")"
  assert_match '^0\.0[0-9]+$' "$(figure neighbour_gb_s)"
  (($(figure cold_bytes) >= 3 << 23 && $(figure cold_bytes) < 3 << 24)) || fail "$(figure cold_bytes) B of cold memory"
  ! perf_counts || assert_match $'^get\tFAR.events\tinstance\tminor-faults\tminor-faults\t[1-9][0-9]*\t100.00$' "$(grep ^get "$rep/far.tsv")"
  succeeds run_split "$REPO/do_it.sh" verify "$SCRATCH"/results/*
  nothing_left
}

@test "a part and a tier that new wrote outside of the tree, on two servers: rows of doctor, columns, and after kill -9 stop ends what they have" {
  words=("${WORDS[@]}" -s demo -v balloon SERVER="198.18.0.1 198.18.0.2" CLIENT_IP=198.18.0.11 INSTANCES=2 KEYS=1000 VALUE_SIZES=100 PHASES="populate get" TOY=on REPORT=off)
  export TIERBENCH_PATH=$SCRATCH/mine
  mkdir mine
  "$REPO/do_it.sh" new part toy
  "$REPO/do_it.sh" new tier balloon
  sed -i 's/^  "host_toy_$1"$/  [[ $1 != read ]] || host_toy_start\n&/' mine/part/toy/host.sh
  cat >>mine/part/toy/host.sh <<'END'
host_toy_start() {
  host_part toy
  host_part_fresh
  host_part_launch toy sleep 900 >"$PART/said" 2>&1
  host_part_made
}
END
  run_split netns_exec client1 "$REPO/do_it.sh" doctor --all "${words[@]}"
  assert_equal "$(grep -cE '^ +ok +(variant balloon +a tmpfs can|toy +MemAvailable)' <<<"$output")" 4
  job_start nsenter --net="/run/netns/$(netns_name client1)" -- "$REPO/do_it.sh" run "${words[@]}" SWEEP=TIME=0,300 RATE=100
  wait_until 120 loads_again
  kill -KILL -- "-$JOB_PID"
  job_wait 30
  for host in server server2; do
    netns_host "$host" bash -c "mountpoint -q '$SCRATCH'/host/run-*/tier/balloon && read -r pid _ <'$SCRATCH'/host/run-*/toy.part/proc && echo \"\$pid\""
  done >pids
  assert_equal "$(wc -l <pids)" 2
  # Of the first repeat.
  assert_equal "$(figure placement)" ok
  assert_match '^-?[0-9]+$' "$(figure toy_bytes)"
  # Without the path, how the tier is undone is unknown.
  TIERBENCH_PATH='' fails 3 run_split netns_exec client1 "$REPO/do_it.sh" stop "${WORDS[@]:0:4}" SERVER="198.18.0.1 198.18.0.2" CLIENT_IP=198.18.0.11
  assert_contains 'its tier is missing; set TIERBENCH_PATH as for the run' "$STDERR"
  succeeds run_split netns_exec client1 "$REPO/do_it.sh" stop "${words[@]}"
  assert_contains "198.18.0.2: tier: removed balloon $SCRATCH/host/run-"
  nothing_left
  while read -r host; do refute_exists "/proc/$host"; done <pids
}
