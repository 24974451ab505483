# SPDX-License-Identifier: MIT
# shellcheck shell=bash
# DRAM_RATIO=search with cgroups of version 2 (swap), and with pages that are divided between nodes (weighted).

search_prepare() {
  cat >conf/scenarios/search.conf <<'END'
# The first 40 % of the keys get all requests, so the answer is about 40 % of DRAM.
LIKE=guest
KEYS=600
FILL=guide
KEY_MAX=239
PHASES="populate get"
POPULATE_PATTERN=sequential
KEY_PATTERN=uniform
DRAM_RATIO=search
RATE=20
SEARCH_TIME=2
SEARCH_STEP=10%
SEARCH_STEPS=16
FOREIGN=off
TIME=4
END
  grep -q TIER_NODES conf/variants/weighted.conf || echo 'TIER_NODES=0,2' >>conf/variants/weighted.conf
}

# Print a column of the answer of a variant's search.
# Usage: answer VARIANT COLUMN
answer() {
  awk -F '\t' -v name="$2" 'NR == 1 { for (i = 1; i <= NF; i++) at[$i] = i; next } { print $at[name] }' /var/tmp/"$GROUP"/*/"$1"/*/rep-1/size.tsv
}

search_checks() {
  local base share
  search_prepare
  run_variants search -v swap LIMITS="far<=0.8"
  base=$(answer swap base_bytes) share=$(answer swap dram_share_percent)
  check 'swap: the share of DRAM is found, near the part of the keys that is in use' '^(found|open) (30|40|50|60|70)$' "$(answer swap search) ${share%.*}"
  check 'swap: memory.max of the measured phase is that share' '^less' \
    "$(awk -v limit="$(counter swap get cgroup limit)" -v asked="$base" -v share="$share" 'BEGIN { want = asked * share / 100; print (limit > want && limit < want + 2 * 1048576 ? "less" : "not less"), limit, want }')"
  check 'swap: pages went out and came back' '^[1-9][0-9]* [1-9][0-9]*$' \
    "$(awk -F '\t' '$2 == "host" && $3 ~ /^pswp(in|out)$/ { if ($4 != "-") grown[$3] += $5 - $4 } END { print grown["pswpin"] + 0, grown["pswpout"] + 0 }' /var/tmp/search/*/swap/*/rep-1/server/counters.tsv)"
}
