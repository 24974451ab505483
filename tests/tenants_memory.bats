#!/usr/bin/env bats
# SPDX-License-Identifier: MIT
# The memory of tenants: limits of each cgroup, what each holds and fetches, and a tenant that pays for the others. No result depends on the speed of
# the machine: bytes and faults are counted.
# lane: host

load helper

setup() {
  need_swap
  scratch_setup
  untune
  zswap_set N
  BASE=$(ports_pick 4)
  export TIERBENCH_PATH=$SCRATCH/own
  mkdir -p own/tenants
  printf '%s\n' FILL=24M VALUE_SIZES=1000 DATA=random KEY_PATTERN=uniform RATIO=1:3 RATE=400 >own/tenants/even.conf
  printf '%s\n' LIKE=even MEMORY.max=16M >own/tenants/poor.conf
  printf '%s\n' LIKE=even MEMORY.low=48M >own/tenants/safe.conf
  chmod -R go-w own
}

teardown() {
  scratch_teardown
}

# Usage: tenants_run SETTING...   Sets: RUN
tenants_run() {
  run_split "$REPO/do_it.sh" run -s tenants REDISRUNS=1 WARMUP=0 TIME=4 REMOTE_DIR="$SCRATCH/host" RESULTS_DIR="$SCRATCH/results" REDISBASE="$BASE" "$@"
  RUN=$(echo results/2*)
}

@test "limits are those of the cgroups; the tenant with less DRAM is named as the slowest, and the protected one has its data; nothing is left" {
  tenants_run -v swap TENANTS='even poor safe' TENANTS.load=alone DRAM_RATIO=9:10
  [[ $STDERR != *"the OOM killer"* ]] || run_split "$REPO/do_it.sh" run --resume "$RUN"
  assert_success
  "$REPO/summary2csv.sh" --total "$RUN" >totals.csv
  python3 - "$RUN"/swap/*loadall/rep-1/server/counters.tsv "$BASE" <<'EOF'
import csv, sys
rows = {r["tenant"]: r for r in csv.DictReader(open("totals.csv")) if r["tenant"] != "all" and r["tenants_load"] == "all"}
assert sorted(rows) == ["even", "poor", "safe"], rows
count = {(r["scope"], r["counter"]): r for r in csv.DictReader(open(sys.argv[1]), delimiter="\t") if r["phase"] == "mixed"}
assert rows["poor"]["tenant_limit_bytes"] == str(16 << 20) and rows["even"]["tenant_limit_bytes"] == ""
assert int(count["group:poor", "usage"]["after"]) <= 16 << 20
first = {"even": (0, 2), "poor": (2, 3), "safe": (3, 4)}
for tenant, row in rows.items():
    ports = [str(int(sys.argv[2]) + i) for i in range(*first[tenant])]
    delta = lambda name: sum(int(count[p, name]["after"]) - int(count[p, name]["before"]) for p in ports)
    assert abs(float(row["tenant_far_per_op"]) - delta("majflt") / delta("calls")) < 0.0002, (tenant, row)
    assert int(row["tenant_dram_bytes"]) == sum(int(count[p, "rss"]["after"]) for p in ports)
    assert int(row["tenant_dram_min_bytes"]) <= int(row["tenant_dram_max_bytes"])
# The planted unfairness: a third of the data has no place. Version 1 protects nothing against the limit of the run (tests/qemu/checks/tenants.sh has 2).
assert float(rows["poor"]["tenant_far_per_op"]) > 0.2 and int(rows["poor"]["tenant_swapins"]) > 100, rows["poor"]
assert float(rows["safe"]["tenant_far_per_op"]) < float(rows["poor"]["tenant_far_per_op"]), rows["safe"]
EOF
  assert_match 'swap +poor +1 ' "$output"
  assert_match 'swap: fairness [0-9.]+, the slowest is (even|poor|safe) \([0-9.]+ times\)' "$output"
  # The plot has a line for each tenant: its DRAM in the seconds of the phases.
  modules_run "mkdir data && result_rows '$RUN' >data/rows && result_add_up <data/rows >data/totals && PLOT_DETAIL=all _plot_data data"
  assert_match $'\nlines\ttenants-([0-9]+)-1\tDRAM by tenant over time, swap at ' "$output"
  python3 - "$RUN"/swap/*loadall/rep-1/dram.tsv data/tenants-*.dat <<'EOF'
import csv, sys
dram = {}
for row in csv.DictReader(open(sys.argv[1]), delimiter="\t"): dram.setdefault(row["tenant"], []).append("%.3f" % (int(row["dram_bytes"]) / 2 ** 20))
lines = {}
for path in sys.argv[2:]:
    names = [line.split("\t")[1].strip() for line in open(path + ".names")]
    blocks = [[line.split("\t")[1] for line in block.split("\n") if line] for block in open(path).read().split("\n\n\n")]
    if len(names) == 3: lines = dict(zip(names, blocks))
assert list(lines) == list(dram) == ["even", "poor", "safe"], (lines, dram)
assert all(len(line) > 3 and " ".join(line) in " ".join(dram[name]) for name, line in lines.items()), (lines, dram)
EOF
  assert_equal "$(find /sys/fs/cgroup -maxdepth 3 -type d -name 'tierbench-tenants-*' 2>/dev/null)" ''
  assert_equal "$(grep -c "$SCRATCH" /proc/swaps)" 0
  assert_equal "$(find host -name 'run-*' -o -name '*.swap')" ''
}

@test "a limit below the data without swap is refused; with DRAM for all, a tier without a limit has cgroups of the tenants" {
  sed -i s/max/high/ own/tenants/poor.conf
  fails 2 run_plan -s tenants -v native TENANTS='even poor' SERVER=203.0.113.1 CLIENT_IP=203.0.113.2 SERVER_CORES=8 SERVER_MEM=16
  sed -i s/high/max/ own/tenants/poor.conf
  assert_match 'own/tenants/poor.conf:2: MEMORY.high=16M: less than the [0-9]+ MiB of poor, and the variant native has no swap; set at least that, or a variant with a tier' "$STDERR"
  # What a tenant cannot have in DRAM needs swap: its data and 4 MiB per instance less the limit, and a quarter more.
  run_plan -s tenants -v swap TENANTS='even poor' DRAM_RATIO=1:1 TENANTS.load=all --rows SERVER=203.0.113.1 CLIENT_IP=203.0.113.2 SERVER_CORES=8 SERVER_MEM=16
  assert_equal "$(awk -F '\t' 'NR == 1 { for (i = 1; i <= NF; i++) at[$i] = i } NR == 2 {
    split($at["tenants"], t, /[ \/]/); print $at["swap_bytes"] - 67108864 - int((t[12] + 4 * 1048576 * t[9] - 16 * 1048576) * 5 / 4) }' <<<"$output")" 0
  sed -i s/16M/64M/ own/tenants/poor.conf
  printf 'MEMORY.low=65M\n' >>own/tenants/poor.conf
  run_plan -s tenants -v native TENANTS='even poor' SERVER=203.0.113.1 CLIENT_IP=203.0.113.2 SERVER_CORES=8 SERVER_MEM=16
  assert_equal "$STDERR" "do_it.sh: $SCRATCH/own/tenants/poor.conf:3: MEMORY.low=65M: more than MEMORY.max=64M; set it to at most that"
  sed -i 3d own/tenants/poor.conf
  succeeds tenants_run -v native TENANTS='even poor' TENANTS.load=all TIME=1
  "$REPO/summary2csv.sh" --total "$RUN" >totals.csv
  assert_equal "$(python3 -c '
import csv
for r in csv.DictReader(open("totals.csv")):
    if r["tenant"] != "all": print(r["tenant"], r["tenant_limit_bytes"], r["tenant_swap_bytes"])')" $'even  0\npoor '$((64 << 20))' 0'
  assert_equal "$(find /sys/fs/cgroup -maxdepth 3 -type d -name 'tierbench-tenants-*' 2>/dev/null)" ''
}

@test "doctor checks the load and the limits of each tenant" {
  printf '%s\n' LIKE=even MEMORY.max=3M CONNECTIONS=700 >own/tenants/tiny.conf
  fails any run_split bash -c 'ulimit -n 600; exec "$REPO/do_it.sh" doctor -s tenants -v swap REMOTE_DIR="$SCRATCH/host" INSTANCES=2 "$@"' - TENANTS='even tiny' REDISBASE="$BASE"
  assert_contains 'open files: 600; requires: 767: ' "$output$STDERR"
  assert_contains 'tenants: MEMORY.max of tiny: 3 MiB; requires: 4 MiB: 4 MiB for each of its instances here' "$output$STDERR"
  printf '%s\n' LIKE=even MEMORY.low=80M RATE=0 >own/tenants/tiny.conf
  printf '%s\n' LIKE=even VALUE_SIZES=500 RATE=0 >own/tenants/fast.conf
  run_split "$REPO/do_it.sh" doctor --all -s tenants -v swap REMOTE_DIR="$SCRATCH/host" INSTANCES=3 TENANTS='even tiny fast' REDISBASE="$BASE"
  assert_match 'tenants +MEMORY.low of all tenants: 80 MiB +at most the DRAM of all, [0-9]+ MiB' "$output$STDERR"
  # 400 and 100000 operations per second of 1000 B.
  assert_match 'link +loopback +804 Mbit/s' "$output"
}

@test "of several nodes the cgroup of a tenant has what is on near and on far ones" {
  mkdir -p one two repeat/server
  printf 'file N0=5 N1=6\nanon N0=100 N1=20 N2=3\nanon_thp N0=1 N1=1\n' >one/memory.numa_stat
  printf 'total=9 N0=4\nanon=7 N0=4 N1=1 N2=2\n' >two/memory.numa_stat
  run_split bash -c '. "$REPO/lib/host/tier_cgroup.sh"; for folder in one two; do host_tier_cgroup_nodes $folder " 1 2 " 4096; echo "$REPLY"; done'
  assert_output $'100\t23\n16384\t12288'
  printf 'client\ttenant\tport\tinstances\tof\tlost\na@x\tx\t10\t2\t2\t\na@y\ty\t12\t1\t1\t\n' >repeat/tenants.tsv
  # Two servers have instances of x: a second counts from which both are known.
  printf 'time\tport\tdram\tfar\n1.0\t10\t5\t1\n1.1\t12\t7\t2\n1.2\t11\t3\t1\n2.0\t10\t6\t0\n2.1\t12\t8\t2\n' >repeat/server/groups.tsv
  modules_run "_tenants_dram repeat"
  assert_output $'time\ttenant\tdram_bytes\tfar_bytes\n1.200000\tx\t8\t2\n1.200000\ty\t7\t2\n2.100000\tx\t9\t1\n2.100000\ty\t8\t2'
}
