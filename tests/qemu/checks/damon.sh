# SPDX-License-Identifier: MIT
# shellcheck shell=bash
# DAMON: pages that it migrates, and the memory that it sees in use on a slow node, where the used keys are known.

damon_prepare() {
  # shellcheck source=tests/qemu/checks/policies.sh
  . tests/qemu/checks/policies.sh
  policies_prepare
  cat >conf/scenarios/damon.conf <<'END'
# A tenth, a half and all of the keys get all requests.
LIKE=policies
COLD_MEMORY=0
KEY_PATTERN="hotspot:10:100 hotspot:50:100 uniform"
DAMON=monitor
TIME=24
END
}

damon_checks() {
  damon_prepare
  run_variants policies -v moved
  check 'damon: hot pages of Redis that were on the slow node are in DRAM at the end, and moves are counted' '^0\.[0-8][0-9]* [1-9]' \
    "$(figure moved far_share moved_per_op)"
  check 'damon: bytes in both directions are counted' '^[1-9][0-9]* [1-9][0-9]*$' "$(growth moved get damon promoted demoted)"
  check 'damon: the memory in use on the slow node is a figure' '^[1-9][0-9]*$' "$(figure moved far_wss_bytes)"
  check 'damon: it is stopped' ' kdamonds=0 ' "$(settings)"
  GROUP=monitor run_variants damon -v bind
  GROUP=monitor
  awk -F , 'NR == 1 { for (i = 1; i <= NF; i++) at[$i] = i; next }
    $at["operation"] == "get" { printf "# %s: %s bytes in use, at %s GET/s\n", $at["key_pattern"], $at["far_wss_bytes"], $at["ops_per_sec"] }' /var/tmp/monitor.csv
}
