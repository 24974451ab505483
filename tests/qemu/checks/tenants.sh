# SPDX-License-Identifier: MIT
# shellcheck shell=bash
# Tenants with cgroups of version 2: limits, protection, what each fetches from swap, and which of its pages the kernel promotes after a start from far
# memory, and demotes when memory is demanded.

tenants_prepare() {
  mkdir -p conf/tenants
  printf '%s\n' KEYS=300 KEY_PATTERN=uniform RATE=20 >conf/tenants/even.conf
  printf '%s\n' LIKE=even MEMORY.max=8M >conf/tenants/poor.conf
  printf '%s\n' LIKE=even MEMORY.low=24M MEMORY.high=30M >conf/tenants/safe.conf
  cat >conf/scenarios/tenants-guest.conf <<'END'
# The data of one tenant does not fit, and that of another one is protected.
LIKE=guest
SRV_OVERRIDE=3
TENANTS="even poor safe"
KEYS=auto
PHASES="populate get"
POPULATE_PATTERN=sequential
DRAM_RATIO=3:4
TIME=15
SERVER_PREFIX=/var/tmp/witness
END
  # Near the end there are no requests, so nothing is promoted while the counts are read.
  printf '%s\n' KEYS=300 KEY_PATTERN=uniform 'RATE="300 0.001@14"' >conf/tenants/fast.conf
  printf '%s\n' LIKE=fast 'RATE="100 0.001@14"' >conf/tenants/slow.conf
  cat >conf/scenarios/far-guest.conf <<'END'
# All pages are on the slow node when the phase begins. The kernel scans by the CPU time of Redis.
LIKE=tenants-guest
SRV_OVERRIDE=2
TENANTS="fast slow"
START=far
TIME=20
KERNEL.scan_period_min=100
KERNEL.scan_period_max=200
KERNEL.hot_threshold=10000
END
  # Pressure on each tenant demotes its own pages alone, and DRAM has room, so nothing else is demoted.
  printf 'LIKE=tpp\nSIDECAR=/var/tmp/press\n' >conf/variants/pressed.conf
  cat >/var/tmp/press <<'PRESS'
#!/bin/bash
# When pages of both tenants were promoted, demand memory of each. At the end, print which pages its cgroup has promoted and demoted since it exists.
print() {
  awk '
    /^pgpromote_success / { sum[FILENAME " promoted"] += $2 }
    /^pgdemote_/ { sum[FILENAME " demoted"] += $2 }
    END { for (key in sum) print key, sum[key] }' {slow,fast}/memory.stat
  exit
}
cd /sys/fs/cgroup/tierbench-* || exit
trap print INT
for tenant in slow fast; do
  until (($(awk '$1 == "pgpromote_success" { print $2 }' "$tenant/memory.stat") >= 300)); do sleep 0.3; done
done
# The kernel says if it was less.
echo 2M >slow/memory.reclaim || :
echo 2M >fast/memory.reclaim || :
while :; do sleep 1; done
PRESS
  chmod 755 /var/tmp/press
  sed -i 's/^limits=.*/limits=$(cat "$cgroup"\/memory.{low,high,max} 2>\/dev\/null | paste -s -d ,)/' /var/tmp/witness
}

# Print a column of the row of a tenant. Usage: tenant VARIANT TENANT COLUMN
tenant() {
  awk -F , -v row="$1 $2 get" -v name="$3" 'NR == 1 { for (i = 1; i <= NF; i++) at[$i] = i } $at["variant"] " " $at["tenant"] " " $at["operation"] == row { print $at[name] }' "/var/tmp/$GROUP.csv"
}

# Check that the pages of each tenant that were promoted or demoted are those of its cgroup, and of both those of the kernel's counters.
# Usage: tenants_moved promoted|demoted COUNTER...
tenants_moved() {
  check "tpp: pages $1 of each tenant are those of its cgroup, and of both those that the kernel counts" '^yes' \
    "$(awk -v what="$1" -v fast="$(tenant pressed fast "tenant_$1_pages")" -v slow="$(tenant pressed slow "tenant_$1_pages")" \
      -v counters="$(growth pressed get host "${@:2}")" '
      $2 == what { said[$1] = $3 }
      END {
        n = split(counters, part, " ")
        for (i = 1; i <= n; i++) sum += part[i]
        same = said["fast/memory.stat"] == fast && said["slow/memory.stat"] == slow && fast + slow == sum
        print (fast > 100 && slow > 100 && same ? "yes" : "no"), sum, fast, slow, said["fast/memory.stat"], said["slow/memory.stat"]
      }' /var/tmp/far/*/pressed/*/rep-1/server/sidecar/sidecar.log)"
}

tenants_checks() {
  tenants_prepare
  run_variants tenants-guest -v swap
  # They start at the same time, so lines may mix.
  check 'each tenant has its limits: low, high and max' '^0,max,8388608 0,max,max 25165824,31457280,max $' \
    "$(grep -o 'limits=[0-9a-z]*,[0-9a-z,]*' "/var/tmp/$GROUP.seen" | cut -d = -f 2 | sort | tr '\n' ' ')"
  check 'the limit of the poor tenant is kept' '^8388608 less' "$(tenant swap poor tenant_limit_bytes) $(awk -v usage="$(counter swap get group:poor usage)" 'BEGIN { print (usage <= 8388608 ? "less" : "not less") }')"
  check 'the poor tenant fetches its pages; the protected one does not' '^yes' \
    "$(awk -v poor="$(tenant swap poor tenant_swapins)" -v safe="$(tenant swap safe tenant_swapins)" 'BEGIN { print (poor > 100 && safe < poor / 10 ? "yes" : "no"), poor, safe }')"
  GROUP=far
  run_variants far-guest -v weighted -v pressed
  check 'weighted: all pages were moved to the slow node, and stay there' '^(9[0-9]|100)[0-9.]* (0\.9|1)' "$(figure weighted start_far_percent far_share)"
  check 'tpp: all pages were on the slow node, and many are in DRAM at the end' '^(9[0-9]|100)[0-9.]* 0\.[0-8]' "$(figure pressed start_far_percent far_share)"
  sed 's/^/# /' /var/tmp/far/*/pressed/*/rep-1/server/sidecar/sidecar.log || :
  # The counts of the kernel, of the cgroups and of the tenants are read at three moments. Nothing is promoted or demoted at any of these.
  tenants_moved promoted pgpromote_success
  tenants_moved demoted pgdemote_kswapd pgdemote_direct pgdemote_khugepaged
  check 'tpp: the DRAM of the tenant is gone once, and grows again' '^yes' \
    "$(awk -F '\t' '$2 == "fast" { n++; if (min == "" || $3 < min) min = $3; last = $3; all = $3 + $4 } END { print (n > 10 && min < all / 4 && last > 1.5 * min ? "yes" : "no"), n, min, last, all }' \
      /var/tmp/far/*/pressed/*/rep-1/dram.tsv)"
  GROUP=tenants
}
