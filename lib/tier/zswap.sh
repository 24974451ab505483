# SPDX-License-Identifier: MIT
# shellcheck shell=bash
# As swap, with a compressed cache of the kernel in front of the disk.
#
# Is: limited disk
# Uses: TIER_SWAP
# Verify: limit
# Price: nvme
