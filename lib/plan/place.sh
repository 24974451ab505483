# SPDX-License-Identifier: MIT
# shellcheck shell=bash
# Topologies of servers, for the planner: lib/plan/server.awk places the instances.

# The server's CPUs as `lscpu -p=CPU,CORE,SOCKET,NODE` prints them, and a `# node N ...` line for each node without a CPU, or
# with memory that processes may not use (lib/host/facts.sh).
_PLACE_TOPOLOGY=

# Read the server's topology without connecting to it; without a file, its CPUs are taken as cores of one node.
# Usage: place_read
# Globals: SERVER_TOPOLOGY SERVER_CORES (a number)
# Returns: exits 2 when the file is invalid, or is required and not found.
place_read() {
  servers_each _place_read
}

# Read the topology of the server in HOST from a file, or take its CPUs as cores of one node.
# Usage: _place_read
# Globals: SERVER_TOPOLOGY SERVER_CORES PLACEMENT SERVER_NUMACTL
# Returns: exits 2 when the file is invalid, or is required and not found.
_place_read() {
  if [[ $SERVER_TOPOLOGY != auto ]]; then
    { file_read "$SERVER_TOPOLOGY" && grep -E '^[0-9]+,[0-9]+,[0-9]*,[0-9]*' <<<"$REPLY" >/dev/null; } ||
      conf_refuse SERVER_TOPOLOGY "not a file that lscpu -p printed; on the server: lscpu -p=CPU,CORE,SOCKET,NODE >FILE"
    place_learn "${REPLY%$'\n'}"
    return
  fi
  [[ $PLACEMENT == spread || $PLACEMENT == cpu || $PLACEMENT == none || -n $SERVER_NUMACTL ]] ||
    conf_refuse PLACEMENT "requires the topology of the server; set SERVER_TOPOLOGY to a file that lscpu -p=CPU,CORE,SOCKET,NODE printed there"
  place_learn "$(_place_plain)"
}

# Set the topology of a server.
# Usage: place_learn TEXT
place_learn() {
  # `lscpu --all` has lines for CPUs that are offline, without a core.
  _PLACE_TOPOLOGY=$(grep -E '^([0-9]+,[0-9]+,[0-9]*,[0-9]*|#.*)$' <<<"$1" || :)
}

# Print the topology of an unknown server: cores of one node.
_place_plain() {
  seq 0 $((SERVER_CORES - 1)) | sed 's/.*/&,&,0,0/'
}
