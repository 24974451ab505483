# SPDX-License-Identifier: MIT
# shellcheck shell=bash
# Memory Drive Technology (vSMP): the hypervisor has the far memory.
#
# Is: direct hidden
# Price: cxl

# Print a row: whether this host runs on Memory Drive Technology (vSMP).
# Usage: host_tier_imdt_check
host_tier_imdt_check() {
  local prefix
  if ! prefix=$(host_vsmp_prefix); then
    host_tier_row fail "Running NATIVE: no vSMP tools in /usr/local/bin" "a server on Memory Drive Technology" "the server's IMDT boot"
  else
    host_tier_row ok "${prefix##*/}version: $(run_limited 20 "${prefix}version" -vvv 2>/dev/null | sed -n 1p)" "nna on (TUNE.vsmp)" -
  fi
}

# Print a row with the version of vSMP and its state of nna; nothing if this host does not run on vSMP.
# Usage: host_tier_imdt_detect
host_tier_imdt_detect() {
  local prefix
  prefix=$(host_vsmp_prefix) || return 0
  printf 'vsmp\thost\t%s; nna: %s\n' "$(run_limited 20 "${prefix}version" -vvv 2>/dev/null | sed -n 1p)" \
    "$(run_limited 20 "${prefix}ctl" --status 2>/dev/null | grep -i nna | sed -n 1p)"
}
