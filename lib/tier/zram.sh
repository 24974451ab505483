# SPDX-License-Identifier: MIT
# shellcheck shell=bash
# A cgroup limits DRAM, and the rest is in a swap device of compressed memory.
#
# Is: limited compressed
# Uses: ZRAM_ALGORITHM
# Verify: limit
# Price: zram
