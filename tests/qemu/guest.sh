#!/usr/bin/env bash
# SPDX-License-Identifier: MIT
# Checks for a machine with two nodes with CPUs, a slow node without CPUs, and cgroup v2, in TAP; runs inside the guest.
#
# Usage: tests/qemu/guest.sh GROUP...
#   GROUP is a file of tests/qemu/checks: its function GROUP_checks runs the checks
set -Eeuo pipefail
cd /tierbench

# shellcheck source=tests/tap.bash
. tests/tap.bash

GROUP=
WEIGHTS=/sys/kernel/mm/mempolicy/weighted_interleave
KDAMONDS=/sys/kernel/mm/damon/admin/kdamonds/nr_kdamonds

# Print the current kernel settings that variants change.
settings() {
  echo "weights=$(cat "$WEIGHTS"/node[0-9]* | paste -s -d ,) balancing=$(</proc/sys/kernel/numa_balancing)" \
    "demotion=$(</sys/kernel/mm/numa/demotion_enabled) kdamonds=$(<"$KDAMONDS") hot=$(</sys/kernel/debug/sched/numa_balancing/hot_threshold_ms)" \
    "root=$(</sys/fs/cgroup/cgroup.subtree_control)"
}

# One scenario for all checks, and a program for SERVER_PREFIX that records the environment of Redis at start.
prepare() {
  cat >/var/tmp/witness <<'END'
#!/bin/bash
cgroup=/sys/fs/cgroup$(cut -d : -f 3 /proc/self/cgroup)
policy=$(sed -E 's/^[0-9a-f]+ //; s/ (file|anon|heap|stack|dirty|mapped).*//; q' /proc/self/numa_maps)
limits=$(cat "$cgroup"/memory.{high,max,swap.max} 2>/dev/null | paste -s -d ,)
printf '%s policy=%s cpus=%s limits=%s ' "${1##*/}" "$policy" "$(sed -n 's/^Cpus_allowed_list:\t//p' /proc/self/status)" "$limits" >>/var/tmp/witnessed
(. /var/tmp/settings && settings) >>/var/tmp/witnessed
exec "$@"
END
  chmod 755 /var/tmp/witness
  { declare -p WEIGHTS KDAMONDS && declare -f settings; } >/var/tmp/settings
  cat >conf/scenarios/guest.conf <<'END'
# What is common to all variants here.
SERVER=127.0.0.1
CLIENT_IP=127.0.0.1
SRV_OVERRIDE=1
VALUE_SIZES=32000
REDISRUNS=1
KEYS=300
FOREIGN=off
PHASES=set
DATA=random
RESERVE=64M
REMOTE_RETRY=600
REPLY_TIMEOUT=120
TIER_SWAP=/dev/nvme0n1
REMOTE_DIR=/var/tmp/host
RESULTS_DIR=/var/tmp/results
REPORT=off
# What other suites test, and each repeat would change anew.
TUNE.irqbalance=off
TUNE.tuned=off
TUNE.ksm=off
TUNE.governor=off
TUNE.irq=off
TUNE.overcommit=off
TUNE.somaxconn=off
TUNE.vsmp=off
END
}

# Run variants of a scenario: its results are in /var/tmp/GROUP, the rows in GROUP.csv there, and what the witness saw in GROUP.seen.
# Usage: run_variants SCENARIO ARGUMENT...
# Globals: GROUP
run_variants() {
  rm -f /var/tmp/witnessed
  ./do_it.sh run -s "$1" RESULTS_DIR="/var/tmp/$GROUP" "${@:2}" 2>&1 >/var/tmp/table | sed 's/^/# /' || echo '# the run failed'
  # The first table; comparisons of emulated speeds are meaningless.
  awk 'NF == 0 { exit } { print "# " $0 }' /var/tmp/table
  mv -- /var/tmp/witnessed "/var/tmp/$GROUP.seen" || : >"/var/tmp/$GROUP.seen"
  sed 's/^/# /' "/var/tmp/$GROUP.seen"
  ./summary2csv.sh /var/tmp/"$GROUP"/* >"/var/tmp/$GROUP.csv" || :
}

# Print figures of a variant's last row.
# Usage: figure VARIANT COLUMN...
figure() {
  awk -F , -v variant="$1" -v names="${*:2}" '
    NR == 1 { for (i = 1; i <= NF; i++) at[$i] = i; n = split(names, name, " ") }
    $at["variant"] == variant { line = ""; for (i = 1; i <= n; i++) line = line (i > 1 ? " " : "") $at[name[i]] }
    END { print line }' "/var/tmp/$GROUP.csv"
}

# Print what a counter of a variant was at the end of a phase.
# Usage: counter VARIANT PHASE SCOPE NAME
#   SCOPE `port` is the instance
counter() {
  awk -F '\t' -v phase="$2" -v scope="$3" -v name="$4" '$1 == phase && ($2 == scope || scope == "port" && $2 ~ /^[0-9]+$/) && $3 == name { print $5 }' \
    /var/tmp/"$GROUP"/*/"$1"/*/rep-1/server/counters.tsv
}

# Print how much counters of a variant grew in a phase, in their order.
# Usage: growth VARIANT PHASE SCOPE NAME...
growth() {
  awk -F '\t' -v phase="$2" -v scope="$3" -v names="${*:4}" '
    $1 == phase && $2 == scope { grown[$3] = $5 - $4 }
    END { n = split(names, name, " "); for (i = 1; i <= n; i++) printf "%s%s", (name[i] in grown ? grown[name[i]] : "-"), i < n ? " " : "\n" }' \
    /var/tmp/"$GROUP"/*/"$1"/*/rep-1/server/counters.tsv
}

# Print what a run may have left on this machine: processes, cgroups, swap and zram devices.
left() {
  local file name names=''
  for file in /proc/[0-9]*/comm; do
    { read -r name <"$file"; } 2>/dev/null || continue
    case $name in redis-server | membench | screen | test) names+=" $name" ;; esac
  done
  echo "processes:$names cgroups: $(find /sys/fs/cgroup -name 'tierbench*') swaps: $(wc -l </proc/swaps) $(cd /sys/block && echo zram*)"
}

main() {
  local before
  uname -r | sed 's/^/# Linux /'
  numactl -H | sed 's/^/# /'
  prepare
  before=$(settings)
  echo "# $before"
  for GROUP; do
    echo "# $GROUP: at $SECONDS s"
    # shellcheck source=/dev/null
    . "tests/qemu/checks/$GROUP.sh"
    "${GROUP}_checks"
  done
  check 'no process, no cgroup, no swap and no zram device stays' '^processes: cgroups:  swaps: 1 zram0$' "$(left)"
  check 'the settings of the kernel are what they were' "^$before\$" "$(settings)"
  echo "# done at $SECONDS s"
  echo "1..$COUNT"
}

main "$@"
