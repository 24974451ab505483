#!/usr/bin/env bash
# SPDX-License-Identifier: MIT
# What must hold on a machine with a slow node without a CPU and cgroups of version 2, in TAP; runs inside the guest.
set -Eeuo pipefail
cd /tierbench

COUNT=0
WORDS=(REMOTE_DIR=/var/tmp/work RESULTS_DIR=/var/tmp/results REDISBASE=24000 SRV_OVERRIDE=1 VALUE_SIZES=4000 REDISRUNS=1
  KEYS=auto FILL=16M DATA=random RESERVE=64M TUNE_LEASE=600 READY_TIMEOUT=120 TIMEOUT=120)

# Tell whether what was said has something in it.
# Usage: check TITLE NEEDLE TEXT
check() {
  COUNT=$((COUNT + 1))
  if [[ $3 =~ $2 ]]; then
    echo "ok $COUNT $1"
  else
    echo "not ok $COUNT $1"
    printf '# %s\n' "${3//$'\n'/$'\n'# }"
  fi
}

# Run a variant, and print all that it says with the rows of its result.
measure() {
  rm -rf /var/tmp/results
  ./do_it.sh run -s demo -v "$1" "${WORDS[@]}" "${@:2}" 2>&1 || echo "exit status $?"
  ./summary2csv.sh /var/tmp/results/* 2>/dev/null || :
}

main() {
  local said
  uname -r | sed 's/^/# Linux /'
  numactl -H | sed 's/^/# /'
  said=$(./do_it.sh doctor -s demo -v bind -v interleave -v zram "${WORDS[@]}" 2>&1) || :
  grep -E 'memory|variant' <<<"$said" | sed 's/^/# /' || :
  check 'the node without a CPU is seen, with its latency' 'node1' "$(grep 'no CPU' <<<"$said" | grep 'read latency')"
  check 'doctor lets bind, interleave and zram pass' '^3$' "$(grep -cE '^ *ok +variant (bind|interleave|zram) ' <<<"$said")"
  check 'doctor refuses bind to a node that is not there' 'node 5 has no memory' \
    "$(./do_it.sh doctor -s demo -v bind TIER_NODES=5 "${WORDS[@]}" 2>&1)"

  said=$(measure bind)
  grep 'after ' <<<"$said" | sed 's/^/# /' || :
  check 'bind: all is on node 1, by the pages themselves' 'after set:[^;]*; (9[0-9.]+|100.0) % far; placement ok' "$said"
  check 'bind: the rows say so' ',(0\.9[0-9]*|1),ok' "$said"

  said=$(measure interleave)
  grep 'after ' <<<"$said" | sed 's/^/# /' || :
  check 'interleave: half is on each node' 'after set:[^;]*; (4[5-9]|5[0-5])[0-9.]* % far; placement ok' "$said"

  # A redis-server that goes its own way, whatever it was started with.
  printf '#!/bin/bash\nexec numactl --membind=0 redis-server "$@"\n' >/tmp/stray
  chmod +x /tmp/stray
  said=$(measure bind REDIS_SERVER=/tmp/stray)
  check 'a placement that is not what was asked for is marked' 'placement off' "$said"

  said=$(measure zram)
  grep 'after ' <<<"$said" | sed 's/^/# /' || :
  check 'zram in a cgroup of version 2: pages go out' 'after set:[^;]*swap ([5-9]|1[0-9])\.[0-9] MiB[^;]*;[^;]*; placement ok' "$said"
  check 'nothing of it stays' '^0 0$' "$(find /sys/fs/cgroup -name 'tierbench*' | wc -l) $(grep -c zram /proc/swaps || :)"
  check 'what the root hands down is as before' '^$' "$(cat /sys/fs/cgroup/cgroup.subtree_control)"
  echo "1..$COUNT"
}

main "$@"
