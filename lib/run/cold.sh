# SPDX-License-Identifier: MIT
# shellcheck shell=bash
# COLD_MEMORY: memory that is written once and never used again, on the fast nodes of each server in front of its instances (membench hold).

# Whether COLD_MEMORY asks for such memory, at the point in force or at any point.
# Usage: cold_wanted
# Globals: COLD_MEMORY
cold_wanted() {
  [[ $COLD_MEMORY =~ [1-9] ]]
}

# Print a line of a plan about it; nothing if none is wanted.
# Usage: cold_say
cold_say() {
  ! cold_wanted || printf 'cold     %s of memory in front of the instances\n' "$COLD_MEMORY"
}

# Print whether the server in HOST has room for it beside its instances, as a row STATE FOUND WANTED FIX; nothing if none is wanted.
# Usage: cold_try DATA_BYTES INSTANCES PLACES
#   all as the plan has them
# Globals: HOST SERVER_BYTES COLD_MEMORY
cold_try() {
  cold_wanted || return 0
  _cold_words "$@"
  call_run "$HOST" cold check "${COLD_WORDS[@]}"
}

# The arguments of lib/host/cold.sh for the server in HOST.
# Usage: _cold_words DATA_BYTES INSTANCES PLACES
# Returns: sets COLD_WORDS: its nodes to fill, COLD_MEMORY, the bytes of its data, and those that stay free
_cold_words() {
  local data REPLY
  spread_part "$1" "$2"
  data=$REPLY
  spread_places_of "$3"
  COLD_WORDS=("$(place_near "$REPLY")" "$COLD_MEMORY" "$data" "$(fill_reserve "$SERVER_BYTES")")
}

# Fill the nodes, before the instances of a repeat start.
# Usage: cold_up
# Globals: ROW HOST SERVER_BYTES COLD_MEMORY
# Returns: 1 with the reason on stderr
cold_up() {
  local host node bytes
  cold_wanted || return 0
  servers_each memory_prepare || return
  # The host has its own limit, by the bytes that it writes.
  servers_side 86400 _cold_up || return
  for host in $HOST; do
    while read -r _ node bytes; do
      log_info "$host: node $node: $((bytes >> 20)) MiB of cold memory"
    done <<<"${SIDE_OUT[$host]}"
  done
}

# Fill the nodes of the server in HOST, and print `held NODE BYTES` for each.
# Usage: _cold_up
# Globals: ROW HOST SERVER_BYTES COLD_MEMORY
# Returns: not 0 with the reason on stderr
_cold_up() {
  memory_prepare || return
  _cold_words "${ROW[data_bytes]}" "${ROW[instances]}" "${ROW[places]}"
  log_info "$HOST: filling $COLD_MEMORY of node ${COLD_WORDS[0]} with cold memory"
  call_run "$HOST" cold start "$MEMORY_PROGRAM" "${COLD_WORDS[@]}"
}

# Whether it is still there; a phase without it would be invalid.
# Usage: cold_held
# Returns: 1 with the reason on stderr
cold_held() {
  ! cold_wanted || servers_print $((REMOTE_RETRY + 60)) _cold_held
}

# Whether the cold memory of the server in HOST is still there.
# Usage: _cold_held
# Returns: not 0 with the reason on stderr
_cold_held() {
  call_run "$HOST" cold look
}
