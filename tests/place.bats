#!/usr/bin/env bats
# SPDX-License-Identifier: MIT
# The placement of instances on machines that are not here: two sockets, two with SMT, eight nodes, and a node without a CPU.
# slow
# shellcheck disable=SC2154 # stderr is set by run_split

load helper

setup() {
  scratch_setup
  untune
}

# Print where instances run on a machine of tests/fixtures/cpus: PORT CPUS POLICY, and the client, for each number of INSTANCES.
# Usage: place MACHINE INSTANCES [NAME=VALUE]...
place() {
  local file=$REPO/tests/fixtures/cpus/$1.lscpu count=$2
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
  echo "client \$REPLY"
done
END
  run_split bash master.sh FACTS="$file" SERVER_MEM=64 KEYS=9 VALUE_SIZES=9 REDISRUNS=1 INSTANCES="$count" "$@"
  output=${output//$'\t'/ }
}

# Print the CPUs of the instances on one line.
cpus() { awk '$1 != "client" { printf "%s%s", sep, $2; sep = " " }' <<<"$output"; }

# Print how many instances each CPU set has, in the order of their first.
shares() { awk '$1 != "client" { if (!n[$2 " " $3]++) order[++k] = $2 " " $3 } END { for (i = 1; i <= k; i++) print order[i], n[order[i]] }' <<<"$output"; }

@test "spread: neighbouring CPUs each, and round again, as the guide does" {
  place 2x12 288
  assert_success
  assert_equal "$(cpus)" "$(for ((i = 0; i < 288; i++)); do echo $((i % 24)); done | paste -s -d ' ')"
  place 2x12 7
  assert_equal "$(cpus)" '0-2 3-5 6-8 9-11 12-14 15-17 18-20'
  place 2x24ht 72
  assert_equal "$(cpus)" "$(seq -s ' ' 0 71)"
}

@test "the guide's 288 instances on 72 CPUs: four rounds of one CPU each" {
  run "$REPO/do_it.sh" plan -s imdt SERVER=192.0.2.1 CLIENT_IP=192.0.2.2 SERVER_CORES=72 SERVER_MEM=754 SRV_OVERRIDE=288
  assert_success
  assert_match '6379-6450 +72 +0-71, 1 each'
  assert_match '6595-6666 +72 +0-71, 1 each'
  refute_contains ' 1 2 3 '
}

@test "core: one physical core with its siblings" {
  place 2x24ht 4 PLACEMENT=core
  assert_equal "$(cpus)" '0,48 1,49 2,50 3,51'
  place nps4 65 PLACEMENT=core
  assert_equal "$(cpus | cut -d ' ' -f 64-65)" '63,127 0,64'
}

@test "cpu: one logical CPU, and no two on one core while cores are left, however CPUs are numbered" {
  place 2x24ht 50 PLACEMENT=cpu
  assert_equal "$(cpus)" "$(seq -s ' ' 0 49)"
  printf '%s\n' 0,0,0,0 1,0,0,0 2,1,0,0 3,1,0,0 >paired.lscpu
  place 2x12 4 FACTS=paired.lscpu PLACEMENT=cpu
  assert_equal "$(cpus)" '0 2 1 3'
}

@test "numa: evenly over the nodes, memory on the same node" {
  place 2x12 8 PLACEMENT=numa
  assert_equal "$(shares)" $'0-11 --membind=0 4\n12-23 --membind=1 4'
  place 2x24ht 10 PLACEMENT=numa
  assert_equal "$(shares)" $'0-23,48-71 --membind=0 5\n24-47,72-95 --membind=1 5'
  place nps4 16 PLACEMENT=numa
  assert_equal "$(shares | cut -d ' ' -f 1 | paste -s -d ' ')" \
    '0-7,64-71 8-15,72-79 16-23,80-87 24-31,88-95 32-39,96-103 40-47,104-111 48-55,112-119 56-63,120-127'
  assert_equal "$(shares | cut -d ' ' -f 3 | sort -u)" 2
}

@test "a node without a CPU gets no instance, and plan names it" {
  local placement
  for placement in spread cpu core numa split; do
    place cpuless 32 PLACEMENT="$placement"
    assert_success
    refute_contains 'membind=2'
  done
  run "$REPO/do_it.sh" plan SERVER=192.0.2.1 CLIENT_IP=192.0.2.2 SERVER_MEM=754 \
    FACTS="$REPO/tests/fixtures/cpus/cpuless.lscpu" PLACEMENT=numa
  assert_contains 'node 2 has memory and no CPU'
}

@test "split: instances on one node, a client on the server on the next" {
  place 2x12 3 PLACEMENT=split
  assert_equal "$(shares)" '0-11 --membind=0 3'
  assert_line 'client --cpunodebind=1 --membind=1'
  place cpuless 3 PLACEMENT=split PLACEMENT_NODE=1
  assert_equal "$(shares)" '8-15,24-31 --membind=1 3'
  assert_line 'client --cpunodebind=0 --membind=0'
  place 2x12 3 PLACEMENT=split CLIENT_PREFIX='numactl -N 0'
  assert_line 'client '
}

@test "the first instances go to the node that is asked for, and go on to the next" {
  place 2x12 3 PLACEMENT=core PLACEMENT_NODE=1
  assert_equal "$(cpus)" '12 13 14'
  place 2x12 14 PLACEMENT=cpu PLACEMENT_NODE=1
  assert_equal "$(cpus)" "$(seq -s ' ' 12 23) 0 1"
  place 2x12 3 PLACEMENT=numa PLACEMENT_NODE=1
  assert_equal "$(cpus)" '12-23 0-11 12-23'
  place 2x12 3 PLACEMENT=core PLACEMENT_NODE=auto
  assert_equal "$(cpus)" '0 1 2'
  place 2x12 3 PLACEMENT=core PLACEMENT_NODE=2
  assert_failure 2
  assert_contains 'PLACEMENT_NODE=2: node 2 has no CPU' "$stderr"
}

@test "none: nothing places an instance, except for a memory tier" {
  place 2x12 2 PLACEMENT=none
  assert_output $'6379 - -\n6380 - -\nclient '
  place cpuless 1 PLACEMENT=none VARIANTS=bind
  assert_output $'6379 - --membind=2\nclient '
}

@test "explicit options of numactl take the place of a placement" {
  place 2x12 2 PLACEMENT=core SERVER_NUMACTL='-N 1 -m 1'
  assert_output $'6379 - -N 1 -m 1\n6380 - -N 1 -m 1\nclient '
}

@test "instances keep off the CPUs of the interrupts, or stay on those they are given" {
  place 2x12 2 PLACEMENT=cpu TUNE.irq=0-1,12-13
  assert_equal "$(cpus)" '2 3'
  place 2x12 2 TUNE.irq=0-1,12-13
  assert_equal "$(cpus)" '2-11 14-23'
  place 2x12 2 TUNE.irq=0-3 SERVER_CPUS=2,5
  assert_equal "$(cpus)" '2 5'
}

@test "an instance with io-threads gets as many CPUs" {
  place 2x24ht 3 PLACEMENT=cpu IO_THREADS=4
  assert_equal "$(cpus)" '0-3 4-7 8-11'
  place 2x24ht 3 PLACEMENT=core IO_THREADS=4
  assert_equal "$(cpus)" '0-1,48-49 2-3,50-51 4-5,52-53'
  place 2x24ht 96 IO_THREADS=4
  assert_equal "$(cpus | cut -d ' ' -f 24-25)" '92-95 0-3'
}

@test "every instance has a CPU that is there, whatever the numbers" {
  local machine placement file
  for machine in 2x12 2x24ht nps4 cpuless; do
    file=$REPO/tests/fixtures/cpus/$machine.lscpu
    for placement in spread cpu core numa split; do
      place "$machine" '1 5 33' PLACEMENT="$placement"
      assert_success
      # shellcheck disable=SC2016 # awk's own fields
      run awk -F '[ ,]' '
        NR == FNR { if (/^[0-9]/) there[$1] = 1; next }
        $1 == "client" { counts = counts " " rows + 0; rows = 0; next }
        {
          rows++
          for (i = 2; i <= NF && $i !~ /^-/; i++) { split($i "-" $i, e, "-"); for (c = e[1]; c <= e[2]; c++) if (!(c in there)) print "no CPU", c }
        }
        END { print counts }' "$file" - <<<"$output"
      assert_output ' 1 5 33'
    done
  done
}

@test "what the server cannot give is refused with the setting's name" {
  place 2x12 2 SERVER_CORES=25
  assert_failure 2
  assert_contains 'SERVER_CORES=25: the server has 24 logical CPUs' "$stderr"
  place 2x12 2 SERVER_CPUS=23-24
  assert_failure 2
  assert_contains 'SERVER_CPUS=23-24: the server has no CPU 24' "$stderr"
  place 2x12 2 TUNE.irq=0-23
  assert_failure 2
  assert_contains 'TUNE.irq=0-23: no CPU is left for the instances' "$stderr"
  place 2x12 2 PLACEMENT=split PLACEMENT_NODE=2
  assert_failure 2
  assert_contains 'PLACEMENT_NODE=2: node 2 has no CPU' "$stderr"
  printf '0,0,0,0\n1,1,0,0\n' >single.lscpu
  place 2x12 2 FACTS=single.lscpu PLACEMENT=split
  assert_failure 2
  assert_contains 'requires two NUMA nodes with CPUs' "$stderr"
  place 2x12 2 FACTS= SERVER_CORES=2 PLACEMENT=core
  assert_failure 2
  assert_contains "requires the topology of the server" "$stderr"
}

@test "an instance really runs where it was put, with the threads it was asked for" {
  need_command numactl
  local base cpu
  base=$(ports_pick 1)
  cpu=$(($(nproc) - 1))
  # shellcheck disable=SC2016 # expanded by the master
  local code='
    server_start 1
    read -r pid _ <'"$SCRATCH"'/host/run-$RUN_ID/server/instances.proc
    printf "cpus %s threads %s\n" "$(sed -n "s/^Cpus_allowed_list:\t//p" "/proc/$pid/status")" \
      "$(REDISCLI_AUTH=$(instance_password "$REDISBASE") redis-cli -p "$REDISBASE" config get io-threads | tail -n 1)"
    server_stop'
  master "REDISBASE=$base SERVER_CPUS=$cpu" "$code"
  assert_success
  assert_line "cpus $cpu threads 1"
  master "REDISBASE=$base 'SERVER_NUMACTL=-C $cpu' IO_THREADS=2" "$code"
  assert_success
  assert_line "cpus $cpu threads 2"
}

@test "a load generator really runs where CLIENT_PREFIX says" {
  need_command numactl
  local cpu=$(($(nproc) - 1)) pid
  job_start "$REPO/do_it.sh" run -s demo VALUE_SIZES=100 RATE=20 KEYS=100000 CLIENT_PREFIX="numactl -C $cpu" REDISBASE="$(ports_pick 2)" \
    RESULTS_DIR="$SCRATCH/results" REMOTE_DIR="$SCRATCH/host"
  wait_until 60 grep -q 'phase set starts' job.err
  pid=$(cat host/run-*/client-*/test.pid)
  assert_equal "$(sed -n 's/^Cpus_allowed_list:\t//p' "/proc/$pid/status")" "$cpu"
  kill -INT -"$JOB_PID"
  job_wait 60
  assert_equal "$status" 130
}

@test "a placement that a variant cannot have is refused before anything starts" {
  mkdir copy
  tar -C "$REPO" --exclude=./.git --exclude=./results --exclude=./build -cf - . | tar -C copy -xf -
  printf '# SPDX-License-Identifier: MIT\n# A node that is not there.\nPLACEMENT=split\nPLACEMENT_NODE=99\n' >copy/conf/variants/far.conf
  run_split copy/do_it.sh run -s demo -v native -v far RESULTS_DIR="$SCRATCH/results" REMOTE_DIR="$SCRATCH/host" REDISBASE="$(ports_pick 2)"
  assert_failure 2
  assert_contains 'PLACEMENT_NODE=99: node 99 has no CPU on the server' "$stderr"
}
