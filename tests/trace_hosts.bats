#!/usr/bin/env bats
# SPDX-License-Identifier: MIT
# A recorded trace on several clients, and on a full disk.
# slow

load helper
load loadgen
load netns

prepare() {
  untune
}

teardown() {
  netns_down
  rm -rf -- "/var/tmp/${SCRATCH##*/}"
  scratch_teardown
}

@test "where the disk beside the trace is full, the index is in the cache" {
  unshare -m true 2>/dev/null || skip 'a namespace of mounts cannot be made here'
  trace_make 3000 100 20 >t.csv
  mkdir full
  redis_start
  succeeds run_split env OMP_NUM_THREADS=1 XDG_CACHE_HOME="$SCRATCH/cache" unshare -m --propagation private bash -c '
    mount -t tmpfs -o size=$(($(stat -c %s t.csv) / 4096 * 4 + 40))k none full && cp t.csv full/ &&
      "$1" --out out --trace full/t.csv --speed max 127.0.0.1 "$2" && ls full' - "$REPO/test" "$REDIS_PORT"
  assert_equal "$(tail -n 1 <<<"$output") $(result replay ops)" 't.csv 3000'
  assert_equal "$(find cache/tierbench -name 't.csv-*' -size -97k | wc -l)" 1
}

@test "two clients share a trace by its keys: each request is sent once, as the server counts, in the order of each key" {
  folder=/var/tmp/${SCRATCH##*/}
  netns_up "$SCRATCH"
  trace_make 6000 3000 400 >t.csv
  # The master is the first client, with the files of this machine.
  mkdir "$folder"
  cp t.csv "$folder"
  netns_host client2 bash -c 'mkdir -p "$1" && cat >"$1/t.csv"' - "$folder" <t.csv
  run_split netns_exec client1 "$REPO/do_it.sh" run -s demo SERVER=198.18.0.1 CLIENT_IP="198.18.0.11 198.18.0.12" SSH_CONFIG="$NETNS_SSH_CONFIG" \
    REMOTE_DIR="$SCRATCH/host" RESULTS_DIR="$SCRATCH/results" SRV_OVERRIDE=3 KEYS=400 VALUE_SIZES=1000 REDISRUNS=1 FOREIGN=off PHASES=replay REPLAY="$folder/t.csv"
  succeeds netns_host client2 rm -rf -- "$folder"
  rep=$(echo results/*/native/*/rep-1)
  cat "$rep"/198.*/replay.commands.tsv >commands
  assert_equal "$(awk '$1 != "command" { sum += $3 } END { print sum }' commands)" 6000
  for host in 198.18.0.11 198.18.0.12; do (($(result replay ops "$rep/$host") > 500)) || fail "$host sent $(result replay ops "$rep/$host") requests"; done
  # The calls of all instances, and what GET found: the model does one request after the other.
  assert_equal "$(awk -F '\t' '$1 == "replay" && $3 == "calls" { sum += $5 - $4; n++ } END { print n, sum }' "$rep/server/counters.tsv")" "3 6000"
  read -r hits misses rest < <(awk -F , -v fill=0 -f "$REPO/tests/trace.awk" t.csv)
  assert_equal "$(awk -F '\t' '$1 == "replay" && $3 ~ /^keyspace_(hits|misses)$/ { sum[$3] += $5 - $4 } END { print sum["keyspace_hits"], sum["keyspace_misses"] }' \
    "$rep/server/counters.tsv")" "$hits $misses"
  assert_equal "$(($(result replay misses "$rep/198.18.0.11") + $(result replay misses "$rep/198.18.0.12")))" "$misses"
}
