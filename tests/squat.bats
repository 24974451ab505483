#!/usr/bin/env bats
# SPDX-License-Identifier: MIT
# Another user listens on the port of an instance: that process never gets a password.

load helper
load constant

# Start a process of another user that listens on a port once the file `go` is there. It answers each line with +OK and records all lines in `heard`;
# what has connected is in `met`.
# Usage: squatter_start PORT
squatter_start() {
  chmod 711 .
  : >heard
  : >met
  chmod 666 heard met
  cat >squatter.py <<'END'
import os, socket, sys, threading, time
def serve(link):
    for line in link.makefile("rb", 0):
        os.write(heard, line)
        link.sendall(b"+OK\r\n")
heard = os.open("heard", os.O_WRONLY | os.O_APPEND)
met = os.open("met", os.O_WRONLY | os.O_APPEND)
os.write(met, b"waits\n")
while not os.path.exists("go"): time.sleep(0.01)
listener = socket.socket()
listener.setsockopt(socket.SOL_SOCKET, socket.SO_REUSEADDR, 1)
listener.bind(("127.0.0.1", int(sys.argv[1])))
listener.listen(64)
os.write(met, b"listens\n")
while True:
    link, _ = listener.accept()
    os.write(met, b"link\n")
    threading.Thread(target=serve, args=(link,), daemon=True).start()
END
  chmod 644 squatter.py
  PATH=/usr/bin:/bin setpriv --reuid=1 --regid=1 --clear-groups python3 squatter.py "$1" </dev/null >/dev/null 2>&1 3>&- &
  process_note $!
  wait_until 20 grep -q waits met
}

@test "the port of an instance that does not listen yet: a stranger there gets no password, with and without TLS, and the reason is said" {
  need_root
  need_command python3 openssl redis-cli
  constant_set lib/shared/common.sh COMMON_READY 2
  for tls in off on; do
    rm -f go
    base=$(ports_pick 2)
    # The second instance is about to start when the stranger takes its port.
    printf '#!/bin/bash\n[[ $* != *%s.conf ]] || { : >%s/go; until grep -q listens %s/met; do sleep 0.01; done; exec sleep 1000; }\nexec "$@"\n' \
      $((base + 1)) "$SCRATCH" "$SCRATCH" >late
    chmod +x late
    squatter_start $((base + 1))
    master "INSTANCES=2 REDISBASE=$base TLS=$tls SERVER_PREFIX=$SCRATCH/late" 'server_start 2 || { server_stop; exit 1; }' || :
    assert_failure 1
    assert_contains "1 instances do not answer PING after 2 s, ports: $((base + 1))" "$STDERR"
    [[ $tls == on ]] || assert_contains "another process listens on the ports $((base + 1)), and gets no password" "$STDERR"
    assert_equal "$(<heard)" ''
  done
}

@test "a load generator sends each instance the password of its port alone" {
  redis_start --requirepass f1rst
  export REDISCLI_AUTH=f1rst,s3cond
  succeeds run_split env OMP_NUM_THREADS=1 "$REPO/test" --passwords 127.0.0.1 "$REDIS_PORT" 10 10
  export REDISCLI_AUTH=s3cond,f1rst
  refuses 1 WRONGPASS run_split env OMP_NUM_THREADS=1 "$REPO/test" --passwords 127.0.0.1 "$REDIS_PORT" 10 10
  redis_start --requirepass s3cond --unixsocket "$SCRATCH/2.sock"
  ln -s "$SCRATCH/2.sock" 1.sock
  succeeds run_split env OMP_NUM_THREADS=1 "$REPO/test" --passwords --socket "$SCRATCH/%p.sock" 127.0.0.1 1 10 10
}

@test "what a replica and a load generator send to the port of a node that is down is no password of another instance" {
  succeeds run bash -c 'set -Eeuo pipefail
    for file in "$REPO"/lib/{shared/*,host/acl}.sh; do . "$file"; done
    ACL_MAJOR=7 REDISBASE=1 LOAD_COMMANDS= CLUSTER_TABLE=$(printf "%s\t1\t%s\tx\n" 1 0 2 1 3 2 4 0 5 1 6 2) INSTANCE_PLAN=$CLUSTER_TABLE
    LOAD_PASSWORD=$(printf "load-%019d" 1 2 3 4 5 6) COPY_PASSWORD=$(printf "copy-%019d" 1 2 3 4 5 6)
    host_acl_secrets
    for port in 1 2 3 4 5 6; do host_acl_conf "$port" >"$port.conf"; done'
  # Instance 4 is the replica of 1: what it sends is accepted by 1 alone, and not by 4.
  assert_equal "$(grep -h -A 1 '^masteruser' 4.conf)" $'masteruser copy-4\nmasterauth copy-0000000000000000004'
  assert_equal "$(grep -l '^user copy-4 on >copy-0000000000000000004 -@all +psync +sync +replconf +ping$' -- *.conf)" 1.conf
  assert_equal "$(grep -l '^user load on >load-0000000000000000001 ' -- *.conf)" 1.conf
  assert_equal "$(sed -n 's/^requirepass //p' -- *.conf | sort -u | grep -cE '^[A-Za-z0-9]{24}$')" 6
}
