#!/usr/bin/env bats
# SPDX-License-Identifier: MIT
# The placement of instances on machines that are not here: two sockets, two with SMT, eight nodes, and a node without a CPU.
# slow

load helper
load processors

prepare() {
  untune
}

# Print where instances run on a machine of topology_of: PORT CPUS POLICY, and the client, for each number of INSTANCES.
# Usage: place MACHINE INSTANCES [NAME=VALUE]...
place() {
  local file=$1.lscpu count=$2
  topology_of "$1" >"$file"
  shift 2
  cat >master.sh <<END
set -Eeuo pipefail
ROOT=$REPO LIB=$REPO/lib RESUME=
. "\$LIB/modules.sh"
for word in "\$@"; do conf_word argument "\$word" test; done
plan_settle
if [[ -n \$FACTS ]]; then facts_load; else place_assume; fi
plan_make
for row in "\${PLAN_ROWS[@]}"; do
  plan_row "\$row"
  place_instances "\${ROW[instances]}" "\${ROW[places]}"
  place_client "\$SERVER"
  echo "client \${REPLY:-none}"
done
END
  run_split bash master.sh FACTS="$file" SERVER_MEM=64 KEYS=9 VALUE_SIZES=9 REDISRUNS=1 INSTANCES="$count" "$@"
  output=${output//$'\t'/ }
}

# Print the CPUs of the instances on one line.
cpus() { awk '$1 != "client" { print $2 }' <<<"$output" | paste -sd ' '; }

# Print how many instances each CPU set has, in the order of their first.
shares() { awk '$1 != "client" { if (!n[$2 " " $3]++) order[++k] = $2 " " $3 } END { for (i = 1; i <= k; i++) print order[i], n[order[i]] }' <<<"$output" | paste -sd ,; }

# Print everything on one line.
all() { paste -sd , <<<"$output"; }

@test "each placement puts instances where it says, from one on to all CPUs and round again; the guide's 288 instances on 72 CPUs: four rounds of one CPU each" {
  printf '%s\n' 0,0,0,0 1,0,0,0 2,1,0,0 3,1,0,0 >paired.lscpu
  # Blanks in a setting are `~`.
  while IFS='|' read -r what kind words wanted; do
    mapfile -t words < <(tr ' ~' '\n ' <<<"$words")
    succeeds place "${words[@]}"
    assert_equal "$what: $("$kind")" "$what: $wanted"
  done <<'END'
spread has neighbouring CPUs|cpus|2x12 7|0-2 3-5 6-8 9-11 12-14 15-17 18-20
core is one physical core with its siblings|cpus|2x24ht 4 PLACEMENT=core|0,48 1,49 2,50 3,51
cpu is one logical CPU, and no two on one core while cores are left, however CPUs are numbered|cpus|2x12 4 FACTS=paired.lscpu PLACEMENT=cpu|0 2 1 3
numa is evenly over the nodes, memory on the same node|shares|2x12 8 PLACEMENT=numa|0-11 --membind=0 4,12-23 --membind=1 4
numa with siblings|shares|2x24ht 10 PLACEMENT=numa|0-23,48-71 --membind=0 5,24-47,72-95 --membind=1 5
numa on eight nodes|cpus|nps4 8 PLACEMENT=numa|0-7,64-71 8-15,72-79 16-23,80-87 24-31,88-95 32-39,96-103 40-47,104-111 48-55,112-119 56-63,120-127
split has instances on one node, a client on the server on the next|all|2x12 1 PLACEMENT=split|6379 0-11 --membind=0,client --cpunodebind=1 --membind=1
split from another node|all|cpuless 1 PLACEMENT=split PLACEMENT_NODE=1|6379 8-15,24-31 --membind=1,client --cpunodebind=0 --membind=0
a client that numactl places already|all|2x12 1 PLACEMENT=split CLIENT_PREFIX=numactl~-N~0|6379 0-11 --membind=0,client none
the first node, cores|cpus|2x12 3 PLACEMENT=core PLACEMENT_NODE=1|12 13 14
the first node, and on to the next|cpus|2x12 14 PLACEMENT=cpu PLACEMENT_NODE=1|12 13 14 15 16 17 18 19 20 21 22 23 0 1
the first node, nodes|cpus|2x12 3 PLACEMENT=numa PLACEMENT_NODE=1|12-23 0-11 12-23
the first node, any|cpus|2x12 3 PLACEMENT=core PLACEMENT_NODE=auto|0 1 2
none places no instance|all|2x12 2 PLACEMENT=none|6379 - -,6380 - -,client none
none, except for a memory tier|all|cpuless 1 PLACEMENT=none VARIANTS=bind|6379 - --membind=2,client none
options of numactl take the place of a placement|all|2x12 2 PLACEMENT=core SERVER_NUMACTL=-N~1~-m~1|6379 - -N 1 -m 1,6380 - -N 1 -m 1,client none
off the CPUs of the interrupts|cpus|2x12 2 PLACEMENT=cpu TUNE.irq=0-1,12-13|2 3
off the CPUs of the interrupts, all others|cpus|2x12 2 TUNE.irq=0-1,12-13|2-11 14-23
on the CPUs that instances are given|cpus|2x12 2 TUNE.irq=0-3 SERVER_CPUS=2,5|2 5
as many CPUs as io-threads|cpus|2x24ht 3 PLACEMENT=cpu IO_THREADS=4|0-3 4-7 8-11
as many CPUs as io-threads, cores|cpus|2x24ht 3 PLACEMENT=core IO_THREADS=4|0-1,48-49 2-3,50-51 4-5,52-53
END
  # Round again, as the guide does.
  place 2x12 288
  assert_equal "$(cpus)" "$(for ((i = 0; i < 288; i++)); do echo $((i % 24)); done | paste -s -d ' ')"
  place 2x24ht 50 PLACEMENT=cpu
  assert_equal "$(cpus)" "$(seq -s ' ' 0 49)"
  place nps4 65 PLACEMENT=core
  assert_equal "$(cpus | cut -d ' ' -f 64-65)" '63,127 0,64'
  place 2x24ht 96 IO_THREADS=4
  assert_equal "$(cpus | cut -d ' ' -f 24-25)" '92-95 0-3'
  succeeds run_plan -s imdt SERVER=192.0.2.1 CLIENT_IP=192.0.2.2 SERVER_CORES=72 SERVER_MEM=754 SRV_OVERRIDE=288
  assert_match '6379-6450 +72 +0-71, 1 each'
  assert_match '6595-6666 +72 +0-71, 1 each'
  refute_contains ' 1 2 3 '
}

@test "every instance has a CPU that is there, whatever the numbers; a node without a CPU gets no instance, and plan names it" {
  for machine in 2x12 2x24ht nps4 cpuless; do
    succeeds place "$machine" '1 5 33' SWEEP=PLACEMENT=spread,cpu,core,numa,split
    [[ $machine != cpuless ]] || refute_contains membind=2
    run awk -F '[ ,]' '
      NR == FNR { if (/^[0-9]/) there[$1] = 1; next }
      $1 == "client" { print rows + 0; rows = 0; next }
      {
        rows++
        for (i = 2; i <= NF && $i !~ /^-/; i++) { split($i "-" $i, e, "-"); for (c = e[1]; c <= e[2]; c++) if (!(c in there)) print "no CPU", c }
      }' "$machine.lscpu" - <<<"$output"
    assert_equal "$(sort -n <<<"$output" | uniq -c | awk '{ print $1, $2 }' | paste -sd ,)" '5 1,5 5,5 33'
  done
  run_plan SERVER=192.0.2.1 CLIENT_IP=192.0.2.2 SERVER_MEM=754 FACTS=cpuless.lscpu PLACEMENT=numa
  assert_contains 'node 2 has memory and no CPU'
}

@test "an instance really runs where it was put, with the threads it was asked for" {
  need_command numactl
  cpu=$(($(nproc) - 1))
  succeeds master "REDISBASE=$(ports_pick 1) 'SERVER_NUMACTL=-C $cpu' IO_THREADS=2" '
    server_start 1
    read -r pid _ <'"$SCRATCH"'/host/run-$RUN_ID/server/instances.proc
    printf "cpus %s threads %s\n" "$(sed -n "s/^Cpus_allowed_list:\t//p" "/proc/$pid/status")" \
      "$(REDISCLI_AUTH=$(instance_password "$REDISBASE") redis-cli -p "$REDISBASE" config get io-threads | tail -n 1)"
    server_stop'
  assert_line "cpus $cpu threads 2"
}

@test "a placement that a variant cannot have is refused before anything starts" {
  mkdir -p mine/variants
  printf 'PLACEMENT=split\nPLACEMENT_NODE=99\n' >mine/variants/far.conf
  TIERBENCH_PATH=$SCRATCH/mine fails 2 run_split "$REPO/do_it.sh" run -s demo -v native -v far RESULTS_DIR="$SCRATCH/results" REDISBASE="$(ports_pick 2)"
  assert_contains 'PLACEMENT_NODE=99: node 99 has no CPU on the server' "$STDERR"
}
