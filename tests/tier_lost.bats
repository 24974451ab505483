#!/usr/bin/env bats
# SPDX-License-Identifier: MIT
# A tier made for a run whose directory, with the journal, was removed by hand.
# lane: host

load helper

setup() {
  scratch_setup
  # The records of the tuning would be removed with the directory.
  untune
  zswap_set N
}

teardown() {
  [[ ! -d ${other-} ]] || rmdir -- "$other"
  scratch_teardown
}

@test "stop removes swap and cgroup of a run whose directory was removed manually" {
  local variant pattern
  local -a words
  ((EUID == 0)) || skip 'only root makes swap'
  for variant in swap zram; do
    [[ $variant == swap || -e /sys/class/zram-control ]] || continue
    words=(-s demo REMOTE_DIR="$SCRATCH/host" RESULTS_DIR="$SCRATCH/results" REDISBASE="$(ports_pick 2)" KEYS=auto FILL=48M
    VALUE_SIZES=1000 DATA=random REDISRUNS=1 PHASES=get TIME=600 RATE=1000)
    job_start "$REPO/do_it.sh" run -v "$variant" "${words[@]}"
    job_load get
    [[ -n $(find /sys/fs/cgroup -maxdepth 2 -type d -name 'tierbench-demo-*') ]]
    kill -KILL "$JOB_PID"
    job_wait 10 || :
    remove_busy host/run-demo-*
    # A cgroup of an unknown run: a run with another REMOTE_DIR may have just made it.
    other=$(find /sys/fs/cgroup -maxdepth 2 -type d -name 'tierbench-demo-*' -printf '%h')/tierbench-demo-1-0badcafe
    mkdir -- "$other"
    run "$REPO/do_it.sh" stop "${words[@]}"
    rmdir -- "$other"
    assert_success
    assert_match 'tier: removed cgroup /sys/fs/cgroup/.*/?tierbench-demo-.*, whose directory had been removed'
    pattern='/host/tierbench-demo-[0-9]+-[0-9a-f]{8}\.swap'
    [[ $variant == swap ]] || pattern=/dev/zram
    assert_match "tier: removed swap ([^ ]*${pattern}[^ ]*) .*, whose directory had been removed"
    # Other programs may have made swap at the same time.
    assert_equal "$(grep -c "^${BASH_REMATCH[1]}[[:space:]]" /proc/swaps)" 0
    refute_exists "${BASH_REMATCH[1]}"
    assert_equal "$(find /sys/fs/cgroup -maxdepth 2 -type d -name 'tierbench-demo-*')$(find host -name '*.swap' -o -name 'run-*' -o -name 'tier-*')" ''
  done
}
