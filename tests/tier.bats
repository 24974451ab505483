#!/usr/bin/env bats
# SPDX-License-Identifier: MIT
# Memory tiers: detected on simulated machines, refused where unsupported, and real on this machine.
# lane: host

load helper
load tiers

prepare() {
  # What variants do not set: other suites test it.
  untune 'thp=keep numa_balancing=keep'
  LOOPS=() # loop devices of this test
  OTHER='' # a cgroup of another program
}

teardown() {
  local device
  [[ ! -d $OTHER ]] || rmdir -- "$OTHER"
  scratch_teardown
  for device in "${LOOPS[@]}"; do
    swapoff "$device" 2>/dev/null || :
    losetup -d "$device"
  done
}

# The arguments that keep a run small and inside the directory of this test.
words() {
  WORDS=(-s demo REMOTE_DIR="$SCRATCH/host" RESULTS_DIR="$SCRATCH/results" REDISBASE="$(ports_pick 2)" KEYS=auto FILL=48M VALUE_SIZES=1000
  DATA=random REDISRUNS=1 "$@")
}

# Assert that no tier of this test is left on the host.
assert_no_tier() {
  assert_equal "$(grep -c "$SCRATCH" /proc/swaps)" 0
  assert_equal "$(find /sys/fs/cgroup -maxdepth 2 -type d -name 'tierbench-demo-*' 2>/dev/null)" ''
  assert_equal "$(find "$SCRATCH" -name '*.swap')" ''
  assert_equal "$(find host -name 'run-*')" ''
}

need_zram() {
  need_swap
  [[ -e /sys/class/zram-control/hot_add ]] || skip 'no zram here'
}

# Attach a file of this test to a loop device.
# Usage: loop_up FILE   Sets: LOOP
loop_up() {
  need_command losetup
  LOOP=$(losetup -f --show "$1") || skip 'no loop device here'
  LOOPS+=("$LOOP")
}

# Print one column of the rows of the only run: COLUMN VARIANT OPERATION.
column() {
  "$REPO/summary2csv.sh" results/*/ | cells -c -w operation="$3" "variant $1" | sed -n "s/^$2 //p"
}

@test "kinds of memory are told from each other and named with their sizes; DRAM that is a cache of slower memory, and swap, are warnings" {
  last=
  while IFS='|' read -r name what wanted; do
    [[ $name == "$last" ]] || machine "$name"
    last=$name
    # shellcheck disable=SC2086 # settings and a verb
    succeeds run on_host $what
    wanted=${wanted//>/$'\t'}
    # `<` is the end of the line.
    assert_match $'(^|\n)'"${wanted/%</$'(\n|$)'}"
  done <<'END'
dram|detect|dram>node0>386352 MiB, CPUs 0-11, memory tier 4<
dram|detect|all>host>DRAM only<
memory-mode|detect|memory-mode>node0>DRAM is a cache in front of this node: 103079215104 bytes in lines of 64, indexing 0, write policy 0<
memory-mode|detect|memory-mode>modules>by ipmctl: Volatile
memory-mode|detect|pmem>modules>1 persistent memory modules, by dmidecode<
memory-mode|check|warn>DRAM is a cache of slower memory.*memory-mode
cxl|detect|cxl>node1>131072 MiB, no CPU, memory tier 22, read latency 300 ns, write latency 300 ns, read bandwidth 30000 MB/s<
cxl|detect|all>host>dram, cxl<
pmem|detect|pmem>node2>761718 MiB, no CPU, memory tier 22<
imdt|detect|vsmp>host>vSMP Foundation: 8\.5\.2455\.12 \(vsmpversion\); nna: NNA: on<
imdt|TIER=imdt check|ok>abcdversion: vSMP Foundation
imdt|check|warn>DRAM is a cache of slower memory.*vsmp
swap|detect|swap>/dev/nvme0n1p2>partition of 8191 MiB, 1 used, priority -2<
swap|detect|zram>zram0>1024 MiB, compressed by lz4, 100 MiB in 21 MiB<
swap|detect|zswap>host>compressed by lzo, up to 20 % of memory<
swap|check|warn>the server has swap
END
  run on_host detect
  refute_contains zram1
  machine dram
  rm -r "$TIERBENCH_ROOT/sys/devices/system/node"
  prints $'dram\thost\t773424 MiB, no NUMA\nall\thost\tDRAM only' run on_host detect
}

@test "HBM is a node without a CPU that is faster than those with one" {
  machine hbm
  run on_host detect
  assert_line $'hbm\tnode1\t65536 MiB, no CPU, memory tier 4, read bandwidth 800000 MB/s'
  # The usual setup of HBM: reserved by the firmware, and put online by kmem. This path can also provide slow memory.
  dax=sys/devices/platform/hmem.0/dax0.0
  mkdir -p "$TIERBENCH_ROOT/$dax" "$TIERBENCH_ROOT/sys/bus/dax/"{devices,drivers/kmem}
  echo 1 >"$TIERBENCH_ROOT/$dax/target_node"
  ln -s /sys/bus/dax/drivers/kmem "$TIERBENCH_ROOT/$dax/driver"
  ln -s "$TIERBENCH_ROOT/$dax" "$TIERBENCH_ROOT/sys/bus/dax/devices/dax0.0"
  run on_host detect
  assert_contains $'hbm\tnode1\t'
  run on_host TIER=tiering check
  assert_match $'^fail\tevery node has a CPU, or is faster'
  run bash -c 'cat "$REPO"/lib/shared/*.sh "$REPO"/lib/host/{allowed,tier_detect,facts}.sh - <<<"main all" | bash'
  assert_line '# node 1 has memory and no CPU, and is faster than those with one'
  echo 30000 >"$TIERBENCH_ROOT/sys/devices/system/node/node1/access0/initiators/read_bandwidth"
  echo 'System RAM (kmem)' >"$TIERBENCH_ROOT/proc/iomem"
  run on_host detect
  assert_contains $'slow\tnode1\t'
}

@test "what a host cannot do is refused with the reason" {
  machine dram
  while IFS='|' read -r settings wanted; do
    # shellcheck disable=SC2086 # several words
    run on_host $settings check
    assert_match $'^fail\t'"$wanted"
  done <<'END'
TIER=bind|every node has a CPU
TIER=bind TIER_MEMORY=7|node 7 has no memory
TIER=bind TIER_MEMORY=1 TIER_DATA=999999999999|[0-9]+ MiB free on nodes 1
TIER=weighted TIER_MEMORY=0-1|the kernel does not support weighted interleave
TIER=tiering|every node has a CPU: there is one tier
TIER=imdt|Running NATIVE
END
  echo >"$TIERBENCH_ROOT/proc/mounts"
  ((EUID != 0)) || {
    run on_host TIER=swap check
    assert_match $'^fail\tthe kernel has no memory controller'
    # In a container with cgroup v2; files of its kernel have no size.
    echo 'cgroup2 /sys/fs/cgroup cgroup2 rw 0 0' >"$TIERBENCH_ROOT/proc/mounts"
    mkdir -p "$TIERBENCH_ROOT/sys/fs/cgroup"
    echo cpu memory >"$TIERBENCH_ROOT/sys/fs/cgroup/cgroup.controllers"
    touch "$TIERBENCH_ROOT"/sys/fs/cgroup/cgroup.{subtree_control,type}
    ln -s /proc/self/stat "$TIERBENCH_ROOT/sys/fs/cgroup/cgroup.procs"
    run on_host TIER=swap check
    assert_match $'^fail\tthe memory controller is off'
    # Its limit of swap is one of zram, too.
    echo memory >"$TIERBENCH_ROOT/sys/fs/cgroup/cgroup.subtree_control"
    echo 104857600 >"$TIERBENCH_ROOT/sys/fs/cgroup/memory.swap.max"
    run on_host TIER=zram TIER_LIMIT=100000000 TIER_SPACE=104857601 check
    assert_output $'fail\t100 MiB of swap by /sys/fs/cgroup/memory.swap.max\t100 MiB of swap\traise that limit, or run outside of this container'
    run on_host TIER=zram TIER_LIMIT=100000000 TIER_SPACE=104857600 check
    refute_contains swap.max
  }
  unset TIERBENCH_ROOT
  ((EUID != 0)) || {
    run on_host TIER=swap TIER_SWAP=/proc check
    assert_match $'^fail\t'
    run on_host TIER=swap TIER_SWAP=/nowhere check
    assert_match $'^fail\t/nowhere: no such directory'
  }
}

@test "nodes must have room for the data and for their share of what stays free, each where pages go round" {
  machine dram
  # 362 GiB with 7.6 GiB of it free; each is half of the memory of the server.
  echo 'Node 0 MemFree: 379584512 kB' >>"$TIERBENCH_ROOT/sys/devices/system/node/node0/meminfo"
  echo 'Node 1 MemFree: 7969177 kB' >>"$TIERBENCH_ROOT/sys/devices/system/node/node1/meminfo"
  run on_host TIER=interleave TIER_MEMORY=0-1 TIER_DATA=$((200 << 30)) check
  assert_match $'^fail\t7782 MiB free on nodes 1\t102400 MiB, and 0 MiB kept free'
  run on_host TIER=bind TIER_MEMORY=0-1 TIER_DATA=$((200 << 30)) check
  assert_match $'^ok\t378470 MiB free on nodes 0,1\t204800 MiB'
  run on_host TIER=bind TIER_MEMORY=1 TIER_DATA=$((7969177 << 10)) check
  assert_match $'^ok\t'
  run on_host TIER=bind TIER_MEMORY=1 TIER_DATA=$((7969177 << 10)) TIER_RESERVE=$((1 << 30)) check
  assert_match $'^fail\t7782 MiB free on nodes 1\t7782 MiB, and 512 MiB kept free'
  # By the requested weights, else by the weights of the kernel.
  mkdir -p "$TIERBENCH_ROOT/sys/kernel/mm/mempolicy/weighted_interleave" bin
  program_make bin/numactl '#!/bin/sh\necho --weighted-interleave\n'
  HOST_CODE="PATH=$SCRATCH/bin:$PATH"
  run on_host TIER=weighted TIER_MEMORY=0-1 TIER_WEIGHTS="'0:99 1:1'" TIER_DATA=$((200 << 30)) check
  assert_match $'^ok\t7782 MiB free on nodes 1\t2048 MiB'
  echo 3 >"$TIERBENCH_ROOT/sys/kernel/mm/mempolicy/weighted_interleave/node0"
  echo 1 >"$TIERBENCH_ROOT/sys/kernel/mm/mempolicy/weighted_interleave/node1"
  run on_host TIER=weighted TIER_MEMORY=0-1 TIER_DATA=$((200 << 30)) check
  assert_match $'^fail\t7782 MiB free on nodes 1\t51200 MiB'
}

@test "every variant has a tier of its own, and numactl's words for it" {
  for variant in bind preferred interleave weighted tiering swap zram zswap imdt native; do
    grep -qx "TIER=$variant" "$REPO/conf/variants/$variant.conf" || fail "$variant"
  done
  # shellcheck source=/dev/null # followed from here, shellcheck takes twice as long
  . "$REPO/lib/shared/cpus.sh" && . "$REPO/lib/plan/place.sh" && . "$REPO/lib/run/place.sh" && . "$REPO/lib/core/tiers.sh" && . "$REPO/lib/run/tier.sh"
  LIB=$REPO/lib
  tiers_read
  _PLACE_TOPOLOGY=$'0,0,0,0\n1,1,0,1\n# node 2 has memory and no CPU\n# node 3 has memory and no CPU' TIER_NODES=auto
  TIER=bind && assert_equal "$(tier_policy)" --membind=2-3
  TIER=preferred && assert_equal "$(tier_policy)" --preferred-many=2-3
  TIER=interleave && assert_equal "$(tier_policy)" --interleave=0-3
  _PLACE_TOPOLOGY+=', and is faster than those with one'
  TIER=bind && assert_equal "$(tier_policy)" --membind=2
  TIER=interleave && assert_equal "$(tier_policy)" --interleave=0-3
  TIER=weighted TIER_NODES=0,2 && assert_equal "$(tier_policy)" --weighted-interleave=0,2
  TIER=native && assert_equal "$(tier_policy)" ''
}

@test "placement is judged by where the bytes are" {
  verify="$REPO/lib/host/tier_verify.sh"
  # shellcheck source=/dev/null # followed from here, shellcheck takes twice as long
  . "$verify"
  # The tier's own rows first.
  judge() { { sed -nE 's/^# (Is|Verify): (.*)/tier\t\L\1\E\t\2/p' "$REPO/lib/tier/$1.sh" && printf '%s\n' "${@:2}" | tr ' ' '\t'; } | host_tier_verify | tr '\t' ' '; }
  while IFS='|' read -r tier words wanted; do
    IFS=, read -ra words <<<"$words"
    run judge "$tier" "${words[@]}"
    assert_line "tier $wanted"
  done <<'END'
bind|tier nodes 1,tier far 1,7000 anon 100,7000 swap 0,7000 node0 5,7000 node1 95|placement ok
bind|tier nodes 1,tier far 1,7000 anon 100,7000 swap 0,7000 node0 5,7000 node1 95|far_bytes 95
bind|tier nodes 1,tier far 1,7000 anon 100,7000 swap 0,7000 node0 11,7000 node1 89|placement off
interleave|tier nodes 0-1,tier far 1,7000 anon 100,7000 swap 0,7000 node0 54,7000 node1 46|placed_percent 92.0
interleave|tier nodes 0-1,tier far 1,7000 anon 100,7000 swap 900,7000 node0 50,7000 node1 50|placed_percent 10.0
weighted|tier nodes 0-1,tier weights 0:3,tier far 1,7000 anon 100,7000 swap 0,7000 node0 75,7000 node1 25|placed_percent 100.0
weighted|tier nodes 0-1,tier weights keep,tier far 1,7000 anon 100,7000 swap 0,7000 node0 75,7000 node1 25|placement -
swap|tier limit 25,7000 anon 24,7000 swap 76|placement ok
swap|tier limit 25,7000 anon 40,7000 swap 60|placement off
swap|tier limit 25,swap used 0,7000 anon 24,7000 swap 76|placed_percent 0.0
imdt|7000 anon 100,7000 swap 0|far_bytes -
native|7000 anon 80,7000 swap 20|placement off
END
}

@test "with several ratios of DRAM to data, a table sets what is left of the baseline against them, by order of keys" {
  need_command mawk gawk
  for variant in native swap; do
    for point in 1to1-sequential 1to1-zipf0.8 1to8-sequential 1to8-zipf0.8; do
      mkdir -p "run/$variant"
      cp -r "$REPO/results/sample/$variant/1000B-2i" "run/$variant/1000B-2i-$point"
      ratio=1:${point:3:1}
      printf '1\t%s\t1000B-2i-%s\t1\t%s, %s\t1000\t2\t%s\n' "$variant" "$point" "$ratio" "${point#*-}" "$ratio" >>rows
    done
  done
  cp "$REPO"/results/sample/{run.conf,settings.tsv} run/
  { printf 'number\tvariant\tpoint\trepeat\tsweep\tvalue_size\tinstances\tdram_ratio\n' && cat rows; } >run/plan.tsv
  find run -name SIZES -delete
  # A value that differs from the others: three times the wait of the instances.
  sed -i -E 's/^(get\t[0-9]+\tmajflt\t)([0-9]+)\t[0-9]+$/\12\t300002/' run/swap/1000B-2i-1to8-zipf0.8/rep-*/server/counters.tsv
  for awk in mawk gawk; do
    mkdir "with-$awk"
    ln -s "$(command -v "$awk")" "with-$awk/awk"
    succeeds run env PATH="$SCRATCH/with-$awk:$PATH" LIB="$REPO/lib" ROOT="$REPO" bash -c '. "$LIB/modules.sh" && result_totals run | tables_make "$LIB/results/tables/ratio.awk" .'
    assert_contains 'GET of 1,000 B on 2 instances, by DRAM:data'
    assert_match $'\nsequential +native +ops/s +[0-9,]+ +[0-9,]+\n'
    assert_match $'\nsequential +swap +% of native +[0-9.]+% +[0-9.]+%\n'
    assert_match $'\nsequential +swap +far/op +(0\\.7[0-9]+) +0\\.7[0-9]+\n'
    assert_match $'\nzipf0\\.8 +swap +far/op +0\\.7[0-9]+ +[1-9][0-9]*\\.[0-9]+'
  done
}

@test "doctor sizes a sweep over ratios for each variant, by the ratio that needs most" {
  need_swap
  succeeds run_split "$REPO/do_it.sh" doctor --all -s tier-sweep -v native -v swap FILL=128M SRV_OVERRIDE=2 REMOTE_DIR="$SCRATCH/host" \
    DRAM_RATIO="1:8 1:1" REDISBASE="$(ports_pick 2)"
  assert_match '^[0-9:]+ checking 127.0.0.1$' "$STDERR"
  # An eighth of 128 MiB (plus or minus 1 %) and 4 MiB per instance; all of it at 1:1.
  assert_match 'ok +variant swap +.* 2[34] MiB of DRAM, 1[0-9]{2} MiB of swap'
  assert_match 'ok +memory +[0-9]+ MiB available +13[0-9] MiB for .* and'
}

@test "doctor refuses a variant that something keeps from being what its file says, and one that could not swap" {
  need_swap
  [[ -e $ZSWAP_FILE ]] || skip 'no zswap here'
  zswap_set N
  mkdir -p mine/variants
  printf 'LIKE=swap\nKERNEL.swappiness=0\n' >mine/variants/stays.conf
  words -v swap -v zswap -v stays FILL=64M KERNEL.zswap=keep
  TIERBENCH_PATH=$SCRATCH/mine fails 3 run_split "$REPO/do_it.sh" doctor --all "${WORDS[@]}"
  assert_match "fail +variant zswap +$ZSWAP_FILE is N, and KERNEL.zswap=keep leaves it so +Y +KERNEL.zswap=Y"
  assert_match 'fail +variant stays +vm.swappiness 0'
  assert_equal "$(grep -c ' fail ' <<<"$output")" 2
}

@test "native and the tiers behind a memory limit take turns; pages really go out, nothing is read ahead from zswap, and everything is undone" {
  need_zram
  before=''
  variants=(swap zram)
  # Turn zswap on first, so that a variant without zswap must turn it off.
  [[ ! -e $ZSWAP_FILE ]] || {
    variants+=(zswap) before=Y
    zswap_set Y
  }
  # Random keys, because all of them are far from those that were set last.
  words VARIANTS="native ${variants[*]}" KEY_PATTERN=uniform PHASES="populate get" TIME=1 RATE=4000
  succeeds run_split "$REPO/do_it.sh" run "${WORDS[@]}"
  assert_no_tier
  [[ ! -e $ZSWAP_FILE ]] || assert_equal "$(<"$ZSWAP_FILE")" "$before"
  assert_match 'after populate: used_memory [0-9.]+ MiB .*; placement ok' "$STDERR"
  assert_match 'after populate: .*, cgroup [1-9][0-9.]* MiB of [1-9][0-9.]* MiB; .*; placement ok' "$STDERR"
  refute_contains 'OOM' "$STDERR"
  assert_contains "of native"
  assert_contains "far accesses, per op"
  assert_equal "$(column swap native get) $(column placement native get)" '0 ok'
  for variant in "${variants[@]}"; do
    (($(column swap "$variant" get) > 20 << 20)) || fail "$variant: nothing was swapped"
    assert_equal "$(column placement "$variant" get)" ok
    awk -v far="$(column far_per_op "$variant" get)" 'BEGIN { exit !(far > 0.01) }' || fail "$variant: nothing was fetched"
    awk -v used="$(column used_memory "$variant" get)" 'BEGIN { exit !(used > 47.5 * 1048576 && used < 48.5 * 1048576) }' ||
      fail "$variant: the fill is not what was asked for"
    assert_match $'get\tcgroup\tlimit\t' "$(cat results/*/"$variant"/*/rep-1/server/counters.tsv)"
    # Three tiers: DRAM up to the limit, the compressed pool, and the file.
    [[ $variant != zswap ]] || awk -F '\t' '$1 == "get" && $2 "." $3 ~ /^(cgroup.usage|zswap.memory|swap.used)$/ && $5 > 0 { n++ } END { exit n != 3 }' \
      results/*/"$variant"/*/rep-1/server/counters.tsv || fail 'zswap: a tier is empty'
    [[ $variant == zswap ]] || awk -F '\t' '$2 == "host" && $3 == "zswpout" && $4 != $5 { exit 1 }' \
      results/*/"$variant"/*/rep-1/server/counters.tsv || fail "$variant: zswap was in front"
  done
  # Pages that are read ahead fill the limit until the OOM killer comes. It does not come every time, but its cause can be counted.
  [[ ! -e $ZSWAP_FILE ]] || assert_equal "$(awk -F '\t' '$1 == "get" && $3 == "swap_ra" { print $5 - $4 }' results/*/zswap/*/rep-1/server/counters.tsv)" 0
}

@test "a swap device that is there is used and given back as it was; one that is in use stays in use" {
  need_swap
  truncate -s 256M area
  mkswap -L standing area
  head -c 4096 area >header
  loop_up area
  words -v swap TIER_SWAP="$LOOP" PHASES=set
  succeeds run_split "$REPO/do_it.sh" run "${WORDS[@]}"
  (($(column swap swap set) > 20 << 20)) || fail "nothing was swapped"
  assert_equal "$(column placement swap set)" ok
  assert_equal "$(grep -c "^$LOOP " /proc/swaps)" 0
  assert_equal "$(blkid -p -s TYPE -o value "$LOOP") $(blkid -p -s LABEL -o value "$LOOP")" 'swap standing'
  cmp <(head -c 4096 area) header
  assert_no_tier

  rm -r results
  swapon -p 7 "$LOOP"
  succeeds run_split "$REPO/do_it.sh" run "${WORDS[@]}"
  (($(column swap swap set) > 20 << 20)) || fail "nothing was swapped"
  assert_match "^$LOOP .*"$'\t7$' "$(grep "^$LOOP " /proc/swaps)"
  assert_no_tier

  # Another swap area with the same priority would be measured too.
  truncate -s 64M other
  mkswap other
  loop_up other
  swapon -p 7 "$LOOP"
  fails 3 run_split "$REPO/do_it.sh" doctor --all "${WORDS[@]}"
  assert_match "fail +variant swap +${LOOPS[0]} is in use with priority 7, and $LOOP with 7 is not after it .* swapoff ${LOOPS[0]} && swapon -p 32767 ${LOOPS[0]}"
  swapoff "$LOOP"
  swapon -p 32767 "$LOOP"
  words -v swap -v zram TIER_SWAP=auto
  fails 3 run_split "$REPO/do_it.sh" doctor --all "${WORDS[@]}"
  assert_match "fail +variant swap +$LOOP has the highest priority, 32767: pages of the tier would go to it, too +a higher priority than all other swap +swapoff $LOOP && swapon -p 0 $LOOP"
  [[ ! -e /sys/class/zram-control ]] || assert_match "fail +variant zram +$LOOP has the highest priority"
}

@test "a block device that is not a swap area is refused, and nothing is written on it" {
  need_swap
  head -c 64M /dev/urandom >area
  cp area before
  loop_up area
  words -v swap TIER_SWAP="$LOOP"
  refuses 3 "variant swap: $LOOP is not a swap area; mkswap makes it one, and erases it" run_split "$REPO/do_it.sh" run "${WORDS[@]}"
  sync "$LOOP"
  cmp area before
}

@test "after kill -9 in the middle of a load, stop undoes swap and cgroup, also if the directory of the run was removed manually" {
  need_root
  zswap_set N
  for case in 'swap removed' 'zram removed' 'zram kept'; do
    variant=${case% *}
    [[ $variant == swap || -e /sys/class/zram-control/hot_add ]] || continue
    # Longer than any machine needs for the checks and the kill; stop ends the load.
    words -v "$variant" PHASES=get TIME=600 RATE=1000
    job_start "$REPO/do_it.sh" run "${WORDS[@]}"
    job_load get
    [[ -n $(find /sys/fs/cgroup -maxdepth 2 -type d -name 'tierbench-demo-*') ]]
    device=$(sed -n 's/^swap\t[^\t]*\t//p' host/run-*/tier/journal)
    pattern='/host/tierbench-demo-[0-9]+-[0-9a-f]{8}\.swap$'
    [[ $variant == swap ]] || pattern='^/dev/zram'
    assert_match "$pattern" "$device"
    grep -qE "^${device}[[:space:]].*[[:space:]]32767\$" /proc/swaps
    kill -KILL "$JOB_PID"
    job_wait 10 || :
    said=''
    if [[ $case == *removed ]]; then
      said=' .*, whose directory had been removed'
      remove_busy host/run-demo-*
      # A cgroup of an unknown run: a run with another REMOTE_DIR may have just made it.
      OTHER=$(find /sys/fs/cgroup -maxdepth 2 -type d -name 'tierbench-demo-*' -printf '%h')/tierbench-demo-1-0badcafe
      mkdir -- "$OTHER"
    fi
    run "$REPO/do_it.sh" stop REMOTE_DIR="$SCRATCH/host"
    [[ $case != *removed ]] || rmdir -- "$OTHER"
    assert_success
    assert_match "tier: removed cgroup /sys/fs/cgroup/.*/?tierbench-demo-[^ ]*$said"
    assert_match "tier: removed swap $device$said"
    # Other programs may have made swap at the same time.
    assert_equal "$(grep -c "^${device}[[:space:]]" /proc/swaps)" 0
    refute_exists "$device"
    assert_no_tier
    assert_equal "$(find host -name 'tier-*')" ''
  done
}

@test "a zram device that was added the moment before a kill -9 is removed by the next run; one of another program, which was faster, is left alone" {
  need_zram
  before=$(find /sys/block -name 'zram*')
  HOST_CODE='cat() { command cat "$@" && [[ $1 != */hot_add ]] || return; kill -KILL $$; }'
  fails 137 run on_host TIER=zram up
  [[ $(find /sys/block -name 'zram*') != "$before" ]] || fail "none was added"
  # Its master was last heard when this host booted.
  sed -i '2s/\t.*/\t0000000000/' host/run-test/owner
  succeeds run_split "$REPO/do_it.sh" run -s demo REMOTE_DIR="$SCRATCH/host" RESULTS_DIR="$SCRATCH/results" REDISBASE="$(ports_pick 1)" \
    SRV_OVERRIDE=1 KEYS=100 VALUE_SIZES=100 REDISRUNS=1 PHASES=set
  assert_contains 'stopped everything that test had left' "$STDERR"
  assert_equal "$(find /sys/block -name 'zram*')" "$before"
  HOST_CODE='cat() { if [[ $1 == */hot_add ]]; then kill -KILL $$ && exit; else command cat "$@"; fi; }'
  fails 137 run on_host TIER=zram up
  number=$(</sys/class/zram-control/hot_add)
  echo 1M >"/sys/block/zram$number/disksize"
  recorded=$(cut -f 3 host/run-test/tier/journal)
  run_split "$REPO/do_it.sh" stop --force REMOTE_DIR="$SCRATCH/host"
  size=$(cat "/sys/block/zram$number/disksize")
  echo 1 >"/sys/block/zram$number/reset"
  echo "$number" >/sys/class/zram-control/hot_remove
  assert_success
  assert_equal "$recorded $size" "$number 1048576"
}
