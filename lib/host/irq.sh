# SPDX-License-Identifier: MIT
# shellcheck shell=bash
# The interrupts of the NIC with an address, and their CPUs. TIERBENCH_ROOT, if set, is a prefix of the kernel's paths, so that a test can simulate
# another machine.

# Print the NICs that carry an address, one per line: for a bond or a VLAN the NICs below it.
# Usage: host_irq_devices ADDRESS
# Returns: 1 if no such interface exists.
host_irq_devices() {
  local address=$1 device text
  # A host may be given by its name.
  [[ $address =~ ^[0-9.]+$ || $address == *:* ]] || address=$(getent ahosts "$address" | awk 'NR == 1 { print $1 }')
  # Known without ip, which several calls of a run would start.
  if [[ $address == 127.* || $address == ::1 ]]; then
    echo lo
    return
  fi
  text=$(run_limited 10 ip -o address show to "$address" 2>/dev/null) || :
  read -r _ device _ <<<"$text" || :
  if [[ -z $device ]]; then
    # Not an address of this host: use the route to it.
    text=$(run_limited 10 ip -o route get "$address" 2>/dev/null) || :
    [[ $text =~ \ dev\ ([^ ]+) ]] || return 1
    device=${BASH_REMATCH[1]}
  fi
  _host_irq_lower "$device"
}

# Print the NICs below a network interface, or the interface if it has none below it.
# Usage: _host_irq_lower DEVICE
_host_irq_lower() {
  local below found=0
  for below in "${TIERBENCH_ROOT-}/sys/class/net/$1"/lower_*; do
    [[ -e $below || -L $below ]] || continue
    found=1
    _host_irq_lower "${below##*/lower_}"
  done
  ((found)) || printf '%s\n' "$1"
}

# Print the interrupts of a NIC, one number per line.
# Usage: host_irq_list DEVICE
host_irq_list() {
  local nic=${TIERBENCH_ROOT-}/sys/class/net/$1/device target folder irq
  [[ -e $nic ]] || return 0
  target=$(readlink -f "$nic")
  folder=$target/msi_irqs
  # A virtio device is a child of the PCI device that has the interrupts.
  [[ ${target##*/} != virtio* ]] || folder=${target%/*}/msi_irqs
  if [[ -d $folder ]]; then
    for irq in "$folder"/*; do
      [[ ! -d ${TIERBENCH_ROOT-}/proc/irq/${irq##*/} ]] || printf '%s\n' "${irq##*/}"
    done | sort -n
  else
    _host_irq_by_name "$1" "${target##*/}"
  fi
}

# Interrupts with the NIC's name in /proc/interrupts: eth0, eth0-TxRx-0 (ixgbe), eth0-Tx-Rx-0 (ena), i40e-eth0-TxRx-0,
# mlx5_comp0@pci:0000:3b:00.0 (by the bus address), virtio2-input.0 (by the virtio device).
_host_irq_by_name() {
  awk -v nic="$1" -v device="$2" '
    $1 ~ /^[0-9]+:$/ {
      name = $NF
      if (name == nic || index(name, nic "-") == 1 || index(name, nic ":") == 1 || index(name, "-" nic "-") ||
          index(name, device "-") == 1 || (device ~ /:/ && index(name, "@pci:" device))) print $1 + 0
    }' "${TIERBENCH_ROOT-}/proc/interrupts"
}

# Print the interrupts of a NIC's queues: IRQ PAIR, where PAIR is DEVICE.N for receive queue N and send queue N. If the driver names no queue, all
# interrupts of the NIC are printed, each as a pair.
# Usage: host_irq_pairs DEVICE
host_irq_pairs() {
  local irqs
  irqs=$(host_irq_list "$1")
  [[ -z $irqs ]] || awk -v nic="$1" '
    # The number of the queue in a name such as virtio2-input.0, eth0-TxRx-0, eth0-Tx-Rx-0, i40e-eth0-TxRx-0, mlx5_comp0@pci:0000:3b:00.0, eth0-0;
    # empty for changes of the configuration or the link, mlx5_async0, ena-mgmnt, and the queues of Flow Director (i40e-...:fdir-TxRx-0).
    function queue(name) {
      sub(/@.*/, "", name)
      if (index(name, nic "-") == 1) name = substr(name, length(nic) + 1)
      else if (name == nic) return ""
      name = tolower(name)
      if (name ~ /fdir/) return ""
      if (name ~ /virtqueues$/) return 0
      if (name !~ /(input|output|rx|tx|comp|fp|q|queue|blk|block|^|^mlx4)[-_.]?[0-9]+$/) return ""
      match(name, /[0-9]+$/)
      return substr(name, RSTART) + 0
    }
    NR == FNR { irq[++n] = $1; next }
    $1 + 0 > 0 { name[$1 + 0] = $NF }
    END {
      for (i = 1; i <= n; i++) if (queue(name[irq[i]]) != "") found = 1
      for (i = 1; i <= n; i++) {
        pair = found ? queue(name[irq[i]]) : i
        if (pair != "") print irq[i] "\t" nic "." pair
      }
    }' - "${TIERBENCH_ROOT-}/proc/interrupts" <<<"$irqs"
}

# Spread the interrupts of queues over CPUs as the guide does: step = max(1, CPUs / pairs), neighbouring CPUs, wrapping around at the end. If a pair has
# several interrupts, each gets the first of these CPUs: of several CPUs the kernel would choose one for each interrupt.
# Usage: host_irq_spread auto|CPUS <IRQ_PAIR
# Prints: IRQ CPUS, one per line
host_irq_spread() {
  local cpus=$1
  [[ $cpus != auto ]] || cpus=$(<"${TIERBENCH_ROOT-}/sys/devices/system/cpu/online")
  awk -v list="$cpus" "$CPUS_AWK"'
    { irq[NR] = $1; pair[NR] = $2; if (!($2 in members)) order[++pairs] = $2; members[$2]++ }
    END {
      n = cpus_expand(list, cpu)
      step = pairs ? int(n / pairs) : 1
      if (step < 1) step = 1
      for (i = 1; i <= pairs; i++) {
        for (j = 1; j <= step; j++) one[j] = cpu[first + j]
        cpus[order[i]] = cpus_compress(one, members[order[i]] > 1 ? 1 : step)
        first += step
        if (first + step > n) first = 0
      }
      for (i = 1; i <= NR; i++) print irq[i] "\t" cpus[pair[i]]
    }'
}

# Print the interrupts of a NIC: DEVICE IRQ NAME CPUS EFFECTIVE_CPUS.
# Usage: host_irq_map DEVICE
host_irq_map() {
  local irq folder line cpus effective
  local -a irqs
  local -A name=()
  mapfile -t irqs < <(host_irq_list "$1")
  ((${#irqs[@]} == 0)) || while read -r irq line; do name[${irq%:}]=${line##* }; done <"${TIERBENCH_ROOT-}/proc/interrupts"
  for irq in "${irqs[@]}"; do
    folder=${TIERBENCH_ROOT-}/proc/irq/$irq
    cpus='' effective=''
    { read -r cpus <"$folder/smp_affinity_list"; } 2>/dev/null || :
    { read -r effective <"$folder/effective_affinity_list"; } 2>/dev/null || :
    printf '%s\t%s\t%s\t%s\t%s\n' "$1" "$irq" "${name[$irq]-}" "$cpus" "${effective:--}"
  done
}

# Print the queues of a NIC with the CPUs to which packets are steered: DEVICE QUEUE rps|xps MASK.
# Usage: host_irq_queues DEVICE
host_irq_queues() {
  local file mask
  for file in "${TIERBENCH_ROOT-}/sys/class/net/$1/queues"/*/[rx]ps_cpus; do
    # A NIC with one queue has the file, but reading it fails.
    mask=
    { read -r mask <"$file"; } 2>/dev/null || :
    [[ -n $mask ]] || continue
    file=${file#*/queues/}
    printf '%s\t%s\t%s\t%s\n' "$1" "${file%/*}" "${file:${#file}-8:3}" "$mask"
  done
}
