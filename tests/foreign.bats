#!/usr/bin/env bats
# SPDX-License-Identifier: MIT
# Foreign CPU time: that neither Redis, nor the load generators, nor our scripts used, from probes to warnings.

load helper

# Print phase, host and columns from foreign_cpu_percent on that foreign.awk makes of marks, with blanks for tabs.
# Usage: judged LIMIT [COLUMNS] <MARKS, whose columns are: MARK HOST KERNEL SPACE TIME CPUS USED STEAL ALL OURS ROOT SCRIPTS [THROTTLED PERIODS]
judged() {
  sed -E 's/^([^ ]+( [^ ]+){11})$/\1 0 0/' | tr ' ' '\t' | LIMIT=$1 awk -f "$REPO/lib/run/foreign.awk" | sed 1d | cut -f "1,2,${2-9-12}" | tr '\t' ' '
}

@test "foreign is what is used less what is ours, by the larger of two counts, never below 0 and never more than the CPUs of the machine" {
  # In set 3 s are used, of which 2 s are ours and 0.5 s scripts; in get, processes count interrupts that `used` does not.
  prints $'set server 5.0 2.0 10 0\nget server 1.0 0.0 10 0' run judged 10 <<'END'
set server k s 0 4 1000000 0 0 500000 7 100000
get server k s 10000000 4 4000000 200000 2900000 2500000 7 600000
end server k s 20000000 4 4100000 200000 9000000 8500000 7 600000
END
  prints 'set server 200.0 0.0 300 0' run judged 300 <<'END'
set server k s 0 2 0 0 0 0 7 0
end server k s 1000000 2 500000 0 9000000 400000 7 0
END
}

@test "hosts with one kernel share their CPUs; the limit is LIMIT percent of a CPU, or half a percent of all, or all; a truncated probe is left out; of a phase that a search measured again, the last take counts" {
  # A server and two clients on one machine; the clients are behind one sshd. 9 - (3 + 2 + 1) - 0.5 - 0.7 are left.
  prints $'set server 18.0 0.0 10 1\nset a 18.0 0.0 10 1\nset b 18.0 0.0 10 1' run judged 10 <<'END'
set server k s 0 4 0 0 0 0 7 0
set a k s 0 4 0 0 0 0 8 0
set b k s 0 4 0 0 0 0 8 0
end server k s 10000000 4 9000000 0 9000000 3000000 7 500000
end a k s 10000000 4 9000000 0 9000000 2000000 8 700000
end b k s 10000000 4 9000000 0 9000000 1000000 8 700000
END
  # Two containers of one machine share CPUs, but do not see each other's processes: 8 - 5 are left of the CPUs.
  prints $'set server 30.0 0.0 10 1\nset a 30.0 0.0 10 1' run judged 10 <<'END'
set server k s 0 4 0 0 0 0 7 0
set a k t 0 4 0 0 0 0 8 0
end server k s 10000000 4 8000000 0 3500000 3000000 7 0
end a k t 10000000 4 8000000 0 2100000 2000000 8 0
END
  cat >marks <<'END'
set server k s 0 100 0 0 0 0 7 0
get server k s 100
end server k s 10000000 100 4900000 0 0 0 7 0
set a l s 0 2 0 0 0 0 8 0
end a l s 10000000 2 0 1100000 0 0 8 0
END
  prints $'set server 49.0 0.0 50 0\nset a 0.0 11.0 10 1' run judged 10% <marks
  prints $'set server 49.0 0.0 10000 0\nset a 0.0 11.0 200 0' run judged off <marks
  # The second take uses 4 s, of which 1 s is ours and 0.5 s scripts.
  prints $'populate server 15.0 0.0 10 1\nmixed server 25.0 0.0 10 1' run judged 10 <<'END'
populate server k s 0 4 0 0 0 0 7 0
steps server k s 10000000 4 3000000 0 0 1000000 7 500000
mixed server k s 20000000 4 9000000 0 0 2000000 7 900000
steps server k s 30000000 4 18000000 0 0 4000000 7 1900000
mixed server k s 40000000 4 24000000 0 0 5000000 7 2000000
steps server k s 50000000 4 28000000 0 0 6000000 7 2500000
end server k s 60000000 4 30000000 0 0 7000000 7 2600000
END
}

@test "what a quota stopped is in the rows of each phase and host, and in a warning" {
  prints $'get server 757000 11\nget a 0 0\nset server 0 0\nset a 250000 3' run judged 10 13,14 <<'END'
get server k s 0 2 0 0 0 0 7 0 5000000 40
get a l s 0 2 0 0 0 0 8 0 0 0
set server k s 10000000 2 0 0 0 0 7 0 5757000 51
set a l s 10000000 2 0 0 0 0 8 0 0 0
end server k s 20000000 2 0 0 0 0 7 0 5757000 51
end a l s 20000000 2 0 0 0 0 8 0 250000 3
END
  succeeds run_split bash -c 'set -Eeuo pipefail
    LIB=$REPO/lib SERVER=b FOREIGN=10% LOG_FILE=
    . "$LIB/core/log.sh" && . "$LIB/core/write.sh" && . "$LIB/run/foreign.sh"
    foreign_mark get server "$(printf "k\ts\t0\t2\t0\t0\t0\t0\t7\t0\t5000000\t40")"
    foreign_mark end server "$(printf "k\ts\t10000000\t2\t0\t0\t0\t0\t7\t0\t5757000\t51")"
    foreign_write .'
  assert_contains "b: during get a quota of CPU time stopped the instances for 757 ms, in 11 periods; doctor prints the quota" "$STDERR"
}

@test "a probe counts recorded processes and their ended children as ours, and what runs below it as scripts" {
  cat >probe.sh <<'END'
set -Eeuo pipefail
for file in "$REPO"/lib/{shared/*,host/allowed,host/probe}.sh; do . "$file"; done
ALLOWED_STATS=(cpu.stat)
echo 'throttled_usec 7' >cpu.stat
RUN_OWNER=$'a\tb\tc\t0\t0\tother\tother\tx'
# In a separate session, like an instance; its child has ended when it prints so.
setsid bash -c 'read -r _ <go; (for ((i = 0; i < 200000; i++)); do :; done); echo >spun; exec sleep 60' </dev/null >/dev/null 2>&1 3>&- &
proc_record record $! one
host_probe_cpu 0 record
echo >go
read -r _ <spun
(for ((i = 0; i < 200000; i++)); do :; done)
host_probe_cpu 5000000 record
proc_end 5 record
END
  mkfifo go spun
  succeeds run bash probe.sh
  # Both loops take the same, at least some ticks.
  awk -F '\t' '$11 != 7 || $12 != 0 { exit 1 }
    NR == 1 { all = $7; ours = $8; scripts = $10; next }
    { exit !(NF == 12 && $8 - 5000000 - ours >= 50000 && $10 - scripts >= 50000 && $7 - all >= 100000) }' <<<"$output" || fail "not counted"
}
