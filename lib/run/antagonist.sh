# SPDX-License-Identifier: MIT
# shellcheck shell=bash
# NEIGHBOUR: a load (membench) on the memory of a node of each server while phases are measured.

_ANTAGONIST_ON= # yes while the load reads memory in this repeat

# Whether NEIGHBOUR requests a load on memory, at the current point or at any point.
# Usage: antagonist_wanted
# Globals: NEIGHBOUR
antagonist_wanted() {
  [[ $NEIGHBOUR =~ (^|' ')[0.]*[1-9] ]]
}

# The min bytes of the load's buffer at the current point; with large caches it takes more, but at most a quarter of the free memory.
# Usage: antagonist_bytes
# Returns: sets REPLY
antagonist_bytes() {
  REPLY=0
  ! antagonist_wanted || REPLY=$((256 << 20))
}

# Print the node of the server in HOST, to load: that of NEIGHBOUR, else the node that the tier binds data to, else the first node with memory.
# Usage: antagonist_node
# Globals: NEIGHBOUR TIER
antagonist_node() {
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

# Print whether the server in HOST can run the load, as rows STATE FOUND WANTED FIX; nothing if no load is wanted.
# Usage: antagonist_try
antagonist_try() {
  antagonist_wanted || return 0
  memory_prepare || return
  call_run "$HOST" antagonist check "$(antagonist_node)"
}

# Start the load on all servers before the first measured phase of a repeat, once.
# Usage: antagonist_mark PHASE
# Globals: NEIGHBOUR HOST ROW
# Returns: 1 with the reason on stderr; a phase without the load would be invalid
antagonist_mark() {
  local host cpus kind
  antagonist_wanted && [[ -z $_ANTAGONIST_ON ]] && ! common_is_fill "$1" || return 0
  servers_each memory_prepare || return
  # The host has its own limit, which is shorter.
  servers_side $((REMOTE_RETRY + 300)) _antagonist_start || return
  _ANTAGONIST_ON=yes
  for host in $HOST; do
    IFS=$'\t' read -r _ cpus kind <<<"${SIDE_OUT[$host]}"
    case $kind in
      sibling) log_warn "NEIGHBOUR=$NEIGHBOUR: its CPUs $cpus of $host include hyperthreads of instances' CPUs, which it slows down; set SERVER_CPUS or INSTANCES" ;;
      instance) log_warn "NEIGHBOUR=$NEIGHBOUR: its CPUs $cpus of $host include CPUs of instances, from which it takes time; set SERVER_CPUS or INSTANCES" ;;
    esac
  done
}

# Start the load on the server in HOST, and print its CPUs as lib/host/antagonist.sh does.
# Usage: _antagonist_start
# Globals: HOST NEIGHBOUR ROW
# Returns: not 0 with the reason on stderr
_antagonist_start() {
  local busy node REPLY
  memory_prepare || return
  spread_places_of "${ROW[places]}"
  busy=$(tr ';' '\n' <<<"$REPLY" | sed 's/@.*//; /^[0-9]/!d' | paste -sd ,)
  node=$(antagonist_node)
  log_info "$HOST: node $node is read at ${NEIGHBOUR%@*} GB/s during the measured phases"
  call_run "$HOST" antagonist start "$MEMORY_PROGRAM" "$node" "${NEIGHBOUR%@*}" "${busy:--}"
}

# Stop the load, and fetch its bandwidth of each second, from each of several servers to DIR/HOST; nothing if it did not start.
# Usage: antagonist_fetch DIR
# Returns: 1 if the load ended early, with the reason on stderr
antagonist_fetch() {
  [[ -z $_ANTAGONIST_ON ]] || servers_print $((REMOTE_RETRY + 60)) _antagonist_fetch "$1"
}

# Stop the load on the server in HOST, and fetch its bandwidth of each second, with several servers to DIR/HOST.
# Usage: _antagonist_fetch DIR
# Returns: not 0 with the reason on stderr
_antagonist_fetch() {
  local folder REPLY
  servers_folder "$1"
  folder=$REPLY
  mkdir -p -- "$folder" 2>/dev/null || write_failed "$folder" || return
  receive_files "$folder" "$HOST" antagonist fetch
}
