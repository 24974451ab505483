# SPDX-License-Identifier: MIT
# shellcheck shell=bash
# Whether this host supports the tier of a variant, as rows STATE FOUND WANTED FIX.

# Print whether this host supports the tier of the settings.
# Usage: host_tier_check
# Globals: TIER and the settings sent to lib/host/tiers.sh
host_tier_check() {
  local nodes faster='' where detail command ready=''
  if [[ $TIER == native ]]; then
    host_tier_check_native
    return
  fi
  nodes=$(host_tier_memory_nodes all)
  [[ $nodes != *fast* ]] || faster+=", or is faster than those with one"
  [[ $nodes != *device* ]] || faster+=", or is memory of a GPU or another device"
  [[ $nodes != *barred* ]] || faster+=", or is excluded by a cpuset of this session"
  # The command of the first device; the next one is named when it is ready.
  while IFS=$'\t' read -r where detail command; do
    faster+="; $where: $detail"
    ready=${ready:-$command}
  done < <(host_tier_ready)
  case $TIER in
    bind | preferred | interleave | weighted) host_tier_check_nodes "$nodes" ;;
    tiering) host_tier_check_tiering "$nodes" ;;
    swap | zram | zswap) host_tier_check_limited ;;
    imdt) host_tier_check_imdt ;;
  esac
}

# Print a warning if DRAM is a cache of slower memory or shares a node with it, and a row about swap: data may be elsewhere than in DRAM.
# Usage: host_tier_check_native
host_tier_check_native() {
  local rows kind where detail
  local -a swaps=()
  rows=$'\n'$(host_tier_detect_caches)
  for kind in vsmp memory-mode; do
    [[ $rows != *$'\n'"$kind"$'\t'* ]] ||
      host_tier_row warn "DRAM is a cache of slower memory ($kind), so the share of the data in DRAM is unknown" "all of the data in DRAM" "boot the server without it"
  done
  while IFS=$'\t' read -r where detail; do
    host_tier_row warn "node $where contains DRAM and other memory ($detail), so the share of the data in DRAM is unknown" "all of the data in DRAM" \
      "daxctl reconfigure-device --mode=devdax --force ${detail%% *}"
  done < <(host_tier_ready_mixed)
  [[ ! -e ${TIERBENCH_ROOT-}/proc/swaps ]] || mapfile -t swaps <"${TIERBENCH_ROOT-}/proc/swaps"
  if ((${#swaps[@]} > 1)); then
    host_tier_row warn "the server has swap, and may use it" "all of the data in memory" "swapoff -a, if nothing there needs it"
  else
    host_tier_row ok "no swap" "all of the data in memory" -
  fi
}

# Print a row: whether the nodes, the kernel and numactl support a tier that places memory on nodes.
# Usage: host_tier_check_nodes NODES
#   NODES as host_tier_memory_nodes prints them
# Globals: TIER TIER_MEMORY TIER_NEAR; faster and ready of host_tier_check
host_tier_check_nodes() {
  local node wanted count other
  wanted=$(_host_tier_detect_list "$TIER_MEMORY")
  count=$(grep -c . <<<"$wanted") || :
  if ! command -v numactl >/dev/null; then
    host_tier_row fail "numactl is missing" "numactl" "install: numactl"
  elif [[ -z $TIER_MEMORY ]]; then
    # A variant that names no nodes could be measured on the memory of another socket.
    other=$(awk -F '\t' '$2 == "cpu" && ++n > 1 { print "TIER_NODES=" $1 ", for the memory of another socket"; exit }' <<<"$1")
    host_tier_row fail "every node has a CPU$faster" "a node of memory without a CPU" "${ready:-${other:-another server}}"
  elif [[ $TIER == interleave || $TIER == weighted ]] && ((count < 2)); then
    host_tier_row fail "one node with memory ($TIER_MEMORY)" "two nodes or more" "another server"
  elif [[ $TIER == weighted && ! -d ${TIERBENCH_ROOT-}/sys/kernel/mm/mempolicy/weighted_interleave ]]; then
    host_tier_row fail "the kernel does not support weighted interleave" "Linux 6.9 or newer" "a newer kernel"
  elif [[ $TIER == weighted ]] && ! host_tier_check_numactl --weighted-interleave; then
    host_tier_row fail "numactl does not support --weighted-interleave" "numactl 2.0.17 or newer" "a newer numactl"
  elif [[ $TIER == preferred ]] && ((count > 1)) && ! host_tier_check_numactl --preferred-many; then
    host_tier_row fail "numactl does not support --preferred-many" "numactl 2.0.15 or newer, or one node" "a newer numactl, or set TIER_NODES"
  else
    for node in $wanted; do
      ! grep -q "^$node"$'\tbarred' <<<"$1" || {
        host_tier_row fail "a cpuset excludes node $node (Mems_allowed_list)" "a node that processes may use" "set TIER_NODES, or start this session outside of that cpuset"
        return
      }
      grep -q "^$node"$'\t' <<<"$1" && continue
      host_tier_row fail "node $node has no memory, or does not exist" "nodes with memory: $(cut -f 1 <<<"$1" | paste -sd ' ')" "set TIER_NODES"
      return
    done
    if [[ $TIER_NEAR == */ || $TIER_NEAR == /* ]]; then
      host_tier_row fail "TIER_NODES=$TIER_MEMORY: ${TIER_NEAR%%/*}${TIER_NEAR##*/} are of one kind" "DRAM_RATIO=search: nodes with CPUs and nodes without" "set TIER_NODES"
    elif [[ -n $TIER_NEAR ]]; then
      # A search begins with all data on the near nodes.
      host_tier_check_room bind "$(_host_tier_detect_list "${TIER_NEAR%/*}")"
    else
      host_tier_check_room "$TIER" "$wanted"
    fi
  fi
}

# Whether numactl on this host has an option.
# Usage: host_tier_check_numactl OPTION
host_tier_check_numactl() {
  [[ $(run_limited 10 numactl --help 2>&1) == *"$1"* ]]
}

# Whether nodes have space for the data and for their share of the reserve: all nodes together, or, with interleaving, each node for its part.
# Usage: host_tier_check_room TIER NODES
host_tier_check_room() {
  local node folder=${TIERBENCH_ROOT-}/sys weights=$TIER_WEIGHTS where free need keep
  # What tuning has set for `auto` is what the kernel then has.
  if [[ $weights == keep || $weights == auto ]]; then
    weights=
    for node in $2; do weights+="$node:$(_host_tier_detect_read "$folder/kernel/mm/mempolicy/weighted_interleave/node$node") "; done
  fi
  IFS=$'\t' read -r where free need keep < <(
    cat "$folder"/devices/system/node/node*/meminfo |
      awk -v tier="$1" -v nodes="${2//$'\n'/ }" -v weights="$weights" -v data="$TIER_DATA" -v reserve="$TIER_RESERVE" '
        $3 == "MemTotal:" { total[$2] = $4; all += $4 }
        $3 == "MemFree:" || $3 == "FilePages:" { free[$2] += $4 * 1024 }
        # Shared memory is in FilePages, but the kernel cannot drop it.
        $3 == "Shmem:" { free[$2] -= $4 * 1024 }
        END {
          n = split(nodes, node, " ")
          for (i = 1; i <= n; i++) weight[node[i]] = 1
          if (tier == "weighted") for (i = split(weights, pair, " "); i > 0; i--) if (split(pair[i], part, ":") == 2 && part[2] > 0) weight[part[1]] = part[2]
          for (i = 1; i <= n; i++) sum += weight[node[i]]
          round = tier == "interleave" || tier == "weighted"
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
  if [[ $1 != preferred ]] && ((free < need + keep)); then
    host_tier_row fail "$((free >> 20)) MiB free on nodes $where" "$((need >> 20)) MiB, and $((keep >> 20)) MiB kept free" "a FILL that fits, such as FILL=100G, or other TIER_NODES"
  else
    host_tier_row ok "$((free >> 20)) MiB free on nodes $where" "$((need >> 20)) MiB, and $((keep >> 20)) MiB kept free" -
  fi
}

# Print a row: whether there is a slower node, and the kernel can move pages between it and the others.
# Usage: host_tier_check_tiering NODES
#   NODES as host_tier_memory_nodes prints them
# Globals: faster and ready of host_tier_check
host_tier_check_tiering() {
  if ! grep -q far <<<"$1"; then
    host_tier_row fail "every node has a CPU$faster: there is one tier" "a slower node to demote to" "${ready:-another server}"
  elif [[ ! -e ${TIERBENCH_ROOT-}/proc/sys/kernel/numa_balancing ]]; then
    host_tier_row fail "the kernel has no NUMA balancing" "kernel.numa_balancing" "a kernel with CONFIG_NUMA_BALANCING"
  elif [[ ! -e ${TIERBENCH_ROOT-}/sys/kernel/mm/numa/demotion_enabled ]]; then
    host_tier_row fail "the kernel cannot demote" "/sys/kernel/mm/numa/demotion_enabled" "Linux 5.18 or newer"
  else
    host_tier_row ok "$(cut -f 1 <<<"$1" | wc -l) nodes, $(grep -c far <<<"$1") without a CPU" "two tiers" -
  fi
}

# Print a row: whether a cgroup can limit the DRAM of the instances, and there is space for their swap.
# Usage: host_tier_check_limited
# Globals: TIER TIER_SWAPPINESS TIER_LIMIT TIER_SPACE
host_tier_check_limited() {
  local room device what swappiness=$TIER_SWAPPINESS REPLY
  [[ $swappiness != keep ]] || swappiness=$(_host_tier_detect_read "${TIERBENCH_ROOT-}/proc/sys/vm/swappiness")
  if ((EUID != 0)); then
    host_tier_row fail "not root" "root: cgroups and swap are the administrator's" "log in as root"
  elif [[ $swappiness == 0 ]]; then
    host_tier_row fail "vm.swappiness 0: a full cgroup does not swap, and the OOM killer acts" "1 or more" "KERNEL.swappiness=60"
  elif ! host_tier_cgroup_find; then
    host_tier_row fail "$WHY" "a cgroup that limits memory" "mount it, or boot with cgroup_enable=memory"
  elif [[ $CGROUP_VERSION == 2 ]] && ! grep -qw memory "$CGROUP_ROOT/cgroup.subtree_control" && [[ -e $CGROUP_ROOT/cgroup.type && -n $(_host_tier_detect_read "$CGROUP_ROOT/cgroup.procs") ]]; then
    host_tier_row fail "the memory controller is off in $CGROUP_ROOT, which has processes" "a cgroup that limits memory" "run it outside of this container"
  elif ! command -v mkswap >/dev/null || ! command -v swapon >/dev/null; then
    host_tier_row fail "mkswap or swapon is missing" "util-linux" "install: mkswap"
  elif [[ $TIER == zswap && ! -e ${TIERBENCH_ROOT-}/sys/module/zswap/parameters/enabled ]]; then
    host_tier_row fail "the kernel has no zswap" "zswap" "a kernel with CONFIG_ZSWAP"
  elif ! host_tier_check_swap "$CGROUP_ROOT"; then
    what=${ALLOWED_KIND/memsw/memory and swap}
    host_tier_row fail "$((REPLY >> 20)) MiB of $what by $ALLOWED_WHERE" "$((TIER_WANTED >> 20)) MiB of $what" "raise that limit, or run outside of this container"
  elif [[ $TIER == zram ]]; then
    host_tier_check_zram
  elif ! host_tier_swap_place; then
    host_tier_row fail "$WHY" "space for swap" "set TIER_SWAP"
  else
    room=$(host_tier_swap_room)
    device=${SWAP_DEVICE:-$SWAP_FOLDER}
    if ((room < TIER_SPACE)); then
      host_tier_row fail "$((room >> 20)) MiB at $device" "$((TIER_SPACE >> 20)) MiB of swap" "set TIER_SWAP"
    else
      host_tier_row ok "cgroup v$CGROUP_VERSION; $((room >> 20)) MiB at $device" "$((TIER_LIMIT >> 20)) MiB of DRAM, $((TIER_SPACE >> 20)) MiB of swap" -
    fi
  fi
}

# Whether the cgroup of a container leaves enough swap to the tier. Pages in zram are swapped, too.
# Usage: host_tier_check_swap CGROUP
# Globals: TIER_LIMIT TIER_SPACE
# Returns: sets TIER_WANTED, bytes, and as host_allowed_swap; 1 if the limit is lower
host_tier_check_swap() {
  host_allowed_swap "$1"
  TIER_WANTED=$TIER_SPACE
  [[ $ALLOWED_KIND != memsw ]] || TIER_WANTED=$((TIER_LIMIT + TIER_SPACE))
  [[ -z $REPLY ]] || ((REPLY >= TIER_WANTED))
}

# Print a row: whether the kernel has zram, with the requested algorithm.
# Usage: host_tier_check_zram
# Globals: ZRAM_ALGORITHM TIER_LIMIT TIER_SPACE CGROUP_VERSION
host_tier_check_zram() {
  local known
  # Without a device there is no such file.
  known=$(cat "${TIERBENCH_ROOT-}"/sys/block/zram*/comp_algorithm 2>/dev/null | sed -n 1p) || :
  if [[ ! -e ${TIERBENCH_ROOT-}/sys/class/zram-control/hot_add ]]; then
    host_tier_row fail "the kernel has no zram, or its module is not loaded" "zram" "modprobe zram"
  elif [[ $ZRAM_ALGORITHM != auto && -n $known && " ${known//[][]/} " != *" $ZRAM_ALGORITHM "* ]]; then
    host_tier_row fail "zram supports ${known//[][]/}" "$ZRAM_ALGORITHM" "set ZRAM_ALGORITHM"
  else
    host_tier_row ok "cgroup v$CGROUP_VERSION; zram${known:+ with ${known//[][]/}}" "$((TIER_LIMIT >> 20)) MiB of DRAM, $((TIER_SPACE >> 20)) MiB of zram" -
  fi
}

# Print a row: whether this host runs on Memory Drive Technology (vSMP).
# Usage: host_tier_check_imdt
host_tier_check_imdt() {
  local prefix
  if ! prefix=$(host_vsmp_prefix); then
    host_tier_row fail "Running NATIVE: no vSMP tools in /usr/local/bin" "a server on Memory Drive Technology" "the server's IMDT boot"
  else
    host_tier_row ok "${prefix##*/}version: $(run_limited 20 "${prefix}version" -vvv 2>/dev/null | sed -n 1p)" "nna on (TUNE.vsmp)" -
  fi
}

# Print a row of fields, separated by tabs.
# Usage: host_tier_row FIELD...
host_tier_row() {
  local IFS=$'\t'
  printf '%s\n' "$*"
}
