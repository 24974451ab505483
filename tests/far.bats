#!/usr/bin/env bats
# SPDX-License-Identifier: MIT
# Loads from far memory: the events of each CPU, the columns from perf's counts, and what happens where perf cannot count.
# slow

load helper
load logs
load processors
load tree

# Print SCOPE EVENT CPU for the events of a CPU of cpuinfo_of: events_of NAME
events_of() {
  mkdir -p root/proc
  cpuinfo_of "$1" >root/proc/cpuinfo
  TIERBENCH_ROOT=$PWD/root bash -c 'set -euo pipefail; ROOT=$REPO; . "$REPO/lib/part/far/host.sh"; main cpu >cpu; . "$REPO/lib/part/far/master.sh"; far_lookup <cpu' | cut -f 1,2,4
}

# Put a perf in front of PATH that counts nothing: each event has the next of the words of file `counts`, VALUE:PERCENT. What it was called
# with is in file `called`.
# Usage: perf_stub [VALUE:PERCENT]...   Returns: 0
perf_stub() {
  mkdir -p bin
  printf '%s\n' "$@" >counts
  cat >bin/perf <<END
#!/bin/bash
here=$PWD
END
  cat >>bin/perf <<'END'
printf '%s\n' "$*" >>"$here/called"
[[ -s $here/counts ]] || { echo "Error: Access to performance monitoring and observability operations is limited." >&2; exit 255; }
out=/dev/stderr control='' events=() socket=0
while (($# > 0)); do
  case $1 in
    -o) out=$2 ;;
    --control) control=${2#fifo:} ;;
    -e) events+=("$2") ;;
    -a) socket=1 ;;
  esac
  shift
done
print_counts() {
  mapfile -t count <"$here/counts"
  ((!socket)) || count=(7000:100)
  for i in "${!events[@]}"; do printf '%s||%s|1000|%s||\n' "${count[i]%%:*}" "${events[i]}" "${count[i]##*:}"; done >"$out"
}
if [[ -n $control ]]; then
  trap 'print_counts; exit 130' INT
  read -r line <"${control%,*}"
  printf 'ack\n' >"${control#*,}"
  exec {never}<> <(:)
  while :; do read -r -t 1 -u "$never"; done
fi
print_counts
END
  chmod +x bin/perf
  PATH=$PWD/bin:$PATH
}

# The words of a small run that counts; sets untuned.
words() {
  untuned=(TUNE=off KERNEL=keep)
  untuned+=(-s demo REMOTE_DIR="$SCRATCH/host" LOCK_DIR="$SCRATCH/locks" RESULTS_DIR="$SCRATCH/results" REDISBASE="$(ports_pick 2)" KEYS=2000 VALUE_SIZES=100
  SRV_OVERRIDE=2 REDISRUNS=1 PHASES="populate get" PIPELINE=8 "$@")
}

# Print a column of the row of phase get, as summary2csv.sh has it: figure NAME
figure() { "$REPO/summary2csv.sh" results/* | cells -c -w operation=get "$1"; }

@test "the table of events is whole, and five CPUs have their own ones, by vendor, family and model; in a run they have the names of the table, and what is counted of whole sockets is named so" {
  assert_equal "$(events_of granite-rapids)" $'instance\tr80d1:u\tGranite Rapids\ninstance\tr10d3:u\tGranite Rapids\ninstance\tr02d3:u\tGranite Rapids'
  assert_equal "$(events_of sapphire-rapids | cut -f 2,3 | sort)" $'r02d3:u\tSapphire Rapids\nr10d3:u\tSapphire Rapids\nr80d1:u\tSapphire Rapids'
  assert_equal "$(events_of emerald-rapids)" $'socket\tuncore_cha/event=0x35,umask=0x20c8168201/\tEmerald Rapids\ninstance\tr02d3:u\tEmerald Rapids'
  assert_equal "$(events_of turin)" $'instance\tr8043:u\tZen 5\ninstance\tr4043:u\tZen 5'
  assert_equal "$(events_of neoverse-n2)" $'instance\tr31:u\tNeoverse'
  # Skylake has the model of Cascade Lake, and no PMem.
  assert_equal "$(printf 'cpu\tGenuineIntel\t6\t85\t4\tx\n' | ROOT=$REPO bash -c '. "$REPO/lib/part/far/master.sh"; far_lookup' | cut -f 2)" r02d3:u
  assert_equal "$(printf 'cpu\tGenuineIntel\t6\t85\t7\tx\n' | ROOT=$REPO bash -c '. "$REPO/lib/part/far/master.sh"; far_lookup' | cut -f 2 | tr '\n' ' ')" 'r80d1:u r10d3:u r02d3:u '
  assert_equal "$(printf 'cpu\tGenuineIntel\t6\t167\t1\tx\n' | ROOT=$REPO bash -c '. "$REPO/lib/part/far/master.sh"; far_lookup')" ''
  prints '' run awk -F '\t' '/^#/ { next }
    NF != 10 { print NR ": " NF " fields" }
    $3 !~ /^[0-9]+(-[0-9]+)?(,[0-9]+(-[0-9]+)?)*$/ && $3 !~ /^0x[0-9a-f]+(,0x[0-9a-f]+)*$/ { print NR ": model " $3 }
    $6 !~ /^(instance|socket)$/ { print NR ": scope " $6 }
    $7 !~ /^(r[0-9a-f]+:u|uncore_[a-z]+\/[a-z0-9=,]+\/)$/ { print NR ": event " $7 }
    seen[$1, $3, $7]++ { print NR ": twice" }
    { for (i = 1; i <= 10; i++) if ($i == "") print NR ": empty field " i }' "$REPO/conf/far_events.tsv"
  perf_stub 600:100
  succeeds master "FAR=auto" '
    call_run() { case $* in *"far cpu"*) printf "cpu\tGenuineIntel\t6\t207\t2\tx\n" ;; esac; }
    call_several() { CALL_STATUS=(0) CALL_OUT=(""); case $* in *end*) CALL_OUT=($'"'"'count\tsocket\t1\t7000\t100.00\ncount\tinstance\t1\t600\t100.00'"'"') ;; *start*) echo "$PERF_EVENTS" >words ;; esac; }
    parts_begin .
    parts_phase "stop load mark start" get
    parts_at stop set'
  assert_equal "$(<words)" 'socket uncore_cha/event=0x35,umask=0x20c8168201/ instance r02d3:u'
  assert_equal "$(<far.tsv)" $'phase\tcpu\tscope\tevent\tname\tvalue\tpercent
get\tEmerald Rapids\tsocket\tuncore_cha/event=0x35,umask=0x20c8168201/\tUNC_CHA_TOR_INSERTS.IA_MISS_DRD_CXL_EXP_LOCAL\t7000\t100.00
get\tEmerald Rapids\tinstance\tr02d3:u\tMEM_LOAD_L3_MISS_RETIRED.REMOTE_DRAM\t600\t100.00'
}

@test "a run with the events of Granite Rapids: loads per operation, and what was counted, scaled or not counted; nothing is left" {
  perf_stub 6000:100 1000:63.21 '<not supported>:0'
  words FAR=events=r80d1:u,r10d3:u,r02d3:u TIME=1
  succeeds run_split "$REPO/do_it.sh" run "${untuned[@]}"
  # Both instances are counted, in each phase, and nothing else.
  assert_equal "$(grep -c -- --control called)" 2
  assert_match '^[0-9]+,[0-9]+$' "$(sed -n 's/^.* -p //p' called | sort -u)"
  calls=$(awk -F '\t' '$1 == "get" && $3 == "calls" { sum += $5 - $4 } END { print sum }' results/*/native/*/rep-1/server/counters.tsv)
  awk -v a="$(figure far_loads_per_op)" -v b="$(awk -v calls="$calls" 'BEGIN { printf "%.6f", 7000 / calls }')" 'BEGIN { exit !(a == b && a > 0) }' || fail "$(figure far_loads_per_op) of 7000 in $calls"
  assert_equal "$(figure far_source)" 'FAR.events: r80d1:u + r10d3:u (63 % of the time) + r02d3:u (not counted)'
  assert_equal "$(find host locks -name 'run-*' -o -type f -path 'locks/*')" ''
}

@test "an end whose reply was lost is repeated and prints the same counts, until counting starts again" {
  local RUN_ID=again PERF_EVENTS='instance r1:u instance r2:u' first
  export RUN_ID
  perf_stub 600:100.00 50:63.00
  mkdir -m 700 host
  mkdir -p host/run-again/server
  sleep 1000 3>&- &
  process_note $!
  printf '%s\t%s\tinstance\n' $! "$(process_start $!)" >host/run-again/server/instances.proc
  succeeds run_split remote_script far start
  succeeds run_split remote_script far end
  first=$output
  assert_equal "$first" $'count\tinstance\t1\t600\t100.00\ncount\tinstance\t2\t50\t63.00'
  prints "$first" run_split remote_script far end
  # The next phase has its own counts, and none before its end.
  printf '7:100.00\n8:100.00\n' >counts
  prints '' run_split remote_script far start
  prints $'count\tinstance\t1\t7\t100.00\ncount\tinstance\t2\t8\t100.00' run_split remote_script far end
  rm -r host/run-again/server
  succeeds run_split remote_script ended
  refute_exists host/run-again
  prints '' run_split remote_script far end
}

@test "a perf that was started and not recorded is stopped; the command stop finds it, too" {
  local RUN_ID=perf-$$-0123abcd folder each pid start
  folder=host/run-$RUN_ID
  perf_stub 1:100 1:100
  mkdir -m 700 host
  for each in stop start lost; do
    mkdir -p "$folder/server"
    sleep 1000 3>&- &
    process_note $!
    printf '%s\t%s\t7001\n' $! "$(process_start $!)" >"$folder/server/instances.proc"
    PERF_EVENTS='instance minor-faults socket minor-faults' remote_script far start
    cp "$folder/far.part/proc" started
    while read -r pid _; do process_note "$pid"; done <started
    # The start ended after it had started the second one.
    sed -i 2d "$folder/far.part/proc"
    rm "$folder/far.part/made"
    case $each in
      start) PERF_EVENTS='instance minor-faults' remote_script far start ;;
      stop) remote_script ended ;;
      lost) rm -r "$folder" && remote_script stop force ;;
    esac
    while read -r pid start _; do process_gone "$pid" "$start" || fail "$each: $pid still runs"; done <started
    remote_script ended
  done
}

@test "perf that may not count: it is said, the phase is measured all the same, and the columns are empty" {
  perf_stub
  : >counts
  words FAR.events=r80d1:u
  warns 'perf does not count: Error: Access to performance monitoring' run_split "$REPO/do_it.sh" run "${untuned[@]}"
  assert_contains "loads from far memory are not counted: run './do_it.sh doctor' with FAR.events=r80d1:u" "$STDERR"
  assert_equal "$(figure ops) $(figure far_loads_per_op)|$(figure far_source)" '4000 |'
  # It is not tried again in each phase.
  assert_equal "$(grep -c -- --control called)" 1
}

@test "what is missing is a row of doctor with the command that fixes it, and never a failure; doctor --all says what counts far accesses on a server, without a variant that has any" {
  local -a ask=(bash -c 'set -Eeuo pipefail; for file in "$REPO"/lib/{shared/*,part/far/host}.sh; do . "$file"; done; PERF_EVENTS=$1; main check' -)
  mkdir -p root/proc/sys/kernel
  echo 3 >root/proc/sys/kernel/perf_event_paranoid
  perf_stub 10:100 20:100
  row=$("${ask[@]}" 'instance r80d1:u instance r10d3:u')
  assert_equal "$row" $'ok\t'"$PWD/bin/perf"$'\tFAR.events: loads from far memory\t-'
  perf_stub 10:100 20:50
  row=$("${ask[@]}" 'instance r80d1:u instance r10d3:u')
  assert_match $'^warn\tcounters are shared' "$row"
  perf_stub 10:100 '<not supported>:0'
  row=$("${ask[@]}" 'instance r80d1:u instance r10d3:u')
  assert_match $'^warn\t(1 event\(s\) cannot be counted here|perf_event_paranoid is)' "$row"
  perf_stub
  : >counts
  row=$("${ask[@]}" 'instance r80d1:u')
  assert_match $'^warn\tError: Access to performance monitoring|^warn\tperf_event_paranoid is' "$row"
  rm bin/perf
  row=$(PATH=$PWD/bin:/nowhere /bin/bash -c 'set -euo pipefail; . "$REPO/lib/part/far/host.sh"; PERF_EVENTS="instance r80d1:u"; host_far_check')
  assert_match $'^warn\tperf is missing\t.*install: linux-perf' "$row"
  words -v native
  events=$(ROOT=$REPO bash -c 'set -euo pipefail; . "$REPO/lib/part/far/host.sh"; main cpu >cpu; . "$REPO/lib/part/far/master.sh"; far_lookup <cpu' | cut -f 2 | paste -sd ' ')
  succeeds run_split "$REPO/do_it.sh" doctor --all "${untuned[@]}"
  assert_match " far loads +swapped pages: major faults; slow nodes: ${events:-no event is known for }[^\n]* what counts far accesses here"
}

@test "perf itself, where it may count: its minor faults of an instance are those of /proc" {
  perf_counts || skip "this machine has no perf, or the kernel lets it count nothing"
  redis_start --enable-debug-command yes
  succeeds master "FAR.events=minor-faults" '
    RUN_ID=T'$$' RUN_OWNER=us
    mkdir -p "$SCRATCH/host/run-$RUN_ID/server" && chmod 700 "$SCRATCH/host"
    proc_record "$SCRATCH/host/run-$RUN_ID/server/instances.proc" '"$REDIS_PID $REDIS_PORT"'
    faults() { cut -d " " -f 10 "/proc/'"$REDIS_PID"'/stat"; }
    parts_begin .
    parts_phase start get
    before=$(faults)
    redis-cli -p '"$REDIS_PORT"' debug populate 30000 key 1000 >&2
    after=$(faults)
    parts_at stop set
    servers_call 60 ended
    echo $((after - before)) "$(cut -f 6 far.tsv | tail -n 1)"'
  awk '$1 < 5000 || $2 < 0.99 * $1 || $2 > 1.01 * $1 { exit 1 }' <<<"$output" || fail "faults by /proc and by perf: $output; $STDERR"
}

@test "a run keeps what doctor --probe measured since the server booted, and nothing older" {
  local row=$'pair\t0\t0\t100.0\t-\t-\t9000\t8000\thuge\tno\t100' boot
  local -a code=('mkdir -p env; memory_record env/memory.tsv; cat env/* 2>/dev/null || :')
  boot=$(</proc/sys/kernel/random/boot_id)
  mkdir -p host/cache
  printf 'boot\t%s\nnode\t0\tcpu\t4\t100\t-\t1\n%s\n' "$boot" "$row" >host/cache/memory.tsv
  prints $'node\t0\tcpu\t4\t100\t-\t1\n'"$row" master FAR.events=r80d1:u "${code[0]}"
  rm env/memory.tsv
  # Without far loads it is not asked for.
  prints '' master FAR.events=off "${code[0]}"
  sed -i '1s/\t./\tx/' host/cache/memory.tsv
  prints '' master FAR.events=r80d1:u "${code[0]}"
  rm host/cache/memory.tsv
  prints '' master FAR.events=r80d1:u "${code[0]}"
}

@test "what far loads should cost by the measured latencies stands beside the CPU time that was seen, where both are known" {
  local run=20250101T100000Z-x variant loads cpu folder
  mkdir -p "$run/env/host"
  printf 'SCENARIO=x\nVARIANTS="native bind"\n' >"$run/run.conf"
  settings_make "$run"
  # Two sockets, of which the second is 80 ns further, and a slow node of 250 ns from the nearest one.
  {
    printf 'node\t%s\n' $'0\tcpu\t4\t100\t-\t1' $'1\tcpu\t4\t100\t-\t1' $'2\tfar\t22\t250\t-\t1'
    printf 'pair\t%s\t-\t-\t9\t8\thuge\tno\t100\n' $'0\t0\t100.0' $'0\t1\t180.0' $'0\t2\t330.0' $'1\t0\t180.0' $'1\t1\t105.0' $'1\t2\t250.0'
  } >latencies
  cp latencies "$run/env/host/memory.tsv"
  while read -r variant loads cpu; do
    repeat_make "$run" "$variant" 1000B-1i 1 a 1000 500000 1 30 90 get:7
    folder=$run/$variant/1000B-1i/rep-1
    server_make "$folder" "$variant" ok 0 0
    printf 'get\t6379\tused_cpu_us\t0\t%s\n' "$cpu" >>"$folder/server/counters.tsv"
    printf 'phase\tcpu\tscope\tevent\tname\tvalue\tpercent\nget\tX\tinstance\tr80d1:u\tA.B\t%s\t100.00\n' "$loads" >"$folder/far.tsv"
  done <<<$'native 2000000 10000000\nbind 12000000 11600000'
  local -a code=("result_read . $run 2>/dev/null || :; tables_make \"\$LIB/part/far/table.awk\" $run <totals")
  succeeds master "RESULTS_DIR=$SCRATCH" "${code[0]}"
  # 6 loads less 1, of 250 ns less 100: 0.75 us; 5.8 us of CPU time less 5.
  assert_match $'\nFar loads: expected against seen, more than native\n\nPhase +Variant +Point +Far loads/op +ns each +Expected us/op +Seen us/op\n[^\n]*\nget +bind +1000B-1i +5.000 +150 +0.75 +0.80\n\nExpected: [^\n]*, 250 and 100 ns by doctor --probe'
  assert_equal "$(grep -c 'get ' <<<"$output")" 1
  # Without a slow node, the other socket: 180 ns.
  grep -v $'far\|^pair\t.\t2' latencies >"$run/env/host/memory.tsv"
  matches $'get +bind +1000B-1i +5.000 +80 +0.40 +0.80\n' master "RESULTS_DIR=$SCRATCH" "${code[0]}"
  # One node: nothing is further.
  grep $'\t0\t0\t\|^node\t0' latencies >"$run/env/host/memory.tsv"
  prints '' master "RESULTS_DIR=$SCRATCH" "${code[0]}"
  cp latencies "$run/env/host/memory.tsv"
  sed -i 's/\t2000000\t100.00/\t<not counted>\t0/' "$run"/native/*/rep-1/far.tsv
  prints '' master "RESULTS_DIR=$SCRATCH" "${code[0]}"
  rm "$run/env/host/memory.tsv"
  prints '' master "RESULTS_DIR=$SCRATCH" "${code[0]}"
}
