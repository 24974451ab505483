# SPDX-License-Identifier: MIT
# shellcheck shell=bash
# NEIGHBOUR: a load on the memory of a node of the server while phases are measured.

_ANTAGONIST_ON=      # it was started in this repeat
_ANTAGONIST_PROGRAM= # the path of membench on the server

# Whether a load on memory is asked for, at the point in force or at one of several.
# Usage: antagonist_wanted
# Globals: NEIGHBOUR
antagonist_wanted() {
  [[ $NEIGHBOUR =~ [1-9] ]]
}

# Print the node that is loaded: the one that is named, else the slow node that the tier is about, else the first.
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

# Print whether the server can, as rows STATE FOUND WANTED FIX; nothing when it need not.
# Usage: antagonist_try
antagonist_try() {
  antagonist_wanted || return 0
  _antagonist_program >&2 || return
  remote_run "$SERVER" antagonist check "$(antagonist_node)"
}

# The first measured phase of a repeat is about to begin: start it, once.
# Usage: antagonist_mark PHASE
# Globals: NEIGHBOUR SERVER ROW
# Returns: 1 with the reason on stderr; without it, the phase is not what was asked for
antagonist_mark() {
  local busy node
  antagonist_wanted && [[ -z $_ANTAGONIST_ON && $1 != populate* ]] || return 0
  _antagonist_program >&2 || return
  _ANTAGONIST_ON=yes
  busy=$(tr ';' '\n' <<<"${ROW[places]}" | sed 's/@.*//; /^[0-9]/!d' | paste -sd ,)
  node=$(antagonist_node)
  log_info "node $node of $SERVER is read at $NEIGHBOUR GB/s meanwhile"
  remote_run -e RUN_ID -e RUN_OWNER "$SERVER" antagonist start "$_ANTAGONIST_PROGRAM" "$node" "$NEIGHBOUR" "${busy:--}"
}

# Put membench on the server, once.
# Returns: sets _ANTAGONIST_PROGRAM; 1 with the reason on stdout
_antagonist_program() {
  [[ -z $_ANTAGONIST_PROGRAM ]] || return 0
  _ANTAGONIST_PROGRAM=$(memory_program) || {
    tail -n 1 <<<"$_ANTAGONIST_PROGRAM"
    _ANTAGONIST_PROGRAM=
    return 1
  }
}

# End it, and fetch what it read in each second.
# Usage: antagonist_fetch FOLDER
# Returns: 1 when it had ended before, with the reason on stderr
antagonist_fetch() {
  [[ -z $_ANTAGONIST_ON ]] || receive_files "$1" -e RUN_ID "$SERVER" antagonist fetch
}

# End it, whatever became of the repeat.
# Usage: antagonist_stop
antagonist_stop() {
  [[ -n $_ANTAGONIST_ON ]] || return 0
  _ANTAGONIST_ON=
  remote_run -e RUN_ID "$SERVER" antagonist stop
}
