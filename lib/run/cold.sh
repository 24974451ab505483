# SPDX-License-Identifier: MIT
# shellcheck shell=bash
# COLD_MEMORY: memory that is written once and never used again, on the fast nodes in front of the instances (membench hold).

_COLD_ON= # yes while there may be such memory in this repeat

# Whether COLD_MEMORY asks for such memory, at the point in force or at any point.
# Usage: cold_wanted
# Globals: COLD_MEMORY
cold_wanted() {
  [[ $COLD_MEMORY =~ [1-9] ]]
}

# Refuse COLD_MEMORY where the memory of the instances does not depend on it.
# Usage: cold_check
# Globals: COLD_MEMORY TIER PLACEMENT SERVER_NUMACTL
# Returns: exits 2.
cold_check() {
  cold_wanted || return 0
  [[ $TIER == native || $TIER == tiering ]] ||
    conf_refuse COLD_MEMORY "conflicts with TIER=$TIER, which limits or places the memory of instances; use the variants native, tiering, numab, tpp or damon"
  [[ $PLACEMENT != numa && $PLACEMENT != split || -n $SERVER_NUMACTL ]] ||
    conf_refuse COLD_MEMORY "conflicts with PLACEMENT=$PLACEMENT, which binds instances to nodes; set PLACEMENT=spread"
  tier_numactl_of
  [[ -z $REPLY ]] || conf_refuse COLD_MEMORY "conflicts with $REPLY in SERVER_NUMACTL, which places the memory of instances; leave it out"
}

# Print a line of a plan about it; nothing if none is wanted.
# Usage: cold_say
cold_say() {
  ! cold_wanted || printf 'cold     %s of memory in front of the instances\n' "$COLD_MEMORY"
}

# Print whether the server has room for it beside the instances, as a row STATE FOUND WANTED FIX; nothing if none is wanted.
# Usage: cold_try DATA_BYTES PLACES
#   both as the plan has them
# Globals: SERVER SERVER_BYTES COLD_MEMORY
cold_try() {
  cold_wanted || return 0
  remote_run "$SERVER" cold check "$(place_near "$2")" "$COLD_MEMORY" "$1" "$(fill_reserve "$SERVER_BYTES")"
}

# Fill the nodes, before the instances of a repeat start.
# Usage: cold_up
# Globals: ROW SERVER SERVER_BYTES COLD_MEMORY
# Returns: 1 with the reason on stderr
cold_up() {
  local nodes said
  cold_wanted || return 0
  memory_prepare || return
  nodes=$(place_near "${ROW[places]}")
  _COLD_ON=yes
  log_info "$SERVER: filling $COLD_MEMORY of node $nodes with cold memory"
  said=$(remote_run -e RUN_ID -e RUN_OWNER "$SERVER" cold start "$MEMORY_PROGRAM" "$nodes" "$COLD_MEMORY" "${ROW[data_bytes]}" "$(fill_reserve "$SERVER_BYTES")") || return
  while read -r _ nodes said; do
    log_info "$SERVER: node $nodes: $((said >> 20)) MiB of cold memory"
  done <<<"$said"
}

# Whether it is still there; a phase without it would be invalid.
# Usage: cold_held
# Returns: 1 with the reason on stderr
cold_held() {
  [[ -z $_COLD_ON ]] || remote_run -e RUN_ID "$SERVER" cold look
}

# Release it, whether the repeat succeeded or failed.
# Usage: cold_down
cold_down() {
  [[ -n $_COLD_ON ]] || return 0
  _COLD_ON=
  remote_run -e RUN_ID "$SERVER" cold stop
}
