# SPDX-License-Identifier: MIT
# shellcheck shell=bash
# Memory Drive Technology (vSMP): the hypervisor has the far memory.
#
# Is: direct hidden
# Price: cxl
