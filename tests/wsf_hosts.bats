#!/usr/bin/env bats
# SPDX-License-Identifier: MIT
# The Redis-Memtier workload over several hosts: the hosts that make the load, and their seeds.
# slow

load helper
load netns

SERVER_HOST=198.18.0.1
CLIENTS="198.18.0.11 198.18.0.12"

prepare() {
  untune
  netns_up "$SCRATCH"
  WORDS=(-s wsf-pkm SERVER="$SERVER_HOST" CLIENT_IP="$CLIENTS" SSH_CONFIG="$NETNS_SSH_CONFIG" REMOTE_DIR="$SCRATCH/host"
    RESULTS_DIR="$SCRATCH/results" CPU_USED=2 MEMTIER_DATA_SIZE=100 MEMTIER_KEY_MAXIMUM=999 MEMTIER_TEST_TIME=0 MEMTIER_REQUESTS=50)
}

# Run do_it.sh on the master, and print the hosts that made the load, with the seed and the requests of each.
loads() {
  succeeds run_split netns_exec client1 "$REPO/do_it.sh" run "${WORDS[@]}" "$@"
  local file
  for file in results/*/native/*/rep-1/198.*/result.tsv; do
    awk -F '\t' -v host="$(basename "${file%/*}")" 'NR == 1 { for (i = 1; i <= NF; i++) at[$i] = i }
      $at["operation"] == "mixed" { print host, $at["seed"], $at["ops"] }' "$file"
  done
}

@test "the first client of several, as many as asked for, or the server alone make the load" {
  assert_equal "$(loads CLIENT_COUNT=2 MEMTIER_DISTINCT_CLIENT_SEED=true)" $'198.18.0.11 1 800\n198.18.0.12 2 800'
  succeeds run_split "$REPO/do_it.sh" kpi results/*
  assert_contains 'Formal execution: Instance 1 ops(ops/sec):'
  # The topology of another server, which the plan does not ask.
  planned=("${WORDS[@]}" FACTS="$REPO/tests/fixtures/cpus/2x12.lscpu" SERVER_CORES=8 SERVER_MEM=16)
  run_plan "${planned[@]}"
  assert_line 'clients  198.18.0.11'
  run_plan "${planned[@]}" RUN_SINGLE_NODE=true
  assert_line 'clients  198.18.0.1'
}
