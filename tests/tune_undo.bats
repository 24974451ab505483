#!/usr/bin/env bats
# SPDX-License-Identifier: MIT
# The undo of tuning in a tree: its order between two variants, values that cannot be restored, and changes that are not in force any more.
# slow

load helper
load tree

prepare() {
  tree_make
  tree_defaults
  JOURNAL=$SCRATCH/host/tune-test-1/journal
}

# Print the numbers of the journal: of undone changes, and `new` for a new change, from a line on.
# Usage: order LINE
order() { tail -n +"$1" "$JOURNAL" | awk -F '\t' '$1 == "undone" { print $2 } $1 == "change" { print "new" }' | xargs; }

# Run a script of lib/host on a kernel that refuses a value.
# Usage: refuses VALUE SCRIPT VERB
refuses() {
  SCRIPT_CODE='host_tune_write() { WHY="Device or resource busy" && [[ $3 != '"$1"' ]] && echo "$3" >"$TIERBENCH_ROOT$2"; }' run_split remote_script "${@:2}"
}

@test "between two variants all changes that are not requested any more are undone last first, before any new change" {
  folder=$TIERBENCH_ROOT/sys/kernel/mm/mempolicy/weighted_interleave
  mkdir -p "$folder"
  echo true >"$folder/auto"
  echo 1 | tee "$folder"/node{0,1} >/dev/null
  # tuned sets the governor when it starts.
  cp "$TIERBENCH_ROOT/bin/systemctl" "$TIERBENCH_ROOT/bin/plain"
  cat >"$TIERBENCH_ROOT/bin/systemctl" <<'END'
#!/bin/sh
[ "$1 $2" != "start tuned.service" ] || for each in "$TIERBENCH_ROOT"/sys/devices/system/cpu/cpu*/cpufreq; do echo ondemand >"$each/scaling_governor"; done
exec "$TIERBENCH_ROOT/bin/plain" "$@"
END
  TUNE_ROWS=$(tune_table 10.0.0.1 TIER_WEIGHTS="0:3 1:2" | grep -E '^(TUNED|GOVERNOR|THP|WEIGHTS.*)'$'\t')
  succeeds tune apply
  length=$(wc -l <"$JOURNAL")
  # TUNED, four CPUs, THP, the automatic weights, two weights
  assert_equal "$(order 1)" 'new new new new new new new new new'
  TUNE_ROWS=$(tune_table 10.0.0.1 TUNE.tuned=off TUNE.governor=off TIER_WEIGHTS=0:9 KERNEL.thp=always | grep -E '^(TUNED|GOVERNOR|THP|WEIGHTS.*)'$'\t')
  succeeds tune apply
  assert_equal "$(order $((length + 1)))" '9 8 6 5 4 3 2 1 new new'
  assert_equal "$(awk -F '\t' '$1 == "undone" { print $3 }' "$JOURNAL" | sort -u)" back
  assert_equal "$(said THP) $(said WEIGHTS)" 'set madvise always set 1 9'
  assert_equal "$(cat "$folder"/*)" $'false\n9\n1'
  assert_equal "$(sort -u "$TIERBENCH_ROOT"/sys/devices/system/cpu/cpu*/cpufreq/scaling_governor)" ondemand
}

@test "a value that cannot be restored for the next variant is stuck, and the other values are set; restore and stop print both, and stop tries again" {
  before=$(tree_state)
  TUNE_ROWS=$'SWAPPINESS\ton\tfile\t/proc/sys/vm/swappiness\t10\nTHP\ton\tfile\t/sys/kernel/mm/transparent_hugepage/enabled\tnever'
  succeeds tune apply
  TUNE_ROWS=${TUNE_ROWS/$'\t10'/$'\t20'} TUNE_ROWS=${TUNE_ROWS/never/always}
  refuses 60 tune apply
  assert_success
  assert_output $'SWAPPINESS\tstuck\t/proc/sys/vm/swappiness\t60\t10\tcannot be restored: Device or resource busy\nTHP\tset\t/sys/kernel/mm/transparent_hugepage/enabled\tmadvise\talways\t-'
  refuses 60 tune restore
  assert_success
  assert_output $'SWAPPINESS\tstuck\t/proc/sys/vm/swappiness\t60\t10\t10
THP\tback\t/sys/kernel/mm/transparent_hugepage/enabled\tmadvise\tnever\tmadvise\nTHP\tback\t/sys/kernel/mm/transparent_hugepage/enabled\tmadvise\talways\tmadvise'
  assert_exists "$JOURNAL"
  refuses 60 stop force
  assert_failure 1
  assert_contains 'SWAPPINESS: /proc/sys/vm/swappiness is 10, and cannot be restored; before the run it was 60' "$STDERR"
  assert_contains 'THP: /sys/kernel/mm/transparent_hugepage/enabled is madvise again, was always' "$STDERR"
  succeeds run_split remote_script stop force
  assert_line 'SWAPPINESS: /proc/sys/vm/swappiness is 60 again, was 10'
  assert_equal "$(tree_state)" "$before"
}

@test "a value that cannot be read for a while stays on record, and stop restores it later; an interrupt ends with its device" {
  file=$TIERBENCH_ROOT/proc/sys/vm/swappiness irq=/proc/irq/37/smp_affinity_list
  TUNE_ROWS=$'SWAPPINESS\ton\tfile\t/proc/sys/vm/swappiness\t10\nIRQ\ton\tfile\t'$irq$'\t1'
  succeeds tune apply
  # As a file of debugfs, or of a CPU that is offline.
  mv "$file" away
  rm "$TIERBENCH_ROOT$irq"
  prints $'SWAPPINESS\tstuck\t/proc/sys/vm/swappiness\t60\t10\t-\nIRQ\tgone\t'$irq$'\t0-3\t1\t-' tune restore
  assert_exists "$JOURNAL"
  fails 1 run_split remote_script stop force
  assert_contains 'SWAPPINESS: /proc/sys/vm/swappiness cannot be read, so it is not restored; before the run it was 60; when it can be read again, ' "$STDERR"
  mv away "$file"
  succeeds run_split remote_script stop force
  assert_line 'SWAPPINESS: /proc/sys/vm/swappiness is 60 again, was 10'
  assert_equal "$(<"$file")" 60
  refute_exists "$JOURNAL"
}

@test "stop restores and stops everything else when a process of one run does not end, and prints what it did; it keeps the record when its undo is killed" {
  before=$(tree_state)
  TUNE_ROWS=$'SWAPPINESS\ton\tfile\t/proc/sys/vm/swappiness\t10'
  tune apply
  for run in test-1 test-2; do
    mkdir -p "host/run-$run/client-a"
    sed "s/^test-1/$run/" host/tune-test-1/owner >"host/run-$run/owner"
    echo '0 0 generator' >"host/run-$run/client-a/generator.proc"
  done
  # As a generator that waits for a disk.
  SCRIPT_CODE='proc_gone() { [[ $* != *run-test-1/client-* ]]; }; proc_signal() { :; }' fails 1 run_split remote_script stop force
  assert_output ''
  assert_contains 'run-test-1: a load generator does not end' "$STDERR"
  assert_contains 'stopped everything that test-2 had left' "$STDERR"
  assert_contains 'SWAPPINESS: /proc/sys/vm/swappiness is 60 again, was 10' "$STDERR"
  assert_equal "$(tree_state)" "$before"
  assert_equal "$(cd host && echo *-test-*)" run-test-1
  prints 'stopped everything that test-1 had left' run_split remote_script stop force
  tune apply
  SCRIPT_CODE='host_tune_write() { kill -KILL "$BASHPID"; }' fails 1 run_split remote_script stop force
  assert_contains 'tune-test-1: cannot restore all of its changes' "$STDERR"
  assert_exists "$JOURNAL"
  prints 'SWAPPINESS: /proc/sys/vm/swappiness is 60 again, was 10' run_split remote_script stop force
  assert_equal "$(tree_state)" "$before"
  tune apply
  : >"$JOURNAL"
  prints '' run_split remote_script stop force
}

@test "a line of the record that a full disk cut is removed, with busybox too, and the next line is read" {
  need_command busybox
  mkdir bin tune
  program_make bin/truncate '#!/bin/sh\nexec busybox truncate "$@"\n'
  cat >journal.sh <<'END'
set -Eeuo pipefail
for part in shared/common host/tune_journal; do . "$REPO/lib/$part.sh"; done
RUN_ID=r TUNE=$PWD/tune
printf 'undone\t0\t%s\n' "$(printf '%0986d' 0)" >tune/journal
host_tune_journal_read
# A disk with space for 28 bytes.
(trap '' XFSZ && ulimit -f 1 && host_tune_journal_add file A /proc/a 60 10) || wc -c <tune/journal
host_tune_journal_read
host_tune_journal_add file B /proc/b 60 10
host_tune_journal_read
echo "${!JOURNAL_PENDING[@]}"
END
  for tool in "$PATH" "$SCRATCH/bin:$PATH"; do
    PATH=$tool prints $'996\n/proc/b' run_split bash journal.sh
  done
}

@test "the watchdog names the settings that it cannot restore, in a text that a reply may have on a host with 512 CPUs" {
  cat >watchdog.sh <<'END'
set -u
for module in shared/{owner,proc} host/tune{,_journal}; do . "$REPO/lib/$module.sh"; done
TUNE=.
host_tune_lock() { :; }
host_tune_undo_all() { host_tune_journal_read && return 1; }
printf 'a\tme\there\t1\t1\t-\t-\t2026-01-01T00:00:00Z\t60\n' >owner
touch -d '1 hour ago' owner
host_tune_watchdog
END
  for cpu in {0..511}; do
    printf 'change\t%d\tr\tb\tfile\tGOVERNOR\t/sys/devices/system/cpu/cpu%d/cpufreq/scaling_governor\tpowersave\tperformance\n' $((cpu + 1)) "$cpu"
  done >journal
  printf 'change\t513\tr\tb\tfile\tTHP\t/thp\tmadvise\tnever\n' >>journal
  run bash watchdog.sh
  assert_match '; GOVERNOR THP cannot be restored$' "$(<lapsed)"
  (($(wc -c <lapsed) < 4096))
}

@test "the record has all values of a host where one cannot be restored; it is a warning, and so is a value that a reboot changed, not one that it restored" {
  mkdir -p run/env/a
  printf '%s\n' $'variant\tname\tstate\ttarget\tbefore\tduring\twhy\tafter' $'native\tSWAPPINESS\tset\t/vm/swappiness\t60\t10\t-\t-' \
    $'native\tTHP\tset\t/thp\tmadvise\tnever\t-\t-' >run/env/a/tuning.tsv
  fails 1 modules_run 'RUN=run REMOTE_RETRY=0 _REMOTE_TMP=$SCRATCH
    hosts_all() { hosts=(a); }
    _tune_restore() {
      printf "%s\t%s\t%s\t%s\t%s\t%s\n" SWAPPINESS stuck /vm/swappiness 60 10 12 THP back /thp madvise never madvise KSM rebooted /ksm 1 0 1 PAGE rebooted /page 3 0 5
    }
    tune_end'
  assert_equal "${STDERR//[0-9][0-9]:[0-9][0-9]:[0-9][0-9] /}" 'warning: a: SWAPPINESS: /vm/swappiness is 12, not 60 as before the run: cannot be restored; ./do_it.sh stop tries again
warning: a: PAGE: /page is 5, not 3 as before the run: rebooted'
  assert_equal "$(cut -f 2,8 run/env/a/tuning.tsv | tr '\t\n' ' ;')" 'name after;SWAPPINESS 12 (stuck);THP madvise;'
}

@test "the next apply after a reboot sets the values again, and restore restores those since the reboot" {
  TUNE_ROWS=$(tune_table 10.0.0.1 KERNEL.swappiness=10 KERNEL.page_cluster=0 | grep -E '^(IRQBALANCE|GOVERNOR|THP|SWAPPINESS|PAGE_CLUSTER)')
  tune apply
  # What a reboot leaves of a run: its files, with the old boot's id, and the values of the boot.
  read -r pid start _ <host/tune-test-1/watchdog.proc
  process_end "$pid" "$start"
  tree_make
  echo 45 >"$TIERBENCH_ROOT/proc/sys/vm/swappiness"
  # The value of the journal by coincidence: it is not restored.
  echo 0 >"$TIERBENCH_ROOT/proc/sys/vm/page-cluster"
  sed -i "s/$(</proc/sys/kernel/random/boot_id)/00000000-0000-0000-0000-000000000000/" "$JOURNAL"
  # A change that is not requested any more, and one whose target is unknown now.
  TUNE_ROWS=${TUNE_ROWS/$'PAGE_CLUSTER\ton'/$'PAGE_CLUSTER\toff'}
  rm "$TIERBENCH_ROOT/sys/kernel/mm/transparent_hugepage/enabled"
  original=$(tree_state)
  succeeds tune apply
  assert_equal "$(said SWAPPINESS) $(said IRQBALANCE)" 'set 45 10 set active inactive'
  assert_equal "$(cut -f 2 <<<"$output" | grep -c theirs)" 0
  assert_equal "$(cat "$TIERBENCH_ROOT"/proc/sys/vm/{swappiness,page-cluster})" $'10\n0'
  succeeds tune restore
  assert_equal "$(grep '^SWAPPINESS' <<<"$output" | cut -f 2,4- | tr '\t\n' ' ;')" 'rebooted 60 10 45;back 45 10 45;'
  assert_line $'PAGE_CLUSTER\trebooted\t/proc/sys/vm/page-cluster\t3\t0\t0'
  assert_match 'THP.rebooted.*madvise.never.-'
  assert_equal "$(tree_state)" "$original"
  refute_exists host/tune-test-1
}

@test "a number is held open again if the process that holds it has ended" {
  TUNE_ROWS=$'CSTATES\ton\thold\t/dev/cpu_dma_latency\t0'
  printf '\x00\x94\x35\x77' >"$TIERBENCH_ROOT/dev/cpu_dma_latency"
  tune apply
  assert_equal "$(said CSTATES)" 'set 2000000000 0'
  read -r pid start _ <host/tune-test-1/hold.proc
  tune apply
  assert_equal "$(said CSTATES)" 'set 2000000000 0'
  process_alive "$pid" "$start"
  process_end "$pid" "$start"
  # The kernel forgets the number when the file is closed.
  printf '\x00\x94\x35\x77' >"$TIERBENCH_ROOT/dev/cpu_dma_latency"
  succeeds tune apply
  assert_equal "$(said CSTATES)" 'set 2000000000 0'
  read -r pid start _ <host/tune-test-1/hold.proc
  process_alive "$pid" "$start"
  succeeds tune restore
  wait_until 10 process_gone "$pid" "$start"
}

@test "the automatic weights of the kernel are not turned on over explicit weights, which would be lost" {
  folder=$TIERBENCH_ROOT/sys/kernel/mm/mempolicy/weighted_interleave
  mkdir -p "$folder"
  echo false >"$folder/auto"
  echo 5 >"$folder/node0"
  TUNE_ROWS=$(tune_table 10.0.0.1 TIER_WEIGHTS=auto | grep ^WEIGHTS)
  for verb in check apply; do
    succeeds tune "$verb"
    assert_equal "$(said WEIGHTS_AUTO)" 'cannot false false'
    assert_match 'the weights were set explicitly, .*; set TIER_WEIGHTS=keep, or write true there before the run'
    assert_equal "$(cat "$folder"/*)" $'false\n5'
  done
  # Doctor has the fix in its column.
  succeeds run bash -c 'set -Eeuo pipefail
    ROOT=$REPO LIB=$REPO/lib RESUME= REPLIED=$1
    . "$LIB/modules.sh"
    for word in SERVER=10.0.0.1 TIER=weighted TIER_WEIGHTS=auto; do conf_word argument "$word" test; done
    conf_read
    _tune_run() { echo "$REPLIED"; }
    tune_lacks weighted
    REPLIED=${REPLIED/%the weights*/needs root}
    tune_lacks weighted | cut -f 1,3' bash "$(grep ^WEIGHTS_AUTO <<<"$output")"
  assert_equal "${lines[0]##*/}" $'auto: the weights were set explicitly, and auto would replace them permanently\tWEIGHTS_AUTO as the variant sets it\tset TIER_WEIGHTS=keep, or write true there before the run'
  assert_equal "${lines[1]##*/}" $'auto: needs root\tas root, or another server'
  TUNE_ROWS=$(tune_table 10.0.0.1 TIER_WEIGHTS=0:3 | grep ^WEIGHTS)
  tune check
  assert_equal "$(said WEIGHTS_AUTO) $(said WEIGHTS)" 'same false false would 5 3'
  echo true >"$folder/auto"
  TUNE_ROWS=$(tune_table 10.0.0.1 TIER_WEIGHTS=auto | grep ^WEIGHTS)
  tune apply
  assert_equal "$(said WEIGHTS_AUTO)" 'same true true'
}
