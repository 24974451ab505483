# SPDX-License-Identifier: MIT
# shellcheck shell=bash
# A simulated machine for tests: a tree of /proc, /sys and tools below a directory; host scripts run with it.

# Make a machine with four CPUs, a NIC, systemd and vSMP below $SCRATCH/tree, and put its tools first in the PATH.
# Usage: tree_make [NIC_KIND]   Exports: TIERBENCH_ROOT PATH   Returns: 0
#   NIC_KIND is virtio (default) or another file of tests/fixtures/irq: it determines the names and files of its interrupts
tree_make() {
  local cpu unit
  export TIERBENCH_ROOT=$SCRATCH/tree
  # The watchdog of an earlier machine may still write to it.
  remove_busy "$TIERBENCH_ROOT"
  mkdir -p -- "$TIERBENCH_ROOT"/{dev,run/systemd/system,units,usr/local/bin,proc/{irq,sys/{vm,net/core,net/ipv4,kernel}},sys/kernel/mm/{ksm,transparent_hugepage}}
  cd "$TIERBENCH_ROOT" || return
  for cpu in 0 1 2 3; do
    mkdir -p "sys/devices/system/cpu/cpu$cpu"/{cpufreq,power}
    echo powersave >"sys/devices/system/cpu/cpu$cpu/cpufreq/scaling_governor"
    echo 6 >"sys/devices/system/cpu/cpu$cpu/power/energy_perf_bias"
  done
  echo 0-3 >sys/devices/system/cpu/online
  printf 'MemTotal: 16777216 kB\nMemFree: 15777216 kB\nMemAvailable: 15777216 kB\n' >proc/meminfo
  echo 0 >proc/sys/vm/overcommit_memory
  echo 60 >proc/sys/vm/swappiness
  echo 3 >proc/sys/vm/page-cluster
  echo 4096 >proc/sys/net/core/somaxconn
  echo 2048 >proc/sys/net/ipv4/tcp_max_syn_backlog
  printf '32768\t60999\n' >proc/sys/net/ipv4/ip_local_port_range
  echo 1 >proc/sys/kernel/numa_balancing
  echo 1 >sys/kernel/mm/ksm/run
  echo 'always [madvise] never' >sys/kernel/mm/transparent_hugepage/enabled
  for unit in irqbalance tuned firewalld; do echo active >"units/$unit.service"; done
  _tree_nic "${1:-virtio}"
  _tree_tools
  cd "$SCRATCH" || return
}

# The device of the NIC, and its interrupts.
_tree_nic() {
  local bus=0000:00:05.0 device irq
  [[ $1 != mlx5 ]] || bus=0000:3b:00.0
  device=sys/devices/pci0000:00/$bus
  [[ $1 != virtio* ]] || device+=/virtio2
  mkdir -p "$device" sys/class/net/eth0/queues/{rx-0,rx-1,tx-0} sys/class/net/lo sys/bus/drivers/"$1"
  ln -s "$PWD/$device" sys/class/net/eth0/device
  ln -s "$PWD/sys/bus/drivers/$1" "$device/driver"
  echo 10000 >sys/class/net/eth0/speed
  echo 0 >sys/class/net/eth0/queues/rx-0/rps_cpus
  echo f >sys/class/net/eth0/queues/tx-0/xps_cpus
  cp "$REPO/tests/fixtures/irq/$1.interrupts" proc/interrupts
  while read -r irq; do
    mkdir "proc/irq/$irq"
    echo 0-3 >"proc/irq/$irq/smp_affinity_list"
  done < <(sed -n 's/^ *\([0-9]*\):.*/\1/p' proc/interrupts)
  if [[ $1 == virtio ]]; then
    # 40 belongs to another device; 41 was never requested, so /proc/irq does not have it.
    mkdir "${device%/*}/msi_irqs"
    touch "${device%/*}/msi_irqs"/{37,38,39,41}
  elif [[ $1 == virtio4 ]]; then
    mkdir "${device%/*}/msi_irqs"
    touch "${device%/*}/msi_irqs"/{37..45}
  fi
}

# Replacements of tools, which read and change the tree.
_tree_tools() {
  mkdir -p bin
  cat >bin/systemctl <<'END'
#!/bin/sh
file=$TIERBENCH_ROOT/units/$2
case $1 in
  is-active) cat "$file" 2>/dev/null || { echo inactive; exit 4; } ;;
  stop) echo inactive >"$file" ;;
  start) echo active >"$file" ;;
esac
END
  cat >bin/ip <<'END'
#!/bin/sh
# 10.0.0.1 is this machine's address on eth0, or on bond0 or its VLAN if they exist; all other addresses are routed through eth0.
dev=eth0
for each in bond0 bond0.7; do [ ! -d "$TIERBENCH_ROOT/sys/class/net/$each" ] || dev=$each; done
case "$*" in
  *address*127.0.0.1*) echo "1: lo    inet 127.0.0.1/8" ;;
  *address*10.0.0.1*) echo "2: $dev    inet 10.0.0.1/24" ;;
  *route*) echo "10.0.0.9 dev $dev src 10.0.0.1" ;;
esac
END
  echo off >units/nna
  printf '#!/bin/sh\necho "vSMP 9.1 (vsmpversion)"\n' >usr/local/bin/imdtversion
  cat >usr/local/bin/imdtctl <<'END'
#!/bin/sh
case $1 in
  --status) echo "NNA mode (nna): $(cat "$TIERBENCH_ROOT/units/nna")" ;;
  --nna=*) echo "${1#*=}" >"$TIERBENCH_ROOT/units/nna" ;;
esac
END
  chmod +x bin/* usr/local/bin/*
  [[ :$PATH: == *":$TIERBENCH_ROOT/bin:"* ]] || PATH=$TIERBENCH_ROOT/bin:$PATH
}

# Print the state of everything in the tree that tuning may change.
# Usage: tree_state   Returns: 0
tree_state() {
  find "$TIERBENCH_ROOT"/{proc/sys,proc/irq,sys/devices/system,sys/kernel,units} -type f | sort | xargs awk '
    FNR == 1 {
      sub(ENVIRON["TIERBENCH_ROOT"], "", FILENAME)
      if (match($0, /\[[^]]+\]/)) $0 = substr($0, RSTART + 1, RLENGTH - 2)
      print FILENAME, $0
    }'
}

# Run a script of lib/host like remote.sh on a host, with the machine in TIERBENCH_ROOT.
# Usage: remote_script SCRIPT [ARG]...
# Globals: RUN_ID and the settings sent to the script; SCRIPT_CODE: functions that replace those of the script   Returns: the script's status
remote_script() {
  local script=$1 run=$RUN_ID file=$SCRATCH/script.$BASHPID status=0
  shift
  (
    ROOT=$REPO LIB=$REPO/lib
    # All modules would take most of the time.
    # shellcheck source=/dev/null
    . "$LIB/core/log.sh" && . "$LIB/core/call.sh" && . "$REPO/tests/script.bash"
    RUN_ID=$run RUN_OPEN=${RUN_OPEN-} REMOTE_DIR=$SCRATCH/host LOCK_DIR=$SCRATCH/locks
    RUN_OWNER=$(printf '%s\tnobody\tnowhere\t0\t0\t-\t-\t1970-01-01T00:00:00Z\t%s' "$RUN_ID" "${TREE_LEASE:-10}")
    if [[ -n ${SCRIPT_CODE-} ]]; then
      LIB=$file.lib CALL_LIB=$file.lib
      mkdir -- "$LIB" && cp -r -- "$REPO/lib"/{shared,host,tier,part} "$LIB"
      printf '%s\n' "$SCRIPT_CODE" >>"$LIB/host/$script.sh"
    fi
    SCRIPT_MARK=mark-of-the-reply script_program "$script" "$@" >"$file"
  )
  bash -s -- "$@" <"$file" 3>&- >"$file.out" 2>"$file.err" || status=$?
  # The complete output of the script is compared.
  sed -z 's/\nmark-of-the-reply\(\.end\)\?\n//g' "$file.out"
  sed -z 's/\nmark-of-the-reply\n//' "$file.err" >&2
  rm -rf -- "$file"{,.out,.err,.lib}
  return "$status"
}

# Print the rows of conf/tuning.tsv for a host with the settings in place, as the master sends them.
# Usage: tune_table HOST [NAME=VALUE]...   Returns: 0
tune_table() {
  # In a separate process, because bats traces every command in its own process.
  bash -c '
    set -Eeuo pipefail
    ROOT=$REPO RESUME= host=$1
    shift
    LIB=$REPO/lib
    . "$LIB/modules.sh"
    for word in SERVER=10.0.0.1 CLIENT_IP=10.0.0.9 "$@"; do conf_word argument "$word" test; done
    conf_read
    tune_settings "$host" && printf "%s\n" "$REPLY"' bash "$@"
}

# Set the default settings that scripts are sent.
# Usage: tree_defaults   Sets: RUN_ID and more   Returns: 0
tree_defaults() {
  RUN_ID=test-1 TREE_LEASE=120 TUNE_ROWS='' ADDRESS=10.0.0.1 REDIS_BINARY='' SYSINFO_OMIT=none
  NEED_MBIT=1 NEED_PORTS=1 NEED_FILES=1 NEED_NUMACTL='' NEED_REACH='' FIRST_PORT=6379 LAST_PORT=6380 LAST_BUS=0 NEED_DISK='' PROGRAM_KEY=''
}

# Run a verb of lib/host/tune.sh.
# Usage: tune VERB   Sets: as run_split does   Returns: 0
tune() { run_split remote_script tune "$@"; }

# Print the state and the value of a setting in the output of the last tune.
# Usage: said NAME   Globals: output   Returns: 0
# shellcheck disable=SC2154 # of tune
said() { awk -F '\t' -v name="$1" '$1 == name { print $2, $4, $5; exit }' <<<"$output"; }

# End the processes of tuning that a failed test left, and remove the machine with its test's directory.
# Usage: teardown   Returns: 0
teardown() {
  local pid start
  while read -r pid start _; do
    process_end "$pid" "$start"
  done < <(cat "$SCRATCH"/host/tune-*/*.proc 2>/dev/null)
  scratch_teardown
}
