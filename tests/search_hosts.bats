#!/usr/bin/env bats
# SPDX-License-Identifier: MIT
# A search with two servers and two clients: the rate is divided, and a step combines the results of all.
# slow

load helper
load searches
NETNS_SERVERS=2
load netns

SERVERS_IP="198.18.0.1 198.18.0.2"
CLIENTS="198.18.0.11 198.18.0.12"

prepare() {
  untune
  netns_up "$SCRATCH"
  [[ $NETNS_FILES != shared ]] || skip 'the namespaces share their files here, which two servers cannot'
}

@test "each client has its part of every step; a step's row has the sum, and percentiles of both histograms" {
  # Else the closed loop takes all CPU time of this machine.
  slow_make
  for host in server server2; do netns_host "$host" bash -c "mkdir -p '$SCRATCH' && cat >'$SCRATCH/slow.so'" <slow.so; done
  search_short 2% 6
  run_split netns_exec client1 "$SCRATCH/do_it.sh" run -s demo SERVER="$SERVERS_IP" CLIENT_IP="$CLIENTS" SSH_CONFIG="$NETNS_SSH_CONFIG" REMOTE_DIR="$SCRATCH/host" \
    RESULTS_DIR="$SCRATCH/results" SRV_OVERRIDE=3 KEYS=500 VALUE_SIZES=100 REDISRUNS=1 PHASES="populate mixed" KEY_PATTERN=uniform TIME=1 SEARCH_TIME=0.5 FOREIGN=off \
    RATE=search LIMITS="avg<=200ms" SERVER_PREFIX="env LD_PRELOAD=$SCRATCH/slow.so"
  assert_success
  rep=$(echo results/*/native/*/rep-1)
  for client in $CLIENTS; do
    cells rate "$rep/$client/steps.tsv" >"$client.rate"
    cells max_us "$rep/$client/steps.tsv" >"$client.max"
  done
  # CPU time of other programs is known on both servers, and each counted its instances.
  assert_match '^[0-9.]+( [0-9.]+)*$' "$(cells foreign_server "$rep/steps.tsv" | xargs)"
  assert_equal "$(awk -F '\t' '$1 == "mixed" && $3 == "calls" { print FILENAME }' "$rep"/server/198.*/counters.tsv | uniq -c | awk '{ print $1 }' | xargs)" '2 1'
  assert_equal "$(awk -F '\t' '$1 == "mixed" && $3 == "calls" { sum += $5 - $4 } END { print sum }' "$rep/server/counters.tsv")" \
    "$(awk -F '\t' 'FNR == 1 { for (i = 1; i <= NF; i++) at[$i] = i } $at["operation"] == "mixed" { sum += $at["ops"] + $at["late"] } END { print sum }' "$rep"/198.*/result.tsv)"
  # The first client has two of the three instances. The closed loop has no rate.
  paste "$rep/steps.tsv" <(sed '1i rate' 198.18.0.11.rate) <(sed '1i rate' 198.18.0.12.rate) <(sed '1i max' 198.18.0.11.max) <(sed '1i max' 198.18.0.12.max) >all
  awk -F '\t' 'NR == 1 { for (i = 1; i <= NF; i++) if (!($i in at)) at[$i] = i; next }
    function off(a, b) { return a - b > 0.001 * b + 0.01 || b - a > 0.001 * b + 0.01 }
    off($(NF - 3), $at["rate"] * 2 / 3) || off($(NF - 2), $at["rate"] / 3) || $at["max_us"] != ($(NF - 1) > $NF ? $(NF - 1) : $NF) { print; bad = 1 }
    END { exit bad || NR < 8 }' all || fail "a step's row is not the sum of both clients"
  assert_equal "$(awk -F '\t' 'NR == 1 { for (i = 1; i <= NF; i++) at[$i] = i } $at["operation"] == "mixed" { print ($at["rate"] > 0) }' "$rep"/198.*/result.tsv)" $'1\n1'
  succeeds run_split "$REPO/summary2csv.sh" --total results/*
  assert_equal "${#lines[@]}" 3
}
