# SPDX-License-Identifier: MIT
# shellcheck shell=bash
# NEIGHBOUR: a load (membench) on the memory of a node of the server while phases are measured.

_ANTAGONIST_ON= # whether the load was started in this repeat: asked, or yes as soon as it reads

# Whether NEIGHBOUR requests a load on memory, at the current point or at any point.
# Usage: antagonist_wanted
# Globals: NEIGHBOUR
antagonist_wanted() {
  [[ $NEIGHBOUR =~ [1-9] ]]
}

# The min bytes of the load's buffer at the current point; with large caches it takes more, but at most a quarter of the free memory.
# Usage: antagonist_bytes
# Returns: sets REPLY
antagonist_bytes() {
  REPLY=0
  ! antagonist_wanted || REPLY=$((256 << 20))
}

# Print the node to load: NEIGHBOUR_NODE, else the node of the data for bind and preferred, else the first node with memory.
# Usage: antagonist_node
# Globals: NEIGHBOUR_NODE TIER
antagonist_node() {
  local nodes
  if [[ $NEIGHBOUR_NODE != auto ]]; then
    echo "$NEIGHBOUR_NODE"
    return
  fi
  nodes=$(tier_policy)
  [[ $TIER == bind || $TIER == preferred ]] || nodes=$(place_memory_nodes all)
  nodes=${nodes##*=}
  nodes=${nodes%%[,-]*}
  echo "${nodes:-0}"
}

# Print whether the server can run the load, as rows STATE FOUND WANTED FIX; nothing if no load is wanted.
# Usage: antagonist_try
antagonist_try() {
  antagonist_wanted || return 0
  memory_prepare || return
  remote_run "$SERVER" antagonist check "$(antagonist_node)"
}

# Start the load before the first measured phase of a repeat, once.
# Usage: antagonist_mark PHASE
# Globals: NEIGHBOUR SERVER ROW
# Returns: 1 with the reason on stderr; a phase without the load would be invalid
antagonist_mark() {
  local busy node said cpus kind
  antagonist_wanted && [[ -z $_ANTAGONIST_ON && $1 != populate* ]] || return 0
  memory_prepare || return
  _ANTAGONIST_ON=asked
  busy=$(tr ';' '\n' <<<"${ROW[places]}" | sed 's/@.*//; /^[0-9]/!d' | paste -sd ,)
  node=$(antagonist_node)
  log_info "$SERVER: node $node is read at $NEIGHBOUR GB/s during the measured phases"
  said=$(remote_run -e RUN_ID -e RUN_OWNER "$SERVER" antagonist start "$MEMORY_PROGRAM" "$node" "$NEIGHBOUR" "${busy:--}") || return
  _ANTAGONIST_ON=yes
  IFS=$'\t' read -r _ cpus kind <<<"$said"
  case $kind in
    sibling) log_warn "NEIGHBOUR=$NEIGHBOUR: its CPUs $cpus of $SERVER include hyperthreads of instances' CPUs, which it slows down; set SERVER_CPUS or INSTANCES" ;;
    instance) log_warn "NEIGHBOUR=$NEIGHBOUR: its CPUs $cpus of $SERVER include CPUs of instances, from which it takes time; set SERVER_CPUS or INSTANCES" ;;
  esac
}

# Stop the load, and fetch its bandwidth of each second; nothing if it did not start.
# Usage: antagonist_fetch FOLDER
# Returns: 1 if the load ended early, with the reason on stderr
antagonist_fetch() {
  [[ $_ANTAGONIST_ON != yes ]] || receive_files "$1" -e RUN_ID "$SERVER" antagonist fetch
}

# Stop the load, whether the repeat succeeded or failed.
# Usage: antagonist_stop
antagonist_stop() {
  [[ -n $_ANTAGONIST_ON ]] || return 0
  _ANTAGONIST_ON=
  remote_run -e RUN_ID "$SERVER" antagonist stop
}
