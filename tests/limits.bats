#!/usr/bin/env bats
# SPDX-License-Identifier: MIT
# Cgroups with limits: a plan keeps within them, monitors read them at little cost, and what the OOM killer takes is reported.
# lane: host

load helper

prepare() {
  untune
  zswap_set N
}

@test "in a cpuset, a memory limit and a quota of CPU time, a plan keeps within them and doctor names them" {
  local name controller limit root=/sys/fs/cgroup id=tierbench-test-$BASHPID
  [[ -w $root/cpuset/cpuset.cpus && -w $root/memory/cgroup.procs && -w $root/cpu/cgroup.procs && $(nproc) -gt 1 ]] || skip 'no cgroup v1 of CPUs, memory and CPU time'
  mkdir "$root"/{cpuset,memory,cpu}/"$id"
  run_split bash -c 'set -e; cd /sys/fs/cgroup
    echo 0 >cpuset/$1/cpuset.mems; echo 1 >cpuset/$1/cpuset.cpus; echo 700M >memory/$1/memory.limit_in_bytes; echo 90000 >cpu/$1/cpu.cfs_quota_us
    (for name in cpuset memory cpu; do echo $BASHPID >$name/$1/cgroup.procs; done; cd "$SCRATCH"
      "$REPO/do_it.sh" plan --rows -s demo FILL=10% && exec "$REPO/do_it.sh" doctor --all -s demo FILL=3G REDISBASE="$2")' bash "$id" "$(ports_pick 2)"
  wait_until 5 rmdir "$root"/{cpuset,memory,cpu}/"$id"
  assert_equal "$status" 3
  # A tenth of 630 MiB, on CPU 1.
  assert_equal "$(awk -F '\t' '$1 == "number" { for (i = 1; i <= NF; i++) at[$i] = i } $at["repeat"] == 1 { print $at["target_bytes"], $at["places"] }' <<<"$output" | sort -u)" "$((63 << 20)) 1@-"
  assert_match "fail +memory +[0-9]+ MiB available \\(the memory limit in $root/memory/$id/memory.limit_in_bytes is 700 MiB\\) "
  assert_match "warn +CPU quota +90 % of a CPU, by the cgroup $root/cpu/$id "
  assert_match "ok +allowed +CPUs 1, 700 MiB of memory by $root/memory/$id/memory.limit_in_bytes "
}

@test "a load generator that the OOM killer takes is reported with the limit of its cgroup, and one that is killed otherwise is not" {
  local root=/sys/fs/cgroup/memory id=tierbench-test-$BASHPID
  [[ -w $root/cgroup.procs ]] || skip 'no memory cgroup of version 1 here'
  need_command screen python3
  mkdir "$root/$id"
  echo 32M >"$root/$id/memory.limit_in_bytes"
  # The machine may have swap.
  echo 0 >"$root/$id/memory.swappiness"
  # It enters its cgroup, and waits for the phase; at the start of the phase it takes too much memory, or stops itself.
  program_make greedy <<END
#!/bin/bash
echo \$\$ >"$root/$id/cgroup.procs"
: >ready-set
until [[ -s start-set ]]; do sleep 0.02; done
[[ \$(<start-set) == 1 ]] || kill -KILL \$\$
exec python3 -c 'x = b"x" * (64 << 20)'
END
  master 'CLIENT_IP=127.0.0.1' '
    CLIENT_THREADS=1 CLIENT_PASSWORD="" SERVER_CERTIFICATE="" GENERATOR=test
    for CLIENT_LAUNCH in 1 2; do
      _CLIENT_STATE=([127.0.0.1]=running) PARALLEL_STATUS=([127.0.0.1]=0)
      _client_run 127.0.0.1 launch "$SCRATCH/greedy" >/dev/null
      PARALLEL_OUT[127.0.0.1]=$(_client_ask 127.0.0.1 look 20 set "$CLIENT_LAUNCH")
      _client_take 127.0.0.1
      echo "${_CLIENT_STATE[127.0.0.1]}"
    done
    _client_run 127.0.0.1 stop'
  wait_until 5 rmdir "$root/$id"
  assert_success
  assert_output "the OOM killer took the load generator: the limit in $root/$id/memory.limit_in_bytes is 32 MiB
the load generator ended with SIGKILL"
}

@test "the monitors take under 1 % of a CPU, as the kernel counts it; an instance that the OOM killer stopped is reported as such" {
  need_root
  grep -qE ' cgroup .*[ ,]memory[ ,]' /proc/mounts || skip 'no memory cgroup of version 1 here'
  job_start "$REPO/do_it.sh" run -s demo -v swap REMOTE_DIR="$SCRATCH/host" RESULTS_DIR="$SCRATCH/results" REDISBASE="$(ports_pick 2)" KEYS=auto FILL=48M \
    VALUE_SIZES=1000 REDISRUNS=1 RATE=2000 REPLY_TIMEOUT=300
  job_load set
  wait_until 30 bash -c 'test -s host/run-*/monitor/vmstat.tsv'
  read -r pid _ <"$(echo host/run-*/monitor/monitor.proc)"
  ticks() { sed 's/.*) //' "/proc/$pid/stat" | awk '{ print $12 + $13 }'; }
  before=$(ticks)
  count=$(wc -l <"$(echo host/run-*/monitor/vmstat.tsv)")
  wait_until 30 bash -c "((\$(wc -l <\$(echo host/run-*/monitor/vmstat.tsv)) >= $count + 6))"
  after=$(ticks)
  # Six seconds; a tick is 10 ms. A machine on which 50,000 rounds take longer is slower than those that have 1 %.
  most=$(rounds_ticks 50000)
  ((most > 6)) || most=6
  ((after - before <= most)) || fail "$((after - before)) ticks in 6 s"
  # With neither free memory nor free swap, the kernel must kill a process.
  group=$(cat host/run-*/tier/cgroup)
  # All instances are in it, as a user who is not root.
  assert_equal "$(sort "$group/cgroup.procs")" "$(cut -f 1 host/run-*/server/instances.proc | sort)"
  refute_contains root "$(ps -o user= -p "$(paste -s -d , "$group/cgroup.procs")")"
  wait_until 30 bash -c "((\$(cat $group/memory.usage_in_bytes) > 12000000))"
  echo "$(($(cat "$group/memory.usage_in_bytes") + 4096))" >"$group/memory.limit_in_bytes"
  limit=$(<"$group/memory.limit_in_bytes")
  echo "$limit" >"$group/memory.memsw.limit_in_bytes" || :
  refuses 1 "guard: the OOM killer took the instance on port" job_wait 90
  assert_equal "$(find /sys/fs/cgroup -maxdepth 2 -type d -name "tierbench-demo-$JOB_PID")" ''
}
