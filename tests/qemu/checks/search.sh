# SPDX-License-Identifier: MIT
# shellcheck shell=bash
# DRAM_RATIO=search with cgroups of version 2 (swap).

search_prepare() {
  # Emulated machines are slow.
  sed -i 's/^readonly SEARCH_FULL=.*/readonly SEARCH_FULL="10% 16" SEARCH_QUICK="10% 16"/' lib/part/search/master.sh
  cat >conf/scenarios/search.conf <<'END'
# The first 40 % of the keys get all requests, so the answer is about 40 % of DRAM. A step requests each of them several times: those that the last
# step swapped out must return in its first quarter, or no share would keep the limit.
LIKE=guest
KEYS=600
FILL=guide
KEY_MAX=239
PHASES="populate get"
POPULATE_PATTERN=sequential
KEY_PATTERN=uniform
DRAM_RATIO=search
RATE=80
SEARCH_TIME=8
FOREIGN=off
TIME=4
END
}

# Print a column of the answer of a variant's search.
# Usage: answer VARIANT COLUMN
answer() {
  awk -F '\t' -v name="$2" 'NR == 1 { for (i = 1; i <= NF; i++) at[$i] = i; next } { print $at[name] }' /var/tmp/"$GROUP"/*/"$1"/*/rep-1/size.tsv
}

search_checks() {
  local base share
  search_prepare
  run_variants search -v swap LIMITS="far<=0.5"
  base=$(answer swap base_bytes) share=$(answer swap dram_share_percent)
  check 'swap: the share of DRAM is found, near the part of the keys that is in use' '^(found|open) (30|40|50|60|70)$' "$(answer swap search) ${share%.*}"
  check 'swap: memory.max of the measured phase is that share' '^less' \
    "$(awk -v limit="$(counter swap get cgroup limit)" -v asked="$base" -v share="$share" 'BEGIN { want = asked * share / 100; print (limit > want && limit < want + 2 * 1048576 ? "less" : "not less"), limit, want }')"
  # At the answer, the requested keys are in DRAM, so no page has to come back.
  check 'swap: keys without requests are swapped out, and the limit is kept' '^0\.[4-8][0-9]* (0|0\.[0-4][0-9]*)$' "$(figure swap far_share far_per_op)"
}
