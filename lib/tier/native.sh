# SPDX-License-Identifier: MIT
# shellcheck shell=bash
# All memory is what the kernel chooses, which is DRAM.
#
# Is: free
# Verify: memory
# Price: dram
