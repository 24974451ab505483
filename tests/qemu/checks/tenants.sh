# SPDX-License-Identifier: MIT
# shellcheck shell=bash
# Tenants with cgroups of version 2: limits, protection, and what each fetches from swap.

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
  # shellcheck disable=SC2016 # of the witness
  sed -i 's/^limits=.*/limits=$(cat "$cgroup"\/memory.{low,high,max} 2>\/dev\/null | paste -s -d ,)/' /var/tmp/witness
}

# Print a column of the row of a tenant. Usage: tenant TENANT COLUMN
tenant() {
  awk -F , -v tenant="$1" -v name="$2" 'NR == 1 { for (i = 1; i <= NF; i++) at[$i] = i } $at["tenant"] == tenant && $at["operation"] == "get" { print $at[name] }' "/var/tmp/$GROUP.csv"
}

tenants_checks() {
  tenants_prepare
  run_variants tenants-guest -v swap
  # They start at the same time, so lines may mix.
  check 'each tenant has its limits: low, high and max' '^0,max,8388608 0,max,max 25165824,31457280,max $' \
    "$(grep -o 'limits=[0-9a-z]*,[0-9a-z,]*' "/var/tmp/$GROUP.seen" | cut -d = -f 2 | sort | tr '\n' ' ')"
  check 'the limit of the poor tenant is kept' '^8388608 less' "$(tenant poor tenant_limit_bytes) $(awk -v usage="$(counter swap get group:poor usage)" 'BEGIN { print (usage <= 8388608 ? "less" : "not less") }')"
  check 'the poor tenant fetches its pages; the protected one does not' '^yes' \
    "$(awk -v poor="$(tenant poor tenant_swapins)" -v safe="$(tenant safe tenant_swapins)" 'BEGIN { print (poor > 100 && safe < poor / 10 ? "yes" : "no"), poor, safe }')"
}
