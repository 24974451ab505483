#!/usr/bin/env bats
# SPDX-License-Identifier: MIT
# The user of the instances, the data that other users can read, and the commands that a load generator may use.
# slow

load helper

prepare() {
  BASE=$(ports_pick 2)
  WORDS="INSTANCES=2 REDISBASE=$BASE"
}

# The user that REDIS_USER=auto selects on this machine.
auto_user() {
  local name
  for name in redis valkey nobody; do
    ! id -u "$name" >/dev/null 2>&1 || break
  done
  echo "$name"
}

@test "instances started by root run as an unprivileged user, and only that user can read their files" {
  need_root
  chmod 711 .
  succeeds master "$WORDS" '
    server_start 2
    cleanup_push server_stop
    cd '"$SCRATCH"'/host/run-*/server
    while read -r pid _ port; do
      ps -o user=,comm= -p "$pid"
      awk "\$1 ~ /^(Uid|Gid|Groups|CapPrm|CapBnd|CapAmb|NoNewPrivs):/ { print }" "/proc/$pid/status" | tr "\t\n" "  "
      echo
    done <instances.proc
    stat -c "%a %U %n" . data-* *.conf *.log
    # Even if the directories above are open to all, the directories of the run are closed to others.
    chmod 711 ../.. ..
    setpriv --reuid=1 --regid=1 --clear-groups cat "$REDISBASE.conf" 2>&1 || :
    setpriv --reuid=1 --regid=1 --clear-groups ls "$PWD" 2>&1 || :
    REDISCLI_AUTH=$(instance_password "$REDISBASE") redis-cli -p "$REDISBASE" bgsave
    until [[ -s data-$REDISBASE/dump.rdb ]]; do sleep 0.05; done
    stat -c "%a %U %n" data-*/dump.rdb'
  user=$(auto_user)
  ids="$(id -u "$user") $(id -g "$user")"
  assert_match "^$user +redis-server"
  assert_equal "$(grep -c "^$user  *redis-server" <<<"$output")" 2
  assert_equal "$(grep -c "^Uid: ${ids% *} ${ids% *} ${ids% *} ${ids% *} Gid: ${ids#* } .*Groups: *CapPrm: 0* CapBnd: 0* CapAmb: 0* NoNewPrivs: 1 " <<<"$output")" 2
  assert_line '710 root .'
  assert_line "700 $user data-$BASE"
  assert_line "600 $user $BASE.conf"
  assert_line "600 $user redis-$BASE.log"
  assert_line "cat: $BASE.conf: Permission denied"
  assert_contains "Permission denied"
  assert_line "600 $user data-$BASE/dump.rdb"
  refute_contains "requirepass"
  assert_equal "$(find host -name 'run-*')" ''
}

@test "REDIS_USER: keep, a name, a missing name; doctor prints which" {
  need_root
  fails 7 master "$WORDS" 'for REDIS_USER in keep daemon; do
      server_start 1
      read -r pid _ <'"$SCRATCH"'/host/run-$RUN_ID/server/instances.proc
      ps -o user= -p "$pid"
      server_stop
    done
    REDIS_USER=no-such-user
    server_start 1 || { server_stop; exit 7; }'
  assert_output $'root\ndaemon'
  assert_contains "REDIS_USER=no-such-user: no such user" "$STDERR"
  mkdir -p mine/variants
  echo REDIS_USER=no-such-user >mine/variants/nobodys.conf
  TIERBENCH_PATH=$SCRATCH/mine fails 3 run_split "$REPO/do_it.sh" doctor --all -s demo KEYS=100 REDISBASE="$BASE" VARIANTS='native nobodys'
  assert_match "ok +variant native +instances run as $(auto_user) +REDIS_USER=auto"
  assert_match 'fail +variant nobodys +instances run as REDIS_USER=no-such-user: no such user '
}

@test "if root cannot become another user, auto continues as root with a message; a name is refused" {
  need_root
  program_make bin/setpriv '#!/bin/sh\necho "setpriv: setresuid failed: Invalid argument" >&2\nexit 127\n'
  PATH=$SCRATCH/bin:$PATH fails 7 master "$WORDS" 'server_start 1
    read -r pid _ <'"$SCRATCH"'/host/run-$RUN_ID/server/instances.proc
    ps -o user= -p "$pid"
    server_stop
    REDIS_USER=daemon
    server_start 1 || { server_stop; exit 7; }'
  assert_output root
  assert_contains "127.0.0.1: instances run as root: REDIS_USER=$(auto_user): setpriv: setresuid failed: Invalid argument" "$STDERR"
  assert_contains "REDIS_USER=daemon: setpriv: setresuid failed" "$STDERR"
}

@test "root of a container, who may not look into processes of other users, runs" {
  need_root
  untuned=(TUNE=off KERNEL=keep)
  succeeds run_split setpriv --bounding-set=-sys_ptrace,-sys_admin --inh-caps=-sys_ptrace,-sys_admin "$REPO/do_it.sh" run "${untuned[@]}" \
    -s demo KEYS=100 VALUE_SIZES=10 PHASES=set REDISBASE="$BASE" RESULTS_DIR="$SCRATCH/results"
  assert_contains 'placement ok' "$STDERR"
}

@test "a login user who is not root starts instances as himself, and no others" {
  need_root
  mkdir copy
  chmod 711 .
  tar -C "$REPO" -cf - do_it.sh test conf lib tools | tar -C copy --no-same-owner -xf -
  mkdir own
  chown nobody own
  master "$WORDS" :
  cat >>master.sh <<'END'
    server_start 1
    read -r pid _ <own/host/run-$RUN_ID/server/instances.proc
    ps -o user= -p "$pid"
    grep NoNewPrivs "/proc/$pid/status"
    server_stop
    REDIS_USER=daemon
    server_start 1 || { server_stop; exit 7; }
END
  sed -i "s#$REPO#$SCRATCH/copy#g; s#$SCRATCH/host#$SCRATCH/own/host#" master.sh
  REMOTE_DIR='' HOME=$SCRATCH/own TMPDIR=$SCRATCH/own fails 7 run_split setpriv --reuid="$(id -u nobody)" --regid="$(id -g nobody)" --clear-groups bash master.sh
  assert_output $'nobody\nNoNewPrivs:\t0'
  assert_contains "REDIS_USER=daemon: only root starts instances as another user" "$STDERR"
}

@test "the limits that another user may not raise are raised before" {
  # Not every container lets root raise limits, so the test checks the requested values.
  succeeds run_split bash -c '. "$0"; USER_NAME=redis; ulimit() { [[ $1 != -Hn ]] || echo "$LIMIT"; [[ $1 == -H* ]] || echo "$*" >>calls; }
    for LIMIT in 1024 65536 unlimited; do SERVER_DIRECTIVES="" host_user_limits; done
    SERVER_DIRECTIVES="timeout 0; MaxClients 70000" LIMIT=65536 host_user_limits
    USER_NAME="" LIMIT=1024 host_user_limits' "$REPO/lib/host/user.sh"
  assert_equal "$(cat calls)" $'-n 65536\n-u unlimited\n-u unlimited\n-u unlimited\n-n 70032\n-u unlimited'
}

@test "a redis-server that the other user cannot reach is brought along" {
  need_root
  mkdir shut
  cp "$(command -v redis-server)" shut/redis-server
  chmod 700 shut shut/redis-server
  succeeds master "$WORDS REDIS=$SCRATCH/shut/redis-server" 'server_start 1
    cleanup_push server_stop
    read -r pid _ <'"$SCRATCH"'/host/run-$RUN_ID/server/instances.proc
    ps -o user=,comm= -p "$pid"'
  assert_match "^$(auto_user) +redis-server"
}

@test "the load generator's user can load and nothing else; the master's user cannot move files or load code either" {
  succeeds master "$WORDS" 'server_start 1
    cleanup_push server_stop
    ask() { printf "%s: %s\n" "${*:2}" "$(REDISCLI_AUTH=$password redis-cli --user "$1" -p "$REDISBASE" "${@:2}" 2>&1 | sed -n 1p)"; }
    set -f
    password=$(server_load_passwords "$REDISBASE" 1)
    [[ $password != "$(instance_password "$REDISBASE")" && ${#password} -ge 24 ]]
    ask load ping
    ask load set a 1
    ask load get a
    for words in "config set dir /etc/cron.d" "config get requirepass" "config rewrite" "module list" "debug sleep 0" "shutdown nosave" \
      "replicaof 127.0.0.1 1" "slaveof 127.0.0.1 1" "eval return(1) 0" "script flush" "function list" "acl list" "keys *" "save" "monitor"; do
      ask load $words
    done
    password=$(instance_password "$REDISBASE")
    ask default "config" get save
    ask default config set dir /etc/cron.d
    ask default config set dbfilename authorized_keys
    ask default module load /tmp/x.so
    ask default debug sleep 0'
  assert_line 'ping: PONG'
  assert_line 'set a 1: OK'
  assert_line 'get a: 1'
  assert_line "config set dir /etc/cron.d: NOPERM this user has no permissions to run the 'config|set' command"
  assert_equal "$(grep -c ": NOPERM this user has no permissions to run the '" <<<"$output")" 14
  assert_line 'config get save: save'
  assert_line "config set dir /etc/cron.d: ERR CONFIG SET failed (possibly related to argument 'dir') - can't set protected config"
  assert_line "config set dbfilename authorized_keys: ERR CONFIG SET failed (possibly related to argument 'dbfilename') - can't set protected config"
  assert_equal "$(grep -c '^debug sleep 0: ERR DEBUG command not allowed' <<<"$output")" 2
  assert_match 'module load /tmp/x.so: ERR MODULE command not allowed'
}

@test "where Redis has no users, dangerous commands have no names" {
  # A stub that reports version 5 and accepts the given configuration.
  program_make five '#!/bin/sh\n[ "$1" != --version ] || { echo "Redis server v=5.0.14 sha=00000000:0"; exit; }\nexec redis-server "$@"\n'
  chmod 711 .
  succeeds master "$WORDS REDIS=$SCRATCH/five PERSISTENCE=rdb" 'server_start 1
    echo "user: $LOAD_USER"
    export REDISCLI_AUTH=$(server_load_passwords "$REDISBASE" 1)
    for words in "set a 1" "config get dir" "module list" "debug sleep 0" "shutdown nosave" "replicaof no one" "slaveof no one" "eval return(1) 0" "script flush"; do
      printf "%s: %s\n" "$words" "$(redis-cli -p "$REDISBASE" $words 2>&1 | sed -n 1p)"
    done
    cp '"$SCRATCH"'/host/run-$RUN_ID/server/redis-$REDISBASE.log '"$SCRATCH"'/log
    tail -n +1 -f '"$SCRATCH"'/host/run-$RUN_ID/server/redis-$REDISBASE.log >'"$SCRATCH"'/log --pid=$$ 2>/dev/null &
    server_stop'
  assert_line 'user: '
  assert_line 'set a 1: OK'
  assert_equal "$(grep -c ": ERR unknown command" <<<"$output")" 8
  # The master itself can still use CONFIG: it turns off the snapshot at exit.
  refute_contains 'Saving the final RDB' "$(cat log)"
}
