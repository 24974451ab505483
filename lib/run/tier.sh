# SPDX-License-Identifier: MIT
# shellcheck shell=bash
# The memory of the instances: the master's side of NUMA policies and of DRAM with slower storage.

# DRAM of each instance in addition to its data: the program, its stacks and its buffers.
readonly _TIER_PROGRAM=$((4 << 20))

# Print the numactl options that keep a process's memory, and with `with-cpus` its CPUs too, on a node.
# Usage: tier_bind NODE [with-cpus]
tier_bind() {
  printf '%s--membind=%s\n' "${2:+--cpunodebind=$1 }" "$1"
}

# Print the command that starts a program with a policy, as arguments.
# Usage: tier_command POLICY
tier_command() {
  [[ -z $1 ]] || printf 'numactl %s\n' "$1"
}

# Whether the DRAM of the instances is smaller than their data.
# Usage: tier_limited
# Globals: TIER
tier_limited() {
  [[ $TIER == swap || $TIER == zram || $TIER == zswap ]]
}

# Whether the tier divides data between near and far nodes, in parts that a search can change.
# Usage: tier_divided
# Globals: TIER
tier_divided() {
  [[ $TIER == weighted ]]
}

# Print the numactl options of the tier for every instance; nothing if it has none.
# Usage: tier_policy
# Globals: TIER TIER_NODES
tier_policy() {
  tier_policy_of
  [[ -z $REPLY ]] || printf '%s\n' "$REPLY"
}

# As tier_policy, without a subshell where the tier has no options.
# Returns: sets REPLY
tier_policy_of() {
  local nodes
  REPLY=
  [[ $TIER == bind || $TIER == preferred || $TIER == interleave || $TIER == weighted ]] || return 0
  _tier_nodes
  nodes=$REPLY
  case $TIER in
    bind) REPLY=--membind=$nodes ;;
    # Every numactl accepts one node; only newer versions accept several.
    preferred) if [[ $nodes == *[,-]* ]]; then REPLY=--preferred-many=$nodes; else REPLY=--preferred=$nodes; fi ;;
    interleave) REPLY=--interleave=$nodes ;;
    weighted) REPLY=--weighted-interleave=$nodes ;;
  esac
}

# The option in SERVER_NUMACTL that places memory; empty without one.
# Usage: tier_numactl_of
# Globals: SERVER_NUMACTL
# Returns: sets REPLY
tier_numactl_of() {
  local words
  read -r -a words <<<"$SERVER_NUMACTL"
  for REPLY in "${words[@]}"; do
    case $REPLY in
      -[mipPlw]* | --m* | --i* | --pr* | --lo* | --w*) return ;;
    esac
  done
  REPLY=
}

# The DRAM limit in bytes of a server's processes with DATA_BYTES of data; 0: not limited.
# Usage: tier_limit DATA_BYTES PROCESSES
# Globals: TIER DRAM_RATIO
# Returns: sets REPLY
tier_limit() {
  REPLY=0
  tier_limited || return 0
  # A search begins with all data in DRAM, plus space for memory that Redis does not count.
  if [[ $DRAM_RATIO == search ]]; then
    REPLY=$(($1 * 5 / 4 + (64 << 20) + $2 * _TIER_PROGRAM))
  else
    REPLY=$(($1 * ${DRAM_RATIO%:*} / ${DRAM_RATIO#*:} + $2 * _TIER_PROGRAM))
  fi
}

# Set the DRAM limit of the running instances.
# Usage: tier_set_limit BYTES
# Returns: 1 if the limit cannot be set, with the reason on stderr
tier_set_limit() {
  call_run "$HOST" tiers limit "$1"
}

# Move the pages of the running instances: SHARE % of them to the near nodes of the tier, the others to its far nodes.
# Usage: tier_divide SHARE
# Returns: 1 if that is not possible, with the reason on stderr
tier_divide() {
  local far
  memory_prepare || return
  far=$(place_memory_nodes far)
  call_run "$HOST" tiers divide "$MEMORY_PROGRAM" "$1" "$(_tier_part near "$far")" "$(_tier_part far "$far")"
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

# Print the smallest of several DRAM ratios.
# Usage: tier_least
# Globals: DRAM_RATIO
tier_least() {
  [[ $DRAM_RATIO == *' '* ]] || {
    echo "$DRAM_RATIO"
    return
  }
  tr ' ' '\n' <<<"$DRAM_RATIO" | awk -F : 'NR == 1 || $1 / $2 < least { least = $1 / $2; ratio = $0 } END { print ratio }'
}

# The bytes of the server's memory that the data take. With zram all data stay in memory, compressed or not.
# Usage: tier_dram DATA_BYTES PROCESSES
# Returns: sets REPLY
tier_dram() {
  REPLY=$1
  [[ $TIER != swap && $TIER != zswap || $DRAM_RATIO == search ]] || tier_limit "$@"
}

# Refuse invalid settings of the tier, and settings that contradict others.
# Usage: tier_settings_check
# Returns: exits 2.
tier_settings_check() {
  local word seen=' '
  # numactl accepts one policy; a second one is a conflict.
  tier_numactl_of
  [[ -z $REPLY || -z $(tier_policy) ]] ||
    conf_refuse SERVER_NUMACTL "$REPLY conflicts with TIER=$TIER, which places memory too; leave $REPLY out, or name a variant without a tier (-v native)"
  for word in $DRAM_RATIO; do
    [[ $DRAM_RATIO != search ]] || break
    [[ $word != search ]] || conf_refuse DRAM_RATIO "search conflicts with ratios; set only DRAM_RATIO=search"
    if [[ $word =~ ^[1-9][0-9]{0,3}:[1-9][0-9]{0,3}$ ]] && ((${word%:*} <= ${word#*:})); then continue; fi
    conf_refuse DRAM_RATIO "invalid ratio $word; accepted: DRAM:DATA with no more DRAM than data, such as 1:4"
  done
  [[ $TIER_WEIGHTS == keep || $TIER_WEIGHTS == auto ]] || for word in $TIER_WEIGHTS; do
    [[ $word =~ ^(0|[1-9][0-9]{0,3}):([1-9][0-9]?|1[0-9][0-9]|2[0-4][0-9]|25[0-5])$ ]] ||
      conf_refuse TIER_WEIGHTS "invalid weight $word; accepted: keep, auto, or NODE:WEIGHT with a weight from 1 to 255, such as 1:3"
    [[ $seen != *" ${word%:*}:"* ]] || conf_refuse TIER_WEIGHTS "the node ${word%:*} is repeated; give each node once"
    seen+="$word "
  done
  [[ $SCAN_PERIOD_MIN == keep || $SCAN_PERIOD_MAX == keep ]] || ((SCAN_PERIOD_MIN <= SCAN_PERIOD_MAX)) ||
    conf_refuse SCAN_PERIOD_MIN "more than SCAN_PERIOD_MAX=$SCAN_PERIOD_MAX; set SCAN_PERIOD_MIN to at most that"
}

# Set up the tier on each server, for its part of the data; lib/host/ended.sh reverts it.
# Usage: tier_up DATA_BYTES INSTANCES
tier_up() {
  servers_print $((REMOTE_RETRY + 600)) _tier_up "$@"
}

# Set up the tier on the server in HOST.
# Usage: _tier_up DATA_BYTES INSTANCES
#   both of all servers together
_tier_up() {
  _tier_run "$1" "$2" up
}

# Print whether the server in HOST supports the tier for its part of the data, as rows STATE FOUND WANTED FIX.
# Usage: tier_check DATA_BYTES INSTANCES
tier_check() {
  _tier_run "$1" "$2" check
}

# Print the kinds of memory of a host, as rows KIND WHERE DETAIL.
# Usage: tier_detect HOST
tier_detect() {
  call_run "$1" tiers detect
}

# The DRAM and the swap of the tier on the server in HOST.
# Usage: tier_space DATA_BYTES INSTANCES
#   both of all servers together
# Returns: sets TIER_DATA, its part of the data, TIER_LIMIT and TIER_SPACE
tier_space() {
  local least REPLY
  spread_part "$1" "$2"
  TIER_DATA=$REPLY
  spread_count_of "$2"
  tier_limit "$TIER_DATA" "$REPLY"
  TIER_LIMIT=$REPLY least=$REPLY
  # Swap for all data that do not fit into DRAM, plus a quarter for memory that Redis does not count. A search may leave nearly no data in DRAM.
  [[ $DRAM_RATIO != search ]] || least=0
  TIER_SPACE=$(((TIER_DATA - (least < TIER_DATA ? least : TIER_DATA)) * 5 / 4 + (64 << 20)))
}

# Run a verb of lib/host/tiers.sh on the server in HOST, with the settings of the tier for its part of the data.
# Usage: _tier_run DATA_BYTES INSTANCES up|check
#   DATA_BYTES and INSTANCES of all servers together
_tier_run() {
  local TIER_DATA TIER_LIMIT TIER_SPACE TIER_MEMORY TIER_FAR TIER_NEAR='' TIER_RESERVE TIER_SWAPPINESS=$SWAPPINESS REPLY
  tier_space "$1" "$2"
  _tier_nodes
  TIER_MEMORY=$REPLY
  place_memory_nodes_of far
  TIER_FAR=$REPLY
  # A search begins with all data on the near nodes.
  ! { tier_divided && size_wanted; } || TIER_NEAR=$(_tier_part near "$TIER_FAR")/$(_tier_part far "$TIER_FAR")
  fill_reserve_of "$SERVER_BYTES"
  TIER_RESERVE=$REPLY
  call_run "$HOST" tiers "$3"
}

# The nodes of the tier, as a list; empty if the server has no such nodes.
# Returns: sets REPLY
_tier_nodes() {
  if [[ $TIER_NODES != auto ]]; then
    REPLY=$TIER_NODES
  elif [[ $TIER == bind || $TIER == preferred ]]; then
    place_memory_nodes_of far
  else
    place_memory_nodes_of all
  fi
}
