#!/usr/bin/env bats
# SPDX-License-Identifier: MIT
# What processes may use: limits of cgroups of both versions and cpusets, from files of a simulated machine to the plan and to doctor.

load helper

prepare() { export TIERBENCH_ROOT=$SCRATCH/tree; }

# Write files of the machine: PATH TEXT in each line of stdin; `\n` in TEXT is a line break.
machine() {
  local path text
  while read -r path text; do
    mkdir -p "$TIERBENCH_ROOT/${path%/*}"
    printf '%b\n' "$text" >"$TIERBENCH_ROOT/$path"
  done
}

# Call functions of lib/host/allowed.sh and print variables, one line each, with `|` between the values of an array.
# Usage: allowed 'CODE' NAME...
allowed() {
  bash -c 'set -Eeuo pipefail
    . "$REPO/lib/shared/common.sh" && . "$REPO/lib/host/allowed.sh"
    '"$1"'
    shift
    for name; do
      declare -n values=$name
      (IFS="|"; printf "%s=%s\n" "$name" "${values[*]-}")
    done' bash "$@" | sed "s|$TIERBENCH_ROOT||g"
}

# A machine with cgroups of version 2 and 64 GiB, with a process in /a/b/c.
version2() {
  machine <<'END'
proc/meminfo MemTotal: 67108864 kB
proc/self/cgroup 0::/a/b/c
proc/self/mountinfo 30 23 0:26 / /cg rw,nosuid shared:4 - cgroup2 cgroup2 rw,nsdelegate
proc/self/status Name: bash\nCpus_allowed_list:\t1-2\nMems_allowed:\t1\nMems_allowed_list:\t0,2
cg/a/memory.max 1073741824
cg/a/memory.high max
cg/a/memory.current 943718400
cg/a/memory.stat anon 1\ninactive_file 104857600\nactive_file 209715200
cg/a/cpu.max max 100000
cg/a/cpu.stat usage_usec 9\nnr_throttled 2\nthrottled_usec 50
cg/a/b/memory.max max
cg/a/b/memory.high 734003200
cg/a/b/memory.current 10485760
cg/a/b/memory.stat inactive_file 20971520
cg/a/b/cpu.max 15000 100000
cg/a/b/cpu.stat nr_throttled 40\nthrottled_usec 700
cg/a/b/c/memory.max max
cg/a/b/c/cpu.max 60000 100000
cg/cpu.stat usage_usec 100
END
}

@test "cgroup v2: the lowest limit of memory and of CPU time over all parents, what is left of it, and all counts of stops; v1: a container sees its own part of each hierarchy, and limits of parents that it does not see count" {
  version2
  succeeds run allowed 'host_allowed_memory self; host_allowed_left; host_allowed_nodes; NODES=$REPLY' ALLOWED_LEVELS ALLOWED_LIMITS ALLOWED_BYTES ALLOWED_WHERE ALLOWED_LEFT NODES
  # 1 GiB, less the 900 MiB in use that are not the 300 MiB of files; and 700 MiB, of which nothing else than files is used.
  assert_output 'ALLOWED_LEVELS=/cg/a/b/c|/cg/a/b|/cg/a|/cg
ALLOWED_LIMITS=/cg/a/b|/cg/a
ALLOWED_BYTES=734003200
ALLOWED_WHERE=/cg/a/b/memory.high
ALLOWED_LEFT='$(((1024 - 600) << 20))'
NODES=0,2'
  # A limit of the tier itself is what is measured.
  run allowed 'host_allowed_memory self "$TIERBENCH_ROOT/cg/a/b"; host_allowed_left; REPLY=$(host_allowed_cpus)' ALLOWED_BYTES REPLY
  assert_output $'ALLOWED_BYTES=1073741824\nREPLY=1-2'
  run allowed 'host_allowed_quota self; host_allowed_stats self self; host_allowed_throttled "${ALLOWED_STATS[@]}" gone' ALLOWED_QUOTA ALLOWED_WHERE ALLOWED_STATS REPLY
  assert_output $'ALLOWED_QUOTA=15\nALLOWED_WHERE=/cg/a/b\nALLOWED_STATS=/cg/a/b/cpu.stat|/cg/a/cpu.stat|/cg/cpu.stat\nREPLY=750\t42'
  # No limit: a process outside of this namespace, and a kernel without cgroups.
  echo '0::/../other' >"$TIERBENCH_ROOT/proc/self/cgroup"
  run allowed 'host_allowed_memory self; host_allowed_left; host_allowed_quota self' ALLOWED_LEVELS ALLOWED_BYTES ALLOWED_QUOTA
  assert_output $'ALLOWED_LEVELS=/cg\nALLOWED_BYTES=\nALLOWED_QUOTA='
  rm "$TIERBENCH_ROOT"/proc/self/{cgroup,mountinfo,status}
  run allowed 'host_allowed_memory self; host_allowed_left; host_allowed_stats self; host_allowed_nodes' ALLOWED_LEVELS ALLOWED_LEFT ALLOWED_STATS REPLY
  assert_output $'ALLOWED_LEVELS=\nALLOWED_LEFT=\nALLOWED_STATS=\nREPLY='
  rm -r "$TIERBENCH_ROOT"
  machine <<'END'
proc/meminfo MemTotal: 67108864 kB
proc/self/cgroup 12:memory:/docker/x\n7:cpu,cpuacct:/docker/x/sub\n1:name=systemd:/docker/x\n0::/
proc/self/mountinfo 1 2 0:5 / /proc rw - proc proc rw\n40 3 0:35 /docker/x /cg/memory ro - cgroup cgroup rw,memory\n41 3 0:36 /docker/x /cg/cpu,cpuacct ro master:9 - cgroup cgroup rw,cpu,cpuacct
cg/memory/memory.limit_in_bytes 9223372036854771712
cg/memory/memory.usage_in_bytes 104857600
cg/memory/memory.stat cache 5\ninactive_file 1\nhierarchical_memory_limit 536870912\ntotal_inactive_file 52428800\ntotal_active_file 0
cg/cpu,cpuacct/cpu.cfs_quota_us 250000
cg/cpu,cpuacct/cpu.cfs_period_us 100000
cg/cpu,cpuacct/cpu.stat nr_periods 9\nnr_throttled 3\nthrottled_time 5000000
cg/cpu,cpuacct/sub/cpu.cfs_quota_us -1
cg/cpu,cpuacct/sub/cpu.cfs_period_us 100000
cg/cpu,cpuacct/sub/cpu.stat nr_throttled 0\nthrottled_time 0
END
  succeeds run allowed 'host_allowed_memory self; host_allowed_left; BYTES="$ALLOWED_BYTES $ALLOWED_LEFT $ALLOWED_WHERE"; host_allowed_quota self; host_allowed_stats self; host_allowed_throttled "${ALLOWED_STATS[@]}"' \
    BYTES ALLOWED_QUOTA ALLOWED_WHERE REPLY
  assert_output "BYTES=536870912 $(((512 - 50) << 20)) /cg/memory/memory.stat"$'\nALLOWED_QUOTA=250\nALLOWED_WHERE=/cg/cpu,cpuacct\nREPLY=5000\t3'
}

@test "memory and swap: the limit that leaves least and what a tier may swap, in cgroups of both versions" {
  machine <<'END'
proc/meminfo MemTotal: 67108864 kB
proc/self/cgroup 4:memory:/box
proc/self/mountinfo 40 3 0:35 /box /cg rw - cgroup cgroup rw,memory
cg/memory.limit_in_bytes 734003200
cg/memory.usage_in_bytes 104857600
cg/memory.memsw.limit_in_bytes 838860800
cg/memory.memsw.usage_in_bytes 629145600
cg/memory.stat hierarchical_memory_limit 734003200\nhierarchical_memsw_limit 786432000\ntotal_inactive_file 52428800
END
  local -a look=('host_allowed_memory self; host_allowed_left; LIMIT="$ALLOWED_BYTES $ALLOWED_WHERE"; host_allowed_swap' LIMIT ALLOWED_LEFT ALLOWED_SAID REPLY ALLOWED_KIND ALLOWED_WHERE)
  prints "LIMIT=734003200 /cg/memory.limit_in_bytes
ALLOWED_LEFT=$(((750 - 600 + 50) << 20))
ALLOWED_SAID=the limit in /cg/memory.stat is 750 MiB
REPLY=786432000
ALLOWED_KIND=memsw
ALLOWED_WHERE=/cg/memory.stat" run allowed "${look[@]}"
  echo 9223372036854771712 >"$TIERBENCH_ROOT/cg/memory.memsw.limit_in_bytes"
  echo hierarchical_memsw_limit 9223372036854771712 >"$TIERBENCH_ROOT/cg/memory.stat"
  prints $'REPLY=\nALLOWED_KIND=' run allowed host_allowed_swap REPLY ALLOWED_KIND
  # Version 2 limits swap alone, and a tier's cgroup is below the topmost one.
  rm -r "$TIERBENCH_ROOT"/{cg,proc}
  version2
  machine <<<$'cg/a/memory.swap.max 5\ncg/memory.swap.max 104857600'
  prints "LIMIT=734003200 /cg/a/b/memory.high
ALLOWED_LEFT=$(((1024 - 600) << 20))
ALLOWED_SAID=the limit in /cg/a/memory.max is 1024 MiB
REPLY=104857600
ALLOWED_KIND=swap
ALLOWED_WHERE=/cg/memory.swap.max" run allowed "${look[@]}"
}

@test "the OOM killer: only one that acted since then counts, with the limit that was reached, in cgroups of both versions" {
  version2
  machine <<'END'
proc/vmstat nr_free_pages 5\noom_kill 3
cg/a/b/c/memory.events low 0\noom 4\noom_kill 1
cg/a/b/memory.events oom 4
cg/a/memory.events oom 9
cg/a/memory.swap.max 104857600
cg/a/memory.swap.events max 7
END
  # Usage: killed CODE [PROCESS [NAME]]; what the code does counts
  killed() { run allowed "host_allowed_note ${2-self}; $1; KILLED=no; ! host_allowed_killed || KILLED=yes" KILLED "${3-ALLOWED_SAID}"; }
  prints $'KILLED=no\nALLOWED_SAID=no limit of a cgroup that can be read was reached' killed :
  # The events of a cgroup count for its parents; that of /cg/a/b/c has no limit.
  killed 'cd "$TIERBENCH_ROOT/cg/a"; sed -i "s/ 4/ 5/; s/oom_kill 1/oom_kill 2/" b/memory.events b/c/memory.events; sed -i "s/ 9/ 10/" memory.events'
  assert_output $'KILLED=yes\nALLOWED_SAID=the limit in /cg/a/memory.max is 1024 MiB'
  killed 'cd "$TIERBENCH_ROOT/cg/a"; echo oom_kill 9 >b/c/memory.events; echo max 8 >memory.swap.events; echo oom 11 >memory.events'
  assert_output $'KILLED=yes\nALLOWED_SAID=the limit in /cg/a/memory.max is 1024 MiB, and the limit in /cg/a/memory.swap.max is 100 MiB'
  # A process that is gone: what happened on the machine.
  prints $'KILLED=yes\nALLOWED_NOTED=3 /proc/vmstat' killed 'echo oom_kill 4 >"$TIERBENCH_ROOT/proc/vmstat"' 77 ALLOWED_NOTED
  rm -r "$TIERBENCH_ROOT"/{cg,proc}
  machine <<'END'
proc/self/cgroup 4:memory:/box
proc/self/mountinfo 40 3 0:35 / /cg rw - cgroup cgroup rw,memory
cg/box/memory.oom_control oom_kill_disable 0\noom_kill 1
cg/box/memory.limit_in_bytes 734003200
cg/box/memory.max_usage_in_bytes 734003200
cg/box/memory.memsw.limit_in_bytes 838860800
cg/box/memory.memsw.max_usage_in_bytes 838000000
cg/memory.limit_in_bytes 9223372036854771712
cg/memory.max_usage_in_bytes 900000000
END
  killed 'echo oom_kill 2 >"$TIERBENCH_ROOT/cg/box/memory.oom_control"'
  assert_output $'KILLED=yes\nALLOWED_SAID=the limit in /cg/box/memory.limit_in_bytes is 700 MiB'
  echo 838799360 >"$TIERBENCH_ROOT/cg/box/memory.memsw.max_usage_in_bytes"
  killed 'echo oom_kill 3 >"$TIERBENCH_ROOT/cg/box/memory.oom_control"'
  assert_output $'KILLED=yes\nALLOWED_SAID=the limit in /cg/box/memory.memsw.limit_in_bytes is 800 MiB'
}

@test "facts are what processes may use, with the limit that makes them less than the machine" {
  version2
  echo 'MemAvailable: 60000000 kB' >>"$TIERBENCH_ROOT/proc/meminfo"
  program_make bin/lscpu '#!/bin/sh\nprintf "# CPU,Core\\n0,0,0,0\\n1,1,0,0\\n2,0,0,1\\n3,1,0,1\\n"\n'
  program_make bin/getconf '#!/bin/sh\necho 4\n'
  machine <<'END'
sys/devices/system/node/has_memory 0-3
sys/devices/system/node/node0/cpulist 0-1
sys/devices/system/node/node1/cpulist 2-3
sys/devices/system/node/node2/cpulist
sys/devices/system/node/node3/cpulist
cg/memory.swap.max 104857600
END
  succeeds run bash -c 'set -Eeuo pipefail; export PATH=$SCRATCH/bin:$PATH; for file in "$REPO"/lib/shared/*.sh "$REPO"/lib/host/{allowed,tier_detect,facts}.sh; do . "$file"; done; main all'
  assert_output $'host\t2\t0\t734003200\t444596224
limit_memory\t734003200\t/cg/a/b/memory.high
limit_swap\t104857600\t/cg/memory.swap.max
limit_quota\t15\t/cg/a/b
limit_cpus\t1-2\tcpuset
# CPU,Core
1,1,0,0
2,0,0,1
# node 1 has memory that processes may not use
# node 2 has memory and no CPU
# node 3 has memory that processes may not use'
}

@test "a plan keeps within such facts, and its messages name the limit" {
  {
    printf 'cpus\t3\nmem_gib\t0\nmem_bytes\t734003200\nmem_available_bytes\t700000000\nlimit\tmemory\t734003200\t/cg/a b\nlimit\tquota\t250\t/cg/q\nlimit\tcpus\t1,4-5\tcpuset\n'
    printf 'topology\t%s\n' 1,1,0,0 4,4,1,1 5,5,1,1 '# node 1 has memory that processes may not use' '# node 2 has memory and no CPU' '# node 9 has memory of a device'
  } >facts.tsv
  local -a words=(SERVER=203.0.113.1 CLIENT_IP=203.0.113.2 REDISRUNS=1 FACTS=facts.tsv VALUE_SIZES=1000 FILL=50% RESERVE=100M)
  succeeds run_plan --rows "${words[@]}" PLACEMENT=cpu
  # Half of 600 MiB; 2.5 CPUs are two instances.
  assert_equal "$(cells 'instances target_bytes places' <<<"$output")" "2 $((300 << 20)) 1@-;4@-"
  succeeds run_plan "${words[@]}"
  assert_line 'server   203.0.113.1 (3 logical CPUs, 700 MiB), Redis installed'
  assert_line 'limits   of processes on 203.0.113.1: CPUs 1,4-5, 700 MiB of memory by /cg/a b, 250 % of a CPU by /cg/q'
  run_plan "${words[@]}" FILL=3G
  assert_match '[0-9]+ MiB of RESERVE, and the server has 700 MiB \(the memory limit in /cg/a b is 700 MiB\); set FILL or KEYS' "$STDERR"
  # A tier that swaps: up to 300 MiB less the limit of DRAM, and a quarter and 64 MiB more; with limits of swap, and of both.
  for word in 'swap 104857600 100' 'memsw 209715200 200'; do
    read -r kind bytes mib <<<"$word"
    { cat facts.tsv && printf 'limit\t%s\t%s\t/cg/a/memory.x\n' "$kind" "$bytes"; } >swap.tsv
    succeeds run_plan "${words[@]}" FACTS=swap.tsv -v native -v zram DRAM_RATIO=1:2
    assert_match "limits .*, $mib MiB of ${kind/memsw/memory and swap} by /cg/a/memory.x"
    assert_match "warning: zram, [^:]*: needs up to [23][0-9]{2} MiB of ${kind/memsw/memory and swap}, and /cg/a/memory.x of 203.0.113.1 allows $mib MiB; set FILL" "$STDERR"
    run_plan "${words[@]}" FACTS=swap.tsv -v native
    refute_contains '/cg/a/memory.x of' "$STDERR"
  done
  # Slow memory that may be used is 2, and the device's is none.
  run_plan --rows "${words[@]}" -v bind
  assert_contains '1@--membind=2;' "$output"
  run_plan --rows "${words[@]}" -v interleave
  assert_contains '@--interleave=0,2;' "$output"
  refuses 2 'in 0 GiB (the memory limit in /cg/a b is 700 MiB); set KEYS or a size' run_plan "${words[@]}" FILL=guide
  for word in 'memory\t7x\t/a' 'quota\t-1\t/a' 'memory\t7' 'cpus\t1;2\tcpuset' 'colour\t1\t/a' 'memory\t7\t\033[31m'; do
    { cat facts.tsv && printf 'limit\t%b\n' "$word"; } >bad.tsv
    refuses 2 'is neither a fact' run_plan "${words[@]}" FACTS=bad.tsv
  done
}
