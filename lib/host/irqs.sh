# SPDX-License-Identifier: MIT
# shellcheck shell=bash
# The interrupts of the NIC under load.
# Needs: cpus irq
# Reads: ADDRESS
#   ADDRESS carries the load

# Print the interrupts of the NICs: DEVICE IRQ NAME CPUS EFFECTIVE_CPUS.
# Usage: main
main() {
  local device
  for device in $(host_irq_devices "$ADDRESS" || :); do host_irq_map "$device"; done
}
