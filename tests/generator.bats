#!/usr/bin/env bats
# SPDX-License-Identifier: MIT
# Other load generators in the place of ours: the same rows, counted by Redis, and what they cannot do is refused.
# lane: host
# shellcheck disable=SC2154 # stderr is set by run_split

load helper

setup() {
  scratch_setup
  WORDS=(-s crosscheck REMOTE_DIR="$SCRATCH/host" RESULTS_DIR="$SCRATCH/results" REDISBASE="$(ports_pick 2)" REDISRUNS=1 KEYS=500
  CONNECTIONS=5 INSTANCE_REQUESTS=20000)
}

teardown() {
  [[ ! -d host ]] || "$REPO/do_it.sh" stop --force REMOTE_DIR="$SCRATCH/host" >/dev/null 2>&1 || :
  scratch_teardown
}

# Calls of a command over all instances, from a file of INFO.
calls() {
  sed -n "s/^cmdstat_$1:calls=\([0-9]*\),.*/\1/p" "$2" | awk '{ sum += $1 } END { print sum + 0 }'
}

@test "ours and redis-benchmark side by side, client CPU included; each made the requests that it counts" {
  local rep row
  need_command redis-benchmark redis-cli
  run_split "$REPO/do_it.sh" run "${WORDS[@]}" INSTANCES=2
  assert_success
  assert_match 'set +client CPU, us/op +[0-9.]+ .* [0-9.]+ '
  # 20,000 requests an instance, for redis-benchmark in whole pipelines of 128; and 500 keys when they are populated.
  for row in 'loadgen 20000' 'redis-benchmark 20096'; do
    rep=$(echo "$SCRATCH"/results/*/"${row% *}"/128B-2i/rep-1)
    assert_equal "$(calls get "$rep/server/info.after")" $((2 * ${row#* }))
    assert_equal "$(calls set "$rep/server/info.after")" $((2 * ${row#* } + 1000))
    assert_equal "$(awk -F '\t' 'NR == 1 { for (i = 1; i <= NF; i++) at[$i] = i } $1 == "get" { print $at["ops"] }' "$rep"/127.0.0.1/result.tsv)" $((2 * ${row#* }))
    assert_equal "$(awk -F: '$1 == "keyspace_misses" { sum += $2 } END { print sum + 0 }' "$rep/server/info.after")" 0
  done
  run_split "$REPO/summary2csv.sh" "$(echo "$SCRATCH"/results/*)"
  assert_success
  assert_equal "${#lines[@]}" 7
}

@test "what redis-benchmark cannot tell or do: empty columns, and settings that are refused" {
  local word
  need_command redis-benchmark redis-cli
  run_split "$REPO/do_it.sh" run "${WORDS[@]}" -v redis-benchmark
  assert_success
  run_split "$REPO/summary2csv.sh" "$(echo "$SCRATCH"/results/*)"
  assert_equal "$(awk -F, 'NR == 1 { for (i = 1; i <= NF; i++) at[$i] = i; next } { print $at["misses"] "|" $at["p90_us"] "|" ($at["ops_per_sec"] > 0) }' <<<"$output" | sort -u)" '||1'
  for word in TIME=1 RATE=5 WARMUP=1 PHASES=mixed KEY_PATTERN=zipf; do
    run_split "$REPO/do_it.sh" plan "${WORDS[@]}" -v redis-benchmark "$word"
    assert_failure 2
    assert_contains "${word%%=*}=${word#*=}: redis-benchmark" "$stderr"
  done
}

@test "a generator that is not installed: the host is not fit" {
  local folder
  mkdir path
  # Everything but redis-benchmark.
  for folder in /usr/local/sbin /usr/local/bin /usr/sbin /usr/bin /sbin /bin; do ln -s "$folder"/* path/ 2>/dev/null || :; done
  rm -f path/redis-benchmark
  PATH=$SCRATCH/path run_split "$REPO/do_it.sh" doctor "${WORDS[@]}"
  assert_failure 3
  assert_match "fail +variant redis-benchmark +'redis-benchmark' is missing +GENERATOR=redis-benchmark"
}

@test "an interrupted run ends the peer, and one whose server dies is no result" {
  local pid start
  need_command redis-benchmark redis-cli
  job_start "$REPO/do_it.sh" run "${WORDS[@]}" -v redis-benchmark INSTANCE_REQUESTS=500000000
  wait_until 60 grep -q 'phase set starts' job.err
  wait_until 20 test -e "$(echo host/run-*/client-*/out)"/set.0.csv
  pid=$(cat host/run-*/client-*/test.pid)
  pid=$(cat "/proc/$pid/task/$pid/children")
  pid=${pid%% *}
  start=$(process_start "$pid")
  assert_match redis-benchmark "$(tr '\0' ' ' <"/proc/$pid/cmdline")"
  kill -INT -"$JOB_PID"
  job_wait 60
  assert_equal "$status" 130
  process_gone "$pid" "$start" || fail "redis-benchmark still runs"
  job_start "$REPO/do_it.sh" run "${WORDS[@]}" -v redis-benchmark INSTANCE_REQUESTS=500000000
  wait_until 60 grep -q 'phase set starts' job.err
  kill -KILL "$(cut -f 1 host/run-*/server/instances.proc)"
  job_wait 120
  assert_equal "$status" 1
  assert_equal "$(find results -type d -name 'rep-1.failed-*' | wc -l)" 1
}

@test "the run's password is on no command line of the peer, and its user can do nothing else" {
  local base
  base=$(ports_pick 1)
  job_start "$REPO/do_it.sh" run -s crosscheck -v redis-benchmark REMOTE_DIR="$SCRATCH/host" RESULTS_DIR="$SCRATCH/results" REDISBASE="$base" \
    SRV_OVERRIDE=1 KEYS=1000 REDISRUNS=1 INSTANCE_REQUESTS=3000000
  wait_until 60 grep -q 'phase get starts' job.err
  local password
  password=$(cat host/run-*/client-*/auth)
  [[ -n $password ]]
  local file leaks=''
  for file in /proc/[0-9]*/cmdline; do
    [[ $(tr '\0' ' ' 2>/dev/null <"$file") != *"$password"* ]] || leaks+="$file "
  done 2>/dev/null
  assert_equal "$leaks" ''
  assert_contains NOPERM "$(redis-cli --user peer -a none --no-auth-warning -p "$base" flushall 2>&1)"
  kill -INT -"$JOB_PID"
  job_wait 30
}
