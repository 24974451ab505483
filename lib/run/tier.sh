# SPDX-License-Identifier: MIT
# shellcheck shell=bash
# The memory of the instances: the master's side of NUMA policies and of DRAM with slower storage.

# Print the command that starts a program with a policy, as arguments.
# Usage: tier_command POLICY
tier_command() {
  [[ -z $1 ]] || printf 'numactl %s\n' "$1"
}

# Whether the tier of the current settings is a word of `# Is:` (lib/core/tiers.sh).
# Usage: tier_is WORD
# Globals: TIER
tier_is() {
  tiers_has "$TIER" Is "$1"
}

# Print the numactl options of the tier for every instance; nothing if it has none.
# Usage: tier_policy
# Globals: TIER TIER_NODES
tier_policy() {
  local option nodes REPLY
  tiers_field "$TIER" Policy
  option=$REPLY
  [[ -n $option ]] || return 0
  _tier_nodes
  nodes=$REPLY
  tiers_field "$TIER" Policies
  [[ $nodes != *[,-]* || -z $REPLY ]] || option=$REPLY
  printf '%s\n' "${option/\%/$nodes}"
}

# Set the DRAM limit of the running instances.
# Usage: tier_set_limit BYTES
# Returns: 1 if the limit cannot be set, with the reason on stderr
tier_set_limit() {
  call_run "$HOST" tiers limit "$1"
}

# Move the pages of the running instances: SHARE % of them to the near nodes of the tier, the others to its far nodes.
# Usage: tier_divide SHARE [keep]
#   keep: the check of placement requires nothing from now on
# Returns: 1 if that is not possible, with the reason on stderr
tier_divide() {
  local far
  memory_prepare || return
  far=$(place_memory_nodes far)
  call_run "$HOST" tiers divide "$MEMORY_PROGRAM" "$1" "$(_tier_part near "$far")" "$(_tier_part far "$far")" "${@:2}"
}

# Print the nodes of the tier that are near, or far: without a CPU.
# Usage: _tier_part near|far FAR
_tier_part() {
  local REPLY
  _tier_nodes
  awk -v part="$1" -v all="$REPLY" -v far="$2" "$CPUS_AWK"'
    BEGIN {
      for (i = far == "" ? 0 : cpus_expand(far, list); i >= 1; i--) slow[list[i]] = 1
      n = all == "" ? 0 : cpus_expand(all, list)
      for (i = 1; i <= n; i++) if ((list[i] in slow) == (part == "far")) node[++count] = list[i]
      print cpus_compress(node, count + 0)
    }'
}

# Every repeat has a tier.
# Usage: tier_wanted
tier_wanted() { :; }

# Set up the tier on the server in HOST, for its part of the data; lib/host/ended.sh reverts it.
# Globals: ROW POINT_INSTANCES; calls and askers of _parts_ask
tier_at_up() {
  _tier_describe "${ROW[data_bytes]}" "$POINT_INSTANCES"
  calls+=($'tiers\tup')
  askers+=("tier up")
}

# Print whether the server in HOST supports the tier for its part of the data, as rows STATE FOUND WANTED FIX.
# Usage: tier_check DATA_BYTES INSTANCES
#   both of all servers together
tier_check() {
  local TIER_IS TIER_VERIFY TIER_PRICE TIER_DATA TIER_LIMIT TIER_SPACE TIER_MEMORY TIER_FAR TIER_NEAR TIER_RESERVE TIER_SWAPPINESS TIER_GROUPS
  _tier_describe "$@"
  call_run "$HOST" tiers check
}

# Print the kinds of memory of a host, as rows KIND WHERE DETAIL.
# Usage: tier_detect HOST
tier_detect() {
  call_run "$1" tiers detect
}

# The part of the server in HOST of a column of the current row, 0 without a limit.
# Usage: tier_bytes_of limit_bytes|swap_bytes
# Globals: ROW
# Returns: sets REPLY
tier_bytes_of() {
  spread_places_of "${ROW[$1]}"
  REPLY=${REPLY/#-/0}
}

# What lib/host/tiers.sh reads: the tier of the server in HOST, for its part of the data.
# Usage: _tier_describe DATA_BYTES INSTANCES
# Returns: sets the variables of tier_check
_tier_describe() {
  local REPLY
  TIER_NEAR='' TIER_SWAPPINESS=$KERNEL_SWAPPINESS
  tiers_field "$TIER" Is
  TIER_IS=$REPLY
  tiers_field "$TIER" Verify
  TIER_VERIFY=$REPLY
  tiers_field "$TIER" Price
  TIER_PRICE=$REPLY
  spread_part "$1" "$2"
  TIER_DATA=$REPLY
  tier_bytes_of limit_bytes
  TIER_LIMIT=$REPLY
  tier_bytes_of swap_bytes
  TIER_SPACE=$REPLY
  _tier_nodes
  TIER_MEMORY=$REPLY
  place_memory_nodes_of far
  TIER_FAR=$REPLY
  # A search begins with all data on the near nodes.
  ! { tier_is divided && [[ $DRAM_RATIO == search ]]; } || TIER_NEAR=$(_tier_part near "$TIER_FAR")/$(_tier_part far "$TIER_FAR")
  fill_reserve_of "$SERVER_BYTES"
  TIER_RESERVE=$REPLY
  TIER_GROUPS=$(parts_each groups)
}

# The nodes of the tier, as a list; empty if the server has no such nodes.
# Returns: sets REPLY
_tier_nodes() {
  if [[ $TIER_NODES != auto ]]; then
    REPLY=$TIER_NODES
  else
    tiers_field "$TIER" Nodes
    place_memory_nodes_of "${REPLY:-all}"
  fi
}
