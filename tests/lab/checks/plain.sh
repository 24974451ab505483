# SPDX-License-Identifier: MIT
# shellcheck shell=bash
# A user without root on every host: what it may do is measured, what it may not do is said once, and nothing stays.

plain_checks() {
  local name
  lab_three || return
  printf '%s 198.18.1.%s plain - - -\n' server 1 client 2 client 3 >"$LAB_WORK/hosts"
  for name in server client1; do lab_state "$name" >"$LAB_WORK/before.$name"; done
  STATUS=0
  # The scenario of the lab without its hosts.
  grep -vE '^(SERVER|CLIENT_IP)=' "$LAB_WORK/lab.conf" >"$LAB_WORK/plain.conf"
  (lab_master "$REPO/do_it.sh" run -s "$LAB_WORK/plain.conf" -H "$LAB_WORK/hosts" -v native) </dev/null >"$LAB_WORK/out" 2>"$LAB_WORK/err" || STATUS=$?
  sed 's/^/#   /' "$LAB_WORK/err"
  check 'a run as a user without root' '^0$' "$STATUS"
  check 'it says what it cannot tune' 'cannot be set here: .*needs root' "$(<"$LAB_WORK/err")"
  for name in server client1; do check "the state of $name is as before" '^$' "$(lab_state "$name" | diff "$LAB_WORK/before.$name" - || :)"; done
}
