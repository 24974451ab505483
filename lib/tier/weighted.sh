# SPDX-License-Identifier: MIT
# shellcheck shell=bash
# Pages of all nodes in turn, as many of each as its weight.
#
# Is: direct divided
# Nodes: all
# Policy: --weighted-interleave=%
# Uses: TIER_NODES TIER_WEIGHTS
# Verify: shares
# Price: cxl
