# SPDX-License-Identifier: MIT
# shellcheck shell=bash
# Whether this host supports the tier of a variant, as rows STATE FOUND WANTED FIX.

# Print whether this host supports the tier of the settings: as the tier checks it, else as its flags say.
# Usage: host_tier_check
# Globals: TIER and the settings sent to lib/host/tiers.sh
host_tier_check() {
  host_tier_check_groups || return 0
  if declare -F "host_tier_${TIER}_check" >/dev/null; then
    "host_tier_${TIER}_check"
  elif [[ " $TIER_IS " == *" limited "* ]]; then
    ! host_tier_check_limited || host_tier_check_swap
  else
    host_tier_check_nodes
  fi
}

# Whether a cgroup that limits memory can be made; if not, print a row.
# Usage: host_tier_check_cgroup WHAT
#   WHAT requires root
# Returns: 1 if it cannot; sets CGROUP_VERSION and CGROUP_ROOT
host_tier_check_cgroup() {
  if ((EUID != 0)); then
    host_tier_row fail "not root" "root: $1" "log in as root"
  elif ! host_tier_cgroup_find; then
    host_tier_row fail "$WHY" "a cgroup that limits memory" "mount it, or boot with cgroup_enable=memory"
  elif [[ $CGROUP_VERSION == 2 ]] && ! grep -qw memory "$CGROUP_ROOT/cgroup.subtree_control" && [[ -e $CGROUP_ROOT/cgroup.type && -n $(_host_tier_detect_read "$CGROUP_ROOT/cgroup.procs") ]]; then
    host_tier_row fail "the memory controller is off in $CGROUP_ROOT, which has processes" "a cgroup that limits memory" "run it outside of this container"
  else
    return 0
  fi
  return 1
}

# Whether there can be a cgroup for each group of instances; if not, print a row.
# Usage: host_tier_check_groups
# Globals: TIER_GROUPS
# Returns: 1 if there cannot
host_tier_check_groups() {
  local high
  [[ -n $TIER_GROUPS ]] || return 0
  host_tier_check_cgroup "the limits of tenants are cgroups" || return
  high=$(awk '$3 != "-" { print $1; exit }' <<<"$TIER_GROUPS")
  [[ $CGROUP_VERSION == 1 && -n $high ]] || return 0
  host_tier_row fail "cgroup version 1 of memory" "MEMORY.high of $high: version 2" "leave MEMORY.high out"
  return 1
}

# Find the nodes with memory, and why fast or other nodes do not count as far ones.
# Usage: host_tier_check_far
# Returns: sets nodes, faster and ready of the caller: those of host_tier_memory_nodes, text, and the command that makes a device ready
host_tier_check_far() {
  local where detail command
  nodes=$(host_tier_memory_nodes all) faster='' ready=''
  [[ $nodes != *fast* ]] || faster+=", or is faster than those with one"
  [[ $nodes != *device* ]] || faster+=", or is memory of a GPU or another device"
  [[ $nodes != *barred* ]] || faster+=", or is excluded by a cpuset of this session"
  # The command of the first device; the next one is named when it is ready.
  while IFS=$'\t' read -r where detail command; do
    faster+="; $where: $detail"
    ready=${ready:-$command}
  done < <(host_tier_ready)
}

# Print a row: whether the nodes, the kernel and numactl support a tier that places memory on nodes.
# Usage: host_tier_check_nodes
# Globals: TIER_IS TIER_VERIFY TIER_MEMORY TIER_NEAR
host_tier_check_nodes() {
  local node other nodes faster ready REPLY
  local -a wanted
  host_tier_check_far
  _host_tier_detect_list "$TIER_MEMORY"
  read -r -a wanted <<<"$REPLY"
  if ! command -v numactl >/dev/null; then
    host_tier_row fail "numactl is missing" "numactl" "install: numactl"
  elif [[ -z $TIER_MEMORY ]]; then
    # A variant that names no nodes could be measured on the memory of another socket.
    other=$(awk -F '\t' '$2 == "cpu" && ++n > 1 { print "TIER_NODES=" $1 ", for the memory of another socket"; exit }' <<<"$nodes")
    host_tier_row fail "every node has a CPU$faster" "a node of memory without a CPU" "${ready:-${other:-another server}}"
  elif [[ $TIER_VERIFY == shares ]] && ((${#wanted[@]} < 2)); then
    host_tier_row fail "one node with memory ($TIER_MEMORY)" "two nodes or more" "another server"
  else
    for node in "${wanted[@]}"; do
      ! grep -q "^$node"$'\tbarred' <<<"$nodes" || {
        host_tier_row fail "a cpuset excludes node $node (Mems_allowed_list)" "a node that processes may use" "set TIER_NODES, or start this session outside of that cpuset"
        return
      }
      grep -q "^$node"$'\t' <<<"$nodes" && continue
      host_tier_row fail "node $node has no memory, or does not exist" "nodes with memory: $(cut -f 1 <<<"$nodes" | paste -sd ' ')" "set TIER_NODES"
      return
    done
    if [[ $TIER_NEAR == */ || $TIER_NEAR == /* ]]; then
      host_tier_row fail "TIER_NODES=$TIER_MEMORY: ${TIER_NEAR%%/*}${TIER_NEAR##*/} are of one kind" "DRAM_RATIO=search: nodes with CPUs and nodes without" "set TIER_NODES"
    elif [[ -n $TIER_NEAR ]]; then
      # A search begins with all data on the near nodes.
      _host_tier_detect_list "${TIER_NEAR%/*}"
      host_tier_check_room "$REPLY"
    else
      host_tier_check_room "${wanted[*]}" "$TIER_VERIFY"
    fi
  fi
}

# Whether numactl on this host has an option, or is missing, which host_tier_check_nodes reports.
# Usage: host_tier_check_numactl OPTION
host_tier_check_numactl() {
  ! command -v numactl >/dev/null || [[ $(run_limited 10 numactl --help 2>&1) == *"$1"* ]]
}

# Whether nodes have space for the data and for their share of the reserve: all nodes together, or, with interleaving, each node for its part.
# Usage: host_tier_check_room NODES [shares]
# Globals: TIER_IS TIER_WEIGHTS TIER_DATA TIER_RESERVE
host_tier_check_room() {
  local node folder=${TIERBENCH_ROOT-}/sys weights=$TIER_WEIGHTS where free need keep
  if [[ ${2-} != shares || " $TIER_IS " != *" divided "* ]]; then
    weights=
  elif [[ $weights == keep || $weights == auto ]]; then
    # What tuning has set for `auto` is what the kernel then has.
    weights=
    for node in $1; do weights+="$node:$(_host_tier_detect_read "$folder/kernel/mm/mempolicy/weighted_interleave/node$node") "; done
  fi
  IFS=$'\t' read -r where free need keep < <(
    cat "$folder"/devices/system/node/node*/meminfo |
      awk -v round="$([[ ${2-} != shares ]] || echo 1)" -v nodes="$1" -v weights="$weights" -v data="$TIER_DATA" -v reserve="$TIER_RESERVE" '
        $3 == "MemTotal:" { total[$2] = $4; all += $4 }
        $3 == "MemFree:" || $3 == "FilePages:" { free[$2] += $4 * 1024 }
        # Shared memory is in FilePages, but the kernel cannot drop it.
        $3 == "Shmem:" { free[$2] -= $4 * 1024 }
        END {
          n = split(nodes, node, " ")
          for (i = 1; i <= n; i++) weight[node[i]] = 1
          for (i = split(weights, pair, " "); i > 0; i--) if (split(pair[i], part, ":") == 2 && part[2] > 0) weight[part[1]] = part[2]
          for (i = 1; i <= n; i++) sum += weight[node[i]]
          for (i = 1; i <= n; i++) {
            g = round ? i : 1
            list[g] = list[g] (list[g] == "" ? "" : ",") node[i]
            room[g] += free[node[i]]
            need[g] += data * weight[node[i]] / sum
            keep[g] += all > 0 ? reserve * total[node[i]] / all : 0
          }
          # The node with the least free memory decides.
          for (g = worst = 1; g <= (round ? n : 1); g++) if (room[g] - need[g] - keep[g] < room[worst] - need[worst] - keep[worst]) worst = g
          printf "%s\t%.0f\t%.0f\t%.0f\n", list[worst], room[worst], need[worst], keep[worst]
        }'
  )
  if [[ " $TIER_IS " != *" spills "* ]] && ((free < need + keep)); then
    host_tier_row fail "$((free >> 20)) MiB free on nodes $where" "$((need >> 20)) MiB, and $((keep >> 20)) MiB kept free" "a FILL that fits, such as FILL=100G, or other TIER_NODES"
  else
    host_tier_row ok "$((free >> 20)) MiB free on nodes $where" "$((need >> 20)) MiB, and $((keep >> 20)) MiB kept free" -
  fi
}

# Whether a cgroup can limit the DRAM of the instances, and allows their swap; if not, print a row.
# Usage: host_tier_check_limited
# Globals: TIER_SWAPPINESS
# Returns: 1 if it cannot; sets CGROUP_VERSION
host_tier_check_limited() {
  local what swappiness=$TIER_SWAPPINESS REPLY
  [[ $swappiness != keep ]] || swappiness=$(_host_tier_detect_read "${TIERBENCH_ROOT-}/proc/sys/vm/swappiness")
  if [[ $swappiness == 0 ]]; then
    host_tier_row fail "vm.swappiness 0: a full cgroup does not swap, and the OOM killer acts" "1 or more" "KERNEL.swappiness=60"
    return 1
  fi
  host_tier_check_cgroup "cgroups and swap are the administrator's" || return
  if ! command -v mkswap >/dev/null || ! command -v swapon >/dev/null; then
    host_tier_row fail "mkswap or swapon is missing" "util-linux" "install: mkswap"
  elif ! host_tier_check_allowed "$CGROUP_ROOT"; then
    what=${ALLOWED_KIND/memsw/memory and swap}
    host_tier_row fail "$((REPLY >> 20)) MiB of $what by $ALLOWED_WHERE" "$((TIER_WANTED >> 20)) MiB of $what" "raise that limit, or run outside of this container"
  else
    return 0
  fi
  return 1
}

# Print a row: whether there is space for the swap of the instances.
# Usage: host_tier_check_swap
# Globals: TIER_LIMIT TIER_SPACE CGROUP_VERSION
host_tier_check_swap() {
  local room device
  if ! host_tier_swap_place; then
    host_tier_row fail "$WHY" "space for swap" "set TIER_SWAP"
    return
  fi
  host_tier_check_first || return 0
  room=$(host_tier_swap_room)
  device=${SWAP_DEVICE:-$SWAP_FOLDER}
  if ((room < TIER_SPACE)); then
    host_tier_row fail "$((room >> 20)) MiB at $device" "$((TIER_SPACE >> 20)) MiB of swap" "set TIER_SWAP"
  else
    host_tier_row ok "cgroup v$CGROUP_VERSION; $((room >> 20)) MiB at $device" "$((TIER_LIMIT >> 20)) MiB of DRAM, $((TIER_SPACE >> 20)) MiB of swap" -
  fi
}

# Whether the kernel would use the swap of the tier before all others; if not, print a row.
# Usage: host_tier_check_first
# Globals: SWAP_DEVICE TIER_SWAP
# Returns: 1 if it would not
host_tier_check_first() {
  host_tier_swap_first || {
    host_tier_row fail "$WHY" "a higher priority than all other swap" "$SWAP_FIX"
    return 1
  }
}

# Whether the cgroup of a container leaves enough swap to the tier. Pages in zram are swapped, too.
# Usage: host_tier_check_allowed CGROUP
# Globals: TIER_LIMIT TIER_SPACE
# Returns: sets TIER_WANTED, bytes, and as host_allowed_swap; 1 if the limit is lower
host_tier_check_allowed() {
  host_allowed_swap "$1"
  TIER_WANTED=$TIER_SPACE
  [[ $ALLOWED_KIND != memsw ]] || TIER_WANTED=$((TIER_LIMIT + TIER_SPACE))
  [[ -z $REPLY ]] || ((REPLY >= TIER_WANTED))
}

# Print a row of fields, separated by tabs.
# Usage: host_tier_row FIELD...
host_tier_row() {
  local IFS=$'\t'
  printf '%s\n' "$*"
}
