#!/usr/bin/env bats
# SPDX-License-Identifier: MIT
# The test bed itself: three hosts that reach each other by ssh, whose cables can be pulled, and that leave nothing behind.

load helper
load netns

prepare() {
  untune
}

@test "every host is reached by name and by address, with its own files and links; a pulled cable stops a session and, plugged in again, lets it go on" {
  netns_up "$SCRATCH"
  for host in server client1 client2; do
    succeeds run netns_exec client1 ssh -F "$NETNS_SSH_CONFIG" "$host" "echo $host >/var/tmp/who; ip -o -4 addr show dev eth0; ls /sys/class/net"
    assert_contains "${NETNS_ADDRESS[$host]}/24"
    prints "$host" run netns_exec client1 ssh -F "$NETNS_SSH_CONFIG" "${NETNS_ADDRESS[$host]}" cat /var/tmp/who
  done
  if [[ $NETNS_FILES != shared ]]; then
    assert_equal "$(netns_host server cat /var/tmp/who)" server
    assert_equal "$(netns_host client2 cat /var/tmp/who)" client2
    run netns_host client2 ls "$REPO"
    refute_contains do_it.sh
    assert_equal "$(netns_exec client1 ls /sys/class/net | tr '\n' ' ')" "eth0 lo "
  else
    rm -f /var/tmp/who
  fi
  assert_equal "$(netns_exec client1 pwd)" "$SCRATCH"

  mkfifo gate
  netns_exec client1 ssh -F "$NETNS_SSH_CONFIG" client2 'read -r word; echo "got $word"' <gate >answer 3>&- &
  session=$!
  process_note "$session"
  exec 5>gate
  wait_until 5 test -n "$(netns_processes client2)"
  netns_link client2 down
  fails 255 run netns_exec client1 ssh -F "$NETNS_SSH_CONFIG" -o ConnectTimeout=1 client2 true
  succeeds run netns_exec client1 ssh -F "$NETNS_SSH_CONFIG" server true
  echo through >&5
  exec 5>&-
  netns_link client2 up
  wait "$session"
  assert_equal "$(<answer)" 'got through'
}

@test "an unknown host key and a key that the host does not know are refused; the namespaces of a killed test are removed; taken down, nothing is left" {
  netns_up "$SCRATCH"
  id=$NETNS_ID folder=$NETNS_DIR
  # What ran in a session and left it is ended too.
  netns_exec client1 ssh -F "$NETNS_SSH_CONFIG" server 'setsid sleep 600 >/dev/null 2>&1 </dev/null &'
  netns_refuse server
  fails 255 run netns_exec client1 ssh -F "$NETNS_SSH_CONFIG" server true
  assert_contains 'Permission denied'
  sed -i '/^server,/d' "$NETNS_KNOWN_HOSTS"
  fails 255 run netns_exec client1 ssh -F "$NETNS_SSH_CONFIG" server true
  assert_contains 'Host key verification failed'

  # Whichever the teardown of the killed test left; those of a running test stay.
  dead=$(bash -c 'echo $$')
  ip netns add "tierbench-$dead-1-server2"
  ip netns add "tierbench-$dead-1-client1"
  ip netns add "tierbench-$$-1-server2"
  run netns_sweep
  assert_contains "removing the namespaces of a test that was killed: tierbench-$dead-1"
  assert_equal "$(ip netns list | grep -oE "tierbench-($dead|$$)-1-[a-z0-9]+")" "tierbench-$$-1-server2"
  ip netns delete "tierbench-$$-1-server2"

  # sshd's process for the session ends a moment after ssh does.
  four() { processes=$(for each in server client1 client2; do netns_processes "$each"; done) && (($(wc -l <<<"$processes") == 4)); }
  wait_until 10 four || fail "$processes"
  netns_down
  run ip netns list
  refute_contains "$id"
  for each in $processes; do
    wait_until 10 process_gone "${each%%:*}" "${each#*:}"
  done
  refute_exists "$folder"
  netns_down
}
