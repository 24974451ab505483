# SPDX-License-Identifier: MIT
# shellcheck shell=bash
# A run over a server and clients of two releases; it leaves nothing, and each host is as before.

main_checks() {
  local name
  lab_three || return
  for name in server client1 client2; do lab_state "$name" >"$LAB_WORK/before.$name"; done
  lab_run doctor --all -v native -v swap TIER_SWAP=/dev/vda DRAM_RATIO=1:2
  check 'doctor: the hosts are fit' '^0$' "$STATUS"
  check 'doctor: the CPUs and the memory of the server are there, and its kinds of memory' 'memory: dram' "$(<"$LAB_WORK/out")"
  lab_run run -v native -v swap TIER_SWAP=/dev/vda DRAM_RATIO=1:2
  check 'a run of two variants over three guests' '^0$' "$STATUS"
  check 'rows: two variants, two phases, two clients' '^8$' \
    "$("$REPO/summary2csv.sh" "$(lab_newest)" | awk -F , 'NR == 1 { for (i = 1; i <= NF; i++) at[$i] = i; next } $at["ops_per_sec"] > 0 && $at["errors"] + 0 == 0' | wc -l)"
  check 'the programs of this machine run on both releases' '^$' "$(grep -E 'glibc|does not start|is built' "$LAB_WORK/err")"
  for name in server client1 client2; do
    check "the state of $name is as before" '^$' "$(lab_state "$name" | diff "$LAB_WORK/before.$name" - || :)"
  done
}
