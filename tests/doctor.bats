#!/usr/bin/env bats
# SPDX-License-Identifier: MIT
# Doctor's findings on a host: on this machine, and on a machine in a tree of files.
# slow

load helper
load tree
NETNS_CLIENTS=3
load netns

prepare() { tree_defaults; }

# Check the tree in a role; rows with one blank between fields. A ROW must be one of them.
# Usage: check ROLE [ROW]
check() {
  run_split remote_script doctor "$1"
  output=${output//$'\t'/ | }
  [[ -z ${2-} ]] || assert_line "$2"
}

@test "a host that is fit: --all is one table, every row with state, check, found, requirement and fix, exit 0; with what a plan needs of link, ports and open files" {
  succeeds run_split "$REPO/do_it.sh" doctor --all -s demo VALUE_SIZES="1000 100000" RATE=1000 KEYS=2000 INSTANCES='1 2' THREADS=3/instance CONNECTIONS=100 REDISBASE="$(ports_pick 2)" REMOTE_DIR="$SCRATCH/host"
  assert_equal "${lines[0]}" 127.0.0.1
  assert_match 'state +check +found +requires +fix'
  for name in reachable ssh tar leftovers link taskset screen 'open files' 'port range' redis-server ports memory 'load generator' clock tuning; do
    assert_match $'\n  ok +'"$name  "
  done
  # Both estimates of the largest fill: what it takes, and 1.5 x (100,000 + 32) x 4,000 by the rule of thumb.
  assert_match 'ok +memory +[0-9]+ MiB available +[0-9]+ MiB for 100000B-2i \(2 x 2000 keys of 100000 B; 1\.5 x \(size \+ 32\) x keys says 572 MiB\) and '
  # The host's name, and the last line.
  assert_equal "$(grep '^[^ ]' <<<"$output")" $'127.0.0.1\nfit'
  # A host that is server and client is not reported twice.
  assert_equal "$(grep -c ' work directory ' <<<"$output")" 1
  # Value and rate; a client's share.
  assert_match 'link +loopback +801 Mbit/s'
  assert_match 'ok +port range +[0-9-]+ +300 connections per instance'
  # 2 x 3 threads with 100 connections and 3 further files each, and 64 others.
  assert_match 'ok +open files +[a-z0-9]+ +682 '
  [[ -e /sys/devices/system/cpu/cpu0/cpufreq ]] || assert_match 'warn +tuning TUNE.governor +there is no .*scaling_governor +auto +TUNE.governor=off'
}

@test "failed requirements: exit 3, each row has the fix; a program that never returns is named in one line, by doctor and by run" {
  local -a untuned=(TUNE=off KERNEL=keep) words=(-s demo REDISBASE="$(ports_pick 2)" RESULTS_DIR="$SCRATCH/results" REDIS="$SCRATCH/any-word" KEYS=1000000000 PERSISTENCE=rdb)
  mkdir bin
  # It accepts any argument, and does not return; its child holds its output.
  printf '#!/bin/bash\nsleep 1000\n' >bin/screen
  cp bin/screen any-word
  chmod +x bin/screen any-word
  fails 3 run_split timeout 300 "$REPO/do_it.sh" doctor --all "${words[@]}"
  assert_match "fail +redis-server +$SCRATCH/any-word --version: does not return within 10 s .*REDIS=package"
  # Two dumps of two instances.
  assert_match 'fail +persistence +[0-9]+ MiB free in [^ ]+ +up to 3936767 MiB +set REMOTE_DIR to'
  assert_match 'fail +memory .*KEYS'
  PATH=$SCRATCH/bin:$PATH fails 3 run_split timeout 300 "$REPO/do_it.sh" run "${untuned[@]}" "${words[@]}"
  assert_equal "$(grep -c 'does not return' <<<"$STDERR")" 2
  assert_contains "127.0.0.1: redis-server: $SCRATCH/any-word --version: does not return within 10 s; " "$STDERR"
  assert_contains "127.0.0.1: screen: screen --version: does not return within 10 s; " "$STDERR"
  refute_exists results
}

@test "the data address: a name that /etc/hosts of the server gives a loopback address, one that only ssh knows, and another host's" {
  tree_make ixgbe
  mkdir -p "$TIERBENCH_ROOT/proc/net"
  printf '           |-- 10.0.0.1\n              /32 host LOCAL\n           |-- 10.0.0.9\n              /32 link UNICAST\n' >"$TIERBENCH_ROOT/proc/net/fib_trie"
  program_make "$TIERBENCH_ROOT/bin/getent" '#!/bin/sh\n[ "$2" = node1 ] && echo "127.0.1.1 STREAM node1"\n'
  check server 'ok | data address | 10.0.0.1 | an address that carries the load | -'
  ADDRESS=10.0.0.9
  check server
  assert_match 'fail \| data address \| 10.0.0.9, and no interface of the server has it \| '
  ADDRESS=node1
  check server 'ok | data address | node1 is 127.0.1.1 | an address that carries the load | -'
  NEED_REACH=yes
  check server
  assert_match 'fail \| data address \| node1 is 127.0.1.1 on the server \(/etc/hosts\) \| an address that clients reach \| name an IP address of the server as DATA '
  ADDRESS='alias'
  check client
  assert_match 'fail \| data address \| alias is not known here '
}

@test "ports: a client's connections must fit, an instance's port may not be handed out; the link's speed against the largest value times the operations" {
  tree_make ixgbe
  NEED_PORTS=28232
  check client 'ok | port range | 32768-60999 | 28232 connections per instance | -'
  NEED_PORTS=28233
  check client
  assert_match "fail \| port range \| 32768-60999 \| 28233 connections"
  check server 'ok | port range | 32768-60999 | outside of 6379-6380 | -'
  FIRST_PORT=32700 LAST_PORT=32768
  check server
  assert_match 'warn \| port range \| .* net.ipv4.ip_local_reserved_ports=32700-32768'
  echo 32700-32768 >"$TIERBENCH_ROOT/proc/sys/net/ipv4/ip_local_reserved_ports"
  check server
  assert_match 'ok \| port range'
  assert_line "ok | locks | $SCRATCH/locks | a directory of all users | -"
  rmdir locks
  : >locks
  check server
  assert_line "fail | locks | LOCK_DIR=$SCRATCH/locks: cannot be created | a directory of all users | set LOCK_DIR, the same for all users of this host"
  # Of a cluster, those of the bus too; and what only root may listen on.
  FIRST_PORT=25000 LAST_PORT=25005 LAST_BUS=25003
  check server 'ok | port range | 32768-60999 | outside of 25000-25005 | -'
  assert_match 'warn \| port range \| .* outside of 35000-35003, the cluster bus.s ports \| .*ip_local_reserved_ports=32700-32768,35000-35003'
  refute_contains 'are for root'
  echo 26000 >"$TIERBENCH_ROOT/proc/sys/net/ipv4/ip_unprivileged_port_start"
  check server
  assert_line 'fail | ports | those below 26000 are for root | 25000 | set REDISBASE=26000, or sysctl net.ipv4.ip_unprivileged_port_start=1024, here'
  NEED_MBIT=8001
  check server 'ok | link | eth0 ixgbe 10000 Mbit/s | 8001 Mbit/s | -'
  NEED_MBIT=80001
  check server
  assert_match 'warn \| link \| eth0 ixgbe 10000 Mbit/s \| 80001 Mbit/s for the largest value at PLAN_OPS or RATE'
  echo -1 >"$TIERBENCH_ROOT/sys/class/net/eth0/speed"
  check client 'ok | link | eth0 ixgbe unknown Mbit/s | 80001 Mbit/s | -'
  ADDRESS=127.0.0.1
  check client 'ok | link | loopback | 80001 Mbit/s | -'
}

@test "remains of an earlier run are named, and whether settings are among them; those of a live run are not" {
  mkdir -p host/{run,tune}-old-1 host/run-live-1
  chmod 700 host
  printf 'old-1\tsomebody\telsewhere\t1\t1\t-\t-\t2026-01-01T00:00:00Z\t60\n%s\t0\n' "$(</proc/sys/kernel/random/boot_id)" >host/run-old-1/owner
  sed 's/^old/live/' host/run-old-1/owner >host/run-live-1/owner
  record_age 0 host/run-live-1/owner
  record_age 61 host/run-old-1/owner
  cp host/run-old-1/owner host/tune-old-1/owner
  touch host/tune-old-1/journal
  ADDRESS=127.0.0.1
  check server 'warn | leftovers | old-1 (with settings of this host that are not restored) | none | ./do_it.sh stop'
}

@test "numactl is needed only where a policy is asked for; open files: a client that may not open its connections is not fit" {
  ADDRESS=127.0.0.1
  check server
  refute_contains numactl
  NEED_NUMACTL=numa
  check server
  assert_match '(ok|fail) \| numactl'
  NEED_FILES=$(ulimit -Hn)
  [[ $NEED_FILES != unlimited ]] || skip 'there is no limit here'
  check client "ok | open files | $NEED_FILES | $NEED_FILES | -"
  NEED_FILES=$((NEED_FILES + 1))
  check client
  assert_match "fail \\| open files \\| [0-9]+ \\| $NEED_FILES: the load generator's connections"
}

@test "a load generator that may not be run where it is: the row names the mount; one that is missing is for a run" {
  need_root
  mkdir noexec
  mount -t tmpfs -o noexec tmpfs noexec || skip "a tmpfs cannot be mounted here"
  mkdir -p noexec/cache host
  cp "$REPO/test" noexec/cache/test-key1
  chmod 700 noexec/cache noexec
  ln -s "$SCRATCH/noexec/cache" host/cache
  chmod 700 host
  PROGRAM_KEY=key1
  check client
  umount noexec
  assert_contains "fail | load generator | cannot be run in $SCRATCH/host/cache (mounted noexec?) | ./test | set REMOTE_DIR to"
  check client
  assert_contains $'\n'"lacks | $(uname -m) | "
}

@test "tuning: what would be set, what cannot be, and a failure with TUNE.strict=on" {
  local words=(-s demo REDISBASE="$(ports_pick 2)" REMOTE_DIR="$SCRATCH/host")
  tree_make
  # Only files of the kernel are replaced: everything else is this machine.
  rm -r "$TIERBENCH_ROOT"/sys/devices/system/cpu/cpu*/cpufreq
  fails 3 run_split "$REPO/do_it.sh" doctor --all "${words[@]}" TUNE.strict=on
  assert_match 'ok +tuning +IRQBALANCE, TUNED, KSM_RUN, ENERGY_BIAS, OVERCOMMIT, SOMAXCONN, SYN_BACKLOG, THP, NUMA_BALANCING, VSMP'
  assert_match 'fail +tuning TUNE.governor +there is no .*scaling_governor +auto +TUNE.governor=off'
  succeeds run_split "$REPO/do_it.sh" doctor --all "${words[@]}" TUNE.strict=on TUNE.governor=off
}

@test "three hosts: a table each, with how far their clocks are apart" {
  local -a words=(-s demo SERVER=198.18.0.1 CLIENT_IP="198.18.0.11 198.18.0.12" KEYS=100 REMOTE_DIR="$SCRATCH/host")
  netns_up "$SCRATCH"
  words+=(SSH_CONFIG="$NETNS_SSH_CONFIG")
  succeeds run_split netns_exec client1 "$REPO/do_it.sh" doctor --all "${words[@]}"
  for host in 198.18.0.1 198.18.0.11 198.18.0.12; do assert_line "$host"; done
  # They are one machine, so their clocks differ only by the time of the call.
  assert_equal "$(grep -cE '(ok|warn) +clock +[+-][0-9]+\.[0-9]{3} s off, give or take [0-9.]+ s' <<<"$output")" 2
  assert_match 'clock +ours'
  assert_equal "$(grep -cE '^ +ok +data path +198.18.0.1:6379, 198.18.0.1:6380 ' <<<"$output")" 2

  # One client finds no way, the packets of another are lost, both on the last port only, and at the third one another host answers at the address:
  # the server has no instance left afterwards.
  netns_host client1 ip rule add to 198.18.0.1 ipproto tcp dport 6381 unreachable
  netns_host server ip rule add to 198.18.0.12 ipproto tcp sport 6381 blackhole
  netns_host client3 ip address add 198.18.0.1/32 dev lo
  words+=(CLIENT_IP="198.18.0.11 198.18.0.12 198.18.0.13" INSTANCES=3)
  fails 3 run_split netns_exec client1 "$REPO/do_it.sh" doctor "${words[@]}"
  assert_match '198.18.0.11: data path: 198.18.0.1:6381: Network is unreachable; .*fix: here: ip route get 198.18.0.1; if there is'
  assert_match '198.18.0.12: data path: 198.18.0.1:6381: timed out after 5 s; .*fix: a firewall drops the packets: let 198.18.0.1 accept ports 6379 to 6381 '
  assert_match '198.18.0.13: data path: 198.18.0.1:6379: Connection refused; .*an address that only 198.18.0.1 has as its DATA'
  assert_equal "$(ss -N "$(netns_name server)" -Htln 'sport >= :6379')" ''

  # A run with TUNE.firewall stops what may be the reason: a service that is active on the server.
  netns_host server bash -c 'mkdir -p /run/systemd/system /var/tmp/bin && printf "%s\n" "#!/bin/sh" "[ \$1 \$2 != is-activefirewalld.service ] || echo active" >/var/tmp/bin/systemctl &&
    chmod 755 /var/tmp/bin/systemctl && echo "PATH=/var/tmp/bin:\$PATH" >~/.bashrc'
  succeeds run_split netns_exec client1 "$REPO/do_it.sh" doctor "${words[@]}" CLIENT_IP="198.18.0.11 198.18.0.12" TUNE.firewall=on
  assert_equal "$(grep -c 'fix: none, if the firewall of 198.18.0.1 is the reason: the run stops it' <<<"$output")" 2
}
