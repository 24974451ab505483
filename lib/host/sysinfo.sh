# SPDX-License-Identifier: MIT
# shellcheck shell=bash
# Facts of this host as files: the guide's setup.log, further details for readers, and env.tsv for programs.
# Needs: cpus irq vsmp tier
# Settings sent in front: ADDRESS, which carries the load; REDIS_BINARY, empty where no instance runs.
# TIERBENCH_ROOT, if set, is a prefix of the kernel's paths, so that a test can simulate another machine.

# Settings of sysctl that can affect Redis, its memory and its network.
readonly SYSINFO_SYSCTL='^(vm\.|net\.core\.|net\.ipv4\.(tcp_|ip_local_port_range)|kernel\.(numa_|sched_|randomize|timer_migration|watchdog))'

# Send all files.
# Usage: main
main() {
  work_open
  ROOT=${TIERBENCH_ROOT-}
  FOLDER=$(mktemp -d "$WORK/sysinfo.XXXXXX")
  trap 'rm -rf -- "$FOLDER"' EXIT
  cd "$FOLDER" 2>/dev/null || fail "$FOLDER: is gone"
  sysinfo_setup >setup.log
  sysinfo_files
  env_all | LC_ALL=C sort -u >env.tsv
  files_send -- *
}

# The lines of the guide's setup.log.
sysinfo_setup() {
  local prefix
  uname -a
  echo
  run_limited 10 free -g 2>/dev/null || cat /proc/meminfo
  echo
  run_limited 10 uptime 2>/dev/null || cat /proc/loadavg
  echo
  grep . "$ROOT/sys/kernel/mm/transparent_hugepage/enabled" /dev/null || echo 'transparent huge pages: none'
  echo
  run_limited 20 lscpu
  echo
  if prefix=$(vsmp_prefix); then
    run_limited 20 "${prefix}version" -vvv || :
    run_limited 20 "${prefix}ctl" --status || :
  else
    echo 'Running NATIVE'
  fi
  echo
}

sysinfo_files() {
  local device
  keep lscpu-e.txt lscpu -e
  keep numactl.txt tier_nodes
  keep meminfo.txt cat "$ROOT/proc/meminfo"
  keep cmdline.txt cat "$ROOT/proc/cmdline"
  keep sysctl.txt sysctl_subset
  keep vulnerabilities.txt show "$ROOT"/sys/devices/system/cpu/vulnerabilities/*
  keep power.txt show "$ROOT"/sys/devices/system/cpu/cpu*/cpufreq/scaling_{driver,governor,min_freq,max_freq} \
    "$ROOT"/sys/devices/system/cpu/cpu*/cpuidle/state*/{name,latency,disable} "$ROOT"/sys/devices/system/cpu/cpu*/power/energy_perf_bias
  keep thp.txt show "$ROOT"/sys/kernel/mm/transparent_hugepage/{enabled,defrag,shmem_enabled,khugepaged/defrag}
  keep mounts.txt cat "$ROOT/proc/mounts"
  keep swaps.txt cat "$ROOT/proc/swaps"
  keep block.txt lsblk -o NAME,TYPE,SIZE,ROTA,SCHED,RA,MODEL,FSTYPE,MOUNTPOINT
  keep dmi-memory.txt dmidecode -t 17
  for device in $(irq_devices "$ADDRESS" || :); do
    keep "nic-$device.txt" nic "$device"
    irq_map "$device" >>irq.tsv
    irq_queues "$device" >>queues.tsv
  done
  [[ -z $REDIS_BINARY ]] || keep redis.txt "$REDIS_BINARY" --version
}

# Write the output of a command into a file, or the reason why it failed.
# Usage: keep FILE COMMAND...
keep() {
  local file=$1
  shift
  if ! command -v "$1" >/dev/null; then
    echo "$1 is not installed" >"$file"
  elif ! limited "$@" >"$file" 2>&1; then
    echo "$1: no more than this" >>"$file"
  fi
}

# Run a program with a time limit, or a function without a limit.
limited() {
  if [[ $(type -t "$1") == file ]]; then run_limited 20 "$@"; else "$@"; fi
}

# Print files with their names; missing files are left out.
show() {
  local file line
  for file in "$@"; do
    line=
    { IFS= read -r line <"$file"; } 2>/dev/null || :
    [[ -z $line ]] || printf '%s: %s\n' "${file#"$ROOT"}" "$line"
  done
}

sysctl_subset() {
  run_limited 20 sysctl -a 2>/dev/null | grep -E "$SYSINFO_SYSCTL"
}

nic() {
  local option
  show "$ROOT/sys/class/net/$1"/{address,mtu,speed,duplex,operstate,numa_node,device/numa_node}
  for option in -i -l -g -c -k; do
    printf '\nethtool %s\n' "$option"
    run_limited 10 ethtool "$option" "$1" 2>&1 || :
  done
}

# --- env.tsv: KEY VALUE, only values that are constant unless somebody changes them ---

env_all() {
  env_machine
  env_cpu
  env_memory
  env_nic
  env_software
}

# Print one row; an empty value is `-`.
# Usage: row KEY VALUE
row() {
  local value=${2//[$'\t\n']/ }
  printf '%s\t%s\n' "$1" "${value:--}"
}

# Print one row from a file's first line; if the line has `[bracketed]` choices, the selected one.
# Usage: row_file KEY PATH
row_file() {
  local line=
  { IFS= read -r line <"$ROOT$2"; } 2>/dev/null || :
  [[ ! $line =~ \[([^]]+)\] ]] || line=${BASH_REMATCH[1]}
  row "$1" "$line"
}

env_machine() {
  local file prefix
  row kernel.release "$(uname -r)"
  row kernel.version "$(uname -v)"
  row kernel.machine "$(uname -m)"
  row_file kernel.cmdline /proc/cmdline
  row os.name "$(sed -n 's/^PRETTY_NAME="\?\([^"]*\)"\?$/\1/p' /etc/os-release 2>/dev/null || :)"
  row os.libc "$(getconf GNU_LIBC_VERSION 2>/dev/null || :)"
  row_file clock.source /sys/devices/system/clocksource/clocksource0/current_clocksource
  row_file machine.product /sys/class/dmi/id/product_name
  row_file machine.bios /sys/class/dmi/id/bios_version
  for file in "$ROOT"/sys/devices/system/cpu/vulnerabilities/*; do
    [[ -e $file ]] || continue
    row_file "vulnerability.${file##*/}" "${file#"$ROOT"}"
  done
  # Read earlier, because this takes longer than the rest.
  { grep ' = ' sysctl.txt || :; } | while IFS= read -r file; do row "sysctl.${file%% =*}" "${file#*= }"; done
  if prefix=$(vsmp_prefix); then
    row tier.vsmp "$(run_limited 20 "${prefix}version" 2>/dev/null | sed -n 1p || :)"
  else
    row tier.vsmp native
  fi
}

env_cpu() {
  run_limited 20 lscpu | awk -F ': +' -v OFS='\t' '
    { sub(/^ +/, "", $1) }
    BEGIN {
      key["Model name"] = "cpu.model"; key["CPU(s)"] = "cpu.count"; key["Socket(s)"] = "cpu.sockets"
      key["Core(s) per socket"] = "cpu.cores_per_socket"; key["Thread(s) per core"] = "cpu.threads_per_core"
      key["NUMA node(s)"] = "cpu.nodes"; key["L3 cache"] = "cpu.l3"; key["L2 cache"] = "cpu.l2"
      key["Hypervisor vendor"] = "machine.hypervisor"; key["Virtualization type"] = "machine.virtualization"
    }
    $1 in key { print key[$1], $2 }'
  row cpu.microcode "$(sed -n 's/^microcode[[:space:]]*: //p' "$ROOT/proc/cpuinfo" | sed -n 1p)"
  row_file cpu.online /sys/devices/system/cpu/online
  row_file cpu.isolated /sys/devices/system/cpu/isolated
  row_file cpu.smt /sys/devices/system/cpu/smt/control
  row_file cpu.turbo_off /sys/devices/system/cpu/intel_pstate/no_turbo
  row_file cpu.boost /sys/devices/system/cpu/cpufreq/boost
  # Each different value of the CPUs, once.
  row cpu.governor "$(distinct "$ROOT"/sys/devices/system/cpu/cpu*/cpufreq/scaling_governor)"
  row cpu.frequency_driver "$(distinct "$ROOT"/sys/devices/system/cpu/cpu*/cpufreq/scaling_driver)"
  row cpu.energy_bias "$(distinct "$ROOT"/sys/devices/system/cpu/cpu*/power/energy_perf_bias)"
  row_file cpu.idle_driver /sys/devices/system/cpu/cpuidle/current_driver
  row_file cpu.idle_governor /sys/devices/system/cpu/cpuidle/current_governor
  row cpu.idle_states "$(distinct "$ROOT"/sys/devices/system/cpu/cpu*/cpuidle/state*/name)"
  row cpu.dma_latency "$(od -An -td4 -N 4 "$ROOT/dev/cpu_dma_latency" 2>/dev/null | tr -d ' ' || :)"
}

# Print each different value of the files, once.
distinct() {
  show "$@" | sed 's/^[^ ]*: //' | LC_ALL=C sort -u | paste -s -d ' '
}

env_memory() {
  local node
  row memory.kib "$(awk '$1 == "MemTotal:" { print $2 }' "$ROOT/proc/meminfo")"
  row swap.kib "$(awk '$1 == "SwapTotal:" { print $2 }' "$ROOT/proc/meminfo")"
  row swap.devices "$(awk 'NR > 1 { print $1 }' "$ROOT/proc/swaps" 2>/dev/null | paste -s -d ' ')"
  for node in "$ROOT"/sys/devices/system/node/node[0-9]*; do
    [[ -e $node/meminfo ]] || continue
    row "memory.${node##*/}.kib" "$(awk '$3 == "MemTotal:" { print $4 }' "$node/meminfo")"
    row_file "memory.${node##*/}.cpus" "${node#"$ROOT"}/cpulist"
  done
  row memory.dimms "$(run_limited 20 dmidecode -t 17 2>/dev/null | awk -F ': ' '/^\t(Size|Type|Speed): / { printf "%s%s", sep, $2; sep = /Speed/ ? ", " : " " }' || :)"
  row_file thp.enabled /sys/kernel/mm/transparent_hugepage/enabled
  row_file thp.defrag /sys/kernel/mm/transparent_hugepage/defrag
  row_file ksm.run /sys/kernel/mm/ksm/run
  row_file zswap.enabled /sys/module/zswap/parameters/enabled
}

env_nic() {
  local device path map
  row nic.devices "$(irq_devices "$ADDRESS" 2>/dev/null | paste -s -d ' ' || :)"
  for device in $(irq_devices "$ADDRESS" || :); do
    path=/sys/class/net/$device
    row_file "nic.$device.speed" "$path/speed"
    row_file "nic.$device.mtu" "$path/mtu"
    row "nic.$device.driver" "$(basename "$(readlink "$ROOT$path/device/driver" || echo none)")"
    row "nic.$device.version" "$(run_limited 10 ethtool -i "$device" 2>/dev/null | sed -n 's/^\(version\|firmware-version\): //p' | paste -s -d ' ' || :)"
    row "nic.$device.rx_queues" "$(find "$ROOT$path/queues" -maxdepth 1 -name 'rx-*' 2>/dev/null | wc -l)"
    row "nic.$device.tx_queues" "$(find "$ROOT$path/queues" -maxdepth 1 -name 'tx-*' 2>/dev/null | wc -l)"
    map=$(irq_map "$device")
    [[ -z $map ]] || awk -F '\t' -v OFS='\t' '{ print "irq." $3, $4 }' <<<"$map"
    irq_queues "$device" | awk -F '\t' -v OFS='\t' '{ print "nic." $1 "." $2 "." $3, $4 }'
  done
}

env_software() {
  local text word
  row tool.numactl "$(numactl_version)"
  row tool.screen "$(run_limited 10 screen --version 2>/dev/null || :)"
  row tool.bash "$BASH_VERSION"
  [[ -n $REDIS_BINARY ]] || return 0
  # Redis server v=7.0.15 sha=00000000:0 malloc=jemalloc-5.3.0 bits=64 build=cf3a3f63a8c78d0d
  text=$(run_limited 10 "$REDIS_BINARY" --version 2>/dev/null) || :
  for word in $text; do
    case $word in
      v=*) row redis.version "${word#*=}" ;;
      sha=* | malloc=* | bits=* | build=*) row "redis.${word%%=*}" "${word#*=}" ;;
    esac
  done
}

# numactl did not print its version before 2.0.17; the name of its library contains it.
numactl_version() {
  local path
  path=$(command -v numactl) || return 0
  ldd "$path" 2>/dev/null | awk '/libnuma/ { print $3 }' | xargs -r readlink -f | sed 's/.*\.so\./library /'
}
