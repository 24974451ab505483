#!/usr/bin/env bats
# SPDX-License-Identifier: MIT
# Prefix commands of redis-server and the load generator: they wrap, they are refused when missing, and a gain or loss is visible.
# slow

load helper
load netns

prepare() {
  untune
  WORDS=(-s demo REMOTE_DIR="$SCRATCH/host" RESULTS_DIR="$SCRATCH/results" REDISBASE="$(ports_pick 2)" KEYS=500 VALUE_SIZES=100 REDISRUNS=1)
}

# Build a library that makes each write to a socket take 20 ms at least, however fast the machine.
preload_build() {
  cat >slow.c <<'END'
#define _GNU_SOURCE
#include <dlfcn.h>
#include <unistd.h>
ssize_t write(int fd, const void *data, size_t size) {
  static ssize_t (*next)(int, const void *, size_t);
  if (!next) next = (ssize_t (*)(int, const void *, size_t))dlsym(RTLD_NEXT, "write");
  usleep(20000);
  return next(fd, data, size);
}
END
  cc -shared -fPIC -O1 -o slow.so slow.c -ldl
}

@test "a wrapper is really around server and load generator, on another host too: both carry its environment, and Onload's stand-in is handed its profile; one that stays in front as a process of its own leaves nothing behind" {
  netns_up "$SCRATCH"
  [[ $NETNS_FILES != shared ]] || skip 'the hosts share their files here'
  mkdir wrappers
  printf '#!/bin/sh\nWRAPPED_WITH=$1; export WRAPPED_WITH; shift; exec "$@"\n' >wrappers/wrap
  printf '#!/bin/bash\n"$@" &\nwait $!\n' >wrappers/stay
  # The settings of the profile are visible in the environment of the program, as with the real Onload.
  printf '%s\n' '#!/bin/bash' 'onload_set() { export "$1=$2"; }' '. "${1#--profile=}"' shift 'exec "$@"' >wrappers/onload
  chmod +x wrappers/*
  tar -c wrappers | netns_host server tar -C /var/tmp -x
  # A process title is written over the environment that the kernel shows.
  job_start netns_exec client1 "$REPO/do_it.sh" run "${WORDS[@]}" SERVER=198.18.0.1 CLIENT_IP=198.18.0.11 SSH_CONFIG="$NETNS_SSH_CONFIG" REDIS_CONF='set-proc-title no' \
    SERVER_PREFIX="/var/tmp/wrappers/stay /var/tmp/wrappers/wrap server /var/tmp/wrappers/onload --profile={conf/onload/redis-balanced.opf}" \
    CLIENT_PREFIX="$SCRATCH/wrappers/wrap client" RATE=20 KEYS=100000
  wait_until 60 grep -q 'phase set starts' job.err
  netns_host server bash -c 'cat "$SCRATCH"/host/run-*/server/instances.proc' >instances
  assert_equal "$(wc -l <instances)" 2
  # The instances are Redis itself, not the wrappers.
  while read -r pid _; do
    assert_equal "$(tr '\0' '\n' <"/proc/$pid/environ" | grep -xE 'WRAPPED_WITH=.*|EF_POLL_USEC=.*' | sort | xargs)" 'EF_POLL_USEC=20 WRAPPED_WITH=server'
    tr '\0' ' ' <"/proc/$pid/cmdline" | grep '^[^ ]*redis-server ' >/dev/null
    [[ $(readlink "/proc/$pid/exe") == *redis* ]] || fail "$pid is not redis-server"
  done <instances
  pid=$(cat host/run-*/client-*/test.pid)
  tr '\0' '\n' <"/proc/$pid/environ" | grep -x 'WRAPPED_WITH=client' >/dev/null
  assert_equal "$(basename "$(readlink "/proc/$pid/exe")")" test
  netns_host server bash -c 'cat "$SCRATCH"/host/run-*/server/wrappers.proc' >wrapped
  assert_equal "$(wc -l <wrapped)" 2
  kill -INT -"$JOB_PID"
  fails 130 job_wait 60
  while read -r pid start _; do wait_until 10 process_gone "$pid" "$start" || fail "$pid still runs"; done < <(cat instances wrapped)
}

@test "doctor refuses a missing program, one that does not start another or does not return, and a library that cannot be preloaded; the cookbook's variants name profiles with its settings" {
  program_make hang '#!/bin/bash\nsleep 1000\n'
  mkdir -p mine/variants
  echo "SERVER_PREFIX='/nowhere/onload --profile=x'" >mine/variants/gone.conf
  echo 'CLIENT_PREFIX=false' >mine/variants/fails.conf
  echo "SERVER_PREFIX=$SCRATCH/hang" >mine/variants/hangs.conf
  echo "SERVER_PREFIX='env LD_PRELOAD=/nowhere/lib.so'" >mine/variants/preloads.conf
  echo "SERVER_PREFIX='env WRAPPED=yes'" >mine/variants/wraps.conf
  TIERBENCH_PATH=$SCRATCH/mine fails 3 run_split timeout 300 "$REPO/do_it.sh" doctor --all "${WORDS[@]}" VARIANTS='gone fails hangs preloads wraps'
  assert_match "fail +variant gone +'/nowhere/onload' is missing"
  assert_match "fail +variant fails +'false' does not start a program"
  assert_match "fail +variant hangs +'[^']*/hang' does not return"
  assert_match 'fail +variant preloads .*cannot be preloaded'
  assert_match 'ok +variant wraps +env WRAPPED=yes +SERVER_PREFIX runs a program'
  fails 2 run_plan "${WORDS[@]}" SERVER_PREFIX='onload --profile={../etc/passwd}'
  for name in balanced performance; do
    file=conf/onload/redis-$name.opf
    grep -qxF "SERVER_PREFIX=\"onload --profile={$file}\"" "$REPO/conf/variants/onload-$name.conf"
    # Onload reads such a file as shell code with this one command.
    succeeds run bash -c 'onload_set() { printf "%s=%s\n" "$1" "$2"; }; . "$1"' bash "$REPO/$file"
    assert_line EF_UL_EPOLL=2 EF_HIGH_THROUGHPUT_MODE=1
    [[ $name != balanced ]] || assert_line EF_POLL_USEC=20
    [[ $name != performance ]] || assert_line EF_POLL_USEC=100000
  done
}

@test "a preloaded library that slows the server shows as a loss in the table; what a client's program writes to stderr has no control characters on the terminal and in run.log, and few lines" {
  need_command cc
  preload_build
  # For the user that Redis runs as.
  chmod 711 .
  mkdir -p mine/variants
  export TIERBENCH_PATH=$SCRATCH/mine
  printf 'LIKE=native\nCLIENT_PREFIX=""\n' >mine/variants/plain.conf
  echo "SERVER_PREFIX='env LD_PRELOAD=$SCRATCH/slow.so'" >mine/variants/slow.conf
  # It writes in front of the first load alone.
  printf '%s\n' '#!/bin/bash' "[[ \$* == *--gate* && ! -e $SCRATCH/told ]] || exec \"\$@\"" ": >$SCRATCH/told" \
    "printf 'red \\033[31m C1 \\302\\2332J split \\302\\302\\200\\2332J\\n' >&2" "printf '%05000d\\n' 0 >&2" 'seq 30 >&2' 'exec "$@"' >wrap
  chmod +x wrap
  succeeds run_split "$REPO/do_it.sh" run "${WORDS[@]}" -v plain -v slow KEYS=100 PHASES=set CLIENT_PREFIX="$SCRATCH/wrap"
  refute_contains $'\e' "$STDERR"
  refute_contains $'\302\233' "$STDERR"
  refute_contains $'\e' "$(cat results/*/run.log)"
  refute_contains $'\302\233' "$(cat results/*/run.log)"
  assert_contains '127.0.0.1: red  [31m C1  2J split ' "$STDERR"
  assert_contains '127.0.0.1: 18'$'\n' "$STDERR"
  refute_contains '127.0.0.1: 19'$'\n' "$STDERR"
  # A busy machine can make the load generator the limit: one more line.
  assert_match '127\.0\.0\.1: 1[23] more lines in .*/stderr' "$STDERR"
  assert_equal "$(grep -c '00000' <<<"$STDERR") $(grep -o '0\{4090,\}' <<<"$STDERR" | tr -d '\n' | wc -c)" '1 4096'
  # The variant sets no prefix here, but a run that repeats this one has the given prefix.
  matches "CLIENT_PREFIX.$SCRATCH/wrap" run_plan --settings -s "$SCRATCH"/results/*/run.conf
  # In the slow server each reply waits a hundred times as long as everything else takes.
  matches 'slow' run_split "$REPO/do_it.sh" compare --metric ops --format csv "$SCRATCH"/results/*
  run awk -F, 'NR == 1 { for (i = 1; i <= NF; i++) if ($i ~ /percent/) at = i; next } $at + 0 < 60 { lost++ } END { print NR - 1, lost + 0 }' <<<"$output"
  assert_output '1 1'
}

@test "the trial of a prefix ends what the prefix leaves behind: with its output, without it, and without its environment" {
  program_make plain '#!/bin/sh\nsleep 1234 &\necho $! >>%s/pids\nexec "$@"\n' "$SCRATCH"
  program_make quiet '#!/bin/sh\nsleep 1234 >/dev/null 2>&1 &\necho $! >>%s/pids\nexec "$@"\n' "$SCRATCH"
  program_make bare '#!/bin/sh\nsetsid env -i sh -c "while [ -e %s ]; do sleep 0.1; done" &\necho $! >>%s/pids\nexec "$@"\n' "$SCRATCH" "$SCRATCH"
  program_make flood '#!/bin/sh\nyes\nexec "$@"\n'
  fails 1 master '' '
    for name in plain quiet bare; do call_run 127.0.0.1 launch "$SCRATCH/$name" env </dev/null && wc -l <"$SCRATCH/pids"; done
    for pid in $(<"$SCRATCH/pids"); do ! proc_start "$pid" || echo "$pid is left"; done
    # What it writes is bounded; a session may have a lower limit.
    (ulimit -f 512 && call_run 127.0.0.1 launch env </dev/null && echo starts)
    call_run 127.0.0.1 launch "$SCRATCH/flood" env'
  assert_output $'1\n2\n3\nstarts'
  assert_equal "$STDERR" "'$SCRATCH/flood env' writes more than 1 MiB when it starts a program that does nothing"
}
