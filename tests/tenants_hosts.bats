#!/usr/bin/env bats
# SPDX-License-Identifier: MIT
# TENANTS on several servers, loaded by several clients at the same time.
# lane: host

NETNS_SERVERS=2
load helper
load netns

prepare() {
  untune
  export TIERBENCH_PATH=$SCRATCH/own
  mkdir -p own/tenants
  printf '%s\n' KEYS=2000 VALUE_SIZES=100 RATE=600 >own/tenants/wide.conf
  printf '%s\n' KEYS=500 VALUE_SIZES=1000 RATE=200 >own/tenants/thin.conf
  chmod -R go-w own
}

teardown() {
  netns_down
  scratch_teardown
}

@test "a tenant has instances on both servers and load of both clients; its total is that of both, and what its instances counted" {
  local run
  netns_up "$SCRATCH"
  run_split netns_exec client1 "$REPO/do_it.sh" run -s tenants -v native SERVER="198.18.0.1 198.18.0.2" CLIENT_IP="198.18.0.11 198.18.0.12" \
    SSH_CONFIG="$NETNS_SSH_CONFIG" REMOTE_DIR="$SCRATCH/host" RESULTS_DIR="$SCRATCH/results" REDISRUNS=1 WARMUP=0 TIME=2 TENANTS.load=all TENANTS='wide*3 thin' FOREIGN=off
  assert_success
  run=$(echo results/2*)
  assert_equal "$(cut -f 1-5 "$run"/native/*/rep-1/tenants.tsv | sed 1d | tr '\t' ' ' | paste -sd ,)" \
    '198.18.0.11@wide wide 6379 2 3,198.18.0.12@wide wide 6381 1 3,198.18.0.11@thin thin 6382 1 1'
  "$REPO/summary2csv.sh" --total "$run" >totals.csv
  python3 - "$run"/native/*/rep-1/server/counters.tsv <<'EOF'
import csv, sys
totals = {row["operation"]: row for row in csv.DictReader(open("totals.csv"))}
counted = {}
for row in csv.DictReader(open(sys.argv[1]), delimiter="\t"):
    if row["counter"] == "calls" and row["phase"] == "mixed":
        name = "thin" if row["scope"] == "6382" else "wide"
        counted[name] = counted.get(name, 0) + int(row["after"]) - int(row["before"])
assert counted == {name: int(totals["mixed-" + name]["ops"]) + int(totals["mixed-" + name]["late"]) for name in ("wide", "thin")}, (counted, totals)
assert (totals["mixed-wide"]["clients"], totals["mixed-thin"]["clients"], totals["mixed"]["clients"]) == ("2", "1", "2")
assert totals["mixed-wide"]["servers"] == "3" and float(totals["mixed-wide"]["rate"]) == 600 and totals["mixed-wide"]["p99_us"]
EOF
  # The loads of a phase start at one time.
  assert_equal "$(awk -F '\t' '$1 == "mixed" { n++; if (min == "" || $3 < min) min = $3; if ($3 > max) max = $3 } END { print n, max - min < 2000000 }' "$run"/native/*/rep-1/starts.tsv)" '3 1'
  assert_equal "$(find host -name 'run-*')" ''
}
