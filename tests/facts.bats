#!/usr/bin/env bats
# SPDX-License-Identifier: MIT
# Facts: a plan for a server that is not reachable, from a file with its facts.

load helper
load processors

prepare() {
  {
    printf 'cpus\t24\nmem_gib\t754\nmem_bytes\t809599991808\nmem_available_bytes\t800000000000\n'
    topology_of 2x12 | grep -E '^([0-9]|# (isolated|node) )' | sed $'s/^/topology\t/'
  } >facts.tsv
}

# Plan for the server 203.0.113.1, by its facts, and keep these columns.
# Usage: planned 'COLUMN...' WORD...   Sets: as run_plan does
planned() {
  run_plan --rows SERVER=203.0.113.1 CLIENT_IP=203.0.113.2 REDISRUNS=1 "${@:2}"
  output=$(cells "$1" <<<"$output")
}

@test "what Redis said of a key's cost is a fact: the fill is planned by it" {
  printf 'keycost\t1000\tbase\t0\nkeycost\t1000\tcost\t3\t2000\n' >>facts.tsv
  planned 'instances keys data_bytes known' FACTS=facts.tsv VALUE_SIZES=1000 SRV_OVERRIDE=1 FILL=2M
  # 1,040 keys of 2,000 B and a table of 2,048 slots.
  assert_output "1 1040 2096384 asked"
  # A cluster: in each of six processes, two slots of 2,000 B have a key of 100 B; five other nodes take 5,000 B each, and replication 3,000 B.
  printf 'keycost\t1000+cluster\t%s\n' $'base\t0' $'cost\t3\t100' $'slot\t2000' $'ring\t3000' >>facts.tsv
  prints "193200 asked" planned 'data_bytes known' FACTS=facts.tsv VALUE_SIZES=1000 SRV_OVERRIDE=3 KEYS=2 CLUSTER=on
}

@test "the redis-server of a server is a fact: strings are planned by its row of the table, other keys are estimated by it" {
  cost() {
    awk -v table="$REPO/conf/keycost.tsv" -v row="$1" -f "$REPO/lib/plan/keycost.awk" -f - <<<'BEGIN {
      COST_KINDS = COST_VALUES = 1; COST_DATA = "pattern"; cost_table(table, row); printf "%.0f", cost_bytes("10", 1000) }'
  }
  # An assumed server is named.
  run_plan SERVER=203.0.113.1 CLIENT_IP=203.0.113.2 FACTS=facts.tsv SRV_OVERRIDE=1 VALUE_SIZES=10 KEYS=1000
  assert_contains 'cost     of keys as in redis 7.0, assumed: a run asks its server'
  printf 'redis\tvalkey\t9.1\t16p\n' >>facts.tsv
  prints "$(cost 'valkey 9.1 16p') table" planned 'data_bytes known' FACTS=facts.tsv SRV_OVERRIDE=1 VALUE_SIZES=10 KEYS=1000
  run_plan SERVER=203.0.113.1 CLIENT_IP=203.0.113.2 FACTS=facts.tsv SRV_OVERRIDE=1 VALUE_SIZES=10 KEYS=1000
  assert_line 'cost     of keys as in valkey 9.1'
  # Settings that change what an instance needs itself, and other keys, are measured by a run.
  for word in IO_THREADS=2 'REDIS_CONF=hz 500' SERVER_PREFIX=env VALUE_DISTRIBUTION=10-20 'COMMANDS=hget:1'; do
    prints estimated planned known FACTS=facts.tsv SRV_OVERRIDE=1 VALUE_SIZES=10 KEYS=1000 'PHASES=populate mixed' "$word"
  done
  # A build has its own allocator; a version without a row is not known.
  grep -v ^redis facts.tsv >other.tsv
  planned 'data_bytes known' FACTS=other.tsv SRV_OVERRIDE=1 VALUE_SIZES=10 KEYS=1000 REDIS=source:7.4.1
  assert_output "$(cost 'redis 7.4 8') table"
  for word in 1.0.0 7...1; do
    prints estimated planned known FACTS=other.tsv SRV_OVERRIDE=1 VALUE_SIZES=10 KEYS=1000 REDIS=source:"$word"
  done
}

@test "a plan from facts, of a directory too, or from what lscpu -p printed, has their CPUs, nodes and memory; what is typed overrides them; without them, or with a line that is none, plan is refused" {
  mkdir -p several/203.0.113.1 other
  cp facts.tsv several/203.0.113.1/
  cp facts.tsv other/203.0.113.9.tsv
  prints 24 planned instances FACTS=several VALUE_SIZES=1000
  fails 2 run_plan SERVER=203.0.113.1 CLIENT_IP=203.0.113.2 FACTS=other
  assert_equal "$STDERR" "do_it.sh: command line: FACTS=other: no facts of 203.0.113.1 found (other/env/203.0.113.1/facts.tsv: cannot open); a run has them in env/203.0.113.1/facts.tsv"
  for line in $'cpus\tmany' $'cpus\t-1' $'topology\t0,0,0,0;reboot' '0,0,0,0;reboot' '# node 2;reboot' $'redis\tredis\t7\t8' $'keycost\t1000\tbase\tinf' $'colour\tred' ''; do
    { cat facts.tsv && printf '%s\n' "$line"; } >bad.tsv
    refuses 2 "bad.tsv:$(wc -l <bad.tsv) is neither a fact" run_plan SERVER=203.0.113.1 CLIENT_IP=203.0.113.2 FACTS=bad.tsv
  done
  grep -v ^mem_bytes facts.tsv >bad.tsv
  refuses 2 "bad.tsv has no line mem_bytes" run_plan SERVER=203.0.113.1 CLIENT_IP=203.0.113.2 FACTS=bad.tsv
  succeeds planned 'instances keys known places' FACTS=facts.tsv VALUE_SIZES=1000 PLACEMENT=numa
  assert_output "24 $(((754 - 8) * (1 << 30) * 90 / 110 / 1000 / 10000 * 10000 / 24)) estimated $(sed -n 's/^topology\t\([0-9].*\)/\1/p' facts.tsv | awk -F , '
    { cpus[$4] = cpus[$4] (cpus[$4] == "" ? "" : ",") $1; if (!seen[$4]++) order[++n] = $4 }
    END { for (i = 1; i <= n; i++) { first = cpus[order[i]]; last = first; sub(/,.*/, "", first); sub(/.*,/, "", last); printf "%s%s-%s@--membind=%s", (i > 1 ? ";" : ""), first, last, order[i] } }')"
  planned 'instances keys' FACTS=facts.tsv VALUE_SIZES=1000 SERVER_CORES=4 SERVER_MEM=64
  assert_output "4 $(((64 - 8) * (1 << 30) * 90 / 110 / 1000 / 10000 * 10000 / 4))"
  # Not the memory of the facts, nor their number of CPUs.
  prints "$((30 << 30))" planned target_bytes FACTS=facts.tsv VALUE_SIZES=1000 FILL=50% RESERVE=4G SERVER_MEM=64
  topology_of nps4 >nps4.lscpu
  planned 'instances target_bytes places' FACTS=nps4.lscpu VALUE_SIZES=1000 FILL=50% RESERVE=4G SERVER_MEM=64 PLACEMENT=numa
  assert_match "^128 $((30 << 30)) 0-7,64-71@--membind=0;8-15,72-79@--membind=1;"
  # All of its columns; CPUs that are offline, of lscpu --all, are left out, and memory nodes without a CPU count.
  printf '%s\n' '# CPU,Core,Socket,Node,,L1d' 0,0,0,0,,0,0 1,,, 2,1,0,1,,1:1:0 3,,,, '# node 2 has memory and no CPU' >topology
  prints '0@--membind=2;2@--membind=2' planned places FACTS=topology VALUE_SIZES=1000 SERVER_MEM=16 PLACEMENT=cpu VARIANTS=bind
}
