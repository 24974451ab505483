# SPDX-License-Identifier: MIT
# shellcheck shell=bash
# The kernel promotes and demotes pages between nodes.
#
# Is: free direct moves
# Price: cxl
