# SPDX-License-Identifier: MIT
# shellcheck shell=bash
# NEIGHBOUR: a load (membench) on the memory of a node of each server while phases are measured.

# Whether NEIGHBOUR requests a load on memory, at the current point or at any point.
# Usage: neighbour_wanted
# Globals: NEIGHBOUR
neighbour_wanted() {
  [[ $NEIGHBOUR =~ (^|' ')[0.]*[1-9] ]]
}

# The min bytes of the load's buffer at the current point; with large caches it takes more, but at most a quarter of the free memory.
# Usage: neighbour_bytes
# Returns: sets REPLY
neighbour_bytes() {
  REPLY=$((256 << 20))
}

# Print the node of the server in HOST, to load: that of NEIGHBOUR, else the node that the tier binds data to, else the first node with memory.
# Usage: _neighbour_node
# Globals: NEIGHBOUR TIER
_neighbour_node() {
  local nodes
  if [[ $NEIGHBOUR == *@* ]]; then
    echo "${NEIGHBOUR#*@}"
    return
  fi
  nodes=$(tier_policy)
  tier_is bound || nodes=$(place_memory_nodes all)
  nodes=${nodes##*=}
  nodes=${nodes%%[,-]*}
  echo "${nodes:-0}"
}

# Print whether the server in HOST can run the load, as a row STATE FOUND WANTED FIX; nothing if no load is wanted.
# Usage: neighbour_doctor
neighbour_doctor() {
  neighbour_wanted || return 0
  memory_prepare || return
  call_run "$HOST" neighbour check "$(_neighbour_node)"
}

# Install membench on the server in HOST.
# Usage: neighbour_ready
neighbour_ready() {
  memory_prepare
}

# Start the load before the first measured phase; a phase without it would be invalid.
# Globals: HOST NEIGHBOUR ROW
neighbour_at_load() {
  local busy node REPLY
  memory_prepare || return
  spread_places_of "${ROW[places]}"
  busy=$(tr ';' '\n' <<<"$REPLY" | sed 's/@.*//; /^[0-9]/!d' | paste -sd ,)
  node=$(_neighbour_node)
  log_info "$HOST: node $node is read at ${NEIGHBOUR%@*} GB/s during the measured phases"
  parts_ask start "$MEMORY_PROGRAM" "$node" "${NEIGHBOUR%@*}" "${busy:--}"
}

# Warn of CPUs that the load shares with instances.
neighbour_got_load() {
  local host cpus kind
  for host in $HOST; do
    IFS=$'\t' read -r _ cpus kind <<<"${PART_SAID[$host]}"
    case $kind in
      sibling) log_warn "NEIGHBOUR=$NEIGHBOUR: its CPUs $cpus of $host include hyperthreads of instances' CPUs, which it slows down; set SERVER_CPUS or INSTANCES" ;;
      instance) log_warn "NEIGHBOUR=$NEIGHBOUR: its CPUs $cpus of $host include CPUs of instances, from which it takes time; set SERVER_CPUS or INSTANCES" ;;
    esac
  done
}

# Stop the load after the last phase. One that has ended early makes the repeat fail.
neighbour_at_done() {
  parts_ask end
}
