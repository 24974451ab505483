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
# Usage: cold_doctor
# Globals: ROW HOST SERVER_BYTES COLD_MEMORY
cold_doctor() {
  cold_wanted || return 0
  _cold_words
  call_run "$HOST" cold check "${COLD_WORDS[@]}"
}

# The arguments of lib/host/cold.sh for the server in HOST.
# Usage: _cold_words
# Globals: ROW
# Returns: sets COLD_WORDS: its nodes to fill, COLD_MEMORY, the bytes of its data, and those that stay free
_cold_words() {
  local data REPLY
  spread_part "${ROW[data_bytes]}" "${ROW[instances]}"
  data=$REPLY
  spread_places_of "${ROW[places]}"
  COLD_WORDS=("$(place_near "$REPLY")" "$COLD_MEMORY" "$data" "$(fill_reserve "$SERVER_BYTES")")
}

# Install membench on the server in HOST.
# Usage: cold_ready
cold_ready() {
  memory_prepare
}

# Fill the nodes, before the instances of a repeat start.
# Globals: ROW HOST SERVER_BYTES COLD_MEMORY
cold_at_up() {
  memory_prepare || return
  _cold_words
  log_info "$HOST: filling $COLD_MEMORY of node ${COLD_WORDS[0]} with cold memory"
  parts_ask start "$MEMORY_PROGRAM" "${COLD_WORDS[@]}"
}

# Say what each node has got.
cold_got_up() {
  local host node bytes
  for host in $HOST; do
    while read -r _ node bytes; do
      log_info "$host: node $node: $((bytes >> 20)) MiB of cold memory"
    done <<<"${PART_SAID[$host]}"
  done
}

# Whether it is still there after the last phase; a phase without it would be invalid.
cold_at_done() {
  parts_ask look
}
