#!/usr/bin/env bats
# SPDX-License-Identifier: MIT
# EVENTS=...:restart: how instances are started again under load, what their logs say of it, and what fails.
# slow

load helper
load releases

prepare() {
  untune
  BASE=$(ports_pick 2)
  on_disk=(env)
}

# Restart two instances under load. With on_disk, a file system of a loop device is mounted on /mnt, for this run alone.
# Usage: restart_run SETTING...   Sets: REP, the directory of the last repeat
restart_run() {
  run_split "${on_disk[@]}" "$REPO/do_it.sh" run -s demo VALUE_SIZES=500 KEYS=4000 REDISRUNS=1 REPORT=off PHASES='populate mixed' DATA=random INTERVAL=0.1 RATE=2000 \
    REMOTE_DIR="$SCRATCH/host" RESULTS_DIR="$SCRATCH/results" REDISBASE="$BASE" PERSISTENCE=rdb PERSISTENCE.every=3600 EVENTS=0.5:restart TIME=3 "$@"
  REP=$(echo results/*/native/*/rep-1*)
}

# Whether what the table says of a restart is what the log of the instance says.
# Usage: restart_logged FILE LOG PORT
restart_logged() {
  python3 - "$@" <<'END'
import datetime, re, sys
rows = [line.rstrip("\n").split("\t") for line in open(sys.argv[1])]
row = [dict(zip(rows[0], r)) for r in rows[1:] if r[2] == sys.argv[3]][-1]
log = open(sys.argv[2]).read()
def at(pattern):
    line = re.findall(r"(\d+ \w+ \d+ [\d:.]+) .*(?:" + pattern + ")", log)[-1]
    return datetime.datetime.strptime(line, "%d %b %Y %H:%M:%S.%f").timestamp()
asked, begun, ended = (int(row[name + "_us"]) / 1e6 for name in ("asked", "begun", "ended"))
bye, ready = at("ready to exit, bye bye"), at("Ready to accept connections")
# The log has milliseconds.
assert row["state"] == "done", row
assert asked - 0.001 <= bye <= begun + 0.001 and begun <= ready + 0.001 and ready <= ended + 0.001, (asked, bye, begun, ready, ended)
assert re.findall(r"DB loaded from (?:disk|append only file): ([\d.]+) seconds", log)[-1] == row["info_s"], row
assert int(row["written_bytes"]) > 4000 * 500 and int(row["peak_bytes"]) > 4000 * 500, row
END
}

@test "instances keep their data in an RDB or an AOF on a device, and are started again as they were; the times are those of their logs; nothing is lost or left" {
  folder=auto
  truncate -s 256M disk.img
  if ((EUID == 0)) && mkfs.ext4 -q -E lazy_itable_init=0,lazy_journal_init=0 disk.img && unshare -m mount -o loop disk.img /mnt; then
    folder=/mnt
    on_disk=(unshare -m bash -c 'mount -o loop disk.img /mnt || exit 9
      disk=$(findmnt -no SOURCE /mnt) disk=/sys/block/${disk##*/}/stat
      before=$(<"$disk")
      "$@" || exit
      awk -v before="$before" "{ split(before, was); print (\$7 - was[7]) * 512 }" "$disk" >written
      ls -A /mnt >left' -)
  fi
  succeeds restart_run PERSISTENCE.dir="$folder" SWEEP=PERSISTENCE=rdb,aof EVENTS='0.5:restart 2.5:restart spread=one' TIME=6
  for point in results/*/native/*/rep-1; do
    assert_equal "$(tail -n +2 "$point/server/persistence.tsv" | cut -f 1,2,4 | sort | uniq -c | tr -s '\t ' ' ' | paste -sd ,)" ' 2 1 restart done, 2 2 restart done'
    for port in "$BASE" $((BASE + 1)); do
      restart_logged "$point/server/persistence.tsv" "$point/server/redis-$port.log" "$port"
      assert_equal "$(grep -c 'ready to exit, bye bye' "$point/server/redis-$port.log")" 2
    done
    assert_equal "$(awk -F '\t' '$1 == 1 { if (over != "") print ($5 >= over); over = $7 }' "$point/server/persistence.tsv")" 1
    assert_equal "$(cut -f 1,3,4 "$point/events.tsv" | tail -n +2 | paste -sd ,)" $'restart\t2\t0,restart 2\t2\t0,rest\t\t'
    python3 - "$point" <<'END'
import csv, sys
row = [r for r in csv.DictReader(open(sys.argv[1] + "/127.0.0.1/result.tsv"), delimiter="\t") if r["operation"] == "mixed"][0]
assert row["misses"] == "0" and row["mismatches"] == "0" and row["error_replies"] == "0" and int(row["outages"]) >= 4, row
start = [int(r["start_us"]) for r in csv.DictReader(open(sys.argv[1] + "/starts.tsv"), delimiter="\t") if r["phase"] == "mixed"][0]
begun = {r["number"]: int(r["begun_us"]) for r in reversed(list(csv.DictReader(open(sys.argv[1] + "/server/persistence.tsv"), delimiter="\t")))}
for number, row in enumerate(list(csv.DictReader(open(sys.argv[1] + "/events.tsv"), delimiter="\t"))[:2], 1):
    down, load, first, full = (float(row[name]) for name in ("down_s", "load_s", "took_s", "full_s"))
    assert down >= first >= load > 0 and full > 0, row
    assert float(row["max_us"]) / 1e6 > load, row
    assert float(row["load_mb"]) >= 4, row
    assert float(row["to_s"]) > (begun[str(number)] - start) / 1e6 + full - 0.01, (row, start, begun)
END
  done
  row=$("$REPO/summary2csv.sh" results/2* | python3 -c '
import csv, sys
for row in csv.DictReader(sys.stdin):
    if row["operation"] == "mixed": print(row["event_failed"], float(row["event_down_s"]) > 0, float(row["event_load_mb_s"]) > 0, row["far_per_op"] == "")')
  assert_equal "$row" $'0 True True True\n0 True True True'
  if [[ $folder != auto ]]; then
    # An RDB of each instance and restart, and two AOFs, are written to the device, and none is left there.
    (($(<written) >= 6 * 4000 * 500)) || fail "$(<written) bytes were written to the device"
    assert_equal "$(<left)" lost+found
  fi
  assert_contains 'restarts, medians of repeats' "$output"
  refute_contains ': events, medians of repeats' "$output"
  assert_equal "$(find host -name 'data-*' -o -name 'run-*')" ''
}

@test "the CPU time of an instance that has ended stays that of the run" {
  job_start bash -c 'while :; do :; done'
  succeeds run bash -c '. "$REPO/lib/shared/proc.sh" && . "$REPO/lib/host/start.sh" && . "$REPO/lib/host/monitor.sh"
    FOLDER=. RECORD=./instances.proc
    used() { awk "{ sub(/^.*[)] /, \"\"); print (\$12 + \$13) * 10000 }" "/proc/$1/stat"; }
    proc_started "$RECORD" "$1" 7000
    until (($(used "$1") >= 200000)); do proc_pause; done
    before=$(used "$1")
    host_start_take 7000
    after=$(used "$1")
    kill -KILL "$1"
    host_monitor_used
    ((before <= REPLY && REPLY <= after)) && [[ ! -s $RECORD ]]' bash "$JOB_PID"
}

@test "an instance that is killed while it loads, cannot read or write its file, refuses the password or loads for too long is named; the repeat fails, nothing is left" {
  mkdir bin
  # The second start of each instance is another one.
  printf '%s\n' '#!/bin/bash' '[[ $1 == */[0-9]*.conf ]] || exec redis-server "$@"' 'port=${1##*/} port=${port%.conf}' \
    '[[ $(<"${BASH_SOURCE%/*}/kind") != unsaved ]] || { (until grep -q "Ready to accept" "redis-$port.log"; do sleep 0.1; done; mkdir "data-$port/dump.rdb") & }' \
    '[[ -e data-$port/dump.rdb ]] || exec redis-server "$@"' 'case $(<"${BASH_SOURCE%/*}/kind") in' \
    'corrupt) printf REDIS9999 >"data-$port/dump.rdb" ;;' 'password) set -- "$@" --requirepass other ;;' \
    'kill) (sleep 0.3; kill -KILL $$) & set -- "$@" --key-load-delay 2000 ;;' 'long) set -- "$@" --key-load-delay 5000 ;;' 'esac' 'exec redis-server "$@"' >bin/redis
  chmod +x bin/redis
  for kind in kill corrupt password long unsaved; do
    rm -rf results
    echo "$kind" >bin/kind
    # An open loop waits for the instance after TIME.
    restart_run REDIS="$SCRATCH/bin/redis" REDIS_USER=keep "RATE=$([[ $kind == long ]] || echo 200)0"
    case $kind in
      kill) assert_match "EVENTS: restart failed on 2 instances: the instance ended while it loaded its data \(port $BASE\)|guard: the instance on port [0-9]+ has exited" "$STDERR" ;;
      # It ends so soon that the guard of the server may be the first to see it, and stop the load.
      corrupt) assert_match "EVENTS: restart failed on 2 instances: the instance ended while it loaded its data: .*(RDB|rdb).* \(port $BASE\)|guard: the instance on port [0-9]+ has exited" "$STDERR" ;;
      password) assert_match "EVENTS: restart failed on 2 instances: -(WRONGPASS|ERR invalid password).* \(port $BASE\)" "$STDERR" ;;
      unsaved) assert_contains 'EVENTS: restart failed on 2 instances: SHUTDOWN SAVE: ' "$STDERR" ;;
      long) assert_contains 'EVENTS: restart was not over when the load ended, on 2 instances; set a longer TIME' "$STDERR" ;;
    esac
    # Load generators have their own password, and an instance that cannot save does not end.
    if [[ $kind == @(password|unsaved) ]]; then assert_success; else assert_failure 1; fi
    assert_equal "$(tail -n +2 "$REP/server/persistence.tsv" | wc -l)" 2
    assert_equal "$(find host -name 'data-*' -o -name 'run-*')" ''
    assert_equal "$(pgrep -f "cwd/($BASE|$((BASE + 1)))[.]conf|:($BASE|$((BASE + 1)))\$")" ''
  done
}

@test "other servers are restarted, too" {
  for name in redis-trixie valkey-trixie valkey-sid; do
    release_server "$name"
    rm -rf results
    succeeds restart_run REDIS="$REPLY" SWEEP=PERSISTENCE=rdb,aof
    for point in results/*/native/*/rep-1; do
      restart_logged "$point/server/persistence.tsv" "$point/server/redis-$BASE.log" "$BASE"
    done
  done
}
