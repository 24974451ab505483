# SPDX-License-Identifier: MIT
# shellcheck shell=bash
# Facts of this host as files: the guide's setup.log, further details for readers, and env.tsv for programs.
# Needs: cpus irq vsmp tier
# Reads: ADDRESS REDIS_BINARY SYSINFO_OMIT
#   ADDRESS carries the load; REDIS_BINARY is empty where no instance runs
# TIERBENCH_ROOT, if set, is a prefix of the kernel's paths, so that a test can simulate another machine.

# Send all files.
# Usage: main
main() {
  workdir_open
  ROOT=${TIERBENCH_ROOT-}
  # `stop` removes it with the run's directory.
  owner_open
  FOLDER=$(mktemp -d "$WORK/run-$RUN_ID/scratch.XXXXXX")
  trap 'workdir_left; rm -rf -- "$FOLDER"; owner_close' EXIT
  cd "$FOLDER" 2>/dev/null || fail "$FOLDER: is missing"
  # What several files need is read once, because programs take most of the time.
  LSCPU=$(run_limited 20 lscpu)
  VSMP=$(host_vsmp_prefix) || VSMP=
  mapfile -t NICS < <(host_irq_devices "$ADDRESS" 2>/dev/null)
  host_sysinfo_setup >setup.log
  host_sysinfo_files
  host_sysinfo_env_all | LC_ALL=C sort -u >env.tsv
  files_send -- *
}

# The lines of the guide's setup.log.
host_sysinfo_setup() {
  local file=$ROOT/sys/kernel/mm/transparent_hugepage/enabled
  uname -a
  echo
  run_limited 10 free -g 2>/dev/null || cat /proc/meminfo
  echo
  run_limited 10 uptime 2>/dev/null || cat /proc/loadavg
  echo
  host_sysinfo_first_line "$file"
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

# Write the details for readers into the current directory, one file per source, and irq.tsv and queues.tsv of the NICs.
# Usage: host_sysinfo_files
# Globals: ROOT NICS REDIS_BINARY
host_sysinfo_files() {
  local device
  host_sysinfo_keep lscpu-e.txt lscpu -e
  host_sysinfo_keep numactl.txt host_tier_nodes
  host_sysinfo_keep meminfo.txt host_sysinfo_whole "$ROOT/proc/meminfo"
  host_sysinfo_keep cmdline.txt host_sysinfo_whole "$ROOT/proc/cmdline"
  host_sysinfo_keep sysctl.txt host_sysinfo_sysctl_subset
  host_sysinfo_keep vulnerabilities.txt host_sysinfo_show "$ROOT"/sys/devices/system/cpu/vulnerabilities/*
  host_sysinfo_keep power.txt host_sysinfo_show "$ROOT"/sys/devices/system/cpu/cpu*/cpufreq/scaling_{driver,governor,min_freq,max_freq} \
    "$ROOT"/sys/devices/system/cpu/cpu*/cpuidle/state*/{name,latency,disable} "$ROOT"/sys/devices/system/cpu/cpu*/power/energy_perf_bias
  host_sysinfo_keep thp.txt host_sysinfo_show "$ROOT"/sys/kernel/mm/transparent_hugepage/{enabled,defrag,shmem_enabled,khugepaged/defrag}
  host_sysinfo_keep mounts.txt host_sysinfo_whole "$ROOT/proc/mounts"
  host_sysinfo_keep swaps.txt host_sysinfo_whole "$ROOT/proc/swaps"
  host_sysinfo_keep block.txt lsblk -o NAME,TYPE,SIZE,ROTA,SCHED,RA,MODEL,FSTYPE,MOUNTPOINT
  host_sysinfo_keep dmi-memory.txt dmidecode -t 17
  for device in "${NICS[@]}"; do
    host_sysinfo_keep "nic-$device.txt" host_sysinfo_nic "$device"
    host_irq_map "$device" >>irq.tsv
    host_irq_queues "$device" >>queues.tsv
  done
  [[ -z $REDIS_BINARY ]] || host_sysinfo_keep redis.txt "$REDIS_BINARY" --version
}

# Write the output of a command into a file, or the reason why it failed, unless SYSINFO_OMIT names the file.
# Usage: host_sysinfo_keep FILE COMMAND...
host_sysinfo_keep() {
  local file=$1
  shift
  ! host_sysinfo_omits "${file%.txt}" || return 0
  if ! command -v "$1" >/dev/null; then
    echo "$1 is not installed" >"$file"
  elif ! host_sysinfo_limited "$@" >"$file" 2>&1; then
    echo "$1: no more than this" >>"$file"
  fi
}

# Whether the settings leave a file out.
# Usage: host_sysinfo_omits NAME
host_sysinfo_omits() { [[ " $SYSINFO_OMIT " == *" $1 "* ]]; }

# Run a program with a time limit, or a function without a limit.
host_sysinfo_limited() {
  if declare -F "$1" >/dev/null; then "$@"; else run_limited 20 "$@"; fi
}

# The first line of a file; empty if it cannot be read.
# Returns: sets REPLY
host_sysinfo_first_line() {
  REPLY=
  { IFS= read -r REPLY <"$1"; } 2>/dev/null || :
}

# Print a file.
host_sysinfo_whole() {
  local -a lines
  mapfile lines <"$1" && printf '%s' "${lines[@]}"
}

# Print files with their names; missing files are left out.
host_sysinfo_show() {
  local file REPLY
  for file in "$@"; do
    host_sysinfo_first_line "$file"
    [[ -z $REPLY ]] || printf '%s: %s\n' "${file#"$ROOT"}" "$REPLY"
  done
}

# Print the settings of sysctl that can affect Redis, its memory and its network, as lines NAME = VALUE. The key of TCP Fast Open is a secret.
# Usage: host_sysinfo_sysctl_subset
host_sysinfo_sysctl_subset() {
  # Some files cannot be read. sysctl would look at all settings of the machine, which takes ten times as long.
  (
    cd -- "$ROOT/proc/sys" || exit
    { grep -rs '' vm net/core net/ipv4/{tcp_*,ip_local_port_range} kernel/{numa_,sched_,randomize,timer_migration,watchdog}* || :; } |
      sed -E -e /tcp_fastopen_key/d -e ':next' -e 's#^([^:]*)/#\1.#' -e 't next' -e 's#:# = #'
  )
}

# Print what /sys and ethtool report of a NIC; ethtool knows only the features of loopback.
# Usage: host_sysinfo_nic DEVICE
host_sysinfo_nic() {
  local option options='-i -l -g -c -k'
  [[ $1 != lo ]] || options=-k
  host_sysinfo_show "$ROOT/sys/class/net/$1"/{address,mtu,speed,duplex,operstate,numa_node,device/numa_node}
  for option in $options; do
    printf '\nethtool %s\n' "$option"
    run_limited 10 ethtool "$option" "$1" 2>&1 || :
  done
}

# --- env.tsv: KEY VALUE, only values that change only by configuration ---

# Print all rows, unsorted. The files of host_sysinfo_files must be in the current directory.
# Usage: host_sysinfo_env_all
# Globals: ROOT LSCPU VSMP NICS REDIS_BINARY
host_sysinfo_env_all() {
  host_sysinfo_env_machine
  host_sysinfo_env_cpu
  host_sysinfo_env_memory
  host_sysinfo_env_nic
  host_sysinfo_env_software
}

# Print one row; an empty value is `-`.
# Usage: host_sysinfo_row KEY VALUE
host_sysinfo_row() {
  local value=${2//[$'\t\n']/ }
  printf '%s\t%s\n' "$1" "${value:--}"
}

# Print one row from a file's first line; if the line has `[bracketed]` choices, the selected one.
# Usage: host_sysinfo_row_file KEY PATH
host_sysinfo_row_file() {
  local REPLY
  host_sysinfo_first_line "$ROOT$2"
  [[ ! $REPLY =~ \[([^]]+)\] ]] || REPLY=${BASH_REMATCH[1]}
  host_sysinfo_row "$1" "$REPLY"
}

# Print one row from the first line of a file that begins with a text; the value is the rest of that line, without its unit, blanks and quotes
# around it.
# Usage: host_sysinfo_row_after KEY PATH TEXT [UNIT]
host_sysinfo_row_after() {
  local line value=
  [[ ! -r $2 ]] || while IFS= read -r line; do
    [[ $line == "$3"* ]] || continue
    value=${line#"$3"}
    value=${value%"${4-}"}
    value=${value#"${value%%[!$' \t"']*}"}
    value=${value%"${value##*[!$' \t"']}"}
    break
  done <"$2"
  host_sysinfo_row "$1" "$value"
}

# Print the rows of the kernel, the operating system, the firmware, sysctl and vSMP.
# Usage: host_sysinfo_env_machine
host_sysinfo_env_machine() {
  local file line
  # Release, version and machine; only the version may contain blanks.
  line=$(uname -rvm)
  host_sysinfo_row kernel.release "${line%% *}"
  host_sysinfo_row kernel.machine "${line##* }"
  line=${line#* }
  host_sysinfo_row kernel.version "${line% *}"
  # Differs after each boot.
  host_sysinfo_row_file kernel.boot /proc/sys/kernel/random/boot_id
  host_sysinfo_omits cmdline || host_sysinfo_row_file kernel.cmdline /proc/cmdline
  host_sysinfo_row_after os.name /etc/os-release PRETTY_NAME=
  line=$(exec getconf GNU_LIBC_VERSION 2>/dev/null) || line=
  host_sysinfo_row os.libc "$line"
  host_sysinfo_row_file clock.source /sys/devices/system/clocksource/clocksource0/current_clocksource
  host_sysinfo_row_file machine.product /sys/class/dmi/id/product_name
  host_sysinfo_row_file machine.bios /sys/class/dmi/id/bios_version
  for file in "$ROOT"/sys/devices/system/cpu/vulnerabilities/*; do
    [[ -e $file ]] || continue
    host_sysinfo_row_file "vulnerability.${file##*/}" "${file#"$ROOT"}"
  done
  # Read earlier, because this takes longer than the rest.
  while IFS= read -r line; do
    [[ $line != *' = '* ]] || host_sysinfo_row "sysctl.${line%% =*}" "${line#*= }"
  done <sysctl.txt
  if [[ -n $VSMP ]]; then
    host_sysinfo_row tier.vsmp "$(run_limited 20 "${VSMP}version" 2>/dev/null | sed -n 1p || :)"
  else
    host_sysinfo_row tier.vsmp native
  fi
}

# Print the rows of the CPUs: model, topology, frequency and idle states.
# Usage: host_sysinfo_env_cpu
host_sysinfo_env_cpu() {
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
  host_sysinfo_row_after cpu.microcode "$ROOT/proc/cpuinfo" $'microcode\t:'
  host_sysinfo_row_file cpu.online /sys/devices/system/cpu/online
  host_sysinfo_row_file cpu.isolated /sys/devices/system/cpu/isolated
  host_sysinfo_row_file cpu.smt /sys/devices/system/cpu/smt/control
  host_sysinfo_row_file cpu.turbo_off /sys/devices/system/cpu/intel_pstate/no_turbo
  host_sysinfo_row_file cpu.boost /sys/devices/system/cpu/cpufreq/boost
  # Each different value of the CPUs, once.
  host_sysinfo_row_distinct cpu.governor "$ROOT"/sys/devices/system/cpu/cpu*/cpufreq/scaling_governor
  host_sysinfo_row_distinct cpu.frequency_driver "$ROOT"/sys/devices/system/cpu/cpu*/cpufreq/scaling_driver
  host_sysinfo_row_distinct cpu.energy_bias "$ROOT"/sys/devices/system/cpu/cpu*/power/energy_perf_bias
  host_sysinfo_row_file cpu.idle_driver /sys/devices/system/cpu/cpuidle/current_driver
  host_sysinfo_row_file cpu.idle_governor /sys/devices/system/cpu/cpuidle/current_governor
  host_sysinfo_row_distinct cpu.idle_states "$ROOT"/sys/devices/system/cpu/cpu*/cpuidle/state*/name
  value=$(od -An -td4 -N 4 "$ROOT/dev/cpu_dma_latency" 2>/dev/null) || :
  host_sysinfo_row cpu.dma_latency "${value// /}"
}

# Print one row with each different value of files, sorted.
# Usage: host_sysinfo_row_distinct KEY FILE...
host_sysinfo_row_distinct() {
  local file REPLY text
  local -A seen=()
  for file in "${@:2}"; do
    host_sysinfo_first_line "$file"
    [[ -z $REPLY ]] || seen[$REPLY]=1
  done
  text=${!seen[*]}
  ((${#seen[@]} < 2)) || text=$(printf '%s\n' "${!seen[@]}" | LC_ALL=C sort | paste -s -d ' ')
  host_sysinfo_row "$1" "$text"
}

# Print the rows of memory: nodes, modules, swap, huge pages, KSM and zswap.
# Usage: host_sysinfo_env_memory
host_sysinfo_env_memory() {
  local node number path devices=
  host_sysinfo_row_after memory.kib "$ROOT/proc/meminfo" MemTotal: ' kB'
  host_sysinfo_row_after swap.kib "$ROOT/proc/meminfo" SwapTotal: ' kB'
  # Below a line with the names of the columns.
  [[ ! -r $ROOT/proc/swaps ]] || while read -r path _; do
    [[ $path != /* ]] || devices+=${devices:+ }$path
  done <"$ROOT/proc/swaps"
  host_sysinfo_row swap.devices "$devices"
  for node in "$ROOT"/sys/devices/system/node/node[0-9]*; do
    [[ -e $node/meminfo ]] || continue
    number=${node##*/node}
    host_sysinfo_row_after "memory.${node##*/}.kib" "$node/meminfo" "Node $number MemTotal:" ' kB'
    host_sysinfo_row_file "memory.${node##*/}.cpus" "${node#"$ROOT"}/cpulist"
  done
  host_sysinfo_row memory.dimms "$(awk -F ': ' '/^\t(Size|Type|Speed): / { printf "%s%s", sep, $2; sep = /Speed/ ? ", " : " " }' dmi-memory.txt)"
  host_sysinfo_row_file thp.enabled /sys/kernel/mm/transparent_hugepage/enabled
  host_sysinfo_row_file thp.defrag /sys/kernel/mm/transparent_hugepage/defrag
  host_sysinfo_row_file ksm.run /sys/kernel/mm/ksm/run
  host_sysinfo_row_file zswap.enabled /sys/module/zswap/parameters/enabled
}

# Print the rows of the NICs that carry the load: speed, driver, queues, interrupts and packet steering.
# Usage: host_sysinfo_env_nic
host_sysinfo_env_nic() {
  local device path target line version
  host_sysinfo_row nic.devices "${NICS[*]}"
  for device in "${NICS[@]}"; do
    path=/sys/class/net/$device
    host_sysinfo_row_file "nic.$device.speed" "$path/speed"
    host_sysinfo_row_file "nic.$device.mtu" "$path/mtu"
    target=$(readlink "$ROOT$path/device/driver") || target=none
    host_sysinfo_row "nic.$device.driver" "${target##*/}"
    version=
    while IFS= read -r line; do
      [[ $line != version:\ * && $line != firmware-version:\ * ]] || version+="${version:+ }${line#*: }"
    done <"nic-$device.txt"
    host_sysinfo_row "nic.$device.version" "$version"
    host_sysinfo_row_count "nic.$device.rx_queues" "$ROOT$path"/queues/rx-*
    host_sysinfo_row_count "nic.$device.tx_queues" "$ROOT$path"/queues/tx-*
  done
  [[ ! -s irq.tsv ]] || awk -F '\t' -v OFS='\t' '{ print "irq." $3, $4 }' irq.tsv
  [[ ! -s queues.tsv ]] || while IFS=$'\t' read -r device path target line; do
    host_sysinfo_row "nic.$device.$path.$target" "$line"
  done <queues.tsv
}

# Print one row with the number of files that a pattern matches.
# Usage: host_sysinfo_row_count KEY FILE...
host_sysinfo_row_count() {
  local count=$(($# - 1))
  [[ -e $2 ]] || count=0
  host_sysinfo_row "$1" "$count"
}

# Print the rows of the versions of numactl, screen, bash and redis-server.
# Usage: host_sysinfo_env_software
host_sysinfo_env_software() {
  local text word
  host_sysinfo_row tool.numactl "$(host_sysinfo_numactl)"
  host_sysinfo_row tool.screen "$(run_limited 10 screen --version 2>/dev/null || :)"
  host_sysinfo_row tool.bash "$BASH_VERSION"
  [[ -n $REDIS_BINARY ]] || return 0
  # Redis server v=7.0.15 sha=00000000:0 malloc=jemalloc-5.3.0 bits=64 build=cf3a3f63a8c78d0d
  text=$(<redis.txt)
  for word in $text; do
    case $word in
      v=*) host_sysinfo_row redis.version "${word#*=}" ;;
      sha=* | malloc=* | bits=* | build=*) host_sysinfo_row "redis.${word%%=*}" "${word#*=}" ;;
    esac
  done
}

# numactl did not print its version before 2.0.17; the name of its library contains it. The loader prints the names, as it does for ldd, which starts
# more processes.
host_sysinfo_numactl() {
  local path said found='libnuma[^ ]* => ([^ ]+)'
  path=$(command -v numactl) && said=$(run_limited 10 env LD_TRACE_LOADED_OBJECTS=1 "$path" 2>/dev/null) && [[ $said =~ $found ]] || return 0
  path=$(readlink -f -- "${BASH_REMATCH[1]}")
  printf 'library %s\n' "${path##*.so.}"
}
