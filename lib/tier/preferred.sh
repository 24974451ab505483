# SPDX-License-Identifier: MIT
# shellcheck shell=bash
# Memory of the nodes TIER_NODES, and of others when these are full.
#
# Is: bound direct
# Nodes: far
# Policy: --preferred=%
# Policies: --preferred-many=%
# Uses: TIER_NODES
# Verify: nodes
# Price: cxl
