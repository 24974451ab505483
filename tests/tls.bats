#!/usr/bin/env bats
# SPDX-License-Identifier: MIT
# TLS=on: the bytes on the wire, the locations of keys, and refused settings.
# slow

load helper
load netns

prepare() {
  untune
}

# Capture the packets that arrive in client2's network in a file, until the file `stop` exists.
# Usage: capture FILE
capture() {
  rm -f stop
  netns_exec client2 python3 -c '
import os, socket, sys
s = socket.socket(socket.AF_PACKET, socket.SOCK_RAW, socket.ntohs(3))
s.settimeout(0.1)
# SO_RCVBUFFORCE: buffer space for all packets that arrive while a busy machine does not schedule this reader.
s.setsockopt(socket.SOL_SOCKET, 33, 1 << 25)
with open(sys.argv[1], "wb", 0) as out:
    while not os.path.exists("stop"):
        try: out.write(s.recv(65536))
        except socket.timeout: pass
    # What arrived before the end may still be in the buffer.
    s.setblocking(False)
    try:
        while True: out.write(s.recv(65536))
    except BlockingIOError: pass
os.rename(sys.argv[1], sys.argv[1] + ".whole")' "$1" </dev/null >/dev/null 2>&1 3>&- &
  process_note $!
  wait_until 20 test -e "$1"
}

# Usage: capture_end FILE
capture_end() {
  : >stop
  wait_until 20 test -e "$1.whole"
}

@test "between hosts the password is in clear without TLS, and with it neither password nor values are; the key stays on the server" {
  need_command python3 openssl redis-cli
  need_root
  netns_up "$SCRATCH"
  untuned=(TUNE=off KERNEL=keep)
  # Before the run: it sends the password some tenths of a second after it has named the variant.
  capture plain
  job_start netns_exec client1 "$REPO/do_it.sh" run -s demo -v native -v tls SERVER=198.18.0.1 CLIENT_IP="198.18.0.11 198.18.0.12" \
    SSH_CONFIG="$NETNS_SSH_CONFIG" INSTANCES=4 KEYS=400 VALUE_SIZES=100 REDISRUNS=1 PHASES=set RATE=100 "${untuned[@]}" \
    RESULTS_DIR="$SCRATCH/results" REMOTE_DIR="$SCRATCH/host"
  wait_until 120 grep -q 'phase set starts' job.err
  password=$(netns_host client2 bash -c 'cat "$SCRATCH"/host/run-*/client-198.18.0.12/auth')
  capture_end plain
  [[ $password == *,* ]]
  password=${password%%,*}
  ((${#password} >= 24))
  grep -qaF -- "$password" plain.whole || fail "the capture saw no password"
  wait_until 60 grep -q '2 of 2: tls' job.err
  capture tls
  wait_until 60 bash -c '(($(grep -c "phase set starts" job.err) == 2))'
  password=$(netns_host client2 bash -c 'cat "$SCRATCH"/host/run-*/client-198.18.0.12/auth')
  password=${password%%,*}
  ((${#password} >= 24))
  # The master is the first client, and has the files of the test.
  for host in '' 'netns_host client2'; do
    # shellcheck disable=SC2086 # a command and its word
    assert_equal "$($host bash -c 'find "$SCRATCH"/host/run-*/client-* -name "tls.*" -printf "%f %m\n"; grep -rl "PRIVATE KEY" "$SCRATCH/host"')" 'tls.crt 600'
  done
  if id -u redis >/dev/null 2>&1; then
    assert_equal "$(netns_host server bash -c 'stat -c "%a %U" "$SCRATCH"/host/run-*/server/tls.key')" '600 redis'
  fi
  # Without TLS, or with a certificate of another run, the connection fails.
  run netns_exec client2 timeout 60 redis-cli -h 198.18.0.1 -p 6379 ping
  refute_contains PONG
  refute_contains NOAUTH
  run netns_exec client2 bash -c 'REDISCLI_AUTH=$1 timeout 60 redis-cli -h 198.18.0.1 -p 6379 --tls --user load ping' bash "$password"
  assert_contains 'certificate verify failed'
  capture_end tls
  (($(stat -c %s tls.whole) > 4000)) || fail "the capture saw nothing"
  ! grep -qaF -- "$password" tls.whole || fail "the password was seen"
  succeeds job_wait 120
  # Both variants were loaded completely by the same program, and the monitors recorded both.
  assert_equal "$(awk 'FNR == 2 { ops += $0 ~ /^set\t/ } END { print ops + 0 }' results/*/{native,tls}/*/rep-1/198*/result.tsv)" 4
  assert_equal "$(info_calls set results/*/tls/*/rep-1/server/info.after)" 1600
  refute_contains 'no answer to INFO' "$STDERR"
  assert_equal "$(grep -rl 'PRIVATE KEY' results)" ''
}

@test "instances with TLS listen without it nowhere, keep to their persistence on the way out, and leave no key" {
  base=$(ports_pick 2)
  succeeds master "INSTANCES=2 REDISBASE=$base TLS=on PERSISTENCE=rdb" 'server_start 2
    printf "%s\n" "$SERVER_CERTIFICATE" >trusted
    openssl x509 -noout -ext subjectAltName <trusted
    server_info | grep -c "^redis_version:"
    export REDISCLI_AUTH=$(server_load_passwords "$REDISBASE" 1)
    redis-cli --tls --cacert trusted --user load -p "$REDISBASE" set a 1
    redis-cli --user load -p "$REDISBASE" ping 2>&1 || :
    while read -r pid _; do
      find "/proc/$pid/fd" -lname "socket:*" -printf "%l\n" | tr -dc "0-9\n" | grep -F -x -f - <(awk "\$4 == \"0A\" { print \$10 }" /proc/net/tcp /proc/net/tcp6) | wc -l
    done <'"$SCRATCH"'/host/run-$RUN_ID/server/instances.proc
    tail -n +1 -F '"$SCRATCH"'/host/run-$RUN_ID/server/redis-$REDISBASE.log --pid=$$ >log 2>/dev/null &
    server_stop'
  assert_contains 'IP Address:127.0.0.1'
  assert_line 2
  assert_line OK
  refute_contains PONG
  assert_equal "$(grep -cx 1 <<<"$output")" 2
  refute_contains 'Saving the final RDB' "$(cat log)"
  assert_equal "$(find host -name '*.key' -o -name 'run-*')" ''
}

@test "what TLS=on lacks is said before anything starts" {
  words=(-s demo REDISBASE="$(ports_pick 2)" RESULTS_DIR="$SCRATCH/results" KEYS=100 TLS=on)
  untuned=(TUNE=off KERNEL=keep)
  # An installed tree without the TLS build, and a redis-server without TLS options.
  mkdir tree
  tar -C "$REPO" -cf - do_it.sh test conf lib tools Makefile test.c | tar -C tree -xf -
  program_make no-tls '#!/bin/bash\n[[ "$*" != *--tls-port* ]] || { echo "Bad directive or wrong number of arguments"; exit 1; }\nexec redis-server "$@"\n'
  fails 3 run_split tree/do_it.sh run "${untuned[@]}" "${words[@]}" REDIS="$SCRATCH/no-tls"
  assert_contains 'variant native: the load generator is built without TLS; requires: TLS=on; ' "$STDERR"
  assert_contains 'make tls' "$STDERR"
  assert_contains 'variant native: redis-server is built without TLS; requires: TLS=on; ' "$STDERR"
  refute_exists results
}
