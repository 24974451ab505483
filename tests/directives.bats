#!/usr/bin/env bats
# SPDX-License-Identifier: MIT
# Directives of redis.conf: those that the run sets itself are refused, however they are written; those that a server ignores are named.
# shellcheck disable=SC2154,SC2016 # stderr is set by run_split; the code for master expands there

load helper
load releases

setup() {
  scratch_setup
  untune
}

teardown() {
  scratch_teardown
}

@test "a directive of the run is refused by its name, in any notation that Redis reads; every other one is not" {
  # Usage: refusals <<<REDIS_CONF...; prints how plan refuses each
  refusals() {
    local text
    while IFS= read -r text; do
      run_plan --rows -s demo REDIS_CONF="$(printf '%b' "$text")"
      [[ $status == 0 ]] && echo 'not refused' || printf '%s\n' "$stderr"
    done
  }
  # Each is read by Redis as the directive that its message names.
  output=$(
    refusals <<'END'
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
  )
  assert_equal "$(sed -E 's/^[^:]*: //; s/.*: ([^ ]+): (the run sets|not a plain).*/\1/' <<<"$output" | grep -v '^REDIS_CONF' | paste -sd ' ')" \
    'daemonize DaemonIze supervised port bind unixsocket tls-port cluster-announce-bus-port include user '"'port'"' \x64ir'
  output=$(
    refusals <<'END'
save 60 1;appendonly yes; # port 7000
maxmemory 1gb;maxmemory-policy allkeys-lru;storage-provider flash ./flash
loadmodule /usr/lib/x.so;set-proc-title no;tls-protocols TLSv1.3;cluster-node-timeout 100
END
  )
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

@test "every directive is read back after the start, in any unit: one that the server does not know or changes is named, and no other one" {
  local base
  base=$(ports_pick 1)
  local words="INSTANCES=1 REDISBASE=$base IO_THREADS=2 IO_THREADS_DO_READS=on BIO_CPUS=0 PERSISTENCE=rdb RDB_SECONDS=60"
  words+=" 'REDIS_CONF=maxmemory 1gb; Repl-Backlog-Size 2m; oom-score-adj yes; hz 1000; client-output-buffer-limit replica 2mb 1mb 60; maxmemory-policy ALLKEYS-lru'"
  master "$words" 'server_start 1; echo "$SERVER_IGNORED"; server_stop; TLS=on; server_start 1; echo "$SERVER_IGNORED"; server_stop'
  assert_success
  assert_output $'hz: it is 500\nhz: it is 500'
  assert_equal "$(grep -c 'the directive hz does not have the requested effect: it is 500' <<<"$stderr")" 1
  release_server valkey-sid
  chmod 711 .
  master "$words REDIS=$REPLY" 'server_start 1; echo "$SERVER_IGNORED"; server_stop'
  assert_success
  assert_output 'io-threads-do-reads: this server does not know it; hz: it is 500'
}

@test "a sweep over a directive that the server ignores is refused; a single one is in the rows of its run" {
  local base
  local -a words
  base=$(ports_pick 2)
  release_server valkey-sid
  words=(-s demo REDISBASE="$base" INSTANCES=1 KEYS=100 VALUE_SIZES=100 PHASES=set TIME=0 REQUESTS=100 REDISRUNS=1 IO_THREADS=2 REDIS="$REPLY"
    RESULTS_DIR="$SCRATCH/results" REMOTE_DIR="$SCRATCH/host")
  run_split "$REPO/do_it.sh" run "${words[@]}" SWEEP=IO_THREADS_DO_READS=off,on
  assert_failure 3
  assert_contains 'io-threads-do-reads has no effect: this server does not know it; requires: SWEEP over IO_THREADS_DO_READS; fix: leave IO_THREADS_DO_READS out of SWEEP' "$stderr"
  refute_exists results
  run_split "$REPO/do_it.sh" run "${words[@]}" IO_THREADS_DO_READS=on
  assert_success
  assert_contains 'the directive io-threads-do-reads does not have the requested effect: this server does not know it' "$stderr"
  assert_contains 'Ignored directives'
  run_split "$REPO/summary2csv.sh" results/*
  assert_equal "$(awk -F, 'NR == 1 { for (i = 1; i <= NF; i++) if ($i == "ignored_directives") at = i; next } { print $at }' <<<"$output")" \
    'io-threads-do-reads: this server does not know it'
}
