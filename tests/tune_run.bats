#!/usr/bin/env bats
# SPDX-License-Identifier: MIT
# Real settings of this machine: their values during a run, and that they are restored after every way to end the run.
# lane: host
# shellcheck disable=SC2030,SC2031 # tests add more files to FILES

load helper
load constant
load netns

# The files that most of these tests change on the machine itself. No run changes them by default, so tests of another checkout, or a
# run of a user, can run at the same time.
FILES=(/proc/sys/vm/swappiness /proc/sys/vm/page-cluster)
# The files that every run changes by default; one test does too, when no other run is active.
COMMON=(/proc/sys/vm/overcommit_memory /sys/kernel/mm/transparent_hugepage/enabled /proc/sys/net/core/somaxconn
  /proc/sys/net/ipv4/tcp_max_syn_backlog)
# Another program, such as irqbalance, may change them at any time that a run does not stop it.
IRQS=(/proc/irq/*/smp_affinity_list)

setup() {
  need_root
  # Two instances of this suite would change the same values. The lock is on a file of the kernel, so that no lock file remains.
  exec 8</proc/sys/vm/swappiness
  flock -w 300 8
  scratch_setup
  values_all >"$SCRATCH/before"
  # An address of this machine whose NIC has interrupts; loopback has none to move.
  ADDRESS=$(hostname -I 2>/dev/null | awk '{ print $1 }')
  ADDRESS=${ADDRESS:-127.0.0.1}
  WORDS=(-s demo VALUE_SIZES=100 KERNEL.swappiness=37 KERNEL.page_cluster=6 RESULTS_DIR="$SCRATCH/results" REMOTE_DIR="$SCRATCH/host"
    TUNE.overcommit=off KERNEL.thp=keep TUNE.somaxconn=off TUNE.irq=off SRV_OVERRIDE=1 REDISRUNS=1)
}

teardown() {
  [[ -n ${SCRATCH-} ]] || return 0
  # If a test fails, restore what it set on the machine.
  ! compgen -G "$SCRATCH/host/[rt]un*-*" >/dev/null || "$REPO/do_it.sh" stop --force REMOTE_DIR="$SCRATCH/host" >/dev/null 2>&1 || :
  netns_down
  local file value
  while read -r file value; do
    [[ $(value_of "$file") == "$value" ]] || { printf '%s\n' "$value" >"$file"; } 2>/dev/null || :
  done <"$SCRATCH/before"
  scratch_teardown
}

# Print the value of a kernel file; of [bracketed] choices, the selected one.
value_of() {
  local line=
  { IFS= read -r line <"$1"; } 2>/dev/null || :
  [[ ! $line =~ \[([^]]+)\] ]] || line=${BASH_REMATCH[1]}
  printf '%s\n' "$line"
}

values_all() {
  local file
  for file in "${FILES[@]}"; do printf '%s %s\n' "$file" "$(value_of "$file")"; done
}

# Whether a file has a value.
value_is() { [[ $(value_of "$1") == "$2" ]]; }

# Assert that everything is as before, and nothing of the run is left.
assert_back() {
  values_all >"$SCRATCH/after"
  diff "$SCRATCH/before" "$SCRATCH/after" || fail 'these are not as before'
  assert_equal "$(find "$SCRATCH/host" -name 'run-*' -o -name 'tune-*')" ''
  # Find the processes by their script, which is in the directory of this test.
  assert_equal "$(grep -lsa "$SCRATCH/host/[t]une-" /proc/[0-9]*/cmdline | tr '\n' ' ')" ''
}

# Whether no run except this test tunes this machine: each run has a watchdog. One with other paths of the kernel belongs to a test.
alone() {
  local file script
  while read -r file; do
    { script=$(tr '\0' '\n' <"$file"); } 2>/dev/null || continue
    script=${script##*$'\n'}
    # A host of a test may have its own files.
    [[ $script == "$SCRATCH"/* ]] || grep -qsE '^declare -[-x]+ TIERBENCH_ROOT=' "${file%/cmdline}/root$script" || [[ ! -e $file ]] || return 1
  done < <(grep -lsa '/[t]une-.*/watchdog.sh' /proc/[0-9]*/cmdline)
}

# Start a run that lasts until it is stopped, and wait until it is tuned and loaded.
# Usage: long_run [-w SWAPPINESS] [WORD]...
long_run() {
  local swappiness=37
  [[ ${1-} != -w ]] || {
    swappiness=$2
    shift 2
  }
  job_start "$REPO/do_it.sh" run "${WORDS[@]}" SERVER=127.0.0.1 CLIENT_IP=127.0.0.1 REDISBASE="$(ports_pick 1)" RATE=20 KEYS=100000 KERNEL.swappiness="$swappiness" "$@"
  wait_until 60 value_is /proc/sys/vm/swappiness "$swappiness"
  wait_until 60 grep -q 'phase set starts' "$SCRATCH/job.err"
  assert_equal "$(value_of /proc/sys/vm/page-cluster)" 6
}

@test "normal end: set during the run, recorded before, during and after, and as before afterwards" {
  device=/dev/cpu_dma_latency
  wait_within 60 alone || skip 'another run tunes this machine'
  FILES+=("${COMMON[@]}" "${IRQS[@]}")
  values_all >"$SCRATCH/before"
  [[ ! -w $device ]] || dma=$(od -An -td4 "$device")
  irq=$(bash -c '. "$REPO/lib/shared/common.sh"; . "$REPO/lib/shared/cpus.sh"; . "$REPO/lib/host/irq.sh"; host_irq_list "$(host_irq_devices "$1" | sed -n 1p)"' bash "$ADDRESS" | tail -n 1)
  first=$(($(nproc) - 1))
  job_start "$REPO/do_it.sh" run "${WORDS[@]}" SERVER="$ADDRESS" CLIENT_IP="$ADDRESS" REDISBASE="$(ports_pick 1)" KEYS=2000 TIME=2 RATE=500 TUNE.cstates=on \
    TUNE.overcommit=on KERNEL.thp=never TUNE.somaxconn=on TUNE.irq="$first"
  wait_until 60 grep -q 'phase set starts' "$SCRATCH/job.err"
  values_all >"$SCRATCH/during"
  [[ ! -w $device ]] || assert_equal "$(od -An -td4 "$device" | tr -d ' ')" 0
  # A NIC without interrupts has nothing to move.
  [[ -z $irq ]] || value_is "/proc/irq/$irq/smp_affinity_list" "$first"
  succeeds job_wait 120
  assert_match 'value\(s\) set for the run: [A-Z_]+' "$STDERR"
  [[ ! -w $device ]] || assert_equal "$(od -An -td4 "$device")" "$dma"
  # The watchdog of a test may outlive its files for a moment.
  wait_within 20 alone 2>/dev/null || skip 'another run began to tune this machine'
  assert_equal "$(grep -E 'swappiness|page-cluster|overcommit|hugepage' "$SCRATCH/during" | sed 's/.* //' | paste -s -d ' ')" '37 6 1 never'
  assert_back
  record=$(echo "$SCRATCH"/results/*/env/"$ADDRESS"/tuning.tsv)
  while IFS=$'\t' read -r _ _ state target before during _ after; do
    [[ $state == set && $target != /dev/* ]] || continue
    assert_equal "$before" "$(sed -n "s|^$target ||p" "$SCRATCH/before")"
    assert_equal "$during" "$(sed -n "s|^$target ||p" "$SCRATCH/during")"
    assert_equal "$after" "$before"
  done <"$record"
  assert_contains $'SWAPPINESS\tset\t/proc/sys/vm/swappiness' "$(<"$record")"
  # The record was completed after the list of the run.
  succeeds run "$REPO/do_it.sh" verify "${record%/env/*}"
  assert_equal "$(sed -n 's/^sysctl.vm.swappiness\t//p' "${record%/*}/env.tsv")" 37
  assert_equal "$(sed -n 's/^thp.enabled\t//p' "${record%/*}/env.tsv")" never
}

@test "kill -9: without a stop the host puts itself back after the lease" {
  constant_set lib/core/lock_owner.sh _LOCK_SPARE 5
  long_run REMOTE_RETRY=5
  kill -KILL "$JOB_PID"
  job_wait 60
  wait_until 60 value_is /proc/sys/vm/swappiness "$(sed -n 's|^/proc/sys/vm/swappiness ||p' "$SCRATCH/before")"
  succeeds run_split "$REPO/do_it.sh" stop REMOTE_DIR="$SCRATCH/host"
  assert_back
}

@test "kill -9: the next run puts back what the killed one left, and tunes anew; Ctrl-C: as before" {
  long_run
  kill -KILL "$JOB_PID"
  job_wait 60
  long_run -w 38
  kill -INT -- "-$JOB_PID"
  fails 130 job_wait 60
  assert_match $'SWAPPINESS\tset\t/proc/sys/vm/swappiness\t'"$(sed -n 's|^/proc/sys/vm/swappiness ||p' "$SCRATCH/before")"$'\t38' \
    "$(cat "$SCRATCH"/results/*/env/127.0.0.1/tuning.tsv)"
  assert_back
}

@test "a master that stands still for longer than the lease: the server puts itself back, and the master says so when it goes on" {
  port=6379
  constant_set lib/core/lock_owner.sh _LOCK_SPARE 3
  netns_up "$SCRATCH"
  [[ $NETNS_FILES != shared ]] || skip 'hosts cannot have files of their own here'
  somaxconn=$(netns_host server cat /proc/sys/net/core/somaxconn)
  job_start netns_exec client1 "$REPO/do_it.sh" run "${WORDS[@]}" SERVER=198.18.0.1 CLIENT_IP=198.18.0.11 SSH_CONFIG="$NETNS_SSH_CONFIG" \
    REMOTE_DIR="$SCRATCH/host" REDISBASE="$port" RATE=20 KEYS=100000 REMOTE_RETRY=5 REPLY_TIMEOUT=300 TUNE.somaxconn=on
  wait_until 60 grep -q 'phase set starts' "$SCRATCH/job.err"
  assert_equal "$(netns_host server cat /proc/sys/net/core/somaxconn)" 65535
  assert_equal "$(value_of /proc/sys/vm/swappiness)" 37
  # All processes of the master are in the group of the job.
  kill -STOP -- "-$JOB_PID"
  wait_until 60 value_is /proc/sys/vm/swappiness "$(sed -n 's|^/proc/sys/vm/swappiness ||p' "$SCRATCH/before")"
  # The hosts share the first value, and each restores its own second one.
  wait_until 60 netns_host server grep -qx "$somaxconn" /proc/sys/net/core/somaxconn
  kill -CONT -- "-$JOB_PID"
  wait_until 60 grep -q 'lease expired (no heartbeat for 8 s): tuning was reverted' "$SCRATCH/job.err"
  # The process of the job is the parent of the master, in the same process group.
  kill -INT -- "-$JOB_PID"
  job_wait 90
  values_all >"$SCRATCH/after"
  diff "$SCRATCH/before" "$SCRATCH/after"
  assert_equal "$(netns_host server cat /proc/sys/net/core/somaxconn)" "$somaxconn"
  assert_equal "$(netns_host server find "$SCRATCH/host" -name 'run-*' -o -name 'tune-*')" ''
}

@test "a variant has its own values, and the other variant's host is as before" {
  mkdir -p mine/{scenarios,variants}
  # What a scenario says, a variant can change.
  printf '%s\n' LIKE=demo VALUE_SIZES=100 REDISRUNS=1 SRV_OVERRIDE=1 KEYS=500 PHASES=set KERNEL.swappiness=37 KERNEL.page_cluster=6 TUNE.overcommit=off KERNEL.thp=keep TUNE.somaxconn=off >mine/scenarios/two.conf
  printf 'KERNEL.swappiness=91\nKERNEL.page_cluster=keep\n' >mine/variants/swappy.conf
  : >mine/variants/plain.conf
  TIERBENCH_PATH=$SCRATCH/mine succeeds run_split "$REPO/do_it.sh" run -s two -v plain -v swappy RESULTS_DIR="$SCRATCH/results" REDISBASE="$(ports_pick 1)"
  cut -f 1-3,6 "$SCRATCH"/results/*/env/127.0.0.1/tuning.tsv | tr '\t' ' ' >said
  assert_equal "$(grep -E 'SWAPPINESS|PAGE_CLUSTER' said)" $'plain SWAPPINESS set 37\nplain PAGE_CLUSTER set 6\nswappy SWAPPINESS set 91\nswappy PAGE_CLUSTER off -'
  assert_back
}
