#!/usr/bin/env bats
# SPDX-License-Identifier: MIT
# TENANTS: each has its own load, data and rows, counted as its servers count it; memory of each, and slowdowns against itself alone.
# slow

load helper

prepare() {
  untune
  BASE=$(ports_pick 4)
  export TIERBENCH_PATH=$SCRATCH/own
  mkdir -p own/tenants
  printf '%s\n' KEYS=3000 VALUE_SIZES=100 RATIO=1:3 RATE=900 >own/tenants/small.conf
  printf '%s\n' KEYS=500 VALUE_SIZES=2000 WORKLOAD=ycsb-a CONNECTIONS=2 PIPELINE=2 RATE=600 >own/tenants/large.conf
  printf '%s\n' KEYS=200 COMMANDS=hset-2:1,hgetall-2:3 RATE=300 >own/tenants/hash.conf
  chmod -R go-w own
}

teardown() {
  scratch_teardown
}

# Print columns of a CSV file. Usage: csv_columns FILE NAME...
csv_columns() {
  python3 -c 'import csv, sys
for row in csv.DictReader(open(sys.argv[1])): print(*(row[name] or "-" for name in sys.argv[2:]))' "$@"
}

# Run tenants on four instances.
# Usage: tenants_run SETTING...   Sets: RUN, REP, the directories of the run and its repeat
tenants_run() {
  run_split "$REPO/do_it.sh" run -s tenants -v native REDISRUNS=1 WARMUP=0 TENANTS.load=all TENANTS='small*2 large hash' \
    REMOTE_DIR="$SCRATCH/host" RESULTS_DIR="$SCRATCH/results" REDISBASE="$BASE" "$@"
  RUN=$(echo results/2*)
  REP=$(echo "$RUN"/native/*/rep-1*)
}

@test "each tenant has its own load and data; its requests are those that its servers count; totals of each and of all; a resumed run is the same" {
  succeeds tenants_run TIME=2
  assert_equal "$(cut -f 2-5 "$REP/tenants.tsv" | sed 1d | tr '\t' ' ' | paste -sd ,)" "small $BASE 2 2,large $((BASE + 2)) 1 1,hash $((BASE + 3)) 1 1"
  "$REPO/summary2csv.sh" "$RUN" >rows.csv
  "$REPO/summary2csv.sh" --total "$RUN" >totals.csv
  python3 - "$REP/server" "$BASE" <<'EOF'
import csv, re, sys
base = int(sys.argv[2])
of = ["small", "small", "large", "hash"]
calls, counted = {}, {}
for block in open(sys.argv[1] + "/info.after").read().split("### instance ")[1:]:
    for name, count in re.findall(r"^cmdstat_(get|set|hset|hgetall):calls=(\d+)", block, re.M):
        tenant = of[int(block.split("\n")[0]) - base]
        calls[tenant, name] = calls.get((tenant, name), 0) + int(count)
# What the commandstats of a tenant's instances say before and after each phase.
for row in csv.DictReader(open(sys.argv[1] + "/counters.tsv"), delimiter="\t"):
    if row["counter"] == "calls":
        key = of[int(row["scope"]) - base], row["phase"]
        # HSET is a command of this load, and one of them is the mark of the load generator on each instance.
        counted[key] = counted.get(key, 0) + int(row["after"]) - int(row["before"]) - (row["phase"] == "mixed")
rows = list(csv.DictReader(open("rows.csv")))
totals = {row["operation"]: row for row in csv.DictReader(open("totals.csv"))}
sent = {(row["tenant"], row["operation"]): int(row["ops"]) + int(row["late"] or 0) for row in rows}
assert len(sent) == 6 and sent == counted, (sent, counted)
# Each has its own mix.
assert 2.3 < calls["small", "get"] / (calls["small", "set"] - 2 * 3000) < 3.9, calls
assert 0.8 < calls["large", "get"] / (calls["large", "set"] - 500) < 1.25, calls
assert calls["hash", "hgetall"] > calls["hash", "hset"] - 200 > 0 and ("hash", "get") not in calls, calls
assert sorted(totals) == ["mixed", "mixed-hash", "mixed-large", "mixed-small", "populate"], sorted(totals)
assert [totals["mixed-" + t]["tenant"] for t in ("small", "large", "hash")] == ["small", "large", "hash"] and totals["mixed"]["tenant"] == "all"
assert int(totals["mixed"]["ops"]) == sum(int(totals["mixed-" + t]["ops"]) for t in ("small", "large", "hash"))
assert totals["mixed"]["clients"] == totals["mixed-small"]["clients"] == "1" and totals["mixed"]["servers"] == "4"
assert [totals["mixed-" + t]["len"] for t in ("small", "large")] == ["100", "2000"] and totals["mixed"]["len"] == ""
assert [float(totals["mixed-" + t]["rate"]) for t in ("small", "large", "hash")] == [900, 600, 300] and float(totals["mixed"]["rate"]) == 1800
assert float(totals["mixed"]["max_us"]) == max(float(totals["mixed-" + t]["max_us"]) for t in ("small", "large", "hash"))
assert totals["mixed-small"]["used_memory"] == "" and float(totals["mixed"]["used_memory"]) > 0
EOF
  assert_match 'MIXED-SMALL +small' "$output"
  # The run has its own copy of the tenants.
  rm -rf own/tenants/*.conf "$REP"
  succeeds run_split "$REPO/do_it.sh" run --resume "$RUN"
  assert_equal "$(awk -F '\t' 'NR > 1 { print $1 }' "$REP/starts.tsv" | sort | uniq -c | tr -s ' ' | paste -sd ,)" ' 3 mixed, 3 populate'
  "$REPO/summary2csv.sh" --total "$RUN" >again.csv
  assert_equal "$(csv_columns again.csv len servers keys operation tenant rate ops)" "$(csv_columns totals.csv len servers keys operation tenant rate ops)"
  assert_equal "$(find host -name 'run-*')" ''
}

@test "a tenant alone: the others have neither load nor data" {
  succeeds tenants_run TIME=1 TENANTS.load=large
  "$REPO/summary2csv.sh" --total "$RUN" >totals.csv
  assert_equal "$(csv_columns totals.csv operation tenant | paste -sd ,)" 'populate all,mixed all,mixed-large large'
  assert_equal "$(awk '/^### instance/ { port = $3 } /^db0:/ { print port }' "$REP/server/info.after" | paste -sd ,)" $((BASE + 2))
}

# Plan with a line of a tenant's file. Usage: tenants_refused LINE MESSAGE
tenants_refused() {
  printf '%s\n' KEYS=10 "$1" >own/tenants/odd.conf
  fails 2 run_plan -s tenants TENANTS=odd,small SERVER=203.0.113.1 CLIENT_IP=203.0.113.2 SERVER_CORES=8 SERVER_MEM=16
  assert_equal "${STDERR##*$'\n'}" "do_it.sh: $SCRATCH/own/tenants/odd.conf:2: ${1//,/ }: $2"
}

@test "instances are divided by weights, and a tenant has nothing of another one; what a tenant cannot have is refused with its line" {
  run_plan --rows -s tenants TENANTS='small large*3 hash' INSTANCES=6 SERVER=203.0.113.1 CLIENT_IP=203.0.113.2 SERVER_CORES=8 SERVER_MEM=16
  assert_equal "$(awk -F '\t' 'NR == 1 { for (i = 1; i <= NF; i++) at[$i] = i } NR == 2 { gsub(/\/[0-9]+( |$)/, " ", $at["tenants"]); print $at["tenants"] }' <<<"$output")" \
    'small/0/2/3000/100 large/2/3/500/2000 hash/5/1/200/1000 '
  # All of them are measured as often as REDISRUNS says, each alone once.
  assert_equal "$(awk -F '\t' 'NR == 1 { for (i = 1; i <= NF; i++) at[$i] = i } NR > 1 && $at["variant"] == "swap" { print $at["tenants_load"] }' <<<"$output" | uniq -c | awk '{ print $2, $1 }' | paste -sd ,)" \
    'all 3,small 1,large 1,hash 1'
  tenants_refused TIME=5 'all tenants have the same; set it in a scenario or on the command line'
  tenants_refused KEY_PATTERN=zipf,uniform 'several values; give a tenant one'
  tenants_refused RATE=search 'a tenant has no search; set a number'
  tenants_refused LIKE=nope "$SCRATCH/own/tenants/nope.conf: not found; name a file in its directory, or one of ./do_it.sh list"
  cp own/tenants/small.conf own/tenants/all.conf
  fails 2 run_plan -s tenants TENANTS=all,small TENANTS.load=all SERVER=203.0.113.1 CLIENT_IP=203.0.113.2 SERVER_CORES=8 SERVER_MEM=16
  assert_contains 'TENANTS=all small: all: the name has another meaning in TENANTS.load; rename the file' "$STDERR"
}

@test "policies have ranks by the latency of all tenants; neighbours are told apart, or the table says why not" {
  local variant rank is us repeat tenant
  mkdir -p run/swap/p/rep-1
  printf 'client\ttenant\tport\tinstances\tof\tlost\n' >run/swap/p/rep-1/tenants.tsv
  {
    printf '%s\t' variant variant_rank point sweep operation tenant repeat discarded tier_is avg_us
    printf 'dram_bytes\n'
    while read -r variant rank is us; do
      for repeat in 1 2 3; do
        printf '%s\t%s\tp\t\tmixed\tall\t%s\t\t%s\t9\t%s\n' "$variant" "$rank" "$repeat" "$is" $((rank << 20))
        for tenant in a b; do printf '%s\t%s\tp\t\tmixed-%s\t%s\t%s\t\t%s\t%s\t\n' "$variant" "$rank" $tenant $tenant "$repeat" "$is" $((us + repeat * us * rank % 7)); done
      done
    done <<<$'native 1 free 10\nswap 2 limited 300\nzram 3 limited 100\nzswap 4 limited 101'
  } >totals
  succeeds modules_run "FORMAT=lines tables_make '$REPO/lib/part/tenants/table.awk' run <totals"
  # Logarithms of the ratios of zram: 0, 0.0096 and 0.0194; of their mean 0.0097, with the 95 % interval of two degrees of freedom.
  assert_contains $'\nrow\t1\tzswap\t104\t4\t\t\t\nrow\t2\tzram\t105\t3\t1.01\t0.99 - 1.03\tnot decided: the interval contains 1; about 7 more repeats would decide\nrow\t3\tswap\t303\t2\t2.89\t2.86 - 2.91\ttold apart\n'
  awk -F '\t' '$7 == 1 || NR == 1' totals >one
  modules_run "FORMAT=lines tables_make '$REPO/lib/part/tenants/table.awk' run <one"
  assert_contains $'\tnot decided: fewer than two repeats that both have; set REDISRUNS=3 or more\n'
  # A fast repeat without a counterpart is in no rank.
  sed '/^zram\t.*\tmixed-a\ta\t[12]\t/d; s/^\(zram\t.*\ta\t3\t.*\t\)[0-9]*\t$/\11\t/' totals >some
  modules_run "FORMAT=lines tables_make '$REPO/lib/part/tenants/table.awk' run <some"
  assert_contains $'\nrow\t1\tzram\t10.2\t3\t\t\t\nrow\t2\tzswap\t102\t4\t\t\tnot decided: fewer than two repeats'
}

@test "a tenant whose instance is killed is named, and has no rows; the rows of the others are whole" {
  job_start bash -c 'until grep -qs "phase mixed starts" results/*/run.log; do sleep 0.05; done; sleep 1
    kill -KILL "$(awk -v port="$1" "\$3 == port { print \$1 }" host/run-*/server/instances.proc)"' - $((BASE + 2))
  succeeds tenants_run TIME=5
  assert_contains "warning: TENANTS: large has no rows of this repeat: the instance on port $((BASE + 2)) has exited" "$STDERR"
  assert_equal "$(cut -f 2,6 "$REP/tenants.tsv" | sed 1d | tr '\t' ' ' | paste -sd ,)" "small ,large the instance on port $((BASE + 2)) has exited,hash "
  assert_contains "Without results: native: large in 1 repeat (the instance on port $((BASE + 2)) has exited)." "$output"
  "$REPO/summary2csv.sh" --total "$RUN" >totals.csv
  assert_equal "$(csv_columns totals.csv operation ops tenant_far_per_op | sed 1d | paste -sd ,)" 'mixed 6000 -,mixed-hash 1500 0,mixed-small 4500 0'
  # What discards the repeat discards each tenant's part.
  modules_run "result_rows '$RUN' >rows"
  cells_set rows '' discarded=told
  modules_run 'result_add_up <rows >totals'
  assert_equal "$(cells discarded totals | sort | uniq -c | tr -s ' ')" ' 4 told'
  assert_equal "$(find host -name 'run-*')" ''
}

@test "a plan has the instances, the data and the load of each tenant" {
  run_plan -s tenants TENANTS='small large*3 hash' INSTANCES=6 SERVER=203.0.113.1 CLIENT_IP=203.0.113.2 SERVER_CORES=8 SERVER_MEM=16
  assert_contains 'phases   populate mixed
' "$output"
  assert_contains 'tenant   small: 2 instance(s), 3000 keys of 100 B in each; 1 connection(s) per thread, pipeline 1, RATE=900, keys sequential
tenant   large: 3 instance(s), 500 keys of 2000 B in each; 2 connection(s) per thread, pipeline 2, RATE=600, keys zipf:0.99, scrambled
tenant   hash: 1 instance(s), 200 keys of 1000 B in each; 1 connection(s) per thread, pipeline 1, RATE=300, keys sequential; mixed hset-2:1,hgetall-2:3' "$output"
}
