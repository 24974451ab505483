# SPDX-License-Identifier: MIT
# shellcheck shell=bash
# A cgroup limits DRAM, and the rest is in swap on a disk.
#
# Is: limited disk
# Uses: TIER_SWAP
# Verify: limit
# Price: nvme
