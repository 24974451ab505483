# SPDX-License-Identifier: MIT
# shellcheck shell=bash
# The master is killed in mid-run, with everything changed that a run can change; `stop` on the same machine restores it.

killed_checks() {
  local name during
  lab_three || return
  lab_ssh server systemctl start firewalld '&&' firewall-cmd -q --zone=trusted --add-interface=eth0 || return
  for name in server client1 client2; do lab_state "$name" >"$LAB_WORK/before.$name"; done
  lab_begin 'swap, 2 instances' -v swap TIER_SWAP=/dev/vda DRAM_RATIO=1:2 TUNE.firewall=on KERNEL.swappiness=42 KERNEL.page_cluster=0 TIME=600 || return
  # The load runs on both clients.
  until lab_ssh client1 pgrep -f -- --gate >/dev/null; do
    kill -0 "$RUN_PID" || return
    sleep 1 # between two polls
  done
  # systemd writes the cgroups again.
  lab_ssh server systemctl daemon-reload
  kill -KILL "$RUN_PID"
  wait "$RUN_PID" 2>/dev/null || :
  RUN_PID=
  during=$(lab_state server)
  check 'before stop: the server is tuned, and has instances, swap and a cgroup' \
    'irqbalance: inactive.*firewalld: inactive.*swappiness:42.*/dev/vda.*cgroups: /.*tierbench.*redis-server' "${during//$'\n'/ }"
  # systemd starts services again for other reasons too, and a second master may look at the hosts.
  lab_run stop
  check 'stop after kill -9 of the master, from the same machine' '^0$' "$STATUS"
  check 'stop does not wait for the lease of a dead master' '^$' "$(grep -h 'its master is alive' "$LAB_WORK"/{out,err})"
  for name in server client1 client2; do
    check "after kill -9 and stop: the state of $name is as before" '^$' "$(lab_state "$name" | diff "$LAB_WORK/before.$name" - || :)"
  done
  lab_ssh server systemctl stop firewalld
}
