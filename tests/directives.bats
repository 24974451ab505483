#!/usr/bin/env bats
# SPDX-License-Identifier: MIT
# Directives of redis.conf that the run sets itself are refused by their names, wherever they come from and however they are written.
# shellcheck disable=SC2154 # stderr is set by run_split

load helper

setup() {
  scratch_setup
}

teardown() {
  scratch_teardown
}

@test "a directive of the run is refused by its name, in any notation that Redis reads; every other one is not" {
  cat >check.sh <<'END'
set -Eeuo pipefail
ROOT=$REPO LIB=$REPO/lib
. "$LIB/modules.sh"
conf_defaults "$ROOT/conf/defaults.conf"
while IFS= read -r text; do
  conf_word argument "REDIS_CONF=$(printf '%b' "$text")" 'command line'
  conf_resolve
  (directives_check 2>&1) && echo 'not refused' || :
done
END
  # Each is read by Redis as the directive that its message names.
  run bash check.sh <<'END'
daemonize yes
hz 10;   DaemonIze   yes
maxmemory 1gb;\tsupervised\tauto
hz 10;\r\v port 7000
hz 10; bind 0.0.0.0
;;unixsocket /tmp/x
tls-port 7000
cluster-announce-bus-port 1
include /tmp/x
user x on nopass
'port' 1
\\x64ir /tmp
END
  assert_success
  assert_equal "$(sed -E 's/^[^:]*: //; s/.*: ([^ ]+): (the run sets|not a plain).*/\1/' <<<"$output" | grep -v '^REDIS_CONF' | paste -sd ' ')" \
    'daemonize DaemonIze supervised port bind unixsocket tls-port cluster-announce-bus-port include user '"'port'"' \x64ir'
  run bash check.sh <<'END'
save 60 1;appendonly yes; # port 7000
maxmemory 1gb;maxmemory-policy allkeys-lru;storage-provider flash ./flash
loadmodule /usr/lib/x.so;set-proc-title no;tls-protocols TLSv1.3;cluster-node-timeout 100
END
  assert_output $'not refused\nnot refused\nnot refused'
}

@test "a directive of the run is refused in a variant, in a sweep and in conf/redis.conf, with its place" {
  run_split "$REPO/do_it.sh" plan -s demo SWEEP=REDIS_CONF=hz,port
  assert_failure 2
  assert_contains 'REDIS_CONF=port: port: the run sets this directive; set REDISBASE' "$stderr"
  mkdir copy
  cp -r "$REPO"/{do_it.sh,lib,conf,tools} copy
  printf '# SPDX-License-Identifier: MIT\n# A variant of a test.\nREDIS_CONF="logfile /tmp/x"\n' >copy/conf/variants/own.conf
  run_split copy/do_it.sh plan -s demo -v native -v own
  assert_failure 2
  assert_match 'own\.conf:3: REDIS_CONF=logfile /tmp/x: logfile: the run sets this directive; leave it out' "$stderr"
  printf 'hz 10\nrequirepass mine\n' >>copy/conf/redis.conf
  run_split copy/do_it.sh plan -s demo
  assert_failure 2
  assert_match "conf/redis.conf:$(grep -n mine copy/conf/redis.conf | cut -d : -f 1): requirepass: the run sets this directive; leave it out" "$stderr"
}
