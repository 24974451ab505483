#!/usr/bin/env bats
# SPDX-License-Identifier: MIT
# EVENTS: what a snapshot, a rewrite and a full sync take, as the instances say, and what fails.
# slow

load helper

prepare() {
  untune
  BASE=$(ports_pick 2)
}

# Run events on two instances: events_run SETTING...   Sets: REP, the directory of the repeat
events_run() {
  run_split "$REPO/do_it.sh" run -s demo VALUE_SIZES=500 KEYS=4000 REDISRUNS=1 REPORT=off PHASES='populate mixed' DATA=random INTERVAL=0.1 \
    REMOTE_DIR="$SCRATCH/host" RESULTS_DIR="$SCRATCH/results" REDISBASE="$BASE" "$@"
  REP=$(echo results/*/native/*/rep-1*)
}

@test "far accesses in an event are those between its own counts, and the rest of the phase has the others" {
  printf '%s\n' 'phase scope counter before after' 'get host time_us 1000000000 1010000000' 'get 7000 majflt 0 1000' | tr ' ' '\t' >counters.tsv
  printf '%s\n' head '1 bgsave 7000 done 1004000000 1004000000 1006000000 0 0 0 0 0 200 800' | tr ' ' '\t' >persistence.tsv
  printf '%s\n' head '1002 7000 0 0 100' | tr ' ' '\t' >instances.tsv
  run awk -F '\t' -v windows=4-6,0-4+6-10 -v phase=get -v start=1000000000 -v phase_s=10 -v warmup=0 -v ahead=0 -f "$REPO/lib/results/figures/overlap.awk" -f "$REPO/lib/part/events/far.awk" counters.tsv persistence.tsv instances.tsv
  assert_output '600.0 400.0'
}

@test "fork, copied memory and duration are those of INFO and the log, in every row; latencies are those of the interval log; nothing is left" {
  succeeds events_run EVENTS='0.5:bgsave 1.7:bgrewriteaof 2.9:fullsync 4.1:purge 4.7:defrag' REDIS_CONF.repl-diskless-sync-delay=0 TIME=6
  assert_equal "$(awk -F '\t' 'NR > 1 { print $1, $2, $4 }' "$REP/server/persistence.tsv" | sort -u | paste -sd ,)" \
    "1 bgsave done,2 bgrewriteaof done,3 fullsync done,4 purge done,5 defrag $(awk -F '\t' '$2 == "defrag" { print $4; exit }' "$REP/server/persistence.tsv")"
  # The last fork of each instance is that of the full sync; INFO after the load has it.
  while IFS=$'\t' read -r port event begun ended fork cow info; do
    log=$REP/server/redis-$port.log
    case $event in
      bgsave) row='Background saving terminated with success' ;;
      bgrewriteaof) row='Background AOF rewrite terminated with success' ;;
      fullsync) row='Synchronization with replica .* succeeded|Streamed replica .* online|Background RDB transfer terminated with success' ;;
    esac
    # The end by the log is not after the end that was recorded, and not a second before it.
    grep -E "$row" "$log" | tail -n 1 | python3 -c '
import datetime, re, sys
line, ended, begun, info = sys.stdin.read(), int(sys.argv[1]) / 1e6, int(sys.argv[2]) / 1e6, int(sys.argv[3])
at = datetime.datetime.strptime(re.search(r"\d+ \w+ \d+ [\d:.]+", line).group(), "%d %b %Y %H:%M:%S.%f").timestamp()
assert begun - 1 <= at <= ended + 0.1, (begun, at, ended)
assert ended - begun < info + 2, (begun, ended, info)' "$ended" "$begun" "$info" || fail "$event of port $port: $(tail -n 3 "$log")"
    # Redis logs whole megabytes.
    case $event in bgsave) row='RDB' ;; bgrewriteaof) row='AOF rewrite' ;; *) row='' ;; esac
    [[ -z $row ]] || grep -q "$row: $((cow >> 20)) MB of memory used by copy-on-write\|Fork CoW for $row: current $((cow >> 20)) MB" "$log" ||
      fail "$event of port $port copied $cow: $(grep -i 'copy-on-write\|CoW' "$log")"
    ((fork > 0)) || fail "$event of port $port: no fork time"
  done < <(awk -F '\t' -v OFS='\t' 'NR > 1 && $2 !~ /purge|defrag/ { print $3, $2, $6, $7, $8, $9, $10 }' "$REP/server/persistence.tsv")
  # By the reader of logs: the windows are those of the requests.
  while IFS=$'\t' read -r from to requests p99 max; do
    assert_equal "$("$REPO/test" --windows "$from-$to" "$REP"/127.0.0.1/mixed.hlog | awk -F '\t' 'NR == 2 { print $6, $10, $12 }')" "$requests $p99 $max"
    ((requests > 0))
  done < <(awk -F '\t' -v OFS='\t' '$1 ~ /bgsave|bgrewriteaof|fullsync/ { print $11, $12, $13, $14, $16 }' "$REP/events.tsv")
  # All requests of the phase are in a window of an event or in the rest.
  assert_equal "$(awk -F '\t' '$1 == "rest" { print ($13 > 0) }' "$REP/events.tsv")" 1
  row=$("$REPO/summary2csv.sh" results/2* | python3 -c '
import csv, sys
row = [r for r in csv.DictReader(sys.stdin) if r["operation"] == "mixed"][0]
print(row["event_failed"], float(row["event_fork_ms"]) > 0, float(row["event_took_s"]) > 0, row["rest_p99_us"] != "")
# The slowest instance of all events, and the largest.
forked = [r for r in csv.DictReader(open(sys.argv[1]), delimiter="\t") if r["state"] == "done" and r["event"] not in ("purge", "defrag")]
slowest = min(int(r["written_bytes"]) / (int(r["ended_us"]) - int(r["begun_us"])) for r in forked)
print(row["event_write_mb_s"] == "%.1f" % slowest, row["event_peak_mb"] == "%.1f" % (max(int(r["peak_bytes"]) for r in forked) / 1e6))' "$REP/server/persistence.tsv" | xargs)
  assert_match '^[02] True True True True True$' "$row"
  assert_contains 'events, medians of repeats' "$output"
  assert_match 'native +bgsave ' "$output"
  assert_equal "$(find host -name '*.rdb' -o -name 'run-*')" ''
}

@test "one after the other; a child that is killed is named, and the rest of the run stays; what is not over with the load is cut" {
  # The first instance's child; writing lasts 0.8 s, by a delay for each key.
  job_start bash -c 'until read -r child _ < <(pid=$(awk -v port="$1" "\$3 == port { print \$1 }" host/run-*/server/instances.proc 2>/dev/null) &&
      pgrep -P "$pid"); do sleep 0.02; done; kill -KILL "$child"' - "$BASE"
  events_run EVENTS='0.3:bgsave 2.5:purge 3.5:bgsave spread=one' REDIS_CONF.rdb-key-save-delay=200 TIME=4
  said=$STDERR
  assert_success
  job_wait 20
  assert_contains "repeat 1: EVENTS: bgsave failed on 1 instance: Background saving terminated by signal 9 (port $BASE)" "$said"
  assert_equal "$(awk -F '\t' '$2 == "bgsave" { print $3 - '"$BASE"', $4 }' "$REP/server/persistence.tsv" | paste -sd ,)" '0 failed,1 done,0 cut,1 cut'
  # The second instance was asked when the first was over.
  assert_equal "$(awk -F '\t' '$1 == 1 { if (over != "") print ($5 >= over); over = $7 }' "$REP/server/persistence.tsv")" 1
  assert_equal "$(awk -F '\t' 'NR == 2 { print $1, $3, $4 }' "$REP/events.tsv")" 'bgsave 2 1'
  assert_contains 'EVENTS: bgsave was not over when the load ended, on 2 instances; set a longer TIME' "$said"
  assert_equal "$(awk -F '\t' 'NR == 4 { print $1, $4, $5, $12 }' "$REP/events.tsv")" 'bgsave 2 2  4.000'
}

# A client that sends a GET each millisecond to the first instance, whether it answers or not, and logs the time and the wait of each answer in the file
# answers. It stops the instance for 0.3 s each time when that has a child.
watching_client() {
  python3 - "$BASE" <<'END'
import glob, os, re, select, signal, socket, sys, threading, time
port = sys.argv[1]
def found(pattern):
    while True:
        for name in glob.glob(pattern):
            text = open(name).read()
            if text: return text
        time.sleep(0.02)
pid = int(found("host/run-*/server/instances.proc").split()[0])
word = re.search(r"^requirepass (\S+)", found("host/run-*/server/%s.conf" % port), re.M).group(1)
def connect():
    while True:
        try:
            link = socket.create_connection(("127.0.0.1", int(port)))
            link.sendall(b"AUTH %s\r\n" % word.encode())
            if link.recv(100).startswith(b"+OK"): return link
        except OSError: time.sleep(0.02)
def stop():
    children = "/proc/%d/task/%d/children" % (pid, pid)
    try:
        while True:
            while not open(children).read(): time.sleep(0.005)
            os.kill(pid, signal.SIGSTOP)
            time.sleep(0.3)
            os.kill(pid, signal.SIGCONT)
            while open(children).read(): time.sleep(0.005)
    except OSError: pass
link = connect()
threading.Thread(target=stop, daemon=True).start()
due, sent, rest, answers = time.time(), [], b"", []
try:
    while True:
        while due <= time.time():
            link.sendall(b"GET none\r\n")
            sent.append(due)
            due += 0.001
        if not select.select([link], [], [], max(0, due - time.time()))[0]: continue
        data = link.recv(65536)
        if not data: break
        now, rest = time.time(), rest + data
        n = rest.count(b"$-1\r\n")
        rest = rest[5 * n:]
        answers += ["%.6f %.6f" % (now, now - at) for at in sent[:n]]
        del sent[:n]
except OSError: pass
open("answers", "w").write("\n".join(answers))
END
}

@test "the longest wait and p99 in an event are those of another client, which logs each answer" {
  job_start watching_client
  succeeds events_run INSTANCES=1 EVENTS='0.3:bgsave 2.2:bgsave' REDIS_CONF.rdb-key-save-delay=100 RATE=1000 ARRIVAL=uniform TIME=4
  job_wait 20
  # Both send the same requests, so both have the same waits in the same intervals: within one request (1 ms) and one bucket of the histogram (0.1 %).
  # A busy machine delays both, as it does outside of the events; one of two events counts.
  python3 - answers "$REP" "$REPO/test" <<'END'
import csv, math, subprocess, sys
answers = [tuple(map(float, line.split())) for line in open(sys.argv[1])]
tsv = lambda name: list(csv.DictReader(open(sys.argv[2] + "/" + name), delimiter="\t"))
start = [int(row["start_us"]) / 1e6 for row in tsv("starts.tsv") if row["phase"] == "mixed"][0]
each = subprocess.run([sys.argv[3], "--windows", "each", sys.argv[2] + "/127.0.0.1/mixed.hlog"], capture_output=True, text=True).stdout
spans = [tuple(map(float, line.split("\t")[:2])) for line in each.splitlines()]
*events, rest = tsv("events.tsv")
outside = [wait for at, wait in answers if not any(float(row["from_s"]) - 0.1 <= at - start < float(row["to_s"]) + 0.1 for row in events)]
delay = max(outside + [float(rest["max_us"]) / 1e6])
apart = []
for row in events:
    inside = [span for span in spans if float(row["from_s"]) <= sum(span) / 2 < float(row["to_s"])]
    waits = sorted(wait for at, wait in answers if inside[0][0] <= at - start < inside[-1][1])
    assert waits[-1] >= 0.3, waits[-1]
    apart.append([abs(float(told) / 1e6 - own) - 0.001 - 0.001 * own for own, told in ((waits[-1], row["max_us"]), (waits[math.ceil(len(waits) * 0.99) - 1], row["p99_us"]))])
assert len(events) == 2 and all(min(figure) <= delay for figure in zip(*apart)), (delay, apart)
# The rest of the phase has no such wait.
assert rest["event"] == "rest" and float(rest["p99_us"]) < min(float(row["p99_us"]) for row in events), rest
END
}

@test "the disk has space for the files of events, next to those of persistence, or doctor refuses the run" {
  # A copy is 2 x 100000 keys of 1032 bytes; in an AOF, of 1064.
  while IFS='|' read -r words mib; do
    # shellcheck disable=SC2086 # several settings
    succeeds run "$REPO/do_it.sh" plan -s demo SERVER=203.0.113.1 CLIENT_IP=203.0.113.2 SERVER_CORES=8 SERVER_MEM=16 INSTANCES=2 VALUE_SIZES=1000 KEYS=100000 \
      PHASES='populate mixed' TIME=60 $words
    assert_equal "$words $(sed -n 's/^disk  *up to \([0-9]*\) MiB .*/\1/p' <<<"$output")" "$words $mib"
  done <<'END'
EVENTS=1:fullsync,2:purge|
EVENTS=1:bgsave|196
EVENTS=1:bgsave,2:bgsave,30:bgsave|393
EVENTS=1:bgrewriteaof|196
EVENTS=1:bgsave,2:bgrewriteaof,3:bgrewriteaof|590
EVENTS=1:bgsave,2:bgsave PERSISTENCE=rdb|393
EVENTS=1:bgrewriteaof PERSISTENCE=aof|608
EVENTS=1:bgsave PERSISTENCE=aof|811
END
  mkdir -m 700 closed
  run "$REPO/do_it.sh" doctor --all -s demo REDISBASE="$BASE" REMOTE_DIR="$SCRATCH/host" KEYS=1000000000 PHASES='populate mixed' TIME=60 EVENTS=1:bgsave \
    SWEEP=PERSISTENCE.dir="/,/tmp,$SCRATCH/none,$SCRATCH/closed"
  assert_failure 3
  assert_match 'fail +persistence +[0-9]+ MiB free in / +up to 1968383 MiB +set PERSISTENCE.dir to .*, fewer events, or less data' "$output"
  assert_match "fail +persistence +$SCRATCH/none: not a directory +up to [0-9]+ MiB +[a-z ]+ there, or make it" "$output"
  assert_match 'fail +persistence +/tmp: other users can write to /tmp \(mode 1777\) +up to [0-9]+ MiB +chmod go-w it, or set PERSISTENCE.dir' "$output"
  ((EUID > 0)) || assert_match "fail +persistence +$SCRATCH/closed: [a-z]+, the user of the instances, cannot enter it +up to [0-9]+ MiB +chmod o\+x it" "$output"
}
