#!/usr/bin/env bats
# SPDX-License-Identifier: MIT
# The description of each host: the guide's setup.log, files for readers, and env.tsv for comparison.

load helper
load tree

prepare() {
  tree_defaults
}

# Capture this machine, or the tree, into env/.
capture() {
  mkdir -p env
  { printf 'mark\n' && remote_script sysinfo && printf '\nmark.end\n'; } >env.sent
  # In a subshell, because it has functions with the same names. _receive_stream needs these settings.
  bash -c '. "$REPO/lib/core/reply.sh" && . "$REPO/lib/core/receive.sh" && . "$REPO/lib/shared/files.sh"
    host=here call=sysinfo REMOTE_FILE=env.sent REMOTE_MARK=mark new=env/.new
    _receive_kind sysinfo && _receive_stream env <"$REMOTE_FILE" && rmdir "$new"'
}

# Print the values of keys of env.tsv, one per line.
value() { for key; do awk -F '\t' -v key="$key" '$1 == key { print $2 }' env/env.tsv; done; }

@test "all files of the description exist, and none is empty; setup.log has what the guide's has, in its order; env.tsv is sorted, each key once, with the values of the machine" {
  REDIS_BINARY=$(command -v redis-server) ADDRESS=127.0.0.1
  capture
  for file in setup.log lscpu-e.txt numactl.txt meminfo.txt cmdline.txt sysctl.txt vulnerabilities.txt thp.txt mounts.txt swaps.txt \
    block.txt dmi-memory.txt redis.txt env.tsv; do
    [[ -s env/$file ]] || fail "$file is empty or not there"
  done
  assert_equal "$(find host -name 'scratch.*')" ''
  run awk '/^Linux /{ print "uname" } /^Mem:/{ print "free" } /load average/{ print "uptime" } /transparent_hugepage/{ print "thp" }
    /^Architecture/{ print "lscpu" } /^Running NATIVE$/{ print "native" }' env/setup.log
  assert_output $'uname\nfree\nuptime\nthp\nlscpu\nnative'
  assert_equal "$(awk -F '\t' 'NF != 2 || $1 == "" || $2 == ""' env/env.tsv)" ''
  assert_equal "$(cut -f 1 env/env.tsv | LC_ALL=C sort -u)" "$(cut -f 1 env/env.tsv)"
  assert_equal "$(value kernel.release cpu.count sysctl.vm.page-cluster)" "$(uname -r && getconf _NPROCESSORS_ONLN && cat /proc/sys/vm/page-cluster)"
  assert_equal "$(value memory.kib)" "$(awk '$1 == "MemTotal:" { print $2 }' /proc/meminfo)"
  assert_equal "$(value sysctl.net.ipv4.ip_local_port_range)" "$(tr '\t' ' ' </proc/sys/net/ipv4/ip_local_port_range)"
  assert_exists /proc/sys/net/ipv4/tcp_fastopen_key
  refute_contains fastopen_key "$(cat env/sysctl.txt env/env.tsv)"
  assert_equal "$(value clock.source)" "$(cat /sys/devices/system/clocksource/clocksource0/current_clocksource 2>/dev/null || echo -)"
  assert_contains "v=$(value redis.version) " "$(redis-server --version)"
  assert_contains "malloc=$(value redis.malloc) " "$(redis-server --version)"
  assert_equal "$(value nic.devices)" lo
}

@test "two captures of an unchanged machine are the same; a change is one line; SYSINFO_OMIT leaves out the files that it names, and the row of the kernel's command line" {
  tree_make ixgbe
  capture
  cp env/env.tsv first.tsv
  capture
  diff first.tsv env/env.tsv
  echo performance >"$TIERBENCH_ROOT/sys/devices/system/cpu/cpu1/cpufreq/scaling_governor"
  capture
  assert_equal "$(diff first.tsv env/env.tsv | grep '^[<>]')" $'< cpu.governor\tpowersave\n> cpu.governor\tperformance powersave'
  mv env all
  SYSINFO_OMIT='cmdline mounts block'
  capture
  assert_equal "$(diff <(ls all) <(ls env) | sed -n 's/^[<>]/&/p')" $'< block.txt\n< cmdline.txt\n< mounts.txt'
  assert_equal "$(diff all/env.tsv env/env.tsv | grep '^[<>]' | cut -f 1)" '< kernel.cmdline'
}

@test "governor, THP, NIC, queues, interrupts and vSMP of another machine" {
  tree_make ena
  capture
  assert_equal "$(value cpu.governor cpu.energy_bias thp.enabled nic.devices | xargs)" 'powersave 6 madvise eth0'
  assert_equal "$(value nic.eth0.{driver,speed,rx_queues,tx-0.xps} irq.eth0-Tx-Rx-1 | xargs)" 'ena 10000 2 f 0-3'
  assert_equal "$(value tier.vsmp)" 'vSMP 9.1 (vsmpversion)'
  assert_contains 'NNA mode (nna): off' "$(<env/setup.log)"
  refute_contains 'Running NATIVE' "$(<env/setup.log)"
  assert_equal "$(wc -l <env/irq.tsv)" 3
}
