#!/usr/bin/env bats
# SPDX-License-Identifier: MIT
# doctor --probe: what is measured of memory, what firmware and kernel say of it, and the weights that follow.
# slow

load helper
load elsewhere
load tiers
load tree

prepare() {
  RUN_ID=memory-test
  export RUN_ID
  MEMBENCH=$REPO/build/membench/membench
  [[ -x $MEMBENCH ]] || make -s -C "$REPO" membench
}

# Make the machine of probe.tree, and a membench that knows its figures: per node of each socket LATENCY LOADED READ WRITE in the file `figures`,
# lines SOCKET_CPUS NODE ...
probed() {
  machine probe
  cat >membench <<END
#!/bin/bash
here=$PWD
END
  cat >>membench <<'END'
[[ $1 == measure && $2 == --node && $4 == --cpus ]] || exit 2
read -r _ _ latency loaded read write < <(grep "^$5 $3 " "$here/figures") || { echo "membench: node $3: has no memory, or does not exist" >&2; exit 1; }
printf '%s\t%s\n' bytes 536870912 pages huge cached no latency_ns "$latency" share_percent 100
[[ $loaded == - ]] || printf '%s\t%s\n' loaded_ns "$loaded" load_mb_s 1000
printf '%s\t%s\n' read_mb_s "$read" write_mb_s "$write"
END
  chmod +x membench
}

# Take the lock of a master on another machine, which is alive as long as its lock is renewed.
locked() {
  mkdir -p locks
  printf '%s\tnobody\tnowhere\t0\t0\t-\t-\t1970-01-01T00:00:00Z\t3600\n' "$RUN_ID" >"locks/tierbench-lock.$RUN_ID"
}

# Print what a host of two nodes with these latencies and bandwidths is judged to be; the second one is in the tier given, with what its
# firmware says.
# Usage: judge LATENCY READ TIER FIRMWARE_NS
judge() {
  printf 'node\t0\tcpu\t4\t100\t-\t1\nnode\t1\tfar\t%s\t%s\t-\t1\npair\t0\t0\t100.0\t200.0\t9000\t120000\t100000\thuge\tno\t100\npair\t0\t1\t%s\t400.0\t900\t%s\t%s\thuge\tno\t100\n' \
    "$3" "$4" "$1" "$2" "$2" >rows
  modules 'memory_judge host <rows'
}

@test "doctor --probe measures this machine, and prints a table in front of its last line; nothing runs on" {
  mkdir locks
  succeeds run_split "$REPO/do_it.sh" doctor --probe -s demo REDISBASE="$(ports_pick 2)" REMOTE_DIR="$SCRATCH/host" LOCK_DIR="$SCRATCH/locks"
  assert_equal "${lines[0]}" 'Memory of 127.0.0.1, measured'
  assert_match $'\n0 +0 +[1-9][0-9]* .*[0-9]\.[0-9] +[0-9]+\.[0-9] '
  assert_equal "${lines[-1]}" fit
  assert_match $'^boot\t[0-9a-f-]+\nnode\t0\t.*\npair\t0\t0\t[0-9.]+\t' "$(<host/cache/memory.tsv)"
  assert_equal "$(find locks -type f)" ''
}

@test "each node is measured from each socket, on the CPUs that we may use; what firmware and kernel say is printed too; when its master is gone, a probe measures nothing further" {
  probed
  printf '%s\n' '0-1 0 100 150 200000 180000' '0-1 1 180 250 90000 80000' '0-1 2 260 500 50000 40000' '3 0 180 - 9000 8000' '3 1 100 - 20000 18000' >figures
  locked
  succeeds run_split remote_script memory measure "$PWD/membench"
  assert_equal "$(grep node <<<"$output")" $'node\t0\tcpu\t4\t100\t200000\t1\nnode\t1\tcpu\t4\t100\t-\t1\nnode\t2\tfar\t22\t250\t50000\t1
failed\t1\t2\tmembench: node 2: has no memory, or does not exist'
  assert_equal "$(grep pair <<<"$output")" $'pair\t0\t0\t100\t150\t1000\t200000\t180000\thuge\tno\t100\npair\t0\t1\t180\t250\t1000\t90000\t80000\thuge\tno\t100
pair\t0\t2\t260\t500\t1000\t50000\t40000\thuge\tno\t100\npair\t1\t0\t180\t-\t-\t9000\t8000\thuge\tno\t100\npair\t1\t1\t100\t-\t-\t20000\t18000\thuge\tno\t100'
  assert_equal "$(sed 1d host/cache/memory.tsv)" "$(
    printf '%s\n' "$output" | sed -n '/^node/p'
    printf '%s\n' "$output" | sed '/^node/d'
  )"
  # Its lease is over after the first pair.
  sed -i 's|^here=.*|&; touch -d "2 hours ago" "$here/locks/tierbench-lock.memory-test"|' membench
  fails any run_split remote_script memory measure "$PWD/membench"
  assert_equal "$(grep -c ^pair <<<"$output")" 1
  assert_contains 'the master has died; the rest is not measured' "$STDERR"
}

@test "weights in proportion to the smaller one of read and write, small numbers first; tiers and firmware that say something else than what was measured are warnings, and what fits is none" {
  while IFS='|' read -r values wanted; do
    # shellcheck disable=SC2086 # the arguments
    run judge $values
    assert_contains "${wanted//>/$'\t'}"
    [[ $wanted == doctor* ]] || refute_contains $'doctor\t'
  done <<'END'
200 50000 22 200|TIER_WEIGHTS="0:2 1:1" (the kernel has 0:1 1:1).
200 90000 22 200|TIER_WEIGHTS="0:8 1:7"
200 34000 22 210|TIER_WEIGHTS="0:3 1:1"
200 98000 22 200|TIER_WEIGHTS="0:1 1:1", equal to those of the kernel.
210 50000 4 -|doctor>host>warn>memory speed>node 1 has 2.1x the latency of node 0, and both are in memory tier 4>a slower tier for node 1, else
210 50000 2 200|doctor>host>warn>memory speed>node 1 has 2.1x the latency of node 0, and is in the faster memory tier 2 (4)
105 50000 22 300|doctor>host>warn>memory speed>node 1: by firmware 3.0x the latency of node 0, measured 1.1x
END
}

@test "what was disturbed, or too small to be memory, is said under the table" {
  judge 200 50000 22 200 >/dev/null
  sed -i 's/huge\tno\t100$/small\tyes\t60/' rows
  run modules 'memory_judge host <rows'
  assert_contains 'The buffer was not completely in huge pages'
  assert_contains "Node 1: too little free memory: its figures include the CPU's caches"
  assert_contains 'measure again on an idle host (node 0 from socket 0, node 1 from socket 0).'
}

@test "membench takes no more than it may, and refuses what is not there" {
  succeeds run "$MEMBENCH" measure --node 0 --cpus 0 --bytes 5000000 --seconds 0.01
  assert_line $'bytes\t4194304'
  assert_line $'cached\tyes'
  while IFS='|' read -r code words said; do
    # shellcheck disable=SC2086 # the arguments
    fails "$code" run "$MEMBENCH" $words
    assert_match "^membench: $said\$"
  done <<'END'
1|measure --node 0 --cpus 0 --bytes 4096|node 0: less than 2 MiB may be taken: Cannot allocate memory
1|measure --node 1023 --cpus 0|node 1023: has no memory, or does not exist.*
2|measure --node 0 --cpus 3-1|--cpus: not a list of CPUs, such as 0-3,8: 3-1
2|load --node 0 --cpus 0|load: --gb-s is required
2|spread --near 0 --far 0 --share 50|spread: --near, --far, --share and --processes are required
2|spread --near 0 --far 0 --share 101 --processes 1|--share: not from 0 to 100: 101
END
}

@test "a load on memory ends with the process that asked for it, and with its lease" {
  sleep 1000 3>&- &
  process_note $!
  pid=$!
  start=$(process_start "$pid")
  "$MEMBENCH" load --node 0 --cpus 0 --gb-s 0.01 --bytes 4000000 --process "$pid:$start" >said 2>&1 3>&- &
  process_note $!
  wait_until 10 grep -q '^[0-9.]*\s0\.0' said
  process_end "$pid" "$start"
  wait_until 10 process_gone "$!" "$(process_start "$!" || echo 0)"
  : >lease
  "$MEMBENCH" load --node 0 --cpus 0 --gb-s 0.01 --bytes 4000000 --lease "$PWD/lease:3600" >said 2>&1 3>&- &
  process_note $!
  wait_until 10 grep -q '^[0-9.]*\s0\.0' said
  rm lease
  wait "$!"
}

@test "what another host writes to stderr while it gets a program is not a part of the program's path" {
  # Each call has a line of the ssh client, and one of the login shell.
  elsewhere_ssh 'echo "Warning: a key was added" >&2; set -- "echo a message of the day >&2; $*"'
  fails 1 master '' 'remote_is_local() { [[ $1 != elsewhere ]]; }
    HOST=elsewhere
    memory_prepare
    echo "$MEMORY_PROGRAM"
    printf "#!/bin/bash\necho \"Warning: a key was added\" >&2\nexit 1\n" >$SCRATCH/bin/ssh
    program_prepare elsewhere membench "$ROOT/build/membench/membench" membench 0123456789abcdef'
  assert_match "^$SCRATCH/host/cache/membench-[0-9a-f]{16}"$'\n'
  assert_contains 'Warning: a key was added' "${output#*$'\n'}"
}

@test "another host gets a copy of membench, and builds it where that does not start" {
  # The way of a host that is reached over ssh, without the ssh.
  code='remote_is_local() { [[ $1 != elsewhere ]]; }
    HOST=elsewhere
    memory_program'
  mkdir there
  # The host has its own programs, once the test makes some.
  elsewhere_ssh 'PATH=$SCRATCH/there:$PATH'
  succeeds master '' "$code"
  assert_match "^$SCRATCH/host/cache/membench-[0-9a-f]{16}\$" "$output"
  cmp "$output" "$MEMBENCH"
  refute_contains building "$STDERR"
  rm "$output"
  program_make there/uname '#!/bin/sh\n[ "$1" != -m ] || exec echo other\nexec /usr/bin/uname "$@"\n'
  succeeds master '' "$code"
  assert_contains 'elsewhere: building membench there: our copy does not start: it is for ' "$STDERR"
  assert_equal "$("$output" --version)" 'membench 1'
  assert_equal "$(find host/cache -type d -name 'source-*')" ''
  # A version that was not used for a month is removed; a used version, and another program, are not.
  touch -d '40 days ago' host/cache/membench-0123456789abcdef host/cache/test-0123456789abcdef "$output"
  touch -d '20 days ago' host/cache/membench-aaaaaaaaaaaaaaaa
  rm there/*
  succeeds master '' "$code"
  assert_equal "$(cd host/cache && printf '%s ' membench-* test-*)" "$(printf '%s\n' "${output##*/}" membench-aaaaaaaaaaaaaaaa test-0123456789abcdef | sort | tr '\n' ' ')"
  [[ -n $(find "$output" -mtime -1) ]] || fail 'its last use is not on record'
}

@test "two runs that copy a file to one host at the same time both succeed; a copy that fails leaves nothing" {
  elsewhere_master 'call_put 127.0.0.1 file "$SCRATCH/cache/copy"' | sed '/^remote_open /d' >put.sh
  put() { bash put.sh; }
  echo content >file
  mkdir bin cache
  # The first copy is complete, and does not have its name yet.
  program_make bin/mv '#!/bin/sh\n: >waiting\nuntil [ -e go ]; do sleep 0.05; done\nexec %s "$@"\n' "$(command -v mv)"
  PATH=$SCRATCH/bin:$PATH put >first 2>&1 3>&- &
  pid=$!
  wait_until 10 test -e waiting
  put || fail 'the second copy failed'
  : >go
  wait "$pid" || fail "$(<first)"
  cmp file cache/copy
  assert_equal "$(ls cache)" copy
  # What arrives is not what was sent: each call gives another sum.
  program_make bin/sha256sum '#!/bin/sh\necho $$\n'
  PATH=$SCRATCH/bin:$PATH fails 1 run put
  assert_contains "127.0.0.1: $SCRATCH/cache/copy could not be copied there"
  assert_equal "$(ls cache)" copy
}

@test "a program that another run has built on the host since is not built again; one that does not start is refused with the loader's own words" {
  path=$SCRATCH/host/cache/some-0123456789abcdef
  mkdir -m 700 host
  mkdir host/cache
  printf 'some:\n\techo built >>%s\n\tprintf "#!/bin/sh\\necho 1\\n" >some\n\tchmod +x some\n' "$SCRATCH/built" >Makefile
  tar -cf host/cache/0123456789abcdef.tar Makefile
  # The first run removes the sources. The second may have sent them before that, and the third sends them afterwards.
  for turn in first second third; do
    [[ $turn != third ]] || tar -cf host/cache/0123456789abcdef.tar Makefile
    prints "yes"$'\t'"$path" run_split remote_script program build some 0123456789abcdef some some
  done
  assert_equal "$(<built)" built
  assert_equal "$(ls host/cache)" "$(printf '%s\n' some-0123456789abcdef source-0123456789abcdef.log)"
  key=0123456789abcdef
  gcc -shared -o libgone.so -x c /dev/null
  echo 'int main(void) { return 0; }' | gcc -o "host/cache/some-$key" -x c - -L. -Wl,--no-as-needed -lgone
  rm libgone.so
  succeeds run_split remote_script program have some "$key"
  assert_match "^no"$'\t'"$(uname -m)"$'\t'"error while loading shared libraries: libgone[.]so: cannot open shared object file"
}
