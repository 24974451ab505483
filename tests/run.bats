#!/usr/bin/env bats
# SPDX-License-Identifier: MIT
# A whole run on this machine, and its behaviour when a step in the middle fails.
# slow

load helper
load elsewhere

prepare() {
  untune
  BASE=$(ports_pick 4)
}

# The arguments that keep a run small and inside the directory of this test.
# Usage: words; sets WORDS
words() {
  WORDS=(-s demo REMOTE_DIR="$SCRATCH/host" RESULTS_DIR="$SCRATCH/results" REDISBASE="$BASE" KEYS=500 VALUE_SIZES=100 REDISRUNS=1 "$@")
}

# Assert that nothing of a run is left on the host: no recorded process, no directory, no lock.
assert_nothing_left() {
  assert_equal "$(find host locks -name 'run-*' -o -type f -path 'locks/*')" ''
  local port
  for port in "$BASE" $((BASE + 1)); do port_free "$port" || fail "port $port is still open"; done
}

@test "a run leaves whole results, rows, a table, a log in the guide's form, and nothing else" {
  words VALUE_SIZES="100 1000"
  succeeds run_split "$REPO/do_it.sh" run "${WORDS[@]}"
  assert_nothing_left
  run=$(echo "$SCRATCH"/results/*)
  assert_contains "$run" "$STDERR"
  assert_exists "$run"/{run.conf,env/127.0.0.1/{setup.log,env.tsv,sysctl.txt,tuning.tsv,redis.txt},native/variant.conf}
  for rep in "$run"/native/{100,1000}B-2i/rep-1; do
    assert_exists "$rep"/127.0.0.1/{result.tsv,set.hgrm,get.hgrm,set.hlog,get.hlog,set.series.tsv} "$rep"/server/info.{before,after} \
      "$rep"/server/redis-"$BASE".log
    # The counters of Redis: every key once with SET, once with GET, nothing else.
    assert_equal "$(info_calls set "$rep/server/info.after")" 1000
    assert_equal "$(info_calls get "$rep/server/info.after")" 1000
    (cd "$rep/127.0.0.1" && sha256sum --quiet -c SHA256SUMS)
  done
  assert_equal "$(find "$run" -name '*.partial' -o -name '*.failed*' -o -name '*.cut*' -o -name '*.new*')" ''
  log=$(echo "$run"/native/100B-2i/rep-1/127.0.0.1/redis.log.127.0.0.1.*.1)
  assert_equal "$(head -n 1 "$log")" "====> SERVER system -"
  assert_match '====> SERVER system -.*Running NATIVE.*====> CLIENT system -.*Running NATIVE' "$(<"$log")"
  assert_equal "$(tail -n 1 "$log")" DONE
  grep -q "^threads = 2 start_port = $BASE value_len = 100 key_count = 500$" "$log"
  succeeds run_split "$REPO/summary2csv.sh" "$run"
  assert_equal "${#lines[@]}" 5
}

# Whether the job has started its load so often.
# Usage: loads COUNT
loads() { (($(grep -c 'phase get starts' job.err) == $1)); }

@test "no name in a run of IPv6 hosts has a colon; and rows have the address" {
  grep -q '^0\{31\}1 ' /proc/net/if_inet6 || skip 'no IPv6 here'
  words SERVER=::1 CLIENT_IP=::1 LOG_LINKS=on
  succeeds run_split "$REPO/do_it.sh" run "${WORDS[@]}"
  run=$(echo "$SCRATCH"/results/*)
  assert_equal "$(find "$run" -name '*:*')" ''
  assert_exists "$run"/{env/++1/{setup.log,tuning.tsv,facts.tsv,tiers.tsv},native/100B-2i/rep-1/++1/get.hlog,memtier-bench0.log}
  run_split "$REPO/summary2csv.sh" --json "$run"
  assert_equal "$(grep -o '"client": *"[^"]*"' <<<"$output" | sort -u | tr -d ' ')" '"client":"::1"'
  succeeds run "$REPO/do_it.sh" verify "$run"
}

@test "a run that cannot take its lock leaves no directory in the results" {
  # The trial of a prefix comes after the checks of the lock's directory.
  cat >prefix <<END
#!/bin/bash
rm -rf -- "$SCRATCH/locks"
: >"$SCRATCH/locks"
exec "\$@"
END
  chmod 755 . prefix
  words LOCK_DIR="$SCRATCH/locks" SERVER_PREFIX="$SCRATCH/prefix"
  mkdir -p -m 1777 locks
  refuses 3 'lock: not available, nothing was started' run_split "$REPO/do_it.sh" run "${WORDS[@]}"
  assert_equal "$(find results 2>/dev/null)" ''
}

@test "Ctrl-C and TERM end instances and load, keep whole repeats, and tell by the exit status; after kill -9, stop cleans up and --resume finishes what was cut" {
  words REDISRUNS=2 TIME=8 RATE=100 PHASES=get
  job_start "$REPO/do_it.sh" run "${WORDS[@]}"
  wait_until 60 loads 2
  # Each run continues the run before it.
  for signal in INT:130 TERM:143; do
    want=${signal#*:} signal=${signal%:*}
    kill -"$signal" -"$JOB_PID"
    fails "$want" job_wait 60
    assert_nothing_left
    assert_equal "$(find results -type d -name 'rep-1' | wc -l)" 1
    assert_equal "$(find results -type d -name 'rep-2' | wc -l)" 0
    run=$(echo "$SCRATCH"/results/*)
    job_start "$REPO/do_it.sh" run --resume "$run"
    wait_until 60 loads 1
    # A second master, as on another machine with the same results.
    fails 2 run_split "$REPO/do_it.sh" run --resume "$run/"
    assert_match "command line: --resume=$run: the run demo-[0-9]+-[0-9a-f]{8} of [^ ]+ on [^ ]+ \\(pid $JOB_PID, since [^ ]+\\) continues it; wait for it" "$STDERR"
  done
  assert_exists "$run/run.lock"
  kill -KILL "$JOB_PID"
  job_wait 10 || :
  # The last call of the master writes into the directory while it is removed.
  program_make bin/rm <<'END'
#!/bin/bash
[[ ${*: -1} =~ /run-demo-[^/]*$ && ! -e $SCRATCH/bin/late ]] || exec /bin/rm "$@"
/bin/rm "$@" && mkdir -p "${@: -1}/client-127.0.0.1" && : >"${@: -1}/client-127.0.0.1/clock" >"$SCRATCH/bin/late"
echo "rm: cannot remove '${*: -1}': Directory not empty" >&2
exit 1
END
  PATH=$SCRATCH/bin:$PATH succeeds run_split "$REPO/do_it.sh" stop REMOTE_DIR="$SCRATCH/host"
  assert_contains "stopped everything that"
  assert_exists bin/late
  assert_nothing_left
  succeeds run_split "$REPO/do_it.sh" stop --resume "$run"
  assert_contains "nothing was left"

  first=$(cat "$run"/native/100B-2i/rep-1/127.0.0.1/result.tsv)
  # The host was another one when the run began. (The length of a file is checked.)
  sed -i '/^kernel.machine/s/.$/X/' "$run/env/127.0.0.1/env.tsv"
  sed -n 's/^kernel.machine\t//p' "$run/env/127.0.0.1/env.tsv" >machine
  cp "$run/env/127.0.0.1/facts.tsv" facts.tsv
  succeeds run_split "$REPO/do_it.sh" run --resume "$run"
  assert_contains "127.0.0.1: kernel.machine was $(<machine) when the run began, and is $(uname -m): repeats before and after differ in it" "$STDERR"
  assert_equal "$(sed -n 's/^kernel.machine\t//p' "$run/env/127.0.0.1/env.tsv")" "$(<machine)"
  # Earlier ones may have seen swap of another program.
  machines=("$run"/env/127.0.0.1.resumed-*/env.tsv)
  assert_equal "$(sed -n 's/^kernel.machine\t//p' "${machines[-1]}")" "$(uname -m)"
  cmp facts.tsv "$run/env/127.0.0.1/facts.tsv"
  assert_exists "$run"/native/100B-2i/rep-2/127.0.0.1/result.tsv
  assert_equal "$(cat "$run"/native/100B-2i/rep-1/127.0.0.1/result.tsv)" "$first"
  refute_exists "$run/run.lock"
  succeeds run_split "$REPO/do_it.sh" verify "$run"
  assert_nothing_left
}

@test "with REDISRUNS=auto variants take turns until the figures are precise or the limit is reached, and --resume runs no more" {
  # Load by other programs is irrelevant here.
  words REDISRUNS=auto:2..3 PRECISION=100% PHASES=set FOREIGN=off -v native -v loadgen
  succeeds run_split "$REPO/do_it.sh" run "${WORDS[@]}"
  run=$(echo "$SCRATCH"/results/*)
  rounds=$(find "$run"/native -name 'rep-?' | wc -l)
  ((rounds >= 2 && rounds <= 3)) || fail "$rounds rounds"
  assert_equal "$(find "$run"/loadgen -name 'rep-?' | wc -l)" "$rounds"
  assert_contains "1 of at most 6: native" "$STDERR"
  for rep in "$run"/{native,loadgen}/100B-2i/rep-{1,2}; do
    assert_equal "$(info_calls set "$rep/server/info.after")" 1000
    assert_equal "$(info_calls get "$rep/server/info.after")" 0
    (cd "$rep/127.0.0.1" && sha256sum --quiet -c SHA256SUMS)
  done
  assert_match "100B-2i: (precise or decided after $rounds rounds: set throughput of loadgen: [0-9.]+ % of native|not precise after 3 rounds \(REDISRUNS=auto:2\.\.3\):)" "$STDERR"
  # Load by others may have disturbed a repeat, on a machine with many CPUs.
  repeats=$(find "$run"/native -name 'rep-?*')
  succeeds run_split "$REPO/do_it.sh" run --resume "$run"
  assert_equal "$(find "$run"/native -name 'rep-?*')" "$repeats"
  TIERBENCH_RESULTS_DIR=$SCRATCH/results run "$REPO/do_it.sh" list
  assert_contains "$((2 * rounds)) of at most 6 repeats"
  assert_match "100B-2i: (precise or decided|not precise) after $rounds rounds" "$STDERR"
  assert_nothing_left
}

@test "a run whose master lives is not stopped by another, and a second run is refused" {
  count=0
  # Longer than any machine needs for the checks below.
  words TIME=600 RATE=100 PHASES=get
  job_start "$REPO/do_it.sh" run "${WORDS[@]}"
  job_load get
  refuses 3 "its master is alive" run_split "$REPO/do_it.sh" stop REMOTE_DIR="$SCRATCH/host"
  refuses 3 "uses this server" run_split "$REPO/do_it.sh" run "${WORDS[@]}" REDISBASE=$((BASE + 2))
  while read -r pid start _; do
    process_alive "$pid" "$start" || fail "$pid is gone"
    count=$((count + 1))
  done < <(cat host/run-*/server/instances.proc host/run-*/client-*/generator.proc)
  # Two instances, and what the load generator has on record.
  ((count > 2)) || fail "$count processes are on record"
  assert_equal "$(grep warning: job.err | grep -vE 'both run on|no phase sets keys')" ''
  kill -INT -"$JOB_PID"
  fails 130 job_wait 60
}

@test "two runs that start at the same time into one directory are both whole, in different directories" {
  mkdir -p -m 1777 locks.0 locks.1
  for number in 0 1; do
    words PHASES=set SRV_OVERRIDE=1
    # The second one is on another port, and on what is another host to it.
    "$REPO/do_it.sh" run "${WORDS[@]}" REDISBASE=$((BASE + number)) REMOTE_DIR="$SCRATCH/host.$number" LOCK_DIR="$SCRATCH/locks.$number" >"said.$number" 2>&1 3>&- &
  done
  wait
  (($(find results -mindepth 1 -maxdepth 1 -name '*Z-demo' | wc -l) == 2)) || fail "$(cat said.*)"
  (($(cat results/*/run.log | grep -o 'results go to .*' | sort -u | wc -l) == 2)) || fail "$(cat said.*)"
  for run in results/*; do
    succeeds run_split "$REPO/do_it.sh" verify "$run"
    assert_equal "$(info_calls set "$run"/native/100B-1i/rep-1/server/info.after)" 500
  done
}

@test "a Redis killed during the load ends it before the generator's patience does, and fails its repeat, which is kept aside; the run goes on" {
  words REDISRUNS=2 TIME=8 RATE=100 PHASES=get REPLY_TIMEOUT=600
  job_start "$REPO/do_it.sh" run "${WORDS[@]}"
  job_load get
  kill -KILL "$(head -n 1 host/run-*/server/instances.proc | cut -f 1)"
  fails 1 job_wait 120
  assert_nothing_left
  assert_equal "$(find results -type d -name 'rep-1.failed-*' | wc -l)" 1
  assert_equal "$(find results -type d -name 'rep-2' | wc -l)" 1
  assert_contains "failed; its files:" "$STDERR"
  assert_contains "guard: the instance on port $BASE has exited" "$STDERR"
}

@test "redis-server missing, a results folder that cannot be written, a fill that does not fit, a port of a Redis that is not ours: a clear line each, and nothing is started" {
  words REDIS=/nowhere/redis-server
  refuses 3 "redis-server is missing: '/nowhere/redis-server' not found" run_split "$REPO/do_it.sh" run "${WORDS[@]}"
  touch afile
  words
  refuses 2 "RESULTS_DIR=$SCRATCH/afile: cannot write to it" run_split "$REPO/do_it.sh" run "${WORDS[@]}" RESULTS_DIR="$SCRATCH/afile"
  refute_contains mkdir: "$STDERR"
  assert_nothing_left
  words KEYS=1000000000
  fails 3 run_split "$REPO/do_it.sh" run "${WORDS[@]}"
  assert_match "memory: [0-9]+ MiB available; requires: [0-9]+ MiB for 100B-2i \(2 x 1000000000 keys of 100 B; 1.5 x \(size \+ 32\) x keys says 377655 MiB\) and [0-9]+ MiB kept free" "$STDERR"
  words
  redis_start -p $((BASE + 1))
  redis-cli -p "$REDIS_PORT" set mine 1
  refuses 3 "port $REDIS_PORT is taken" run_split "$REPO/do_it.sh" run "${WORDS[@]}"
  assert_equal "$(redis-cli -p "$REDIS_PORT" get mine)" 1
  assert_equal "$(find host locks -name 'run-*' -o -type f -path 'locks/*')" ''
  refute_exists results
}

@test "a full results disk ends in a clear line, and nothing is left running" {
  need_root
  mkdir small
  mount -t tmpfs -o size=64k tmpfs small || skip "a tmpfs cannot be mounted here"
  words
  run_split "$REPO/do_it.sh" run "${WORDS[@]}" RESULTS_DIR="$SCRATCH/small/results"
  umount small
  assert_failure 1
  assert_match "warning: $SCRATCH/small/results/[^ ]*: cannot be written; on this machine the file system $SCRATCH/small is full" "$STDERR"
  assert_nothing_left
}

@test "a directory whose programs may not be run is named as such, not as a missing library" {
  need_root
  mkdir noexec
  mount -t tmpfs -o noexec tmpfs noexec || skip "a tmpfs cannot be mounted here"
  key=$(sha256sum "$REPO/test" | cut -c 1-16)
  mkdir -m 700 noexec/host noexec/host/cache
  cp "$REPO/test" "noexec/host/cache/test-$key"
  # The code path of a client over ssh, without ssh.
  elsewhere_ssh
  master REMOTE_DIR="$SCRATCH/noexec/host" 'remote_is_local() { [[ $1 != elsewhere ]]; }
    client_prepare elsewhere'
  umount noexec
  assert_failure
  assert_equal "$STDERR" "REMOTE_DIR=$SCRATCH/noexec/host: programs cannot be run there (mounted noexec?); set REMOTE_DIR to a directory where they can"
}
