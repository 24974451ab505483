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
  cd "$FOLDER" 2>/dev/null || fail "$FOLDER: is missing"
  # What several files need is read once, because programs take most of the time.
  LSCPU=$(run_limited 20 lscpu)
  VSMP=$(vsmp_prefix) || VSMP=
  mapfile -t NICS < <(irq_devices "$ADDRESS" 2>/dev/null)
  sysinfo_setup >setup.log
  sysinfo_files
  env_all | LC_ALL=C sort -u >env.tsv
  files_send -- *
}

# The lines of the guide's setup.log.
sysinfo_setup() {
  local file=$ROOT/sys/kernel/mm/transparent_hugepage/enabled
  uname -a
  echo
  run_limited 10 free -g 2>/dev/null || cat /proc/meminfo
  echo
  run_limited 10 uptime 2>/dev/null || cat /proc/loadavg
  echo
  first_line "$file"
  if [[ -n $REPLY ]]; then printf '%s:%s\n' "$file" "$REPLY"; else echo 'transparent huge pages: none'; fi
  echo
  printf '%s\n' "$LSCPU"
  echo
  if [[ -n $VSMP ]]; then
    run_limited 20 "${VSMP}version" -vvv || :
    run_limited 20 "${VSMP}ctl" --status || :
  else
    echo 'Running NATIVE'
  fi
  echo
}

sysinfo_files() {
  local device
  keep lscpu-e.txt lscpu -e
  keep numactl.txt tier_nodes
  keep meminfo.txt whole "$ROOT/proc/meminfo"
  keep cmdline.txt whole "$ROOT/proc/cmdline"
  keep sysctl.txt sysctl_subset
  keep vulnerabilities.txt show "$ROOT"/sys/devices/system/cpu/vulnerabilities/*
  keep power.txt show "$ROOT"/sys/devices/system/cpu/cpu*/cpufreq/scaling_{driver,governor,min_freq,max_freq} \
    "$ROOT"/sys/devices/system/cpu/cpu*/cpuidle/state*/{name,latency,disable} "$ROOT"/sys/devices/system/cpu/cpu*/power/energy_perf_bias
  keep thp.txt show "$ROOT"/sys/kernel/mm/transparent_hugepage/{enabled,defrag,shmem_enabled,khugepaged/defrag}
  keep mounts.txt whole "$ROOT/proc/mounts"
  keep swaps.txt whole "$ROOT/proc/swaps"
  keep block.txt lsblk -o NAME,TYPE,SIZE,ROTA,SCHED,RA,MODEL,FSTYPE,MOUNTPOINT
  keep dmi-memory.txt dmidecode -t 17
  for device in "${NICS[@]}"; do
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
  if declare -F "$1" >/dev/null; then "$@"; else run_limited 20 "$@"; fi
}

# The first line of a file; empty if it cannot be read.
# Returns: sets REPLY
first_line() {
  REPLY=
  { IFS= read -r REPLY <"$1"; } 2>/dev/null || :
}

# Print a file.
whole() {
  local -a lines
  mapfile lines <"$1" && printf '%s' "${lines[@]}"
}

# Print files with their names; missing files are left out.
show() {
  local file REPLY
  for file in "$@"; do
    first_line "$file"
    [[ -z $REPLY ]] || printf '%s: %s\n' "${file#"$ROOT"}" "$REPLY"
  done
}

sysctl_subset() {
  # It reads only what it prints.
  run_limited 20 sysctl -a --pattern "$SYSINFO_SYSCTL" 2>/dev/null
}

nic() {
  local option
  show "$ROOT/sys/class/net/$1"/{address,mtu,speed,duplex,operstate,numa_node,device/numa_node}
  for option in -i -l -g -c -k; do
    printf '\nethtool %s\n' "$option"
    run_limited 10 ethtool "$option" "$1" 2>&1 || :
  done
}

# --- env.tsv: KEY VALUE, only values that change only by configuration ---

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
  local REPLY
  first_line "$ROOT$2"
  [[ ! $REPLY =~ \[([^]]+)\] ]] || REPLY=${BASH_REMATCH[1]}
  row "$1" "$REPLY"
}

# Print one row from the first line of a file that begins with a text; the value is the rest of that line, without its unit, blanks and quotes
# around it.
# Usage: row_after KEY PATH TEXT [UNIT]
row_after() {
  local line value=
  [[ ! -r $2 ]] || while IFS= read -r line; do
    [[ $line == "$3"* ]] || continue
    value=${line#"$3"}
    value=${value%"${4-}"}
    value=${value#"${value%%[!$' \t"']*}"}
    value=${value%"${value##*[!$' \t"']}"}
    break
  done <"$2"
  row "$1" "$value"
}

env_machine() {
  local file line
  # Release, version and machine; only the version may contain blanks.
  line=$(uname -rvm)
  row kernel.release "${line%% *}"
  row kernel.machine "${line##* }"
  line=${line#* }
  row kernel.version "${line% *}"
  row_file kernel.cmdline /proc/cmdline
  row_after os.name /etc/os-release PRETTY_NAME=
  line=$(exec getconf GNU_LIBC_VERSION 2>/dev/null) || line=
  row os.libc "$line"
  row_file clock.source /sys/devices/system/clocksource/clocksource0/current_clocksource
  row_file machine.product /sys/class/dmi/id/product_name
  row_file machine.bios /sys/class/dmi/id/bios_version
  for file in "$ROOT"/sys/devices/system/cpu/vulnerabilities/*; do
    [[ -e $file ]] || continue
    row_file "vulnerability.${file##*/}" "${file#"$ROOT"}"
  done
  # Read earlier, because this takes longer than the rest.
  while IFS= read -r line; do
    [[ $line != *' = '* ]] || row "sysctl.${line%% =*}" "${line#*= }"
  done <sysctl.txt
  if [[ -n $VSMP ]]; then
    row tier.vsmp "$(run_limited 20 "${VSMP}version" 2>/dev/null | sed -n 1p || :)"
  else
    row tier.vsmp native
  fi
}

env_cpu() {
  local value
  awk -F ': +' -v OFS='\t' '
    { sub(/^ +/, "", $1) }
    BEGIN {
      key["Model name"] = "cpu.model"; key["CPU(s)"] = "cpu.count"; key["Socket(s)"] = "cpu.sockets"
      key["Core(s) per socket"] = "cpu.cores_per_socket"; key["Thread(s) per core"] = "cpu.threads_per_core"
      key["NUMA node(s)"] = "cpu.nodes"; key["L3 cache"] = "cpu.l3"; key["L2 cache"] = "cpu.l2"
      key["Hypervisor vendor"] = "machine.hypervisor"; key["Virtualization type"] = "machine.virtualization"
    }
    $1 in key { print key[$1], $2 }' <<<"$LSCPU"
  row_after cpu.microcode "$ROOT/proc/cpuinfo" $'microcode\t:'
  row_file cpu.online /sys/devices/system/cpu/online
  row_file cpu.isolated /sys/devices/system/cpu/isolated
  row_file cpu.smt /sys/devices/system/cpu/smt/control
  row_file cpu.turbo_off /sys/devices/system/cpu/intel_pstate/no_turbo
  row_file cpu.boost /sys/devices/system/cpu/cpufreq/boost
  # Each different value of the CPUs, once.
  row_distinct cpu.governor "$ROOT"/sys/devices/system/cpu/cpu*/cpufreq/scaling_governor
  row_distinct cpu.frequency_driver "$ROOT"/sys/devices/system/cpu/cpu*/cpufreq/scaling_driver
  row_distinct cpu.energy_bias "$ROOT"/sys/devices/system/cpu/cpu*/power/energy_perf_bias
  row_file cpu.idle_driver /sys/devices/system/cpu/cpuidle/current_driver
  row_file cpu.idle_governor /sys/devices/system/cpu/cpuidle/current_governor
  row_distinct cpu.idle_states "$ROOT"/sys/devices/system/cpu/cpu*/cpuidle/state*/name
  value=$(od -An -td4 -N 4 "$ROOT/dev/cpu_dma_latency" 2>/dev/null) || :
  row cpu.dma_latency "${value// /}"
}

# Print one row with each different value of files, sorted.
# Usage: row_distinct KEY FILE...
row_distinct() {
  local file REPLY text
  local -A seen=()
  for file in "${@:2}"; do
    first_line "$file"
    [[ -z $REPLY ]] || seen[$REPLY]=1
  done
  text=${!seen[*]}
  ((${#seen[@]} < 2)) || text=$(printf '%s\n' "${!seen[@]}" | LC_ALL=C sort | paste -s -d ' ')
  row "$1" "$text"
}

env_memory() {
  local node number path devices=
  row_after memory.kib "$ROOT/proc/meminfo" MemTotal: ' kB'
  row_after swap.kib "$ROOT/proc/meminfo" SwapTotal: ' kB'
  # Below a line with the names of the columns.
  [[ ! -r $ROOT/proc/swaps ]] || while read -r path _; do
    [[ $path != /* ]] || devices+=${devices:+ }$path
  done <"$ROOT/proc/swaps"
  row swap.devices "$devices"
  for node in "$ROOT"/sys/devices/system/node/node[0-9]*; do
    [[ -e $node/meminfo ]] || continue
    number=${node##*/node}
    row_after "memory.${node##*/}.kib" "$node/meminfo" "Node $number MemTotal:" ' kB'
    row_file "memory.${node##*/}.cpus" "${node#"$ROOT"}/cpulist"
  done
  row memory.dimms "$(awk -F ': ' '/^\t(Size|Type|Speed): / { printf "%s%s", sep, $2; sep = /Speed/ ? ", " : " " }' dmi-memory.txt)"
  row_file thp.enabled /sys/kernel/mm/transparent_hugepage/enabled
  row_file thp.defrag /sys/kernel/mm/transparent_hugepage/defrag
  row_file ksm.run /sys/kernel/mm/ksm/run
  row_file zswap.enabled /sys/module/zswap/parameters/enabled
}

env_nic() {
  local device path target line version
  row nic.devices "${NICS[*]}"
  for device in "${NICS[@]}"; do
    path=/sys/class/net/$device
    row_file "nic.$device.speed" "$path/speed"
    row_file "nic.$device.mtu" "$path/mtu"
    target=$(readlink "$ROOT$path/device/driver") || target=none
    row "nic.$device.driver" "${target##*/}"
    version=
    while IFS= read -r line; do
      [[ $line != version:\ * && $line != firmware-version:\ * ]] || version+="${version:+ }${line#*: }"
    done <"nic-$device.txt"
    row "nic.$device.version" "$version"
    row_count "nic.$device.rx_queues" "$ROOT$path"/queues/rx-*
    row_count "nic.$device.tx_queues" "$ROOT$path"/queues/tx-*
  done
  [[ ! -s irq.tsv ]] || awk -F '\t' -v OFS='\t' '{ print "irq." $3, $4 }' irq.tsv
  [[ ! -s queues.tsv ]] || while IFS=$'\t' read -r device path target line; do
    row "nic.$device.$path.$target" "$line"
  done <queues.tsv
}

# Print one row with the number of files that a pattern matches.
# Usage: row_count KEY FILE...
row_count() {
  local count=$(($# - 1))
  [[ -e $2 ]] || count=0
  row "$1" "$count"
}

env_software() {
  local text word
  row tool.numactl "$(numactl_version)"
  row tool.screen "$(run_limited 10 screen --version 2>/dev/null || :)"
  row tool.bash "$BASH_VERSION"
  [[ -n $REDIS_BINARY ]] || return 0
  # Redis server v=7.0.15 sha=00000000:0 malloc=jemalloc-5.3.0 bits=64 build=cf3a3f63a8c78d0d
  text=$(<redis.txt)
  for word in $text; do
    case $word in
      v=*) row redis.version "${word#*=}" ;;
      sha=* | malloc=* | bits=* | build=*) row "redis.${word%%=*}" "${word#*=}" ;;
    esac
  done
}

# numactl did not print its version before 2.0.17; the name of its library contains it. The loader prints the names, as it does for ldd, which starts
# more processes.
numactl_version() {
  local path said found='libnuma[^ ]* => ([^ ]+)'
  path=$(command -v numactl) && said=$(run_limited 10 env LD_TRACE_LOADED_OBJECTS=1 "$path" 2>/dev/null) && [[ $said =~ $found ]] || return 0
  path=$(readlink -f -- "${BASH_REMATCH[1]}")
  printf 'library %s\n' "${path##*.so.}"
}
