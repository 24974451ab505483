#!/usr/bin/env bats
# SPDX-License-Identifier: MIT
# Instances that leave their recorded process, as a wrapper that forks makes them do: the run's end and the command stop find them.

load helper

prepare() {
  chmod 711 .
  # Each leaves the recorded process, the log and the terminal. The first keeps the environment, the second starts redis-server again, and its
  # environment is empty.
  printf '#!/bin/bash\ncd / && exec setsid -f bash -c %s x "$OLDPWD" "$@" </dev/null >/dev/null 2>&1\n' \
    "'cd \"\$1\" && \"\${@:2}\"; sleep 1000'" >kept
  printf '#!/bin/bash\nexec setsid -f env -i PATH="$PATH" bash -c %s x "$@" </dev/null >/dev/null 2>&1\n' "'while :; do \"\$@\"; sleep 0.05; done'" >again
  chmod 755 kept again
  BASE=$(ports_pick 1)
}

# Every process with the scratch directory, or the directory of the instances, on its command line.
escaped() { pgrep -f "$SCRATCH/(kept|again)|cwd/$BASE.conf|:$BASE\$" || :; }

@test "a run's end stops instances that forked away, also if something starts them again, and leaves another program in their directory alone" {
  for wrapper in kept again; do
    succeeds master "INSTANCES=1 REDISBASE=$BASE SERVER_PREFIX=$SCRATCH/$wrapper" 'server_start 1 && exit 9
      until ss -Hltn "sport = :$REDISBASE" | grep . >/dev/null; do sleep 0.02; done
      (cd "$REMOTE_DIR/run-$RUN_ID/server/data-$REDISBASE" && exec setsid sleep 1000 </dev/null >/dev/null 2>&1) &
      other=$!
      until [[ $(readlink "/proc/$other/cwd") == *data-* ]]; do sleep 0.02; done
      server_stop
      kill "$other"'
    port_free "$BASE" || fail "an instance was left: $(ss -Hltnp "sport = :$BASE")"
    assert_equal "$(escaped)" ''
  done
}

@test "after a kill -9 of the master, and with its directory removed, stop finds such instances, and leaves other processes alone" {
  redis_start
  mine=$REDIS_PORT
  # A program that reads the log is not an instance.
  tail -f /dev/null >other.log 3>&- &
  process_note $!
  mkdir -m 755 device
  for gone in no yes; do
    master "INSTANCES=1 REDISBASE=$BASE SERVER_PREFIX=$SCRATCH/again" 'server_start 1 "$PWD/device" && exit 9
      until ss -Hltn "sport = :$REDISBASE" | grep . >/dev/null; do sleep 0.02; done
      kill -9 $$' || :
    [[ $gone == no ]] || rm -r host/run-*
    succeeds run_split "$REPO/do_it.sh" stop
    assert_match '^127.0.0.1: stopped everything that test-[0-9]+-[0-9a-f]{8} had left'"$([[ $gone == no ]] || echo '; its directory had been removed')\$"
    port_free "$BASE" || fail "an instance was left: $(ss -Hltnp "sport = :$BASE")"
    assert_equal "$(escaped)" ''
    assert_equal "$(find device host -name '*data-*')" ''
  done
  process_alive "${TEST_PROCESSES[-1]%%:*}" "${TEST_PROCESSES[-1]#*:}"
  assert_equal "$(redis-cli -p "$mine" ping)" PONG
}
