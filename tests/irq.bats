#!/usr/bin/env bats
# SPDX-License-Identifier: MIT
# Interrupts of NICs that are not in this machine: which belong to the NIC that carries the load, and where they are sent.

load helper
load tree

setup() {
  scratch_setup
  . "$REPO/lib/shared/cpus.sh"
  . "$REPO/lib/host/irq.sh"
}

# In place of the function of lib/shared/common.sh, whose `fail` would end the test.
# shellcheck disable=SC2317 # called by host_irq_devices
run_limited() { "${@:2}"; }

teardown() {
  scratch_teardown
}

# Print the interrupts of eth0 on one line.
irqs() { host_irq_list eth0 | paste -s -d ' '; }

@test "virtio: the interrupts are those of the PCI device above it" {
  tree_make virtio
  assert_equal "$(irqs)" '37 38 39'
}

@test "virtio without msi_irqs, ixgbe, ena, mlx5: by the names in /proc/interrupts, and nobody else's" {
  tree_make virtio
  rm -r "$TIERBENCH_ROOT"/sys/devices/pci*/*/msi_irqs
  assert_equal "$(irqs)" '37 38 39'
  tree_make ixgbe
  assert_equal "$(irqs)" '64 65 66'
  tree_make ena
  assert_equal "$(irqs)" '26 27 28'
  tree_make mlx5
  assert_equal "$(irqs)" '90 91 92'
}

@test "the NIC is the one with the address, or on the way to it; a bond is what is below it" {
  tree_make ixgbe
  assert_equal "$(host_irq_devices 10.0.0.1)" eth0
  assert_equal "$(host_irq_devices 10.0.0.9)" eth0
  assert_equal "$(host_irq_devices 127.0.0.1)" lo
  # bond0.7 is a VLAN on bond0 with two ports.
  mkdir "$TIERBENCH_ROOT"/sys/class/net/{bond0,bond0.7,eth1}
  touch "$TIERBENCH_ROOT"/sys/class/net/bond0/lower_{eth0,eth1} "$TIERBENCH_ROOT"/sys/class/net/bond0.7/lower_bond0
  assert_equal "$(host_irq_devices 10.0.0.1 | paste -s -d ' ')" 'eth0 eth1'
}

@test "a virtual NIC has none" {
  tree_make ixgbe
  rm "$TIERBENCH_ROOT/sys/class/net/eth0/device"
  assert_equal "$(irqs)" ''
}

@test "spread as the guide does: neighbouring CPUs for each, round again when there are more interrupts" {
  tree_make
  assert_equal "$(seq 10 15 | host_irq_spread auto | tr '\t' ' ' | paste -s -d ,)" '10 0,11 1,12 2,13 3,14 0,15 1'
  assert_equal "$(seq 10 11 | host_irq_spread auto | tr '\t' ' ' | paste -s -d ,)" '10 0-1,11 2-3'
  echo 0-71 >"$TIERBENCH_ROOT/sys/devices/system/cpu/online"
  assert_equal "$(seq 1 5 | host_irq_spread auto | cut -f 2 | paste -s -d ' ')" '0-13 14-27 28-41 42-55 56-69'
  assert_equal "$(seq 1 100 | host_irq_spread auto | cut -f 2 | sed -n '72,73p' | paste -s -d ' ')" '71 0'
}

@test "spread over a list: only those CPUs" {
  assert_equal "$(seq 1 3 | host_irq_spread 2,4-5 | cut -f 2 | paste -s -d ' ')" '2 4 5'
  assert_equal "$(seq 1 2 | host_irq_spread 1,3,8-9 | cut -f 2 | paste -s -d ' ')" '1,3 8-9'
}

@test "what is shown: interrupts with their CPUs, queues with RPS and XPS" {
  tree_make ena
  assert_equal "$(host_irq_map eth0 | sed -n 2p | tr '\t' ' ')" 'eth0 27 eth0-Tx-Rx-0 0-3 -'
  assert_equal "$(host_irq_queues eth0 | tr '\t' ' ')" $'eth0 rx-0 rps 0\neth0 tx-0 xps f'
}

@test "lists of CPUs: expanded and compressed" {
  local list
  for list in 0 0-3 0,2,4 0-3,8-11,15; do
    assert_equal "$(awk -v list="$list" "$CPUS_AWK"'BEGIN { n = cpus_expand(list, c); print cpus_compress(c, n) }')" "$list"
  done
  assert_equal "$(awk "$CPUS_AWK"'BEGIN { n = cpus_expand("3,1,2,1", c); print n, cpus_compress(c, n) }')" '4 1-3'
}
