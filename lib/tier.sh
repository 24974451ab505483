# SPDX-License-Identifier: MIT
# shellcheck shell=bash
# Which memory the instances get: the master's side of NUMA policies and of DRAM in front of slower storage.

# What each instance keeps in DRAM beside its data: the program, its stacks and its buffers.
readonly _TIER_PROGRAM=$((4 << 20))

# Print the words of numactl that keep a process's memory, and with `with-cpus` its CPUs too, on a node.
# Usage: tier_bind NODE [with-cpus]
tier_bind() {
  printf '%s--membind=%s\n' "${2:+--cpunodebind=$1 }" "$1"
}

# Print the command that starts another with a policy, as words.
# Usage: tier_command POLICY
tier_command() {
  [[ -z $1 ]] || printf 'numactl %s\n' "$1"
}

# Whether the tier gives the instances less DRAM than they have data.
# Usage: tier_limited
# Globals: TIER
tier_limited() {
  [[ $TIER == swap || $TIER == zram || $TIER == zswap ]]
}

# Print the words of numactl that the tier wants for every instance; nothing when it wants none.
# Usage: tier_policy
# Globals: TIER TIER_NODES
tier_policy() {
  local nodes
  nodes=$(_tier_nodes)
  case $TIER in
    bind) printf -- '--membind=%s\n' "$nodes" ;;
    # One node is taken by every numactl, several by newer ones.
    preferred) if [[ $nodes == *[,-]* ]]; then printf -- '--preferred-many=%s\n' "$nodes"; else printf -- '--preferred=%s\n' "$nodes"; fi ;;
    interleave) printf -- '--interleave=%s\n' "$nodes" ;;
    weighted) printf -- '--weighted-interleave=%s\n' "$nodes" ;;
  esac
}

# Print the DRAM in bytes that instances with so much data are given; 0 when it is not limited.
# Usage: tier_limit DATA_BYTES INSTANCES
# Globals: TIER DRAM_RATIO
tier_limit() {
  if tier_limited; then
    echo $(($1 * ${DRAM_RATIO%:*} / ${DRAM_RATIO#*:} + $2 * _TIER_PROGRAM))
  else
    echo 0
  fi
}

# Print the ratio that gives the data the least DRAM, of several.
# Usage: tier_least
# Globals: DRAM_RATIO
tier_least() {
  tr ' ' '\n' <<<"$DRAM_RATIO" | awk -F : 'NR == 1 || $1 / $2 < least { least = $1 / $2; ratio = $0 } END { print ratio }'
}

# Print the bytes of memory that the data take on the server itself. On zram all of it stays there, compressed or not.
# Usage: tier_dram DATA_BYTES INSTANCES
tier_dram() {
  if [[ $TIER == swap || $TIER == zswap ]]; then tier_limit "$@"; else echo "$1"; fi
}

# Refuse settings of the tier that are none, or that contradict others.
# Usage: tier_settings_check
# Returns: exits 2.
tier_settings_check() {
  local word
  # numactl takes one policy, and a second one for a conflict.
  [[ -z $(tier_policy) ]] || for word in $SERVER_NUMACTL; do
    case $word in
      -[mipPlw]* | --m* | --i* | --pr* | --lo* | --w*) conf_refuse SERVER_NUMACTL "$word says where memory is to be, and so does TIER=$TIER" ;;
    esac
  done
  for word in $DRAM_RATIO; do
    if [[ $word =~ ^[1-9][0-9]{0,3}:[1-9][0-9]{0,3}$ ]] && ((${word%:*} <= ${word#*:})); then continue; fi
    conf_refuse DRAM_RATIO "$word is not DRAM:DATA, such as 1:4, with no more DRAM than data"
  done
  [[ $TIER_WEIGHTS == keep ]] || for word in $TIER_WEIGHTS; do
    if [[ $word =~ ^[0-9]{1,4}:[1-9][0-9]{0,2}$ ]] && ((${word#*:} <= 255)); then continue; fi
    conf_refuse TIER_WEIGHTS "$word is not NODE:WEIGHT, such as 1:3, with a weight of 1 to 255"
  done
}

# Make what the tier needs on the server; tier_down undoes it.
# Usage: tier_up DATA_BYTES INSTANCES
tier_up() {
  _tier_run "$1" "$2" up
}

# Usage: tier_down
tier_down() {
  remote_run -e RUN_ID "$SERVER" tiers down
}

# Print whether the server can give the tier, as rows STATE FOUND WANTED MEND.
# Usage: tier_check DATA_BYTES INSTANCES
tier_check() {
  _tier_run "$1" "$2" check
}

# Print which kinds of memory a host has, as rows KIND WHERE DETAIL.
# Usage: tier_detect HOST
tier_detect() {
  remote_run "$1" tiers detect
}

_tier_run() {
  local TIER_DATA=$1 TIER_LIMIT TIER_SPACE TIER_NODES=$TIER_NODES TIER_FAR TIER_RESERVE TIER_SWAPPINESS=$SWAPPINESS
  [[ $TUNE_SWAPPINESS != off ]] || TIER_SWAPPINESS=keep
  TIER_LIMIT=$(tier_limit "$1" "$2")
  # Room for all that has no place in DRAM, and a quarter more for what Redis does not count.
  TIER_SPACE=$(((TIER_DATA - (TIER_LIMIT < TIER_DATA ? TIER_LIMIT : TIER_DATA)) * 5 / 4 + (64 << 20)))
  TIER_NODES=$(_tier_nodes)
  TIER_FAR=$(place_memory_nodes far)
  TIER_RESERVE=$(fill_reserve "$SERVER_BYTES")
  remote_run -e RUN_ID -e RUN_OWNER -e TIER -e TIER_NODES -e TIER_WEIGHTS -e TIER_SWAP -e ZRAM_ALGORITHM -e TIER_DATA -e TIER_LIMIT \
    -e TIER_SPACE -e TIER_FAR -e TIER_RESERVE -e TIER_SWAPPINESS "$SERVER" tiers "$3"
}

# The nodes that the tier is about, as a list; empty when there are none of their kind.
_tier_nodes() {
  if [[ $TIER_NODES != auto ]]; then
    echo "$TIER_NODES"
  elif [[ $TIER == bind || $TIER == preferred ]]; then
    place_memory_nodes far
  else
    place_memory_nodes all
  fi
}
