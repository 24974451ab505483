#!/usr/bin/env bats
# SPDX-License-Identifier: MIT
# Directives of redis.conf: those that the run sets itself are refused, however they are written; those that a server ignores are named.

load helper
load releases

prepare() {
  untune
}

@test "a directive of the run is refused by its name, in any notation that Redis reads; every other one is not" {
  # Usage: refusals <<<REDIS_CONF...; prints how plan refuses each
  refusals() {
    while IFS= read -r text; do
      run_plan --rows -s demo REDIS_CONF="$(printf '%b' "$text")"
      [[ $status == 0 ]] && echo 'not refused' || printf '%s\n' "$STDERR"
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
    'daemonize daemonize supervised port bind unixsocket tls-port cluster-announce-bus-port include user '"'port'"' \x64ir'
  output=$(
    refusals <<'END'
save 60 1;appendonly yes; ;
maxmemory 1gb;maxmemory-policy allkeys-lru;storage-provider flash ./flash
loadmodule /usr/lib/x.so;set-proc-title no;tls-protocols TLSv1.3;cluster-node-timeout 100
END
  )
  assert_output $'not refused\nnot refused\nnot refused'
}

@test "a directive of the run is refused in a variant, in a sweep and in conf/redis.conf, with its place; a higher layer replaces those that it names, and each is an axis" {
  refuses 2 'REDIS_CONF.port=1: port: the run sets this directive; set REDISBASE' run_split "$REPO/do_it.sh" plan -s demo SWEEP=REDIS_CONF.port=1,2
  mkdir copy
  cp -r "$REPO"/{do_it.sh,lib,conf,tools} copy
  printf '# SPDX-License-Identifier: MIT\n# A variant of a test.\nREDIS_CONF="logfile /tmp/x"\n' >copy/conf/variants/own.conf
  fails 2 run_split copy/do_it.sh plan -s demo -v native -v own
  assert_match 'own\.conf:3: REDIS_CONF.logfile=/tmp/x: logfile: the run sets this directive; leave it out' "$STDERR"
  printf 'hz 10\nRequirePass mine\n' >>copy/conf/redis.conf
  fails 2 run_split copy/do_it.sh plan -s demo
  assert_match "conf/redis.conf:$(grep -n mine copy/conf/redis.conf | cut -d : -f 1): RequirePass: the run sets this directive; leave it out" "$STDERR"
  cp "$REPO/conf/redis.conf" copy/conf
  printf 'REDIS_CONF="maxmemory 2gb;hz 30"\n' >copy/conf/variants/mine.conf
  printf 'LIKE=demo\nREDIS_CONF="maxmemory 1gb; save 60 1; Save\t300 10; hz 20"\n' >copy/conf/scenarios/mine.conf
  succeeds run copy/do_it.sh plan --settings -s mine -v native -v mine SERVER=h CLIENT_IP=i SERVER_CORES=2 SERVER_MEM=8 REDIS_CONF="hz 50" VALUE_SIZES=10 \
    SWEEP="REDIS_CONF.active-expire-effort=1,2 REDIS_CONF.appendfsync=no"
  assert_equal "$(awk -F '\t' -v OFS=' ' '$3 ~ /^REDIS_CONF/ && $4 != "default" { sub(/.*\//, "", $5); print $1, $2, $3, $4, $5 }' <<<"$output" | grep -v '^native')" \
    '- - REDIS_CONF.maxmemory 1G mine.conf:2
- - REDIS_CONF.hz 50 command line
- - REDIS_CONF.save 60 1; save 300 10 mine.conf:2
mine - REDIS_CONF.maxmemory 2G mine.conf:1
mine 10B-2i-activeexpireeffort1-appendfsyncno REDIS_CONF.active-expire-effort 1 command line: SWEEP
mine 10B-2i-activeexpireeffort1-appendfsyncno REDIS_CONF.appendfsync no command line: SWEEP
mine 10B-2i-activeexpireeffort2-appendfsyncno REDIS_CONF.active-expire-effort 2 command line: SWEEP
mine 10B-2i-activeexpireeffort2-appendfsyncno REDIS_CONF.appendfsync no command line: SWEEP'
}

@test "every directive is read back after the start, in any unit: one that the server does not know or changes is named, and no other one" {
  base=$(ports_pick 1)
  local words="INSTANCES=1 REDISBASE=$base IO_THREADS=2 PERSISTENCE=rdb REDIS_CONF.io-threads-do-reads=yes"
  words+=" 'REDIS_CONF=maxmemory 1gb; Repl-Backlog-Size 2m; oom-score-adj yes; hz 1000; client-output-buffer-limit replica 1gb 1mb 60; maxmemory-policy allkeys-lru; bio_cpulist 0'"
  succeeds master "$words" 'server_start 1; echo "$SERVER_IGNORED"; server_stop; TLS=on; server_start 1; echo "$SERVER_IGNORED"; server_stop'
  assert_output $'hz: it is 500\nhz: it is 500'
  assert_equal "$(grep -c 'the directive hz does not have the requested effect: it is 500' <<<"$STDERR")" 1
  release_server valkey-sid
  chmod 711 .
  succeeds master "$words REDIS=$REPLY" 'server_start 1; echo "$SERVER_IGNORED"; server_stop'
  assert_output 'io-threads-do-reads: this server does not know it; hz: it is 500'
}

@test "a sweep over a directive that the server ignores is refused; a single one is in the rows of its run" {
  base=$(ports_pick 2)
  release_server valkey-sid
  words=(-s demo REDISBASE="$base" INSTANCES=1 KEYS=100 VALUE_SIZES=100 PHASES=set TIME=0 REQUESTS=100 REDISRUNS=1 IO_THREADS=2 REDIS="$REPLY"
    RESULTS_DIR="$SCRATCH/results" REMOTE_DIR="$SCRATCH/host")
  fails 3 run_split "$REPO/do_it.sh" run "${words[@]}" SWEEP=REDIS_CONF.io-threads-do-reads=default,yes
  assert_contains 'io-threads-do-reads has no effect: this server does not know it; requires: SWEEP over REDIS_CONF.io-threads-do-reads; fix: leave REDIS_CONF.io-threads-do-reads out of SWEEP' "$STDERR"
  refute_exists results
  succeeds run_split "$REPO/do_it.sh" run "${words[@]}" REDIS_CONF.io-threads-do-reads=yes
  assert_contains 'the directive io-threads-do-reads does not have the requested effect: this server does not know it' "$STDERR"
  assert_contains 'Ignored directives'
  run_split "$REPO/summary2csv.sh" results/*
  assert_equal "$(awk -F, 'NR == 1 { for (i = 1; i <= NF; i++) if ($i == "ignored_directives") at = i; next } { print $at }' <<<"$output")" \
    'io-threads-do-reads: this server does not know it'
}
