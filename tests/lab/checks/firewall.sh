# SPDX-License-Identifier: MIT
# shellcheck shell=bash
# A firewall on the server that allows ssh alone: it is found before anything is changed.

firewall_checks() {
  lab_three || return
  lab_ssh server systemctl start firewalld || return
  lab_state server >"$LAB_WORK/before"
  lab_run doctor -v native
  check 'doctor: the clients cannot reach the ports of the server, and why' '3 .*[Ff]irewall' "$STATUS $(tr '\n' ' ' <"$LAB_WORK/out")"
  lab_run run -v native
  check 'a run ends before it changes a host' '^3 $' "$STATUS $(grep 'set for the run' "$LAB_WORK/err")"
  check 'the state of the server is as before' '^$' "$(lab_state server | diff "$LAB_WORK/before" - || :)"
  lab_run run -v native TUNE.firewall=on
  check 'with TUNE.firewall=on it runs' '^0$' "$STATUS"
  check 'and the firewall is as before' '^$' "$(lab_state server | diff "$LAB_WORK/before" - || :)"
  lab_ssh server systemctl stop firewalld
}
