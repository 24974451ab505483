#!/usr/bin/env bats
# SPDX-License-Identifier: MIT
# Interrupts of NICs that are not in this machine: which belong to the NIC that carries the load, and where they are sent.

load helper
load tree

prepare() {
  . "$REPO/lib/shared/cpus.sh"
  . "$REPO/lib/host/irq.sh"
}

# In place of the function of lib/shared/common.sh, whose `fail` would end the test.
# shellcheck disable=SC2317 # called by host_irq_devices
run_limited() { "${@:2}"; }

# Print numbers of interrupts, each in a separate pair.
alone() { seq "$1" "$2" | sed 's/.*/&\t&/'; }

# Print the interrupts of eth0 on one line.
irqs() { host_irq_list eth0 | paste -s -d ' '; }

# Print the interrupts of eth0's queues of a NIC, with their pairs, and those of all its interrupts that are not of queues.
# Usage: pairs NIC_KIND
pairs() {
  local folder
  tree_make "$1"
  folder=$(readlink -f "$TIERBENCH_ROOT/sys/class/net/eth0/device")
  [[ $1 != virtio* ]] || folder=${folder%/*}
  mkdir -p "$folder/msi_irqs"
  sed -n "s|^ *\([0-9]*\):.*|$folder/msi_irqs/\1|p" "$TIERBENCH_ROOT/proc/interrupts" | xargs touch
  host_irq_pairs eth0 | tr '\t' ' ' | sed 's/eth0\.//' | paste -s -d ,
}

@test "the interrupts of a NIC, its queues and pairs, by the PCI device or by the names of each driver; the NIC is the one with the address, or on the way to it; a bond is what is below it" {
  assert_equal "$(pairs virtio4)" '38 0,39 0,40 1,41 1,42 2,43 2,44 3,45 3'
  assert_equal "$(pairs igb)" '51 0,52 1,53 2,54 3'
  assert_equal "$(pairs e1000e)" '60 0,61 0'
  assert_equal "$(pairs ixgbe | cut -d , -f 1-2)" '64 0,65 1'
  assert_equal "$(pairs i40e)" '71 0,72 1'
  assert_equal "$(pairs mlx5 | cut -d , -f 1-2)" '91 0,92 1'
  assert_equal "$(pairs mlx4)" '80 1,81 2'
  assert_equal "$(pairs ena | cut -d , -f 1-2)" '27 0,28 1'
  # A driver that names no queue: all interrupts.
  assert_equal "$(pairs single)" '24 1'
  tree_make ixgbe
  assert_equal "$(host_irq_devices 10.0.0.1)" eth0
  assert_equal "$(host_irq_devices 10.0.0.9)" eth0
  assert_equal "$(host_irq_devices 127.0.0.1)" lo
  # bond0.7 is a VLAN on bond0 with two ports.
  mkdir "$TIERBENCH_ROOT"/sys/class/net/{bond0,bond0.7,eth1}
  touch "$TIERBENCH_ROOT"/sys/class/net/bond0/lower_{eth0,eth1} "$TIERBENCH_ROOT"/sys/class/net/bond0.7/lower_bond0
  assert_equal "$(host_irq_devices 10.0.0.1 | paste -s -d ' ')" 'eth0 eth1'
  tree_make virtio
  assert_equal "$(irqs)" '37 38 39'
  rm -r "$TIERBENCH_ROOT"/sys/devices/pci*/*/msi_irqs
  assert_equal "$(irqs)" '37 38 39'
  tree_make ixgbe
  assert_equal "$(irqs)" '64 65 66'
  tree_make ena
  assert_equal "$(irqs)" '26 27 28'
  tree_make mlx5
  assert_equal "$(irqs)" '90 91 92'
  rm "$TIERBENCH_ROOT/sys/class/net/eth0/device"
  assert_equal "$(irqs)" ''
}

@test "interrupts are spread as the guide does, round again when there are more of them; pairs of queues with both on one CPU" {
  tree_make
  assert_equal "$(alone 10 15 | host_irq_spread auto | tr '\t' ' ' | paste -s -d ,)" '10 0,11 1,12 2,13 3,14 0,15 1'
  assert_equal "$(alone 10 11 | host_irq_spread auto | tr '\t' ' ' | paste -s -d ,)" '10 0-1,11 2-3'
  echo 0-71 >"$TIERBENCH_ROOT/sys/devices/system/cpu/online"
  assert_equal "$(alone 1 5 | host_irq_spread auto | cut -f 2 | paste -s -d ' ')" '0-13 14-27 28-41 42-55 56-69'
  assert_equal "$(alone 1 100 | host_irq_spread auto | cut -f 2 | sed -n '72,73p' | paste -s -d ' ')" '71 0'
  # Over a list: only those CPUs.
  assert_equal "$(alone 1 3 | host_irq_spread 2,4-5 | cut -f 2 | paste -s -d ' ')" '2 4 5'
  assert_equal "$(alone 1 2 | host_irq_spread 1,3,8-9 | cut -f 2 | paste -s -d ' ')" '1,3 8-9'
  tree_make virtio4
  cpus() { host_irq_pairs eth0 | host_irq_spread "$1" | cut -f 2 | paste -s -d ' '; }
  assert_equal "$(cpus auto)" '0 0 1 1 2 2 3 3'
  assert_equal "$(cpus 0-1)" '0 0 1 1 0 0 1 1'
  # More CPUs than pairs: a list would let the kernel choose one CPU for each interrupt.
  assert_equal "$(cpus 0-7)" '0 0 2 2 4 4 6 6'
}

# Print the CPUs for interrupts on a server with CPUs 0-7, and instances in the places of two rows of the plan.
# Usage: free_cpus PLACES PLACES [NAME=VALUE]...
free_cpus() {
  bash -c '
    set -Eeuo pipefail
    LIB=$REPO/lib HOST=10.0.0.1 SERVERS=(10.0.0.1) TUNE_IRQ=auto SERVER_CPUS=auto isolated=
    for module in shared/cpus core/servers run/spread plan/place run/place run/tune; do . "$LIB/$module.sh"; done
    PLAN_COLUMNS=(number places keys)
printf -v row "1\t%s\t5" "$1"
    printf -v other "2\t%s\t5" "$2"
    PLAN_ROWS=("$row" "$other")
    for word in "${@:3}"; do declare "$word"; done
    place_learn "$(seq 0 7 | sed "s/.*/&,&,0,0/" && echo ${isolated:+"# isolated $isolated"})"
    _tune_irq_cpus
    echo "$REPLY"' bash "$@"
}

@test "interrupts get CPUs without an instance, if some are left; all of them if too few are" {
  assert_equal "$(free_cpus '0@-;1@-' '2@-')" 3-7
  assert_equal "$(free_cpus '0@-;1@-;2@-;3@-;4@-' 0@-)" 5-7
  # One CPU for each two of instances is not left: as in the guide.
  assert_equal "$(free_cpus '0@-;1@-;2@-;3@-;4@-' 5@-)" auto
  assert_equal "$(free_cpus '0-3@-;4-7@-' 0@-)" auto
  # Not pinned.
  assert_equal "$(free_cpus -@- '-@-N 0')" auto
  # It was asked for.
  assert_equal "$(free_cpus '1-7@-m 0' 1@- SERVER_CPUS=1-7)" 0
  assert_equal "$(free_cpus '1-7@-' 1@- isolated=1-7)" 0
  assert_equal "$(free_cpus '2@-;5@-' 2@- SERVER_CPUS=2,5 TUNE_IRQ=0-3)" 0-1,3
  # A list leaves no choice.
  assert_equal "$(free_cpus '0@-;1@-' 2@- SERVER_CPUS=0-2 TUNE_IRQ=1-2)" 1-2
}

@test "what is shown: interrupts with their CPUs, queues with RPS and XPS, and lists of CPUs expanded and compressed" {
  tree_make ena
  assert_equal "$(host_irq_map eth0 | sed -n 2p | tr '\t' ' ')" 'eth0 27 eth0-Tx-Rx-0 0-3 -'
  assert_equal "$(host_irq_queues eth0 | tr '\t' ' ')" $'eth0 rx-0 rps 0\neth0 tx-0 xps f'
  for list in 0 0-3 0,2,4 0-3,8-11,15; do
    assert_equal "$(awk -v list="$list" "$CPUS_AWK"'BEGIN { n = cpus_expand(list, c); print cpus_compress(c, n) }')" "$list"
  done
  assert_equal "$(awk "$CPUS_AWK"'BEGIN { n = cpus_expand("3,1,2,1", c); print n, cpus_compress(c, n) }')" '4 1-3'
}
