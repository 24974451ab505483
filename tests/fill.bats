#!/usr/bin/env bats
# SPDX-License-Identifier: MIT
# A fill in bytes is met within 1 %, because the cost of a key is measured with Redis.
# slow

load helper
load cluster
load releases
load fill

# Answer questions about the memory of keys: FORM and a row of it, or `ask`, a tab, and `keys FORM TARGET`, `bytes FORM KEYS` or `moving FORM KEYS`,
# each with INSTANCES if there are several.
# Usage: ask [FILE]
ask() {
  awk -v table="$REPO/conf/keycost.tsv" -f "$REPO/lib/plan/keycost.awk" -f - "${@:-/dev/fd/3}" 3<&0 <<'END'
BEGIN { FS = OFS = "\t"; COST_KINDS = COST_VALUES = 1; cost_table(table, "redis 7.0 16") }
$1 != "ask" { cost_row($1, $2, $3, $4); next }
{
  split($2, word, " ")
  COST_INSTANCES = word[4] + 0
  if (word[1] == "keys") answer = cost_keys(word[2], word[3] + 0)
  else answer = word[1] == "bytes" ? cost_bytes(word[2], word[3] + 0) : cost_moving(word[2], word[3] + 0)
  printf "%s\t%.0f\n", $2, answer
}
END
}

# Make a model from samples. Usage: fit [FILE]
fit() { awk -f "$REPO/lib/plan/keycost.awk" -f "$REPO/lib/run/keycost.awk" "$@"; }

# Fail unless every size is met within 1 %. The table goes to the terminal when it is wanted.
# Usage: fill_meets INSTANCES FILL SIZE...
fill_meets() {
  succeeds run_split fill_rows "$@"
  [[ -z ${TIERBENCH_SHOW-} ]] || printf '# instances %s, %s\n%s\n' "$1" "$2" "$output" | sed 's/^/# /' >&3
  awk -v sizes="$(($# - 2))" '
    function off(a, b) { return a > b ? (a - b) / b : (b - a) / b }
    { seen++; if (off($5, $3) > 0.01) { print "value of " $1 " B: " $5 " of " $3; bad = 1 } }
    END { if (seen != sizes) print seen " sizes of " sizes; exit bad || seen != sizes }' <<<"$output" || fail "not within 1 %"
}

@test "values of 1 B to 1 MB, in one instance and in eight, random values and longer names: used_memory is what FILL asks for, within 1 %" {
  fill_meets 1 9M 1 10 100 1000 10000
  fill_meets 1 130M 100000 1000000
  fill_meets 8 24M 1 10000
  FILL_WORDS=(DATA=random)
  # More than a million keys: their names need more memory.
  fill_meets 1 90M 1
  FILL_WORDS+=(KEY_PREFIX=a.name.of.36.bytes.before.the.number)
  fill_meets 1 8M 20 45
}

@test "sizes of a distribution: used_memory is what FILL asks for, within 1 %; of populate alone, the plan counts the larger sizes of a later phase" {
  # Enough keys for a mean size within 1 % of that of the distribution. The constant part of the model must not have the noise of a sample.
  while read -r instances distribution fill; do
    FILL_WORDS=(DATA=random VALUE_DISTRIBUTION="$distribution")
    fill_meets "$instances" "$fill" 1000
  done <<'END'
1 etc 30M
1 lognormal:1000:1500 60M
2 10-300 26M
END
  FILL_WORDS=(DATA=random VALUE_DISTRIBUTION='populate=lognormal:300:200 mixed=50-4000' PHASES='populate mixed')
  export FILL_PHASES=populate,get
  fill_meets 2 50M 1000
  # Without own sizes, populate uses VALUE_SIZES, which may be swept.
  FILL_WORDS=(DATA=pattern VALUE_DISTRIBUTION=mixed=50-4000 PHASES='populate mixed')
  fill_meets 1 12M 100 1000
}

@test "Redis 8.0, and Valkey 8.1 and 9 with other tables: used_memory is what FILL asks for, within 1 %, with EXPIRE" {
  for name in redis-trixie valkey-trixie valkey-sid; do
    release_server "$name"
    FILL_WORDS=(REDIS="$REPLY" EXPIRE=1h)
    fill_meets 1 15M 10
  done
}

@test "the keys of a cluster: used_memory of all its processes is what FILL asks for, within 1 %, also of Valkey with tables for each slot" {
  FILL_WORDS=(CLUSTER=on REPLICAS=0 EXPIRE=1h)
  fill_meets 3 30M 10
  # With replicas, a process keeps what was written, up to 1 MiB.
  FILL_WORDS=(CLUSTER=on EXPIRE=1h KEY_PREFIX=a.name.of.36.bytes.before.the.number)
  fill_meets 3 24M 10
  release_server valkey-sid
  # A sample learns the limit of its replication backlog, 10 MiB.
  FILL_WORDS=(CLUSTER=on REDIS="$REPLY" DATA=random VALUE_DISTRIBUTION=10-300)
  fill_meets 3 90M 100
}

@test "what a key takes without a sample is what servers of the table reported, for values and names of all sizes; the slots of a cluster have their own dicts or one for all, as samples show" {
  # Of a cluster of one node, values of 10 B: Redis 8.2.3 (of six keys per slot, the figure of 8.0.2), then 7.0.15.
  printf '10+cluster\t%s\n' $'sample\t6\t75000\t49366152' $'sample\t6\t37500\t47053944' $'slots\t8192\t24318136' $'slots\t16384\t45942424' \
    $'slots\t32768\t46793992' $'slots\t98304\t52561336' >dicts
  printf '10+cluster\t%s\n' $'sample\t6\t75000\t10134008' $'sample\t6\t37500\t6009720' $'slots\t8192\t2802936' $'slots\t16384\t3720440' \
    $'slots\t32768\t5555448' $'slots\t98304\t12371192' >dict
  { fit dicts | sed 's/^/10+cluster\t/' && printf 'ask\tbytes 10+cluster %s\n' 1000 100000 150000 '150000 3'; } >asks
  grep -q $'slot\t2587' asks || fail "$(cat asks)"
  # The used_memory of Redis with these keys; the last row has a third of the slots.
  run awk -F '\t' 'BEGIN { split("5331256 50911432 54460680 26194900", used, " ") } { print (($2 - used[NR]) ^ 2 < (used[NR] / 100) ^ 2) }' <(ask asks)
  assert_output $'1\n1\n1\n1'
  prints $'table\t1\nbase\t1885432\ncost\t6\t96.0000' run fit dict
  # Redis 8.0.2 and Valkey 9.1.2, then the used_memory of a shard of three.
  while read -r kind keys used; do
    printf '10+cluster\tslots\t%s\n' $'8192\t24165848' $'16384\t46052456' $'32768\t47363176' $'98304\t53130520' >sets.1
    printf '10+cluster\tsample\t6\t%s\n' $'75000\t51044088' $'37500\t47741384' >>sets.1
    printf '10+cluster\tslots\t%s\n' $'8192\t4515464' $'16384\t6219240' $'32768\t7005672' $'98304\t10151400' >sets.7
    printf '10+cluster\tsample\t6\t%s\n' $'75000\t9032808' $'37500\t7232808' >>sets.7
    { fit "sets.$kind" | sed 's/^/10+cluster\t/' && printf 'ask\tbytes 10+cluster %s 3\n' "$keys"; } >asks
    grep -q "table.$kind" asks || fail "$(cat asks)"
    run ask asks
    awk -F '\t' -v used="$used" '{ exit !($2 < 1.003 * used && $2 > 0.997 * used) }' <<<"$output" || fail "$output, not $used"
  done <<'END'
1 172915 31458466
7 452801 31454418
END
  # From 70,000 to 110,000 keys, whose names have 6 to 41 bytes, in bytes of used_memory per key; the last field is 1 for keys with a time to live.
  prints '' run awk -v table="$REPO/conf/keycost.tsv" -f "$REPO/lib/plan/keycost.awk" -f - <<'END'
BEGIN {
  COST_KINDS = COST_VALUES = 1
  check("redis 7.0 16", "6,12,72,0 6,13,88,0 6,45,120,0 15,29,128,0 24,100,192,0 40,45,192,1 6,100,200,1")
  check("redis 8.2 8", "6,1,39.9,0 6,1,55.6,1 6,20,63.8,0 6,36,95.6,1 6,45,95.8,0 31,10,95.9,1 41,100,183.9,0 6,1000,1063.8,0")
  check("valkey 8.0 8", "5,100,160,0 6,100,160,0 13,100,168,0")
  check("valkey 8.1 16", "6,1,40,0 6,20,71.9,0 6,29,95.7,1 6,36,87.9,0 32,10,95.7,1 41,100,183.9,0 6,20000,20544,1")
  check("valkey 9.1 16p", "6,1,39.8,0 6,1,63.5,1 6,13,63.5,1 6,36,71.8,0 6,36,95.5,1 6,108,175.5,1 32,10,71.9,0 41,100,183.8,0 6,41000,45096,0 6,102400,106536,0")
  # Of 75 instances, six have a number of four digits as their value, and one of nine digits. All servers store numbers in fewer bytes.
  COST_DATA = "pattern"
  COST_INSTANCES = 75
  check("redis 8.2 8", "6,4,47.2,0")
  check("valkey 8.1 16", "6,4,54.6,0 6,9,55.6,0")
  # The first one has a digit.
  COST_INSTANCES = 1
  check("redis 7.0 16", "6,1,40,0 6,2,72,0")
}
function check(row, samples,    n, i, sample, f, form, bytes) {
  if (!cost_table(table, row)) { print "no " row; return }
  n = split(samples, sample, " ")
  for (i = 1; i <= n; i++) {
    split(sample[i], f, ",")
    form = f[2] (f[4] ? "+ttl" : "")
    COST_TABLE[form] = COST["tables"]
    bytes = cost_string(form, f[1]) + (cost_tables(form, 110000) - cost_tables(form, 70000)) / 40000
    if (bytes > 1.006 * f[3] || bytes < 0.994 * f[3]) print row ": " sample[i] ": " bytes
  }
}
END
  # In a cluster, a name has a tag of five bytes, and its entry two links.
  printf 'ask\tbytes %s\n' '10 1000' '10 2000' '10+ttl+cluster 1000' '10+ttl+cluster 2000' >asks
  run ask asks
  assert_equal "$(cut -f 2 <<<"$output" | paste -s -d ' ' | awk '{ print $2 - $1, $4 - $3 }')" "$((1000 * 72 + 8192)) $((1000 * 128 + 16384))"
}

@test "the kind of a server's table is found by samples on both sides of where it grows; no number of keys is at the edge of a table, and one that keys have outgrown counts until requests have emptied it" {
  local form=10 kind want
  # Values of 10 B: Redis 7.0.15, Valkey 8.1.1 and 9.1.2, and a server whose tables grow elsewhere.
  while read -r kind want steps; do
    paste <(printf '10\tstep\t%d\n' 26800 30800 34800) <(tr ' ' '\n' <<<"$steps") >rows
    printf '10\tsample\t6\t75000\t%d\n10\tsample\t6\t37500\t%d\n' "${want%,*}" "${want#*,}" >>rows
    { fit rows && echo; } >model
    assert_equal "$(grep table model)" table$'\t'"$kind"
  done <<'END'
1 7582112,4358000 3324576 3612752 4163072
7 5872336,3500368 2761040 3148432 3356560
7 4705712,2937264 2375920 2695088 2837424
0 4705712,2937264 2375920 2475088 2574256
END
  # Valkey 9.1.2, keys with numbers of seven digits: the used_memory after all of them, in one growth of a table.
  printf 'ask\tbytes 10 %d\n' 66563 89585 113616 118206 168828 | awk '{ print }' >asks
  { printf '10\t%s\n' $'base\t93000' $'cost\t6\t32' $'cost\t7\t32' $'table\t7' && cat asks; } >lines
  run awk -F '\t' 'BEGIN { split("3330640 4204816 5200368 6038576 7907568", used, " ") } { off = $2 / used[NR] - 1; print (off < 0.001 && off > -0.001) }' \
    <(ask lines)
  assert_output $'1\n1\n1\n1\n1'
  # A table of Redis has 2^20 slots, one of Valkey 2^17 buckets of 7; the marker is a key.
  answers=$({
    printf '1\tbase\t0\n1\tcost\t3\t56\n1\ttable\t1\n7\tbase\t0\n7\tcost\t3\t32\n7\ttable\t7\n1+ttl\tbase\t0\n1+ttl\tcost\t3\t80\n1+ttl\ttable\t1\n'
    printf 'ask\t%s\n' "keys 1 $((1048575 * 56 + 8388608))" "keys 1 $((1000000 * 56 + 8388608))" 'keys 7 42000000' \
      "keys 1 $((1048577 * 56 + 16777216))" "keys 1+ttl $((1048576 * 80 + 25165824))" \
      'moving 1 1000000' 'moving 1 1100000' 'moving 1 2000000' 'moving 7 930000' 'moving 7 1100000'
  } | ask | cut -f 2 | paste -s -d ' ')
  assert_match "^1046477 1000000 915667 1050675 (1046477|1050675) 0 8388608 0 [0-9]{8} 0\$" "$answers"
}

@test "a run with times to live or with a cluster asks for the cost of such keys only; replicas need memory for their backlog" {
  cat >plan.sh <<'END'
set -Eeuo pipefail
LIB=$ROOT/lib RESUME=
. "$LIB/modules.sh"
for word in SERVER=192.0.2.1 CLIENT_IP=192.0.2.2 SERVER_CORES=8 SERVER_MEM=16 INSTANCES=3 FILL=30M VALUE_SIZES=10 "$@"; do conf_word argument "$word" test; done
plan_settle
place_assume
plan_make
_keycost_modes
FILL_MODEL=([10]=$'base\t0\ncost\t3\t100' [10+cluster]=$'base\t0\ncost\t3\t200'"${SLOT-}")
conf_word argument "KEYS=${EACH:-1000}" test
plan_settle
plan_make
plan_row "${PLAN_ROWS[0]}"
printf '%s\n' "${ROW[full_bytes]}" "${ROW[known]}"
END
  export ROOT=$REPO
  run bash plan.sh
  assert_output $'off off\n'"$((3 * (100000 + 8192)))"$'\nasked'
  run bash plan.sh EXPIRE=5
  assert_line 'off 999999999' estimated
  run bash plan.sh SWEEP=EXPIRE=off,5,60
  assert_line 'off 999999999' 'off off'
  run bash plan.sh CLUSTER=on REPLICAS=0
  # Each other node takes 5 kB; without replicas, a histogram of 25 kB is missing.
  assert_output $'on off\n'"$((3 * (200000 + 8192 - 15000)))"$'\nasked'
  # 1000 SETs of 44 bytes for replicas are in three blocks; more of them, up to what the server keeps; or all of that from the start.
  run bash plan.sh CLUSTER=on REPLICAS=1
  assert_output $'on off\n'"$((6 * (200000 + 8192 + 25000 + 3 * 20504)))"$'\nasked'
  EACH=100000 SLOT=$'\nbacklog\t200000' run bash plan.sh CLUSTER=on REPLICAS=1
  assert_output $'on off\n'"$((6 * (20000000 + 1048576 + 25000 + 10 * 20504)))"$'\nasked'
  SLOT=$'\nring\t200000' run bash plan.sh CLUSTER=on REPLICAS=1
  assert_output $'on off\n'"$((6 * (200000 + 8192 + 25000 + 200000)))"$'\nasked'
  # If slots have their own dicts, an instance has a third of them.
  SLOT=$'\nslot\t1000' EACH=10000 run bash plan.sh CLUSTER=on REPLICAS=0
  assert_output $'on off\n'"$((3 * (10000 * 200 + 5461 * 1000 - 15000)))"$'\nasked'
  # Hashes have no time to live.
  run bash plan.sh PHASES='populate mixed' COMMANDS=hgetall-10:1 EXPIRE=5
  assert_line asked
}

@test "a sample has the prefix of keys, and is read when Redis has no outgrown table left; without two samples there is no model" {
  program_make program '#!/bin/sh\necho "$*" >said\n'
  cat >sample.sh <<'END'
set -Eeuo pipefail
. "$REPO/lib/run/keycost.sh"
_REMOTE_TMP=$SCRATCH VALUE_DISTRIBUTION=off COMMANDS=off EXPIRE=3600 KEY_PREFIX=p LOAD_USER='' SERVER_CERTIFICATE='' HOST=h REDISBASE=1 DATA=pattern SEED=1
value_sizes_own() { return 1; }
cluster_options() { :; }
tls_options() { :; }
tls_program() { REPLY=./program; }
hosts_data() { REPLY=h; }
server_load_passwords() { :; }
server_info() {
  echo >>asked
  if (($(wc -l <asked) > 3)); then
    printf 'used_memory:800\nmem_overhead_db_hashtable_rehashing:0\n'
  else
    printf 'used_memory:900\nmem_overhead_db_hashtable_rehashing:100\n'
  fi
}
_keycost_used 10 0 100 set,get
END
  prints 800 run bash sample.sh
  assert_contains ' --key-prefix p ' "$(<said)"
  fails 1 run fit <<<$'10\tsample\t3\t10\t1000'
  assert_output ''
}

@test "plan prints keys, bytes a key, the total and the server's headroom; a share is of the memory that may be used, and a target between two sizes of the dict's table is said" {
  succeeds run_split "$REPO/do_it.sh" plan -s demo KEYS=auto FILL=64M VALUE_SIZES=1000 REMOTE_DIR="$SCRATCH/host" REDISBASE="$(ports_pick 2)"
  assert_contains "B/key  expected MiB  how known  rule MiB  headroom MiB"
  assert_match '1000B-2i +1000 +2 +[0-9]+ +[0-9]+ +[0-9]{4} +6[34] +table'
  assert_equal "$(find host -name 'run-*')" ''
  # What a tier leaves of it: a quarter in DRAM, and 4 MiB per instance.
  succeeds run_split "$REPO/do_it.sh" plan -s demo -v swap KEYS=auto FILL=60G VALUE_SIZES=1000 SERVER=192.0.2.1 SERVER_CORES=2 SERVER_MEM=24
  assert_match '1000B-2i .* estimated +[0-9]+ +9[12][0-9]{2} +2 '
  local words=(-s demo SERVER=192.0.2.1 CLIENT_IP=192.0.2.2 FACTS=facts.tsv SRV_OVERRIDE=1 VALUE_SIZES=1 KEYS=auto REDISRUNS=1)
  printf 'cpus\t1\nmem_gib\t11\nmem_bytes\t%s\nmem_available_bytes\t1\ntopology\t0,0,0,0\n' $((11 << 30)) >facts.tsv
  printf 'keycost\t1\t%s\n' $'base\t0' $'cost\t3\t56' >>facts.tsv
  run_plan --rows "${words[@]}" FILL=50% RESERVE=1G
  assert_equal "$(awk -F '\t' 'NR == 1 { for (i = 1; i <= NF; i++) at[$i] = i } NR == 2 { print $at["target_bytes"] }' <<<"$output")" $((5 << 30))
  assert_match 'FILL=50%: up to \+10\.0 % for 1B-1i after the keys are set, until requests have emptied an outgrown table; set another FILL' "$STDERR"
  # 2^20 keys take 64 B each with a full table; one more doubles it.
  run_plan --rows "${words[@]}" FILL=68M
  assert_match 'FILL=68M: [+-][0-9.]+ % for 1B-1i; set another FILL' "$STDERR"
  run_plan --rows "${words[@]}" FILL=60M
  refute_contains ' % for 1B-1i; set another FILL: no number' "$STDERR"
  printf 'keycost\t1\ttable\t0\n' >>facts.tsv
  run_plan --rows "${words[@]}" FILL=60M
  assert_contains 'unknown for 1B-1i: the tables of this server are neither those of Redis nor those of Valkey; set KEYS' "$STDERR"
}
