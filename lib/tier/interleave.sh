# SPDX-License-Identifier: MIT
# shellcheck shell=bash
# Pages of all nodes in turn.
#
# Is: direct
# Nodes: all
# Policy: --interleave=%
# Uses: TIER_NODES
# Verify: shares
# Price: cxl
