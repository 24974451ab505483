# SPDX-License-Identifier: MIT
# What a plan refuses of a fault; in the planner (lib/plan).

function fault_check(    n, phase, up) {
  if (V["TRACK_WRITES"] != 0 && !is_cluster()) refuse("TRACK_WRITES", "requires a cluster; set CLUSTER=on")
  if (V["FAULT"] == "none") return
  trace_needs("FAULT", "none")
  if (!is_cluster()) refuse("FAULT", "requires a cluster; set CLUSTER=on")
  if (V["REPLICAS"] + 0 < 1) refuse("FAULT", "requires a replica that takes over; set REPLICAS to at least 1")
  if (V["FAULT.node"] + 0 > cluster_nodes()) refuse("FAULT.node", "there are " cluster_nodes() " nodes; set one of them, or more nodes (CLUSTER=N)")
  if (V["SERVER_PREFIX"] != "") refuse("SERVER_PREFIX", "not supported with FAULT=" V["FAULT"] "; leave it empty")
  if (is_search_wanted()) refuse("FAULT", "conflicts with a search; set RATE and CONNECTIONS to numbers")
  n = words("PHASES", phase)
  if (is_fill(phase[n]) || V["TIME"] == 0) refuse("FAULT", "requires a timed last phase; set TIME, and end PHASES with set, get or mixed")
  up = V["FAULT.at"] + V["FAULT.down"]
  if (up + V["FAULT.settle"] > V["TIME"] + 0)
    refuse("TIME", sprintf("ends before the node is up at %.10g s and FAULT.settle=%s s have passed; set a longer TIME", up, V["FAULT.settle"]))
}
