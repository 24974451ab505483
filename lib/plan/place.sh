# SPDX-License-Identifier: MIT
# shellcheck shell=bash
# Topologies of servers, for the planner: lib/plan/server.awk places the instances.

# The server's CPUs as `lscpu -p=CPU,CORE,SOCKET,NODE` prints them, and a `# node N ...` line for each node without a CPU, or
# with memory that processes may not use (lib/host/facts.sh).
_PLACE_TOPOLOGY=

# Take the CPUs of every server as cores of one node, as nothing is known of them.
# Usage: place_assume
# Globals: SERVER_CORES (a number) PLACEMENT SERVER_NUMACTL
# Returns: exits 2 if the placement requires their topology
place_assume() {
  local cpu text=
  [[ $PLACEMENT == spread || $PLACEMENT == cpu || $PLACEMENT == none || -n $SERVER_NUMACTL ]] ||
    conf_refuse PLACEMENT "requires the topology of the server; set FACTS to a run there, or to a file that lscpu -p=CPU,CORE,SOCKET,NODE printed there"
  for ((cpu = 0; cpu < SERVER_CORES; cpu++)); do text+=$cpu,$cpu,0,0$'\n'; done
  servers_each place_learn "${text%$'\n'}"
}

# Set the topology of the server in HOST.
# Usage: place_learn TEXT
place_learn() {
  _PLACE_TOPOLOGY=$1
}
