# SPDX-License-Identifier: MIT
# shellcheck shell=bash
# Standard workloads: the settings of a file in workloads/, at the layer that sets WORKLOAD.

# Copy the settings of WORKLOAD into the layer that names it; settings of that layer itself, and of all higher layers, stay.
# Usage: workload_read
# Globals: ROOT; the layers, read; WORKLOAD
# Returns: exits 2 when there is no such workload.
workload_read() {
  local layer name where REPLY
  conf_resolve
  [[ $WORKLOAD != off ]] || return 0
  conf_layer WORKLOAD
  layer=$REPLY
  [[ $WORKLOAD != ycsb-e ]] ||
    conf_refuse WORKLOAD "not supported: it scans records in the order of their keys, which Redis does not keep; ./do_it.sh list names workloads"
  if [[ $WORKLOAD == *[!A-Za-z0-9_-]* ]] || ! named_find workloads "$WORKLOAD"; then
    nearest_conf "$WORKLOAD" workloads
    conf_refuse WORKLOAD "not found; $REPLY"
  fi
  conf_file workload "$REPLY"
  where=$(conf_where WORKLOAD)
  while IFS='=' read -r name _; do conf_inherit "$layer" workload "$name" "$where: WORKLOAD=$WORKLOAD"; done < <(conf_said workload)
}
