#!/usr/bin/env bats
# SPDX-License-Identifier: MIT
# Tuning of a machine in a tree: values are journalled before they are set, always restored, and never overwrite another user's change.
# slow
# shellcheck disable=SC2030,SC2031 # each test sets its own

load helper
load tree

prepare() {
  tree_make
  tree_defaults
  # A few kinds of the table: all of it would take four times as long.
  TUNE_ROWS=$'TUNED\tauto\tservice\ttuned.service\tinactive
GOVERNOR\tauto\tfile\t/sys/devices/system/cpu/cpu[0-9]*/cpufreq/scaling_governor\tperformance
OVERCOMMIT\tauto\tfile\t/proc/sys/vm/overcommit_memory\t1
THP\tauto\tfile?\t/sys/kernel/mm/transparent_hugepage/enabled\tnever
SWAPPINESS\ton\tfile\t/proc/sys/vm/swappiness\t10
PAGE_CLUSTER\ton\tfile\t/proc/sys/vm/page-cluster\t0'
  JOURNAL=$SCRATCH/host/tune-test-1/journal
}

# Whether the machine is as it was made.
tree_is() { [[ $(tree_state) == "$1" ]]; }

# Assert that the machine is as it was made, and that nothing of the run is left.
assert_back() {
  assert_equal "$(tree_state)" "$original"
  assert_equal "$(find "$SCRATCH/host" -name 'run-*' -o -name 'tune-*')" ''
}

@test "every setting of the table is changed, and everything is as before after restore" {
  original=$(tree_state)
  TUNE_ROWS=$(tune_table 10.0.0.1 TUNE.firewall=on KERNEL.swappiness=10 KERNEL.page_cluster=0)
  succeeds tune apply
  assert_equal "$(awk -F '\t' '$2 != "off" { print $1, $2, $4, $5 }' <<<"$output" | uniq)" 'IRQBALANCE set active inactive
TUNED set active inactive
KSMTUNED same inactive inactive
KSM same inactive inactive
KSM_RUN set 1 0
FIREWALL same inactive inactive
FIREWALL set active inactive
GOVERNOR set powersave performance
ENERGY_BIAS set 6 0
IRQ set 0-3 0
OVERCOMMIT set 0 1
SOMAXCONN set 4096 65535
SYN_BACKLOG set 2048 65535
THP set madvise never
NUMA_BALANCING set 1 0
SWAPPINESS set 60 10
PAGE_CLUSTER set 3 0
VSMP set off on'
  during=$(tree_state)
  assert_contains '/units/nna on' "$during"
  assert_contains '/units/irqbalance.service inactive' "$during"
  # 38 and 39 are of one pair of queues; 37 is of the NIC's configuration.
  assert_contains '/proc/irq/37/smp_affinity_list 0-3' "$during"
  assert_contains '/proc/irq/39/smp_affinity_list 0' "$during"
  assert_contains '/proc/irq/40/smp_affinity_list 0-3' "$during"
  assert_contains 'cpu3/cpufreq/scaling_governor performance' "$during"
  succeeds tune restore
  assert_equal "$(cut -f 2 <<<"$output" | sort -u)" back
  assert_back
}

@test "a service that is starting, or reads its configuration again, runs after restore; one that failed does not" {
  TUNE_ROWS=$'IRQBALANCE\tauto\tservice\tirqbalance.service\tinactive'
  while read -r state wanted; do
    echo "$state" >"$TIERBENCH_ROOT/units/irqbalance.service"
    succeeds tune apply
    succeeds tune restore
    echo "$state $(<"$TIERBENCH_ROOT/units/irqbalance.service")" >>found
    echo "$state $wanted" >>expected
  done <<'END'
active active
activating active
reloading active
refreshing active
failed failed
END
  assert_equal "$(<found)" "$(<expected)"
}

@test "the journal is there first: for root alone, with run, boot, target, old and new value" {
  tune apply
  assert_equal "$(stat -c '%a %U' "$JOURNAL")" "600 $(id -un)"
  assert_contains "$(printf 'test-1\t%s\tfile\tTHP\t/sys/kernel/mm/transparent_hugepage/enabled\tmadvise\tnever' \
    "$(</proc/sys/kernel/random/boot_id)")" "$(<"$JOURNAL")"
  tune restore
  # A change before the journal on disk has its value is a failure.
  cat >"$TIERBENCH_ROOT/bin/systemctl" <<END
#!/bin/sh
case \$1 in stop) { grep -q "\$2.active.inactive" "$JOURNAL" && echo journalled || echo early; } >>"$SCRATCH/seen" ;; esac
case \$1 in is-active) echo active ;; esac
END
  tune apply
  assert_equal "$(sort "$SCRATCH/seen" | uniq -c | awk '{ print $1, $2 }')" '1 journalled'
  tune restore
}

@test "check changes nothing; applied twice, as after a lost link, the first value is restored, and other values replace those of the first variant" {
  original=$(tree_state)
  succeeds tune check
  assert_equal "$(said THP)" 'would madvise never'
  assert_back
  tune apply
  succeeds tune apply
  assert_equal "$(said THP)" 'set madvise never'
  # The watchdog has no descriptor of its parent, and ends with the journal.
  read -r pid start _ <host/tune-test-1/watchdog.proc
  process_alive "$pid" "$start"
  assert_equal "$(find "/proc/$pid/fd" -lname "$SCRATCH/*" ! -lname '*/tune-test-1/*' -printf '%l\n')" ''
  assert_equal "$(ps -o sid= -p "$pid" | tr -d ' ')" "$pid"
  # What the other variant does not request is restored; a larger value than it requests is left, and a kept one too.
  echo 100000 >"$TIERBENCH_ROOT/proc/sys/net/core/somaxconn"
  original=${original/somaxconn 4096/somaxconn 100000}
  TUNE_ROWS=$(tune_table 10.0.0.1 KERNEL.swappiness=100 KERNEL.thp=always TUNE.overcommit=off TUNE.governor=off KERNEL.numa_balancing=keep)
  tune apply
  assert_equal "$(said SWAPPINESS); $(said THP); $(said SOMAXCONN); $(said NUMA_BALANCING)" 'set 60 100; set madvise always; same 100000 100000; off - -'
  assert_equal "$(cat "$TIERBENCH_ROOT"/proc/sys/vm/{overcommit_memory,page-cluster} "$TIERBENCH_ROOT/sys/devices/system/cpu/cpu0/cpufreq/scaling_governor")" $'0\n3\npowersave'
  tune restore
  assert_back
  wait_until 10 process_gone "$pid" "$start"
  prints '' tune restore
  assert_back
}

@test "a value that somebody else changed meanwhile is left alone and reported" {
  tune apply
  echo 33 >"$TIERBENCH_ROOT/proc/sys/vm/swappiness"
  tune apply
  assert_line $'SWAPPINESS\ttheirs\t/proc/sys/vm/swappiness\t60\t33\tanother program changed it from 10'
  succeeds tune restore
  assert_line $'SWAPPINESS\ttheirs\t/proc/sys/vm/swappiness\t60\t10\t33'
  assert_equal "$(cat "$TIERBENCH_ROOT"/proc/sys/vm/{swappiness,page-cluster})" $'33\n3'
}

@test "a value that another run has set is shared, and that run restores it" {
  original=$(tree_state)
  tune apply
  RUN_ID=test-2
  TUNE_ROWS=${TUNE_ROWS/$'\t10'/$'\t11'}
  tune apply
  assert_line $'THP\tshared\t/sys/kernel/mm/transparent_hugepage/enabled\tnever\tnever\tthe run test-1 set it, and restores it when it ends'
  assert_equal "$(said SWAPPINESS)" 'set 10 11'
  tune restore
  assert_equal "$(<"$TIERBENCH_ROOT/proc/sys/vm/swappiness")" 10
  RUN_ID=test-1
  tune restore
  assert_back
}

@test "without a heartbeat the watchdog restores the host; the next apply reports it and tunes it again" {
  original=$(tree_state)
  TREE_LEASE=2
  tune apply
  wait_until 20 test -e host/tune-test-1/lapsed
  assert_equal "$(tree_state)" "$original"
  mkdir -p host/run-test-1
  cp host/tune-test-1/owner host/run-test-1/owner
  prints lapsed run_split remote_script lock renew
  # Enough time for a slow machine to send a heartbeat.
  TREE_LEASE=120
  rm host/run-test-1/owner
  sed -i '1s/2$/120/' host/tune-test-1/owner
  tune apply
  assert_match 'lapsed.watchdog.-.-.restored at .*: no heartbeat of the master for [0-9]+ s'
  assert_equal "$(said THP)" 'set madvise never'
  cp host/tune-test-1/owner host/run-test-1/owner
  prints '' run_split remote_script lock renew
  rm -r host/run-test-1
  tune restore
  assert_back
}

@test "the watchdog restores the host after the last heartbeat that it read, also if the record of heartbeats is emptied or removed" {
  original=$(tree_state)
  for damage in ': >' 'rm -f'; do
    TREE_LEASE=2
    tune apply
    cp host/tune-test-1/owner record
    bash -c "$damage host/tune-test-1/owner"
    wait_until 20 test -e host/tune-test-1/lapsed
    assert_equal "$(tree_state)" "$original"
    cp record host/tune-test-1/owner
    tune restore
    assert_back
  done
}

@test "apply keeps the run's directory alive on a host without a tuned value" {
  TUNE_ROWS=$'SWAPPINESS\ton\tfile\t/proc/sys/vm/swappiness\t10'
  tune apply
  mkdir host/run-test-1
  cp host/tune-test-1/owner host/run-test-1/owner
  tune restore
  refute_exists host/tune-test-1
  TUNE_ROWS=$'SWAPPINESS\toff\tfile\t/proc/sys/vm/swappiness\tkeep'
  record_age 121 host/run-test-1/owner
  cp host/run-test-1/owner before
  succeeds tune apply
  ! cmp -s host/run-test-1/owner before || fail 'not renewed'
  refute_exists host/tune-test-1
}

@test "stop restores the changes of a run whose directory was removed manually" {
  original=$(tree_state)
  tune apply
  rm -rf host/run-*
  [[ $(tree_state) != "$original" ]]
  TUNE_ROWS=''
  succeeds run_split remote_script stop force
  assert_line 'SWAPPINESS: /proc/sys/vm/swappiness is 60 again, was 10'
  assert_back
}

@test "somebody removed the journal: the watchdog, which has it open, puts the host back" {
  original=$(tree_state)
  # The interval of the watchdog is a tenth of the lease.
  TREE_LEASE=30
  tune apply
  rm -rf host
  wait_until 60 tree_is "$original"
}

@test "a second call prints the same rows, also when a value of several was right before" {
  tree_make virtio4
  TUNE_ROWS=$'IRQ\tauto\tirq\t10.0.0.1\tauto'
  echo 1 >"$TIERBENCH_ROOT/proc/irq/40/smp_affinity_list"
  tune apply
  first=$output
  assert_equal "$(grep -c $'^IRQ\t' <<<"$first")" 8
  tune apply
  assert_equal "$output" "$first"
}

@test "what cannot be done is named with its reason, and nothing else suffers" {
  rm -r "$TIERBENCH_ROOT"/sys/devices/system/cpu/cpu*/{cpufreq,power} "$TIERBENCH_ROOT/run/systemd" "$TIERBENCH_ROOT"/usr/local/bin/*
  rm "$TIERBENCH_ROOT/proc/sys/kernel/numa_balancing"
  mkdir "$TIERBENCH_ROOT/proc/4711"
  echo irqbalance >"$TIERBENCH_ROOT/proc/4711/comm"
  TUNE_ROWS=$(tune_table 10.0.0.1)
  succeeds tune apply
  assert_line $'IRQBALANCE\tcannot\tirqbalance.service\t-\t-\tno systemd to stop it with; it runs as process 4711'
  assert_equal "$(said TUNED)" 'same inactive inactive'
  assert_match 'GOVERNOR.cannot.*there is no /sys/devices/system/cpu/cpu\[0-9\]\*/cpufreq/scaling_governor'
  assert_match 'NUMA_BALANCING.same.*there is no /proc/sys/kernel/numa_balancing'
  assert_match 'VSMP.same.*this machine does not run on vSMP'
  assert_equal "$(said THP)" 'set madvise never'
  tune restore
}

@test "what the kernel refuses is named in its own words, and not undone later" {
  need_root
  # A real file of the kernel, and a value that it rejects.
  unset -v TIERBENCH_ROOT
  before=$(</proc/sys/vm/overcommit_memory)
  TUNE_ROWS=$'OVERCOMMIT\tauto\tfile\t/proc/sys/vm/overcommit_memory\t9\nOSTYPE\tauto\tfile\t/proc/sys/kernel/ostype\tother'
  tune apply
  assert_line "OVERCOMMIT"$'\t'"cannot"$'\t'"/proc/sys/vm/overcommit_memory"$'\t'"$before"$'\t'"$before"$'\t'"Invalid argument"
  assert_line $'OSTYPE\tcannot\t/proc/sys/kernel/ostype\tLinux\tLinux\tis read-only'
  prints '' tune restore
  assert_equal "$(</proc/sys/vm/overcommit_memory)" "$before"
}

@test "a value that could not be restored is not touched with auto, and set with on" {
  printf '#!/bin/sh\ncase $1 in --nna=*) echo "${1#*=}" >"$TIERBENCH_ROOT/units/nna" ;; esac\n' >"$TIERBENCH_ROOT/usr/local/bin/imdtctl"
  TUNE_ROWS=$'VSMP\tauto\tvsmp\tnna\ton'
  tune apply
  assert_match 'VSMP.cannot.nna.-.-.cannot read its value, so could not restore it'
  assert_equal "$(<"$TIERBENCH_ROOT/units/nna")" off
  TUNE_ROWS=${TUNE_ROWS/auto/on}
  tune apply
  assert_equal "$(<"$TIERBENCH_ROOT/units/nna")" on
  tune restore
  assert_match 'VSMP.theirs.nna.unknown.on'
}

@test "every row of the table is a setting, is in the documentation with its source, and the other way round; what is asked for is on, and a client gets what is for clients" {
  names=$(grep -v '^#' "$REPO/conf/tuning.tsv" | cut -f 3 | sort)
  assert_equal "$(sed -n 's/^| `\([A-Za-z_.]*\)` .*/\1/p' "$REPO/docs/tuning.md" | sort)" "$names"
  names=$(sort -u <<<"$names")
  assert_equal "$(sed -n 's/^\(TUNE\.[a-z]*\)=.*on|auto|off.*/\1/p' "$REPO/conf/defaults.conf" | sort)" "$(grep ^TUNE <<<"$names")"
  for name in $names; do
    grep -qE "^$name=.* #: (keep|off|on\|auto\|off)(\||$)" "$REPO"/{conf/defaults,lib/part/*/settings}.conf || fail "$name has no value that leaves the host as it is"
  done
  assert_equal "$(tune_table 10.0.0.1 KERNEL.swappiness=10 KERNEL.thp=keep TUNE.ksm=off | grep -E '^(THP|NUMA_BALANCING|SWAPPINESS|ZSWAP|DAMON|RESCTRL|KSM.*)'$'\t' | cut -f 1,2 | tr '\t\n' ' ;')" \
    'KSMTUNED off;KSM off;KSM_RUN off;THP off;NUMA_BALANCING auto;DAMON off;RESCTRL off;ZSWAP off;SWAPPINESS on;'
  assert_equal "$(tune_table 10.0.0.9 | cut -f 1 | paste -s -d ' ')" 'IRQBALANCE TUNED FIREWALL GOVERNOR ENERGY_BIAS CSTATES'
}

# --- any subset, killed at any step ---

# Replace sync by a function that kills its caller at the Nth call from now, before or after it syncs.
kill_at() {
  printf '%s' "$1" >"$SCRATCH/steps"
  program_make "$TIERBENCH_ROOT/bin/sync" <<END
#!/bin/bash
read -r left <"$SCRATCH/steps" || :
((left == 1)) && kill -9 \$PPID
((left <= 0)) || printf '%s' \$((left - 1)) >"$SCRATCH/steps"
exit 0
END
}

# Choose settings and values at random. Not in a subshell: each subshell would draw the same numbers.
# Usage: some_rows   Sets: TUNE_ROWS
some_rows() {
  local -a modes=(on auto off) thp=(never always madvise)
  local name
  local -a words=("KERNEL.swappiness=$((RANDOM % 101))" "KERNEL.page_cluster=$((RANDOM % 9))" "KERNEL.thp=${thp[RANDOM % 3]}")
  while read -r name; do
    # The device for C-states is not a file that keeps its content.
    [[ $name == TUNE.cstates ]] || words+=("$name=${modes[RANDOM % 3]}")
  done < <(grep -v '^#' "$REPO/conf/tuning.tsv" | cut -f 3 | grep ^TUNE | uniq)
  ((RANDOM % 2)) || words+=("TUNE.irq=$((RANDOM % 4))")
  TUNE_ROWS=$(tune_table 10.0.0.1 "${words[@]}")
}

@test "weights turn off the kernel's automatic weights, which are restored after them; refused if they cannot be" {
  folder=$TIERBENCH_ROOT/sys/kernel/mm/mempolicy/weighted_interleave
  mkdir -p "$folder"
  echo true >"$folder/auto"
  echo 1 | tee "$folder/node0" >"$folder/node1"
  original=$(tree_state)
  TUNE_ROWS=$(tune_table 10.0.0.1 TIER_WEIGHTS="0:3 1:2" | grep ^WEIGHTS)
  tune check
  assert_equal "$(said WEIGHTS_AUTO) $(said WEIGHTS)" 'would true false would 1 3'
  tune apply
  assert_equal "$(cat "$folder"/*)" $'false\n3\n2'
  succeeds tune restore
  assert_back
  echo true >"$folder/auto"
  TUNE_ROWS=$(tune_table 10.0.0.1 TIER_WEIGHTS="0:3 1:2" | grep ^WEIGHTS)
  # If firmware reported no bandwidth, the kernel refuses `true`, even if the file contains it.
  SCRIPT_CODE='host_tune_write() { WHY="No such device" && [[ $3 != true ]] && echo "$3" >"$TIERBENCH_ROOT$2"; }' run_split remote_script tune apply
  assert_equal "$(said WEIGHTS_AUTO) $(said WEIGHTS)" 'cannot true true cannot - -'
  assert_equal "$(cat "$folder"/*)" $'true\n1\n1'
}

@test "any subset of settings, changed twice and killed at any step, ends in the original state after stop" {
  seed=${TUNE_SEED:-$RANDOM}
  RANDOM=$seed
  # As a run's name is: stop removes a directory of that form also if the kill was before its owner's line.
  RUN_ID=test-1-0badcafe
  for ((round = 1; round <= ${TUNE_ROUNDS:-3}; round++)); do
    echo "TUNE_SEED=$seed, round $round"
    tree_make
    original=$(tree_state)
    for verb in apply apply restore; do
      some_rows
      # Each may be killed; with a number past its last step it completes.
      kill_at $((RANDOM % 30 + 1))
      remote_script tune "$verb" >last.out 2>&1 || :
      ((RANDOM % 3)) || break
    done
    kill_at 0
    # stop must not depend on its own copy of the settings.
    TUNE_ROWS=''
    succeeds run_split remote_script stop force
    assert_back
    prints '' run_split remote_script stop force
  done
}

@test "the watchdog restores nothing if the master was heard while it waited for the lock, and reports the time in UTC" {
  mkdir tune
  : >tune/journal
  cat >watchdog.sh <<'END'
set -u
for module in shared/{owner,proc} host/tune; do . "$REPO/lib/$module.sh"; done
TUNE=tune HEARD=$1
# Another call has the lock, and a heartbeat comes before it is free.
host_tune_lock() {
  exec {TUNE_FD}>lock
  [[ -z $HEARD ]] || printf '%s\n' "$line" >tune/owner
}
host_tune_undo_all() { echo restored; }
proc_wait() { exit 0; }
line=$'a\tme\there\t1\t1\t-\t-\t2026-01-01T00:00:00Z\t60'
owner_moment
printf '%s\n%s\t%010d\n' "$line" "${REPLY%$'\t'*}" $((10#${REPLY#*$'\t'} - 100)) >tune/owner
host_tune_watchdog
END
  prints '' run bash watchdog.sh heard
  refute_exists tune/lapsed
  TZ=UTC-9 prints restored run bash watchdog.sh ''
  stamp=$(sed -n 's/^restored at \([^ ]*Z\): .*/\1/p' tune/lapsed)
  (($(date +%s) - $(date -d "$stamp" +%s) < 3600 && $(date -d "$stamp" +%s) <= $(date +%s))) || fail "$stamp"
}
