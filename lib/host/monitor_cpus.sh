# SPDX-License-Identifier: MIT
# shellcheck shell=bash
# The CPUs that serve requests: their clock, their temperature and how many cores they are. Sums over the samples of the monitors, which marks read.
# TIERBENCH_ROOT, if set, is a prefix of the kernel's paths, so that a test can simulate another machine.

# Find the files with the temperature of a CPU, one per socket: those of its driver, else the zones of the firmware.
host_monitor_cpus_open() {
  local folder name
  MONITOR_HEAT=() MONITOR_CPUS=(0 0 0 0 0 0)
  declare -gA MONITOR_CORE=()
  for folder in "${TIERBENCH_ROOT-}"/sys/class/hwmon/hwmon*; do
    { read -r name <"$folder/name"; } 2>/dev/null || continue
    [[ ! $name =~ ^(coretemp|k10temp|zenpower|cpu_thermal)$ ]] || MONITOR_HEAT+=("$folder/temp1_input")
  done
  ((${#MONITOR_HEAT[@]} == 0)) || return 0
  for folder in "${TIERBENCH_ROOT-}"/sys/class/thermal/thermal_zone*; do
    { read -r name <"$folder/type"; } 2>/dev/null || continue
    [[ ! $name =~ ^(x86_pkg_temp|cpu) ]] || MONITOR_HEAT+=("$folder/temp")
  done
}

# Add a sample: of the CPUs on which instances ran last their mean clock and their cores, and the temperature of the hottest socket.
# Usage: host_monitor_cpus CPU...
# Globals: MONITOR
host_monitor_cpus() {
  local value file index most='' sum=0 count=0 turn
  # Four CPUs per sample take turns, because older kernels need 10 ms for each.
  for ((turn = 0; turn < 4 && turn < $#; turn++)); do
    index=$(((MONITOR_CPUS[0] * 4 + turn) % $# + 1))
    { read -r value <"${TIERBENCH_ROOT-}/sys/devices/system/cpu/cpu${!index}/cpufreq/scaling_cur_freq"; } 2>/dev/null || continue
    sum=$((sum + value)) count=$((count + 1))
  done
  if ((count > 0)); then
    MONITOR_CPUS[0]=$((MONITOR_CPUS[0] + 1))
    MONITOR_CPUS[1]=$((MONITOR_CPUS[1] + sum / count))
  fi
  for file in "${MONITOR_HEAT[@]}"; do
    { read -r value <"$file"; } 2>/dev/null || continue
    [[ -n $most ]] && ((value <= most)) || most=$value
  done
  if [[ -n $most ]]; then
    MONITOR_CPUS[2]=$((MONITOR_CPUS[2] + 1))
    MONITOR_CPUS[3]=$((MONITOR_CPUS[3] + most))
  fi
  if (($# > 0)); then
    host_monitor_cpus_cores "$@"
    MONITOR_CPUS[4]=$((MONITOR_CPUS[4] + 1))
    MONITOR_CPUS[5]=$((MONITOR_CPUS[5] + 1000 * REPLY))
  fi
  # In place, because a mark may read it at any time: sums only grow, and so does the line. Not 1<>: declare -f loses the 1.
  printf '%s\n' "${MONITOR_CPUS[*]}" 3<>"$MONITOR/cpus" >&3
}

# Count the cores of CPUs: hardware threads of one core are one.
# Usage: host_monitor_cpus_cores CPU...   Returns: sets REPLY
host_monitor_cpus_cores() {
  local cpu threads
  local -A cores=()
  for cpu in "$@"; do
    if [[ -z ${MONITOR_CORE[$cpu]-} ]]; then
      threads=$cpu
      { read -r threads <"${TIERBENCH_ROOT-}/sys/devices/system/cpu/cpu$cpu/topology/thread_siblings_list"; } 2>/dev/null || :
      MONITOR_CORE[$cpu]=$threads
    fi
    cores[${MONITOR_CORE[$cpu]}]=1
  done
  REPLY=${#cores[@]}
}

# Print the sums at a mark, rows SCOPE COUNTER VALUE; nothing of what this host does not report.
# Globals: MONITOR
host_monitor_mark_cpus() {
  local clocks khz heats heat counts cores
  { read -r clocks khz heats heat counts cores <"$MONITOR/cpus"; } 2>/dev/null || return 0
  ((clocks == 0)) || printf 'cpus\tclock_samples\t%s\ncpus\tclock_khz\t%s\n' "$clocks" "$khz"
  ((heats == 0)) || printf 'cpus\theat_samples\t%s\ncpus\theat_mdeg\t%s\n' "$heats" "$heat"
  ((counts == 0)) || printf 'cpus\tcore_samples\t%s\ncpus\tmilli_cores\t%s\n' "$counts" "$cores"
}
