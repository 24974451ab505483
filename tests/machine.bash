# SPDX-License-Identifier: MIT
# shellcheck shell=bash
# The command that boots an emulated machine. The CPU is emulated even if there is KVM, because KVM may not work inside a virtual machine.

# The program, as words.
MACHINE_QEMU=(qemu-system-x86_64)

# What protects a kernel takes a third of the time of an emulated CPU that starts processes.
MACHINE_QUICK='mitigations=off nokaslr norandmaps init_on_alloc=0 no_timer_check lsm= audit=0 hardened_usercopy=off randomize_kstack_offset=off nowatchdog'

# Set the command that boots a kernel with its console on the first serial port.
# Usage: machine_words OPTIONS APPEND KERNEL ARGUMENT...
#   OPTIONS of the machine type q35, such as hmat=on; APPEND to the command line of the kernel
# Returns: sets MACHINE
machine_words() {
  # shellcheck disable=SC2054 # QEMU separates options by commas
  MACHINE=("${MACHINE_QEMU[@]}" -M "q35,accel=tcg${1:+,$1}" -cpu Nehalem,-cx16 -nodefaults -display none -no-reboot
    -kernel "$3" -append "console=ttyS0 panic=-1 psi=1 $MACHINE_QUICK $2" "${@:4}")
}
