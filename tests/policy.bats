#!/usr/bin/env bats
# SPDX-License-Identifier: MIT
# Tiering policies: limits of NUMA balancing, and DAMON, are set on a machine in a tree, recorded first, and restored.
# slow
# shellcheck disable=SC2030,SC2031 # each test sets its own

load helper
load processors
load tree
load logs

prepare() {
  tree_make
  tree_defaults
  KDAMONDS=$TIERBENCH_ROOT/sys/kernel/mm/damon/admin/kdamonds
  JOURNAL=$SCRATCH/host/tune-test-1/journal
}

# Give the machine two nodes and an unused DAMON. A real kernel makes the directories when a number of them is written.
damon_make() {
  local i s
  mkdir -p "$TIERBENCH_ROOT"/sys/devices/system/memory "$TIERBENCH_ROOT"/sys/devices/system/node/node{0/memory{0,1,2},1/memory{4,5,9}}
  echo 8000000 >"$TIERBENCH_ROOT/sys/devices/system/memory/block_size_bytes"
  echo offline >"$TIERBENCH_ROOT/sys/devices/system/node/node1/memory9/state"
  for i in 0 1; do
    mkdir -p "$KDAMONDS/$i/contexts/0"/{monitoring_attrs/{intervals,nr_regions},targets/0/regions/{0,1}}
    for ((s = 0; s < 11; s++)); do
      mkdir -p "$KDAMONDS/$i/contexts/0/schemes/$s"/{access_pattern/{sz,nr_accesses,age},quotas/weights,stats}
    done
    echo off >"$KDAMONDS/$i/state"
  done
  echo 0 >"$KDAMONDS/nr_kdamonds"
  TUNE_ROWS=$'DAMON\ton\tdamon\t/sys/kernel/mm/damon/admin/kdamonds\t'${1-migrate 1 0 1 30 50}
}

# Print files of DAMON's tree.
damon_at() { (cd "$KDAMONDS" && cat -- "$@" | paste -sd ' '); }

@test "the limits of NUMA balancing are set where they are asked for, and restored" {
  numa=$TIERBENCH_ROOT/sys/kernel/debug/sched/numa_balancing
  mkdir -p "$numa"
  echo 65536 >"$TIERBENCH_ROOT/proc/sys/kernel/numa_balancing_promote_rate_limit_MBps"
  for name in scan_period_min_ms scan_period_max_ms scan_size_mb hot_threshold_ms; do echo 1000 >"$numa/$name"; done
  TUNE_ROWS=$(tune_table 10.0.0.1 KERNEL.numa_balancing=2 KERNEL.promote_rate=200 KERNEL.scan_period_min=100 KERNEL.scan_size=64 KERNEL.hot_threshold=2000)
  succeeds tune apply
  assert_equal "$(cat "$TIERBENCH_ROOT"/proc/sys/kernel/numa_balancing{,_promote_rate_limit_MBps} "$numa"/{scan_period_min_ms,scan_period_max_ms,scan_size_mb,hot_threshold_ms} | paste -sd ' ')" \
    '2 200 100 1000 64 2000'
  assert_line $'SCAN_PERIOD_MAX\toff\t-\t-\t-\tnot asked for'
  tune restore
  assert_equal "$(cat "$TIERBENCH_ROOT"/proc/sys/kernel/numa_balancing{,_promote_rate_limit_MBps} "$numa"/*_ms "$numa"/*_mb | paste -sd ' ')" '1 65536 1000 1000 1000 1000'
  rm -r "$TIERBENCH_ROOT/sys/kernel/debug"
  tune check
  assert_match $'SCAN_SIZE\tcannot\t[^\n]*there is no /sys/kernel/debug/sched/numa_balancing/scan_size_mb; as root: [a-z]+ -t debugfs debugfs '
}

@test "DAMON migrate: the slow node is counted and promoted from, the fast node is demoted from; restore stops it" {
  damon_make
  succeeds tune check
  assert_equal "$(cut -f 1,2 <<<"$output") $(<"$KDAMONDS/nr_kdamonds")" $'DAMON\twould 0'
  succeeds tune apply
  assert_match $'DAMON\tset\t/sys/kernel/mm/damon/admin/kdamonds\toff\tmigrate-[0-9]+\t-'
  assert_contains $'\tdamon\tDAMON\t/sys/kernel/mm/damon/admin/kdamonds\toff\tmigrate-' "$(<"$JOURNAL")"
  assert_equal "$(damon_at nr_kdamonds {0,1}/state 0/contexts/0/operations 0/contexts/0/monitoring_attrs/intervals/{sample,aggr}_us)" '2 on on paddr 100000 900000'
  # Blocks 4 and 5 of 128 MiB; block 9 is offline.
  assert_equal "$(damon_at 0/contexts/0/targets/0/regions/{nr_regions,0/start,0/end} 1/contexts/0/targets/0/regions/0/{start,end})" '1 536870912 805306368 0 402653184'
  assert_equal "$(damon_at 0/contexts/0/schemes/{nr_schemes,7/action,7/access_pattern/nr_accesses/min,7/access_pattern/nr_accesses/max,9/access_pattern/nr_accesses/max})" '11 stat 7 7 4294967295'
  assert_equal "$(damon_at 0/contexts/0/schemes/10/{action,target_nid,access_pattern/nr_accesses/min,quotas/bytes})" 'migrate_hot 0 1 50000000'
  assert_equal "$(damon_at 1/contexts/0/schemes/0/{action,target_nid,access_pattern/nr_accesses/max,access_pattern/age/min,quotas/bytes})" 'migrate_cold 1 0 34 50000000'
  tune apply
  assert_match $'DAMON\tset\t[^\n]*\toff\tmigrate-[0-9]+\t-'
  TUNE_ROWS=${TUNE_ROWS/ 50/ 80}
  tune apply
  assert_equal "$(damon_at nr_kdamonds 1/state 0/contexts/0/schemes/10/quotas/bytes)" '2 on 80000000'
  succeeds tune restore
  assert_equal "$(cut -f 2 <<<"$output" | sort -u)" back
  assert_equal "$(damon_at nr_kdamonds {0,1}/state)" '0 off off'
}

@test "DAMON counts what it moved in pages of the kernel, of any size; a count that is no number is none, and is not evaluated" {
  damon_make
  tune apply
  echo 131072000 >"$KDAMONDS/0/contexts/0/schemes/10/stats/sz_applied"
  echo 65536 >"$KDAMONDS/1/contexts/0/schemes/0/stats/sz_applied"
  program_make bin/getconf '#!/bin/sh\n[ "$*" = PAGESIZE ] && echo 65536\n'
  counts() {
    PATH=$SCRATCH/bin:$PATH WORK=. RUN_ID=x bash -c '. "$REPO/lib/part/damon/host_tune.sh" && . "$REPO/lib/host/monitor.sh" && host_monitor_mark_parts' | grep -v access
  }
  assert_equal "$(counts | tail -n 3)" $'damon\tpromoted\t131072000\ndamon\tdemoted\t65536\ndamon\tmoved_pages\t2001'
  rm "$KDAMONDS/1/contexts/0/schemes/0/stats/sz_applied"
  echo on | tee "$KDAMONDS"/{0,1}/state
  assert_equal "$(counts | tail -n 2)" $'damon\tpromoted\t131072000\ndamon\tdemoted\t'
  echo on | tee "$KDAMONDS"/{0,1}/state
  tune restore
  prints 8202 run bash -c '. "$REPO/lib/part/damon/host_tune.sh"
    mkdir -p regions/0 regions/1 regions/2
    echo 4096 >regions/0/start && echo 12288 >regions/0/end
    echo 1 >regions/1/start && echo "a[\$(: >pwned)]" >regions/1/end
    echo 0 >regions/2/start && echo 010 >regions/2/end
    _host_damon_watched regions'
  refute_exists pwned
}

@test "DAMON that somebody else uses is left alone, before the run and during it" {
  damon_make 'monitor 1 0'
  echo 1 >"$KDAMONDS/nr_kdamonds"
  echo on >"$KDAMONDS/0/state"
  echo 60000000 >"$KDAMONDS/0/contexts/0/monitoring_attrs/intervals/update_us"
  tune apply
  assert_match $'DAMON\tcannot\t[^\n]*another program uses DAMON \\(1 kdamond'
  assert_equal "$(damon_at nr_kdamonds 0/state 0/contexts/0/monitoring_attrs/intervals/update_us)" '1 on 60000000'
  [[ ! -e $JOURNAL ]] || fail 'a change is on record'
  # Somebody set it up anew while the run had it.
  echo 0 >"$KDAMONDS/nr_kdamonds"
  tune apply
  assert_match $'DAMON\tset\t'
  echo 60000000 >"$KDAMONDS/0/contexts/0/monitoring_attrs/intervals/update_us"
  tune restore
  assert_match $'DAMON\ttheirs\t'
  assert_equal "$(damon_at nr_kdamonds 0/state)" '1 on'
}

@test "DAMON: a kdamond that another program starts before or between the writes of the run is left on" {
  damon_make 'monitor 1 0'
  cat >race.sh <<'END'
set -Eeuo pipefail
. <(sed 's/^_host_damon_set()/real_set()/' "$REPO/lib/part/damon/host_tune.sh")
theirs() {
  echo 1 >"$DAMON_ROOT/nr_kdamonds"
  echo 60000 >"$DAMON_ROOT/0/contexts/0/monitoring_attrs/intervals/update_us"
  echo on >"$DAMON_ROOT/0/state"
}
# The kernel refuses another number of kdamonds while one of them runs.
_host_damon_set() {
  echo "$1" >>writes
  [[ $moment != between ]] || theirs
  if [[ $1 == */nr_kdamonds && $(<"$DAMON_ROOT/0/state") == on ]]; then
    WHY='nr_kdamonds: Device or resource busy'
    return 1
  fi
  real_set "$@"
}
moment=$1
host_damon_targets /sys/kernel/mm/damon/admin/kdamonds 'monitor 1 0'
[[ $moment != before ]] || theirs
host_damon_write - "$DAMON_NAME" || echo "refused: $WHY"
END
  for moment in before between; do
    echo 0 >"$KDAMONDS/nr_kdamonds"
    echo off >"$KDAMONDS/0/state"
    : >writes
    succeeds run bash race.sh "$moment"
    assert_match '^refused: (another program uses DAMON|nr_kdamonds: Device or resource busy)$'
    assert_equal "$moment $(damon_at nr_kdamonds 0/state)" "$moment 1 on"
    assert_equal "$moment $(wc -l <writes)" "$moment $([[ $moment == before ]] && echo 0 || echo 1)"
  done
}

@test "DAMON: a kernel that refuses an action keeps nothing of it, and a setup that was killed is removed" {
  damon_make
  mkdir "$KDAMONDS/0/contexts/0/schemes/10/action"
  tune apply
  assert_match $'DAMON\tcannot\t[^\n]*DAMON has no action migrate_hot \\(Linux 6.11 or newer\\)'
  assert_equal "$(damon_at nr_kdamonds {0,1}/state)" '0 off off'
  rmdir "$KDAMONDS/0/contexts/0/schemes/10/action"
  tune apply
  # Killed before the second one ran, or had its number.
  echo off >"$KDAMONDS/1/state"
  mark=$(damon_at 1/contexts/0/monitoring_attrs/intervals/update_us)
  tune restore
  assert_equal "$(cut -f 2 <<<"$output") $(damon_at nr_kdamonds {0,1}/state)" 'back 0 off off'
  tune apply
  echo off >"$KDAMONDS/1/state"
  rm -r "$KDAMONDS/1/contexts/0"
  tune restore
  assert_equal "$(cut -f 2 <<<"$output") $(damon_at nr_kdamonds {0,1}/state)" 'back 0 off off'
  ((mark > 60000000))
}

@test "DAMON stops by its watchdog when the master is gone" {
  damon_make 'monitor 1 0'
  TREE_LEASE=50
  tune apply
  assert_equal "$(damon_at nr_kdamonds 0/state)" '1 on'
  record_age 60 "$SCRATCH/host/tune-test-1/owner"
  wait_until 30 test -e "$SCRATCH/host/tune-test-1/lapsed"
  assert_equal "$(damon_at nr_kdamonds 0/state)" '0 off'
}

@test "the nodes that DAMON watches: slow are those without a CPU, or those that the instances are bound to" {
  asked() {
    modules '_PLACE_TOPOLOGY=$1
      shift
      for word; do conf_word argument "$word" test; done
      conf_read
      damon_tuning
      printf "%s\n" "$REPLY"' "$@"
  }
  topology=$'0,0,0,0\n1,1,1,1\n# node 2 has memory and no CPU\n# node 3 has memory and no CPU'
  assert_equal "$(asked "$topology" DAMON=monitor)" 'monitor 2,3 0,1'
  assert_equal "$(asked "$topology" DAMON="migrate hot=3 quota=9")" 'migrate 2,3 0,1 3 30 9'
  assert_equal "$(asked "$topology" DAMON=monitor TIER=bind TIER_NODES=1)" 'monitor 1 0,2,3'
  assert_equal "$(asked $'0,0,0,0' DAMON=monitor)" 'monitor - 0'
}

@test "far_wss_bytes is the mean of the aggregations, and what DAMON migrated counts as moved" {
  run=20250101T100000Z-x
  repeat_make "$run" damon 1000B-1i 1 a 1000 500000 1 30 90 set:9 get:7
  folder=$run/damon/1000B-1i/rep-1
  server_make "$folder" tiering - 0 0
  # Four aggregations over 1,000,000 bytes: a tenth in every sample, a tenth in half of them.
  for ((k = 0; k <= 20; k++)); do
    case $k in 0) set -- 3200000 ;; 10 | 20) set -- 400000 ;; *) set -- 0 ;; esac
    printf 'get\tdamon\taccess%d\t7\t%d\n' "$k" $(($1 + 7))
  done >>"$folder/server/counters.tsv"
  printf 'get\tdamon\tfar_bytes\t1000000\t1000000\nget\tdamon\tmoved_pages\t1\t62501\n' >>"$folder/server/counters.tsv"
  run "$REPO/summary2csv.sh" "$run"
  assert_equal "$(cells -c 'operation far_wss_bytes moved_per_op' <<<"$output" | sort)" $'get 150000 0.03125\nset  '
  sed -E 's/access(10|20)\t/access\1x\t/; /access(1[1-9]|[1-9])\t/d; s/access10x/access1/; s/access20x/access2/' "$folder/server/counters.tsv" >fewer
  mv fewer "$folder/server/counters.tsv"
  assert_equal "$("$REPO/summary2csv.sh" "$run" | cells -c far_wss_bytes | sort -n | tail -n 1)" 150000
  sed -i 's/\t3200007$/\t1200007/' "$folder/server/counters.tsv"
  assert_equal "$("$REPO/summary2csv.sh" "$run" | cells -c far_wss_bytes | paste -sd ,)" ,
}

# Give the machine a resctrl that is mounted; CONFIG is of an AMD CPU that tells slow memory.
# Usage: resctrl_make [CONFIG]
resctrl_make() {
  mkdir -p "$TIERBENCH_ROOT"/sys/fs/resctrl/{info/L3_MON,mon_groups,mon_data}
  echo mbm_total_bytes >"$TIERBENCH_ROOT/sys/fs/resctrl/info/L3_MON/mon_features"
  [[ -z ${1-} ]] || echo "$1" >"$TIERBENCH_ROOT/sys/fs/resctrl/info/L3_MON/mbm_total_bytes_config"
  TUNE_ROWS=$(tune_table 10.0.0.1 FAR.bytes=on | grep ^RESCTRL)
}

# Print what the machine in the tree has counted for the run.
counts() { RUN_ID=test-1 bash -c '. "$REPO/lib/part/far/host_tune.sh" && host_far_counts'; }

@test "FAR.bytes: a group of the run, slow memory alone where the CPU can, all restored" {
  root=$TIERBENCH_ROOT/sys/fs/resctrl
  resctrl_make '0=0x7f;1=0x7f'
  succeeds tune apply
  assert_line $'RESCTRL_MOUNT\tsame\t/sys/fs/resctrl\tmounted\tmounted\t-'
  assert_line $'RESCTRL_SLOW\tset\t/sys/fs/resctrl/info/L3_MON/mbm_total_bytes_config\t0=0x7f;1=0x7f\t0=0x30;1=0x30\t-'
  assert_line $'RESCTRL\tset\t/sys/fs/resctrl/mon_groups/tierbench-test-1\tabsent\tpresent\t-'
  tune restore
  assert_equal "$(cut -f 2 <<<"$output" | sort -u)" back
  assert_equal "$(<"$root/info/L3_MON/mbm_total_bytes_config") $(ls "$root/mon_groups")" '0=0x7f;1=0x7f '
  # Somebody's group: its counters stay as they are.
  mkdir "$root/mon_groups/other"
  : >"$root/mon_groups/other/tasks"
  tune apply
  assert_match $'RESCTRL_SLOW\tcannot\t[^\n]*another program has a group'
  assert_equal "$(<"$root/info/L3_MON/mbm_total_bytes_config") $(cd "$root/mon_groups" && echo *)" '0=0x7f;1=0x7f other tierbench-test-1'
  tune restore
  assert_equal "$(ls "$root/mon_groups")" other
}

@test "FAR.bytes: resctrl is mounted for the run and unmounted after it, unless somebody else came to use it" {
  root=$TIERBENCH_ROOT/sys/fs/resctrl
  mkdir -p "$root"
  TUNE_ROWS=$(tune_table 10.0.0.1 FAR.bytes=on | grep ^RESCTRL)
  tune check
  assert_match $'RESCTRL_MOUNT\tcannot\t[^\n]*the kernel or the CPU has no resctrl'
  assert_match $'RESCTRL\tcannot\t[^\n]*resctrl is not mounted'
  printf 'nodev\tresctrl\n' >"$TIERBENCH_ROOT/proc/filesystems"
  cat >"$TIERBENCH_ROOT/bin/mount" <<'END'
#!/bin/bash
[[ $1 == -t && $2 == resctrl ]] || exit 1
mkdir -p "$4"/{info/L3_MON,mon_groups,mon_data} && echo mbm_total_bytes >"$4/info/L3_MON/mon_features"
END
  printf '#!/bin/bash\nrm -r "$1"/{info,mon_groups,mon_data}\n' >"$TIERBENCH_ROOT/bin/umount"
  chmod +x "$TIERBENCH_ROOT"/bin/*mount
  tune check
  assert_equal "$(cut -f 1,2 <<<"$output" | paste -sd ' ')" $'RESCTRL_MOUNT\twould RESCTRL_SLOW\tsame RESCTRL\twould'
  assert_equal "$(ls "$root")" ''
  tune apply
  assert_equal "$(ls "$root/mon_groups")" tierbench-test-1
  mkdir "$root/mon_groups/other"
  : >"$root/mon_groups/other/tasks"
  succeeds tune restore
  assert_line $'RESCTRL_MOUNT\tstuck\t/sys/fs/resctrl\tunmounted\tmounted\tmounted'
  assert_equal "$(ls "$root/mon_groups")" other
  rm -r "$root/mon_groups/other"
  succeeds tune restore
  assert_equal "$(ls "$root")" ''
}

@test "FAR.bytes: bytes of slow memory, or of another socket, per operation" {
  group=$TIERBENCH_ROOT/sys/fs/resctrl/mon_groups/tierbench-test-1 run=20250101T100000Z-x
  resctrl_make
  assert_equal "$(counts)" ''
  mkdir -p "$group"/mon_data/mon_L3_0{0,1}
  echo 1000 | tee "$group"/mon_data/mon_L3_0{0,1}/mbm_total_bytes >/dev/null
  echo 300 | tee "$group"/mon_data/mon_L3_0{0,1}/mbm_local_bytes >/dev/null
  assert_equal "$(counts)" $'resctrl\tfar_bytes\t1400\nresctrl\tof\tanother socket'
  resctrl_make '0=0x30;1=0x30'
  assert_equal "$(counts)" $'resctrl\tfar_bytes\t2000\nresctrl\tof\tslow memory'
  echo Unavailable >"$group/mon_data/mon_L3_01/mbm_total_bytes"
  assert_equal "$(counts)" ''
  repeat_make "$run" bind 1000B-1i 1 a 1000 500000 1 30 90 set:9 get:7
  folder=$run/bind/1000B-1i/rep-1
  server_make "$folder" bind - 0 0
  printf 'get\tresctrl\tfar_bytes\t1000\t5001000\nget\tresctrl\tof\tslow memory\tslow memory\n' >>"$folder/server/counters.tsv"
  run "$REPO/summary2csv.sh" "$run"
  assert_equal "$(cells -c 'operation far_bytes_per_op far_bytes_of' <<<"$output" | sort)" $'get 2.5 slow memory\nset  '
}

@test "FAR.bytes: an AMD CPU has no group, and no bytes, where its total has evicted lines of all memory; doctor gives the reason" {
  root=$TIERBENCH_ROOT/sys/fs/resctrl
  config=$root/info/L3_MON/mbm_total_bytes_config group=$root/mon_groups/tierbench-test-1
  cpuinfo_of turin >"$TIERBENCH_ROOT/proc/cpuinfo"
  # A kernel that cannot change what is counted.
  resctrl_make
  tune check
  assert_match $'RESCTRL\tcannot\t[^\n]*\tthis CPU does not count bytes of far memory separately'
  resctrl_make '0=0x7f;1=0x7f'
  tune check
  assert_equal "$(cut -f 1,2 <<<"$output" | tr '\t' ' ' | paste -sd ,)" 'RESCTRL_MOUNT same,RESCTRL_SLOW would,RESCTRL would'
  # Another program has a group, so the counters stay as they are.
  mkdir "$root/mon_groups/other"
  : >"$root/mon_groups/other/tasks"
  tune apply
  assert_equal "$(cut -f 1,2 <<<"$output" | tr '\t' ' ' | paste -sd ,)" 'RESCTRL_MOUNT same,RESCTRL_SLOW cannot,RESCTRL cannot'
  refute_exists "$group"
  # Another program changes the counters during the run.
  mkdir -p "$group/mon_data/mon_L3_00"
  echo 1000 | tee "$group"/mon_data/mon_L3_00/mbm_{total,local}_bytes >/dev/null
  echo '0=0x30;1=0x30' >"$config"
  assert_equal "$(counts)" $'resctrl\tfar_bytes\t1000\nresctrl\tof\tslow memory'
  echo '0=0x30;1=0x7f' >"$config"
  assert_equal "$(counts)" ''
}

@test "an instance enters the group before it starts, and the limit of its cgroup too" {
  work=$SCRATCH/host group=$TIERBENCH_ROOT/sys/fs/resctrl/mon_groups/tierbench-test-1
  mkdir -p "$work/run-test-1/tier" "$group" cgroup
  prefix() { WORK=$work RUN_ID=test-1 bash -c '. "$REPO/lib/part/far/host_tune.sh" && . "$REPO/lib/host/tier.sh" && host_tier_prefix - && exec "${TIER_PREFIX[@]}" bash -c "echo \$\$"'; }
  assert_equal "$(prefix)" "$(<"$group/tasks")"
  printf '%s\n' "$PWD/cgroup" >"$work/run-test-1/tier/cgroup"
  assert_equal "$(prefix)" "$(<cgroup/cgroup.procs)"
  assert_equal "$(<"$group/tasks")" "$(<cgroup/cgroup.procs)"
}
