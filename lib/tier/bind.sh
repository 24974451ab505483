# SPDX-License-Identifier: MIT
# shellcheck shell=bash
# Memory of the nodes TIER_NODES only.
#
# Is: bound direct
# Nodes: far
# Policy: --membind=%
# Uses: TIER_NODES
# Verify: nodes
# Price: cxl
